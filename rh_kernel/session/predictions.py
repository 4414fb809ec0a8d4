"""The results of ``%confusion``, the classes of all samples by target and by net, of ``%surface`` and of ``%sees``."""

from collections.abc import Mapping

import numpy as np

from rh_kernel.loops.ir import Integers
from rh_kernel.session.results import Pass, Result
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.training.sources import Source
from rh_kernel.training.surfaces import Surface

NONE = -1
"""The predicted class of a sample with an output that is not finite."""


@frozen
class Input:
    """A component of the samples that the net reads, with the least and the greatest of its numbers."""

    source: Source
    low: float
    high: float


@frozen
class ConfusionShown(Result):
    """``%confusion P for (x, t) in data("…")``: for each of N samples its class, by ``targets`` (N,) and by P (N,).

    ``subject`` is P as written. ``excess`` (N,) is by how much the largest output for another class exceeds that for the class
    of the target: positive where P is wrong, infinite where an output is not finite. P depends on the components ``inputs``.
    """

    subject: str
    data: str
    classes: int
    targets: Integers
    predicted: Integers
    excess: Array
    inputs: Mapping[str, Input]

    @property
    def size(self) -> int:
        """The number N of samples."""
        return len(self.targets)

    @property
    def right(self) -> int:
        """How many samples have the same class by both."""
        return int(np.count_nonzero(self.targets == self.predicted))

    @property
    def counts(self) -> Integers:
        """How many samples of each class have each predicted class, the last column is for none: (classes, classes + 1)."""
        k = self.classes
        predicted = np.where(self.predicted == NONE, k, self.predicted)
        return np.bincount(self.targets * (k + 1) + predicted, minlength=k * (k + 1)).reshape(k, k + 1)

    def chosen(self, target: int | None, predicted: int | None) -> Integers:
        """Return the numbers of the samples in a cell, the most wrong first; ``None`` is any class."""
        fits = np.ones(self.size, bool)
        if target is not None:
            fits &= self.targets == target
        if predicted is not None:
            fits &= self.predicted == predicted
        found = np.flatnonzero(fits)
        return found[np.argsort(-self.excess[found], kind="stable")]


@frozen
class SurfaceShown(Result):
    """``%surface P for (x, t) in data("…")``: P over the plane of the two numbers of x"""

    surface: Surface


@frozen
class Seen:
    """What a command makes of one sample: its number, the components that the command depends on, and the pass."""

    number: int
    components: Mapping[str, Array]
    made: Pass


@frozen
class SeenShown(Result):
    """``%sees P for (x, t) in data("…")``: the passes of P for some samples, none of which took effect.

    ``ranges`` are the least and the greatest number of each component in these samples.
    """

    subject: str
    data: str
    size: int
    samples: tuple[Seen, ...]
    ranges: Mapping[str, tuple[float, float]]


def excess(results: Array, targets: Integers) -> Array:
    """Return the largest output for another class minus that for the target's class: (N, classes), (N,) ↦ (N,)."""
    rows = np.arange(len(results))
    with np.errstate(invalid="ignore"):
        others = results.copy()
        others[rows, targets] = -np.inf
        found = others.max(axis=1) - results[rows, targets]
    return np.where(np.isfinite(results).all(axis=1), found, np.inf)
