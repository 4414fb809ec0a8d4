"""Sums of products as products of matrices, for a library that knows only those.

An axis of a ``Contract`` belongs to the output and the left factor (m), to the output and the right one (n), to both factors
and not to the output (k), or to all three. The axes of each kind are joined to one axis of a matrix. Those that cannot be
joined become axes of a stack of matrices, over which the products are added if they were summed over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import prod

from rh_kernel.arrays.layouts import reordered
from rh_kernel.arrays.plan import Contract, View


class Role(Enum):
    """Where an axis of a product stands"""

    STACKED = auto()  # in the output and in both factors
    LEFT = auto()  # in the output and the left factor
    RIGHT = auto()  # in the output and the right factor
    SUMMED = auto()  # in both factors


def roles(contract: Contract) -> tuple[Role, ...]:
    """The role of each axis."""
    found: list[Role] = []
    for z, x, y in zip(contract.output.strides, contract.left.strides, contract.right.strides, strict=True):
        if z == 0:
            found.append(Role.SUMMED)
        elif x and y:
            found.append(Role.STACKED)
        else:
            found.append(Role.LEFT if x else Role.RIGHT)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Matrices:
    """``product[t, s, i, j] = Σ over k of left[t, s, i, k] · right[t, s, k, j]``, and ``output[s, i, j]`` its sum over t.

    Where the product is ``direct``, s, i and j are axes of the output; else the output has all the axes that make up i and j.
    ``summed`` is the number of axes t. An axis that is not there has extent 1.
    """

    output: View
    left: View
    right: View
    summed: int

    @property
    def product(self) -> tuple[int, ...]:
        """The shape of the product."""
        return (*self.left.shape[:-1], self.right.shape[-1])


def matrices(contract: Contract, *, direct: bool) -> Matrices:
    """The product as one of matrices, or of stacks of them; its output is a matrix too if it is to be written ``direct``."""
    z, x, y = contract.output, contract.left, contract.right
    of: dict[Role, list[int]] = {role: [] for role in Role}
    for i, role in enumerate(roles(contract)):
        of[role].append(i)
    m, apart = _joined(of[Role.LEFT], (z, x) if direct else (x,))
    n, further = _joined(of[Role.RIGHT], (z, y) if direct else (y,))
    k, summed = _joined(of[Role.SUMMED], (x, y))
    stack = [*of[Role.STACKED], *apart, *further]
    output = _matrix(z, stack, m, n) if direct else reordered(z, [*stack, *m, *n])
    return Matrices(output, _matrix(x, [*summed, *stack], m, k), _matrix(y, [*summed, *stack], k, n), len(summed))


def _joined(axes: Sequence[int], views: Sequence[View]) -> tuple[Sequence[int], Sequence[int]]:
    """The last of the axes, which are one in each of the views, and those before them."""
    start = len(axes)
    while start and (start == len(axes) or all(_follows(v, axes[start - 1], axes[start]) for v in views)):
        start -= 1
    return axes[start:], axes[:start]


def _follows(view: View, slow: int, fast: int) -> bool:
    return view.strides[slow] == view.strides[fast] * view.shape[fast]


def _matrix(view: View, stack: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> View:
    apart = reordered(view, stack)
    shape = [prod([view.shape[i] for i in axes]) for axes in (rows, columns)]
    strides = [view.strides[axes[-1]] if axes else 0 for axes in (rows, columns)]
    return View(view.buffer, view.offset, (*apart.shape, *shape), (*apart.strides, *strides))
