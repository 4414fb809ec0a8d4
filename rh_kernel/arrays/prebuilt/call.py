"""A call of a kernel of the prebuilt library: its parameters, and the places of its arrays."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.axes import Axis
from rh_kernel.loops.ir import Map, Number, Store, View

MOST_AXES = 12
"""The most axes of each kind that a kernel takes: ``AXES`` in ``axes.h``."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a kernel with these parameters, and behind them these views, and strips filled with ``constants``.

    ``workspace`` is the size in numbers of a further array, which the kernel may overwrite; 0 if it takes none.
    """

    kernel: str
    parameters: tuple[int, ...]
    views: tuple[View, ...]
    constants: tuple[float, ...] = ()
    workspace: int = 0


def bits(value: float) -> int:
    """Return a number of 64 bits as an integer."""
    found: int
    (found,) = struct.unpack("<q", struct.pack("<d", value))
    return found


def words(found: Sequence[Axis]) -> tuple[int, ...]:
    """Return axes as parameters: of each its extent, and then its strides. Raises ``Unsupported`` if there are too many."""
    if len(found) > MOST_AXES:
        raise Unsupported("a step has too many axes")
    return tuple([word for axis in found for word in (axis.extent, *axis.strides)])


def cleared(view: View) -> Map:
    """Return the step that sets all entries of a view to 0.0."""
    axes = [(n, s) for n, s in zip(view.shape, view.strides, strict=True) if s]
    target = View(view.buffer, view.offset, tuple([n for n, _ in axes]), tuple([s for _, s in axes]))
    return Map(target.shape, (), (Number(0.0),), (Store(target, 0),))


def is_empty(view: View) -> bool:
    """Whether the view has no entries."""
    return prod(view.shape) == 0
