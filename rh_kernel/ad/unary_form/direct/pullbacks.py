"""Pullbacks ``Jᵀ`` of all operations on variables (Figs 5, 10, 13, 16; §7.2).

Both transformations use them: the direct one pushes the cotangents of the arguments, UNF adds them to those of its slots.
"""

from collections.abc import Mapping
from dataclasses import replace

from rh_kernel.ad.language.core import Constant, Variable
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.scalars import partial
from rh_kernel.ad.unary_form.direct.bodies import Body, Pullback, Scope, pairs, product2, suffix_products, zero
from rh_kernel.ad.unary_form.terms import terms as e
from rh_kernel.ad.unary_form.terms.binding import renamed
from rh_kernel.ad.unary_form.terms.types import R, Times, Type, VectorType, numbers
from rh_kernel.ad.unary_form.translation.from_core import scalar_term
from rh_kernel.ad.unary_form.translation.primitives import index
from rh_kernel.source.diagnostic import KernelBug


def pullback(M: e.Term, z: e.Term, scope: Scope) -> Pullback:
    """``Jᵀ`` of an operation whose arguments (of ``reduce``, the array) are variables; z is the cotangent of its result."""
    names, types = scope.names, scope.types
    match M:
        case e.Op(symbol, arguments):
            partials = (_partial(symbol, i, arguments) for i in range(1, len(arguments) + 1))
            return Pullback(M, tuple(e.Op("mul", (d, z)) for d in partials))
        case e.Pack(components):
            return Pullback(M, tuple(e.Proj(i, z) for i in range(1, len(components) + 1)))
        case e.Proj(i, N):
            match _type(N, types):
                case Times(factors):
                    each = (z if j == i else zero(A) for j, A in enumerate(factors, start=1))
                    return Pullback(M, (e.Pack(tuple(each)),))
                case A:
                    raise KernelBug(f"{A} has no components")
        case e.Fill(n, _):
            u, v = names.fresh("u"), names.fresh("v")
            one = e.Fold("reduce", u, v, e.Op("add", (e.Var(u), e.Var(v))), e.ZERO, z) if n else e.ZERO
            return Pullback(M, (one,))
        case e.Use(primitive, arguments):
            given = tuple(_type(N, types) for N in arguments)
            return Pullback(M, primitive.transposed(arguments, z, given, names))
        case e.Map(x, _, A):
            return _map(M, (x,), (A,), z, scope)
        case e.Map2(x, y, _, A, B):
            return _map(M, (x, y), (A, B), z, scope)
        case e.Fold("reduce" | "foldl") if not _array(M.array, types).entry == R == _type(z, types):
            return _general_fold(M, z, scope)
        case e.Fold("reduce"):
            return _reduce(M, z, scope)
        case e.Fold("foldl"):
            return _foldl(M, z, scope)
        case e.Fold("scanl"):
            return _scanl(M, z, scope)
        case e.If():
            return _conditional(M, z, scope)
        case _:
            raise KernelBug("no operation on variables of Source")


def _partial(symbol: str, i: int, arguments: tuple[e.Term, ...]) -> e.Term:
    """``∂ᵢop(x⃗)``"""
    return scalar_term(
        partial(symbol, i, tuple(Variable(N.name) if isinstance(N, e.Var) else Constant(0.0) for N in arguments))
    )


def _type(M: e.Term, types: Mapping[str, Type]) -> Type:
    if isinstance(M, e.Var):
        return types[M.name]
    raise KernelBug("a variable was expected")


def _array(M: e.Term, types: Mapping[str, Type]) -> VectorType:
    A = _type(M, types)
    if isinstance(A, VectorType):
        return A
    raise KernelBug(f"{A} is no array")


