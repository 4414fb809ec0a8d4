"""Values in a reduction: ``V[ρ]``, closed, with environments ``ρ`` that wait in thunks until somebody reads them.

A value that was written out stays so, and states share it. Nothing here calls itself along values: lists may be long.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.substitution import computation, free, value
from rh_kernel.source.diagnostic import KernelBug


class Several:
    """``(V, …, V)``"""

    __slots__ = ("components", "written")

    def __init__(self, components: tuple["Known", ...]) -> None:
        self.components = components
        self.written: core.Value | None = None


class Data:
    """``K V…``"""

    __slots__ = ("constructor", "fields", "written")

    def __init__(self, constructor: str, fields: tuple["Known", ...] = ()) -> None:
        self.constructor = constructor
        self.fields = fields
        self.written: core.Value | None = None


class Suspended:
    """``{M}[ρ]``"""

    __slots__ = ("rho", "thunk", "written")

    def __init__(self, thunk: core.Thunk, rho: "Environment") -> None:
        self.thunk = thunk
        self.rho = rho
        self.written: core.Value | None = None


class Captured:
    """``{λx. handle 𝓗[return x] with H}``: what a clause gets as k. Subclassed where contexts are known."""

    __slots__ = ("written",)

    def __init__(self) -> None:
        self.written: core.Value | None = None

    def held(self) -> Iterator["Known"]:
        """The values in it."""
        raise NotImplementedError

    def write(self) -> core.Value:
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


def written(V: Known) -> core.Value:
    """The value as a term."""
    write(V)
    return _done(V)


def write(*values: Known) -> None:
    """Have these values written out, those inside of others first."""
    pending: list[Known] = list(values)
    while pending:
        V = pending[-1]
        missing = [] if _is_written(V) else [W for W in _inside(V) if not _is_written(W)]
        if missing:
            pending += missing
            continue
        pending.pop()
        match V:
            case Several(components=inside) if V.written is None:
                V.written = core.Tuple(tuple([_done(W) for W in inside]))
            case Data(constructor=K, fields=inside) if V.written is None:
                V.written = core.Constructed(K, tuple([_done(W) for W in inside]))
            case Suspended(thunk=thunk, rho=rho) if V.written is None:
                held = values_of(free(thunk), rho)
                V.written = value(thunk, {x: _done(W) for x, W in held.items()}, closed=True)
            case Captured() if V.written is None:
                V.written = V.write()
            case core.Literal() | core.Global() | core.Reference() | Several() | Data() | Suspended() | Captured():
                pass


def written_out(M: core.Computation, rho: Environment, bound: str = "") -> core.Computation:
    """``M[ρ]``; the variable ``bound`` is none of those that ρ is about."""
    held = values_of(free(M) - {bound}, rho) if rho is not None else {}
    write(*held.values())
    return computation(M, {x: _done(V) for x, V in held.items()}, closed=True)


def _is_written(V: Known) -> bool:
    return isinstance(V, core.Literal | core.Global | core.Reference) or V.written is not None


def _done(V: Known) -> core.Value:
    if isinstance(V, core.Literal | core.Global | core.Reference):
        return V
    if V.written is None:
        raise KernelBug("a value was to be written by now")
    return V.written


def _inside(V: Known) -> Iterator[Known]:
    match V:
        case core.Literal() | core.Global() | core.Reference():
            return iter(())
        case Several(components=inside) | Data(fields=inside):
            return iter(inside)
        case Suspended(thunk=thunk, rho=rho):
            return iter(values_of(free(thunk), rho).values())
        case Captured():
            return V.held()
