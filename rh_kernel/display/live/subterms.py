"""The type of what one clicks on (RH Fig. 2, 3): each subterm and subcommand of a state with the judgment about it.

A judgment's premises are about the children in their order; what comes after them is about a handler.
"""

from dataclasses import dataclass

from rh_kernel.display.clipping import DOTS
from rh_kernel.display.live.lines import Part, Place, Sheet, triples
from rh_kernel.operational.contexts import Subject
from rh_kernel.syntax.core import RH, Bind, Bound, Let, R, Rd, Return, RevHandle, Scope, Term
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
    """``marks`` has on each subterm that one can see the number of its derivation."""

    marks: Marks
    derivations: tuple[Derivation, ...]


def derive(M: Subject) -> Derivation:
    """The derivation for a closed term or command."""
    return derive_term((), M) if isinstance(M, Term) else derive_command((), (), M)


def below(d: Derivation, place: Path) -> Derivation:
    """The derivation of the subject that ``place`` leads to."""
    for position in place:
        d = d.premises[position]
    return d


def judged(M: Subject, d: Derivation, marks: Marks) -> Judged:
    """The subterms of M with the derivations above ``d``, which is that of M or of what M is cut from.

    M is to be written as it is with ``marks``: what a pattern hides there stays hidden.
    """
    root = Marks()
    found: list[Derivation] = []
    todo = [(M, d, marks, root)]
    while todo:
        N, of, said, here = todo.pop()
        here.here = Typed(str(len(found)))
        found.append(of)
        if _is_cut(N):
            continue
        for position, (L, _) in enumerate(children(N)):
            premise, inner, under = of.premises[position], said.child(position), here.below.setdefault(position, Marks())
            scope = _scope(N, position)
            hidden = 0 if scope is None else _hidden(scope, inner)
            while hidden and isinstance(L, Let | Bind):
                hidden -= 1
                L, premise, inner, under = L.scope.body, premise.premises[1], inner.child(1), under.below.setdefault(1, Marks())
            todo.append((L, premise, inner, under))
    return Judged(root, tuple(found))


def innermost(sheet: Sheet, place: Place) -> Part | None:
    """The innermost part that the place lies in; of several with the same characters the outermost.

    What stands in ``x + y`` is the sum, and not only the pair that it is applied to.
    """
    line, column = place
    found: Part | None = None
    for part in sheet.parts:
        if found is not None:
            found = part if (part.start, part.end) == (found.start, found.end) else found
        elif part.start <= place < part.end:
            at = [(start, end) for number, start, end in triples(sheet.ranges(part)) if number == line]
            found = part if any(start <= column < end for start, end in at) else None
    return found


def _is_cut(M: Subject) -> bool:
    """Whether M only stands for what is not shown."""
    return isinstance(M, Return) and isinstance(M.term, Bound) and M.term.hint == DOTS


def _scope(M: Subject, position: int) -> Scope | None:
    """The scope whose body stands at this position."""
    match M:
        case Let(_, scope) | Bind(_, scope) | RevHandle(_, scope) | RH(_, scope) | Rd(_, scope) | R(_, scope):
            return scope if position == 1 else None
        case _:
            return None


def _hidden(scope: Scope, marks: Marks) -> int:
    """How many lets at the head of the body are written as a pattern."""
    return open_scope(Names(), scope, marks).pushed - scope.arity
