"""Operations ``op : real^n1 × … × real^nk → real^m`` with their derivatives ``Dop`` and ``Dopᵗ`` (CHAD §3, §4).

An operation is a row: what it computes, and the two linear functions at a point. The scalar ones have theirs from the table of
partial derivatives; each array operation has its own here. Work on numbers is counted as everywhere in the laboratory.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias, cast

from rh_kernel.ad.language import core, scalars
from rh_kernel.ad.language.evaluation import OpCounter, evaluate
from rh_kernel.ad.language.values import Value, array, entries

Many: TypeAlias = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """``op``: ``push`` is ``Dop(V, …; W, …)``, ``pull`` is ``Dopᵗ(V, …; W)``

    ``partials`` are ``∂ᵢop`` as terms in variables named ``arguments``, of operations on numbers alone.
    """

    name: str
    domain: tuple[int, ...]
    codomain: int
    apply: Callable[[Many, OpCounter], Value] = field(compare=False, repr=False)
    push: Callable[[Many, Many, OpCounter], Value] = field(compare=False, repr=False)
    pull: Callable[[Many, Value, OpCounter], Many] = field(compare=False, repr=False)
    arguments: tuple[str, ...] = field(compare=False, repr=False, default=())
    partials: tuple[core.Term, ...] = field(compare=False, repr=False, default=())


def constant(c: float) -> Operation:
    """``c : 1 → real``"""
    return Operation(repr(c), (), 1, lambda _, __: c, lambda _, __, ___: 0.0, lambda _, __, ___: ())


@cache
def scalar(symbol: str) -> Operation:
    """The operation of a function symbol of numbers."""
    k = scalars.SYMBOLS[symbol]
    names = tuple(f"x{i}" for i in range(1, k + 1))
    point = tuple(core.Variable(x) for x in names)
    partials = tuple(scalars.partial(symbol, i, point) for i in range(1, k + 1))
    scaled = tuple(scalars.applied("mul", d, core.Variable("v")) for d in partials)

    def apply(values: Many, tally: OpCounter) -> Value:
        tally.operations += 1
        return scalars.apply(symbol, *cast(tuple[float, ...], values))

    def push(values: Many, tangents: Many, tally: OpCounter) -> Value:
        tally.operations += k - 1
        environment = dict(zip(names, values, strict=True))
        return sum(_number(evaluate(d, {**environment, "v": w}, tally)) for d, w in zip(scaled, tangents, strict=True))

    def pull(values: Many, cotangent: Value, tally: OpCounter) -> Many:
        environment = {**dict(zip(names, values, strict=True)), "v": cotangent}
        return tuple(evaluate(d, environment, tally) for d in scaled)

    return Operation(symbol, (1,) * k, 1, apply, push, pull, names, partials)


@cache
def total(n: int) -> Operation:
    """``sum : real^n → real``"""

    def apply(values: Many, tally: OpCounter) -> Value:
        tally.operations += max(n - 1, 0)
        return float(sum(entries(values[0])))

    def pull(_: Many, cotangent: Value, __: OpCounter) -> Many:
        return (array([_number(cotangent)] * n),)

    return Operation("sum", (n,), 1, apply, lambda _, tangents, tally: apply(tangents, tally), pull)


@cache
def replicate(n: int) -> Operation:
    """``replicate_n : real → real^n``"""

    def pull(_: Many, cotangent: Value, tally: OpCounter) -> Many:
        tally.operations += max(n - 1, 0)
        return (float(sum(entries(cotangent))),)

    def apply(values: Many, _: OpCounter) -> Value:
        return array([_number(values[0])] * n)

    return Operation(f"replicate_{n}", (1,), n, apply, lambda _, tangents, tally: apply(tangents, tally), pull)


@cache
def dot(n: int) -> Operation:
    """``dot : real^n × real^n → real``"""

    def apply(values: Many, tally: OpCounter) -> Value:
        tally.operations += max(2 * n - 1, 0)
        return float(sum(x * y for x, y in zip(entries(values[0]), entries(values[1]), strict=True)))

    def push(values: Many, tangents: Many, tally: OpCounter) -> Value:
        tally.operations += 1
        return _number(apply((values[0], tangents[1]), tally)) + _number(apply((values[1], tangents[0]), tally))

    def pull(values: Many, cotangent: Value, tally: OpCounter) -> Many:
        tally.operations += 2 * n
        w = _number(cotangent)
        return array([w * y for y in entries(values[1])]), array([w * x for x in entries(values[0])])

    return Operation("dot", (n, n), 1, apply, push, pull)


@cache
def index(i: int, n: int) -> Operation:
    """``xs[i] : real^n → real``"""

    def apply(values: Many, _: OpCounter) -> Value:
        return entries(values[0])[i]

    def pull(_: Many, cotangent: Value, __: OpCounter) -> Many:
        return (array([_number(cotangent) if j == i else 0.0 for j in range(n)]),)

    return Operation(f"[{i}]", (n,), 1, apply, lambda _, tangents, tally: apply(tangents, tally), pull)


@cache
def literal(n: int) -> Operation:
    """``[x1, …, xn] : real × … × real → real^n``"""
    return Operation(
        f"array_{n}",
        (1,) * n,
        n,
        lambda values, _: array([_number(x) for x in values]),
        lambda _, tangents, __: array([_number(x) for x in tangents]),
        lambda _, cotangent, __: entries(cotangent),
    )


def _number(V: Value) -> float:
    return cast(float, V)
