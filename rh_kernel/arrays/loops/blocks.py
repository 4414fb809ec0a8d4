"""The loops of signals and images: convolutions, windows, pooling, margins, and what is repeated along an axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from math import prod

import numpy as np

from rh_kernel.arrays.program import Extent
from rh_kernel.loops import scalars
from rh_kernel.loops.builder import UNROLLED, Formula, call
from rh_kernel.loops.context import Lowering, LoweringContext
from rh_kernel.loops.ir import Fold, Gather
from rh_kernel.loops.layouts import Layout, blocked, repeated, reshaped, sliced, windowed
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives.schemes import arguments, extent, index
from rh_kernel.source.diagnostic import KernelBug

_TAPS, _PLACES = "pq", "st"


def known(x: Layout | None) -> Layout:
    """A layout that is there since its axes have one part each."""
    if x is None:
        raise KernelBug("an axis has several parts")
    return x


# ------------------------------------------------------------------------------------ windows


def windows(x: Layout, taps: Sequence[int], channels: int) -> Layout:
    """(…, c, n…) as (…, c, k…, m…), where ``channels`` is the number of axis c; each axis n has one part."""
    for i, k in enumerate(taps):
        x = known(windowed(x, channels + 1 + 2 * i, k, channels + 1 + i))
    return x


def _single(at: LoweringContext, x: Layout, first: int) -> Layout:
    """The argument, copied if an axis from number ``first`` on has several parts."""
    return at.loops.copied(x) if any(len(axis) > 1 for axis in x.axes[first:]) else x


def _convolution(at: LoweringContext) -> Layout:
    front = 1 if at.batched[0] else 0
    x = _single(at, at.arguments[0], front)
    taps = extent(arguments(at.function)[1])[2:]
    p, s = _TAPS[: len(taps)], _PLACES[: len(taps)]
    signal = (at.loops.windows(windows(x, taps, front), front, len(taps)), ("z" if front else "") + "c" + p + s)
    return at.loops.contract(at.factor(1, "dc" + p), signal, at.summed("d" + s))


def _windows(at: LoweringContext) -> Layout:
    x = _single(at, at.argument(0), at.front)
    s = len(x.axes) - at.front - 1
    return at.loops.windows(windows(x, at.shape[at.front + 1 : at.front + 1 + s], at.front), at.front, s)


def _overlap_add(at: LoweringContext) -> Layout:
    y = at.fresh()
    s = len(y.axes) - at.front - 1
    x = _single(at, at.argument(0), at.front + 1)
    taps, places = x.shape[at.front + 1 : at.front + 1 + s], x.shape[at.front + 1 + s :]
    at.loops.map([0.0], [(0, y)])
    for tap in product(*map(range, taps)):
        seen, place = x, y
        for i, (j, m) in enumerate(zip(tap, places, strict=True)):
            seen = known(sliced(seen, at.front + 1 + i, j, j + 1))
            place = known(sliced(place, at.front + 1 + i, j, j + m))
        at.loops.map([replace(seen, axes=(*seen.axes[: at.front + 1], *seen.axes[-s:]))], [(0, place)], accumulate=True)
    return y


def overlapping(y: Layout, taps: Sequence[int], channels: int, shape: Extent) -> Layout:
    """The windows of (…, c, n…), which overlap, in another shape: (…, c · k…, m…) and the like."""
    return known(reshaped(windows(y, taps, channels), shape, channels))


# ------------------------------------------------------------------------------------ pooling


def _pieces(sizes: Sequence[int], p: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """The parts of the axes that blocks of one size cover: of each axis (first block, blocks, size of a block)."""
    return product(*[[piece for piece in ((0, n // p, p), (n // p, 1, n % p)) if piece[1] and piece[2]] for n in sizes])


def _phases(x: Layout, p: int, piece: Sequence[tuple[int, int, int]], first: int) -> list[Layout]:
    """For each place in a block the entries there, in row-major order of the places."""
    phases: list[Layout] = []
    for place in product(*[range(q) for _, _, q in piece]):
        phase = x
        for axis, (block, blocks, q), j in zip(range(first, first + len(piece)), piece, place, strict=True):
            phase = known(sliced(phase, axis, block * p + j, block * p + j + (blocks - 1) * q + 1, q))
        phases.append(phase)
    return phases


def _blocks(y: Layout, piece: Sequence[tuple[int, int, int]], first: int) -> Layout:
    """The entries of a pooled array that belong to the piece."""
    for axis, (block, blocks, _) in zip(range(first, first + len(piece)), piece, strict=True):
        y = known(sliced(y, axis, block, block + blocks))
    return y


def _cut(x: Layout, p: int, piece: Sequence[tuple[int, int, int]], first: int) -> Layout:
    """The piece with the places in a block as further axes."""
    for axis, (block, blocks, q) in zip(range(first, first + len(piece)), piece, strict=True):
        x = known(blocked(x, axis, block * p, blocks, q))
    return x


def _pooled(function: ScalarOp, fold: Fold, *, mean: bool = False) -> Lowering:
    first = _first() if fold is Fold.MAX else call(scalars.ADD, _first(), 0.0)

    def lower(at: LoweringContext) -> Layout:
        p, axis = index(at.function, 0), at.front + 1
        x = _single(at, at.argument(0), axis)
        y = at.fresh()
        for piece in _pieces(x.shape[axis:], p):
            entries = prod([q for _, _, q in piece])
            place = _blocks(y, piece, axis)
            if entries > UNROLLED:
                at.loops.reduce_into(fold, _cut(x, p, piece, axis), place, 1 / entries if mean else 1.0)
                continue
            total = reduce(lambda M, i: call(function, M, i), range(1, entries), first)
            formula = call(scalars.DIV, total, float(entries)) if mean else total
            at.loops.map(_phases(x, p, piece, axis), [(formula, place)])
        return y

    return lower


def _first() -> Formula:
    return 0


def _first_max(at: LoweringContext) -> Layout | None:
    p, first = index(at.function, 0), at.front + 1
    x = _single(at, at.argument(0), first)
    if p ** (len(x.axes) - first) > UNROLLED:
        return None
    y, planes = _planes(at, p, first)
    for piece in _pieces(x.shape[first:], p):
        entries = prod([q for _, _, q in piece])
        # The mark moves on where an entry is larger than the largest before it.
        largest: Formula = 0
        marks: list[Formula] = [1.0]
        for i in range(1, entries):
            larger = call(scalars.STEP, call(scalars.SUB, i, largest))
            left = call(scalars.SUB, 1.0, larger)
            marks = [left if mark == 1.0 else call(scalars.MUL, mark, left) for mark in marks]
            marks.append(larger)
            largest = call(scalars.MAX, largest, i)
        at.loops.map(_phases(x, p, piece, first), list(zip(marks, planes or _phases(y, p, piece, first), strict=True)))
    return y


def _planes(at: LoweringContext, p: int, first: int) -> tuple[Layout, list[Layout]]:
    """Room for the result, and the entries at each place in a block, which lie side by side, if all blocks are whole.

    Then what is written, and later read, place by place in the blocks is one stretch for each place.
    """
    shape = at.shape
    if p == 1 or 0 in shape or any(n % p for n in shape[first:]):
        return at.fresh(), []
    count = p ** len(shape[first:])
    planes = at.loops.beside((*shape[:first], *[n // p for n in shape[first:]]), count, samples=at.front == 1)
    stride, axes = planes[1].offset, list(planes[0].axes)
    for axis in reversed(range(first, len(axes))):
        axes[axis] = (*axes[axis], (p, stride))
        stride *= p
    return replace(planes[0], axes=tuple(axes)), planes


def _spread(at: LoweringContext) -> Layout:
    p, first = index(at.function, 0), at.front + 1
    x = _single(at, at.argument(0), first)
    sizes = at.shape[first:]
    if all(n % p == 0 for n in sizes):
        for axis in range(first, len(x.axes)):
            x = repeated(x, axis, p)
        return x
    y = at.fresh()
    for piece in _pieces(sizes, p):
        at.loops.map([_blocks(x, piece, first)], [(0, phase) for phase in _phases(y, p, piece, first)])
    return y


# ------------------------------------------------------------------------------------ along one axis


def _pad(at: LoweringContext) -> Layout:
    # The margins are 0 once and for all.
    y = at.loops.margins(at.shape, samples=at.front == 1)
    n, m = at.arguments[0].shape[-1], at.shape[-1]
    left = (m - n) // 2
    at.loops.map([at.operand(0)], [(0, known(sliced(y, len(at.shape) - 1, left, left + n)))])
    return y


def _crop(at: LoweringContext) -> Layout:
    last = len(at.shape) - 1
    x = _single(at, at.argument(0), last)
    left = (x.shape[-1] - at.shape[-1]) // 2
    return known(sliced(x, last, left, left + at.shape[-1]))


def _upscale(at: LoweringContext) -> Layout | None:
    x = at.argument(0)
    n, m = x.shape[-1], at.shape[-1]
    if m % n == 0:
        return repeated(x, len(x.axes) - 1, m // n)
    return _gathered(at, x, (np.arange(m) * n // max(m, 1))[:, None])


def _downsum(at: LoweringContext) -> Layout:
    x = at.argument(0)
    m, n = x.shape[-1], at.shape[-1]
    last = len(x.axes) - 1
    if m % n == 0 and m // n <= UNROLLED:
        x = _single(at, x, last)
        phases = [known(sliced(x, last, j, m, m // n)) for j in range(m // n)]
        return at.entries(reduce(lambda M, i: call(scalars.ADD, M, i), range(m // n), 0.0), *phases)
    begins = -(-np.arange(n + 1) * m // n)
    table = begins[:-1, None] + np.arange(-(-m // n))
    terms = np.where(table < begins[1:, None], table, -1)
    # One column would be what is copied, and this is a sum.
    return _gathered(at, x, terms if terms.shape[1] > 1 else np.pad(terms, ((0, 0), (0, 1)), constant_values=-1))


def _gathered(at: LoweringContext, x: Layout, table: "np.ndarray[tuple[int, int], np.dtype[np.intp]]") -> Layout:
    y = at.fresh()
    source = x.plain() or at.loops.copied(x).plain()
    target = y.plain()
    if source is None or target is None:
        raise KernelBug("an axis has several parts")
    if 0 not in y.shape:
        at.loops.steps.append(Gather(target, source, table))
    return y


BLOCKS: Mapping[str, Lowering] = {
    **{f"conv{d}": _convolution for d in ("1d", "2d")},
    **{f"windows{d}": _windows for d in ("1d", "2d")},
    **{f"overlap_add{d}": _overlap_add for d in ("1d", "2d")},
    **{f"maxpool{d}": _pooled(scalars.MAX, Fold.MAX) for d in ("1d", "2d")},
    **{f"sumpool{d}": _pooled(scalars.ADD, Fold.SUM) for d in ("1d", "2d")},
    **{f"first_max{d}": _first_max for d in ("1d", "2d")},
    **{f"spread{d}": _spread for d in ("1d", "2d")},
    "avgpool2d": _pooled(scalars.ADD, Fold.SUM, mean=True),
    "pad1d": _pad,
    "crop1d": _crop,
    "upscale1d": _upscale,
    "downsum1d": _downsum,
}
"""How each of these symbols becomes loops."""
