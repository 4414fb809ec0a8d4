"""``%undo``: what a session was before its last cells, and what becomes of it when one of them is undone."""

from collections.abc import Iterable, Mapping, Sequence

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.words import expect_no_words
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions

MOST = 20
"""So many cells can be undone."""

ROOM = 1 << 30
"""What is kept for that may hold so many bytes of arrays; then fewer cells can be."""

Heap = Mapping[Location, Array]


def fitting(heaps: Sequence[Heap], now: Heap) -> int:
    """How many of the heaps, the last of them first, are kept: as many as there is room for what ``now`` does not hold."""
    seen = {id(array) for array in now.values()}
    room, kept = ROOM, 0
    for heap in reversed(heaps[-MOST:]):
        for array in heap.values():
            if id(array) not in seen:
                seen.add(id(array))
                room -= array.nbytes
        if room < 0:
            break
        kept += 1
    return kept


def same_heap(one: Heap, other: Heap) -> bool:
    """Whether two heaps hold the very same arrays."""
    return one is other or (len(one) == len(other) and all(other.get(loc) is array for loc, array in one.items()))


def undone(
    now: Definitions,
    then: Definitions,
    heap: Heap,
    earlier: Heap,
    *,
    settings: bool,
    others: Sequence[tuple[Mapping[str, object], Mapping[str, object]]] = (),
) -> str:
    """What is said about a cell that was undone; ``others`` are what other languages have declared, now and then."""
    names = _changed({n: d.number for n, d in now.named.items()}, {n: d.number for n, d in then.named.items()})
    gone = [name for name in names if name not in then.named]
    back = [name for name in names if name in then.named]
    for new, old in others:
        differing = [name for name in {**new, **old} if new.get(name) is not old.get(name)]
        gone += [name for name in differing if name not in old]
        back += [name for name in differing if name in old]
    changed = [loc.name for loc, array in earlier.items() if loc in heap and heap[loc] is not array]
    parts = [f"{_listed(gone)} no longer declared"] if gone else []
    parts += [f"{_listed(back)} as before"] if back else []
    parts += [f"the content of {_listed(changed)} as before"] if changed else []
    parts += ["the settings as before"] if settings else []
    return "undone: " + ("; ".join(parts) or "nothing that can be seen")


def _changed(one: Mapping[str, int], other: Mapping[str, int]) -> list[str]:
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


@frozen
class Undo(Action):
    """``%undo``, which is a cell by itself: the session does it."""

    span: Span

    def run(self, number: int, state: State) -> Run:
        """It is no step of a cell."""
        raise KernelBug("`%undo` is a cell by itself, and is no step of one")


def _analyze(item: items.Directive, context: AnalysisContext) -> Undo:
    expect_no_words(item)
    return Undo(item.span)


DIRECTIVES = (Directive("undo", "", "undo what the last cell did to names, heap and settings", _analyze),)
