"""The operations that a command performs, each with the loops around it, and the locations that are used more than once."""

from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import TypeAlias, cast

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.clauses import ordinary_clause, reverse_clause
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Command,
    Handle,
    IfCommand,
    Index,
    Operation,
    Perform,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
)
from rh_kernel.syntax.dimensions import Dim, DimVar, dim, substitute, variables
from rh_kernel.syntax.sequences import length
from rh_kernel.syntax.signature import Loc, Location, LocationVar, Member, StateOf, member, state_of, within

_TRIED = 10_000
"""The maximum number of combinations of rounds that are looked at for one operation."""


@frozen
class Loop:
    """The rounds ``first, …, count - 1`` of a ``repeat``, or of a ``scan``, which has no ``index``"""

    index: str
    first: int
    count: Dim

    @property
    def word(self) -> str:
        """The word that the loop begins with."""
        return "repeat" if self.index else "scan"


@frozen
class Use:
    """An operation with the loops around it, outermost first, and the branches: numbers of conditionals, and which branch."""

    operation: Operation
    span: Span | None
    loops: tuple[Loop, ...] = ()
    branches: tuple[tuple[int, bool], ...] = ()

    def excludes(self, other: "Use") -> bool:
        """Whether the two are in different branches of one conditional."""
        branches = dict(self.branches)
        return any(branches.get(number, taken) != taken for number, taken in other.branches)


@frozen
class Visit:
    """A use of a location in one round; ``round`` has the number of the innermost round if the use is in a loop"""

    use: Use
    round: int | None


@frozen
class Twice:
    """A location that is used more than once, with its first two uses"""

    location: Index
    first: Visit
    second: Visit


_Around: TypeAlias = tuple[tuple[Loop, ...], tuple[tuple[int, bool], ...]]


def uses(P: Command, numbers: Iterator[int] | None = None) -> Iterator[Use]:
    """The operations that P performs, in the order of the text; handlers inside P replace theirs by what their clauses perform.

    A continuation counts as performed once.
    """
    numbers = count() if numbers is None else numbers
    todo: list[tuple[Command, _Around]] = [(P, ((), ()))]
    while todo:
        P, (loops, branches) = todo.pop()
        match P:
            case Perform(op):
                yield Use(op, P.span or op.span, loops, branches)
            case Bind(bound, scope):
                todo += [(cast(Command, scope.body), (loops, branches)), (bound, (loops, branches))]
            case Repeat(index, first, n, _, scope):
                todo.append((cast(Command, scope.body), ((*loops, Loop(index, first, n)), branches)))
            case Scan(_, scope, source):
                todo.append((cast(Command, scope.body), ((*loops, Loop("", 0, length(source))), branches)))
            case IfCommand(_, _, then, otherwise):
                number = next(numbers)
                branch = [(*branches, (number, taken)) for taken in (False, True)]
                todo += [(otherwise, (loops, branch[0])), (then, (loops, branch[1]))]
            case RevHandle(_, scope, H):
                inner = [(cast(Command, H.returns.body), (loops, branches))]
                for use in uses(cast(Command, scope.body), numbers):
                    around = (*loops, *use.loops), (*branches, *use.branches)
                    inner += [(cast(Command, part.body), around) for part in reverse_clause(H, use.operation)]
                todo += reversed(inner)
            case Handle(command, H):
                inner = [(cast(Command, H.returns.body), (loops, branches))]
                for use in uses(command, numbers):
                    around = (*loops, *use.loops), (*branches, *use.branches)
                    scope = ordinary_clause(H, use.operation)
                    if scope is None:
                        yield Use(use.operation, use.span, *around)
                    else:
                        inner.append((cast(Command, scope.body), around))
                todo += reversed(inner)
            case Return() | Resume() | RH():
                pass


def used_twice(found: list[tuple[Use, Index]]) -> tuple[Twice, ...]:
    """The locations, of those at which the uses need one, that are used more than once, in the order of their second use."""
    if len(found) == 1 and _differs_by_round(*found[0]):
        return ()
    first: dict[Index, Visit] = {}
    twice: dict[Index, Twice] = {}
    for use, location in found:
        for here, visit in islice(_visits(use, location), _TRIED):
            before = first.setdefault(here, visit)
            if before is not visit and here not in twice and not before.use.excludes(use):
                twice[here] = Twice(here, before, visit)
    return tuple(twice.values())


def _differs_by_round(use: Use, location: Index) -> bool:
    """Whether the location is certainly another one in each round: one loop, and ``ws[a * i + b]`` with a number a ≠ 0."""
    match use.loops, location:
        case (), _:
            return True
        case (loop,), StateOf(base=base):
            return _differs_by_round(use, base)
        case (loop,), Member(_, index):
            return [monomial for monomial, _ in index.terms if monomial] == [((DimVar(loop.index), 1),)]
        case _:
            return False


def _visits(use: Use, location: Index) -> Iterator[tuple[Index, Visit]]:
    """The location in each round, in the order of the rounds; of a loop on which it does not depend, in two rounds only."""
    loops = use.loops
    at = within(location) if isinstance(location, Loc) else None
    dims = [*[loop.count for loop in loops], *([at.index] if isinstance(at, Member) else [])]
    mentioned = frozenset([v.name for d in dims for v in variables(d) if isinstance(v, DimVar)])
    for rounds, last in _rounds(loops, mentioned, {}):
        yield _in_round(location, rounds) if isinstance(location, Loc) else location, Visit(use, last)


def _in_round(location: Loc, rounds: Mapping[str, Dim]) -> Loc:
    """The location in the round with these numbers."""
    match location:
        case Member(family, index):
            return member(family, substitute(index, rounds))
        case StateOf(family, base):
            return state_of(family, _in_round(base, rounds))
        case Location() | LocationVar():
            return location


def _rounds(
    loops: tuple[Loop, ...], mentioned: frozenset[str], outer: Mapping[str, Dim]
) -> Iterator[tuple[Mapping[str, Dim], int | None]]:
    """The numbers of the rounds by the indices of the loops, and the number of the innermost round."""
    if not loops:
        yield outer, None
        return
    loop, *rest = loops
    n = substitute(loop.count, outer).constant
    end = loop.first + 2 if n is None else n
    if loop.index not in mentioned:
        end = min(end, loop.first + 2)
    for i in range(loop.first, end):
        for inner, last in _rounds(tuple(rest), mentioned, {**outer, loop.index: dim(i)}):
            yield inner, i if last is None else last
