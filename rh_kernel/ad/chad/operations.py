"""Operations ``op : real^n1 × … × real^nk → real^m`` with their derivatives ``Dop`` and ``Dopᵗ`` (CHAD §3, §4).

An operation has a value and two linear functions at a point. Those of scalar operations come from the table of partial
derivatives; those of array operations are defined here. All of them count operations on numbers in an ``OpCounter``.
"""

from collections.abc import Callable
from dataclasses import field
from functools import cache
from typing import TypeAlias, cast

from rh_kernel.ad.language import core, scalars
from rh_kernel.ad.language.evaluation import OpCounter, evaluate
from rh_kernel.ad.language.values import Value, array, entries
from rh_kernel.source.records import frozen

Values: TypeAlias = tuple[Value, ...]
Apply: TypeAlias = Callable[[Values, OpCounter], Value]
Vjp: TypeAlias = Callable[[Values, Value, OpCounter], Values]


@frozen
class Operation:
    """``op``, with ``Dop(V, …; W, …)`` as ``jvp`` and ``Dopᵗ(V, …; W)`` as ``vjp``

    ``partials`` are the ``∂ᵢop`` of a scalar operation, as terms in variables named ``arguments``.
    """

    name: str
    domain: tuple[int, ...]
    codomain: int
    apply: Apply = field(compare=False, repr=False)
    jvp: Callable[[Values, Values, OpCounter], Value] = field(compare=False, repr=False)
    vjp: Vjp = field(compare=False, repr=False)
    arguments: tuple[str, ...] = field(compare=False, repr=False, default=())
    partials: tuple[core.Term, ...] = field(compare=False, repr=False, default=())


def constant(c: float) -> Operation:
    """``c : 1 → real``"""
    return Operation(repr(c), (), 1, lambda _, __: c, lambda _, __, ___: 0.0, lambda _, __, ___: ())


@cache
def scalar(symbol: str) -> Operation:
    """Return the operation of a function symbol of numbers."""
    k = scalars.SYMBOLS[symbol]
    names = tuple(f"x{i}" for i in range(1, k + 1))
    point = tuple(core.Variable(x) for x in names)
    partials = tuple(scalars.partial(symbol, i, point) for i in range(1, k + 1))
    scaled = tuple(scalars.applied("mul", d, core.Variable("v")) for d in partials)

    def apply(values: Values, counter: OpCounter) -> Value:
        counter.operations += 1
        return scalars.apply(symbol, *cast(tuple[float, ...], values))

    def jvp(values: Values, tangents: Values, counter: OpCounter) -> Value:
        counter.operations += k - 1
        environment = dict(zip(names, values, strict=True))
        return sum(_number(evaluate(d, {**environment, "v": w}, counter)) for d, w in zip(scaled, tangents, strict=True))

    def vjp(values: Values, cotangent: Value, counter: OpCounter) -> Values:
        environment = {**dict(zip(names, values, strict=True)), "v": cotangent}
        return tuple(evaluate(d, environment, counter) for d in scaled)

    return Operation(symbol, (1,) * k, 1, apply, jvp, vjp, names, partials)


def _linear(name: str, domain: tuple[int, ...], codomain: int, apply: Apply, vjp: Vjp) -> Operation:
    """Return a linear operation, which is its own ``Dop``."""
    return Operation(name, domain, codomain, apply, lambda _, tangents, counter: apply(tangents, counter), vjp)


@cache
def total(n: int) -> Operation:
    """``sum : real^n → real``"""

    def apply(values: Values, counter: OpCounter) -> Value:
        counter.operations += max(n - 1, 0)
        return float(sum(entries(values[0])))

    def vjp(_: Values, cotangent: Value, __: OpCounter) -> Values:
        return (array([_number(cotangent)] * n),)

    return _linear("sum", (n,), 1, apply, vjp)


@cache
def replicate(n: int) -> Operation:
    """``replicate_n : real → real^n``"""

    def vjp(_: Values, cotangent: Value, counter: OpCounter) -> Values:
        counter.operations += max(n - 1, 0)
        return (float(sum(entries(cotangent))),)

    def apply(values: Values, _: OpCounter) -> Value:
        return array([_number(values[0])] * n)

    return _linear(f"replicate_{n}", (1,), n, apply, vjp)


@cache
def dot(n: int) -> Operation:
    """``dot : real^n × real^n → real``"""

    def apply(values: Values, counter: OpCounter) -> Value:
        counter.operations += max(2 * n - 1, 0)
        return float(sum(x * y for x, y in zip(entries(values[0]), entries(values[1]), strict=True)))

    def jvp(values: Values, tangents: Values, counter: OpCounter) -> Value:
        counter.operations += 1
        return _number(apply((values[0], tangents[1]), counter)) + _number(apply((values[1], tangents[0]), counter))

    def vjp(values: Values, cotangent: Value, counter: OpCounter) -> Values:
        counter.operations += 2 * n
        w = _number(cotangent)
        return array([w * y for y in entries(values[1])]), array([w * x for x in entries(values[0])])

    return Operation("dot", (n, n), 1, apply, jvp, vjp)


@cache
def index(i: int, n: int) -> Operation:
    """``xs[i] : real^n → real``"""

    def apply(values: Values, _: OpCounter) -> Value:
        return entries(values[0])[i]

    def vjp(_: Values, cotangent: Value, __: OpCounter) -> Values:
        return (array([_number(cotangent) if j == i else 0.0 for j in range(n)]),)

    return _linear(f"[{i}]", (n,), 1, apply, vjp)


@cache
def literal(n: int) -> Operation:
    """``[x1, …, xn] : real × … × real → real^n``"""

    def apply(values: Values, _: OpCounter) -> Value:
        return array([_number(x) for x in values])

    return _linear(f"array_{n}", (1,) * n, n, apply, lambda _, cotangent, __: entries(cotangent))


OperationTerm: TypeAlias = core.Constant | core.Apply | core.Array | core.Total | core.Replicate | core.Index | core.Dot
"""The terms that apply an operation to their subterms."""

LoopTerm: TypeAlias = core.Map | core.Map2 | core.Generate | core.Reduce | core.Foldl | core.Scanl
"""The array terms that bind variables."""


def of_term(M: OperationTerm, sizes: tuple[int, ...]) -> Operation:
    """Return the operation that M applies to its subterms, which are arrays of these sizes."""
    match M:
        case core.Constant(c):
            return constant(c)
        case core.Apply(symbol):
            return scalar(symbol)
        case core.Array():
            return literal(len(sizes))
        case core.Total():
            return total(*sizes)
        case core.Replicate(n):
            return replicate(n)
        case core.Index(_, i):
            return index(i, *sizes)
        case core.Dot():
            return dot(sizes[0])


def _number(V: Value) -> float:
    return cast(float, V)
