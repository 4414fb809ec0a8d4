"""The axes of a step: extents, and a stride for each view; as few as the views allow."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.loops.ir import View


@dataclass(frozen=True, slots=True)
class Axis:
    """``extent`` indices; one more moves view number i by ``strides[i]`` entries"""

    extent: int
    strides: tuple[int, ...]

    @property
    def fixed(self) -> bool:
        """Whether no view moves along it."""
        return not any(self.strides)


def axes(shape: Sequence[int], views: Sequence[View]) -> tuple[Axis, ...]:
    """The axes of views of one shape, the outermost first; those of one index are left out, and neighbours made one."""
    found = [Axis(n, tuple([view.strides[i] for view in views])) for i, n in enumerate(shape) if n != 1]
    return merged(sorted(found, key=_outermost))


def _outermost(axis: Axis) -> tuple[int, ...]:
    return tuple([-abs(s) for s in axis.strides])


def merged(found: Sequence[Axis]) -> tuple[Axis, ...]:
    """The same indices with fewer axes: two become one where every view walks through both in equal steps."""
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
    """The axes along which a view moves that have to be walked one by one: along the others it meets no entry twice."""
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
    """The entries of a buffer from ``low`` to ``high``"""

    buffer: int
    low: int
    high: int

    def meets(self, other: "Reach") -> bool:
        """Whether the two may have an entry in common."""
        return self.buffer == other.buffer and self.low <= other.high and other.low <= self.high


def reach(view: View) -> Reach:
    """The smallest stretch of its buffer that a view lies in."""
    ends = [(n - 1) * s for n, s in zip(view.shape, view.strides, strict=True) if n > 0]
    low = view.offset + sum(min(0, end) for end in ends)
    return Reach(view.buffer, low, view.offset + sum(max(0, end) for end in ends))
