"""What to do about an operation that nothing handles (RH Def. 5.10).

Which handlers are around it is read off the command that was evaluated, so that all evaluators say the same.
"""

from collections.abc import Iterator
from dataclasses import replace

from rh_kernel.source.diagnostic import Diagnostic, Note, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.clauses import covers
from rh_kernel.syntax.core import (
    Bind,
    Command,
    Handle,
    Handler,
    Operation,
    OrdinaryHandler,
    Perform,
    Resume,
    Return,
    ReverseHandler,
    RevHandle,
    Term,
)
from rh_kernel.syntax.signature import Location, Pattern
from rh_kernel.syntax.stuck import Unhandled


@frozen
class _Place:
    """An operation with the handlers around it, innermost first, and the handler in whose clause it stands, if it does."""

    operation: Operation
    around: tuple[Handler, ...]
    clause_of: Handler | None


def with_handlers(failure: Stuck, *subjects: Command | Term) -> Stuck:
    """The failure; about an operation that nothing handles it says which handlers are around it in one of the ``subjects``.

    A subject is what was evaluated, with the nets that it uses unfolded.
    """
    return Stuck(*[_told(d, subjects) if isinstance(d, Unhandled) else d for d in failure.diagnostics])


def _told(d: Unhandled, subjects: tuple[Command | Term, ...]) -> Diagnostic:
    places = (place for P in subjects for place in _places(P) if place.operation.span == d.span and _is_open(place))
    place = next((p for p in places if p.operation.family.name == d.operation), None)
    if place is None:
        return d
    if place.around:
        notes = tuple(dict.fromkeys([*_notes(place), *d.notes]))
        return replace(d, hint=_missing(place), notes=notes)
    if place.clause_of is not None:
        hint = "the operations in a clause go to the outer handlers"
        return replace(d, hint=f"{hint}: one of them needs a clause for `{d.operation}`.")
    return d


def _missing(place: _Place) -> str:
    """Which clause the handlers around lack, and how it is written."""
    op, around = place.operation, place.around
    partial = next(((H, found) for H in around if (found := _elsewhere(H, op))), None)
    if partial is not None:
        H, found = partial
        here = f"`{op.family.name}[{', '.join([_shown(i) for i in op.indices])}]`"
        clauses = f"clauses only for {' and '.join(found)}" if len(found) > 1 else f"a clause only for {found[0]}"
        who = _name(H)
        return f"{who[0].upper()}{who[1:]} has {clauses}, but this is {here}. A clause for all locations is {_clause(H, op)}."
    names = list(dict.fromkeys(map(_name, around)))
    who = f"{' and '.join(names)} have" if len(names) > 1 else f"{names[0]} has"
    return f"{who[0].upper()}{who[1:]} no clause for `{op.family.name}`. Add one: {_clause(around[0], op)}."


def _clause(H: Handler, op: Operation) -> str:
    """The head of a clause for all indices, with what its parts give."""
    family = op.family
    indices = f"[{', '.join([p.name for p in family.parameters])}]" if family.parameters else ""
    A, B = family.domain, family.codomain
    if isinstance(H, OrdinaryHandler):
        return f"`{family.name}{indices}(x), k -> Q`, where `k` takes {B}"
    return f"`{family.name}{indices}(x) -> P | y, z -> Q`, where P returns {B} and the data for Q, and Q returns {A}"


def _notes(place: _Place) -> Iterator[Note]:
    """The opening braces of the handlers around, as far as they are written in braces somewhere."""
    seen: set[Span] = set()
    for H in place.around[:2]:
        if H.span is not None and H.span not in seen:
            seen.add(H.span)
            yield Note(span=Span(H.span.source, H.span.start, H.span.start + 1), text=f"the clauses of {_name(H)} begin here")


def _name(H: Handler) -> str:
    return f"`{H.name.partition('(')[0].strip()}`" if H.name else "the handler around it"


def _elsewhere(H: Handler, op: Operation) -> list[str]:
    """The heads of the handler's clauses for other members of the operation's family."""
    patterns = [clause.pattern for clause in H.clauses if clause.pattern.family == op.family]
    return [f"`{op.family.name}[{', '.join([_shown(i) for i in p.indices])}]`" for p in patterns]


def _shown(index: object) -> str:
    match index:
        case Location(name):
            return name
        case str():
            return index
        case _:
            return str(getattr(index, "name", "…"))


def _is_open(place: _Place) -> bool:
    """Whether none of the handlers around has a clause for the operation."""
    return not any(covers(pattern, place.operation) for H in place.around for pattern in _patterns(H))


def _patterns(H: Handler) -> list[Pattern]:
    return [clause.pattern for clause in H.clauses]


def _places(P: Command | Term) -> Iterator[_Place]:
    """Where a command performs operations, in the order in which they are written."""
    pending: list[tuple[object, tuple[Handler, ...], Handler | None]] = [(P, (), None)]
    while pending:
        node, around, clause_of = pending.pop()
        match node:
            case Perform(op):
                yield _Place(op, around, clause_of)
            case Bind(Q, scope):
                pending += ((scope.body, around, clause_of), (Q, around, clause_of))
            case RevHandle(_, scope, H):
                pending += [(body, around, H) for body in reversed(_bodies(H))]
                pending.append((scope.body, (H, *around), clause_of))
            case Handle(Q, H):
                pending += [(body, around, H) for body in reversed(_bodies(H))]
                pending.append((Q, (H, *around), clause_of))
            case Return() | Resume() | _:
                pass


def _bodies(H: Handler) -> list[object]:
    """What the clauses of a handler, the return clause first, perform."""
    match H:
        case ReverseHandler(_, returns, clauses):
            return [returns.body, *(Q.body for c in clauses for Q in (c.forward, c.backward))]
        case OrdinaryHandler(_, _, returns, clauses):
            return [returns.body, *(c.scope.body for c in clauses)]
