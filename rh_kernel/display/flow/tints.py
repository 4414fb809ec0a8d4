"""Tints: the strength of the colour of a box, by the logarithm of a size between the extremes of the whole recording."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rh_kernel.denotational.drawing.elements import PlacedBox
from rh_kernel.denotational.drawing.layout import Layout
from rh_kernel.denotational.drawing.sketch import Sketch, with_inner
from rh_kernel.display.palette import BACKWARD, COLOURS
from rh_kernel.session.flow.records import QUANTITIES, FlowMade, FlowNet, Quantity
from rh_kernel.syntax.printing.doc import Role

COLOUR: Mapping[Quantity, str] = {
    Quantity.VALUE: COLOURS[Role.FUNCTION],
    Quantity.COTANGENT: BACKWARD,
    Quantity.CHANGE: COLOURS[Role.OPERATION],
}
"""The forward pass is blue and the backward pass ochre, as in all diagrams."""

MOST_NETS = 4
"""The most nets that are drawn."""

PALEST, STRONGEST = 0.06, 0.62
"""The opacity of the least and of the greatest size."""

LEAST_RANGE = 10.0
"""The greatest size of a scale is at least so many times the least, so that small differences do not look large."""


@dataclass(frozen=True, slots=True)
class TintScale:
    """A logarithmic scale from ``low`` to ``high``."""

    low: float
    high: float

    def strength(self, size: float) -> float | None:
        """The position of a size, from 0 to 1; ``None`` if it is 0 or not a finite number."""
        if not math.isfinite(size) or size <= 0:
            return None
        return min(max(math.log(size / self.low) / math.log(self.high / self.low), 0.0), 1.0)

    def opacity(self, size: float) -> float:
        """The opacity of the colour of a size."""
        found = self.strength(size)
        return 0.0 if found is None else PALEST + (STRONGEST - PALEST) * found


def shown_quantity(made: FlowMade) -> Quantity:
    """Return the quantity that is shown at first: the cotangent, if there is one."""
    return Quantity.COTANGENT if made.extremes(Quantity.COTANGENT) is not None else Quantity.VALUE


def tint_scale(made: FlowMade, quantity: Quantity) -> TintScale | None:
    """Return the scale for all frames; ``None`` if no size is finite and not 0."""
    found = made.extremes(quantity)
    if found is None:
        return None
    low, high = found
    missing = math.sqrt(max(LEAST_RANGE * low / high, 1.0))
    return TintScale(low / missing, high * missing)


def measured_boxes(made: FlowMade, net: FlowNet, drawn: Layout) -> Mapping[int, tuple[int, ...]]:
    """Map each drawn box, by its first member, to the positions of the measured boxes in it."""
    first = next(sum([len(other.boxes) for other in made.nets[:i]]) for i, n in enumerate(made.nets) if n is net)
    at = {box.number: first + i for i, box in enumerate(net.boxes)}
    return {box.members[0]: _positions(box, drawn.sketch, at) for box in drawn.drawing.boxes}


def _positions(box: PlacedBox, s: Sketch, at: Mapping[int, int]) -> tuple[int, ...]:
    members = [inner.number for number in box.members for inner in with_inner(s.every[number])]
    return tuple(dict.fromkeys([at[number] for number in members if number in at]))


def size_of(made: FlowMade, frame: int, quantity: Quantity, positions: Sequence[int]) -> float:
    """The size of a drawn box in a frame, the largest of the boxes in it; nan if it has none."""
    found = [float(made.sizes[frame, QUANTITIES.index(quantity), i]) for i in positions]
    known = [size for size in found if not math.isnan(size)]
    return max(known, default=np.nan)
