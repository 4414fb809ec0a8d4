"""Terms and commands as traces show them: of large ones what is around the redex, and handlers without their names.

What is kept stays at its position, so a path to a subtree is the same before and after.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.display.clipping import DOTS
from rh_kernel.display.traces.cropping import crop
from rh_kernel.operational.contexts import Closure, Context, Subject, binders, depth, outline, path, plug
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.core import (
    Bound,
    CommandNode,
    Const,
    Handle,
    RevHandle,
    Scope,
    TermNode,
    Zero,
)
from rh_kernel.syntax.printing.commands import command
from rh_kernel.syntax.printing.doc import Doc
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.printer import Path, PrintCache, symbols
from rh_kernel.syntax.printing.steps import UNMARKED, Abbreviation, Marks, PrinterState
from rh_kernel.syntax.printing.terms import Level, term
from rh_kernel.syntax.traversal import children, rebuilt

FRAMES, STRIDE = 8, 12
"""Around the redex so many frames are shown, and up to ``STRIDE`` more, so that the cut does not move at each step."""

KNOWN = 50_000
"""The images of so many nodes are remembered."""

_Cutting: TypeAlias = Descent[Subject]


@dataclass(frozen=True, slots=True)
class Stage:
    """Of ``K[M]`` the part ``end[subject]`` that is shown, if it is not large, and the path from its root to M.

    In the subject of a closure that is not written out yet variables stand where values are to be put in.
    """

    subject: Subject
    path: Path
    end: Context | None

    @property
    def outside(self) -> int:
        """How many frames are not shown."""
        return depth(self.end)

    def within(self, K: Context | None, place: Path) -> Path | None:
        """Where the end of a path that begins at the hole of K is in what is shown; what is all around goes to the root."""
        if depth(K) >= self.outside:
            inner = _part(K, self.outside)
            return (*path(K, inner), *place) if _alike(inner, self.end) else None
        outer = _part(self.end, depth(K))
        if not _alike(outer, K):
            return None
        onwards = path(self.end, outer)
        count = min(len(place), len(onwards))
        return place[len(onwards) :] if place[:count] == onwards[:count] else None


@dataclass(frozen=True, slots=True)
class Scene:
    """A stage as far as it is shown.

    ``names`` are the variables that are bound outside of it, the last of them with index 0. A variable called ``…``, outside
    of these, stands for what is left out inside.
    """

    stage: Stage
    subject: Subject
    names: tuple[str, ...]


def stage(K: Context | None, closure: Closure) -> Stage:
    """What is around ``M``, but not too much of it, where the closure is ``K[M]``; it is not written out."""
    end = _end(K)
    return Stage(outline(closure, end), path(K, end), end)


def scene(K: Context | None, M: Subject) -> Scene:
    """What is shown of ``K[M]``."""
    end = _end(K)
    found, names = Stage(plug(K, M, end), path(K, end), end), binders(end)
    return Scene(found, crop(found.subject, found.path, len(names)), names)


def unnamed(M: Subject, known: dict[int, tuple[Subject, Subject]]) -> Subject:
    """M with handlers that have no names, but for those of ``RH``, which have no room for clauses.

    ``known`` are the images of nodes that were met before.
    """
    if len(known) > KNOWN:
        known.clear()
    return descend(_unnamed(M, known))


def document(
    M: Subject, names: Sequence[str], brevity: Abbreviation, marks: Marks = UNMARKED, memory: PrintCache | None = None
) -> Doc:
    """M, whose free variables are called ``names``, and outside of them ``…``."""
    cache = None if memory is None else memory.of_style(brevity)
    visible = Names(symbols(M)) if memory is None or cache is None else cache.names(memory.symbols.of(M))
    name_binders(visible, names, M)
    page = PrinterState(visible, brevity, cache)
    match M:
        case TermNode():
            return descend(term(page, M, Level.OPEN, marks))
        case CommandNode():
            return descend(command(page, M, marks))


def _end(K: Context | None) -> Context | None:
    """The frames of K that are not shown."""
    whole = depth(K)
    return _part(K, (whole - FRAMES) // STRIDE * STRIDE) if whole > FRAMES + STRIDE else None


def _part(K: Context | None, count: int) -> Context | None:
    """The ``count`` outermost frames of K."""
    for _ in range(depth(K) - count):
        K = None if K is None else K.outer
    return K


def _alike(K: Context | None, L: Context | None) -> bool:
    """Whether the holes of two contexts with as many frames are at the ends of the same path."""
    while K is not None and L is not None and K is not L:
        if K.position != L.position:
            return False
        K, L = K.outer, L.outer
    return True


def name_binders(visible: Names, names: Sequence[str], M: Subject | Scope) -> None:
    """Go under the binders around M; outside of them are the dots."""
    visible.outside = DOTS
    taken: set[str] = set()
    for name in names:
        visible.push(name if name == DOTS or name not in taken else visible.fresh(name, M.loose, taken))
        taken.add(name)


def _unnamed(M: Subject, known: dict[int, tuple[Subject, Subject]]) -> _Cutting:
    found = known.get(id(M))
    if found is not None:
        return found[1]
    parts: list[Subject] = []
    for N, _ in children(M):
        if not isinstance(N, Bound | Const | Zero):
            N = yield _unnamed(N, known)
        parts.append(N)
    image = rebuilt(M, parts)
    match image:
        case RevHandle() if image.handler.name:
            image = replace(image, handler=replace(image.handler, name=""))
        case Handle() if image.handler.name:
            image = replace(image, handler=replace(image.handler, name=""))
        case _:
            pass
    known[id(M)] = M, image
    return image
