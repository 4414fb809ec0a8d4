"""The rules of Table 1 (CHAD App. B) at a node whose subterms are simplified."""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from rh_kernel.ad.chad import operations
from rh_kernel.ad.chad.names import NameSupply
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.traversal import renamed
from rh_kernel.ad.chad.target.types import NUMBER, AnyType, Mode, Product, product_of, vector
from rh_kernel.ad.language import core
from rh_kernel.source.diagnostic import KernelBug


class Simplification(Enum):
    """The rules by their names in the table; the last ones are laws of Fig. 6 and definitions of derivatives."""

    LAM_APP_LET = "lamAppLet"
    LET_ROTATE = "letRotate"
    LET_PAIR_SPLIT = "letPairSplit"
    LET_INLINE = "letInline"
    PAIR_PROJ = "pairProj"
    PAIR_ETA = "pairEta"
    LET_PROJ = "letProj"
    PLUS_ZERO = "plusZero"
    PLUS_PAIR = "plusPair"
    PLUS_LET = "plusLet"
    ALGEBRA = "algebra"
    LET_LAM_PAIR_SPLIT = "letLamPairSplit"
    MAP_PAIR_SPLIT = "mapPairSplit"
    MAP_ZERO = "mapZero"
    SUM_ZERO = "sumZero"
    SUM_ZIP = "sumZip"
    SUM_SINGLETON = "sumSingleton"
    COPROJECTION = "coproj"
    DIFFERENTIAL = "Dop"
    COPOWER_BETA = "copowerBeta"
    SUM_BETA = "caseBeta"


def is_cheap(t: to.Term) -> bool:
    """Whether t may be duplicated: a variable, a constant, a zero, or a component of one of these."""
    while isinstance(t, to.Projection | to.Initial | to.Last):
        t = t.operand
    match t:
        case to.Variable() | to.LinearVariable() | to.Zero() | to.Tuple(()):
            return True
        case to.Apply(operation):
            return not operation.domain
        case _:
            return False


def contract(t: to.Term, supply: NameSupply) -> tuple[Simplification, to.Term] | None:
    """Return the rule that applies to t and its result, or ``None`` if there is none."""
    match t:
        case to.Call(to.Lambda(_, to.Scope(names, body)), argument):
            return Simplification.LAM_APP_LET, to.Let(argument, to.Scope(names, body))
        case to.LinearCall(to.MapDifferential(Mode.REVERSE, _, array, to.Scope(_, to.Tuple())) as d, v) if is_cheap(array):
            return Simplification.MAP_PAIR_SPLIT, _split_map(d, v, supply)
        case to.LinearCall(to.LinearLambda(_, to.Scope(names, body)), operand):
            return Simplification.LAM_APP_LET, to.LetLinear(operand, to.Scope(names, body), keeps=True)
        case to.Projection(i, to.Tuple(components)):
            return Simplification.PAIR_PROJ, components[i - 1]
        case to.Initial(to.Tuple(components)):
            return Simplification.PAIR_PROJ, to.Tuple(components[:-1])
        case to.Last(to.Tuple(components)):
            return Simplification.PAIR_PROJ, components[-1]
        case to.Projection() | to.Initial() | to.Last() if isinstance(t.operand, to.Coprojection | to.Zero):
            return _of_sparse(t, t.operand)
        case to.Extend(to.Coprojection() | to.Zero() as s, r):
            return Simplification.COPROJECTION, to.Extend(dense(s), r)
        case to.Extend(to.Initial(s), to.Last(r)) if is_cheap(s) and s == r:
            return Simplification.PAIR_ETA, s
        case to.Extend(to.Tuple(components), r):
            return Simplification.PAIR_ETA, to.Tuple((*components, r))
        case to.Let(bound, to.Scope((x, y), to.Tuple((to.Variable(a), to.Variable(b))))) if (x, y) == (a, b):
            return Simplification.PAIR_ETA, bound
        case to.Case(to.Inject(side, _, s), left, right):
            return Simplification.SUM_BETA, to.Let(s, left if side == 1 else right)
        case to.LinearOut(side, _, to.LinearInject(other, _, s)) if side == other:
            return Simplification.SUM_BETA, s
        case to.Plus() | to.Scale():
            return _of_monoid(t)
        case to.Projection() | to.Initial() | to.Last() | to.LinearCall() | to.Call():
            return _floated(t)
        case to.Differential():
            expanded = _expanded(t, supply)
            return None if expanded is None else (Simplification.DIFFERENTIAL, expanded)
        case _:
            return _of_sums(t, supply)


def dense(t: to.Term) -> to.Term:
    """Return a coprojection, or the zero of a product, as a tuple; other terms are unchanged."""
    match t:
        case to.Coprojection():
            return to.Tuple(_components(t))
        case to.Zero(Product(factors)):
            return to.Tuple(tuple(map(to.Zero, factors)))
        case _:
            return t


def _components(t: to.Tuple | to.Coprojection) -> tuple[to.Term, ...]:
    match t:
        case to.Tuple(components):
            return components
        case to.Coprojection(i, A, s):
            zeros = [to.Zero(B) for B in A.factors]
            return (*zeros[: i - 1], s, *zeros[i:])


