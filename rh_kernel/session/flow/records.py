"""The recording of a training run: for each box of a net and each recorded batch three sizes, without the arrays.

The size of an array is the root of the mean of the squares of its entries, so arrays of different shapes can be compared. The
change of a box is the size of what one sample adds to its weights, divided by the size of the weights. Of several samples it
is again the root of the mean of the squares.
"""

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from rh_kernel.session.results import Result
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array

if TYPE_CHECKING:
    from rh_kernel.denotational.arrows import Arrow


class Quantity(Enum):
    """What is measured of a box: its result, the cotangent that comes back to it, and the change of its weights."""

    VALUE = "value"
    COTANGENT = "cotangent"
    CHANGE = "change"


QUANTITIES = tuple(Quantity)
"""The quantities, in the order of the second axis of the sizes."""


@frozen
class FlowBox:
    """A box of a net: its number in the drawing, its text, the locations of its weights, and the boxes whose results it reads.

    ``units`` is the length of the first axis of its result. ``readable`` positions are those in ``FlowNet.boxes``.
    """

    number: int
    label: str
    locations: tuple[str, ...]
    reads: tuple[int, ...]
    units: int
    in_loop: bool = False


@frozen
class FlowNet:
    """A diagram that a reverse handler handles, with the boxes in it that are measured."""

    handler: str
    diagram: "Arrow"
    boxes: tuple[FlowBox, ...]


@frozen
class Frame:
    """Recorded passes: after so many batches, in which epoch, counted from 1, and on which samples of the data."""

    batch: int
    epoch: int
    samples: tuple[int, ...]


@frozen
class Finding:
    """Something to look at: a sentence, the positions of the boxes, the first frame, and where it is explained.

    ``lesson`` is the file of a lesson without its suffix, ``section`` the number of a section in it.
    """

    text: str
    boxes: tuple[int, ...]
    frame: int
    quantity: Quantity
    lesson: str
    section: int


@frozen
class FlowMade(Result):
    """``%flow train P for …``: the nets in P and the sizes of their boxes, an array (frames, 3, boxes of all nets).

    A size is nan where there is none, as the change of a box without weights. ``batches`` is the number of batches of the whole
    run, ``seconds`` the time that the recording took, ``trained`` that of training. ``ended`` says why the recording ended
    early, or is empty.
    """

    subject: str
    nets: tuple[FlowNet, ...]
    frames: tuple[Frame, ...]
    sizes: Array
    findings: tuple[Finding, ...]
    batches: int
    epochs: int
    seconds: float
    trained: float
    ended: str = ""

    @property
    def boxes(self) -> tuple[FlowBox, ...]:
        """The boxes of all nets, in the order of the last axis of the sizes."""
        return tuple([box for net in self.nets for box in net.boxes])

    def extremes(self, quantity: Quantity) -> tuple[float, float] | None:
        """Return the least and the greatest size that is finite and not 0, in all frames; ``None`` if there is none."""
        found = self.sizes[:, QUANTITIES.index(quantity), :]
        shown = found[np.isfinite(found) & (found > 0)]
        return (float(shown.min()), float(shown.max())) if shown.size else None
