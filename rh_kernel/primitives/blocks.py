"""Pooling of signals and images: arrays with a channel axis and s further axes, partitioned into blocks of size p along each.

The first block starts at the first entry; the last blocks are smaller if p does not divide the size.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from types import EllipsisType, ModuleType

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import UNROLLED, Formula, call
from rh_kernel.loops.context import Lowering, LoweringContext
from rh_kernel.loops.ir import Fold
from rh_kernel.loops.layouts import Layout, blocked, known, repeated, sliced
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives.schemes import extent, index
from rh_kernel.primitives.symbol import Kernel, NonSmooth
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import Type


def block_of(f: Primitive) -> Dim:
    """Return the size p of the blocks, which types do not determine."""
    match f.at[0]:
        case Dim() as p:
            return p
        case other:
            raise KernelBug(f"{other} is not a block size")


def max_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """Maximum of each block."""
    partition = _partition(f.domain, index(f, 0))

    def kernel(x: Array) -> Array:
        return partition.blocks(x, -math.inf, xp).max(axis=-1)

    return kernel


def first_max_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """1 at the first maximum of each block, in row-major order, else 0."""
    partition = _partition(f.domain, index(f, 0))

    def kernel(x: Array) -> Array:
        blocks = partition.blocks(x, -math.inf, xp)
        first = xp.zeros(blocks.shape[:-1], dtype=int)
        largest = blocks[..., 0]
        for i in range(1, blocks.shape[-1]):
            first = xp.where(blocks[..., i] > largest, i, first)
            largest = xp.maximum(largest, blocks[..., i])
        return partition.merged((xp.arange(blocks.shape[-1]) == first[..., None]).astype(x.dtype))

    return kernel


def _max_nonsmooth(f: Primitive, xp: ModuleType) -> Kernel:
    """Whether the maximum of a block is attained twice (RH Def. E.4, where only ties of the largest entries matter)."""
    partition = _partition(f.domain, index(f, 0))

    def nonsmooth(x: Array) -> Array:
        blocks = partition.blocks(x, -math.inf, xp)
        return (blocks == blocks.max(axis=-1, keepdims=True)).sum(axis=-1) > 1

    return nonsmooth


def sum_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """Sum of each block."""
    partition = _partition(f.domain, index(f, 0))

    def kernel(x: Array) -> Array:
        return partition.blocks(x, 0, xp).sum(axis=-1)

    return kernel


def mean_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """Mean of each block, over the entries that it has."""
    partition = _partition(f.domain, index(f, 0))
    counts = partition.blocks(xp.ones(partition.sizes), 0, xp).sum(axis=-1)

    def kernel(x: Array) -> Array:
        return partition.blocks(x, 0, xp).sum(axis=-1) / counts.astype(x.dtype)

    return kernel


def spread_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """Broadcast each entry to its block: the adjoint of the sum."""
    partition = _partition(f.codomain, index(f, 0))

    def kernel(y: Array) -> Array:
        for axis, p in enumerate(partition.block, start=-len(partition.block)):
            y = xp.repeat(y, p, axis=axis)
        return y[partition.unpadded]

    return kernel


@frozen
class _Partition:
    """A partition of the axes after the first, of these ``sizes``, into ``counts`` blocks of ``block`` entries."""

    sizes: tuple[int, ...]
    block: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def padded_sizes(self) -> tuple[int, ...]:
        """The sizes after padding the last blocks to full size."""
        return tuple(q * p for q, p in zip(self.counts, self.block, strict=True))

    @property
    def unpadded(self) -> tuple[EllipsisType | slice, ...]:
        """The index of the original entries in a padded array."""
        return (..., *(slice(n) for n in self.sizes))

    def blocks(self, x: Array, missing: float, xp: ModuleType) -> Array:
        """``(…, n…) ↦ (…, q…, entries of a block)``, with the last blocks padded by ``missing``."""
        s = len(self.sizes)
        front = x.shape[: x.ndim - s]
        if self.padded_sizes != self.sizes:
            filled = xp.full((*front, *self.padded_sizes), missing, dtype=x.dtype)
            filled[self.unpadded] = x
            x = filled
        axes = [size for q, p in zip(self.counts, self.block, strict=True) for size in (q, p)]
        x = x.reshape(*front, *axes)
        b = len(front)
        x = x.transpose(*range(b), *range(b, b + 2 * s, 2), *range(b + 1, b + 2 * s, 2))
        return x.reshape(*front, *self.counts, math.prod(self.block))

    def merged(self, blocks: Array) -> Array:
        """The inverse: ``(…, q…, entries of a block) ↦ (…, n…)``"""
        s = len(self.sizes)
        front = blocks.shape[: blocks.ndim - s - 1]
        b = len(front)
        x = blocks.reshape(*front, *self.counts, *self.block)
        x = x.transpose(*range(b), *[axis for i in range(s) for axis in (b + i, b + s + i)])
        return x.reshape(*front, *self.padded_sizes)[self.unpadded]


def _partition(A: Type, p: int) -> _Partition:
    """Partition the arrays of type A into blocks of size p along each axis but the first."""
    sizes = extent(A)[1:]
    # A block that is larger than the array has no more entries than the array.
    block = tuple(min(p, max(n, 1)) for n in sizes)
    return _Partition(sizes, block, tuple(-(-n // q) for n, q in zip(sizes, block, strict=True)))


def max_nonsmooth(example: str) -> NonSmooth:
    """Describe the nonsmooth points of pooling, where the maximum of a block is attained twice."""
    return NonSmooth(where="two entries of a block are its largest", example=example, at=_max_nonsmooth)


def well_separated(x: Array) -> tuple[Array]:
    """Move the entries apart without changing their order, so that no two are close."""
    flat = x.reshape(-1)
    return ((np.argsort(np.argsort(flat)) + 0.3 / (1 + np.exp(-flat))).reshape(x.shape),)


# -- lowering


def _pieces(sizes: Sequence[int], p: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Yield the regions with blocks of one size, given for each axis by (first block, number of blocks, size of a block)."""
    return product(*[[piece for piece in ((0, n // p, p), (n // p, 1, n % p)) if piece[1] and piece[2]] for n in sizes])


def _phases(x: Layout, p: int, piece: Sequence[tuple[int, int, int]], first: int) -> list[Layout]:
    """For each index in a block, in row-major order, the entries at that index of all blocks."""
    phases: list[Layout] = []
    for place in product(*[range(q) for _, _, q in piece]):
        phase = x
        for axis, (block, blocks, q), j in zip(range(first, first + len(piece)), piece, place, strict=True):
            phase = known(sliced(phase, axis, block * p + j, block * p + j + (blocks - 1) * q + 1, q))
        phases.append(phase)
    return phases


def _blocks(y: Layout, piece: Sequence[tuple[int, int, int]], first: int) -> Layout:
    """The entries of a pooled array in the region."""
    for axis, (block, blocks, _) in zip(range(first, first + len(piece)), piece, strict=True):
        y = known(sliced(y, axis, block, block + blocks))
    return y


def _block_axes(x: Layout, p: int, piece: Sequence[tuple[int, int, int]], first: int) -> Layout:
    """The region with the indices in a block as further axes."""
    for axis, (block, blocks, q) in zip(range(first, first + len(piece)), piece, strict=True):
        x = known(blocked(x, axis, block * p, blocks, q))
    return x


def pooled_lowering(function: ScalarOp, fold: Fold, *, mean: bool = False) -> Lowering:
    """Return the lowering of a fold over each block; small blocks are unrolled."""
    first: Formula = 0 if fold is Fold.MAX else call(scalars.ADD, 0, 0.0)

    def lower(at: LoweringContext) -> Layout:
        p, axis = index(at.function, 0), at.front + 1
        x = at.loops.single_axes(at.argument(0), axis)
        y = at.fresh()
        for piece in _pieces(x.shape[axis:], p):
            entries = math.prod([q for _, _, q in piece])
            place = _blocks(y, piece, axis)
            if entries > UNROLLED:
                at.loops.reduce_into(fold, _block_axes(x, p, piece, axis), place, 1 / entries if mean else 1.0)
                continue
            total = reduce(lambda M, i: call(function, M, i), range(1, entries), first)
            formula = call(scalars.DIV, total, float(entries)) if mean else total
            at.loops.map(_phases(x, p, piece, axis), [(formula, place)])
        return y

    return lower


def first_max_lowering(at: LoweringContext) -> Layout | None:
    """Lower to a formula of the entries of a block; ``None`` for large blocks."""
    p, first = index(at.function, 0), at.front + 1
    x = at.loops.single_axes(at.argument(0), first)
    if p ** (len(x.axes) - first) > UNROLLED:
        return None
    y, planes = _planes(at, p, first)
    for piece in _pieces(x.shape[first:], p):
        entries = math.prod([q for _, _, q in piece])
        # The mark moves to an entry that is larger than all entries before it.
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
    """Allocate the result; if all blocks are full, with the entries at each index of the blocks contiguous, as a plane.

    The planes are contiguous because entries are written, and later read, index by index. Also returns the planes, if any.
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


def spread_lowering(at: LoweringContext) -> Layout:
    """Lower to a view if all blocks are full, else to copies."""
    p, first = index(at.function, 0), at.front + 1
    x = at.loops.single_axes(at.argument(0), first)
    sizes = at.shape[first:]
    if all(n % p == 0 for n in sizes):
        for axis in range(first, len(x.axes)):
            x = repeated(x, axis, p)
        return x
    y = at.fresh()
    for piece in _pieces(sizes, p):
        at.loops.map([_blocks(x, piece, first)], [(0, phase) for phase in _phases(y, p, piece, first)])
    return y
