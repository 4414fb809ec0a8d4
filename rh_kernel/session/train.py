"""Training items, ``train P for …``: analysis reads their data, on which types depend; they run batch by batch."""

import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Protocol

from rh_kernel.session.actions import Action, AnalysisContext, Interrupted, Run, State
from rh_kernel.session.evaluate import read_only
from rh_kernel.session.limits.budget import allowed, allowed_by, byte_limit, compile_options
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Notice, Result, Shown, TrainingDone, Working, changed
from rh_kernel.session.surfaces import plane_of
from rh_kernel.source.diagnostic import Diagnostic, Failure, KernelBug, Rejected, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.syntax.unhandled_hints import with_handlers
from rh_kernel.training.batches import Pool
from rh_kernel.training.data import DataSet, loading_named
from rh_kernel.training.events import Diverged, Event, Grown, Progress, Reached, Remarked, Trained
from rh_kernel.training.loop import train
from rh_kernel.training.stops import Stops
from rh_kernel.training.surfaces import Plane
from rh_kernel.typing.elaboration.items import SampleTypes, TrainingRun, elaborate_training, sample_names
from rh_kernel.typing.lost_updates.checking import lost_updates


class Watcher(Stops, Protocol):
    """Somebody who looks at a training run between its batches."""

    def look(self, reached: Reached) -> Generator[Working, None, None]:
        """Look at the heap at a stop. Raises ``Stuck``."""
        ...


@frozen
class Train(Action):
    """``train P for …``, with the data it names"""

    training: TrainingRun
    data: Mapping[str, DataSet]
    span: Span
    planes: tuple[Plane, ...] = ()

    last_item_hint: ClassVar[str] = (
        "a training item runs its command on every sample: end the file with that command, for one of them"
    )

    def summary(self, text: str) -> Result:
        """Return the data and the number of epochs."""
        return Notice(f"a training run on {self.training.data}, {self.training.epochs} epochs")

    def warnings(self, source: Source) -> tuple[Diagnostic, ...]:
        """Return the warnings about lost updates."""
        return lost_updates(self.training.command, source)

    def run(self, number: int, state: State) -> Run:
        """Yield progress, then the measures. Raises ``Interrupted`` with the heap of the last finished batch."""
        return self.watched(number, state, None)

    def watched(self, number: int, state: State, watcher: Watcher | None) -> Run:
        """Run, and let the ``watcher`` look at the heap after the batches that it names. Raises ``Interrupted`` likewise."""
        training, data = self.training, self.data
        last: Progress | None = None
        began = time.monotonic()
        for notice in dict.fromkeys([one.notice for one in data.values() if one.notice]):
            yield Shown(number, Notice(notice))
        cluster = state.settings.cluster if training.pieces > 1 else None
        if cluster is not None:
            try:
                yield from working(cluster.open(), "connecting to the cluster")
            except Rejected as failure:
                raise Rejected(*[replace(diagnostic, span=self.span) for diagnostic in failure.diagnostics]) from None
        try:
            for event in self.events(state, None if cluster is None else cluster.pool(state.settings.answer_within), watcher):
                match event:
                    case Progress():
                        last = event
                        yield event
                    case Reached():
                        if watcher is not None:
                            yield from watcher.look(event)
                    case Diverged() | Grown() | Remarked():
                        yield Shown(number, Notice(event.text))
                    case Trained():
                        after = _after(state, event.heap)
                        changes = changed(state.heap, after.heap)
                        done = TrainingDone(
                            event.epochs, event.samples, event.measures, event.seconds, changes, surfaces=event.surfaces
                        )
                        try:
                            yield Shown(number, done)
                        except KeyboardInterrupt:
                            raise Interrupted(after) from None
                        return after
        except KeyboardInterrupt:
            if last is None:
                raise
        except Rejected as failure:
            # A file that can no longer be read.
            raise Rejected(*[replace(d, span=d.span or self.span) for d in failure.diagnostics]) from None
        except Stuck as failure:
            commands = (training.command, *(measure.command for measure in training.measures))
            raise placed(with_handlers(failure, *commands), self.span) from None
        if last is None:
            raise KernelBug("a training run ended without an event")
        after = _after(state, last.heap)
        measures = tuple((m.text, curve) for m, curve in zip(training.measures, last.measures, strict=True))
        seconds, size = time.monotonic() - began, data[training.data].size
        changes, surfaces = changed(state.heap, after.heap), last.surfaces
        yield Shown(number, TrainingDone(last.epoch, size, measures, seconds, changes, stopped=True, surfaces=surfaces))
        raise Interrupted(after)

    def events(
        self, state: State, pool: Pool | None = None, stops: Stops | None = None, *, each_epoch: bool = False
    ) -> Iterator[Event]:
        """The events of ``training.loop.train`` from the heap of the state, with its settings."""
        training, data, settings = self.training, self.data, state.settings
        return train(
            training,
            data[training.data],
            data,
            state.heap,
            allowed(settings),
            options=compile_options(settings),
            precision=settings.precision,
            device=settings.device,
            by=allowed_by(settings),
            pool=pool,
            planes=self.planes,
            stops=stops,
            each_epoch=each_epoch,
        )


def _after(state: State, heap: Mapping[Location, Array]) -> State:
    """Return the state after a training run; contents that it did not change remain the same arrays."""
    return state.put({loc: read_only(array) for loc, array in heap.items() if array is not state.heap.get(loc)})


def analyze_training(item: items.TrainItem, context: AnalysisContext) -> Generator[Working, None, Train]:
    """Read the data and return the training run. Raises ``Failure``."""
    sets, sample_types = yield from data_of(item, context)
    run = elaborate_training(context.definitions, item, sample_types)
    data, where = sets.get(run.data), [surface.span for surface in item.surfaces]
    planes = tuple([plane_of(one, data, span) for one, span in zip(run.surfaces, where, strict=True) if data is not None])
    return Train(run, sets, item.span, planes)


def data_of(
    item: items.TrainItem, context: AnalysisContext
) -> Generator[Working, None, tuple[Mapping[str, DataSet], SampleTypes]]:
    """Read the data of a training run, by name; the function with the types of a sample raises the failures of reading."""
    sets: dict[str, DataSet] = {}
    failed: dict[str, Failure] = {}
    names = sample_names(item.pattern)
    for data in (item.data, *[measure.data for measure in item.measures if measure.data is not None]):
        if data.name in sets or data.name in failed:
            continue
        try:
            blocks = loading_named(data.names, names, context.folder, context.given, data.span, byte_limit(context.settings))
            sets[data.name] = yield from working(blocks, "reading data", lambda text: text or "")
        except Failure as failure:
            # Elaboration raises it again, in order with the other errors of the item.
            failed[data.name] = failure

    def sample_types(name: str, _: Span) -> Mapping[str, Type]:
        if name in failed:
            raise failed[name]
        return sets[name].types

    return sets, sample_types
