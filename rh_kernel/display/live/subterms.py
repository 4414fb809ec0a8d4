"""The typing judgment of the subterm or subcommand that is clicked on (RH Fig. 2, 3).

The premises of a judgment are those of the children in order, then those of a handler.
"""

from dataclasses import dataclass

from rh_kernel.display.clipping import DOTS
from rh_kernel.display.live.lines import Position, Region, RenderedLines, triples
from rh_kernel.operational.contexts import Subject
from rh_kernel.syntax.core import RH, Bind, Bound, Let, R, Rd, Repeat, Return, RevHandle, Scope, Term
from rh_kernel.syntax.printing.doc import Typed
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.patterns import open_scope
from rh_kernel.syntax.printing.printer import Path
from rh_kernel.syntax.printing.steps import Marks
from rh_kernel.syntax.traversal import children
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.derivation.derive import derive_command, derive_term


@dataclass(frozen=True, slots=True)
class Judged:
    """Derivations of the visible subterms; ``marks`` maps each subterm to the index of its derivation."""

    marks: Marks
    derivations: tuple[Derivation, ...]


def derive(M: Subject) -> Derivation:
    """Return the derivation of a closed term or command."""
    return derive_term((), M) if isinstance(M, Term) else derive_command((), (), M)


def below(d: Derivation, place: Path) -> Derivation:
    """Return the derivation of the subject at the end of a path."""
    for position in place:
        d = d.premises[position]
    return d


def judged(M: Subject, d: Derivation, marks: Marks) -> Judged:
    """Number the subterms of M with the derivations in ``d``, the derivation of M or of what M is cropped from.

    ``marks`` are those that M is printed with: subterms that a pattern hides stay hidden.
    """
    root = Marks()
    found: list[Derivation] = []
    todo = [(M, d, marks, root)]
    while todo:
        N, of, printed, here = todo.pop()
        here.here = Typed(str(len(found)))
        found.append(of)
        if _is_cut(N):
            continue
        for position, (L, _) in enumerate(children(N)):
            premise, inner, under = of.premises[position], printed.child(position), here.below.setdefault(position, Marks())
            scope = _scope(N, position)
            hidden = 0 if scope is None else _hidden(scope, inner)
            while hidden and isinstance(L, Let | Bind):
                hidden -= 1
                L, premise, inner, under = L.scope.body, premise.premises[1], inner.child(1), under.below.setdefault(1, Marks())
            todo.append((L, premise, inner, under))
    return Judged(root, tuple(found))


def innermost(rendered: RenderedLines, place: Position) -> Region | None:
    """Return the innermost region at a position; of several with the same extent, the outermost.

    In ``x + y``, a position is thus in the sum, and not just in the pair that it is applied to.
    """
    line, column = place
    found: Region | None = None
    for region in rendered.regions:
        if found is not None:
            found = region if (region.start, region.end) == (found.start, found.end) else found
        elif region.start <= place < region.end:
            at = [(start, end) for number, start, end in triples(rendered.ranges(region)) if number == line]
            found = region if any(start <= column < end for start, end in at) else None
    return found


def _is_cut(M: Subject) -> bool:
    """Whether M stands for a part that is not shown."""
    return isinstance(M, Return) and isinstance(M.term, Bound) and M.term.hint == DOTS


def _scope(M: Subject, position: int) -> Scope | None:
    """Return the scope whose body is the child at this position, if any."""
    match M:
        case Let(_, scope) | Bind(_, scope) | RevHandle(_, scope) | RH(_, scope) | Rd(_, scope) | R(_, scope):
            return scope if position == 1 else None
        case Repeat(scope=scope):
            return scope if position == 1 else None
        case _:
            return None


def _hidden(scope: Scope, marks: Marks) -> int:
    """Return the number of lets at the head of the body that are printed as part of a pattern."""
    return open_scope(Names(), scope, marks).pushed - scope.arity
