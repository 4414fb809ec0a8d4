"""Large terms and commands cut to what one can look at: so many lets and handlings, in the order in which they are written.

Where there are few of these, sums and tuples are cut, once very many nodes are shown.

What is kept stays at its position, so a path to a subtree is the same before and after. The states of a trace are mostly the
same nodes: these are counted once, and what was made of them for one state is there for the ones after it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.clipping import DOTS
from rh_kernel.operational.contexts import Subject
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.core import RH, Bind, Bound, Const, Handle, Let, Plus, Proj, Return, RevHandle, Tuple, Zero
from rh_kernel.syntax.printing.printer import Path
from rh_kernel.syntax.traversal import children, rebuilt

NODES = 1_000
"""What has no more nodes is shown whole."""

LINKS = 60
"""Of what has more, so many lets and handlings are shown from the redex on."""

PATTERNS = 120
"""So many lets are shown beside that may be part of a pattern."""

SHOWN = 300
"""Behind so many nodes no let, no handling, no sum and no tuple is shown; what leads to the redex is shown beside."""

STRETCH = 64
"""For so many states the same is left out, as long as there is a third left of what was shown for the first of them."""

SPARE = 64
"""What was cut under some binders is good under more of them or less, but by half of this: all that is further out is ``…``."""

KNOWN = 50_000
"""The sizes of so many nodes are known."""

_ALONE = frozenset({Bound, Const, Zero})
"""What has no parts. It is asked for each node of large states, and a class is found sooner than it is compared."""

_Cutting: TypeAlias = Descent[Subject]

Uncut: TypeAlias = tuple[Subject, Path, int]
"""A state, the path to its redex, and how many variables are bound around it."""

_Size: TypeAlias = tuple[int, int, int]
"""How many nodes there are, how many links, and how many of those that may be part of a pattern."""


def is_large(M: Subject, most: int | None = None) -> bool:
    """Whether M has more than so many nodes, or than ``NODES``; it takes no longer if there are many more."""
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


class Sizes:
    """Whether nodes are large, with more than ``most`` in them, and how large those are that are not.

    A node is kept as long as that is known.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = NODES if most is None else most
        self._known: dict[int, tuple[Subject, _Size]] = {}
        self._large: dict[int, Subject] = {}

    def of(self, M: Subject) -> _Size | None:
        """The size of M, if it was counted."""
        known = self._known.get(id(M))
        return None if known is None else known[1]

    def is_large(self, M: Subject) -> bool:
        """Whether M is large. Twice as many nodes are counted, so that it is known of parts of a very large M too."""
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
                elif isinstance(N, Let | Bind | RevHandle | RH | Handle):
                    links += 1
        for N in todo:
            if isinstance(N, tuple) and nodes - N[1][0] > self._most:
                self._large[id(N[0])] = N[0]
        return nodes > self._most


@dataclass(frozen=True, slots=True)
class _Image:
    """What a node was cut to, where ``dots`` was the index of ``…``; so many links, patterns and nodes are left in it."""

    node: Subject
    image: Subject
    dots: int
    links: int
    patterns: int
    nodes: int


@dataclass(frozen=True, slots=True)
class _First:
    """How the first state of a stretch was cut: what its nodes became, and how many links and patterns were left."""

    images: Mapping[int, _Image]
    left: int


_NO_IMAGES: Mapping[int, _Image] = {}


class Crops:
    """What is shown of the states of a trace. It depends on the state, and on the one at the beginning of its stretch."""

    def __init__(self, state: Callable[[int], Uncut]) -> None:
        self._state = state
        self._sizes = Sizes()
        self._first: tuple[int, _First] | None = None

    def of(self, number: int, uncut: Uncut) -> Subject | None:
        """What is shown of a state in place of the whole, if it is large; what is bound outside of it stands for ``…``."""
        M, place, binders = uncut
        if not self._sizes.is_large(M):
            return None
        first = self._beginning(number - number % STRETCH)
        if number % STRETCH:
            cropping = _Cropping(self._sizes, first.images)
            found = descend(cropping.cut(M, binders + SPARE // 2, place))
            if not cropping.is_cut or 3 * cropping.left >= first.left:
                return found
        return descend(_Cropping(self._sizes).cut(M, binders + SPARE // 2, place))

    def smaller(self, uncut: Uncut) -> Subject:
        """What is shown of a state of which a part was shown before its values were written in."""
        M, place, binders = uncut
        return descend(_Cropping(self._sizes).cut(M, binders + SPARE // 2, place)) if self._sizes.is_large(M) else M

    def _beginning(self, number: int) -> _First:
        if self._first is None or self._first[0] != number:
            M, place, binders = self._state(number)
            cropping = _Cropping(self._sizes)
            if self._sizes.is_large(M):
                descend(cropping.cut(M, binders + SPARE // 2, place))
            self._first = number, _First(cropping.images, cropping.left)
        return self._first[1]


def crop(M: Subject, place: Path, dots: int) -> Subject:
    """M, if it is not large; else as many links as one can look at, in the order in which they are written.

    What leads to ``place`` is kept. The variable ``dots`` of the context stands for what is not.
    """
    return descend(_Cropping(Sizes()).cut(M, dots, place)) if is_large(M) else M


class _Cropping:
    def __init__(self, sizes: Sizes, before: Mapping[int, _Image] = _NO_IMAGES) -> None:
        self.images: dict[int, _Image] = {}
        self.is_cut = False
        self._sizes = sizes
        self._before = before
        self._links, self._patterns, self._nodes = LINKS, PATTERNS, SHOWN

    @property
    def left(self) -> int:
        """How many links and patterns were left."""
        return min(LINKS - self._links, LINKS) + min(PATTERNS - self._patterns, PATTERNS)

    def cut(self, M: Subject, dots: int, place: Path | None) -> _Cutting:
        """M under binders that make the index of ``…`` to be ``dots``; ``place`` is ``None`` where nothing has to be kept."""
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
        """What M is cut to, if that takes no looking into it."""
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
        """Whether there is room for M; there always is for what neither is a link nor has several parts."""
        if not isinstance(M, Let | Bind | RevHandle | RH | Handle | Plus | Tuple):
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
    """Whether M takes a component out of a variable, as the lets do that are written as a pattern."""
    match M:
        case Let(Proj(_, _, Bound()), _) | Bind(Return(Proj(_, _, Bound())), _):
            return True
        case _:
            return False
