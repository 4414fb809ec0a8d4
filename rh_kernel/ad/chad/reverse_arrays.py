"""The reverse derivatives of ``map`` (CHAD §10, App. A) and, in its manner, of the other array forms.

In each the derivative of the body is a function ``y`` of what the body binds. A fold keeps the backpropagators of all of its
steps, and runs them from the last to the first.
"""

from typing import TypeAlias

from rh_kernel.ad.chad.rules import (
    Derivation,
    Derive,
    Derived,
    Rule,
    call,
    dual,
    each,
    first,
    let,
    let_linear,
    second,
)
from rh_kernel.ad.chad.source import Context, size_of
from rh_kernel.ad.chad.target import (
    Accumulate,
    Call,
    Indices,
    Initial,
    Lambda,
    Last,
    LinearAccumulate,
    LinearCall,
    LinearSum,
    LinearVariable,
    LinearZipWith,
    Map,
    MapDifferential,
    Plus,
    Prepend,
    Scope,
    Single,
    Slice,
    Term,
    Tuple,
    Variable,
    Zero,
)
from rh_kernel.ad.chad.types import NUMBER, UNIT, Mode, primal, tangent, vector
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import free
from rh_kernel.ad.language.types import SCALAR, Real
from rh_kernel.source.descent import Descent

_R = Mode.REVERSE

ArrayRuleTerm: TypeAlias = core.Map | core.Map2 | core.Generate | core.Reduce | core.Foldl | core.Scanl


