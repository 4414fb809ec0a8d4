"""Crop large terms and commands to a displayable size: keep a number of lets and handlings, in the order of printing.

If there are few of these, sums and tuples are cut too, after a large number of nodes.

What is kept keeps its position, so paths into the original are valid in the cropped term. Consecutive states of a trace share
most nodes; their sizes and cropped images are cached by identity.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.clipping import DOTS
from rh_kernel.operational.contexts import Subject
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.core import RH, Bind, Bound, Const, Handle, Let, Plus, Proj, Repeat, Return, RevHandle, Tuple, Zero
from rh_kernel.syntax.printing.printer import Path
from rh_kernel.syntax.traversal import children, rebuilt

NODES = 1_000
"""Terms and commands with more nodes are cropped."""

LINKS = 60
"""Lets and handlings that are kept, from the redex on."""

PATTERNS = 120
"""Lets that may print as part of a pattern and are kept in addition."""

SHOWN = 300
"""After this many nodes, no more lets, handlings, sums and tuples are kept, except on the path to the redex."""

STRETCH = 64
"""States that are cropped alike, unless less than a third remains of what the first of them showed."""

SPARE = 64
"""A cached image is reused under more or fewer binders, up to half of this number; everything further out prints as ``…``."""

KNOWN = 50_000
"""Capacity of the cache of sizes."""

_ALONE = frozenset({Bound, Const, Zero})
"""Leaf nodes. A set of classes, since membership is tested for each node of large states."""

_Cutting: TypeAlias = Descent[Subject]

UncroppedState: TypeAlias = tuple[Subject, Path, int]
"""A state, the path to its redex, and the number of variables bound around it."""

_Size: TypeAlias = tuple[int, int, int]
"""The numbers of nodes, of links, and of links that may print as part of a pattern."""


def is_large(M: Subject, most: int | None = None) -> bool:
    """Whether M has more than ``most`` nodes (by default ``NODES``); stops counting there."""
    most = NODES if most is None else most
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


class SizeCache:
    """Decides whether nodes have more than ``most`` descendants, and caches the sizes of those that have not.

    Nodes are cached by identity and kept alive as long as they are cached.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = NODES if most is None else most
        self._known: dict[int, tuple[Subject, _Size]] = {}
        self._large: dict[int, Subject] = {}

    def of(self, M: Subject) -> _Size | None:
        """Return the size of M if it is cached."""
        known = self._known.get(id(M))
        return None if known is None else known[1]

    def is_large(self, M: Subject) -> bool:
        """Whether M is large. Counts up to twice ``most`` nodes, to cache sizes of parts of a very large M too."""
        if len(self._known) + len(self._large) > KNOWN:
            self._known.clear()
            self._large.clear()
        nodes = links = patterns = 0
        todo: list[Subject | tuple[Subject, _Size]] = [M]
        while todo and nodes <= 2 * self._most:
            N = todo.pop()
            if isinstance(N, tuple):
                N, before = N
                self._known[id(N)] = N, (nodes - before[0], links - before[1], patterns - before[2])
            elif id(N) in self._large:
                nodes += 2 * self._most + 1
            elif (known := self._known.get(id(N))) is not None:
                size = known[1]
                nodes, links, patterns = nodes + size[0], links + size[1], patterns + size[2]
            elif type(N) in _ALONE:
                nodes += 1
            else:
                todo.append((N, (nodes, links, patterns)))
                parts = children(N)
                inner = [L for L, _ in reversed(parts) if type(L) not in _ALONE]
                nodes += 1 + len(parts) - len(inner)
                todo += inner
                if _splits(N):
                    patterns += 1
                elif isinstance(N, Let | Bind | RevHandle | RH | Handle | Repeat):
                    links += 1
        for N in todo:
            if isinstance(N, tuple) and nodes - N[1][0] > self._most:
                self._large[id(N[0])] = N[0]
        return nodes > self._most


@dataclass(frozen=True, slots=True)
class _Image:
    """The cropped image of a node for which ``dots`` was the index of ``…``, with its number of links, patterns and nodes."""

    node: Subject
    image: Subject
    dots: int
    links: int
    patterns: int
    nodes: int


@dataclass(frozen=True, slots=True)
class _StretchStart:
    """How the first state of a stretch was cropped: the images of its nodes, and the number of links and patterns kept."""

    images: Mapping[int, _Image]
    left: int


_NO_IMAGES: Mapping[int, _Image] = {}


