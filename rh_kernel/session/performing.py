"""Performing a plan: evaluation by the compiled program, traces by the stepper, training batch by batch."""

import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rh_kernel.operational.heap import Heap
from rh_kernel.operational.step import Step
from rh_kernel.operational.trace import Result as Reached
from rh_kernel.operational.trace import State as Position
from rh_kernel.operational.trace import proceed
from rh_kernel.primitives.table import ROWS
from rh_kernel.primitives.values import materialise
from rh_kernel.session.checking import check
from rh_kernel.session.contents import initial_content
from rh_kernel.session.describing import type_text
from rh_kernel.session.directives.storage import Restored, Written, followed, read, write
from rh_kernel.session.evaluating import STEPS_BETWEEN_LOOKS, evaluate, explained, frozen, span_of
from rh_kernel.session.limits.budget import allowed, allowed_by, byte_limit, check_size, limits, longest
from rh_kernel.session.limits.timing import working
from rh_kernel.session.plans import (
    Answer,
    Compare,
    Compile,
    Compute,
    Declare,
    DeclareEffects,
    DeclareFunction,
    Derive,
    Differentiate,
    Draw,
    Evaluate,
    Gradient,
    Load,
    Plan,
    Refuse,
    Reset,
    RunEffects,
    Save,
    Set,
    SetDevice,
    ShowForms,
    ShowHeap,
    ShowType,
    Trace,
    Train,
    Undo,
)
from rh_kernel.session.results import (
    Change,
    CheckPassed,
    DeclarationMade,
    DerivationMade,
    DiagramMade,
    Event,
    GradientMade,
    HeapShown,
    Notice,
    Shown,
    TraceMade,
    TrainingDone,
    TypeShown,
    ValueFound,
    Working,
    changed,
)
from rh_kernel.session.settings import Settings, device_text
from rh_kernel.source.collection import put_off
from rh_kernel.source.diagnostic import Diagnostic, KernelBug, Rejected, Stuck
from rh_kernel.source.tables import table
from rh_kernel.syntax.core import Array, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.stuck import placed
from rh_kernel.syntax.unhandled import with_handlers
from rh_kernel.training.events import Diverged, Progress, Trained
from rh_kernel.training.events import Event as TrainingEvent
from rh_kernel.training.loop import train
from rh_kernel.typing.definitions import FunDefinition, LocDefinition, kind_of
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.effects_names import Effects

REALS_OF_STEP = 200
"""A step that is kept takes about as much memory as so many reals."""


@dataclass(frozen=True, slots=True)
class State:
    """What the items of a cell have done so far; ``files`` are those that are put in their places when the cell ends.

    ``functions`` are those of the laboratory, and ``effects`` what ``%%eff`` cells have declared.
    """

    heap: Mapping[Location, Array]
    initial: Mapping[Location, Array]
    folder: Path
    settings: Settings
    files: tuple[Written, ...] = ()
    functions: "Mapping[str, Program]" = field(default_factory=lambda: MappingProxyType({}))
    effects: "Effects | None" = None

    def put(self, changes: Mapping[Location, Array]) -> "State":
        """With other contents at some locations."""
        return replace(self, heap=_joined(self.heap, changes))


def _joined(contents: Mapping[Location, Array], others: Mapping[Location, Array]) -> Mapping[Location, Array]:
    """One table with the contents of both; where both have one, that of ``others``."""
    if isinstance(contents, MappingProxyType) and isinstance(others, dict):
        # Table by table, without a look at each location.
        return MappingProxyType(contents | others)
    return MappingProxyType({**contents, **others})


class Interrupted(Exception):
    """The person stopped a training run; ``state`` holds what it had done by then."""

    def __init__(self, state: State) -> None:
        super().__init__("interrupted")
        self.state = state