def _of_sparse(
    t: to.Projection | to.Initial | to.Last, inner: to.Coprojection | to.Zero
) -> tuple[Simplification, to.Term] | None:
    """Components of coprojections and zeros"""
    whole = product_of(inner.type)
    n = len(whole.factors)
    match t:
        case to.Initial():
            shorter = Product(whole.factors[:-1])
            if isinstance(inner, to.Coprojection) and inner.index < n:
                return Simplification.COPROJECTION, to.Coprojection(inner.index, shorter, inner.operand)
            return Simplification.COPROJECTION, to.Zero(shorter)
        case to.Projection() | to.Last():
            i = t.index if isinstance(t, to.Projection) else n
            if isinstance(inner, to.Coprojection) and inner.index == i:
                return Simplification.COPROJECTION, inner.operand
            return Simplification.COPROJECTION, to.Zero(whole.factors[i - 1])


def _of_monoid(t: to.Plus | to.Scale) -> tuple[Simplification, to.Term] | None:
    """The laws of 0 and +, by components, and ``0 * x``"""
    match t:
        case to.Plus(to.Zero(), s) | to.Plus(s, to.Zero()):
            return Simplification.PLUS_ZERO, s
        case to.Plus(to.Coprojection(i, A, s), to.Coprojection(j, _, r)) if i == j:
            return Simplification.PLUS_PAIR, to.Coprojection(i, A, to.Plus(s, r))
        case to.Plus(to.Tuple() | to.Coprojection() as left, to.Tuple() | to.Coprojection() as right):
            return Simplification.PLUS_PAIR, _by_components(left, right)
        case to.Plus(to.Plus(s, to.Tuple() | to.Coprojection() as left), to.Tuple() | to.Coprojection() as right):
            return Simplification.PLUS_PAIR, to.Plus(s, to.Plus(left, right))
        case to.Plus() | to.Scale():
            return _floated(t)


def _by_components(left: to.Tuple | to.Coprojection, right: to.Tuple | to.Coprojection) -> to.Term:
    """``⟨t1 + s1, …⟩``, without zeros as summands"""
    return to.Tuple(tuple(_sum(s, r) for s, r in zip(_components(left), _components(right), strict=True)))


def _sum(s: to.Term, r: to.Term) -> to.Term:
    if isinstance(s, to.Zero):
        return r
    return s if isinstance(r, to.Zero) else to.Plus(s, r)


def _of_sums(t: to.Term, supply: NameSupply) -> tuple[Simplification, to.Term] | None:
    """Copowers, and sums over arrays"""
    match t:
        case to.Fold(_, to.Single(key, s), to.Scope((x, v), body)):
            inner = to.LetLinear(s, to.Scope((v,), body), keeps=True)
            return Simplification.COPOWER_BETA, to.Let(key, to.Scope((x,), inner))
        case to.Fold(
            A, to.LinearSum(n, _, to.LinearZipWith(_, arrays, s, to.Scope(names, to.Single(key, r)))), to.Scope((x, v), body)
        ):
            inner = to.Let(key, to.Scope((x,), to.LetLinear(r, to.Scope((v,), body), keeps=True)))
            return Simplification.SUM_SINGLETON, to.LinearSum(n, A, to.LinearZipWith(n, arrays, s, to.Scope(names, inner)))
        case to.LinearSum(n, Product(types), to.LinearZipWith(_, arrays, s, to.Scope(_, to.Tuple())) as each) if is_cheap(
            s
        ) and all(map(is_cheap, arrays)):
            return Simplification.SUM_ZIP, _split_sum(n, types, each, supply)
        case to.LinearZipWith(_, _, _, to.Scope(names, to.Coprojection() as body)):
            return Simplification.COPROJECTION, replace(t, scope=to.Scope(names, dense(body)))
        case to.MapDifferential(Mode.REVERSE, _, _, to.Scope(names, to.Coprojection() | to.Zero() as body)):
            return Simplification.COPROJECTION, replace(t, scope=to.Scope(names, dense(body)))
        case to.Fold(A, to.Zero()):
            return Simplification.COPOWER_BETA, to.Zero(A)
        case to.LinearSum(_, A, to.Zero()):
            return Simplification.SUM_ZERO, to.Zero(A)
        case to.LinearZipWith(n, _, _, to.Scope(_, to.Zero(A))):
            return Simplification.MAP_ZERO, to.Zero(vector(n, A))
        case to.LinearReplicate(n, to.Zero(A)):
            return Simplification.MAP_ZERO, to.Zero(vector(n, A))
        case _:
            return None


_OPERANDS: Mapping[type[to.Term], tuple[str, ...]] = {
    to.Plus: ("left", "right"),
    to.Projection: ("operand",),
    to.Initial: ("operand",),
    to.Last: ("operand",),
    to.LinearCall: ("function", "operand"),
    to.Call: ("function",),
    to.Scale: ("operand",),
}
"""The fields from which a ``let`` is moved out."""


