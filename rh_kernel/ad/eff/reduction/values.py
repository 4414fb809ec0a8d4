"""Values in a reduction, ``V[ρ]``: closed, with environments ρ in place of substitutions, which are done on demand.

A value that was converted to a term keeps it, and states share values. No function recurses along values, as lists may be long.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.traversal import computation, free, occurring, value
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.trampoline import Descent, descend


class Detail(Enum):
    """How much of a value its term shows: all, or with ``…`` for large parts.

    Thunks contain thunks: the full term of a value may be larger than all steps together.
    """

    FULL = 0
    SHORT = 1


LARGEST, LARGEST_DATA, LARGEST_FIELD, LARGEST_CONTINUATION = 100, 2_000, 50, 20_000
"""The largest weights of a thunk, of data, of a field of larger data, and of a continuation that a short term shows."""

LONGEST_TEXT = 1_000
"""The most characters of a text in a short term."""

_OMITTED = core.Variable("…")


@dataclass(slots=True, eq=False, repr=False)
class Composite:
    """A value that is converted to a term on demand. ``weight`` is about the number of values in its short term."""

    _full: core.Value | None = field(init=False, default=None)
    _short: core.Value | None = field(init=False, default=None)
    weight: int = field(init=False, default=0)

    def term(self, detail: Detail) -> core.Value | None:
        """The term, if it is known."""
        return self._full if detail is Detail.FULL else self._short

    def keep(self, detail: Detail, term: core.Value) -> None:
        """Store the term."""
        if detail is Detail.FULL:
            self._full = term
        else:
            self._short = term


@dataclass(slots=True, eq=False, repr=False)
class TupleValue(Composite):
    """``(V, …, V)``"""

    components: tuple["RuntimeValue", ...]


@dataclass(slots=True, eq=False, repr=False)
class DataValue(Composite):
    """``K V…``"""

    constructor: str
    fields: tuple["RuntimeValue", ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class Closure(Composite):
    """``{M}[ρ]``"""

    thunk: core.Thunk
    rho: "Environment"


@dataclass(slots=True, eq=False, repr=False)
class Continuation(Composite):
    """``{λx. handle 𝓗[return x] with H}``, which a clause gets as k. It is implemented with contexts (``Resumption``)."""

    def values(self) -> Iterator["RuntimeValue"]:
        """The values in it."""
        raise NotImplementedError

    def thunk(self, detail: Detail) -> core.Value:
        """Its term, when the terms of its values are known."""
        raise NotImplementedError


RuntimeValue: TypeAlias = core.Literal | core.Global | core.Reference | TupleValue | DataValue | Closure | Continuation

Environment: TypeAlias = "tuple[str, RuntimeValue, Environment] | None"
"""The variable that was bound last, its value, and the rest."""

UNIT = TupleValue(())


def _lookup(x: str, rho: Environment) -> RuntimeValue:
    """``ρ(x)``"""
    while rho is not None:
        if rho[0] == x:
            return rho[1]
        rho = rho[2]
    raise KernelBug(f"{x} is free in a term that is reduced")


def evaluated(V: core.Value, rho: Environment) -> RuntimeValue:
    """``V[ρ]``"""
    match V:
        case core.Variable(x):
            return _lookup(x, rho)
        case core.Global() | core.Literal() | core.Reference():
            return V
        case core.Thunk():
            return Closure(V, rho)
        case core.Tuple(()):
            return UNIT
        case core.Tuple() | core.Constructed():
            return descend(_compound(V, rho))


def _compound(V: core.Tuple | core.Constructed, rho: Environment) -> Descent[RuntimeValue]:
    parts: list[RuntimeValue] = []
    for W in V.components if isinstance(V, core.Tuple) else V.fields:
        if isinstance(W, core.Tuple | core.Constructed):
            parts.append((yield _compound(W, rho)))
        else:
            parts.append(evaluated(W, rho))
    return TupleValue(tuple(parts)) if isinstance(V, core.Tuple) else DataValue(V.constructor, tuple(parts))


def values_of(names: Iterable[str], rho: Environment) -> dict[str, RuntimeValue]:
    """The values of those of the variables that ρ binds."""
    wanted = set(names)
    found: dict[str, RuntimeValue] = {}
    while rho is not None and len(found) < len(wanted):
        x, V, rho = rho
        if x in wanted and x not in found:
            found[x] = V
    return found


def term_of(V: RuntimeValue, detail: Detail = Detail.FULL) -> core.Value:
    """The term of a value."""
    _convert(V, detail=detail)
    return _known_term(V, detail)


def closed_term(M: core.Computation, rho: Environment, bound: str = "", detail: Detail = Detail.FULL) -> core.Computation:
    """``M[ρ]``, where ρ does not stand for the variable ``bound``."""
    values = values_of(free(M) - {bound}, rho) if rho is not None else {}
    return computation(M, terms_of(values, detail), closed=True)


def terms_of(values: Mapping[str, RuntimeValue], detail: Detail) -> dict[str, core.Value]:
    """The terms of these values."""
    _convert(*values.values(), detail=detail)
    return {x: _known_term(V, detail) for x, V in values.items()}


def _convert(*values: RuntimeValue, detail: Detail) -> None:
    """Convert values to terms, those inside of others first."""
    pending: list[RuntimeValue] = list(values)
    while pending:
        V = pending[-1]
        if not isinstance(V, Composite) or V.term(detail) is not None:
            pending.pop()
            continue
        missing = [W for W in _inside(V) if isinstance(W, Composite) and W.term(detail) is None]
        if missing:
            pending += missing
            continue
        pending.pop()
        if detail is Detail.SHORT:
            V.weight = _weight(V)
        V.keep(detail, _term(V, detail))


def _term(V: TupleValue | DataValue | Closure | Continuation, detail: Detail) -> core.Value:
    """The term of a value, when those of its parts are known."""
    is_short = detail is Detail.SHORT
    match V:
        case TupleValue(components=inside):
            return core.Tuple(tuple([_known_term(W, detail) for W in inside]))
        case DataValue(constructor=K, fields=inside):
            is_large = is_short and V.weight > LARGEST_DATA
            made = [_OMITTED if is_large and weight(W) > LARGEST_FIELD else _known_term(W, detail) for W in inside]
            V.weight = 1 + LARGEST_FIELD if is_large else V.weight
            return core.Constructed(K, tuple(made))
        case Closure(thunk=thunk, rho=rho):
            if is_short and V.weight > LARGEST:
                V.weight = 1
                return core.Thunk(core.Return(_OMITTED))
            return value(thunk, terms_of(values_of(free(thunk), rho), detail), closed=True)
        case Continuation():
            if is_short and V.weight > LARGEST_CONTINUATION:
                V.weight = 1
                return core.Thunk(core.Return(_OMITTED))
            return V.thunk(detail)


def _weight(V: TupleValue | DataValue | Closure | Continuation) -> int:
    match V:
        case Closure(thunk=thunk, rho=rho):
            times = occurring(thunk)
            return 1 + sum([times[x] * weight(W) for x, W in values_of(times, rho).items()])
        case TupleValue() | DataValue() | Continuation():
            return 1 + sum(map(weight, _inside(V)))


def weight(V: RuntimeValue) -> int:
    """About the number of values in the short term of a value."""
    return V.weight if isinstance(V, Composite) else 1


def _known_term(V: RuntimeValue, detail: Detail) -> core.Value:
    if isinstance(V, core.Literal) and detail is Detail.SHORT and isinstance(V.value, str) and len(V.value) > LONGEST_TEXT:
        return core.Literal(V.value[:LONGEST_TEXT] + "…")
    term = V.term(detail) if isinstance(V, Composite) else V
    if term is None:
        raise KernelBug("the term of a value is not known yet")
    return term


def _inside(V: TupleValue | DataValue | Closure | Continuation) -> Iterator[RuntimeValue]:
    match V:
        case TupleValue(components=inside) | DataValue(fields=inside):
            return iter(inside)
        case Closure(thunk=thunk, rho=rho):
            return iter(values_of(free(thunk), rho).values())
        case Continuation():
            return V.values()
