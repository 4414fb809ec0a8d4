"""Terms and commands as traces show them: of large ones what is around the redex, and handlers without their names.

What is kept stays at its position, so a path to a subtree is the same before and after.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from rh_kernel.display.clipping import DOTS
from rh_kernel.display.marking import children
from rh_kernel.operational.contexts import Context, Subject, binders, path, plug, up_to
from rh_kernel.source.descent import Descent, descend
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Handle,
    Let,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Resume,
    Return,
    RevHandle,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.doc import Doc
from rh_kernel.syntax.printing import Memory, Path, symbols
from rh_kernel.syntax.printing_commands import command
from rh_kernel.syntax.printing_names import Names
from rh_kernel.syntax.printing_steps import UNMARKED, Brevity, Marks, Page
from rh_kernel.syntax.printing_terms import Level, term

NODES = 3_000
"""What has no more nodes is shown whole."""

LINKS = 120
"""Of what has more, so many lets and handlings are shown from the redex on."""

PATTERNS = 240
"""So many lets are shown beside that may be part of a pattern."""

FRAMES, STRIDE = 24, 8
"""Around the redex so many frames are shown, and up to ``STRIDE`` more, so that the cut does not move at each step."""

KNOWN = 50_000
"""The images of so many nodes are remembered."""

_Cutting: TypeAlias = Descent[Subject]


@dataclass(frozen=True, slots=True)
class Scene:
    """``subject`` is ``K[M]`` as far as it is shown; ``path`` leads from its root to M, ``outside`` to its root.

    ``names`` are the variables that are bound outside of it, the last of them with index 0. A variable called ``…``, outside
    of these, stands for what is left out inside.
    """

    subject: Subject
    path: Path
    outside: Path
    names: tuple[str, ...]

    def within(self, place: Path) -> Path | None:
        """A path from the root of the whole as one from the root of what is shown; what is all around goes to the root."""
        count = min(len(place), len(self.outside))
        return place[len(self.outside) :] if place[:count] == self.outside[:count] else None


def scene(K: Context | None, M: Subject) -> Scene:
    """What is shown of ``K[M]``."""
    whole = path(K)
    drop = (len(whole) - FRAMES) // STRIDE * STRIDE if len(whole) > FRAMES + STRIDE else 0
    parts = [*up_to(K, None)] if drop else []
    end = parts[len(whole) - drop] if drop else None
    hints = binders(end)
    return Scene(crop(plug(K, M, end), whole[drop:], len(hints)), whole[drop:], whole[:drop], hints)


def is_large(M: Subject, most: int = NODES) -> bool:
    """Whether M has more than so many nodes; it takes no longer if there are many more."""
    todo = [M]
    count = 0
    while todo:
        N = todo.pop()
        count += 1
        if count > most:
            return True
        match N:
            case Bound() | Const() | Zero():
                pass
            case Let(L, scope) | Bind(L, scope):
                todo += (scope.body, L)
            case _:
                todo += [L for L, _ in children(N)]
    return False


def crop(M: Subject, place: Path, dots: int) -> Subject:
    """M, if it is not large; else as many links as one can look at, in the order in which they are written.

    What leads to ``place`` is kept. The variable ``dots`` of the context stands for what is not.
    """
    return descend(_Cropping().cut(M, dots, place)) if is_large(M) else M


def unnamed(M: Subject, known: dict[int, tuple[Subject, Subject]]) -> Subject:
    """M with handlers that have no names, but for those of ``RH``, which have no room for clauses.

    ``known`` are the images of nodes that were met before.
    """
    if len(known) > KNOWN:
        known.clear()
    return descend(_unnamed(M, known))


def document(M: Subject, names: Sequence[str], brevity: Brevity, marks: Marks = UNMARKED, memory: Memory | None = None) -> Doc:
    """M, whose free variables are called ``names``, and outside of them ``…``."""
    shelf = None if memory is None else memory.shelf(brevity)
    visible = Names(symbols(M)) if memory is None or shelf is None else shelf.names(memory.symbols.of(M))
    name_binders(visible, names, M)
    page = Page(visible, brevity, shelf)
    match M:
        case Bound() | Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Let() | Rd() | R():
            return descend(term(page, M, Level.OPEN, marks))
        case Return() | Perform() | Bind() | RevHandle() | RH() | Handle() | Resume():
            return descend(command(page, M, marks))


def name_binders(visible: Names, names: Sequence[str], M: Subject | Scope) -> None:
    """Go under the binders around M; outside of them are the dots."""
    visible.push(DOTS)
    taken: set[str] = set()
    for name in names:
        visible.push(name if name not in taken else visible.fresh(name, M.loose, taken))
        taken.add(name)


class _Cropping:
    def __init__(self) -> None:
        self._links, self._patterns = LINKS, PATTERNS

    def cut(self, M: Subject, dots: int, place: Path | None) -> _Cutting:
        """M under binders that make the index of ``…`` to be ``dots``; ``place`` is ``None`` where nothing has to be kept."""
        match M:
            case Let() | Bind() | RevHandle() | RH() | Handle() if place is None and not self._keeps(M):
                return Bound(dots, DOTS) if isinstance(M, Let) else Return(Bound(dots, DOTS))
            case _:
                pass
        parts: list[Subject] = []
        for position, (N, count) in enumerate(children(M)):
            if not isinstance(N, Bound | Const | Zero):
                N = yield self.cut(N, dots + count, place[1:] if place and place[0] == position else None)
            parts.append(N)
        return _with(M, parts)

    def _keeps(self, M: Subject) -> bool:
        """Whether there is room for one more link."""
        if _splits(M):
            self._patterns -= 1
            return self._patterns >= 0
        self._links -= 1
        return self._links >= 0


def _splits(M: Subject) -> bool:
    """Whether M takes a component out of a variable, as the lets do that are written as a pattern."""
    match M:
        case Let(Proj(_, _, Bound()), _) | Bind(Return(Proj(_, _, Bound())), _):
            return True
        case _:
            return False


def _unnamed(M: Subject, known: dict[int, tuple[Subject, Subject]]) -> _Cutting:
    found = known.get(id(M))
    if found is not None:
        return found[1]
    parts: list[Subject] = []
    for N, _ in children(M):
        if not isinstance(N, Bound | Const | Zero):
            N = yield _unnamed(N, known)
        parts.append(N)
    image = _with(M, parts)
    match image:
        case RevHandle() if image.handler.name:
            image = replace(image, handler=replace(image.handler, name=""))
        case Handle() if image.handler.name:
            image = replace(image, handler=replace(image.handler, name=""))
        case _:
            pass
    known[id(M)] = M, image
    return image


def _with(M: Subject, parts: Sequence[Subject]) -> Subject:
    """M with other children; M itself if they are the same."""
    if all(part is N for part, (N, _) in zip(parts, children(M), strict=True)):
        return M
    terms, commands = cast(Sequence[Term], parts), cast(Sequence[Command], parts)
    match M:
        case Bound() | Const() | Zero():
            return M
        case Call(f):
            return Call(f, terms[0], span=M.span)
        case Plus():
            return Plus(terms[0], terms[1], span=M.span)
        case Tuple():
            return Tuple(tuple(terms), span=M.span)
        case Proj(i, n):
            return Proj(i, n, terms[0], span=M.span)
        case Let(_, scope):
            return Let(terms[0], _scope(scope, parts[1]), span=M.span)
        case Rd(_, scope):
            return Rd(terms[0], _scope(scope, parts[1]), terms[2], span=M.span)
        case R(_, scope):
            return R(terms[0], _scope(scope, parts[1]), terms[2], span=M.span)
        case Return():
            return Return(terms[0], span=M.span)
        case Perform(op):
            return Perform(op, terms[0], span=M.span)
        case Bind(_, scope):
            return Bind(commands[0], _scope(scope, parts[1]), span=M.span)
        case RevHandle(_, scope, H):
            return RevHandle(terms[0], _scope(scope, parts[1]), H, span=M.span)
        case RH(_, scope, H):
            return RH(terms[0], _scope(scope, parts[1]), H, span=M.span)
        case Handle(_, H):
            return Handle(commands[0], H, span=M.span)
        case Resume(index, hint):
            return Resume(index, hint, terms[0], span=M.span)


def _scope(scope: Scope, body: Subject) -> Scope:
    return scope if body is scope.body else Scope(scope.hints, body, span=scope.span)
