"""A second evaluator of the target: ``(Γ; v : L ⊢ t : M)ᵀ = Γ ⊢ tᵀ : LFun(L, M)`` by abstract types (CHAD §9.1–9.2, Fig. 8).

Each linear term is built from the functions of ``LinearFunctions``, without its variable. ``LFun(L, M)`` is implemented as a
function and ``Copower(A, L)`` as a list of pairs. No other code constructs or inspects them, so every ``LFun`` is a
homomorphism and the order of the list is not observable. The recursion is as deep as the term.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, cast

from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import AnyType, Mode
from rh_kernel.ad.chad.values import Bag, Counters, TargetValue, array_of, items_of, plus, zero
from rh_kernel.ad.language.values import Injection
from rh_kernel.source.diagnostic import KernelBug

Environment: TypeAlias = dict[str, TargetValue]
Function: TypeAlias = Callable[[TargetValue], TargetValue]


@dataclass(frozen=True, slots=True, eq=False)
class LFun:
    """A linear function."""

    _run: Function

    def __call__(self, argument: TargetValue) -> TargetValue:
        """Return the image of a linear value."""
        return self._run(argument)


@dataclass(frozen=True, slots=True)
class LinearFunctions:
    """The operations of the abstract types; ``counters`` count zeros and additions."""

    counters: Counters

    def identity(self) -> LFun:
        """``lid : LFun(L, L)``"""
        return LFun(lambda v: v)

    def then(self, f: LFun, g: LFun) -> LFun:
        """``f ;ₗ g : LFun(L, N)``"""
        return LFun(lambda v: g(f(v)))

    def operation(self, run: Function) -> LFun:
        """``lop(t, …)``, for a linear function"""
        return LFun(run)

    def zero(self, A: AnyType) -> LFun:
        """``0 : LFun(L, A)``"""
        return LFun(lambda _: zero(A, self.counters))

    def plus(self, f: LFun, g: LFun) -> LFun:
        """``f + g``"""
        return LFun(lambda v: plus(f(v), g(v), self.counters))

    def pair(self, functions: Sequence[LFun]) -> LFun:
        """``lpair(f, …) : LFun(L, M1 × …)``"""
        return LFun(lambda v: tuple([f(v) for f in functions]))

    def component(self, i: int) -> LFun:
        """``lfst`` and ``lsnd``: component i, from 1"""
        return LFun(lambda v: v[i - 1])

    def swap(self, f: Callable[[TargetValue], LFun]) -> LFun:
        """``lswap f : LFun(L, A → M)`` for ``f : A → LFun(L, M)``"""
        return LFun(lambda v: partial(_at, f, v))

    def evaluation(self, x: TargetValue) -> LFun:
        """``leval_x : LFun(A → L, L)``"""
        return LFun(lambda h: h(x))

    def single(self, x: TargetValue) -> LFun:
        """``{(x, −)} : LFun(L, Copower(A, L))``"""
        return LFun(lambda v: Bag(((x, v),)))

    def fold(self, A: AnyType, f: Callable[[TargetValue], LFun]) -> LFun:
        """``lcopowfold f : LFun(Copower(B, L), A)`` for ``f : B → LFun(L, A)``"""
        return LFun(lambda bag: self._sum(A, [f(x)(v) for x, v in bag.items]))

    def each(self, n: int, f: Callable[[int], LFun]) -> LFun:
        """``LFun(L^n, M^n)`` from a linear function for each entry"""
        return LFun(lambda v: array_of([f(i)(w) for i, w in enumerate(items_of(n, v))]))

    def sum(self, n: int, A: AnyType) -> LFun:
        """``LFun(A^n, A)``"""
        return LFun(lambda v: self._sum(A, items_of(n, v)))

    def _sum(self, A: AnyType, values: Sequence[TargetValue]) -> TargetValue:
        total = zero(A, self.counters)
        for v in reversed(values):
            total = plus(v, total, self.counters)
        return total


def _at(f: Callable[[TargetValue], LFun], v: TargetValue, x: TargetValue) -> TargetValue:
    return f(x)(v)


class Abstraction:
    """The translation; ``counters`` count as in ``evaluation``."""

    def __init__(self, counters: Counters) -> None:
        self.counters, self.api = counters, LinearFunctions(counters)

    def value(self, t: to.Term, gamma: Environment) -> TargetValue:
        """Return the value of a Cartesian term."""
        match t:
            case to.Variable(x):
                return gamma[x]
            case to.Let(bound, scope):
                return self.value(scope.body, self._let(bound, scope, gamma))
            case to.Apply(operation, arguments):
                return operation.apply(tuple([self.value(s, gamma) for s in arguments]), self.counters)
            case to.Tuple(components):
                return tuple([self.value(s, gamma) for s in components])
            case to.Projection(i, s):
                return self.value(s, gamma)[i - 1]
            case to.Initial(s):
                return self.value(s, gamma)[:-1]
            case to.Last(s):
                return self.value(s, gamma)[-1]
            case to.Extend(s, r):
                return (*self.value(s, gamma), self.value(r, gamma))
            case to.Lambda(_, scope):
                return partial(self._called, scope, gamma)
            case to.Call(s, r):
                return self.value(s, gamma)(self.value(r, gamma))
            case to.LinearLambda(_, scope):
                return self.linear(scope.body, gamma)
            case to.Inject(side, _, s):
                return Injection(side, self.value(s, gamma))
            case to.Sign(s, r):
                return Injection(1 if self.value(s, gamma) <= self.value(r, gamma) else 2, ())
            case to.Case(s, left, right):
                return self.value(*self._branch(s, left, right, gamma))
            case _:
                return self._array(t, gamma)

    def _called(self, scope: to.Scope, gamma: Environment, x: TargetValue) -> TargetValue:
        return self.value(scope.body, self._under(scope, (x,), gamma))

    def _let(self, bound: to.Term, scope: to.Scope, gamma: Environment) -> Environment:
        V = self.value(bound, gamma)
        return {**gamma, **dict(zip(scope.names, (V,) if len(scope.names) == 1 else V, strict=True))}

    def _branch(self, s: to.Term, left: to.Scope, right: to.Scope, gamma: Environment) -> tuple[to.Term, Environment]:
        V = cast(Injection, self.value(s, gamma))
        scope = left if V.side == 1 else right
        return scope.body, {**gamma, scope.names[0]: V.value}

    def _array(self, t: to.Term, gamma: Environment) -> TargetValue:
        match t:
            case to.Map(n, scope, arrays):
                rows = zip(*self._rows(n, arrays, gamma), strict=True)
                return array_of([self.value(scope.body, self._under(scope, row, gamma)) for row in rows])
            case to.Indices(n):
                return array_of([float(i) for i in range(n)])
            case to.Prepend(n, s, r):
                V = self.value(s, gamma)
                return array_of([V, *items_of(n, self.value(r, gamma))])
            case to.Accumulate(n, start, array, scope):
                V, kept = self.value(start, gamma), list[TargetValue]()
                for x in items_of(n, self.value(array, gamma)):
                    V, W = self.value(scope.body, self._under(scope, (V, x), gamma))
                    kept.append(W)
                return V, array_of(kept)
            case to.MapDifferential(mode, n, array, scope, rest, context):
                rows, r = items_of(n, self.value(array, gamma)), cast(LFun, self.value(rest, gamma))

                def step(i: int) -> LFun:
                    return self.linear(scope.body, self._under(scope, (rows[i],), gamma))

                if mode is Mode.FORWARD:
                    alongside = self.api.operation(lambda v: array_of([(*v, w) for w in items_of(n, r(v))]))
                    return self.api.then(alongside, self.api.each(n, step))
                both = self.api.each(n, step)
                of_context = self._chain(both, self._each(n, lambda q: q[:-1]), self.api.sum(n, context))
                return self.api.plus(of_context, self._chain(both, self._each(n, lambda q: q[-1]), r))
            case _:
                raise KernelBug("not a Cartesian term")

    def linear(self, t: to.Term, gamma: Environment) -> LFun:
        """``tᵀ``"""
        api = self.api
        match t:
            case to.LinearVariable():
                return api.identity()
            case to.Let(bound, scope):
                return self.linear(scope.body, self._let(bound, scope, gamma))
            case to.LetLinear(bound, scope, keeps) if not keeps:
                return api.then(self.linear(bound, gamma), self.linear(scope.body, gamma))
            case to.Differential(mode, operation, arguments, s):
                point = tuple([self.value(r, gamma) for r in arguments])
                run = partial(_jvp if mode is Mode.FORWARD else _vjp, operation, point, self.counters)
                return api.then(self.linear(s, gamma), api.operation(run))
            case to.Tuple(components):
                return api.pair([self.linear(s, gamma) for s in components])
            case to.Projection(i, s):
                return api.then(self.linear(s, gamma), api.component(i))
            case to.Coprojection(i, A, s):
                zeros = [api.zero(B) for B in A.factors]
                return api.pair([*zeros[: i - 1], self.linear(s, gamma), *zeros[i:]])
            case to.Initial(s):
                return api.then(self.linear(s, gamma), api.operation(lambda v: v[:-1]))
            case to.Last(s):
                return api.then(self.linear(s, gamma), api.operation(lambda v: v[-1]))
            case to.Extend(s, r):
                both = api.pair([self.linear(s, gamma), self.linear(r, gamma)])
                return api.then(both, api.operation(lambda v: (*v[0], v[1])))
            case to.Lambda(_, scope):
                return api.swap(lambda x: self.linear(scope.body, self._under(scope, (x,), gamma)))
            case to.Call(s, r):
                return api.then(self.linear(s, gamma), api.evaluation(self.value(r, gamma)))
            case to.LinearCall(s, r):
                return api.then(self.linear(r, gamma), cast(LFun, self.value(s, gamma)))
            case to.Single(s, r):
                return api.then(self.linear(r, gamma), api.single(self.value(s, gamma)))
            case to.Fold(A, s, scope):
                folded = api.fold(A, lambda x: self.linear(scope.body, self._under(scope, (x,), gamma)))
                return api.then(self.linear(s, gamma), folded)
            case to.Zero(A):
                return api.zero(A)
            case to.Plus(s, r):
                return api.plus(self.linear(s, gamma), self.linear(r, gamma))
            case to.Case(s, left, right):
                return self.linear(*self._branch(s, left, right, gamma))
            case _:
                return self._linear_array(t, gamma)

    def _linear_array(self, t: to.Term, gamma: Environment) -> LFun:
        api = self.api
        match t:
            case to.LinearInject(side, _, s):
                return api.then(self.linear(s, gamma), api.operation(partial(Injection, side)))
            case to.LinearOut(_, A, s):
                out = api.operation(lambda v: zero(A, self.counters) if v is None else v.value)
                return api.then(self.linear(s, gamma), out)
            case to.LinearZipWith(n, arrays, s, scope):
                rows = list(zip(*self._rows(n, arrays, gamma), strict=True)) or [()] * n

                def step(i: int) -> LFun:
                    return self.linear(scope.body, self._under(scope, rows[i], gamma))

                return api.then(self.linear(s, gamma), api.each(n, step))
            case to.LinearSum(n, A, s):
                return api.then(self.linear(s, gamma), api.sum(n, A))
            case to.LinearReplicate(n, s):
                return api.then(self.linear(s, gamma), api.operation(lambda v: array_of([v] * n)))
            case to.LinearZip(n, s):
                return api.then(self.linear(s, gamma), api.operation(partial(_zipped, n)))
            case to.Slice(i, j, n, s):
                return api.then(self.linear(s, gamma), api.operation(lambda v: array_of(items_of(n, v)[i:j])))
            case to.Place(i, j, n, A, s):

                def place(v: TargetValue) -> TargetValue:
                    inner = items_of(j - i, v)
                    return array_of([inner[k - i] if i <= k < j else zero(A, self.counters) for k in range(n)])

                return api.then(self.linear(s, gamma), api.operation(place))
            case to.LinearAccumulate(mode, n, array, s, scope):
                rows = items_of(n, self.value(array, gamma))
                steps = [self.linear(scope.body, self._under(scope, (row,), gamma)) for row in rows]
                return api.then(self.linear(s, gamma), api.operation(partial(_accumulated, mode, n, steps)))
            case _:
                raise KernelBug("not a linear term, or one that shares")

    def _rows(self, n: int, arrays: tuple[to.Term, ...], gamma: Environment) -> list[tuple[TargetValue, ...]]:
        return [items_of(n, self.value(s, gamma)) for s in arrays]

    def _under(self, scope: to.Scope, values: tuple[TargetValue, ...], gamma: Environment) -> Environment:
        """Extend the environment; a linear variable at the end of the names has no value."""
        return {**gamma, **dict(zip(scope.names, values, strict=False))}

    def _each(self, n: int, run: Callable[[TargetValue], TargetValue]) -> LFun:
        return self.api.each(n, lambda _: self.api.operation(run))

    def _chain(self, *functions: LFun) -> LFun:
        first, *rest = functions
        for f in rest:
            first = self.api.then(first, f)
        return first


def _jvp(operation: TargetValue, point: tuple[TargetValue, ...], counters: Counters, w: TargetValue) -> TargetValue:
    return operation.jvp(point, (w,) if len(point) == 1 else w, counters)


def _vjp(operation: TargetValue, point: tuple[TargetValue, ...], counters: Counters, w: TargetValue) -> TargetValue:
    pulled = operation.vjp(point, w, counters)
    return pulled[0] if len(point) == 1 else pulled


def _zipped(n: int, v: TargetValue) -> TargetValue:
    return array_of(list(zip(items_of(n, v[0]), items_of(n, v[1]), strict=True)))


def _accumulated(mode: Mode, n: int, steps: list[LFun], operand: TargetValue) -> TargetValue:
    V, inputs = operand
    pairs = list(zip(steps, items_of(n, inputs), strict=True))
    kept: list[TargetValue] = []
    for f, incoming in pairs if mode is Mode.FORWARD else reversed(pairs):
        V, W = f((V, incoming))
        kept.append(W)
    return V, array_of(kept if mode is Mode.FORWARD else kept[::-1])
