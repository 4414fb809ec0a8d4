"""Sums of products as products of matrices, for a library that knows only those.

An axis of a ``Contract`` belongs to the output and the left factor (m), to the output and the right one (n), to both factors
and not to the output (k), or to all three. ``matrices`` joins the axes of each kind to one axis of a matrix; those that cannot be
joined become axes of a stack of matrices, over which the products are added if they were summed over. Where the windows of a
signal, which overlap, are a factor, they are copied before: that is ``packed``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from math import prod

from rh_kernel.arrays.dependence import writes
from rh_kernel.arrays.loops import Loops
from rh_kernel.arrays.plan import Contract, Map, Scratch, Step, Store, View


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
    """``output[s, i, j] = Σ over t, k of left[t, s, i, k] · right[t, s, k, j]``, where t and s are several axes, or none.

    ``summed`` is the number of axes t, which the output has not. Without ``rows``, ``columns`` or ``inner`` axis i, j or k is
    not there: then it has extent 1.
    """

    output: View
    left: View
    right: View
    summed: int


def matrices(contract: Contract) -> Matrices:
    """The product as one of matrices, or of stacks of them."""
    z, x, y = contract.output, contract.left, contract.right
    of: dict[Role, list[int]] = {role: [] for role in Role}
    for i, role in enumerate(roles(contract)):
        of[role].append(i)
    extra: list[int] = []

    def joined(role: Role, views: Sequence[View]) -> list[int]:
        """The last axes of that role that are one in the views; the others are left for the stack."""
        axes = of[role]
        start = len(axes)
        while start and (start == len(axes) or all(_follows(v, axes[start - 1], axes[start]) for v in views)):
            start -= 1
        extra.extend(axes[:start])
        return axes[start:]

    m, n = joined(Role.LEFT, (z, x)), joined(Role.RIGHT, (z, y))
    stack = [*of[Role.STACKED], *extra]
    extra = []
    k = joined(Role.SUMMED, (x, y))
    summed = extra
    return Matrices(
        _matrix(z, stack, m, n),
        _matrix(x, [*summed, *stack], m, k),
        _matrix(y, [*summed, *stack], k, n),
        len(summed),
    )


def _follows(view: View, slow: int, fast: int) -> bool:
    return view.strides[slow] == view.strides[fast] * view.shape[fast]


def _matrix(view: View, stack: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> View:
    shape = [view.shape[i] for i in stack]
    strides = [view.strides[i] for i in stack]
    for axes in (rows, columns):
        shape.append(prod([view.shape[i] for i in axes]))
        strides.append(view.strides[axes[-1]] if axes else 0)
    return View(view.buffer, view.offset, tuple(shape), tuple(strides))


def packed(steps: Sequence[Step], loops: Loops) -> list[Step]:
    """The steps, with windows copied before they are a factor; a copy serves all products until somebody writes there."""
    copies: dict[tuple[int, int, frozenset[tuple[int, int]]], View] = {}
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Contract):
            factors: list[View] = []
            for view in (step.left, step.right):
                axes = [i for i, stride in enumerate(view.strides) if stride]
                if len({view.strides[i] for i in axes}) == len(axes):
                    factors.append(view)
                    continue
                order = _windows_first(view, axes)
                source = _matrix_free(view, order)
                key = (view.buffer, view.offset, frozenset(zip(source.shape, source.strides, strict=True)))
                if key not in copies:
                    copies[key] = _dense(loops.buffer(Scratch(0, prod(source.shape))), source)
                    result.append(Map(source.shape, (source,), (), (Store(copies[key], 0),)))
                factors.append(_arranged(view, order, copies[key]))
            step = replace(step, left=factors[0], right=factors[1])
        result.append(step)
        written = {view.buffer for view in writes(step)}
        copies = {key: copy for key, copy in copies.items() if key[0] not in written}
    return result


def _windows_first(view: View, axes: Sequence[int]) -> list[int]:
    """Axes in the order of the copy: what is no window, then the places in a window, then the windows."""

    def kind(i: int) -> int:
        twins = [j for j in axes if j != i and view.strides[j] == view.strides[i]]
        if not twins:
            return 0
        return 1 if view.shape[i] <= max(view.shape[j] for j in twins) else 2

    return sorted(axes, key=lambda i: (kind(i), -view.strides[i], view.shape[i]))


def _matrix_free(view: View, order: Sequence[int]) -> View:
    return View(view.buffer, view.offset, tuple([view.shape[i] for i in order]), tuple([view.strides[i] for i in order]))


def _dense(buffer: int, like: View) -> View:
    strides: list[int] = []
    stride = 1
    for n in reversed(like.shape):
        strides.append(stride)
        stride *= n
    return View(buffer, 0, like.shape, tuple(reversed(strides)))


def _arranged(view: View, order: Sequence[int], copy: View) -> View:
    """The copy, with the axes where those of the view are."""
    strides = [0] * len(view.shape)
    for place, i in enumerate(order):
        strides[i] = copy.strides[place]
    return View(copy.buffer, copy.offset, view.shape, tuple(strides))
