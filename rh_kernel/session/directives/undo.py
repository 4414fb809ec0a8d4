"""``%undo``: how many past sessions are kept, and the message about what was undone."""

from collections.abc import Mapping, Sequence

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import expect_no_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions

MAX_CELLS = 20
"""The most cells that can be undone."""

MAX_BYTES = 1 << 30
"""The most bytes of arrays that are kept for it; beyond that, fewer cells can be undone."""

Heap = Mapping[Location, Array]


def depth(heaps: Sequence[Heap], now: Heap) -> int:
    """Return how many of the last heaps can be kept: their arrays that ``now`` does not share must fit into ``MAX_BYTES``."""
    seen = {id(array) for array in now.values()}
    left, kept = MAX_BYTES, 0
    for heap in reversed(heaps[-MAX_CELLS:]):
        for array in heap.values():
            if id(array) not in seen:
                seen.add(id(array))
                left -= array.nbytes
        if left < 0:
            break
        kept += 1
    return kept


def same_heap(one: Heap, other: Heap) -> bool:
    """Whether two heaps hold identical array objects."""
    return one is other or (len(one) == len(other) and all(other.get(loc) is array for loc, array in one.items()))


def notice(
    now: Definitions,
    then: Definitions,
    heap: Heap,
    earlier: Heap,
    *,
    settings: bool,
    others: Sequence[tuple[Mapping[str, object], Mapping[str, object]]],
) -> str:
    """Return the message about an undone cell; ``others`` are the declarations of other languages, now and then."""
    gone: list[str] = []
    back: list[str] = []
    for new, old in ((_numbers(now), _numbers(then)), *[(_ids(new), _ids(old)) for new, old in others]):
        changed = [name for name in {**new, **old} if new.get(name) != old.get(name)]
        gone += [name for name in changed if name not in old]
        back += [name for name in changed if name in old]
    contents = [loc.name for loc, array in earlier.items() if loc in heap and heap[loc] is not array]
    parts = [f"{', '.join(gone)} no longer declared"] if gone else []
    parts += [f"{', '.join(back)} as before"] if back else []
    parts += [f"the content of {', '.join(contents)} as before"] if contents else []
    parts += ["the settings as before"] if settings else []
    return "undone: " + ("; ".join(parts) or "nothing that can be seen")


def _numbers(definitions: Definitions) -> Mapping[str, int]:
    return {name: declared.number for name, declared in definitions.named.items()}


def _ids(declarations: Mapping[str, object]) -> Mapping[str, int]:
    return {name: id(declaration) for name, declaration in declarations.items()}


@frozen
class Undo(Action):
    """``%undo``, alone in its cell; ``session`` carries it out."""

    span: Span

    def run(self, number: int, state: State) -> Run:
        """Raise ``KernelBug``."""
        raise KernelBug("`%undo` was run as an item of a cell")


def _analyze(item: items.Directive, context: AnalysisContext) -> Undo:
    expect_no_arguments(item)
    return Undo(item.span)


DIRECTIVE = Directive(
    "undo",
    "",
    "undo what the last cell did to names, heap and settings",
    _analyze,
    order=250,
    example="%undo",
    runs_example=False,
    details="""
It must be alone in its cell. Run again, it undoes the cell before that; at most 20, as far as memory allows.
""",
)
