"""``sweep a in [0.1, 0.2]`` and the items below it: analysis checks them for one combination, and the action runs them all."""

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.arrays.blas_threads import blas_threads
from rh_kernel.session.actions import Action, AnalysisContext, Interrupted, Refuse, Run, State
from rh_kernel.session.errors import RunLost
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Notice, Result, Shown, SweepDone, Working
from rh_kernel.session.sweeps.choice import executor_for
from rh_kernel.session.sweeps.executors import Executor, Pending, WorkerLost
from rh_kernel.session.sweeps.jobs import Job, Values, combinations, text_of, with_numbers
from rh_kernel.session.sweeps.runs import SweepProgress, SweepRun
from rh_kernel.source.diagnostic import Diagnostic, Failure, Note, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.errors import InvalidSweep
from rh_kernel.syntax.surface_traversal import nodes
from rh_kernel.typing.definitions import (
    Definitions,
    LocDefinition,
    LocFamilyDefinition,
    OpDefinition,
    StateDefinition,
    kind_of,
)

BETWEEN_EVENTS = 0.02
"""Seconds between two questions whether runs are done."""

MOST_TRIED = 8
"""How many combinations are checked at most before the sweep is refused: all of them have an error."""

ATTEMPTS = 2
"""How often a run is begun whose process is lost."""

AnalyzeItem: TypeAlias = Callable[[items.SweptItem, AnalysisContext], Generator[Working, None, tuple[AnalysisContext, Action]]]


@frozen
class Sweep(Action):
    """A sweep, with the session that its runs begin with apart from the heap"""

    item: items.SweepItem
    definitions: Definitions
    given: Mapping[str, Mapping[str, Array]]

    def summary(self, text: str) -> Result:
        """Return the number of runs."""
        names = ", ".join([parameter.name.text for parameter in self.item.parameters])
        return Notice(f"a sweep of {len(combinations(self.item.parameters))} runs over {names}")

    def run(self, number: int, state: State) -> Run:
        """Yield progress, then the results. Raises ``Interrupted`` with the state as it was; finished runs are shown."""
        yield from self._opened(state)
        values = combinations(self.item.parameters)
        runs = _Runs(values, executor_for(self.job(state), len(values)), self.span)
        try:
            yield runs.progress()
            while not runs.proceed():
                yield runs.progress()
        except KeyboardInterrupt:
            runs.executor.stop()
            done = runs.done(stopped=True)
            yield Shown(number, done)
            raise Interrupted(replace(state, sweep=done)) from None
        finally:
            runs.executor.stop()
        done = runs.done(stopped=False)
        yield Shown(number, done)
        for note in runs.executor.notes:
            yield Shown(number, Notice(note))
        return replace(state, sweep=done)

    def job(self, state: State) -> Job:
        """Return what the runs need besides their numbers."""
        before = (self.definitions, state.heap, state.initial, self.given)
        return Job(self.item.items, state.folder, *before, state.settings, blas_threads())

    def _opened(self, state: State) -> Generator[Working]:
        """Connect to the cluster, if there is one. Raises ``Rejected``."""
        if state.settings.cluster is None:
            return
        try:
            yield from working(state.settings.cluster.open(), "connecting to the cluster")
        except Rejected as failure:
            raise Rejected(*[replace(diagnostic, span=self.span) for diagnostic in failure.diagnostics]) from None

    @property
    def span(self) -> Span:
        """The span of the line that says what is swept."""
        return self.item.parameters[0].span.to(self.item.parameters[-1].span)


