"""Pooling, over signals and images alike: arrays with a channel axis and s more after it, cut into blocks of p along each.

The blocks begin at the first entry; those at the far ends are smaller where p does not divide the size.
"""

import math
from types import EllipsisType, ModuleType

from rh_kernel.primitives.row import Kernel
from rh_kernel.primitives.schemes import extent, index
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


def max_rough(f: Primitive, xp: ModuleType) -> Kernel:
    """Where two entries of a block are largest (RH Def. E.4, of which only the ties of the largest entries matter)."""
    cut = _cut(f.domain, index(f, 0))

    def rough(x: Array) -> Array:
        blocks = cut.blocks(x, -math.inf, xp)
        return (blocks == blocks.max(axis=-1, keepdims=True)).sum(axis=-1) > 1

    return rough


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
