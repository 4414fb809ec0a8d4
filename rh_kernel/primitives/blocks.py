"""Pooling, over signals and images alike: arrays with a channel axis and s more after it, cut into blocks of p along each.

The blocks begin at the first entry; those at the far ends are smaller where p does not divide the size.
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
    """The size p of the blocks, which no type shows."""
    match f.at[0]:
        case Dim() as p:
            return p
        case other:
            raise KernelBug(f"{other} is no size of a block")


def max_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """The largest entry of each block."""
    cut = _cut(f.domain, index(f, 0))

    def kernel(x: Array) -> Array:
        return cut.blocks(x, -math.inf, xp).max(axis=-1)

    return kernel


def first_max_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """1 at the first largest entry of each block, in row-major order, else 0."""
    cut = _cut(f.domain, index(f, 0))

    def kernel(x: Array) -> Array:
        blocks = cut.blocks(x, -math.inf, xp)
        first = xp.zeros(blocks.shape[:-1], dtype=int)
        largest = blocks[..., 0]
        for i in range(1, blocks.shape[-1]):
            first = xp.where(blocks[..., i] > largest, i, first)
            largest = xp.maximum(largest, blocks[..., i])
        return cut.joined((xp.arange(blocks.shape[-1]) == first[..., None]).astype(x.dtype))

    return kernel


def _max_nonsmooth(f: Primitive, xp: ModuleType) -> Kernel:
    """Where two entries of a block are largest (RH Def. E.4, of which only the ties of the largest entries matter)."""
    cut = _cut(f.domain, index(f, 0))

    def nonsmooth(x: Array) -> Array:
        blocks = cut.blocks(x, -math.inf, xp)
        return (blocks == blocks.max(axis=-1, keepdims=True)).sum(axis=-1) > 1

    return nonsmooth


def sum_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """The sum of each block."""
    cut = _cut(f.domain, index(f, 0))

    def kernel(x: Array) -> Array:
        return cut.blocks(x, 0, xp).sum(axis=-1)

    return kernel


def mean_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """The mean of the entries that each block has."""
    cut = _cut(f.domain, index(f, 0))
    counts = cut.blocks(xp.ones(cut.sizes), 0, xp).sum(axis=-1)

    def kernel(x: Array) -> Array:
        return cut.blocks(x, 0, xp).sum(axis=-1) / counts.astype(x.dtype)

    return kernel


def spread_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """Each entry everywhere in its block: the adjoint of the sum."""
    cut = _cut(f.codomain, index(f, 0))

    def kernel(y: Array) -> Array:
        for axis, p in enumerate(cut.block, start=-len(cut.block)):
            y = xp.repeat(y, p, axis=axis)
        return y[cut.inside]

    return kernel


@frozen
class _Cut:
    """How the axes after the first, of so many entries, are cut into ``counts`` blocks of ``block`` entries."""

    sizes: tuple[int, ...]
    block: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def whole(self) -> tuple[int, ...]:
        """The sizes there would be if no block were smaller."""
        return tuple(q * p for q, p in zip(self.counts, self.block, strict=True))

    @property
    def inside(self) -> tuple[EllipsisType | slice, ...]:
        """What of the whole there really is."""
        return (..., *(slice(n) for n in self.sizes))

    def blocks(self, x: Array, missing: float, xp: ModuleType) -> Array:
        """``(…, n…) ↦ (…, q…, entries of a block)``, with ``missing`` for what the blocks at the ends lack."""
        s = len(self.sizes)
        front = x.shape[: x.ndim - s]
        if self.whole != self.sizes:
            filled = xp.full((*front, *self.whole), missing, dtype=x.dtype)
            filled[self.inside] = x
            x = filled
        axes = [size for q, p in zip(self.counts, self.block, strict=True) for size in (q, p)]
        x = x.reshape(*front, *axes)
        b = len(front)
        x = x.transpose(*range(b), *range(b, b + 2 * s, 2), *range(b + 1, b + 2 * s, 2))
        return x.reshape(*front, *self.counts, math.prod(self.block))

    def joined(self, blocks: Array) -> Array:
        """``(…, q…, entries of a block) ↦ (…, n…)``"""
        s = len(self.sizes)
        front = blocks.shape[: blocks.ndim - s - 1]
        b = len(front)
        x = blocks.reshape(*front, *self.counts, *self.block)
        x = x.transpose(*range(b), *[axis for i in range(s) for axis in (b + i, b + s + i)])
        return x.reshape(*front, *self.whole)[self.inside]


def _cut(A: Type, p: int) -> _Cut:
    """The arrays of the type A, cut into blocks of p along each axis but the first."""
    sizes = extent(A)[1:]
    # A block that is larger than the array has no more entries than the array.
    block = tuple(min(p, max(n, 1)) for n in sizes)
    return _Cut(sizes, block, tuple(-(-n // q) for n, q in zip(sizes, block, strict=True)))


def max_nonsmooth(example: str) -> NonSmooth:
    """Where two entries of a block are the largest, with a program that is evaluated there."""
    return NonSmooth(where="two entries of a block are its largest", example=example, at=_max_nonsmooth)


def apart(x: Array) -> tuple[Array]:
    """Entries of which no two are near each other, in the same order."""
    flat = x.reshape(-1)
    return ((np.argsort(np.argsort(flat)) + 0.3 / (1 + np.exp(-flat))).reshape(x.shape),)


# -- lowering


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


def _block_axes(x: Layout, p: int, piece: Sequence[tuple[int, int, int]], first: int) -> Layout:
    """The piece with the places in a block as further axes."""
    for axis, (block, blocks, q) in zip(range(first, first + len(piece)), piece, strict=True):
        x = known(blocked(x, axis, block * p, blocks, q))
    return x


def pooled_lowering(function: ScalarOp, fold: Fold, *, mean: bool = False) -> Lowering:
    """The loops of a fold over each block: a formula of its entries if they are few."""
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
    """A formula of the entries of a block, or ``None`` if they are many."""
    p, first = index(at.function, 0), at.front + 1
    x = at.loops.single_axes(at.argument(0), first)
    if p ** (len(x.axes) - first) > UNROLLED:
        return None
    y, planes = _planes(at, p, first)
    for piece in _pieces(x.shape[first:], p):
        entries = math.prod([q for _, _, q in piece])
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


def spread_lowering(at: LoweringContext) -> Layout:
    """A view if all blocks are whole, else copies."""
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
