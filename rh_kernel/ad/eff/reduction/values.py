"""Values in a reduction: ``V[ρ]``, closed, with environments ``ρ`` that wait in thunks until somebody reads them.

A value that was written out stays so, and states share it. Nothing here calls itself along values: lists may be long.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.traversal import computation, free, occurring, value
from rh_kernel.source.diagnostic import KernelBug


class Manner(Enum):
    """How values are written out: in full, or ``SHORT``, with ``…`` where so much is inside that nobody would read it.

    Thunks hold thunks: what a value is in full may be larger than all steps together.
    """

    FULL = 0
    SHORT = 1


LARGEST, LARGEST_DATA, LARGEST_FIELD, LARGEST_CONTINUATION = 100, 2_000, 50, 20_000
"""So many values may be written in a thunk, in data, in a field of larger data, and in a continuation."""

LONGEST_TEXT = 1_000
"""So many characters of a text are written in short."""

_CUT = core.Variable("…")


class Composite:
    """A value that is written out when somebody asks. ``weight`` is about how many values stand in its short form."""

    __slots__ = ("_full", "_short", "weight")

    def __init__(self) -> None:
        self._full: core.Value | None = None
        self._short: core.Value | None = None
        self.weight = 0

    def form(self, manner: Manner) -> core.Value | None:
        """How it is written, if it was."""
        return self._full if manner is Manner.FULL else self._short

    def keep(self, manner: Manner, form: core.Value) -> None:
        """It is written like that."""
        if manner is Manner.FULL:
            self._full = form
        else:
            self._short = form


class Several(Composite):
    """``(V, …, V)``"""

    __slots__ = ("components",)

    def __init__(self, components: tuple["Known", ...]) -> None:
        super().__init__()
        self.components = components


class Data(Composite):
    """``K V…``"""

    __slots__ = ("constructor", "fields")

    def __init__(self, constructor: str, fields: tuple["Known", ...] = ()) -> None:
        super().__init__()
        self.constructor = constructor
        self.fields = fields


class Suspended(Composite):
    """``{M}[ρ]``"""

    __slots__ = ("rho", "thunk")

    def __init__(self, thunk: core.Thunk, rho: "Environment") -> None:
        super().__init__()
        self.thunk = thunk
        self.rho = rho


class Captured(Composite):
    """``{λx. handle 𝓗[return x] with H}``: what a clause gets as k. Subclassed where contexts are known."""

    __slots__ = ()

    def held(self) -> Iterator["Known"]:
        """The values in it."""
        raise NotImplementedError

    def write(self, manner: Manner) -> core.Value:
        """It as a thunk, when the values in it are written."""
        raise NotImplementedError


Known: TypeAlias = core.Literal | core.Global | core.Reference | Several | Data | Suspended | Captured

Environment: TypeAlias = "tuple[str, Known, Environment] | None"
"""The variable that was bound last, its value, and the rest."""

UNIT = Several(())


def looked_up(x: str, rho: Environment) -> Known:
    """``ρ(x)``"""
    while rho is not None:
        if rho[0] == x:
            return rho[1]
        rho = rho[2]
    raise KernelBug(f"{x} is free in a term that is reduced")


def known(V: core.Value, rho: Environment) -> Known:
    """``V[ρ]``"""
    match V:
        case core.Variable(x):
            return looked_up(x, rho)
        case core.Global() | core.Literal() | core.Reference():
            return V
        case core.Thunk():
            return Suspended(V, rho)
        case core.Tuple(()):
            return UNIT
        case core.Tuple() | core.Constructed():
            return _built(V, rho)


def _built(V: core.Tuple | core.Constructed, rho: Environment) -> Known:
    """Tuples and constructed values, whose last components may be a long chain of such."""
    chain: list[tuple[core.Tuple | core.Constructed, tuple[Known, ...]]] = []
    last: core.Value = V
    while isinstance(last, core.Tuple | core.Constructed):
        inside = last.components if isinstance(last, core.Tuple) else last.fields
        chain.append((last, tuple([known(W, rho) for W in inside[:-1]])))
        if not inside:
            break
        last = inside[-1]
    form = chain[-1][0]
    inside = form.components if isinstance(form, core.Tuple) else form.fields
    behind: tuple[Known, ...] = (known(inside[-1], rho),) if inside else ()
    made: Known = UNIT
    for form, front in reversed(chain):
        parts = (*front, *behind)
        made = Several(parts) if isinstance(form, core.Tuple) else Data(form.constructor, parts)
        behind = (made,)
    return made


def values_of(names: Iterable[str], rho: Environment) -> dict[str, Known]:
    """The values of these variables, for those that ρ has."""
    wanted = set(names)
    found: dict[str, Known] = {}
    while rho is not None and len(found) < len(wanted):
        x, V, rho = rho
        if x in wanted and x not in found:
            found[x] = V
    return found


def written(V: Known, manner: Manner = Manner.FULL) -> core.Value:
    """The value as a term."""
    write(V, manner=manner)
    return _done(V, manner)


def write(*values: Known, manner: Manner) -> None:
    """Have these values written out, those inside of others first."""
    pending: list[Known] = list(values)
    while pending:
        V = pending[-1]
        if not isinstance(V, Composite) or V.form(manner) is not None:
            pending.pop()
            continue
        missing = [W for W in _inside(V) if isinstance(W, Composite) and W.form(manner) is None]
        if missing:
            pending += missing
            continue
        pending.pop()
        if manner is Manner.SHORT:
            V.weight = _weight(V)
        V.keep(manner, _form(V, manner))


def written_out(M: core.Computation, rho: Environment, bound: str = "", manner: Manner = Manner.FULL) -> core.Computation:
    """``M[ρ]``; the variable ``bound`` is none of those that ρ is about."""
    held = values_of(free(M) - {bound}, rho) if rho is not None else {}
    return computation(M, forms(held, manner), closed=True)


def forms(held: Mapping[str, Known], manner: Manner) -> dict[str, core.Value]:
    """These values as terms."""
    write(*held.values(), manner=manner)
    return {x: _done(V, manner) for x, V in held.items()}


def _form(V: Several | Data | Suspended | Captured, manner: Manner) -> core.Value:
    """The value, of which all that is inside is written."""
    is_short = manner is Manner.SHORT
    match V:
        case Several(components=inside):
            return core.Tuple(tuple([_done(W, manner) for W in inside]))
        case Data(constructor=K, fields=inside):
            is_large = is_short and V.weight > LARGEST_DATA
            made = [_CUT if is_large and weight(W) > LARGEST_FIELD else _done(W, manner) for W in inside]
            V.weight = 1 + LARGEST_FIELD if is_large else V.weight
            return core.Constructed(K, tuple(made))
        case Suspended(thunk=thunk, rho=rho):
            if is_short and V.weight > LARGEST:
                V.weight = 1
                return core.Thunk(core.Return(_CUT))
            return value(thunk, forms(values_of(free(thunk), rho), manner), closed=True)
        case Captured():
            if is_short and V.weight > LARGEST_CONTINUATION:
                V.weight = 1
                return core.Thunk(core.Return(_CUT))
            return V.write(manner)


def _weight(V: Several | Data | Suspended | Captured) -> int:
    match V:
        case Several(components=inside) | Data(fields=inside):
            return 1 + sum(map(weight, inside))
        case Suspended(thunk=thunk, rho=rho):
            times = occurring(thunk)
            return 1 + sum([times[x] * weight(W) for x, W in values_of(times, rho).items()])
        case Captured():
            return 1 + sum(map(weight, V.held()))


def weight(V: Known) -> int:
    """About how many values stand in the short form of the value."""
    return V.weight if isinstance(V, Composite) else 1


def _done(V: Known, manner: Manner) -> core.Value:
    if isinstance(V, core.Literal) and manner is Manner.SHORT and isinstance(V.value, str) and len(V.value) > LONGEST_TEXT:
        return core.Literal(V.value[:LONGEST_TEXT] + "…")
    form = V.form(manner) if isinstance(V, Composite) else V
    if form is None:
        raise KernelBug("a value was to be written by now")
    return form


def _inside(V: Several | Data | Suspended | Captured) -> Iterator[Known]:
    match V:
        case Several(components=inside) | Data(fields=inside):
            return iter(inside)
        case Suspended(thunk=thunk, rho=rho):
            return iter(values_of(free(thunk), rho).values())
        case Captured():
            return V.held()
