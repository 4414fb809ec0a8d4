"""``train P for p in D epochs e batch b shuffle s measure Q on D'`` as a stream of events (LANGUAGE §6)."""

import time
from collections.abc import Generator, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.builder import LONGEST
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.batches import Batches, for_changes, for_results, weighted_sum
from rh_kernel.training.events import Diverged, Event, Progress, Trained
from rh_kernel.training.samples import DataSet
from rh_kernel.typing.items import TrainingRun

BETWEEN_EVENTS = 0.02
"""Seconds of work after which the caller gets a turn, to look at messages, to draw, or to stop."""


def train(
    run: TrainingRun,
    data: DataSet,
    measured: Mapping[str, DataSet],
    heap: Mapping[Location, Array],
    reals: int = 1 << 40,
    *,
    strict: bool = False,
    longest: int = LONGEST,
) -> Iterator[Event]:
    """Trains from ``heap``, which is left as it is: each ``Progress`` holds the heap so far, and ``Trained`` the new one.

    A batch of b samples runs from one heap, and the mean of the b changes is added to it. After each epoch each measure is
    averaged over the data that it names in ``measured``. There is an event about every 20 ms; who asks for no more stops
    the run between two batches. Raises ``Rejected`` if the samples do not fit, ``Stuck`` if a command cannot be compiled,
    would have more than ``longest`` equations or hold more than ``reals`` numbers at a time; and, if it is ``strict``, at a
    point where a function is not smooth.
    """
    return _Training(run, data, measured, heap, reals, strict=strict, longest=longest).events()


class _Clock:
    """Seconds of work: it stands still while the caller has the turn."""

    def __init__(self) -> None:
        self._before = 0.0
        self._since = time.perf_counter()

    @property
    def seconds(self) -> float:
        return self._before + self.turn

    @property
    def turn(self) -> float:
        """Seconds since the caller last had the turn."""
        return time.perf_counter() - self._since

    def stop(self) -> None:
        self._before = self.seconds

    def go(self) -> None:
        self._since = time.perf_counter()


class _Training:
    """A run under way: the heap and the curves so far, and what has been told of them."""

    def __init__(
        self,
        run: TrainingRun,
        data: DataSet,
        measured: Mapping[str, DataSet],
        heap: Mapping[Location, Array],
        reals: int,
        *,
        strict: bool,
        longest: int,
    ) -> None:
        self.run = run
        self.data = data
        self.measured = measured
        self.reals = reals
        self.strict = strict
        self.longest = longest
        self.heap = dict(heap)
        self.start: dict[Location, Array] = {}
        self.curves: tuple[list[float], ...] = tuple([[] for _ in run.measures])
        self.epoch = 0
        self.samples = 0
        self.clock = _Clock()
        self.training_seconds = 0.0
        self.told: set[Location | int] = {loc for loc, array in heap.items() if not np.isfinite(array).all()}

    def events(self) -> Iterator[Event]:
        run = self.run
        yield from self._tell(self._progress())
        steps = for_changes(run.command, run.sample, self.data, self.reals, strict=self.strict, longest=self.longest)
        self.start = {location: self.heap[location] for location in steps.writes if location in self.heap}
        names = [name for name, _ in run.sample]
        measures = [
            for_results(m.command, names, self.measured[m.data], self.reals, strict=self.strict, longest=self.longest)
            for m in run.measures
        ]
        rng = None if run.shuffle is None else np.random.default_rng(run.shuffle)
        for self.epoch in range(run.epochs):
            yield from self._train(steps, None if rng is None else rng.permutation(self.data.size))
            for measure, curve in zip(measures, self.curves, strict=True):
                curve.append((yield from self._average(measure)))
            yield from self._watch(steps.writes)
        self.epoch = run.epochs
        yield from self._tell(self._progress())
        curves = tuple([(m.text, tuple(curve)) for m, curve in zip(run.measures, self.curves, strict=True)])
        yield Trained(dict(self.heap), curves, run.epochs, self.data.size, self.clock.seconds)

    def _train(self, steps: Batches, order: npt.NDArray[np.intp] | None) -> Iterator[Event]:
        """One epoch, in ``order`` if there is one."""
        began = self.clock.seconds - self.training_seconds
        for start in range(0, self.data.size, self.run.batch):
            stop = min(start + self.run.batch, self.data.size)
            new: dict[Location, Array] | None = None
            for at in range(start, stop, steps.piece):
                end = min(at + steps.piece, stop)
                changes = steps.changes(slice(at, end) if order is None else order[at:end], self.heap)
                whole = end - at == stop - start
                new = changes if whole else weighted_sum(new, changes, (end - at) / (stop - start))
                self.samples += end - at
                if end == stop:
                    self.heap.update(new)
                if self.clock.turn > BETWEEN_EVENTS:
                    self.training_seconds = self.clock.seconds - began
                    yield from self._tell(self._progress())
        self.training_seconds = self.clock.seconds - began

    def _average(self, measure: Batches) -> Generator[Event, None, float]:
        """The average of a measure over all its samples, from the current heap."""
        total = 0.0
        for at in range(0, measure.size, measure.piece):
            total += measure.total(slice(at, min(at + measure.piece, measure.size)), self.heap)
            if self.clock.turn > BETWEEN_EVENTS:
                yield from self._tell(self._progress())
        return total / measure.size

    def _watch(self, writes: tuple[Location, ...]) -> Iterator[Event]:
        """Tells of what is no longer finite since this epoch."""
        locations = [loc for loc in writes if loc not in self.told and not np.isfinite(self.heap[loc]).all()]
        measures = [i for i, curve in enumerate(self.curves) if i not in self.told and not np.isfinite(curve[-1])]
        if locations or measures:
            self.told.update(locations, measures)
            texts = tuple([self.run.measures[i].text for i in measures])
            yield from self._tell(Diverged(self.epoch + 1, tuple([loc.name for loc in locations]), texts))

    def _progress(self) -> Progress:
        samples = self.run.epochs * self.data.size
        speed = self.samples / self.training_seconds if self.training_seconds else 0.0
        curves = tuple([tuple(curve[: self.epoch]) for curve in self.curves])
        return Progress(
            self.epoch,
            self.run.epochs,
            self.samples / samples,
            curves,
            speed,
            dict(self.heap),
            self.clock.seconds,
            tuple([measure.text for measure in self.run.measures]),
            self.start,
        )

    def _tell(self, event: Event) -> Iterator[Event]:
        """Gives the caller the turn, with the clock stopped."""
        self.clock.stop()
        yield event
        self.clock.go()
