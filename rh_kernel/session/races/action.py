"""``%race train P with H1, H2 for …``: analysis makes a training run of each handler, and the action runs them in turns."""

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

import numpy as np

from rh_kernel.session.actions import Action, AnalysisContext, Interrupted, Run, State
from rh_kernel.session.limits.budget import compile_options
from rh_kernel.session.limits.timing import working
from rh_kernel.session.races.clauses import Comparison, compared
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.races.runs import RaceProgress, Racer
from rh_kernel.session.results import Notice, Result, Shown, Working
from rh_kernel.session.train import Train, data_of
from rh_kernel.source.diagnostic import Diagnostic, Rejected, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.training.batches import for_results
from rh_kernel.training.events import Diverged, Event, Grown, Progress, Reached, Remarked, Trained
from rh_kernel.training.slices import Slice, flat, read_by, sliced
from rh_kernel.typing.elaboration.items import elaborate_training
from rh_kernel.typing.errors import BadTraining
from rh_kernel.typing.lost_updates.checking import lost_updates

MOST_RECORDED = 1 << 21
"""Numbers that are kept of the path of a handler, about; of a longer one, fewer points."""

MOST_POINTS = 200
"""Points that are kept of the path of a handler, at most."""

MOST = 8
"""The most handlers of a race: as many as can be told apart in one picture."""


@frozen
class Race(Action):
    """A race: the text and the training run of each handler; all runs have the same data, batches and measures"""

    trainings: tuple[tuple[str, Train], ...]
    clauses: Comparison
    span: Span

    def summary(self, text: str) -> Result:
        """Return the handlers."""
        return Notice(f"a race of {', '.join([name for name, _ in self.trainings])}")

    def warnings(self, source: Source) -> tuple[Diagnostic, ...]:
        """Return the warnings about lost updates, each once."""
        found = [d for _, one in self.trainings for d in lost_updates(one.training.command, source)]
        return tuple(dict.fromkeys(found))

    def run(self, number: int, state: State) -> Run:
        """Yield progress, then the result. Raises ``Interrupted`` with the state as it was; what the handlers did is shown."""
        race = _Race(self, state)
        try:
            yield race.progress()
            for notices in race.turns():
                yield from [Shown(number, notice) for notice in notices]
                yield race.progress()
            yield from working(race.slice(), "measuring")
        except KeyboardInterrupt:
            yield Shown(number, race.done(stopped=True))
            raise Interrupted(state) from None
        yield Shown(number, race.done(stopped=False))
        return state


class _Race:
    """The runs of a race, each a step ahead of the others at most."""

    def __init__(self, race: Race, state: State) -> None:
        self._began = time.monotonic()
        first = race.trainings[0][1]
        self._measures = tuple([measure.text for measure in first.training.measures])
        self._epochs = first.training.epochs
        self._samples = first.data[first.training.data].size
        self._clauses = race.clauses
        self._state = state
        self._measure = _Measured(first, state, race.span)
        self._runners = [_Runner(text, one, state, race.span, self._measure) for text, one in race.trainings]
        self._slice: Slice | None = None
        self._no_slice = ""

    def turns(self) -> Iterator[Sequence[Notice]]:
        """Let the run that is behind go on for a moment, until all have ended; yield what it has to say."""
        while waiting := [runner for runner in self._runners if not runner.has_ended]:
            yield min(waiting, key=lambda runner: runner.share).go_on()

    def progress(self) -> RaceProgress:
        """Return what has happened so far."""
        racers = tuple([runner.racer for runner in self._runners])
        return RaceProgress(racers, self._measures, self._epochs, self._samples, time.monotonic() - self._began)

    def done(self, *, stopped: bool) -> RaceDone:
        """Return the result."""
        p = self.progress()
        return RaceDone(
            p.racers,
            p.measures,
            p.epochs,
            p.samples,
            p.seconds,
            self._slice,
            self._clauses,
            stopped=stopped,
            no_slice=self._no_slice,
        )

    def slice(self) -> Generator[None]:
        """Compute the slice through the paths of the runs."""
        measured = self._measure
        if not measured.recorded:
            self._no_slice = (
                f"the measure reads {len(measured.start):,} numbers, and paths of {MOST_RECORDED // 2:,} are kept at most"
            )
        else:
            found = yield from sliced(
                measured.program,
                measured.names,
                measured.data,
                self._state.heap,
                measured.locations,
                [runner.path for runner in self._runners],
                self._state.settings.precision,
            )
            match found:
                case Slice():
                    self._slice = found
                case str():
                    self._no_slice = found


