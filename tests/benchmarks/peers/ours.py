"""This project as a user has it: the program as text, its weights and its data in files beside it."""

import math
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.execution import Machine, machine
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.session.results import Event, ItemFailed, Shown, TrainingDone
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import TrainItem
from rh_kernel.training.batches import for_one
from rh_kernel.training.data import DataSet, load
from rh_kernel.training.events import Diverged, Grown, Progress, Reached, Remarked, Trained
from rh_kernel.training.events import Event as TrainingEvent
from rh_kernel.training.loop import train
from rh_kernel.typing.elaboration.items import TrainingRun, elaborate_training
from tests.benchmarks import texts
from tests.benchmarks.peers.peer import Precision, Unavailable, aligned, clock
from tests.benchmarks.problems import Arrays, Floats, Problem

LONG_ENOUGH = 0.1
"""Seconds that a training run has to take for its pace to be known."""

MOST_DATA = 1 << 19
"""How many numbers the samples of a training run may have altogether."""


class Failed(Exception):
    """An item of a program has an error."""


class Opened:
    """A session with a net and its data, in a folder of its own."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision, *, initial: bool = True) -> None:
        self.problem = problem
        self.precision: Precision = precision
        path = Path(mkdtemp())
        weakref.finalize(self, rmtree, path, ignore_errors=True)
        for i, w in enumerate(arrays.weights):
            np.save(path / f"w{i}.npy", w)
        self.copies = max(1, min(256, MOST_DATA // (arrays.x.size + arrays.t.size)))
        x, t = [np.concatenate([a] * self.copies) for a in (arrays.x, arrays.t)]
        np.savez(path / "batch.npz", x=arrays.x, t=arrays.t)
        np.savez(path / "batches.npz", x=x, t=t)
        self.session = Session.start(path)
        if initial:
            self.do(f"%dtype {precision}\n{texts.declarations(problem.net)}")

    def events(self, text: str) -> Iterator[Event]:
        """What a text gives; the session is then the one after it."""
        run = execute(self.session, Source("bench", text))
        while True:
            try:
                event = next(run)
            except StopIteration as end:
                self.session = end.value
                return
            if isinstance(event, Shown) and isinstance(event.result, ItemFailed):
                raise Failed(str(event.result.diagnostics))
            yield event

    def do(self, text: str) -> None:
        """A text to its end."""
        for _ in self.events(text):
            pass

    def data(self, name: str) -> DataSet:
        """The samples of one batch, or of many."""
        return load(name, self.session.folder, {}, Span(Source("bench", ""), 0, 0))

    def elaborated(self) -> TrainingRun:
        """The training run on one batch."""
        item = parse(Source("bench", texts.training(self.problem)))[0]
        assert isinstance(item, TrainItem)
        sample = self.data("batch.npz")
        return elaborate_training(self.session.definitions, item, lambda _name, _span: sample.types)

    def measured(self, command: str) -> float:
        """The average of a command over the batch, after a step."""
        found: list[float] = []
        for event in self.events(f"{texts.training(self.problem)}  measure {command}\n"):
            match event:
                case Shown(_, TrainingDone() as done):
                    found += done.measures[0][1]
                case _:
                    pass
        return found[0]

    def prepared(self, precision: Precision, backend: Backend) -> tuple[Machine, list[Array]]:
        """The program of a step on a back end, and its inputs."""
        run, data = self.elaborated(), self.data("batch.npz")
        made = machine(batched(for_one(run.command, run.sample, data)), self.session.heap, precision, backend)
        return made, [aligned(data.arrays[name], precision) for name, _ in run.sample]

    def contents(self, heap: dict[str, Array]) -> tuple[Floats, ...]:
        """The weights in a heap, in the order of the net."""
        return tuple([np.array(heap[name]) for name in texts.names(self.problem.net)])


class InSession(Opened):
    """``train`` as a cell, in the session's own way."""

    def run(self, steps: int) -> None:
        """As many epochs of one batch."""
        self.do(texts.training(self.problem, steps))

    def weights(self) -> tuple[Floats, ...]:
        """What the heap holds."""
        return self.contents({location.name: array for location, array in self.session.heap.items()})


class StepByStep(Opened):
    """Each step a call from Python, with the samples as arguments."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision, backend: Callable[[], Backend] = NumPy) -> None:
        super().__init__(problem, arrays, precision)
        self.machine, self.inputs = self.prepared(precision, backend())
        self.runner = self.machine.runner(problem.batch)

    def run(self, steps: int) -> None:
        """Nothing but calls."""
        step, (x, t) = self.runner.step, self.inputs
        for _ in range(steps):
            step(x, t)

    def weights(self) -> tuple[Floats, ...]:
        """What the memory holds."""
        found = self.machine.memory.fetch()
        return self.contents({location.name: array for location, array in found.items()})


class InOneCall(Opened):
    """A training run. The time of a step is that between the first event with steps done and the end."""

    epochs = 1

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision, backend: Callable[[], Backend] = NumPy) -> None:
        super().__init__(problem, arrays, precision)
        self.backend = backend()
        self.one, self.many = self.data("batch.npz"), self.data("batches.npz")
        self.training = self.elaborated()
        self.heap = dict(self.session.heap)

    def run(self, steps: int) -> None:
        """As many epochs of one batch."""
        for event in self._events(self.one, steps):
            if isinstance(event, Trained):
                self.heap = dict(event.heap)

    def seconds(self, steps: int) -> float:
        """What so many steps take within a run that has begun."""
        while True:
            taken = self._seconds()
            if taken is not None:
                each = taken / (self.epochs * self.copies)
                self.epochs = max(1, math.ceil(LONG_ENOUGH / (each * self.copies)))
                return each * steps
            self.epochs *= 4

    def weights(self) -> tuple[Floats, ...]:
        """What the heap holds."""
        return self.contents({location.name: array for location, array in self.heap.items()})

    def _events(self, data: DataSet, epochs: int) -> Iterator[TrainingEvent]:
        run = replace(self.training, epochs=epochs)
        return train(run, data, {}, self.heap, precision=self.precision, backend=self.backend)

    def _seconds(self) -> float | None:
        """Seconds of a whole run, by its pace after its first word; ``None`` if it was too short to tell."""
        marks: list[tuple[float, float]] = []
        for event in self._events(self.many, self.epochs):
            match event:
                case Progress():
                    marks.append((event.fraction, clock()))
                case Trained():
                    marks.append((1.0, clock()))
                case Diverged() | Grown() | Reached() | Remarked():
                    pass
        (fraction, began), (_, end) = next(m for m in marks if m[0] > 0), marks[-1]
        return (end - began) / (1 - fraction) if fraction < 0.5 else None


def native() -> Backend:
    """The native back end. Raises ``Unavailable`` where there is none."""
    from rh_kernel.arrays.native import Native, available, diagnose

    if not available():
        raise Unavailable(diagnose())
    return Native()


native_steps = partial(StepByStep, backend=native)
native_in_one_call = partial(InOneCall, backend=native)
