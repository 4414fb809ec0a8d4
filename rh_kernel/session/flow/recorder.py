"""Records a training run: a measured pass now and then, between two batches, on a few samples of the next batch."""

import time
from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from rh_kernel.session.flow.findings import findings
from rh_kernel.session.flow.pace import Pace
from rh_kernel.session.flow.probe import Measured, Probe
from rh_kernel.session.flow.records import FlowMade, Frame
from rh_kernel.session.limits.budget import check_size
from rh_kernel.session.limits.timing import seldom, working
from rh_kernel.session.results import Working
from rh_kernel.session.settings import Settings
from rh_kernel.session.train import Train
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.core import Array
from rh_kernel.training.events import Reached
from rh_kernel.training.loop import BETWEEN_EVENTS

CONFIRMING = 0.05
"""Seconds that may be spent at the end, at least, on whether units are dead."""

MOST_CONFIRMING = 100
"""The most samples that are run for that."""


class FlowRecorder:
    """Records the frames of one training run; ``due`` says after how many batches it wants the next one."""

    def __init__(self, train: Train, text: str, settings: Settings) -> None:
        self._train = train
        self._text = text
        self._settings = settings
        self._data = train.data[train.training.data]
        self._batches = train.training.epochs * -(-self._data.size // train.training.batch)
        self._pace = Pace(self._batches)
        self._probe: Probe | None = None
        self._frames: list[Frame] = []
        self._sizes: list[Array] = []
        self._alive: dict[int, Array] = {}
        self._trained = 0.0
        self._ended = ""
        self._confirmed = 0
        self._seconds = 0.0

    @property
    def due(self) -> int:
        """The number of batches after which to record next."""
        return self._pace.due

    def look(self, reached: Reached) -> Generator[Working, None, None]:
        """Record a frame, if there is time. Raises ``Stuck`` if a pass needs more memory than it may."""
        self._trained = reached.seconds
        if not self._ended and self._pace.allows(reached.batch, reached.seconds):
            began = time.perf_counter()
            try:
                self._prepare()
                yield from self._record(reached)
                if reached.batch == self._batches:
                    yield from self._confirm(reached)
            except Stuck as failure:
                if not self._frames:
                    raise
                # Training itself says what went wrong, if it goes wrong there, too.
                self._ended = f"after {reached.batch:,} batches, as a pass could not be run: {failure.diagnostics[0].message}"
            self._seconds += time.perf_counter() - began
        self._pace.plan(reached.batch, reached.seconds)

    def _prepare(self) -> None:
        """Make the diagram, before the first frame."""
        if self._probe is None:
            began = time.perf_counter()
            self._probe = Probe(self._train.training, self._data)
            check_size(self._probe.reals, "what the wires hold all together", self._train.span, self._settings)
            boxes = sum([len(net.boxes) for net in self._probe.nets])
            self._pace.limit(boxes, time.perf_counter() - began)

    def _record(self, reached: Reached) -> Generator[Working, None, None]:
        """Record a frame."""
        first, at = sum([len(frame.samples) for frame in self._frames]), len(self._frames)
        samples: list[int] = []
        found: list[Measured] = []
        while len(found) < min(len(reached.samples), self._pace.samples(reached.batch, reached.seconds)):
            began = time.perf_counter()
            samples.append(int(reached.samples[(first + len(samples)) % len(reached.samples)]))
            found.append((yield from self._pass(samples[-1], reached)))
            self._pace.passed(time.perf_counter() - began)
        self._frames.append(Frame(reached.batch, min(reached.epoch + 1, self._train.training.epochs), tuple(samples)))
        self._sizes.append(_mean_of([measured.sizes for measured in found]))
        for measured in found:
            self._note(at, measured)
        self._pace.record()

    def _pass(self, sample: int, reached: Reached) -> Generator[Working, None, Measured]:
        if self._probe is None:
            raise KernelBug("a pass before the first frame")
        run = seldom(self._probe.measured(sample, reached.heap, strict=self._settings.strict), BETWEEN_EVENTS)
        return (yield from working(run, "recording", lambda _: f"batch {reached.batch:,}"))

    def _note(self, frame: int, measured: Measured) -> None:
        """Note which units were not 0 in a frame."""
        for i, alive in measured.alive.items():
            last = self._alive.setdefault(i, np.full(len(alive), -1))
            last[alive] = frame

    def _confirm(self, reached: Reached) -> Generator[Working, None, None]:
        """At the end, run more samples, as long as units seem to be dead: a unit may just be rarely used."""
        began, size = time.perf_counter(), self._data.size
        seconds = max(self._pace.left(reached.seconds), CONFIRMING)
        seen = {i for frame in self._frames for i in frame.samples}
        others = [
            i for i in dict.fromkeys(np.linspace(0, size - 1, min(size, MOST_CONFIRMING), dtype=int).tolist()) if i not in seen
        ]
        for sample in others:
            now = len(self._frames) - 1
            if all((last == now).all() for last in self._alive.values()) or time.perf_counter() - began > seconds:
                break
            self._note(now, (yield from self._pass(sample, reached)))
            self._confirmed += 1

    def made(self) -> FlowMade | None:
        """Return the recording so far; ``None`` if there is no frame."""
        if self._probe is None or not self._frames:
            return None
        sizes = np.stack(self._sizes)
        made = FlowMade(
            self._text,
            self._probe.nets,
            tuple(self._frames),
            sizes,
            (),
            self._batches,
            self._train.training.epochs,
            self._seconds,
            self._trained,
            self._ended,
        )
        return replace(made, findings=findings(made, self._alive, self._data.size, self._confirmed))


def _mean_of(sizes: Sequence[Array]) -> Array:
    """The sizes of several passes together: the root of the mean square. A box that did not run in a pass has nan in it."""
    every = np.stack(sizes)
    is_known = ~np.isnan(every)
    with np.errstate(all="ignore"):
        squares = np.where(is_known, np.square(every), 0.0).sum(axis=0) / is_known.sum(axis=0)
        return np.sqrt(squares).astype(np.float32)