def perform(number: int, plan: Plan, state: State) -> Generator[Event, None, State]:
    """The events of one item, and the state after it. Raises ``Failure``; the state before it is still whole then.

    ``KeyboardInterrupt``, thrown in or raised inside, passes through; a training run makes ``Interrupted`` of it.
    """
    match plan:
        case Refuse(diagnostics):
            raise Rejected(*diagnostics)
        case Declare():
            return (yield from _declare(number, plan, state))
        case Evaluate(subject):
            return (yield from _evaluate(number, subject, state))
        case Trace():
            return (yield from _trace(number, plan, state))
        case Compile():
            from rh_kernel.session.directives.compiling import made

            yield Shown(number, (yield from made(plan, state.heap, state.settings)))
        case ShowType(text, A, remarks):
            yield Shown(number, TypeShown(text, A, remarks))
        case Derive(text, _, found):
            yield Shown(number, DerivationMade(text, found))
        case Draw(subject):
            yield Working("making the string diagram")
            yield Shown(number, DiagramMade(subject.text, subject.type, subject.diagram()))
        case Gradient():
            return (yield from _gradient(number, plan, state))
        case Train():
            return (yield from _train(number, plan, state))
        case Compare(equation, span, remarks):
            about = yield from check(equation, state.heap, state.settings, span)
            yield Shown(number, CheckPassed(span.text, str(equation.left.type), (*remarks, *about)))
        case Save() | Load():
            return (yield from (_save(number, plan, state) if isinstance(plan, Save) else _load(number, plan, state)))
        case DeclareFunction() | Compute() | ShowForms() | Differentiate() | DeclareEffects() | RunEffects():
            return (yield from _in_section(number, plan, state))
        case Undo():
            raise KernelBug("`%undo` is a cell by itself, and is no step of one")
        case ShowHeap(locations):
            yield Shown(number, HeapShown(_contents(state, locations)))
        case Reset():
            changes = changed(state.heap, state.initial)
            count = len(changes)
            words = "1 location holds" if count == 1 else f"{count} locations hold"
            yield Shown(number, Notice(f"{words} the initial content again"))
            return state.put(state.initial)
        case Set(settings, text):
            yield Shown(number, Notice(text))
            return replace(state, settings=settings)
        case SetDevice(settings):
            yield Working("asking the device")
            yield Shown(number, Notice(device_text(settings)))
            return replace(state, settings=settings)
        case Answer(result):
            yield Shown(number, result)
    return state


def _in_section(
    number: int,
    plan: DeclareFunction | Compute | ShowForms | Differentiate | DeclareEffects | RunEffects,
    state: State,
) -> Generator[Event, None, State]:
    """What is done by an item of a section, the language of which is loaded now."""
    match plan:
        case DeclareEffects(effects, made):
            yield Shown(number, made)
            return replace(state, effects=effects)
        case RunEffects():
            from rh_kernel.session.sections.effects import perform as with_effects

            yield from with_effects(number, plan, state.settings)
            return state
        case _:
            from rh_kernel.session.sections.laboratory import perform as in_laboratory

            return replace(state, functions=(yield from in_laboratory(number, plan, state.settings, state.functions)))


def _save(number: int, plan: Save, state: State) -> Generator[Event, None, State]:
    contents = {name: state.heap[location] for name, location in plan.locations.items()}
    written = write(contents, plan.target, plan.span)
    try:
        yield Shown(number, Notice(f"{_count(len(contents))} saved to {plan.target.name}"))
    except BaseException:
        written.drop()
        raise
    return replace(state, files=(*state.files, written))


def _load(number: int, plan: Load, state: State) -> Generator[Event, None, State]:
    target = followed(plan.target)
    file = next((w.scratch for w in reversed(state.files) if w.target == target), target)
    restored = yield from working(
        read(file, plan.target, plan.locations, byte_limit(state.settings), plan.span), "reading the file"
    )
    yield Shown(number, Notice(_told(plan.target.name, restored, plan.locations)))
    return state.put({plan.locations[name]: _unwriteable(array) for name, array in restored.changes.items()})


def _unwriteable(array: Array) -> Array:
    array.setflags(write=False)
    return array


def _told(file: str, restored: Restored, locations: Mapping[str, Location]) -> str:
    changes = restored.changes
    others = [name for name in restored.names if name not in changes]
    kept = [name for name in locations if name not in changes]
    lines = [f"{_count(len(changes))} loaded from {file}: {', '.join(changes)}"]
    lines += [f"not in the file, and as before: {', '.join(kept)}"] if kept else []
    lines += [f"in the file, and no location here: {', '.join(others)}"] if others else []
    return "\n".join(lines)


def _count(locations: int) -> str:
    return "1 location" if locations == 1 else f"{locations} locations"


def _declare(number: int, plan: Declare, state: State) -> Generator[Event, None, State]:
    definition = plan.definition
    changes: tuple[Change, ...] = ()
    if isinstance(definition, LocDefinition):
        making = initial_content(definition, state.folder, plan.type, plan.content, state.settings)
        content = yield from working(making, "making the initial content")
        location = definition.location
        changes = (Change(location, None, content),)
        heap, initial = table(state.heap), table(state.initial)
        state = replace(state, heap=heap.with_(location, content), initial=initial.with_(location, content))
    kind = kind_of(definition)
    if isinstance(definition, FunDefinition) and definition.name in ROWS:
        kind += " in the place of the one that comes with the language"
    yield Shown(number, DeclarationMade(definition.name, kind, type_text(definition), changes))
    return state


