"""The schedule of a ``Contract``: which axis is vectorised, which is tiled in registers, and which factors are packed first.

A tile's accumulators stay in registers during the loops of the sum. The lanes of a vector are either adjacent outputs
(``LANES``) or partial sums of one output, added up at the end (``PARTS``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from math import ceil, gcd, prod

from rh_kernel.arrays.native.axes import Axis, axes, entangled
from rh_kernel.loops.ir import Contract

OUT, LEFT, RIGHT = 0, 1, 2
ONE = Axis(1, (0, 0, 0))
"""An axis of extent 1, where a tile has none."""


NEAR, MIDDLE = 24 << 10, 512 << 10
"""Sizes in bytes that certainly fit the first-level and the second-level cache."""

LINE, WAY, WAYS = 64, 4096, 8
"""The first-level cache: the bytes of a line, the distance in bytes of lines that share a set, and the lines of a set."""

MANY = 64
"""Terms from which on rows may be worth packing."""

MISS = 5.0
"""Cycles that a load from the second-level cache costs if the addresses are too far apart to be prefetched."""


class Form(Enum):
    """What the lanes of a vector are"""

    LANES = auto()
    PARTS = auto()


@dataclass(frozen=True, slots=True)
class Machine:
    """The numbers of lanes per vector and of vector registers, and whether the processor has masked loads.

    ``item`` is the number of bytes per lane.
    """

    lanes: int
    registers: int
    masked: bool = False
    item: int = 8


@dataclass(frozen=True, slots=True)
class Schedule:
    """The loops, from the outside: ``outer``, the blocks of ``vector`` (for ``LANES``), those of ``first`` and ``second``,
    ``sums``, and then ``vector`` (for ``PARTS``).

    A tile has ``rows`` indices of ``first`` and ``columns`` vectors of ``vector``, or indices of ``second``. The factor
    ``packed`` is copied for each block of ``vector``, so that its lanes are contiguous; the factor ``packed_rows`` is copied
    once, so that the numbers of a tile's rows are, too.
    """

    form: Form
    outer: tuple[Axis, ...]
    vector: Axis
    first: Axis
    second: Axis
    sums: tuple[Axis, ...]
    rows: int
    columns: int
    lanes: int
    packed: int | None
    packed_rows: int | None
    cost: float

    @property
    def terms(self) -> int:
        """The number of terms of each sum, or of each lane's partial sum."""
        return prod(axis.extent for axis in self.sums)

    @property
    def panel(self) -> int:
        """The numbers of a packed block, whole cache lines."""
        size = self.terms * self.columns * self.lanes if self.packed is not None else 0
        return -(-size // LINE) * LINE

    @property
    def workspace(self) -> int:
        """The numbers of a packed block and of the packed rows."""
        return self.panel + (self.terms * self.first.extent if self.packed_rows is not None else 0)


def canonical(step: Contract) -> tuple[Axis, ...]:
    """Return the axes of the contraction, with the strides of output, left and right."""
    return axes(step.extents, [step.output, step.left, step.right])


@lru_cache(maxsize=1024)
def schedule(found: tuple[Axis, ...], machine: Machine) -> Schedule:
    """Return the cheapest schedule by a rough count of cycles."""
    return min(_schedules(found, machine), key=lambda s: s.cost)


def _schedules(found: tuple[Axis, ...], machine: Machine) -> Iterator[Schedule]:
    apart = entangled(found, OUT)
    free = without([axis for axis in found if axis.strides[OUT]], *apart)
    sums = tuple([axis for axis in found if not axis.strides[OUT]])
    for vector in [*free, ONE]:
        packed = _packing(vector)
        if packed == ():
            continue
        for first in [axis for axis in without(free, vector) if not _both(axis)] or [ONE]:
            outer = (*without(free, vector, first), *apart)
            for choice in packed:
                # A packed block is shared by all rows.
                if choice is not None and first.strides[choice]:
                    continue
                for rows in {None, _row_factor(vector, first, sums)}:
                    yield from _lanes(outer, vector, first, sums, (choice, rows), machine)
    for vector in sums:
        if all(s in (0, 1) for s in vector.strides):
            rest = tuple(without(sums, vector))
            yield from _parts(apart, free, vector, rest, machine)


def without(found: Sequence[Axis], *gone: Axis) -> list[Axis]:
    """Return the axes without those in ``gone``; of equal axes, remove as many as are gone."""
    left = list(found)
    for axis in gone:
        if axis in left:
            left.remove(axis)
    return left


def _both(axis: Axis) -> bool:
    """Whether both factors depend on the axis, so that a tile along it would not reuse anything."""
    return bool(axis.strides[LEFT]) and bool(axis.strides[RIGHT])


def _row_factor(vector: Axis, first: Axis, sums: tuple[Axis, ...]) -> int | None:
    """The factor of which every tile reads one number for each row and term, if it is worth packing."""
    found = [v for v in (LEFT, RIGHT) if first.strides[v] and not vector.strides[v]]
    return found[0] if found and vector.extent > 1 and prod(axis.extent for axis in sums) >= MANY else None


def _packing(vector: Axis) -> tuple[int | None, ...]:
    """The factors that may be packed to make the lanes contiguous, ``None`` for neither; empty if that cannot be done."""
    steps = vector.strides[LEFT], vector.strides[RIGHT]
    if vector.extent == 1:
        return (None,)
    if 0 in steps and any(steps):
        factor = LEFT if steps[0] else RIGHT
        return (None, factor) if vector.strides[factor] == 1 else (factor,)
    return (None,) if steps in ((1, 1), (0, 0)) else ()


def _blocks(extent: int, size: int) -> list[tuple[int, int]]:
    """Split an axis into blocks: (count, size)."""
    whole, left = divmod(extent, size)
    return [*([(whole, size)] if whole else []), *([(1, left)] if left else [])]


def widths(extent: int, machine: Machine, lanes: int) -> list[int]:
    """Split so many numbers into vectors: full ones, then powers of two or one masked vector.

    >>> widths(21, Machine(8, 32), 8), widths(21, Machine(8, 32, masked=True), 8), widths(20, Machine(8, 32, masked=True), 8)
    ([8, 8, 4, 1], [8, 8, 5], [8, 8, 4])
    """
    found = [lanes] * (extent // lanes)
    left = extent % lanes
    powers = [w for w in (8, 4, 2, 1) if left & w]
    return found + ([left] if machine.masked and lanes == machine.lanes and len(powers) > 1 else powers)


def _variety(across: Axis, width: int, down: Axis, height: int) -> float:
    """A penalty for tiles of other sizes at the edges, which are more code to compile."""
    return 1 + 0.03 * (len(_blocks(across.extent, width)) * len(_blocks(down.extent, height)) - 1)


def _sizes(extent: int, most: int) -> list[int]:
    """Candidate tile sizes: those that give even blocks."""
    return sorted({ceil(extent / blocks) for blocks in {ceil(extent / size) for size in range(1, min(extent, most) + 1)}})


def _lanes(
    outer: tuple[Axis, ...],
    vector: Axis,
    first: Axis,
    sums: tuple[Axis, ...],
    packed: tuple[int | None, int | None],
    machine: Machine,
) -> Iterator[Schedule]:
    lanes = machine.lanes if vector.extent > 1 else 1
    terms = prod(axis.extent for axis in sums)
    for columns in range(1, 5):
        if columns > 1 and (columns - 1) * lanes >= vector.extent:
            break
        for rows in _sizes(first.extent, 14):
            if rows * columns > machine.registers * 3 // 4 or rows * columns + columns + 2 > machine.registers:
                continue
            s = Schedule(Form.LANES, outer, vector, first, ONE, sums, rows, columns, lanes, *packed, 0.0)
            cost = _packing_rows(s, machine)
            for across, width in _blocks(vector.extent, columns * lanes):
                n = len(widths(width, machine, lanes))
                for down, height in _blocks(first.extent, rows):
                    tile = _tile(terms, height * n, _loads(s, height, n, terms, machine))
                    tile += height * (1.5 * n if vector.strides[OUT] == 1 else 3 * width) + 4
                    cost += across * down * tile
                cost += across * _beginning(s, width, n, terms, machine)
            cost *= _variety(vector, columns * lanes, first, rows) * prod(axis.extent for axis in outer)
            yield replace(s, cost=cost)


def _fetching(entries: int, machine: Machine) -> float:
    """Cycles to load a vector from data of that size that is traversed repeatedly, by the cache level it fits."""
    size = entries * machine.item
    return 0.5 if size <= NEAR else 1.6 if size <= MIDDLE else 2.5


def _loads(s: Schedule, height: int, columns: int, terms: int, machine: Machine) -> float:
    """Cycles to load the factors for one term. Vectors often straddle cache lines, those of a packed factor do not."""
    total = 0.0
    for factor in (LEFT, RIGHT):
        rows = height if s.first.strides[factor] else 1
        if s.vector.strides[factor]:
            panel = _fetching(terms * s.columns * s.lanes * (s.rows if rows > 1 else 1), machine)
            far = 0.0 if s.packed == factor or terms < 64 or _step(s, factor) < 256 else 0.5
            total += rows * columns * max(panel + far, 0.5 if s.packed == factor else 0.8)
        else:
            home = _fetching(terms * s.first.extent, machine) if rows > 1 else 0.5
            total += rows * (0.5 + (home - 0.5) / machine.lanes)
            total += MISS if s.packed_rows != factor and _is_evicted(_step(s, factor) * machine.item, terms) else 0.0
    return total


def _is_evicted(step: int, terms: int) -> bool:
    """Whether so many lines, ``step`` bytes apart, are no longer in the first-level cache when the next tile needs them.

    A tile uses a few numbers of each line, and the next tile those beside them. Lines that are a power of two apart share few
    sets of the cache: at 4,096 bytes a single one.

    >>> _is_evicted(8, 1000), _is_evicted(4096, 32), _is_evicted(784 * 8, 32)
    (False, True, False)
    """
    return step >= LINE and terms > WAYS * WAY // max(LINE, gcd(step, WAY))


def _step(s: Schedule, factor: int) -> int:
    """The largest stride of a factor along the summed axes."""
    return max([abs(axis.strides[factor]) for axis in s.sums], default=0)


def _beginning(s: Schedule, width: int, columns: int, terms: int, machine: Machine) -> float:
    """Extra cycles for the first tile of a block, whose lanes come from farther away or have to be packed."""
    home = _fetching(terms * s.vector.extent, machine)
    if s.packed is None:
        return terms * columns * (home - 0.5) if any(s.vector.strides[1:]) and s.first.extent > s.rows else 0.0
    return terms * (columns * home + (columns if s.vector.strides[s.packed] == 1 else 1.2 * width))


def _packing_rows(s: Schedule, machine: Machine) -> float:
    """Cycles to pack the rows, by vectors if their numbers are adjacent."""
    if s.packed_rows is None:
        return 0.0
    size = s.terms * s.first.extent
    adjacent = s.first.strides[s.packed_rows] == 1
    return size * (3.0 / min(s.rows, machine.lanes) if adjacent else 2.0) * _fetching(size, machine)


def _parts(
    apart: tuple[Axis, ...], free: list[Axis], vector: Axis, sums: tuple[Axis, ...], machine: Machine
) -> Iterator[Schedule]:
    lanes = machine.lanes
    while lanes // 2 >= vector.extent:
        lanes //= 2
    lefts = [axis for axis in free if axis.strides[LEFT] and not axis.strides[RIGHT]] or [ONE]
    rights = [axis for axis in free if axis.strides[RIGHT] and not axis.strides[LEFT]] or [ONE]
    terms = prod(axis.extent for axis in sums) * ceil(vector.extent / lanes)
    cheap = machine.masked and lanes == machine.lanes
    ragged = (1 if cheap else 4) * (vector.extent % lanes > 0) * prod(axis.extent for axis in sums)
    for left in lefts:
        for right in rights:
            first, second = (left, right) if right.strides[OUT] == 1 or right is ONE else (right, left)
            if left.strides[OUT] == 1:
                first, second = right, left
            outer = (*without(free, first, second), *apart)
            for rows in _sizes(first.extent, 8):
                for columns in _sizes(second.extent, 8):
                    if rows * columns > machine.registers * 3 // 4 or rows * columns + columns + 1 > machine.registers:
                        continue
                    cost = 0.0
                    # The longer axis is the outer loop, so that its data is in the cache while the shorter one repeats.
                    inner = [max(0.8, _fetching(n * terms * lanes, machine)) for n in (first.extent, second.extent)]
                    longer = first.extent < second.extent
                    inner[longer] = max(0.8, _fetching((rows, columns)[longer] * terms * lanes, machine))
                    for across, width in _blocks(second.extent, columns):
                        for down, height in _blocks(first.extent, rows):
                            tile = _tile(terms, height * width, height * inner[0] + width * inner[1]) + 4
                            tile += height * width * (4 if second.strides[OUT] == 1 else 5) + ragged
                            cost += across * down * tile
                    cost *= _variety(second, columns, first, rows) * prod(axis.extent for axis in outer)
                    yield Schedule(Form.PARTS, outer, vector, first, second, sums, rows, columns, lanes, None, None, cost)


def _tile(terms: int, sums: int, loads: float) -> float:
    """Cycles of a tile's loops: the maximum of arithmetic, loads, and latency of the accumulators."""
    return terms * (max(sums / 2, loads, 4 / split(sums, terms), 1.0) + loads / 3) + 4


def split(sums: int, terms: int) -> int:
    """Return into how many partial sums each accumulator of a tile is split, to hide the latency of additions."""
    ways = 1
    while sums * ways < 8 and ways < 4 and terms >= 4 * ways:
        ways *= 2
    return ways
