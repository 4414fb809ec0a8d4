"""Layouts: where the entries of an array are in a buffer, so that symbols that only move entries compute strides, not arrays.

An axis consists of parts (size, stride), outermost first: the axis of ``reshape[6](x)``, for a slice x of 2 × 3 entries of a
wider matrix, has the parts (2, s) and (3, 1). An array is copied only if a loop needs another layout.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import TypeAlias

from rh_kernel.loops.ir import Extent, View
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen

Part: TypeAlias = tuple[int, int]
Axis: TypeAlias = tuple[Part, ...]


@frozen
class Layout:
    """An array in buffer number ``buffer`` from entry ``offset`` on; ``axes`` has the parts of each axis, none of size 1."""

    buffer: int
    offset: int
    axes: tuple[Axis, ...]

    @property
    def shape(self) -> Extent:
        """The size of each axis."""
        return tuple([size(axis) for axis in self.axes])

    @property
    def repeats(self) -> bool:
        """Whether some entries share a location in the buffer, along an axis of stride 0."""
        return any(stride == 0 for axis in self.axes for _, stride in axis)

    def view(self) -> View:
        """Return the view with an axis for each part."""
        parts = [part for axis in self.axes for part in axis]
        return View(self.buffer, self.offset, tuple([n for n, _ in parts]), tuple([s for _, s in parts]))

    def plain(self) -> View | None:
        """Return the view with an axis for each axis, even of size 1; ``None`` if an axis has several parts."""
        if any(len(axis) > 1 for axis in self.axes):
            return None
        strides = tuple([axis[0][1] if axis else 0 for axis in self.axes])
        return View(self.buffer, self.offset, self.shape, strides)


def size(axis: Axis) -> int:
    """Return the number of entries along an axis."""
    return prod([n for n, _ in axis])


def dense(buffer: int, shape: Extent, offset: int = 0) -> Layout:
    """Lay out an array in row-major order."""
    axes: list[Axis] = []
    stride = 1
    for n in reversed(shape):
        axes.append(((n, stride),) if n != 1 else ())
        stride *= n
    return Layout(buffer, offset, tuple(reversed(axes)))


def channels_first(buffer: int, shape: Extent) -> Layout:
    """Lay out an array (samples, channels, …) in row-major order of (channels, samples, …)."""
    return permuted(dense(buffer, (shape[1], shape[0], *shape[2:])), [1, 0, *range(2, len(shape))])


def permuted(x: Layout, order: Sequence[int]) -> Layout:
    """Permute the axes: axis i of the result is axis ``order[i]`` of x."""
    return replace(x, axes=tuple([x.axes[i] for i in order]))


def broadcast_axis(x: Layout, at: int, n: int) -> Layout:
    """Insert a new axis, number ``at``, along which the array is repeated n times."""
    return replace(x, axes=(*x.axes[:at], _axis([(n, 0)]), *x.axes[at:]))


def as_scalar(x: Layout) -> Layout:
    """Append an axis of size 1: a number per sample becomes an array with one entry."""
    return replace(x, axes=(*x.axes, ()))


def known(x: Layout | None) -> Layout:
    """Return a layout that exists because its axes have one part each. Raises ``KernelBug`` if it is ``None``."""
    if x is None:
        raise KernelBug("an axis has several parts")
    return x


def repeated(x: Layout, axis: int, p: int) -> Layout:
    """Repeat each entry p times along the axis."""
    return _with_axis(x, axis, [*x.axes[axis], (p, 0)])


def sliced(x: Layout, axis: int, lo: int, hi: int, step: int = 1) -> Layout | None:
    """Take the entries lo, lo + step, … before hi of an axis; ``None`` if the axis has more than one part."""
    parts = x.axes[axis]
    if len(parts) > 1:
        return None
    stride = parts[0][1] if parts else 0
    n = max(0, -(-(hi - lo) // step))
    return replace(_with_axis(x, axis, [(n, stride * step)]), offset=x.offset + lo * stride)


def windowed(x: Layout, axis: int, k: int, at: int) -> Layout | None:
    """Take the windows of k adjacent entries of an axis; new axis ``at`` is inside the windows. ``None`` as in ``sliced``."""
    parts = x.axes[axis]
    if len(parts) > 1:
        return None
    n, stride = parts[0] if parts else (1, 0)
    axes = list(_with_axis(x, axis, [(n - k + 1, stride)]).axes)
    axes.insert(at, _axis([(k, stride)]))
    return replace(x, axes=tuple(axes))


def blocked(x: Layout, axis: int, lo: int, blocks: int, p: int) -> Layout | None:
    """Take blocks of p adjacent entries from entry lo on; a new last axis is inside the blocks. ``None`` as in ``sliced``."""
    parts = x.axes[axis]
    if len(parts) > 1:
        return None
    stride = parts[0][1] if parts else 0
    cut = replace(_with_axis(x, axis, [(blocks, stride * p)]), offset=x.offset + lo * stride)
    return replace(cut, axes=(*cut.axes, _axis([(p, stride)])))


def reshaped(x: Layout, shape: Extent, fixed: int = 0) -> Layout | None:
    """Reshape all but the first ``fixed`` axes, in row-major order; ``None`` if that needs a copy."""
    parts = list(reversed(_joined([part for axis in x.axes[fixed:] for part in axis])))
    axes: list[Axis] = []
    for n in shape:
        axis: list[Part] = []
        left = n
        while left > 1:
            have, stride = parts.pop()
            if left % have == 0:
                axis.append((have, stride))
                left //= have
            elif have % left == 0:
                # The outer portion of a part goes to the earlier axis.
                rest = have // left
                axis.append((left, stride * rest))
                parts.append((rest, stride))
                left = 1
            else:
                return None
        axes.append(tuple(axis))
    return replace(x, axes=(*x.axes[:fixed], *axes))


def aligned(arrays: Sequence[Layout]) -> list[Layout] | None:
    """Split the axes of arrays of one shape into common parts; ``None`` if there are none."""
    if all(x.axes == arrays[0].axes for x in arrays):
        return list(arrays)
    axes = [common([x.axes[i] for x in arrays]) for i in range(len(arrays[0].axes))]
    found: list[list[Axis]] = []
    for cut in axes:
        if cut is None:
            return None
        found.append(cut)
    return [replace(x, axes=tuple([cut[k] for cut in found])) for k, x in enumerate(arrays)]


def collapsed(views: Sequence[View]) -> list[View]:
    """Merge adjacent axes of views of one shape where the strides of all of them allow it, and drop axes of size 1."""
    shape = views[0].shape
    if len(shape) <= 1 and 1 not in shape:
        return list(views)
    extent, last = _groups(shape, tuple([v.strides for v in views]))
    return [View(v.buffer, v.offset, extent, tuple([v.strides[i] for i in last])) for v in views]


@lru_cache(maxsize=1024)
def _groups(shape: Extent, strides: tuple[tuple[int, ...], ...]) -> tuple[Extent, tuple[int, ...]]:
    """The sizes of the merged axes, and the number of the last axis in each of them."""
    sizes: list[int] = []
    last: list[int] = []
    for i, n in enumerate(shape):
        if n == 1:
            continue
        if last and all(own[last[-1]] == own[i] * n for own in strides):
            sizes[-1] *= n
            last[-1] = i
        else:
            sizes.append(n)
            last.append(i)
    return tuple(sizes), tuple(last)


def reordered(view: View, order: Sequence[int]) -> View:
    """Permute the axes of a view."""
    return View(view.buffer, view.offset, tuple([view.shape[i] for i in order]), tuple([view.strides[i] for i in order]))


def is_dense(view: View) -> bool:
    """Whether the view is contiguous in row-major order."""
    expected = 1
    for n, stride in zip(reversed(view.shape), reversed(view.strides), strict=True):
        if n != 1 and stride != expected:
            return False
        expected *= n
    return True


def common(axes: Sequence[Axis]) -> list[Axis] | None:
    """Split axes of one size into common parts; ``None`` if there are none."""
    left = [list(axis) for axis in axes]
    cut: list[list[Part]] = [[] for _ in axes]
    while any(left):
        if not all(left):
            return None
        n = min(parts[-1][0] for parts in left)
        for parts, done in zip(left, cut, strict=True):
            have, stride = parts.pop()
            if have % n:
                return None
            done.append((n, stride))
            if have > n:
                parts.append((have // n, stride * n))
    return [tuple(reversed(parts)) for parts in cut]


def _joined(parts: Sequence[Part]) -> Sequence[Part]:
    if not any(s == t * m for (_, s), (m, t) in pairwise(parts)):
        return parts
    joined: list[Part] = []
    for n, stride in parts:
        if joined and joined[-1][1] == stride * n:
            joined[-1] = (joined[-1][0] * n, stride)
        else:
            joined.append((n, stride))
    return joined


def _axis(parts: Sequence[Part]) -> Axis:
    return tuple([part for part in parts if part[0] != 1])


def _with_axis(x: Layout, axis: int, parts: Sequence[Part]) -> Layout:
    return replace(x, axes=(*x.axes[:axis], _axis(parts), *x.axes[axis + 1 :]))