def _evaluate(number: int, subject: ClosedTerm | ClosedCommand, state: State) -> Generator[Event, None, State]:
    found = yield from evaluate(subject, state.heap, state.settings)
    after = state.put(found.changes)
    is_command = isinstance(subject, ClosedCommand)
    yield Shown(number, ValueFound(subject.type, found.value, changed(state.heap, after.heap), is_command))
    return after


def _trace(number: int, plan: Trace, state: State) -> Generator[Event, None, State]:
    subject = plan.subject
    start = subject.command if isinstance(subject, ClosedCommand) else subject.term
    steps: list[Step] = []
    heap = Heap(state.heap)
    position = Position(start, None, heap, 0)
    value: Term | None = None
    stuck: tuple[Diagnostic, ...] = ()
    bounds = limits(state.settings)
    try:
        with put_off():
            while not isinstance(now := proceed(position, bounds, STEPS_BETWEEN_LOOKS, steps), Reached):
                position = now
                check_size(len(steps) * REALS_OF_STEP, f"a trace of {len(steps):,} steps", span_of(subject), state.settings)
                yield Working("reducing", f"{len(steps):,} steps")
        value, heap = materialise(now.value), now.heap
    except Stuck as failure:
        stuck = explained(failure, subject).diagnostics
    yield Shown(number, TraceMade(start, subject.type, tuple(steps), value, stuck, state.heap, plan.written))
    if stuck:
        raise Stuck(*stuck)
    return state.put({loc: a for loc, a in heap.items() if state.heap.get(loc) is not a})


def _train(number: int, plan: Train, state: State) -> Generator[Event, None, State]:
    run, data = plan.run, plan.data
    last: Progress | None = None
    began = time.monotonic()
    try:
        for event in _training(plan, state):
            match event:
                case Progress():
                    last = event
                    yield event
                case Diverged():
                    yield Shown(number, Notice(event.text))
                case Trained():
                    after = _after(state, event.heap)
                    changes = changed(state.heap, after.heap)
                    try:
                        yield Shown(number, TrainingDone(event.epochs, event.samples, event.measures, event.seconds, changes))
                    except KeyboardInterrupt:
                        raise Interrupted(after) from None
                    return after
    except KeyboardInterrupt:
        if last is None:
            raise
    except Stuck as failure:
        commands = (run.command, *(measure.command for measure in run.measures))
        raise placed(with_handlers(failure, *commands), plan.span) from None
    if last is None:
        raise KernelBug("a training run ended without a word")
    after = _after(state, last.heap)
    measures = tuple((m.text, curve) for m, curve in zip(run.measures, last.measures, strict=True))
    done = TrainingDone(
        last.epoch, data[run.data].size, measures, time.monotonic() - began, changed(state.heap, after.heap), stopped=True
    )
    yield Shown(number, done)
    raise Interrupted(after)


def _after(state: State, heap: Mapping[Location, Array]) -> State:
    """The state with what a training run has left; a content that it did not touch stays the array that it was."""
    return state.put({loc: frozen(array) for loc, array in heap.items() if array is not state.heap.get(loc)})


def _training(plan: Train, state: State) -> Iterator[TrainingEvent]:
    run, data, settings = plan.run, plan.data, state.settings
    return train(
        run,
        data[run.data],
        data,
        state.heap,
        allowed(settings),
        strict=settings.strict,
        longest=longest(settings),
        precision=settings.precision,
        device=settings.device,
        by=allowed_by(settings),
    )


def _gradient(number: int, plan: Gradient, state: State) -> Generator[Event, None, State]:
    """The second pass starts from the heap that the first one started from."""
    from rh_kernel.session.directives.gradients import recorded

    made = yield from recorded(plan.subject, plan.text, state.heap, state.settings)
    others = () if plan.against is None else ((yield from recorded(*plan.against, state.heap, state.settings)),)
    yield Shown(number, GradientMade(plan.text, plan.subject.type, (made, *others)))
    return state.put({change.location: change.after for change in made.changes})


def _contents(state: State, locations: tuple[Location, ...]) -> tuple[Change, ...]:
    """These locations; else those that names stand for, and those that only older nets know. Each has what it held at first."""
    return tuple([Change(loc, state.initial.get(loc), state.heap[loc]) for loc in locations or state.heap])