def _floated(t: to.Term) -> tuple[Simplification, to.Term] | None:
    """Move ``let`` out of an operand, and simplify ``0 * x`` and ``1 * x``."""
    for field in _OPERANDS[type(t)]:
        inner = getattr(t, field)
        if isinstance(inner, to.Let | to.LetLinear):
            rule = Simplification.PLUS_LET if isinstance(t, to.Plus) else Simplification.LET_PROJ
            return rule, _around(inner, replace(t, **{field: inner.scope.body}))
    match t:
        case to.Scale(_, to.Zero()):
            return Simplification.ALGEBRA, to.Zero(NUMBER)
        case to.Scale(to.Apply(operation), s) if not operation.domain and float(operation.name) in (0.0, 1.0):
            return Simplification.ALGEBRA, to.Zero(NUMBER) if float(operation.name) == 0.0 else s
        case _:
            return None


def _around(let: to.Let | to.LetLinear, t: to.Term) -> to.Term:
    """Return the ``let`` with another body."""
    scope = to.Scope(let.scope.names, t)
    return to.Let(let.bound, scope) if isinstance(let, to.Let) else to.LetLinear(let.bound, scope, keeps=True)


def _expanded(t: to.Differential, supply: NameSupply) -> to.Term | None:
    """Return ``Dop(t, …; s)`` as products with partial derivatives, sums and copies; ``None`` if it stays as it is."""
    operation, operand = t.operation, t.operand
    if not is_cheap(operand) and not (t.mode is Mode.FORWARD and isinstance(operand, to.Tuple)):
        v = supply.fresh("v")
        inner = _expanded(replace(t, operand=to.LinearVariable(v)), supply)
        return None if inner is None else to.LetLinear(operand, to.Scope((v,), inner), keeps=True)
    forward, n = t.mode is Mode.FORWARD, operation.domain[0] if operation.domain else 0
    if operation.partials:
        if not all(map(is_cheap, t.arguments)):
            return None
        environment = dict(zip(operation.arguments, t.arguments, strict=True))
        factors = [_translated(d, environment) for d in operation.partials]
        if not forward:
            pulled = tuple(to.Scale(factor, operand) for factor in factors)
            return pulled[0] if len(pulled) == 1 else to.Tuple(pulled)
        has_tuple = len(factors) > 1
        pushed: list[to.Term] = [
            to.Scale(factor, to.Projection(i, operand) if has_tuple else operand) for i, factor in enumerate(factors, 1)
        ]
        return pushed[0] if not has_tuple else to.Plus(pushed[0], pushed[1])
    match operation.name:
        case "sum":
            return to.LinearSum(n, NUMBER, operand) if forward else to.LinearReplicate(n, operand)
        case name if name.startswith("replicate"):
            m = operation.codomain
            return to.LinearReplicate(m, operand) if forward else to.LinearSum(m, NUMBER, operand)
        case name if name.startswith("["):
            i = int(name[1:-1])
            return to.Slice(i, i + 1, n, operand) if forward else to.Place(i, i + 1, n, NUMBER, operand)
        case _:
            return None


def _translated(M: core.Term, environment: dict[str, to.Term]) -> to.Term:
    """Return a partial derivative as a target term, with terms for its variables."""
    match M:
        case core.Variable(x):
            return environment[x]
        case core.Constant(c):
            return to.Apply(operations.constant(c), ())
        case core.Apply(symbol, arguments):
            return to.Apply(operations.scalar(symbol), tuple(_translated(N, environment) for N in arguments))
        case _:
            raise KernelBug("a partial derivative consists of operations on numbers")


def _split_map(d: to.MapDifferential, v: to.Term, supply: NameSupply) -> to.Term:
    """``Dmapᵗ(x v. ⟨t1, …, tn, s⟩, z, r) • v``, as a sum for each entry of the context and a map for the array"""
    if not isinstance(d.scope.body, to.Tuple) or not isinstance(d.context, Product):
        raise KernelBug("the body of Dmapᵗ is a tuple of a context and a number")
    *items, last = d.scope.body.components
    if not is_cheap(v):
        w = supply.fresh("v")
        return to.LetLinear(v, to.Scope((w,), _split_map(d, to.LinearVariable(w), supply)), keeps=True)
    each = to.LinearZipWith(d.size, (d.array,), v, to.Scope(d.scope.names, to.Tuple(tuple(items))))
    of_array = renamed(to.LinearZipWith(d.size, (d.array,), v, to.Scope(d.scope.names, last)), supply)
    return to.Plus(_split_sum(d.size, d.context.factors, each, supply), to.LinearCall(d.rest, of_array))


def _split_sum(n: int, types: tuple[AnyType, ...], each: to.LinearZipWith, supply: NameSupply) -> to.Term:
    """``⟨sum (zipWith(x v. t1, s, r)), …⟩`` for ``sum (zipWith(x v. ⟨t1, …⟩, s, r))``"""
    if not isinstance(each.scope.body, to.Tuple):
        raise KernelBug("a sum of tuples was expected")
    items = [replace(each, scope=to.Scope(each.scope.names, s)) for s in each.scope.body.components]
    sums = [to.LinearSum(n, A, renamed(item, supply)) for A, item in zip(types, items, strict=True)]
    return to.Tuple(tuple(sums))