def array_rule(gamma: Context, M: ArrayRuleTerm, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``D_Γ(M)`` for a form that binds in a term of arrays"""
    match M:
        case core.Map(x, core.Call(f, core.Variable(y)), N) if x == y and x not in free(f):
            return (yield _map_function(gamma, f, N, d, derive))
        case core.Map(x, body, N):
            return (yield _map(gamma, x, body, N, d, derive))
        case core.Map2(x, y, body, left, right):
            return (yield _map2(gamma, (x, y), body, (left, right), d, derive))
        case core.Generate(n, i, body):
            return (yield _generate(gamma, n, i, body, d, derive))
        case core.Reduce() | core.Foldl() | core.Scanl():
            return (yield _fold(gamma, M, d, derive))


def _map(gamma: Context, x: str, body: core.Term, N: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``let y = λx. D(t) in let ⟨z, z'⟩ = D(s) in ⟨map(x. fst (y x), z), λ̲v. Dmapᵗ(x. (snd (y x)) • v, z, z') • v⟩``"""
    d.used.add(Rule.MAP)
    t = yield derive(gamma.extended((x, SCALAR)), body, d)
    s = yield derive(gamma, N, d)
    n = size_of(s.type)
    y, (z, z_), a, b, w = d.supply.fresh("y"), d.supply.pair("z"), d.supply.fresh(x), d.supply.fresh(x), d.supply.fresh("v")
    v = d.linear(vector(n, NUMBER))
    values = Map(n, Scope((a,), first(Call(Variable(y), Variable(a)))), (Variable(z),))
    step = LinearCall(second(Call(Variable(y), Variable(b))), LinearVariable(w))
    backward = MapDifferential(_R, n, Variable(z), Scope((b, w), step), Variable(z_), gamma.tangents)
    value = let((z, z_), s.term, dual(values, v.lambda_(LinearCall(backward, v.variable))))
    return Derived(let((y,), Lambda(NUMBER, Scope((x,), t.term)), value), s.type)


def _map_function(gamma: Context, f: core.Term, N: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``⟨map(x. fst (f x), z), λ̲v. f' • (sum of !zi⊗vi) + z' • zipWith(x v. (snd (f x)) • v, z, v)⟩``"""
    d.used.add(Rule.MAP_FUNCTION)
    t = yield derive(gamma, f, d)
    s = yield derive(gamma, N, d)
    n = size_of(s.type)
    (y, y_), (z, z_) = d.supply.pair("f"), d.supply.pair("z")
    a, b, c = (d.supply.fresh("x") for _ in range(3))
    v, u, w = d.linear(vector(n, NUMBER)), d.supply.fresh("v"), d.supply.fresh("v")
    values = Map(n, Scope((a,), first(Call(Variable(y), Variable(a)))), (Variable(z),))
    calls = LinearZipWith(n, (Variable(z),), v.variable, Scope((b, u), Single(Variable(b), LinearVariable(u))))
    step = LinearCall(second(Call(Variable(y), Variable(c))), LinearVariable(w))
    entries = LinearZipWith(n, (Variable(z),), v.variable, Scope((c, w), step))
    pulled = Plus(call(y_, LinearSum(n, tangent(t.type, _R), calls)), call(z_, entries))
    return Derived(let((y, y_), t.term, let((z, z_), s.term, dual(values, v.lambda_(pulled)))), s.type)


def _map2(
    gamma: Context, names: tuple[str, str], body: core.Term, arrays: tuple[core.Term, core.Term], d: Derivation, derive: Derive
) -> Descent[Derived]:
    """``λ̲v. let q = zipWith(x y v. (snd (y x y)) • v, s, r, v) in sum q.Γ + s' • q.x + r' • q.y``"""
    d.used.add(Rule.MAP2)
    t = yield derive(gamma.extended(*((x, SCALAR) for x in names)), body, d)
    s = yield derive(gamma, arrays[0], d)
    r = yield derive(gamma, arrays[1], d)
    n = size_of(s.type)
    y, (z, z_), (u, u_) = d.supply.fresh("y"), d.supply.pair("z"), d.supply.pair("z")
    a, b, c, e = (d.supply.fresh(x) for x in (*names, *names))
    v, w, q = d.linear(vector(n, NUMBER)), d.supply.fresh("v"), d.supply.fresh("q")
    both = Variable(z), Variable(u)
    function = Lambda(NUMBER, Scope((names[0],), Lambda(NUMBER, Scope((names[1],), t.term))))
    values = Map(n, Scope((a, b), first(call2(y, a, b))), both)
    step = LinearCall(second(call2(y, c, e)), LinearVariable(w))
    first_, second_, third = (d.supply.fresh("v") for _ in range(3))
    pulled = Plus(
        Plus(
            LinearSum(n, gamma.tangents, each(n, first_, LinearVariable(q), Initial(Initial(LinearVariable(first_))))),
            call(z_, each(n, second_, LinearVariable(q), Last(Initial(LinearVariable(second_))))),
        ),
        call(u_, each(n, third, LinearVariable(q), Last(LinearVariable(third)))),
    )
    backward = v.lambda_(let_linear(q, LinearZipWith(n, both, v.variable, Scope((c, e, w), step)), pulled))
    value = let((z, z_), s.term, let((u, u_), r.term, dual(values, backward)))
    return Derived(let((y,), function, value), s.type)


def _generate(gamma: Context, n: int, i: str, body: core.Term, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``λ̲v. sum (zipWith(i v. fst ((snd (y i)) • v), [0, …, n − 1], v))``: nothing flows back to i"""
    d.used.add(Rule.GENERATE)
    t = yield derive(gamma.extended((i, SCALAR)), body, d)
    y, a, b, w = d.supply.fresh("y"), d.supply.fresh(i), d.supply.fresh(i), d.supply.fresh("v")
    v = d.linear(vector(n, NUMBER))
    values = Map(n, Scope((a,), first(Call(Variable(y), Variable(a)))), (Indices(n),))
    step = Initial(LinearCall(second(Call(Variable(y), Variable(b))), LinearVariable(w)))
    backward = LinearSum(n, gamma.tangents, LinearZipWith(n, (Indices(n),), v.variable, Scope((b, w), step)))
    return Derived(let((y,), Lambda(NUMBER, Scope((i,), t.term)), dual(values, v.lambda_(backward))), Real(n))


def _fold(gamma: Context, M: core.Reduce | core.Foldl | core.Scanl, d: Derivation, derive: Derive) -> Descent[Derived]:
    """``⟨r, λ̲v. let q = mapAccumR(b v. …, b, v) in sum q.2.1 + z' • q.1 + s' • q.2.2⟩``

    for ``⟨r, b⟩ = mapAccumL(a x. y a x, z, s)``, where a step from the right is ``let p = b • v in ⟨snd (fst p), ⟨fst (fst p),
    snd p⟩⟩``. For ``scanl`` a step also gives an entry of the result, whose cotangent is added to v.
    """
    scans = isinstance(M, core.Scanl)
    d.used.add(Rule.SCANL if scans else Rule.FOLDL)
    z0 = yield derive(gamma, M.start, d)
    s = yield derive(gamma, M.array, d)
    t = yield derive(gamma.extended((M.accumulator, z0.type), (M.name, SCALAR)), M.body, d)
    n, A1, A2 = size_of(s.type), primal(z0.type, _R), tangent(z0.type, _R)
    y, (z, z_), (u, u_) = d.supply.fresh("y"), d.supply.pair("z"), d.supply.pair("s")
    r, bs, a, x = d.supply.fresh("r"), d.supply.fresh("b"), d.supply.fresh(M.accumulator), d.supply.fresh(M.name)
    function = Lambda(A1, Scope((M.accumulator,), Lambda(NUMBER, Scope((M.name,), t.term))))
    b, p, w, q = d.supply.fresh("b"), d.supply.fresh("p"), d.supply.fresh("v"), d.supply.fresh("q")
    entry, output, step = call2(y, a, x), Variable(bs), Variable(b)
    if scans:
        o, o_ = d.supply.pair("o")
        entry = let((o, o_), entry, Tuple((Variable(o), Tuple((Variable(o), Variable(o_))))))
        c = d.supply.fresh("c")
        values: Term = Prepend(n, Variable(z), Map(n, Scope((c,), first(Variable(c))), (output,)))
        v, incoming = d.linear(vector(n + 1, NUMBER)), Plus(first(LinearVariable(p)), second(LinearVariable(p)))
        operand = Tuple((Zero(NUMBER), Slice(1, n + 1, n + 1, v.variable)))
        backward_step, result_type = second(step), Real(n + 1)
    else:
        values, v, incoming = Variable(r), d.linear(A2), first(LinearVariable(p))
        operand = Tuple((v.variable, Zero(vector(n, UNIT))))
        backward_step, result_type = step, z0.type
    back = Tuple((Last(Initial(LinearVariable(w))), Tuple((Initial(Initial(LinearVariable(w))), Last(LinearVariable(w))))))
    pulled_step = LinearCall(backward_step, incoming)
    accumulated: Term = LinearAccumulate(_R, n, Variable(bs), operand, Scope((b, p), let_linear(w, pulled_step, back)))
    f, g, both, start = d.supply.fresh("v"), d.supply.fresh("v"), LinearVariable(q), first(LinearVariable(q))
    if scans:
        accumulated = Tuple((accumulated, Slice(0, 1, n + 1, v.variable)))
        both, start = first(both), Plus(first(first(both)), second(both))
    of_context = LinearSum(n, gamma.tangents, each(n, f, second(both), first(LinearVariable(f))))
    of_array = each(n, g, second(both), second(LinearVariable(g)))
    pulled = Plus(Plus(of_context, call(z_, start)), call(u_, of_array))
    backward = v.lambda_(let_linear(q, accumulated, pulled))
    value = let((r, bs), Accumulate(n, Variable(z), Variable(u), Scope((a, x), entry)), dual(values, backward))
    value = let((z, z_), z0.term, let((u, u_), s.term, value))
    return Derived(let((y,), function, value), result_type)


def call2(y: str, a: str, b: str) -> Term:
    """``y a b``"""
    return Call(Call(Variable(y), Variable(a)), Variable(b))