class _Measured:
    """The measure by which the handlers are compared, and the weights that it reads."""

    def __init__(self, train: Train, state: State, span: Span) -> None:
        training = train.training
        measure = training.measures[-1]
        self.names = [name for name, _ in training.sample]
        self.data = train.data[measure.data]
        try:
            self.program = for_results(measure.command, self.names, self.data, compile_options(state.settings))
        except Stuck as failure:
            raise placed(with_handlers(failure, measure.command), span) from None
        self.locations = read_by(self.program, state.heap)
        self.start = flat(state.heap, self.locations)
        points = max(1, MOST_RECORDED // max(1, len(self.start)))
        self.recorded = min(points, MOST_POINTS) if points > 1 else 0


class _Runner:
    """The training run of one handler."""

    def __init__(self, text: str, train: Train, state: State, span: Span, measured: _Measured) -> None:
        self.has_ended = False
        self.share = 0.0
        self._text = text
        self._train = train
        self._span = span
        self._curves: tuple[tuple[float, ...], ...] = tuple([() for _ in train.training.measures])
        self._measured = measured
        self._moved = 0.0
        self._next_epoch = 0
        self._every = -(-train.training.epochs // measured.recorded) if measured.recorded else 0
        self._path: list[Array] = []
        self._events = train.events(state, each_epoch=True)

    @property
    def racer(self) -> Racer:
        """Return what is known of it."""
        return Racer(self._text, self._curves, self.share, self._moved)

    @property
    def path(self) -> Array:
        """Where it was after its epochs, from the start (points × weights)."""
        return np.stack(self._path)

    def go_on(self) -> Sequence[Notice]:
        """Take the next event; return a message if it is one. Raises ``Stuck`` and ``Rejected`` with a span."""
        event = self._next()
        match event:
            case Progress():
                self.share, self._curves = event.fraction, event.measures
                if event.epoch >= self._next_epoch:
                    self._record(event)
            case Trained():
                self.has_ended, self.share = True, 1.0
            case Diverged() | Grown() | Remarked():
                return [Notice(f"{self._text}: {event.text}")]
            case Reached():
                raise AssertionError("a race has no stops")
        return []

    def _record(self, progress: Progress) -> None:
        """Record where the weights are, from the start."""
        with np.errstate(all="ignore"):
            at = flat(progress.heap, self._measured.locations) - self._measured.start
            self._moved = float(np.linalg.norm(at))
        if self._every:
            self._path.append(at)
        last = self._train.training.epochs
        self._next_epoch = min(progress.epoch + max(1, self._every), last if progress.epoch < last else last + 1)

    def _next(self) -> Event:
        try:
            return next(self._events)
        except Rejected as failure:
            raise Rejected(*[replace(d, span=d.span or self._span) for d in failure.diagnostics]) from None
        except Stuck as failure:
            training = self._train.training
            commands = (training.command, *(measure.command for measure in training.measures))
            raise placed(with_handlers(failure, *commands), self._span) from None


def analyze_race(item: items.TrainItem, context: AnalysisContext) -> Generator[Working, None, Race]:
    """Read the data and return the race. Raises ``Failure``."""
    command = item.command
    if not isinstance(command, s.RevHandleExpr | s.HandleExpr):
        why, hint = (
            "a race compares handlers",
            "end the command with them: rev handle (x) <u>. mlp(u) with sgd(0.1, t), sgd(1, t)",
        )
        raise Rejected(BadTraining(span=command.span, why=why, found="a command without a handler", hint=hint))
    if not item.measures:
        why, hint = (
            "a race compares the averages of a measure",
            "add one, such as `measure let y <= … in return dot(y - t, y - t)`",
        )
        raise Rejected(BadTraining(span=item.span, why=why, found="no measure", hint=hint))
    if item.surfaces:
        why, hint = "a race draws no decision surfaces", "take `train` with one of the handlers: it draws them"
        raise Rejected(BadTraining(span=item.surfaces[0].span, why=why, found="`surface`", hint=hint))
    handlers = (command.handler, *item.others)
    if len(handlers) > MOST:
        span = handlers[0].span.to(handlers[-1].span)
        why, expected, hint = f"these are {len(handlers)} handlers", f"at most {MOST}", "compare the others in a second race"
        raise Rejected(BadTraining(span=span, why=why, expected=expected, hint=hint))
    sets, sample_types = yield from data_of(item, context)
    found: list[tuple[str, Train]] = []
    wrong: list[Diagnostic] = []
    for handler in handlers:
        one = replace(item, command=replace(command, handler=handler), others=())
        try:
            training = elaborate_training(context.definitions, one, sample_types)
            found.append((" ".join(handler.span.text.split()), Train(training, sets, item.span)))
        except Rejected as failure:
            wrong += failure.diagnostics
    if wrong:
        raise Rejected(*dict.fromkeys(wrong))
    return Race(tuple(found), compared(context.definitions, handlers), item.span)
