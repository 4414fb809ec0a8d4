"""``train P for p in D epochs e batch b shuffle s measure Q on D'`` as a stream of events (LANGUAGE §6)."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rh_kernel.arrays.arena import Contents
from rh_kernel.arrays.backend import Backend, Memory
from rh_kernel.arrays.backends import backend_for
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.costs import estimate
from rh_kernel.arrays.devices import Device
from rh_kernel.arrays.execution import disagree
from rh_kernel.arrays.options import DEFAULT, CompileOptions
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.stacks import places
from rh_kernel.loops.ir import Integers, Precision
from rh_kernel.primitives.contents import content
from rh_kernel.primitives.draws import seed_in
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.batches import MEASURE_REALS, Batches, BatchesInPieces, Pool, for_one, for_results, shared
from rh_kernel.training.clock import Clock
from rh_kernel.training.divergence import Watch
from rh_kernel.training.errors import BatchInPieces
from rh_kernel.training.events import Event, Progress, Reached, Remarked, Trained
from rh_kernel.training.samples import DataSet
from rh_kernel.training.stops import BatchCount, Stops
from rh_kernel.training.surfaces import Plane, Surfaces
from rh_kernel.typing.elaboration.items import TrainingRun

BETWEEN_EVENTS = 0.02
"""Seconds of work after which the caller gets control, to handle messages, draw, or stop."""

BETWEEN_LOOKS = 1.0
"""Seconds of work between two copies of the weights from a device."""

MANY = 1 << 16
"""Samples that are passed to the back end in one call, at most, when it covers several epochs."""

SMALL = 1 << 14
"""Largest contents, in entries, for which several epochs run in one call: they are copied first, to go back on divergence."""

AT_ONCE = BETWEEN_EVENTS / 4
"""Seconds, about, that the batches passed to the back end in one call should take."""


def train(
    run: TrainingRun,
    data: DataSet,
    measured: Mapping[str, DataSet],
    heap: Mapping[Location, Array],
    reals: int = 1 << 40,
    *,
    options: CompileOptions = DEFAULT,
    precision: Precision = "float64",
    device: Device = "cpu",
    backend: Backend | None = None,
    by: str = "on this machine",
    pool: Pool | None = None,
    planes: Sequence[Plane] = (),
    stops: Stops | None = None,
    each_epoch: bool = False,
) -> Iterator[Event]:
    """Train from ``heap``, which is not modified: each ``Progress`` has the heap so far, ``Trained`` the new one.

    The arrays of a ``Progress`` are overwritten before the next one is emitted.

    The samples of a batch, b of them, all run from the same heap, and the mean of the b changes is added to it. After each
    epoch, each measure is averaged over its data in ``measured``. There is an event about every 20 ms; a caller that stops
    iterating stops the run between two batches. Raises ``Rejected`` if the samples do not fit; ``Stuck`` if a command cannot
    be compiled, has too many equations or needs more than ``reals`` numbers at a time, a bound set ``by`` something; and, if
    the ``options`` are strict, at a point where a function is not smooth. A ``pool`` computes the pieces of batches, if there
    are several, and may raise failures of its own. Each surface of the run is drawn on its plane in ``planes``. With ``stops``
    there is a ``Reached`` after the batches that these name. With ``each_epoch`` each epoch ends with a
    ``Progress``.
    """

    def choice(seconds: float) -> Backend:
        return backend or backend_for(device, seconds)

    training = _Training(
        run, data, measured, heap, (reals, by), precision, choice, pool, options, planes, stops, each_epoch=each_epoch
    )
    return training.events()


class _Training:
    """A running training: its heap and curves so far, and which divergences have been reported."""

    def __init__(
        self,
        run: TrainingRun,
        data: DataSet,
        measured: Mapping[str, DataSet],
        heap: Mapping[Location, Array],
        bound: tuple[int, str],
        precision: Precision,
        choice: Callable[[float], Backend],
        pool: Pool | None,
        options: CompileOptions,
        planes: Sequence[Plane],
        stops: Stops | None,
        *,
        each_epoch: bool,
    ) -> None:
        self.precision: Precision = precision
        self.choice = choice
        self.pool = pool
        self.each_epoch = each_epoch
        self.run = run
        self.data = data
        self.measured = measured
        self.bound = bound
        self.options = options
        self.planes = planes
        self.surfaces = Surfaces((), (), (), run.epochs)
        self.heap = dict(heap)
        self.start: dict[Location, Array] = {}
        self.contents: Mapping[Location, Array] | None = None
        self.curves: tuple[list[float], ...] = tuple([[] for _ in run.measures])
        self.epoch = 0
        self.samples = 0
        self.batches = BatchCount(stops)
        self.shown = 0.0
        self.batches_per_call = 1
        self.steps: Batches | BatchesInPieces | None = None
        self.last_update = 0.0
        self.stale = False
        self.joins = False  # whether the samples of a batch meet in the program
        self.clock = Clock()
        self.training_seconds = 0.0
        self.rng = None if run.shuffle is None else np.random.default_rng(run.shuffle)
        self.unshuffled: Integers = np.arange(data.size)[None]
        self.watch = Watch({})

    def events(self) -> Iterator[Event]:
        yield from self._emit(self._progress())
        with gc_paused():
            step, steps, averages = self._prepared()
        self.steps = steps
        try:
            yield from self._run(step, steps, averages)
        finally:
            if isinstance(steps, BatchesInPieces):
                steps.close()
            for batches in (steps, *averages):
                batches.feed.close()
            self.surfaces.close()

    def _run(self, step: Program, steps: Batches | BatchesInPieces, averages: Sequence[Batches]) -> Iterator[Event]:
        run = self.run
        writes = tuple([place for location, _ in step.writes for place in places(location)])
        self.start = {at: found for at in writes if (found := content(self.heap, at)) is not None}
        self.watch = Watch(self.start)
        self.surfaces.record(0)
        while self.epoch < run.epochs:
            count = 1 if averages or self.surfaces or self.each_epoch else self._epochs(steps)
            orders = self._orders(count)
            if count > 1 and (yield from self._train_epochs(steps, orders)):
                continue
            for order in orders:
                for batches in (steps, *averages):
                    batches.begin(self.epoch)
                yield from self._train_epoch(steps, order)
                if self.epoch == run.epochs - 1:
                    self._update_heap(last=True)
                for average, curve in zip(averages, self.curves, strict=True):
                    curve.append((yield from self._average(average)))
                yield from self._report_divergence(steps)
                self.epoch += 1
                self.surfaces.record(self.epoch)
                if self.epoch == run.epochs:
                    yield from self._stop(order[-(len(order) % run.batch or run.batch) :])
                if self.each_epoch:
                    self._update_heap(last=steps.machine.backend.is_device)
                    yield from self._emit(self._progress())
        surfaces = self.surfaces.now(exactly=True)
        yield from self._emit(self._progress())
        curves = tuple([(m.text, tuple(curve)) for m, curve in zip(run.measures, self.curves, strict=True)])
        self._freeze(steps.machine.memory, writes)
        yield Trained(dict(self.heap), curves, run.epochs, self.data.size, self.clock.seconds, surfaces)

    def _prepared(self) -> tuple[Program, Batches | BatchesInPieces, list[Batches]]:
        """Return the program of a step, and the batches that run it and each of the measures."""
        run = self.run
        names = [name for name, _ in run.sample]
        sets = [self.data, *(self.measured[m.data] for m in run.measures), *(plane.grid for plane in self.planes)]
        programs = self._compiled(names, self.options)
        if disagree(programs):
            programs = self._compiled(names, replace(self.options, fewest=None))
        step, *measures = programs
        if run.pieces > 1 and self.joins:
            raise Rejected(BatchInPieces())
        batches = -(-self.data.size // run.batch)
        seconds = estimate(step, batches, self.data.size)
        seconds += sum(estimate(program, 1, data.size) for program, data in zip(measures, sets[1:], strict=True))
        backend = self.choice(run.epochs * seconds)
        memory = shared(programs, self.heap, self.precision, backend)
        runs = run.epochs * batches
        seed = seed_in(self.heap)
        whole, *others = [
            Batches(p, names, data, memory, self.precision, backend, runs, self.bound[0], seed=seed, splits=not self.joins)
            for p, data in zip(programs, sets, strict=True)
        ]
        averages, drawn = others[: len(run.measures)], others[len(run.measures) :]
        self.surfaces = Surfaces([one.text for one in run.surfaces], self.planes, drawn, run.epochs)
        steps = whole
        if run.pieces > 1:
            remote = None
            if self.pool is not None and not step.draws:
                piece = estimate(step, 1, -(-min(run.batch, self.data.size) // run.pieces))
                remote = self.pool.pieces(step, names, self.data, self.heap, self.precision, backend, piece)
            steps = BatchesInPieces(whole, run.pieces, remote)
        steps.require(run.batch, *self.bound)
        for average in averages:
            average.require(average.measured_at_once(self.bound[0]), *self.bound)
        return step, steps, averages

    def _compiled(self, names: Sequence[str], options: CompileOptions) -> tuple[Program, ...]:
        """Return the program of a step, and those of the measures and the surfaces."""
        run = self.run
        measures = [for_results(m.command, names, self.measured[m.data], options) for m in run.measures]
        surfaces = [for_results(s.command, names, p.grid, options) for s, p in zip(run.surfaces, self.planes, strict=True)]
        step = for_one(run.command, run.sample, self.data, options)
        self.joins = step.joins_batch
        return (batched(step), *measures, *surfaces)

    def _epochs(self, steps: Batches | BatchesInPieces) -> int:
        """How many epochs to run in one call: only if they consist of whole batches, and never the last epoch."""
        batch = min(self.run.batch, self.data.size)
        entries = sum(content.size for content in steps.machine.memory.values())
        machine = steps.machine
        if self.data.size % batch or machine.backend.is_device or entries > SMALL or machine.program.draws:
            return 1
        count = max(1, min(min(self.batches_per_call * batch, MANY) // self.data.size, self.run.epochs - 1 - self.epoch))
        return self.batches.at_most_epochs(count, self.data.size // batch)

    def _orders(self, count: int) -> Integers:
        """The order of the samples in each of the next epochs (epochs × samples)."""
        size = self.data.size
        if self.rng is not None:
            return np.stack([self.rng.permutation(size) for _ in range(count)])
        if len(self.unshuffled) < count:
            self.unshuffled = np.tile(self.unshuffled[0], (count, 1))
        return self.unshuffled[:count]

    def _train_epochs(self, steps: Batches | BatchesInPieces, orders: Integers) -> Generator[Event, None, bool]:
        """Run several epochs in one call; undo them if something diverged, so that single epochs can show when."""
        machine, began, before = steps.machine, self.clock.seconds - self.training_seconds, self.clock.turn
        self.contents = machine.memory.fetch(self.contents)
        rows = orders.reshape(-1, min(self.run.batch, self.data.size))
        steps.expect(orders.reshape(-1), rows.shape[1])
        steps.change(rows)
        if self.watch.has_diverged(machine.memory):
            machine.memory.store(self.contents)
            return False
        self.stale = True
        self.samples += rows.size
        self.batches.done += len(rows)
        self.epoch += len(orders)
        self.batches_per_call = _next_count(len(rows), self.clock.turn - before)
        self.training_seconds = self.clock.seconds - began
        yield from self._report_progress(began)
        return True

    def _train_epoch(self, steps: Batches | BatchesInPieces, order: Integers) -> Iterator[Event]:
        """Run one epoch in that order: whole batches, as many per call as there is time for, then the remaining samples."""
        began = self.clock.seconds - self.training_seconds
        batch = min(self.run.batch, self.data.size)
        whole = len(order) // batch
        rows = order[: whole * batch].reshape(whole, batch)
        steps.expect(order, batch)
        at = 0
        while at < whole:
            yield from self._stop(rows[at])
            before = self.clock.turn
            done = rows[at : at + self.batches.at_most(self.batches_per_call)]
            steps.change(done)
            self.stale = True
            at += len(done)
            self.batches.done += len(done)
            self.samples += done.size
            self.batches_per_call = _next_count(len(done), self.clock.turn - before)
            yield from self._report_progress(began)
        if left := len(order) - whole * batch:
            yield from self._stop(order[-left:])
            steps.change(order[None, -left:])
            self.stale = True
            self.batches.done += 1
            self.samples += left
            yield from self._report_progress(began)
        self.training_seconds = self.clock.seconds - began

    def _stop(self, samples: Integers) -> Iterator[Event]:
        """Emit ``Reached`` if the run is to stop before these samples, or after them if they are the last."""
        if not self.batches.is_due or self.steps is None:
            return
        if self.stale:
            self.heap.update(self.steps.machine.seen())
            self.stale = False
        yield from self._emit(Reached(self.batches.done, self.epoch, samples, dict(self.heap), self.clock.seconds))
        if self.clock.seconds - self.shown > BETWEEN_EVENTS:
            yield from self._emit(self._progress())

    def _report_progress(self, began: float) -> Iterator[Event]:
        """Emit what happened elsewhere, and progress if it is time to."""
        if isinstance(self.steps, BatchesInPieces):
            for text in self.steps.remarks():
                yield from self._emit(Remarked(text))
        if self.clock.turn > BETWEEN_EVENTS:
            self.training_seconds = self.clock.seconds - began
            yield from self._emit(self._progress())

    def _update_heap(self, *, last: bool = False) -> None:
        """Update the heap from the memory; from a device only once a second, and at the ``last`` call."""
        if self.steps is None or not (self.stale or last):
            return
        machine, now = self.steps.machine, self.clock.seconds
        if last and not machine.backend.is_device:
            self.heap.update(machine.written(ended=True))
        elif last or not machine.backend.is_device or now - self.last_update >= BETWEEN_LOOKS:
            self.heap.update(machine.seen())
            self.last_update = now
        else:
            return
        self.stale = False

    def _freeze(self, memory: Memory, writes: Sequence[Location]) -> None:
        """Make the results read-only."""
        if isinstance(memory, Contents):
            memory.close()
        for location in writes:
            self.heap[location].setflags(write=False)

    def _average(self, measure: Batches) -> Generator[Event, None, float]:
        """Average a measure over all its samples, with the current contents."""
        total = 0.0
        piece = measure.samples(MEASURE_REALS)
        together = min(piece, measure.measured_at_once(self.bound[0]))
        measure.expect(np.arange(measure.size), together)
        for at in range(0, measure.size, piece):
            total += measure.total(at, min(at + piece, measure.size), together)
            if self.clock.turn > BETWEEN_EVENTS:
                yield from self._emit(self._progress())
        measure.feed.close()
        return total / measure.size

    def _report_divergence(self, steps: Batches | BatchesInPieces) -> Iterator[Event]:
        """Report what has diverged in this epoch."""
        near = not steps.machine.backend.is_device
        if not near:
            self._update_heap()
        # Contents in host memory are checked in place.
        found = steps.machine.memory if near else self.heap
        texts = [measure.text for measure in self.run.measures]
        for event in self.watch.events(self.epoch + 1, found, self.curves, texts):
            yield from self._emit(event)

    def _progress(self) -> Progress:
        self._update_heap()
        self.shown = self.clock.seconds
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
            self.surfaces.now(),
        )

    def _emit(self, event: Event) -> Iterator[Event]:
        """Emit an event, with the clock stopped while the caller has control."""
        self.clock.stop()
        yield event
        self.clock.go()


def _next_count(done: int, seconds: float) -> int:
    """How many batches to run in the next call, after ``done`` took ``seconds``; at most four times as many."""
    if seconds <= 0:
        return 4 * done
    return max(1, min(4 * done, int(done * AT_ONCE / seconds)))