def _map(M: e.Map | e.Map2, names: tuple[str, ...], arrays: tuple[e.Term, ...], Z: e.Term, scope: Scope) -> Pullback:
    """``map2 * (map (x. ∇_x e) A) Z``; unless all entries are numbers, each gradient has its entry of Z as seed (§A.5)."""
    entries = tuple(_array(A, scope.types).entry for A in arrays)
    body = Body(scope, tuple(zip(names, entries, strict=True)), M.body)
    if all(A == R for A in (*entries, _array(Z, scope.types).entry)):
        found = Pullback(M, tuple(product2(body.gradients(*arrays, wanted=(x,)), Z, scope.names) for x in names))
        found.context = body.totals(arrays, Z, found.inner)
    else:
        found = Pullback(M, tuple(body.seeded(arrays, Z, (x,)) for x in names))
        found.context = body.seeded_totals(arrays, Z, found.inner)
    return found


def _started(M: e.Fold, found: Pullback, scope: Scope) -> e.Term:
    """Bind the start of a fold to a variable."""
    if isinstance(M.start, e.Var):
        return M.start
    v = scope.names.fresh("v")
    found.lets.append((v, M.start))
    return e.Var(v)


def _begun(M: e.Fold, z: e.Term, scope: Scope, *wanted: str) -> tuple[Pullback, Body, list[e.Var]]:
    """The pullback of a fold without cotangents, its body, and fresh names.

    The first name is bound to ``shift1R (scanl (x, y. e1) v A)``, the accumulators before each entry.
    """
    found = Pullback(M, ())
    v = _started(M, found, scope)
    found.value = replace(M, start=v)
    accumulator = _array(z, scope.types).entry if M.form == "scanl" else _type(z, scope.types)
    body = Body(scope, ((M.accumulator, accumulator), (M.name, _array(M.array, scope.types).entry)), M.body)
    fresh = [e.Var(scope.names.fresh(x)) for x in wanted]
    called = {x: scope.names.fresh(x) for x in (M.accumulator, M.name)}
    copy = renamed(M.body, called, scope.names)
    scan = e.Fold("scanl", called[M.accumulator], called[M.name], copy, v, M.array)
    found.lets.append((fresh[0].name, e.Shift("R", scan)))
    return found, body, fresh


def _reduce(M: e.Fold, z: e.Term, scope: Scope) -> Pullback:
    """``map2 (a, b. a*z*b) A2 A3``; the start gets 0, as it is a unit (Lemma A.2)"""
    names, A = scope.names, M.array
    if _array(A, scope.types).size == 0:
        # The arrays below would have one entry too many; the result is the start.
        found = Pullback(M, (z, zero(numbers(0))))
        found.value = _started(M, found, scope)
        return found
    found, body, (A0, A1, A2, A3) = _begun(M, z, scope, "A0", "A1", "A2", "A3")
    found.lets += [
        (A1.name, e.Shift("L", body.gradients(A0, A, wanted=(M.accumulator,)))),
        (A2.name, body.gradients(A0, A, wanted=(M.name,))),
        (A3.name, suffix_products(A1, names)),
    ]
    found.arguments = e.ZERO, _between(A2, z, A3, names)
    found.context = _flowing(body, (A0, A), z, A3, found)
    return found


def _foldl(M: e.Fold, z: e.Term, scope: Scope) -> Pullback:
    """As ``reduce``, for a start that is no unit: it gets the product of all derivatives by the accumulator (Fig 16)"""
    names, A = scope.names, M.array
    found, body, (A0, A2, A3, S) = _begun(M, z, scope, "A0", "A2", "A3", "S")
    found.lets += [
        (S.name, suffix_products(body.gradients(A0, A, wanted=(M.accumulator,)), names)),
        (A2.name, body.gradients(A0, A, wanted=(M.name,))),
        (A3.name, e.Shift("L", S)),
    ]
    found.arguments = e.Op("mul", (e.Use(index(0), (S,)), z)), _between(A2, z, A3, names)
    found.context = _flowing(body, (A0, A), z, A3, found)
    return found


