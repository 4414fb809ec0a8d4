"""The clauses of the handlers of a race side by side, with what differs from the first handler marked, by their trees."""

from collections.abc import Mapping, Sequence

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.differences import differences
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.typing.definitions import Definitions

Marks = tuple[tuple[int, int], ...]


@frozen
class Cell:
    """The source of a clause, its further lines indented as against its first one, and the parts of it that are marked."""

    text: str
    marks: Marks


@frozen
class ClauseRow:
    """The clauses for one operation, or for ``return``: a cell for each handler, ``None`` where it has no such clause."""

    name: str
    cells: tuple[Cell | None, ...]

    @property
    def differs(self) -> bool:
        """Whether the clauses are not the same in all handlers."""
        return None in self.cells or any(cell is not None and cell.marks for cell in self.cells)


@frozen
class Comparison:
    """For each handler what its parameters are, as in ``alpha = 0.1, beta = 0.9``, and a row for each clause."""

    parameters: tuple[str, ...]
    rows: tuple[ClauseRow, ...]

    @property
    def differing(self) -> tuple[ClauseRow, ...]:
        """The rows that are not the same in all handlers."""
        return tuple([row for row in self.rows if row.differs])


def compared(definitions: Definitions, handlers: Sequence[s.HandlerExpr]) -> Comparison:
    """Compare the clauses of these handlers as they are written."""
    found = [_source(definitions, handler) for handler in handlers]
    clauses = [_clauses(literal) for _, literal in found]
    names = list(dict.fromkeys([name for one in clauses for name in one]))
    parameters = [_parameters(handler, names) for handler, (names, _) in zip(handlers, found, strict=True)]
    return Comparison(tuple(parameters), tuple([_row(name, [one.get(name) for one in clauses]) for name in names]))


def _source(definitions: Definitions, handler: s.HandlerExpr) -> tuple[tuple[str, ...], s.HandlerLiteral | None]:
    """The names of the parameters of a handler, and its clauses as they are written where it is declared."""
    if isinstance(handler, s.HandlerLiteral):
        return (), handler
    declared = definitions.named.get(handler.name.text)
    parsed = () if declared is None else parse(Source(handler.name.text, declared.text))
    match parsed:
        case (items.HandlerDeclaration() as item,):
            return tuple([parameter.name.text for parameter in item.parameters]), item.body
        case _:
            return (), None


def _parameters(handler: s.HandlerExpr, names: Sequence[str]) -> str:
    arguments = handler.arguments if isinstance(handler, s.HandlerName) else ()
    if len(names) != len(arguments):
        return ""
    return ", ".join([f"{name} = {argument.span.text}" for name, argument in zip(names, arguments, strict=True)])


def _clauses(literal: s.HandlerLiteral | None) -> Mapping[str, s.Clause]:
    """The clauses by what they are for: the operation, with its indices if it has several clauses."""
    found = () if literal is None else literal.clauses
    heads = [clause.head.text for clause in found if not isinstance(clause, s.ReturnClause)]
    return {
        _name(clause, is_only=not isinstance(clause, s.ReturnClause) and heads.count(clause.head.text) == 1): clause
        for clause in found
    }


def _name(clause: s.Clause, *, is_only: bool) -> str:
    match clause:
        case s.ReturnClause():
            return "return"
        case s.ReverseClause(head, indices) | s.OrdinaryClause(head, indices):
            return head.text if is_only else f"{head.text}[{', '.join([index.span.text for index in indices])}]"


def _row(name: str, clauses: Sequence[s.Clause | None]) -> ClauseRow:
    """Compare each clause with the first one there is."""
    first = next(clause for clause in clauses if clause is not None)
    at = next(n for n, clause in enumerate(clauses) if clause is not None)
    found = [((), ()) if clause is None else differences(first, clause) for clause in clauses]
    ours = tuple(dict.fromkeys([span for left, _ in found for span in left]))
    spans = [ours if n == at else right for n, (_, right) in enumerate(found)]
    cells = [None if clause is None else _cell(clause.span, marks) for clause, marks in zip(clauses, spans, strict=True)]
    return ClauseRow(name, tuple(cells))


def _cell(clause: Span, marks: Sequence[Span]) -> Cell:
    """The text of a clause, without the indentation that all of it has."""
    _, column, _, _ = clause.position
    kept: list[int] = []
    dropping = 0
    for n in range(clause.start, clause.end):
        letter = clause.source.text[n]
        if letter == " " and dropping:
            dropping -= 1
            continue
        kept.append(n)
        dropping = column - 1 if letter == "\n" else 0
    text = "".join([clause.source.text[n] for n in kept])
    before = {n: i for i, n in enumerate(kept)}
    found: list[tuple[int, int]] = []
    for mark in marks:
        inside = [before[n] for n in range(mark.start, mark.end) if n in before]
        if inside:
            found.append((inside[0], inside[-1] + 1))
    return Cell(text, _joined(found))


def _joined(marks: Sequence[tuple[int, int]]) -> Marks:
    """The marks in order, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)
