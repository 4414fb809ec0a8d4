"""``Jᵀ`` of every operation whose arguments have names (Figs 5, 10, 13, 16; §7.2): what its cotangent gives to whom.

Both transformations take it from here: the direct macro pushes the cotangents of the arguments, UNF adds them to slots.
"""

from collections.abc import Mapping

from rh_kernel.ad.language.core import Constant, Variable
from rh_kernel.ad.language.core import Term as CommonTerm
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.scalars import partial
from rh_kernel.ad.unary_form.direct.bodies import Body, Pullback, Scope, pairs, product2, suffix_products, zero
from rh_kernel.ad.unary_form.terms.binding import renamed
from rh_kernel.ad.unary_form.terms.terms import (
    ZERO,
    Fill,
    Fold,
    If,
    Let,
    Map,
    Map2,
    Nabla,
    Op,
    Pack,
    Proj,
    Shift,
    Term,
    Use,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import R, Times, Type, VectorType, numbers
from rh_kernel.ad.unary_form.translation.from_core import scalar_term
from rh_kernel.ad.unary_form.translation.primitives import index
from rh_kernel.source.diagnostic import KernelBug


def pullback(M: Term, z: Term, scope: Scope) -> Pullback:
    """``Jᵀ`` of an operation; its arguments are variables (of ``reduce`` only the array), z the cotangent of its result."""
    names, types = scope.names, scope.types
    match M:
        case Op(symbol, arguments):
            partials = (_partial(symbol, i, arguments) for i in range(1, len(arguments) + 1))
            return Pullback(M, tuple(Op("mul", (d, z)) for d in partials))
        case Pack(components):
            return Pullback(M, tuple(Proj(i, z) for i in range(1, len(components) + 1)))
        case Proj(i, N):
            match _type(N, types):
                case Times(factors):
                    each = (z if j == i else zero(A) for j, A in enumerate(factors, start=1))
                    return Pullback(M, (Pack(tuple(each)),))
                case A:
                    raise KernelBug(f"{A} has no components")
        case Fill(n, _):
            u, v = names.fresh("u"), names.fresh("v")
            one = Fold("reduce", u, v, Op("add", (Var(u), Var(v))), ZERO, z) if n else ZERO
            return Pullback(M, (one,))
        case Use(primitive, arguments):
            given = tuple(_type(N, types) for N in arguments)
            return Pullback(M, primitive.transposed(arguments, z, given, names))
        case Map() | Map2() if not _is_plain(M, z, scope):
            return _general_map(M, z, scope)
        case Map(x, e, A):
            body = Body(scope, ((x, R),), e)
            found = Pullback(M, (product2(body.gradients(A, wanted=(x,)), z, names),))
            found.context = body.totals((A,), z, found.inner)
            return found
        case Map2(x, y, e, A, B):
            body = Body(scope, ((x, R), (y, R)), e)
            found = Pullback(M, tuple(product2(body.gradients(A, B, wanted=(w,)), z, names) for w in (x, y)))
            found.context = body.totals((A, B), z, found.inner)
            return found
        case Fold("reduce" | "foldl") if not _is_plain(M, z, scope):
            return _general_fold(M, z, scope)
        case Fold("reduce"):
            return _reduce(M, z, scope)
        case Fold("foldl"):
            return _foldl(M, z, scope)
        case Fold("scanl"):
            return _scanl(M, z, scope)
        case If():
            return _conditional(M, z, scope)
        case _:
            raise KernelBug("no operation on variables of Source")


def _partial(symbol: str, i: int, arguments: tuple[Term, ...]) -> Term:
    """``∂ᵢop(x⃗)``"""
    at: list[CommonTerm] = []
    for N in arguments:
        match N:
            case Var(x):
                at.append(Variable(x))
            case _:
                at.append(Constant(0.0))
    return scalar_term(partial(symbol, i, tuple(at)))


def _type(M: Term, types: Mapping[str, Type]) -> Type:
    match M:
        case Var(x):
            return types[x]
        case _:
            raise KernelBug("a variable was expected")


def _size(M: Term, types: Mapping[str, Type]) -> int:
    match _type(M, types):
        case VectorType(_, n):
            return n
        case A:
            raise KernelBug(f"{A} is no array")


def _started(M: Fold, found: Pullback, scope: Scope) -> Term:
    """The start of a fold under a name."""
    if isinstance(M.start, Var):
        return M.start
    v = scope.names.fresh("v")
    found.lets.append((v, M.start))
    return Var(v)


def _reduce(M: Fold, z: Term, scope: Scope) -> Pullback:
    """``map2 (a, b. a*z*b) A2 A3``; the start gets 0, as it is a unit (Lemma A.2)"""
    names, A = scope.names, M.array
    n = _size(A, scope.types)
    found = Pullback(M, ())
    v = _started(M, found, scope)
    if n == 0:
        # The arrays below have one entry too many here; the result is the start.
        found.value, found.arguments = v, (z, zero(numbers(0)))
        return found
    found.value = Fold("reduce", M.accumulator, M.name, M.body, v, A)
    body = Body(scope, ((M.accumulator, R), (M.name, R)), M.body)
    A0, A1, A2, A3 = (names.fresh(f"A{i}") for i in range(4))
    found.lets += [
        (A0, Shift("R", _scan(M, v, A, names))),
        (A1, Shift("L", body.gradients(Var(A0), A, wanted=(M.accumulator,)))),
        (A2, body.gradients(Var(A0), A, wanted=(M.name,))),
        (A3, suffix_products(Var(A1), names)),
    ]
    found.arguments = ZERO, _between(Var(A2), z, Var(A3), names)
    found.context = _flowing(body, (Var(A0), A), z, Var(A3), found)
    return found


def _foldl(M: Fold, z: Term, scope: Scope) -> Pullback:
    """As ``reduce``, for a start that is no unit: it gets the product of all derivatives by the accumulator (Fig 16)"""
    names, A = scope.names, M.array
    found = Pullback(M, ())
    v = _started(M, found, scope)
    found.value = Fold("foldl", M.accumulator, M.name, M.body, v, A)
    body = Body(scope, ((M.accumulator, R), (M.name, R)), M.body)
    A0, A2, A3, S = map(names.fresh, ("A0", "A2", "A3", "S"))
    found.lets += [
        (A0, Shift("R", _scan(M, v, A, names))),
        (S, suffix_products(body.gradients(Var(A0), A, wanted=(M.accumulator,)), names)),
        (A2, body.gradients(Var(A0), A, wanted=(M.name,))),
        (A3, Shift("L", Var(S))),
    ]
    found.arguments = Op("mul", (Use(index(0), (Var(S),)), z)), _between(Var(A2), z, Var(A3), names)
    found.context = _flowing(body, (Var(A0), A), z, Var(A3), found)
    return found


def _is_plain(M: Map | Map2 | Fold, z: Term, scope: Scope) -> bool:
    """Whether all that an operation goes through are numbers: the core of §3."""
    A, result = _type(M.right if isinstance(M, Map2) else M.array, scope.types), _type(z, scope.types)
    arrays = [A, _type(M.left, scope.types)] if isinstance(M, Map2) else [A]
    if not isinstance(M, Fold):
        arrays.append(result)
    entries = [B.entry for B in arrays if isinstance(B, VectorType)]
    return all(B == R for B in (entries if not isinstance(M, Fold) else [*entries, result]))


def _general_map(M: Map | Map2, Z: Term, scope: Scope) -> Pullback:
    """As for numbers, but that each entry's gradient is taken for its own cotangent (§A.5)"""
    arrays = (M.array,) if isinstance(M, Map) else (M.left, M.right)
    names = (M.name,) if isinstance(M, Map) else (M.left_name, M.right_name)
    entries = (A.entry for A in (_type(N, scope.types) for N in arrays) if isinstance(A, VectorType))
    body = Body(scope, tuple(zip(names, entries, strict=True)), M.body)
    found = Pullback(M, tuple(body.seeded(arrays, Z, (x,)) for x in names))
    found.context = body.seeded_totals(arrays, Z, found.inner)
    return found


def _general_fold(M: Fold, z: Term, scope: Scope) -> Pullback:
    """``scanr (t, p. ∇_a^t e) z``: cotangents of the accumulator, from the right; no matrices are multiplied (§A.5)"""
    names, A, G = scope.names, M.array, _type(z, scope.types)
    found = Pullback(M, ())
    v = _started(M, found, scope)
    found.value = Fold(M.form, M.accumulator, M.name, M.body, v, A)
    several = _type(A, scope.types)
    entry = several.entry if isinstance(several, VectorType) else R
    body = Body(scope, ((M.accumulator, G), (M.name, entry)), M.body)
    A0, T, t, p = map(names.fresh, ("A0", "T", "t", "p"))
    found.lets.append((A0, Shift("R", _scan(M, v, A, names))))
    fresh, gradient = body.gradient((M.accumulator,), Var(t))
    step = Let(fresh, Var(p), gradient)
    found.inner.append((T, Fold("scanr", t, p, step, z, pairs(Var(A0), A, names))))
    after = Shift("L", Var(T))
    start = zero(G) if M.form == "reduce" and several != VectorType(entry, 0) else Use(index(0), (Var(T),))
    found.arguments = start, body.seeded((Var(A0), A), after, (M.name,))
    found.context = body.seeded_totals((Var(A0), A), after, found.inner)
    return found


def _scanl(M: Fold, Z: Term, scope: Scope) -> Pullback:
    """As ``foldl``, where each value between has a cotangent of its own: ``t ← Z + ∂1 e * t``, from the right"""
    names, A = scope.names, M.array
    n = _size(A, scope.types)
    found = Pullback(M, ())
    v = _started(M, found, scope)
    found.value = Fold("scanl", M.accumulator, M.name, M.body, v, A)
    body = Body(scope, ((M.accumulator, R), (M.name, R)), M.body)
    A0, A1, T, t, p = map(names.fresh, ("A0", "A1", "T", "t", "p"))
    found.lets += [
        (A0, Shift("R", _scan(M, v, A, names))),
        (A1, body.gradients(Var(A0), A, wanted=(M.accumulator,))),
    ]
    both = pairs(Var(A1), Shift("R", Z), names)
    step = Op("add", (Proj(2, Var(p)), Op("mul", (Proj(1, Var(p)), Var(t)))))
    found.inner.append((T, Fold("scanr", t, p, step, Use(index(n), (Z,)), both)))
    after = Shift("L", Var(T))
    found.arguments = (
        Use(index(0), (Var(T),)),
        product2(body.gradients(Var(A0), A, wanted=(M.name,)), after, names),
    )
    found.context = body.totals((Var(A0), A), after, found.inner)
    return found


def _scan(M: Fold, v: Term, A: Term, names: Names) -> Term:
    """``scanl (x, y. e1) v A``"""
    called = {x: names.fresh(x) for x in (M.accumulator, M.name)}
    return Fold("scanl", called[M.accumulator], called[M.name], renamed(M.body, called, names), v, A)


def _between(A2: Term, z: Term, A3: Term, names: Names) -> Term:
    """``map2 (a, b. a*z*b) A2 A3``"""
    a, b = names.fresh("a"), names.fresh("b")
    return Map2(a, b, Op("mul", (Op("mul", (Var(a), z)), Var(b))), A2, A3)


def _flowing(body: Body, arrays: tuple[Term, ...], z: Term, A3: Term, found: Pullback) -> list[tuple[str, Term]]:
    """What the variables of Γ in the body of a fold get: ``reduce +̂ 0̂ (map2 (g, w. g *̂ (w*z)) (∇_Γ e) A3)`` (Fig 13)"""
    w = body.scope.names.fresh("w")
    return body.totals(arrays, Map(w, Op("mul", (Var(w), z)), A3), found.inner) if body.used else []


def _conditional(M: If, z: Term, scope: Scope) -> Pullback:
    """``fun (x⃗, z) → Y(x⃗ +̂ (if b then ∇e2 else ∇e3))``: Y once, and only one branch is differentiated when it runs

    The gradients are taken with the seed z instead of scaled by it, so that branches may be of any ground type.
    """
    names = scope.names
    used = scope.used(M.then, M.otherwise)
    m, n = names.fresh("m"), names.fresh("n")
    found = Pullback(If(Var(m), Var(n), M.then, M.otherwise), (), [(m, M.smaller), (n, M.larger)])
    if not used:
        return found
    wanted = tuple(x for x, _ in used)
    G = names.fresh("G")
    then, otherwise = (Nabla(scope.derive, used, renamed(N, {}, names), wanted, z) for N in (M.then, M.otherwise))
    found.inner.append((G, If(Var(m), Var(n), then, otherwise)))
    found.context = [(x, Var(G) if len(used) == 1 else Proj(i, Var(G))) for i, (x, _) in enumerate(used, start=1)]
    return found
