"""Execution of cells: ``session, text ↦ events, session'`` (LANGUAGE §6, §7). A session is an immutable value.

First all items of a cell are parsed and analyzed; they run only if none has an error. A file is a sequence of cells of one item
each.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum, auto
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rh_kernel.session.actions import Action, AnalysisContext, Interrupted, Refuse, State
from rh_kernel.session.analyze import analyze, diagnostics_of, without
from rh_kernel.session.declare import Declare
from rh_kernel.session.directives import undo
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.errors import NothingToUndo
from rh_kernel.session.knobs.events import Begun
from rh_kernel.session.limits.alarm import Late
from rh_kernel.session.limits.bounds import EVERYTHING
from rh_kernel.session.limits.timing import out_of_time, within
from rh_kernel.session.reachable import unreachable
from rh_kernel.session.results import Event, ItemFailed, Notice, Result, Shown, SweepDone, Warned, Working
from rh_kernel.session.settings import DEFAULT, Settings, unlocked
from rh_kernel.session.view_files import WatchedRun
from rh_kernel.source.diagnostic import Failure, Rejected, Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.surface_items import EqualityCheck, Evaluation, Item, SweepItem, TypeCheck
from rh_kernel.typing.definitions import BUILT_IN, Definitions
from rh_kernel.typing.diagnostics.warnings import remarks
from rh_kernel.typing.errors import UnknownName

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.eff_names import EffDeclarations
    from rh_kernel.session.view_files import ViewEncoder


STARTING = 60
"""Seconds that the processes of a sweep may take to start, under ``%limit seconds``."""


@frozen
class Session:
    """The definitions, the heap, the initial contents of its locations, and the settings of a session.

    Paths are relative to ``folder``; ``given`` holds the data sets passed from Python. ``functions`` are declared in
    ``%%lambda`` cells, ``effects`` in ``%%eff`` cells. ``sweep`` is the last one; it is no part of what ``%undo`` restores, nor
    of what other cells see; nor is ``shown``, the last result that is more than a message, with the text of its item.
    ``encode_view`` renders it as a file. ``past`` holds the sessions before the cells that can be undone, the latest last.
    """

    folder: Path
    definitions: Definitions = BUILT_IN
    heap: Mapping[Location, Array] = field(default_factory=lambda: MappingProxyType({}))
    initial: Mapping[Location, Array] = field(default_factory=lambda: MappingProxyType({}))
    given: Mapping[str, Mapping[str, Array]] = field(default_factory=lambda: MappingProxyType({}))
    settings: Settings = DEFAULT
    functions: "Mapping[str, Program]" = field(default_factory=lambda: MappingProxyType({}))
    effects: "EffDeclarations | None" = None
    past: "tuple[Session, ...]" = ()
    sweep: SweepDone | None = None
    shown: tuple[Result, str] | None = None
    encode_view: "ViewEncoder | None" = None

    @staticmethod
    def start(folder: Path, settings: Settings = DEFAULT, encode_view: "ViewEncoder | None" = None) -> "Session":
        """Return a session without declarations."""
        return Session(folder, settings=settings, encode_view=encode_view)

    @property
    def context(self) -> AnalysisContext:
        """The context in which an item is analyzed."""
        return AnalysisContext(
            self.definitions, self.folder, self.given, self.settings, functions=self.functions, effects=self.effects
        )

    @property
    def state(self) -> State:
        """The state in which the first item of a cell runs."""
        return State(
            self.heap,
            self.initial,
            self.folder,
            self.settings,
            functions=self.functions,
            effects=self.effects,
            sweep=self.sweep,
            shown=self.shown,
            encode_view=self.encode_view,
        )


class _End(Enum):
    """How a cell ended."""

    DONE = auto()
    FAILED = auto()
    INTERRUPTED = auto()


Items = Sequence[Item | Unparsed]
Actions = list[tuple[Definitions, Action]]
Run = Generator[Event, None, tuple[Session, _End]]


def execute(
    session: Session, source: Source, *, keep_going: bool = False, cell: str = "", announces: bool = False
) -> Generator[Event, None, Session]:
    """Run a text: yield its events and return the session after it.

    A cell takes effect as a whole or not at all. With ``keep_going`` the text is a file, of which each item does. ``cell`` is
    the front end's id of a cell that can be run again; its earlier declarations are removed first. With an id, or if it
    ``announces`` them, each item that begins is an event. ``KeyboardInterrupt``, thrown in or raised inside, stops the text: a
    training run still yields its result so far and the generator returns the session with it; otherwise it propagates.
    """
    items = parse(source)
    start = replace(session, definitions=replace(session.definitions, failed=frozenset()))
    if not keep_going:
        after, end = yield from _timed(start, items, 1, cell, announces=announces)
        return session if end is _End.FAILED else _unlocked(after)
    continues = False
    for number, item in enumerate(items, start=1):
        after, end = yield from _timed(start, (item,), number, "", continues=continues)
        continues = _is_continued(item, continues=continues)
        failed = end is _End.FAILED
        start = replace(start, definitions=without(item, start.context).definitions) if failed else after
        if end is _End.INTERRUPTED:
            break
    return _unlocked(start)


def run_items(session: Session, items: Sequence[Item]) -> Iterator[Event]:
    """Run items as a cell of their own and yield its events; the session after it is dropped."""
    yield from _timed(session, items, 1, "")


def _unlocked(session: Session) -> Session:
    """End ``%locked``, which holds up to the end of a cell or file."""
    return session if session.settings.locked is None else replace(session, settings=unlocked(session.settings))


def commit(before: Session, after: Session) -> Session:
    """Return the session ``after`` a change; unless nothing changed, ``%undo`` can restore the one ``before``."""
    if is_same(before, after):
        return replace(after, past=before.past)
    past = (*before.past, _as_past(before))
    kept = undo.depth([s.heap for s in past], after.heap)
    return replace(after, past=past[len(past) - kept :])


def _as_past(session: Session) -> Session:
    """Return what ``%undo`` keeps of a session: a trace that was shown may be large."""
    return replace(session, past=(), shown=None)


def _only_adds(before: Definitions, after: Definitions) -> bool:
    """Whether all declarations between the two declared new names, and none were removed."""
    return len(after.named) - len(before.named) == after.count - before.count


def is_same(before: Session, after: Session) -> bool:
    """Whether two sessions have the same names, settings, data and contents of locations."""
    return (
        _same_names(before.definitions, after.definitions)
        and unlocked(after.settings) == unlocked(before.settings)
        and after.given is before.given
        and after.functions is before.functions
        and _eff_definitions(after) is _eff_definitions(before)
        and undo.same_heap(after.heap, before.heap)
    )


def _eff_definitions(session: Session) -> object:
    return None if session.effects is None else session.effects.definitions


def _eff_items(session: Session) -> Mapping[str, object]:
    return {} if session.effects is None else session.effects.items


def _timed(session: Session, items: Items, first: int, cell: str, *, continues: bool = False, announces: bool = False) -> Run:
    bound = session.settings.bounds.seconds
    if bound is not None:
        # Each run of a sweep may take as long as a cell, once there are processes.
        runs = sum([prod([len(p.values) for p in item.parameters]) for item in items if isinstance(item, SweepItem)])
        bound = bound * (1 + runs) + STARTING if runs else bound
    try:
        return (yield from within(bound, _cell(session, items, first, cell, continues=continues, announces=announces)))
    except Stuck as failure:
        yield Shown(first, ItemFailed(diagnostics_of(failure, _first_span(items))))
        return session, _End.FAILED


def _cell(session: Session, items: Items, first: int, cell: str, *, continues: bool, announces: bool) -> Run:
    """Run items that take effect together, numbered from ``first``; ``continues``: the item before them ended too early."""
    actions = yield from actions_in_turn(session, items, cell, continues=continues)
    refused = [(n, action) for n, (_, action) in enumerate(actions, start=first) if isinstance(action, Refuse)]
    if refused:
        for number, action in refused:
            if action.diagnostics:
                yield Shown(number, ItemFailed(action.diagnostics))
        return session, _End.FAILED
    undoing = next((action for _, action in actions if isinstance(action, undo.Undo)), None)
    if undoing is not None:
        return (yield from _undo(session, undoing, first, alone=len(items) == 1))
    definitions = actions[-1][0] if actions else session.definitions.forget(cell)
    state, end = session.state, _End.DONE
    number, span = first, _first_span(items)
    try:
        if cell and (text := _outdated_text(session.definitions, definitions)):
            yield Shown(first, Notice(text))
        for number, (item, (after, action)) in enumerate(zip(items, actions, strict=True), start=first):
            span = item.span
            try:
                for remark in () if isinstance(item, Unparsed) else remarks(after, item):
                    yield Shown(number, Notice(remark))
                if warnings := action.warnings(item.span.source):
                    yield Shown(number, Warned(warnings))
                if (cell or announces) and not isinstance(item, Unparsed):
                    yield Begun(item, _at(session, after, state))
                state = yield from _remembering(action.run(number, state), item.span.text)
            except Interrupted as interrupted:
                definitions, state, end = after, interrupted.state, _End.INTERRUPTED
                break
        for file in state.files:
            file.move(span)
    except (Failure, MemoryError) as failure:
        yield Shown(number, ItemFailed(diagnostics_of(failure, span)))
        return session, _End.FAILED
    except Late:
        yield Shown(number, ItemFailed(diagnostics_of(out_of_time(session.settings.bounds.seconds or 0), span)))
        return session, _End.FAILED
    finally:
        for file in state.files:
            file.delete()
    after_all = _updated(session, definitions, state)
    only_declares = bool(actions) and all(isinstance(action, Declare) for _, action in actions)
    if only_declares and _only_adds(session.definitions, definitions):
        # No content has been replaced, so there is no need to measure what the past sessions hold.
        return replace(after_all, past=(*session.past, _as_past(session))[-undo.MAX_CELLS :]), end
    return commit(session, after_all), end


def _remembering(run: Generator[Event, None, State], text: str) -> Generator[Event, None, State]:
    """Run an item, whose text is ``text``; the state after it has what it showed."""
    watched = WatchedRun(run)
    try:
        state = yield from watched
    except Interrupted as interrupted:
        raise Interrupted(_with_shown(interrupted.state, watched, text)) from None
    return _with_shown(state, watched, text)


def _with_shown(state: State, watched: WatchedRun[State], text: str) -> State:
    return state if watched.shown is None else replace(state, shown=(watched.shown, text))


def _first_span(items: Items) -> Span:
    return items[0].span if items else Span(Source("", ""), 0, 0)


def actions_of(session: Session, items: Items, cell: str, *, continues: bool = False) -> Actions:
    """Run ``actions_in_turn`` to its end."""
    return exhaust(actions_in_turn(session, items, cell, continues=continues))


def actions_in_turn(session: Session, items: Items, cell: str, *, continues: bool = False) -> Generator[Working, None, Actions]:
    """Return the action of each item with the definitions after it; yields while data is read.

    Errors are not reported for text that was probably meant to continue the item above it, nor for attribute accesses such as
    ``np.pi`` below a Python import. ``continues`` says that the first item follows an item that ended too early. Raises only
    what is thrown in at a ``yield``.
    """
    with gc_paused():
        context = replace(session.context, cell=cell, definitions=session.definitions.forget(cell))
        actions: Actions = []
        reported: set[str] = set()
        below_import = False
        for item in items:
            bound = context.settings.bounds.nodes
            nodes = EVERYTHING if bound is None else bound
            if context.definitions.nodes != nodes:
                context = replace(context, definitions=replace(context.definitions, nodes=nodes))
            context, action = yield from analyze(item, context)
            is_cut_off = isinstance(item, Unparsed) and item.is_cut_off
            if continues and not is_cut_off and isinstance(item, Evaluation | Unparsed) and isinstance(action, Refuse):
                action = Refuse(())
            if isinstance(item, Unparsed):
                action = Refuse(()) if below_import and item.has_attributes else action
                below_import = below_import or item.is_import
            continues = _is_continued(item, continues=continues)
            if cell and isinstance(item, EqualityCheck | TypeCheck) and isinstance(action, Refuse):
                action = _without_reported(action, reported)
            actions.append((context.definitions, action))
        return actions


def _is_continued(item: Item | Unparsed, *, continues: bool) -> bool:
    """Whether the text below an item was probably meant to continue it, or the item above, which this one ``continues``."""
    return isinstance(item, Unparsed) and (item.is_cut_off or (continues and item.is_clause))


def _without_reported(refused: Refuse, reported: set[str]) -> Refuse:
    """Drop the errors about unknown names in ``reported`` and add the remaining unknown names to it.

    So only the first of several checks of an undeclared name reports it.
    """
    kept = tuple(e for e in refused.diagnostics if not (isinstance(e, UnknownName) and e.name in reported))
    reported.update(e.name for e in kept if isinstance(e, UnknownName))
    return Refuse(kept)


def _undo(session: Session, action: undo.Undo, number: int, *, alone: bool) -> Run:
    problem: Rejected | None = None
    if not alone:
        hint = "it undoes a whole cell"
        problem = invalid_arguments("undo", action.span, "a cell of its own", "other items beside it", hint)
    elif not session.past:
        hint = f"only the last {undo.MAX_CELLS} changes can be undone; `%reset` restores the initial contents of locations"
        problem = Rejected(NothingToUndo(span=action.span, why="there is no earlier cell to undo", hint=hint))
    if problem is not None:
        yield Shown(number, ItemFailed(problem.diagnostics))
        return session, _End.FAILED
    *past, then = session.past
    others = ((session.functions, then.functions), (_eff_items(session), _eff_items(then)))
    is_set = then.settings != session.settings
    text = undo.notice(session.definitions, then.definitions, session.heap, then.heap, settings=is_set, others=others)
    yield Shown(number, Notice(text))
    # Numbers and versions are not reset: those of the undone declarations must not be reused.
    now = session.definitions
    definitions = replace(then.definitions, count=now.count, versions=now.versions)
    return replace(then, definitions=definitions, past=tuple(past), shown=session.shown), _End.DONE


def _outdated_text(before: Definitions, after: Definitions) -> str:
    """Return the notice that running a cell again has outdated definitions that use its earlier declarations, if it has."""
    known = before.outdated()
    found = {name: newer for name, newer in after.outdated().items() if known.get(name) != newer}
    if not found:
        return ""
    spans = [span for name in found if (span := after.named[name].span) is not None]
    cells = dict.fromkeys([span.source.name for span in spans if span.source.name.startswith("cell ")])
    older = list(dict.fromkeys([name for names in found.values() for name in names]))
    gone = [name for name in older if name not in after.named]
    what = f"{_listed(found)} still {'use' if len(found) > 1 else 'uses'} the earlier {_listed(older)}"
    if gone:
        return f"{what}; {_listed(gone)} {'are' if len(gone) > 1 else 'is'} no longer declared"
    how = f"run {_listed(cells, quote='')} again" if cells else "declare it again"
    return f"{what}: {how} to renew"


def _listed(names: Iterable[str], quote: str = "`") -> str:
    *others, last = [f"{quote}{name}{quote}" for name in names]
    return f"{', '.join(others)} and {last}" if others else last


def _updated(session: Session, definitions: Definitions, state: State) -> Session:
    """Return the session after a cell, without the contents of locations that are no longer reachable."""
    heap, initial = state.heap, state.initial
    if not _only_adds(session.definitions, definitions):
        gone = unreachable(heap, definitions)
        if gone:
            heap = MappingProxyType({loc: array for loc, array in heap.items() if loc not in gone})
            initial = MappingProxyType({loc: array for loc, array in initial.items() if loc not in gone})
    definitions = replace(definitions, forgotten=MappingProxyType({}))
    return replace(
        session,
        definitions=definitions,
        heap=heap,
        initial=initial,
        settings=state.settings,
        functions=state.functions,
        effects=state.effects,
        sweep=state.sweep,
        shown=state.shown,
    )


def _at(session: Session, definitions: Definitions, state: State) -> Session:
    """Return the session in which an item of a cell runs, without a past."""
    heap, initial, settings = state.heap, state.initial, state.settings
    return replace(session, definitions=definitions, heap=heap, initial=initial, settings=settings, past=(), sweep=None)


def _same_names(one: Definitions, other: Definitions) -> bool:
    if one.named is other.named or len(one.named) != len(other.named):
        return one.named is other.named
    return all(name in other.named and other.named[name].number == declared.number for name, declared in one.named.items())
