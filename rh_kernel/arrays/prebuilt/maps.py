"""The call for a ``Map``: its body as instructions on strips of numbers, which are views or temporary arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.axes import Axis, axes
from rh_kernel.arrays.prebuilt.call import Call, words
from rh_kernel.arrays.prebuilt.operations import MOVES
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Instruction, Map, Number, Store, View
from rh_kernel.loops.scalars import ScalarOp

MOST_SLOTS = 64
"""The most temporary strips, which are on the stack of the kernel."""
SHORT = 16
"""An innermost axis with fewer entries is swapped with the longest one."""
LOAD, STORE, ZIP, COPY = range(len(MOVES))


def map_call(step: Map, operations: Mapping[ScalarOp, int]) -> Call:
    """Return the call. Raises ``Unsupported`` if the library lacks an operation, or the body needs too many temporaries."""
    arguments, stores = step.arguments, step.stores
    views = (*arguments, *[store.view for store in stores])
    numbers = [operations.get(line.function, -1) for line in step.body if isinstance(line, Instruction)]
    if -1 in numbers:
        raise Unsupported("the prebuilt library lacks a scalar operation")
    layout = _Layout(
        step.shape,
        tuple([view.strides for view in views]),
        tuple([(store.value, store.accumulate) for store in stores]),
        tuple([tuple([k for k, x in enumerate(arguments) if x.buffer == store.view.buffer]) for store in stores]),
        tuple([(i, j) for i, first in enumerate(stores) for j, second in enumerate(stores) if _follows(second, first)]),
    )
    body = tuple(
        [line if isinstance(line, Number) else (operations[line.function] + len(MOVES), *line.arguments) for line in step.body]
    )
    parameters, constants = _parameters(layout, body, operations[scalars.ADD] + len(MOVES))
    return Call("map", parameters, views, constants)


def _follows(second: Store, first: Store) -> bool:
    """Whether each entry of the second store is behind one of the first."""
    there, here = second.view, first.view
    same = (there.buffer, there.strides) == (here.buffer, here.strides) and not first.accumulate and not second.accumulate
    return same and there.offset == here.offset + 1


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the instructions depend on besides the body: the shape, and the strides of the arguments and then of the stores.

    ``stores`` are the values stored and whether they are added; ``readers`` the arguments in the buffer that each is stored in;
    ``pairs`` are stores whose entries are adjacent.
    """

    shape: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    stores: tuple[tuple[int, bool], ...]
    readers: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]


Line = Number | tuple[int, ...]
"""A line of the body: a literal, or the number of an operation and its operands"""


