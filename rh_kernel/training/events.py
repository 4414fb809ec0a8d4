"""What a training run tells, in order: ``Progress* (Diverged Progress*)* Trained``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training run is; ``measures`` holds the averages after each finished epoch, one tuple for each measure.

    ``samples_per_second`` counts training only. ``epoch`` is the number of epochs done, ``fraction`` the part of the whole.
    ``heap`` is the heap after the last finished batch: what is left of the run if it stops here. Its arrays are those of the
    next ``Progress`` too, who wants to keep them copies them. ``seconds`` is the time spent so far, measuring included,
    ``texts`` what is measured, and ``start`` what the locations that the run writes to held at first: nothing yet while the run
    is being made ready.
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


@dataclass(frozen=True, slots=True)
class Diverged:
    """After ``epoch``, for the first time, these locations or measures hold something that is no finite number."""

    epoch: int
    locations: tuple[str, ...]
    measures: tuple[str, ...]

    @property
    def text(self) -> str:
        """A sentence for the person who waits for the run."""
        what = [f"the content of {', '.join(self.locations)}"] if self.locations else []
        what += [f"the measure `{measure}`" for measure in self.measures]
        verb = "are" if len(what) > 1 else "is"
        return f"{' and '.join(what)} {verb} no longer finite since epoch {self.epoch}; try a smaller step"


@dataclass(frozen=True, slots=True)
class Trained:
    """The end of a run: the new heap, and of each measure its text and its averages after each epoch.

    ``samples`` is the size of the data, ``seconds`` the time spent on training and on measuring.
    """

    heap: Mapping[Location, Array] = field(repr=False, compare=False)
    measures: tuple[tuple[str, tuple[float, ...]], ...]
    epochs: int
    samples: int
    seconds: float


Event: TypeAlias = Progress | Diverged | Trained