def _general_fold(M: e.Fold, z: e.Term, scope: Scope) -> Pullback:
    """``scanr (t, p. ∇_a^t e) z``: cotangents of the accumulator, from the right; no matrices are multiplied (§A.5)"""
    names, A, G = scope.names, M.array, _type(z, scope.types)
    found, body, (A0, T, t, p) = _begun(M, z, scope, "A0", "T", "t", "p")
    fresh, gradient = body.gradient((M.accumulator,), t)
    step = e.Let(fresh, p, gradient)
    found.inner.append((T.name, e.Fold("scanr", t.name, p.name, step, z, pairs(A0, A, names))))
    after = e.Shift("L", T)
    start = zero(G) if M.form == "reduce" and _array(A, scope.types).size else e.Use(index(0), (T,))
    found.arguments = start, body.seeded((A0, A), after, (M.name,))
    found.context = body.seeded_totals((A0, A), after, found.inner)
    return found


def _scanl(M: e.Fold, Z: e.Term, scope: Scope) -> Pullback:
    """As ``foldl``, where each accumulator has a cotangent of its own: ``t ← Z + ∂1 e * t``, from the right"""
    names, A = scope.names, M.array
    found, body, (A0, A1, T, t, p) = _begun(M, Z, scope, "A0", "A1", "T", "t", "p")
    found.lets.append((A1.name, body.gradients(A0, A, wanted=(M.accumulator,))))
    both = pairs(A1, e.Shift("R", Z), names)
    step = e.Op("add", (e.Proj(2, p), e.Op("mul", (e.Proj(1, p), t))))
    last = e.Use(index(_array(A, scope.types).size), (Z,))
    found.inner.append((T.name, e.Fold("scanr", t.name, p.name, step, last, both)))
    after = e.Shift("L", T)
    found.arguments = e.Use(index(0), (T,)), product2(body.gradients(A0, A, wanted=(M.name,)), after, names)
    found.context = body.totals((A0, A), after, found.inner)
    return found


def _between(A2: e.Term, z: e.Term, A3: e.Term, names: Names) -> e.Term:
    """``map2 (a, b. a*z*b) A2 A3``"""
    a, b = names.fresh("a"), names.fresh("b")
    return e.Map2(a, b, e.Op("mul", (e.Op("mul", (e.Var(a), z)), e.Var(b))), A2, A3)


def _flowing(body: Body, arrays: tuple[e.Term, ...], z: e.Term, A3: e.Term, found: Pullback) -> list[tuple[str, e.Term]]:
    """The cotangents of variables of Γ in the body of a fold: ``reduce +̂ 0̂ (map2 (g, w. g *̂ (w*z)) (∇_Γ e) A3)`` (Fig 13)"""
    w = body.scope.names.fresh("w")
    return body.totals(arrays, e.Map(w, e.Op("mul", (e.Var(w), z)), A3), found.inner) if body.used else []


def _conditional(M: e.If, z: e.Term, scope: Scope) -> Pullback:
    """``fun (x⃗, z) → Y(x⃗ +̂ (if b then ∇e2 else ∇e3))``: Y occurs once, and only one branch is differentiated at run time

    The gradients have the seed z instead of being scaled by it, so that branches may be of any ground type.
    """
    names = scope.names
    used = scope.used(M.then, M.otherwise)
    m, n = names.fresh("m"), names.fresh("n")
    found = Pullback(e.If(e.Var(m), e.Var(n), M.then, M.otherwise), (), [(m, M.smaller), (n, M.larger)])
    if not used:
        return found
    wanted = tuple(x for x, _ in used)
    G = names.fresh("G")
    then, otherwise = (e.Nabla(scope.derive, used, renamed(N, {}, names), wanted, z) for N in (M.then, M.otherwise))
    found.inner.append((G, e.If(e.Var(m), e.Var(n), then, otherwise)))
    found.context = [(x, e.Var(G) if len(used) == 1 else e.Proj(i, e.Var(G))) for i, (x, _) in enumerate(used, start=1)]
    return found