class _Runs:
    """The runs of a sweep: what is waiting, pending and finished."""

    def __init__(self, values: tuple[Values, ...], executor: Executor, span: Span) -> None:
        self.executor = executor
        self._values = values
        self._span = span
        self._waiting = [*reversed(range(len(values)))]
        self._attempts = [0] * len(values)
        self._pending: dict[int, Pending] = {}
        self._finished: dict[int, SweepRun] = {}
        self._began = time.monotonic()

    def proceed(self) -> bool:
        """Begin runs where there is place, and wait a moment for those that are pending; return whether all are finished."""
        while self._waiting and len(self._pending) < self.executor.places:
            i = self._waiting.pop()
            self._attempts[i] += 1
            self._pending[i] = self.executor.submit(self._values[i])
        began = time.monotonic()
        if not self._take() and self._pending and time.monotonic() - began < BETWEEN_EVENTS / 4:
            time.sleep(BETWEEN_EVENTS / 4)  # Runs in this process go on while they are asked, and need no further wait.
        return len(self._finished) == len(self._values)

    def _take(self) -> bool:
        """Take what is done; return whether there was something."""
        done = [i for i, pending in self._pending.items() if pending.done()]
        for i in done:
            pending = self._pending.pop(i)
            try:
                self._finished[i] = pending.result()
            except Failure as failure:
                self._finished[i] = SweepRun(self._values[i], (), (), failure.diagnostics, 0.0)
            except WorkerLost:
                if self._attempts[i] < ATTEMPTS:
                    self._waiting.append(i)
                else:
                    self._finished[i] = SweepRun(self._values[i], (), (), (RunLost(span=self._span, attempts=ATTEMPTS),), 0.0)
        return bool(done)

    def progress(self) -> SweepProgress:
        runs = tuple([self._finished.get(i) for i in range(len(self._values))])
        seconds = time.monotonic() - self._began
        running = {i: pending.share for i, pending in self._pending.items()}
        return SweepProgress(self._values, runs, running, self.executor.description, seconds)

    def done(self, *, stopped: bool) -> SweepDone:
        runs = tuple([self._finished[i] for i in sorted(self._finished)])
        seconds = time.monotonic() - self._began
        return SweepDone(runs, len(self._values), self.executor.description, seconds, stopped=stopped)


def analyze_sweep(item: items.SweepItem, context: AnalysisContext, analyze: AnalyzeItem) -> Generator[Working, None, Sweep]:
    """Check the items for the first combination, and if that has an error for the next ones. Raises ``Rejected``.

    Errors that only some combinations have are shown with their runs. ``analyze`` analyzes one of the items.
    """
    for parameter in item.parameters:
        _check_name(context.definitions, parameter)
    refused: tuple[Diagnostic, ...] = ()
    for values in combinations(item.parameters)[:MOST_TRIED]:
        found = yield from _errors(item, values, context, analyze)
        if not found:
            break
        refused = refused or tuple([_in_run(d, item, values) for d in found])
    else:
        raise Rejected(*refused)
    return Sweep(item, context.definitions, _needed(item, context.given))


def _check_name(definitions: Definitions, parameter: items.SweepParameter) -> None:
    name = parameter.name
    declared = definitions.named.get(name.text)
    if declared is not None and isinstance(
        declared.definition, LocDefinition | LocFamilyDefinition | StateDefinition | OpDefinition
    ):
        kind = kind_of(declared.definition)
        notes = () if declared.span is None else (Note(span=declared.span, text=f"`{name.text}` is declared here"),)
        why = f"`{name.text}` is {kind}, and cannot be a number as well"
        raise Rejected(InvalidSweep(span=name.span, why=why, notes=notes, hint="choose another name"))


def _errors(
    item: items.SweepItem, values: Values, context: AnalysisContext, analyze: AnalyzeItem
) -> Generator[Working, None, tuple[Diagnostic, ...]]:
    """Return the errors of the items in the run with these numbers."""
    context = replace(context, definitions=with_numbers(context.definitions, item.parameters, values), cell="")
    found: list[Diagnostic] = []
    is_refused = False
    for swept in item.items:
        context, action = yield from analyze(swept, context)
        if isinstance(action, Refuse):
            is_refused = True
            found += action.diagnostics
    if is_refused and not found:
        why, hint = "the items of this sweep depend on something that has an error", "correct that first"
        found.append(InvalidSweep(span=item.span, why=why, hint=hint))
    return tuple(found)


def _in_run(diagnostic: Diagnostic, item: items.SweepItem, values: Values) -> Diagnostic:
    """Add a note that names the combination."""
    span = item.parameters[0].span.to(item.parameters[-1].span)
    note = Note(span=span, text=f"in the run with {text_of(values)}")
    return replace(diagnostic, notes=(*diagnostic.notes, note))


def _needed(item: items.SweepItem, given: Mapping[str, Mapping[str, Array]]) -> Mapping[str, Mapping[str, Array]]:
    """Return the data from Python that the items name; ``mine.train`` is a part of ``mine``."""
    named = [node.name for node in nodes(item) if isinstance(node, items.DataExpr)]
    needed = {key: arrays for key, arrays in given.items() if any(n == key or n.startswith(f"{key}.") for n in named)}
    return MappingProxyType(needed)
