"""The events of a training run, in order: ``Progress* ((Diverged | Grown | Remarked) Progress*)* Trained``.

A run that stops at batches for somebody has ``Reached`` between them, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.loops.ir import Integers
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.surfaces import Surface


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a training run; ``measures`` has one tuple per measure, of its averages after each finished epoch.

    ``epoch`` counts finished epochs, ``fraction`` is the share of the whole run that is done, and ``samples_per_second`` counts
    training only. ``heap`` is the heap after the last finished batch, which is the run's result if it stops here; the next
    ``Progress`` reuses its arrays, so copy them to keep them. ``seconds`` is the time spent so far, including measuring.
    ``texts`` are the measures as written, and ``start`` the initial contents of the locations that the run writes to, empty
    while the run is being prepared.
    """

    epoch: int
    epochs: int
    fraction: float
    measures: tuple[tuple[float, ...], ...]
    samples_per_second: float
    heap: Mapping[Location, Array] = field(repr=False, compare=False, default_factory=dict[Location, Array])
    seconds: float = 0.0
    texts: tuple[str, ...] = ()
    start: Mapping[Location, Array] = field(repr=False, compare=False, default_factory=dict[Location, Array])
    surfaces: tuple[Surface, ...] = field(repr=False, compare=False, default=())


@dataclass(frozen=True, slots=True)
class Diverged:
    """After ``epoch`` these locations or measures contain, for the first time, a number that is not finite."""

    epoch: int
    locations: tuple[str, ...]
    measures: tuple[str, ...]

    @property
    def text(self) -> str:
        """A sentence for the user."""
        what = [f"the content of {', '.join(self.locations)}"] if self.locations else []
        what += [f"the measure `{measure}`" for measure in self.measures]
        verb = "are" if len(what) > 1 else "is"
        return f"{' and '.join(what)} {verb} no longer finite since epoch {self.epoch}; try a smaller step"


@dataclass(frozen=True, slots=True)
class Grown:
    """By ``epoch`` the contents of these locations have become, for the first time, very much larger than at the start.

    ``start`` and ``now`` are the largest absolute values of the first of them, which has the largest now.
    """

    epoch: int
    locations: tuple[str, ...]
    start: float
    now: float

    @property
    def text(self) -> str:
        """A sentence for the user."""
        first, *others = self.locations
        more = f" ({', '.join(others)} {'has' if len(others) == 1 else 'have'} grown, too)" if others else ""
        sizes = f"the largest entry of {first} was {self.start:.3g} at the start and is {self.now:.3g} by epoch {self.epoch}"
        return f"{sizes}{more}; try a smaller step"


@dataclass(frozen=True, slots=True)
class Remarked:
    """Something happened that does not change the result: a worker left, and what it was doing was done again"""

    text: str


@dataclass(frozen=True, slots=True)
class Reached:
    """So many batches have run, after which the run was asked to stop.

    ``samples`` are the numbers, in the data set, of the samples of the batch that comes next, after the last batch of those
    of that one. ``heap`` is the heap before it, as in ``Progress``; ``epoch`` counts finished epochs, and ``seconds`` is the
    time spent so far.
    """

    batch: int
    epoch: int
    samples: Integers = field(repr=False, compare=False)
    heap: Mapping[Location, Array] = field(repr=False, compare=False)
    seconds: float


@dataclass(frozen=True, slots=True)
class Trained:
    """The end of a run: the new heap, and for each measure its text and its averages after each epoch.

    ``samples`` is the size of the data, ``seconds`` the time spent on training and on measuring.
    """

    heap: Mapping[Location, Array] = field(repr=False, compare=False)
    measures: tuple[tuple[str, tuple[float, ...]], ...]
    epochs: int
    samples: int
    seconds: float
    surfaces: tuple[Surface, ...] = field(repr=False, compare=False, default=())


Event: TypeAlias = Progress | Diverged | Grown | Remarked | Reached | Trained
