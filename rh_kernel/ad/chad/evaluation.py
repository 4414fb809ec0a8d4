"""Call-by-value big-step evaluation of the target language (CHAD §4, Fig. 7); ``case`` runs once for each summand of a copower.

Bound terms and bodies of functions are evaluated in a loop, so programs may be as long, and their derivatives as deep, as
memory allows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, cast

from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import AnyType, Mode
from rh_kernel.ad.chad.values import Bag, Counters, TargetValue, array_of, items_of, plus, zero
from rh_kernel.ad.language.values import Injection
from rh_kernel.source.diagnostic import KernelBug

Function: TypeAlias = Callable[[TargetValue], TargetValue]

Environment: TypeAlias = dict[str, TargetValue]
"""The values of variables. ``let`` updates it in place, which is safe because no two binders have the same name."""


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """``λx. t`` or ``λ̲v. t``, with its environment"""

    scope: to.Scope
    environment: Environment
    counters: Counters

    def __call__(self, argument: TargetValue) -> TargetValue:
        """Return the value of t for this argument."""
        return evaluate(self.scope.body, {**self.environment, self.scope.names[0]: argument}, self.counters)


@dataclass(frozen=True, slots=True, eq=False)
class BackwardClosure:
    """``λ̲v. C``, with its environment"""

    backward: to.Backward
    environment: Environment


def evaluate(t: to.Term, environment: Environment, counters: Counters) -> TargetValue:
    """Return the value of t."""
    waiting: list[tuple[to.Scope, Environment]] = []
    while True:
        counters.visits += 1
        match t:
            case to.Let(bound, scope) | to.LetLinear(bound, scope):
                waiting.append((scope, environment))
                t = bound
                continue
            case to.Call(function, argument) | to.LinearCall(function, argument):
                f = evaluate(function, environment, counters)
                V = evaluate(argument, environment, counters)
                if isinstance(f, Closure):
                    environment = {**f.environment, f.scope.names[0]: V}
                    t = f.scope.body
                    continue
                value = cast(Function, f)(V)
            case to.Case(operand, left, right):
                V = evaluate(operand, environment, counters)
                scope = left if V.side == 1 else right
                environment = {**environment, scope.names[0]: V.value}
                t = scope.body
                continue
            case _:
                value = _value(t, environment, counters)
        if not waiting:
            return value
        scope, environment = waiting.pop()
        if len(scope.names) == 1:
            environment[scope.names[0]] = value
        else:
            environment.update(zip(scope.names, value, strict=True))
        t = scope.body


def _value(t: to.Term, environment: Environment, counters: Counters) -> TargetValue:
    """Return the value of a term that does not continue with another one."""
    match t:
        case to.Variable(x) | to.LinearVariable(x):
            return environment[x]
        case to.Lambda(_, scope) | to.LinearLambda(_, scope):
            return Closure(scope, environment, counters)
        case to.Backward():
            return BackwardClosure(t, environment)
        case to.Tuple(components):
            return tuple([evaluate(s, environment, counters) for s in components])
        case to.Apply(operation, arguments):
            values = tuple([evaluate(s, environment, counters) for s in arguments])
            counters.applied += 1
            return operation.apply(values, counters)
        case to.Projection(i, s):
            return evaluate(s, environment, counters)[i - 1]
        case to.Initial(s):
            return evaluate(s, environment, counters)[:-1]
        case to.Last(s):
            return evaluate(s, environment, counters)[-1]
        case to.Extend(s, r):
            return (*evaluate(s, environment, counters), evaluate(r, environment, counters))
        case to.Inject(side, _, s):
            return Injection(side, evaluate(s, environment, counters))
        case to.Sign(s, r):
            holds = evaluate(s, environment, counters) <= evaluate(r, environment, counters)
            return Injection(1 if holds else 2, ())
        case to.Map() | to.Indices() | to.Prepend() | to.Accumulate():
            return _array(t, environment, counters)
        case to.MapDifferential(mode, n, s, scope, r, context):
            V, f = evaluate(s, environment, counters), evaluate(r, environment, counters)
            run = _reverse_map if mode is Mode.REVERSE else _forward_map
            return partial(run, n, V, _bound(scope, environment, counters), f, context, counters)
        case _:
            return _linear(t, environment, counters)


def _bound(scope: to.Scope, environment: Environment, counters: Counters) -> Callable[..., TargetValue]:
    """Return the body of a scope as a function of the values of its names."""
    return lambda *values: evaluate(scope.body, {**environment, **dict(zip(scope.names, values, strict=True))}, counters)


def _array(t: to.Map | to.Indices | to.Prepend | to.Accumulate, environment: Environment, counters: Counters) -> TargetValue:
    match t:
        case to.Map(n, scope, arrays):
            return _zip_with(n, scope, arrays, environment, counters)
        case to.Indices(n):
            return array_of([float(i) for i in range(n)])
        case to.Prepend(n, s, r):
            V = evaluate(s, environment, counters)
            return array_of([V, *items_of(n, evaluate(r, environment, counters))])
        case to.Accumulate(n, start, array, scope):
            V = evaluate(start, environment, counters)
            kept: list[TargetValue] = []
            counters.visits += n
            for entry in items_of(n, evaluate(array, environment, counters)):
                V, W = _bound(scope, environment, counters)(V, entry)
                kept.append(W)
            return V, array_of(kept)


def _zip_with(
    n: int, scope: to.Scope, arrays: tuple[to.Term, ...], environment: Environment, counters: Counters
) -> TargetValue:
    """``zipWith(x …. t, s, …)``"""
    rows = [items_of(n, evaluate(s, environment, counters)) for s in arrays]
    counters.visits += n
    body = _bound(scope, environment, counters)
    return array_of([body(*entries) for entries in zip(*rows, strict=True)])


def _linear(t: to.Term, environment: Environment, counters: Counters) -> TargetValue:
    match t:
        case to.Zero(A):
            return zero(A, counters)
        case to.Plus(s, r):
            V = evaluate(s, environment, counters)
            return plus(V, evaluate(r, environment, counters), counters)
        case to.Coprojection(i, A, s):
            V = evaluate(s, environment, counters)
            return tuple([V if j == i else zero(B, counters) for j, B in enumerate(A.factors, 1)])
        case to.Differential(mode, operation, arguments, s):
            values = tuple([evaluate(r, environment, counters) for r in arguments])
            W = evaluate(s, environment, counters)
            counters.transposed += 1
            if mode is Mode.FORWARD:
                return operation.jvp(values, (W,) if len(values) == 1 else W, counters)
            pulled = operation.vjp(values, W, counters)
            return pulled[0] if len(values) == 1 else pulled
        case to.Scale(s, r):
            counters.operations += 1
            return evaluate(s, environment, counters) * evaluate(r, environment, counters)
        case to.Single(s, r):
            return Bag(((evaluate(s, environment, counters), evaluate(r, environment, counters)),))
        case to.Fold(A, s, scope):
            items = cast(Bag, evaluate(s, environment, counters)).items
            counters.visits += len(items)
            return _sum(A, tuple([_bound(scope, environment, counters)(*item) for item in items]), counters)
        case to.LinearInject(side, _, s):
            return Injection(side, evaluate(s, environment, counters))
        case to.LinearOut(side, A, s):
            V = cast(Injection | None, evaluate(s, environment, counters))
            if V is None:
                return zero(A, counters)
            if V.side != side:
                raise KernelBug("the cotangent belongs to the other side of the sum")
            return V.value
        case _:
            return _linear_array(t, environment, counters)


def _linear_array(t: to.Term, environment: Environment, counters: Counters) -> TargetValue:
    match t:
        case to.LinearZipWith(n, arrays, operand, scope):
            return _zip_with(n, scope, (*arrays, operand), environment, counters)
        case to.LinearSum(n, A, s):
            return _sum(A, items_of(n, evaluate(s, environment, counters)), counters)
        case to.LinearReplicate(n, s):
            return array_of([evaluate(s, environment, counters)] * n)
        case to.LinearZip(n, s):
            V, W = evaluate(s, environment, counters)
            return array_of(list(zip(items_of(n, V), items_of(n, W), strict=True)))
        case to.Slice(i, j, n, s):
            return array_of(items_of(n, evaluate(s, environment, counters))[i:j])
        case to.Place(i, j, n, A, s):
            V = items_of(j - i, evaluate(s, environment, counters))
            return array_of([V[k - i] if i <= k < j else zero(A, counters) for k in range(n)])
        case to.LinearAccumulate(mode, n, array, operand, scope):
            rows = items_of(n, evaluate(array, environment, counters))
            V, inputs = evaluate(operand, environment, counters)
            counters.visits += n
            kept: list[TargetValue] = []
            pairs = list(zip(rows, items_of(n, inputs), strict=True))
            for entry, incoming in pairs if mode is Mode.FORWARD else reversed(pairs):
                V, W = _bound(scope, environment, counters)(entry, (V, incoming))
                kept.append(W)
            return V, array_of(kept if mode is Mode.FORWARD else kept[::-1])
        case _:
            raise KernelBug("not a linear term")


def _sum(A: AnyType, values: tuple[TargetValue, ...], counters: Counters) -> TargetValue:
    """``V1 + … + Vn``"""
    if not values:
        return zero(A, counters)
    total = values[0]
    for V in values[1:]:
        total = plus(total, V, counters)
    return total


def _reverse_map(
    n: int, V: TargetValue, step: Callable[..., TargetValue], f: Function, context: AnyType, counters: Counters, w: TargetValue
) -> TargetValue:
    """``let q = zipWith(x v. t, s, w) in sum (map fst q) + r • (map snd q)``"""
    counters.visits += n
    q = [step(x, u) for x, u in zip(items_of(n, V), items_of(n, w), strict=True)]
    return plus(_sum(context, tuple(c[:-1] for c in q), counters), f(array_of([c[-1] for c in q])), counters)


def _forward_map(
    n: int, V: TargetValue, step: Callable[..., TargetValue], f: Function, _: AnyType, counters: Counters, w: TargetValue
) -> TargetValue:
    """``zipWith(x x'. t[⟨w, x'⟩], s, r • w)``"""
    counters.visits += n
    return array_of([step(x, (*w, u)) for x, u in zip(items_of(n, V), items_of(n, f(w)), strict=True)])