@lru_cache(maxsize=1024)
def _parameters(layout: _Layout, body: tuple[Line, ...], add: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The ``struct map`` of the library, and the constants of the body."""
    outer, inner = _nest(layout)
    code = _Code(layout, body, inner, add)
    code.run()
    return (
        *(len(outer), inner.extent, len(layout.strides), len(code.constants), code.slots, len(code.lines)),
        *words(outer),
        *inner.strides,
        *[word for line in code.lines for word in line],
    ), code.constants


def _nest(layout: _Layout) -> tuple[list[Axis], Axis]:
    """The outer axes, and the one whose entries are computed together."""
    views = [View(0, 0, layout.shape, strides) for strides in layout.strides]
    n = len(views) - len(layout.stores)
    # The views that are written decide the order of the axes, so their strides come first.
    order = [*range(n, len(views)), *range(n)]
    found = [
        Axis(axis.extent, tuple([axis.strides[order.index(i)] for i in range(len(views))]))
        for axis in axes(layout.shape, [views[i] for i in order])
    ]
    if not found:
        return [], Axis(1, (1,) * len(views))
    last = found[-1] if found[-1].extent >= SHORT else max(reversed(found), key=lambda axis: axis.extent)
    found.remove(last)
    return found, last


class _Code:
    """The instructions of a body, with as few temporary strips as possible."""

    def __init__(self, layout: _Layout, body: Sequence[Line], inner: Axis, add: int) -> None:
        self.lines: list[tuple[int, int, int, int]] = []
        self.slots = 0
        self._layout, self._body, self._inner, self._add = layout, body, inner, add
        self._arguments = len(layout.strides) - len(layout.stores)
        self._last = self._last_uses()
        literals = [(k, line) for k, line in enumerate(body, self._arguments) if isinstance(line, Number) and k in self._last]
        numbers = [*dict.fromkeys([line for _, line in literals])]
        self.constants = tuple([number.value for number in numbers])
        self._place = {k: len(layout.strides) + numbers.index(line) for k, line in literals}
        self._fixed = len(layout.strides) + len(numbers)
        self._free: list[int] = []

    def run(self) -> None:
        """Generate the instructions. Raises ``Unsupported`` if there are too many temporaries."""
        self._load()
        stored = self._stored()
        for value, line in enumerate(self._body, self._arguments):
            if value not in self._last or isinstance(line, Number):
                continue
            function, *operands = line
            given = [self._place[k] for k in operands]
            self._release([k for k in dict.fromkeys(operands) if self._last[k] == value])
            self._place[value] = self._arguments + stored[value] if value in stored else self._slot()
            self.lines.append((function, self._place[value], given[0], given[-1]))
        done = {*stored.values()}
        for i, j in self._layout.pairs:
            if not {i, j} & done and self._inner.strides[self._arguments + i] == 2:
                first, second = [self._place[self._layout.stores[k][0]] for k in (i, j)]
                self.lines.append((ZIP, self._arguments + i, first, second))
                done |= {i, j}
        for i, (value, accumulate) in enumerate(self._layout.stores):
            if i not in done:
                self._store(self._arguments + i, self._place[value], accumulate=accumulate)
        if self.slots > MOST_SLOTS:
            raise Unsupported("a step has too many temporaries")

    def _last_uses(self) -> dict[int, int]:
        """The last line that uses each value; those that are stored are used after all lines."""
        found: dict[int, int] = {value: self._arguments + len(self._body) for value, _ in self._layout.stores}
        for at, line in reversed([*enumerate(self._body, self._arguments)]):
            if at in found and not isinstance(line, Number):
                for k in line[1:]:
                    found.setdefault(k, at)
        return found

    def _load(self) -> None:
        """Copy the arguments that are not contiguous, and those that are stored where something is overwritten."""
        stored = {value for value, _ in self._layout.stores}
        overwritten = {k for readers in self._layout.readers for k in readers}
        for k in range(self._arguments):
            if k not in self._last:
                continue
            self._place[k] = k
            if not self._is_adjacent(k) or k in stored & overwritten:
                self._place[k] = self._slot()
                self.lines.append((COPY if self._is_adjacent(k) else LOAD, self._place[k], k, k))

    def _stored(self) -> dict[int, int]:
        """The stores to which values are written as they are computed, as no later line reads what is there."""
        found: dict[int, int] = {}
        for i, (value, accumulate) in enumerate(self._layout.stores):
            if accumulate or value in found or value in self._place:
                continue
            direct = [k for k in self._layout.readers[i] if self._place.get(k) == k]
            if self._is_adjacent(self._arguments + i) and all(self._last[k] <= value for k in direct):
                found[value] = i
        return found

    def _store(self, view: int, value: int, *, accumulate: bool) -> None:
        if self._is_adjacent(view):
            self.lines.append((self._add, view, view, value) if accumulate else (COPY, view, value, value))
            return
        if accumulate:
            total = self._slot()
            self.lines += [(LOAD, total, view, view), (self._add, total, total, value)]
            value = total
            self._free.append(total)
        self.lines.append((STORE, view, value, value))

    def _is_adjacent(self, view: int) -> bool:
        return self._inner.strides[view] == 1

    def _slot(self) -> int:
        if self._free:
            return self._free.pop()
        self.slots += 1
        return self._fixed + self.slots - 1

    def _release(self, values: Sequence[int]) -> None:
        """The temporary strips of these values are free."""
        self._free += [self._place[k] for k in values if self._place[k] >= self._fixed]
