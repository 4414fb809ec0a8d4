"""Tensor contractions as matrix products, for a library such as BLAS.

An axis of a ``Contract`` belongs to the output and the left factor (m), to the output and the right factor (n), to both factors
and not the output (k), or to all three. The axes of each kind are collapsed into one axis of a matrix. Axes that cannot be
collapsed become axes of a stack of matrices, over which the products are added up if the axis was summed over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from math import prod
from typing import TypeAlias

from rh_kernel.arrays.program import Extent
from rh_kernel.loops.ir import Contract

Laid: TypeAlias = tuple[Extent, tuple[int, ...]]
"""The shape and the strides of a view."""


class Role(Enum):
    """The kind of an axis of a contraction"""

    STACKED = auto()  # in the output and in both factors
    LEFT = auto()  # in the output and the left factor
    RIGHT = auto()  # in the output and the right factor
    SUMMED = auto()  # in both factors


@dataclass(frozen=True, slots=True)
class Matrices:
    """``product[t, s, i, j] = Σ over k of left[t, s, i, k] · right[t, s, k, j]``, and ``output[s, i, j]`` its sum over t.

    If the product is ``direct``, s, i and j are axes of the output, and the product may be written there; otherwise the output
    has all the axes that make up i and j. ``summed`` is the number of axes t. A missing axis has extent 1.
    """

    output: Laid
    left: Laid
    right: Laid
    summed: int
    direct: bool

    @property
    def product(self) -> Extent:
        """The shape of the product."""
        return (*self.left[0][:-1], self.right[0][-1])


def matrices(contract: Contract) -> Matrices:
    """Express the contraction as a product of matrices, or of stacks of matrices."""
    z, x, y = contract.output, contract.left, contract.right
    return _matrices(contract.extents, z.strides, x.strides, y.strides, accumulate=contract.accumulate)


@lru_cache(maxsize=1024)
def _matrices(extents: Extent, z: tuple[int, ...], x: tuple[int, ...], y: tuple[int, ...], *, accumulate: bool) -> Matrices:
    of: dict[Role, list[int]] = {role: [] for role in Role}
    for i, steps in enumerate(zip(z, x, y, strict=True)):
        of[_role(*steps)].append(i)
    direct = not accumulate and _is_apart(extents, z)
    m, apart = _joined(of[Role.LEFT], extents, (z, x) if direct else (x,))
    n, further = _joined(of[Role.RIGHT], extents, (z, y) if direct else (y,))
    k, summed = _joined(of[Role.SUMMED], extents, (x, y))
    stack = [*of[Role.STACKED], *apart, *further]
    output = _matrix(extents, z, stack, m, n) if direct else _axes(extents, z, [*stack, *m, *n])
    left, right = _matrix(extents, x, [*summed, *stack], m, k), _matrix(extents, y, [*summed, *stack], k, n)
    return Matrices(output, left, right, len(summed), direct)


def _role(z: int, x: int, y: int) -> Role:
    if z == 0:
        return Role.SUMMED
    if x and y:
        return Role.STACKED
    return Role.LEFT if x else Role.RIGHT


def _is_apart(extents: Extent, strides: tuple[int, ...]) -> bool:
    """Whether no two entries share a memory location, apart from axes of stride 0."""
    end = 1
    for stride, n in sorted((abs(s), n) for s, n in zip(strides, extents, strict=True) if s):
        if stride < end:
            return False
        end += (n - 1) * stride
    return True


def _joined(axes: Sequence[int], extents: Extent, views: Sequence[Sequence[int]]) -> tuple[Sequence[int], Sequence[int]]:
    """Split the axes: those at the end that collapse to one axis in all views, and those before."""
    start = len(axes)
    while start and (start == len(axes) or all(v[axes[start - 1]] == v[axes[start]] * extents[axes[start]] for v in views)):
        start -= 1
    return axes[start:], axes[:start]


def _axes(extents: Extent, strides: tuple[int, ...], axes: Sequence[int]) -> Laid:
    return tuple([extents[i] for i in axes]), tuple([strides[i] for i in axes])


def _matrix(
    extents: Extent, strides: tuple[int, ...], stack: Sequence[int], rows: Sequence[int], columns: Sequence[int]
) -> Laid:
    shape, apart = _axes(extents, strides, stack)
    m, n = [prod([extents[i] for i in axes]) for axes in (rows, columns)]
    down, along = [strides[axes[-1]] if axes else 0 for axes in (rows, columns)]
    return (*shape, m, n), (*apart, down, along)