class StateCropper:
    """Crops the states of a trace. The result depends on the state and on the first state of its stretch."""

    def __init__(self, state: Callable[[int], UncroppedState]) -> None:
        self._state = state
        self._sizes = SizeCache()
        self._first: tuple[int, _StretchStart] | None = None

    def of(self, number: int, uncut: UncroppedState) -> Subject | None:
        """Return the cropped state, or ``None`` if the whole is not large; variables bound outside of it print as ``…``."""
        M, place, binders = uncut
        if not self._sizes.is_large(M):
            return None
        first = self._beginning(number - number % STRETCH)
        if number % STRETCH:
            cropper = _Cropper(self._sizes, first.images)
            found = descend(cropper.cut(M, binders + SPARE // 2, place))
            if not cropper.is_cut or 3 * cropper.left >= first.left:
                return found
        return descend(_Cropper(self._sizes).cut(M, binders + SPARE // 2, place))

    def smaller(self, uncut: UncroppedState) -> Subject:
        """Crop a state again after substituting values into its visible part."""
        M, place, binders = uncut
        return descend(_Cropper(self._sizes).cut(M, binders + SPARE // 2, place)) if self._sizes.is_large(M) else M

    def _beginning(self, number: int) -> _StretchStart:
        if self._first is None or self._first[0] != number:
            M, place, binders = self._state(number)
            cropper = _Cropper(self._sizes)
            if self._sizes.is_large(M):
                descend(cropper.cut(M, binders + SPARE // 2, place))
            self._first = number, _StretchStart(cropper.images, cropper.left)
        return self._first[1]


def crop(M: Subject, place: Path, dots: int) -> Subject:
    """Return M if it is not large, otherwise M with as many links as can be shown, in the order of printing.

    The path ``place`` is kept. The variable ``dots`` of the context stands for what is cut.
    """
    return descend(_Cropper(SizeCache()).cut(M, dots, place)) if is_large(M) else M


class _Cropper:
    def __init__(self, sizes: SizeCache, before: Mapping[int, _Image] = _NO_IMAGES) -> None:
        self.images: dict[int, _Image] = {}
        self.is_cut = False
        self._sizes = sizes
        self._before = before
        self._links, self._patterns, self._nodes = LINKS, PATTERNS, SHOWN

    @property
    def left(self) -> int:
        """The number of links and patterns kept."""
        return min(LINKS - self._links, LINKS) + min(PATTERNS - self._patterns, PATTERNS)

    def cut(self, M: Subject, dots: int, place: Path | None) -> _Cutting:
        """Crop M under binders such that ``…`` has the index ``dots``; ``place`` is ``None`` if no path has to be kept."""
        links, patterns, nodes = self._links, self._patterns, self._nodes
        if place is None:
            found = self._known(M, dots)
            if found is not None:
                return found
            if not self._keeps(M):
                self.is_cut = True
                left_out = Bound(dots, DOTS) if isinstance(M, Let | Plus | Tuple) else Return(Bound(dots, DOTS))
                self.images[id(M)] = _Image(M, left_out, dots, 0, 0, 1)
                return left_out
            self._nodes -= 1
        parts: list[Subject] = []
        for position, (N, count) in enumerate(children(M)):
            if not isinstance(N, Bound | Const | Zero):
                N = yield self.cut(N, dots + count, place[1:] if place and place[0] == position else None)
            else:
                self._nodes -= 1
            parts.append(N)
        image = rebuilt(M, parts)
        if place is None and image is not M:
            used = links - max(self._links, 0), patterns - max(self._patterns, 0), nodes - max(self._nodes, 0)
            self.images[id(M)] = _Image(M, image, dots, *used)
        return image

    def _known(self, M: Subject, dots: int) -> Subject | None:
        """Return the image of M if it is cached, or M itself if its cached size fits."""
        image, size = self._before.get(id(M)), self._sizes.of(M)
        if image is not None and self._links > 0 and self._nodes > 0 and -SPARE // 2 < image.dots - dots < SPARE // 2:
            self.is_cut = True
            self._nodes -= image.nodes
            self._links, self._patterns = self._links - image.links, self._patterns - image.patterns
            return image.image
        if size is None or size[1] > max(self._links, 0) or size[2] > max(self._patterns, 0) or size[0] > self._nodes:
            return None
        self._nodes, self._links, self._patterns = self._nodes - size[0], self._links - size[1], self._patterns - size[2]
        return M

    def _keeps(self, M: Subject) -> bool:
        """Whether the budget allows for M; always if M is neither a link nor a node with several parts."""
        if not isinstance(M, Let | Bind | RevHandle | RH | Handle | Repeat | Plus | Tuple):
            return True
        if self._nodes <= 0:
            return False
        if isinstance(M, Plus | Tuple):
            return True
        if _splits(M):
            self._patterns -= 1
            return self._patterns >= 0
        self._links -= 1
        return self._links >= 0


def _splits(M: Subject) -> bool:
    """Whether M projects a component from a variable, as the lets that print as a pattern do."""
    match M:
        case Let(Proj(_, _, Bound()), _) | Bind(Return(Proj(_, _, Bound())), _):
            return True
        case _:
            return False
