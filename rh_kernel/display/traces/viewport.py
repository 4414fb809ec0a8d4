"""The visible part of a term or command in a trace: of a large one, what is around the redex.

What is kept keeps its position, so paths into the original are valid in the cropped term.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from rh_kernel.display.clipping import DOTS
from rh_kernel.display.traces.cropping import crop
from rh_kernel.operational.contexts import Closure, Context, Subject, binders, depth, outline, path, plug
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.core import Bound, Const, Handle, RevHandle, Scope, Term, Zero
from rh_kernel.syntax.printing.commands import command
from rh_kernel.syntax.printing.doc import Doc
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.printer import Path, PrintCache, symbols
from rh_kernel.syntax.printing.steps import UNMARKED, Abbreviation, Marks, PrinterState
from rh_kernel.syntax.printing.terms import Level, term
from rh_kernel.syntax.traversal import children, rebuilt

FRAMES, STRIDE = 8, 12
"""Frames that are shown around the redex; up to ``STRIDE`` more, so that the cut does not move at each step."""

KNOWN = 50_000
"""Capacity of the cache of images."""

_Cutting: TypeAlias = Descent[Subject]


@dataclass(frozen=True, slots=True)
class Viewport:
    """The part ``end[subject]`` of ``K[M]`` that is shown unless it is large, and the path from its root to M.

    In the subject of an uninstantiated closure, variables stand for their values.
    """

    subject: Subject
    path: Path
    end: Context | None

    @property
    def hidden_frames(self) -> int:
        """The number of frames that are not shown."""
        return depth(self.end)

    def within(self, K: Context | None, place: Path) -> Path | None:
        """Translate a path from the hole of K into the viewport; ``None`` if it leads elsewhere.

        The root stands for everything around it.
        """
        if depth(K) >= self.hidden_frames:
            inner = _part(K, self.hidden_frames)
            return (*path(K, inner), *place) if _alike(inner, self.end) else None
        outer = _part(self.end, depth(K))
        if not _alike(outer, K):
            return None
        onwards = path(self.end, outer)
        count = min(len(place), len(onwards))
        return place[len(onwards) :] if place[:count] == onwards[:count] else None


@dataclass(frozen=True, slots=True)
class CroppedViewport:
    """A viewport whose subject has been cropped.

    ``names`` are the variables bound outside of it, the last of them with index 0. A variable called ``…``, outside of these,
    stands for what is cut inside.
    """

    viewport: Viewport
    subject: Subject
    names: tuple[str, ...]


def viewport(K: Context | None, closure: Closure) -> Viewport:
    """Return the viewport of a closure ``K[M]``, without instantiating it."""
    end = _end(K)
    return Viewport(outline(closure, end), path(K, end), end)


def cropped_viewport(K: Context | None, M: Subject) -> CroppedViewport:
    """Return the cropped viewport of ``K[M]``."""
    end = _end(K)
    found, names = Viewport(plug(K, M, end), path(K, end), end), binders(end)
    return CroppedViewport(found, crop(found.subject, found.path, len(names)), names)


def unnamed(M: Subject, known: dict[int, tuple[Subject, Subject]]) -> Subject:
    """Remove the names of handlers so that their clauses are printed, except in ``RH``, where these are too long.

    ``known`` caches the images of nodes.
    """
    if len(known) > KNOWN:
        known.clear()
    return descend(_unnamed(M, known))


def document(
    M: Subject, names: Sequence[str], brevity: Abbreviation, marks: Marks = UNMARKED, memory: PrintCache | None = None
) -> Doc:
    """Return the document of M with free variables called ``names``; variables outside of these print as ``…``."""
    cache = None if memory is None else memory.of_style(brevity)
    visible = Names(symbols(M)) if memory is None or cache is None else cache.names(memory.symbols.of(M))
    name_binders(visible, names, M)
    page = PrinterState(visible, brevity, cache)
    return descend(term(page, M, Level.OPEN, marks) if isinstance(M, Term) else command(page, M, marks))


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
    """Whether two contexts with the same number of frames have the same path."""
    while K is not None and L is not None and K is not L:
        if K.position != L.position:
            return False
        K, L = K.outer, L.outer
    return True


def name_binders(visible: Names, names: Sequence[str], M: Subject | Scope) -> None:
    """Enter the binders around M; variables outside of them print as ``…``."""
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
