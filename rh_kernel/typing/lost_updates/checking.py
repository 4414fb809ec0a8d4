"""The warning about lost updates in a closed command (LANGUAGE §9).

If a location is used in several rounds or places under a reverse handler, its clause runs once for each use. A clause that puts
back a content made from what it read on the way forward then forgets what the clause has put back at the uses behind.
"""

from collections.abc import Iterator
from typing import cast

from rh_kernel.source.diagnostic import Note
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.binding import specialise
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.clauses import best, static_of
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Command,
    Handle,
    Handler,
    IfCommand,
    Index,
    Perform,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
)
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Location, LocationFamily, LocationFamilyVar, LocationVar, Member, Pattern, StateOf
from rh_kernel.typing.errors import LostUpdate
from rh_kernel.typing.lost_updates.contents import StalePut, stale_puts
from rh_kernel.typing.lost_updates.rewriting import mention_of, rewritten
from rh_kernel.typing.lost_updates.uses import Twice, Use, Visit, used_twice, uses


def lost_updates(P: Command, source: Source) -> tuple[LostUpdate, ...]:
    """The warnings about P, whose text is in ``source``, one for each ``Put`` of a clause."""
    found: dict[Span | None, LostUpdate] = {}
    for handling in _handlings(P):
        for stale, warning in _warnings(handling, source):
            found.setdefault(stale.put.span, warning)
    return tuple(found.values())


def _handlings(P: Command) -> Iterator[RevHandle]:
    """The uses of reverse handlers in P whose ``Get`` and ``Put`` reach the heap."""
    todo = [P]
    while todo:
        match todo.pop():
            case RevHandle(_, scope, H) as handling:
                yield handling
                bodies = [] if _handles_the_heap(H) else [scope.body]
                bodies += [part.body for clause in H.clauses for part in (clause.forward, clause.backward)]
                todo += [cast(Command, body) for body in bodies]
            case Handle(command, H):
                bodies = [] if _handles_the_heap(H) else [command]
                todo += [*bodies, *[cast(Command, clause.scope.body) for clause in H.clauses]]
            case Bind(bound, scope):
                todo += [cast(Command, scope.body), bound]
            case Repeat(scope=scope) | Scan(scope=scope):
                todo.append(cast(Command, scope.body))
            case IfCommand(_, _, then, otherwise):
                todo += [otherwise, then]
            case Return() | Perform() | Resume() | RH():
                pass


def _handles_the_heap(H: Handler) -> bool:
    return any(clause.pattern.family in (GET, PUT) for clause in H.clauses)


def _warnings(handling: RevHandle, source: Source) -> Iterator[tuple[StalePut, LostUpdate]]:
    H = handling.handler
    stale = {i: kept for i, clause in enumerate(H.clauses) if (kept := stale_puts(clause))}
    if not stale:
        return
    patterns = [clause.pattern for clause in H.clauses]
    at: dict[int, list[Use]] = {i: [] for i in stale}
    for use in uses(cast(Command, handling.scope.body)):
        i = best(patterns, use.operation)
        if i in at:
            at[i].append(use)
    for i, puts in stale.items():
        for put in puts:
            visited = [(use, _location(patterns[i], put, use)) for use in at[i]]
            if twice := used_twice(visited):
                yield put, _warning(handling, H.clauses[i].span, put, twice, source)


def _location(pattern: Pattern, stale: StalePut, use: Use) -> Index:
    """Where the clause puts at a use."""
    if isinstance(stale.location, LocationVar) and stale.location.name in pattern.indices:
        return use.operation.indices[pattern.indices.index(stale.location.name)]
    return specialise(stale.put.operation, static_of(pattern, use.operation)).indices[0]


def _warning(handling: RevHandle, clause: Span | None, stale: StalePut, twice: tuple[Twice, ...], source: Source) -> LostUpdate:
    put, name = stale.put.span, mention_of(stale)
    place, notes = put, [*_notes(twice[0])]
    if put is not None and put.source is not source:
        place = handling.span
        notes = [Note(span=put, text=f"this is made from the `{name}` of the way forward"), *notes]
    fix = rewritten(stale, clause)
    hint = f"read the location again on the way back; the old `{name}` is still right for the cotangent of the input"
    where = f"{_listed(twice)} {_where(twice[0])}"
    notes = [note for note in notes if note.span != place]
    return LostUpdate(span=place, where=where, name=name, hint=hint, notes=tuple(notes), fix=fix)


def _listed(twice: tuple[Twice, ...]) -> str:
    first, *others = [f"`{_shown(one.location)}`" for one in twice]
    if not others:
        return f"{first} is used"
    return f"{first} and {others[0] if len(others) == 1 else f'{len(others)} other locations'} are used"


def _shown(location: Index) -> str:
    match location:
        case Location() | LocationVar() | Member() | StateOf() | LocationFamily() | LocationFamilyVar():
            return location.name
        case Dim():
            return str(location)
        case _:
            return "…"


def _where(twice: Twice) -> str:
    first, second = twice.first, twice.second
    if first.use is second.use:
        return f"in several rounds of `{first.use.loops[-1].word}`"
    return "at several places"


def _notes(twice: Twice) -> Iterator[Note]:
    first, second = twice.first, twice.second
    shown = f"`{_shown(twice.location)}`"
    if first.use.span is not None:
        again = f", and again {_round(second)}" if first.use is second.use else ""
        yield Note(span=first.use.span, text=f"{shown} is used here{_in(first)}{again}")
    if second.use.span is not None and second.use.span != first.use.span:
        yield Note(span=second.use.span, text=f"and here{_in(second)}")


def _in(visit: Visit) -> str:
    return f" {_round(visit)}" if visit.round is not None else ""


def _round(visit: Visit) -> str:
    return f"in round {visit.round}"
