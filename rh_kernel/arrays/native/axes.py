"""The iteration space of a step: extents, with a stride for each view, in as few axes as possible."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.loops.ir import View


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with ``extent`` indices; incrementing the index moves view i by ``strides[i]`` entries"""

    extent: int
    strides: tuple[int, ...]


def axes(shape: Sequence[int], views: Sequence[View]) -> tuple[Axis, ...]:
    """Return the axes of views of one shape, outermost first, without axes of extent 1 and with mergeable axes merged."""
    found = [Axis(n, tuple([view.strides[i] for view in views])) for i, n in enumerate(shape) if n != 1]
    return merged(sorted(found, key=_outermost))


def _outermost(axis: Axis) -> tuple[int, ...]:
    return tuple([-abs(s) for s in axis.strides])


def merged(found: Sequence[Axis]) -> tuple[Axis, ...]:
    """Merge pairs of axes wherever the strides of every view allow it."""
    left: list[Axis] = []
    for inner in reversed(found):
        for i, other in enumerate(left):
            joined = _joined(inner, other) or _joined(other, inner)
            if joined is not None:
                left[i] = joined
                break
        else:
            left.append(inner)
    return tuple(reversed(left)) if len(left) == len(found) else merged(tuple(reversed(left)))


def _joined(outer: Axis, inner: Axis) -> Axis | None:
    if any(a != b * inner.extent for a, b in zip(outer.strides, inner.strides, strict=True)):
        return None
    return Axis(outer.extent * inner.extent, inner.strides)


def entangled(found: Sequence[Axis], view: int) -> tuple[Axis, ...]:
    """Return the axes along which a view overlaps itself; these have to be traversed in order."""
    reach = 0
    clash: list[Axis] = []
    for axis in sorted(found, key=lambda axis: (abs(axis.strides[view]), -axis.extent)):
        step = abs(axis.strides[view])
        if step == 0:
            continue
        if step <= reach:
            clash.append(axis)
        else:
            reach += step * (axis.extent - 1)
    return tuple(clash)


@dataclass(frozen=True, slots=True)
class Reach:
    """The entries ``low`` to ``high`` of a buffer"""

    buffer: int
    low: int
    high: int

    def meets(self, other: "Reach") -> bool:
        """Whether the two ranges intersect."""
        return self.buffer == other.buffer and self.low <= other.high and other.low <= self.high


def reach(view: View) -> Reach:
    """Return the smallest range of its buffer that contains a view."""
    ends = [(n - 1) * s for n, s in zip(view.shape, view.strides, strict=True) if n > 0]
    low = view.offset + sum(min(0, end) for end in ends)
    return Reach(view.buffer, low, view.offset + sum(max(0, end) for end in ends))
