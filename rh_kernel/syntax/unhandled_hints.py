"""Hints for operations that nothing handles (RH Def. 5.10).

The handlers enclosing an operation are read off the evaluated command, so that all evaluators give the same hint.
"""

from collections.abc import Iterator
from dataclasses import replace

from rh_kernel.source.diagnostic import Diagnostic, Note, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import core
from rh_kernel.syntax.clauses import covers
from rh_kernel.syntax.runtime_errors import Unhandled
from rh_kernel.syntax.signature import Location, LocationFamily, Pattern


@frozen
class _Place:
    """An operation with its enclosing handlers, innermost first, and the handler whose clause contains it, if any."""

    operation: core.Operation
    around: tuple[core.Handler, ...]
    clause_of: core.Handler | None


def with_handlers(failure: Stuck, *subjects: core.Command | core.Term) -> Stuck:
    """Add to each unhandled operation in ``failure`` the handlers enclosing it, found in one of the ``subjects``.

    A subject is what was evaluated, with its nets unfolded.
    """
    return Stuck(*[_with_hint(d, subjects) if isinstance(d, Unhandled) else d for d in failure.diagnostics])


def _with_hint(d: Unhandled, subjects: tuple[core.Command | core.Term, ...]) -> Diagnostic:
    places = (place for P in subjects for place in _places(P) if place.operation.span == d.span and _is_unhandled(place))
    place = next((p for p in places if p.operation.family.name == d.operation), None)
    if place is None:
        return d
    if place.around:
        notes = tuple(dict.fromkeys([*_notes(place), *d.notes]))
        return replace(d, hint=_hint(place), notes=notes)
    if place.clause_of is not None:
        hint = "the operations in a clause go to the outer handlers"
        return replace(d, hint=f"{hint}: one of them needs a clause for `{d.operation}`.")
    return d


def _hint(place: _Place) -> str:
    """A hint about the clause that the enclosing handlers lack."""
    op, around = place.operation, place.around
    partial = next(((H, found) for H in around if (found := _other_members(H, op))), None)
    if partial is not None:
        H, found = partial
        here = f"`{op.family.name}[{', '.join([_shown(i) for i in op.indices])}]`"
        clauses = f"clauses only for {' and '.join(found)}" if len(found) > 1 else f"a clause only for {found[0]}"
        who = _name(H)
        return f"{who[0].upper()}{who[1:]} has {clauses}, but this is {here}. A clause for all locations is {_clause(H, op)}."
    names = list(dict.fromkeys(map(_name, around)))
    who = f"{' and '.join(names)} have" if len(names) > 1 else f"{names[0]} has"
    return f"{who[0].upper()}{who[1:]} no clause for `{op.family.name}`. Add one: {_clause(around[0], op)}."


def _clause(H: core.Handler, op: core.Operation) -> str:
    """The head of a clause for all indices, with the types of its parts."""
    family = op.family
    indices = f"[{', '.join([p.name for p in family.parameters])}]" if family.parameters else ""
    A, B = family.domain, family.codomain
    if isinstance(H, core.OrdinaryHandler):
        return f"`{family.name}{indices}(x), k -> Q`, where `k` takes {B}"
    return f"`{family.name}{indices}(x) -> P | y, z -> Q`, where P returns {B} and the data for Q, and Q returns {A}"


def _notes(place: _Place) -> Iterator[Note]:
    """Notes at the opening braces of the innermost enclosing handlers, as far as these have a source span."""
    seen: set[Span] = set()
    for H in place.around[:2]:
        if H.span is not None and H.span not in seen:
            seen.add(H.span)
            yield Note(span=Span(H.span.source, H.span.start, H.span.start + 1), text=f"the clauses of {_name(H)} begin here")


def _name(H: core.Handler) -> str:
    return f"`{H.name.partition('(')[0].strip()}`" if H.name else "the handler around it"


def _other_members(H: core.Handler, op: core.Operation) -> list[str]:
    """The heads of the handler's clauses for other members of the same family."""
    patterns = [clause.pattern for clause in H.clauses if clause.pattern.family == op.family]
    return [f"`{op.family.name}[{', '.join([_shown(i) for i in p.indices])}]`" for p in patterns]


def _shown(index: object) -> str:
    match index:
        case Location(name) | LocationFamily(name):
            return name
        case str():
            return index
        case _:
            return str(getattr(index, "name", "…"))


def _is_unhandled(place: _Place) -> bool:
    """Whether none of the enclosing handlers has a clause for the operation."""
    return not any(covers(pattern, place.operation) for H in place.around for pattern in _patterns(H))


def _patterns(H: core.Handler) -> list[Pattern]:
    return [clause.pattern for clause in H.clauses]


def _places(P: core.Command | core.Term) -> Iterator[_Place]:
    """The operations that a command performs, in source order."""
    pending: list[tuple[object, tuple[core.Handler, ...], core.Handler | None]] = [(P, (), None)]
    while pending:
        node, around, clause_of = pending.pop()
        match node:
            case core.Perform(op):
                yield _Place(op, around, clause_of)
            case core.Bind(Q, scope):
                pending += ((scope.body, around, clause_of), (Q, around, clause_of))
            case core.Repeat(scope=scope):
                pending.append((scope.body, around, clause_of))
            case core.RevHandle(_, scope, H):
                pending += [(body, around, H) for body in reversed(_bodies(H))]
                pending.append((scope.body, (H, *around), clause_of))
            case core.Handle(Q, H):
                pending += [(body, around, H) for body in reversed(_bodies(H))]
                pending.append((Q, (H, *around), clause_of))
            case core.Scan(_, scope):
                pending.append((scope.body, around, clause_of))
            case core.IfCommand(_, _, Q, R):
                pending += ((R, around, clause_of), (Q, around, clause_of))
            case core.Return() | core.Resume() | _:
                pass


def _bodies(H: core.Handler) -> list[object]:
    """The bodies of a handler's clauses, the return clause first."""
    match H:
        case core.ReverseHandler(_, returns, clauses):
            return [returns.body, *(Q.body for c in clauses for Q in (c.forward, c.backward))]
        case core.OrdinaryHandler(_, _, returns, clauses):
            return [returns.body, *(c.scope.body for c in clauses)]
