"""Cells: ``session, text ↦ events, session'`` (LANGUAGE §6, §7). A session is a value, so a cell that fails leaves the old one.

Of a cell, every item is parsed and analyzed first; only if none has an error does anything run. A file is a sequence of cells
of one item each.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum, auto
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from rh_kernel.session.actions import Action, AnalysisContext, Interrupted, Refuse, State
from rh_kernel.session.analyze import analyze, diagnostics_of, without
from rh_kernel.session.directives.undo import MOST, Undo, fitting, same_heap, undone
from rh_kernel.session.errors import DirectiveWords, NothingToUndo
from rh_kernel.session.execute import Declare
from rh_kernel.session.limits.alarm import Late
from rh_kernel.session.limits.bounds import EVERYTHING
from rh_kernel.session.limits.timing import out_of_time, within
from rh_kernel.session.names import declarations, same_declarations
from rh_kernel.session.results import Event, ItemFailed, Notice, Shown, Working
from rh_kernel.session.settings import DEFAULT, Settings, unlocked
from rh_kernel.session.storage import put
from rh_kernel.source.collection import put_off
from rh_kernel.source.diagnostic import Diagnostic, Failure, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.binding import locations_within
from rh_kernel.syntax.core import Array, Node
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.surface_items import EqualityCheck, Evaluation, Item, TypeCheck
from rh_kernel.training.reading.reader import at_once
from rh_kernel.typing.definitions import (
    BUILT_IN,
    ConstDefinition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
)
from rh_kernel.typing.errors import UnknownName
from rh_kernel.typing.explaining.remarks import remarks

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.effects_names import Effects


@frozen
class Session:
    """What the names stand for, what the heap holds and held at first, where paths start from, and what is set.

    ``functions`` are those of the laboratory, ``effects`` what ``%%eff`` cells have declared, if there was one, ``past`` the
    sessions before the cells that can be undone, the last one last.
    """

    folder: Path
    definitions: Definitions = BUILT_IN
    heap: Mapping[Location, Array] = field(default_factory=lambda: MappingProxyType({}))
    initial: Mapping[Location, Array] = field(default_factory=lambda: MappingProxyType({}))
    given: Mapping[str, Mapping[str, Array]] = field(default_factory=lambda: MappingProxyType({}))
    settings: Settings = DEFAULT
    functions: "Mapping[str, Program]" = field(default_factory=lambda: MappingProxyType({}))
    effects: "Effects | None" = None
    past: "tuple[Session, ...]" = ()

    @staticmethod
    def start(folder: Path, settings: Settings = DEFAULT) -> "Session":
        """A session in which nothing has been declared."""
        return Session(folder, settings=settings)

    @property
    def context(self) -> AnalysisContext:
        """The context in which an item is analyzed."""
        return AnalysisContext(
            self.definitions, self.folder, self.given, self.settings, functions=self.functions, effects=self.effects
        )


class _End(Enum):
    """How a cell ended."""

    DONE = auto()
    FAILED = auto()
    INTERRUPTED = auto()


Items = Sequence[Item | Unparsed]
Actions = list[tuple[Definitions, Action]]
Run = Generator[Event, None, tuple[Session, _End]]


def execute(session: Session, source: Source, *, keep_going: bool = False, cell: str = "") -> Generator[Event, None, Session]:
    """The events of a text; what the generator returns is the session after it.

    Without ``keep_going`` the text is a cell: it takes effect as a whole or not at all. With it, it is a file: each item does.
    ``cell`` is what the front end calls a cell that can be run again; what it declared before is forgotten then.
    ``KeyboardInterrupt`` (thrown in, or raised while it works) stops it: in a training run the generator still tells what was
    done by then and returns a session that has it; elsewhere the exception passes, and the old session is all there is.
    """
    items = parse(source)
    start = replace(session, definitions=replace(session.definitions, failed=frozenset()))
    if not keep_going:
        after, end = yield from _timed(start, items, 1, cell)
        return session if end is _End.FAILED else _at_the_end(after)
    continues = False
    for number, item in enumerate(items, start=1):
        after, end = yield from _timed(start, (item,), number, "", continues=continues)
        continues = _goes_on(item, continues=continues)
        failed = end is _End.FAILED
        start = replace(start, definitions=without(item, start.context).definitions) if failed else after
        if end is _End.INTERRUPTED:
            break
    return _at_the_end(start)


def _at_the_end(session: Session) -> Session:
    """The session after a cell or a file: what is locked is locked up to there."""
    return session if session.settings.locked is None else replace(session, settings=unlocked(session.settings))


def commit(before: Session, after: Session) -> Session:
    """The session ``after`` what was done to the one ``before``, which can be undone if it was anything."""
    if is_same(before, after):
        return replace(after, past=before.past)
    past = (*before.past, replace(before, past=()))
    kept = fitting([s.heap for s in past], after.heap)
    return replace(after, past=past[len(past) - kept :])


def _grown(before: Session, after: Session) -> Session:
    """``commit`` where names and locations came and nothing went: what could be kept before can be kept now."""
    past = (*before.past, replace(before, past=()))
    return replace(after, past=past[-MOST:])


def _only_adds(before: Definitions, after: Definitions) -> bool:
    """Whether each declaration between the two was of a new name, and none went."""
    return len(after.named) - len(before.named) == after.count - before.count


def is_same(before: Session, after: Session) -> bool:
    """Whether nothing was done between two sessions: names, settings, data and heap are as before."""
    return (
        _same_names(before.definitions, after.definitions)
        and unlocked(after.settings) == unlocked(before.settings)
        and after.given is before.given
        and after.functions is before.functions
        and same_declarations(before.effects, after.effects)
        and same_heap(after.heap, before.heap)
    )


def _timed(session: Session, items: Items, first: int, cell: str, *, continues: bool = False) -> Run:
    try:
        return (yield from within(session.settings.bounds.seconds, _cell(session, items, first, cell, continues=continues)))
    except Stuck as failure:
        yield Shown(first, ItemFailed(failure.diagnostics))
        return session, _End.FAILED


def _cell(session: Session, items: Items, first: int, cell: str, *, continues: bool) -> Run:
    """The events of some items that take effect together; ``first`` is the number of the first of them.

    ``continues`` tells that the item before them is cut off.
    """
    actions = yield from actions_in_turn(session, items, cell, continues=continues)
    refused = [(n, action) for n, (_, action) in enumerate(actions, start=first) if isinstance(action, Refuse)]
    if refused:
        for number, action in refused:
            if action.diagnostics:
                yield Shown(number, ItemFailed(action.diagnostics))
        return session, _End.FAILED
    undo = next((action for _, action in actions if isinstance(action, Undo)), None)
    if undo is not None:
        return (yield from _undo(session, undo, first, alone=len(items) == 1))
    definitions = actions[-1][0] if actions else session.definitions.forget(cell)
    end = _End.DONE
    state = State(
        session.heap,
        session.initial,
        session.folder,
        session.settings,
        functions=session.functions,
        effects=session.effects,
    )
    number, span = first, Span(Source("", ""), 0, 0)
    try:
        if cell and (words := _made_older(session.definitions, definitions)):
            yield Shown(first, Notice(words))
        for number, (item, (after, action)) in enumerate(zip(items, actions, strict=True), start=first):
            span = item.span
            try:
                for words in () if isinstance(item, Unparsed) else remarks(after, item):
                    yield Shown(number, Notice(words))
                state = yield from action.run(number, state)
            except Interrupted as interrupted:
                definitions, state, end = after, interrupted.state, _End.INTERRUPTED
                break
        for written in state.files:
            put(written, span)
    except (Failure, MemoryError) as failure:
        yield Shown(number, ItemFailed(diagnostics_of(failure, span)))
        return session, _End.FAILED
    except Late:
        yield Shown(number, ItemFailed(out_of_time(session.settings.bounds.seconds or 0).diagnostics))
        return session, _End.FAILED
    finally:
        for written in state.files:
            written.drop()
    after_all = _with(session, definitions, state)
    only_declares = bool(actions) and all(isinstance(action, Declare) for _, action in actions)
    if only_declares and _only_adds(session.definitions, definitions):
        return _grown(session, after_all), end
    return commit(session, after_all), end


def actions_of(session: Session, items: Items, cell: str, *, continues: bool = False) -> Actions:
    """The action of each item, with the definitions after it, without pauses."""
    return at_once(actions_in_turn(session, items, cell, continues=continues))


def actions_in_turn(session: Session, items: Items, cell: str, *, continues: bool = False) -> Generator[Working, None, Actions]:
    """The action of each item, with the definitions after it. It pauses while data is read.

    Nothing is reported for text that should have continued the item above it, since it lacks what that one binds or opens, nor
    for attribute accesses such as ``np.pi`` below a Python import. For the first item ``continues`` tells whether there is such
    an item above it. Raises only what is thrown in at a pause.
    """
    with put_off():
        return (yield from _analyzed(session, items, cell, continues=continues))


def _analyzed(session: Session, items: Items, cell: str, *, continues: bool) -> Generator[Working, None, Actions]:
    context = replace(session.context, cell=cell, definitions=session.definitions.forget(cell))
    actions: Actions = []
    told: set[str] = set()
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
        continues = _goes_on(item, continues=continues)
        if cell and isinstance(item, EqualityCheck | TypeCheck) and isinstance(action, Refuse):
            action = _news(action, told)
        actions.append((context.definitions, action))
    return actions


def _goes_on(item: Item | Unparsed, *, continues: bool) -> bool:
    """Whether the text below an item should have continued it, or with it the one above, which it then ``continues``."""
    return isinstance(item, Unparsed) and (item.is_cut_off or (continues and item.is_clause))


def _news(refused: Refuse, told: set[str]) -> Refuse:
    """What an item is refused for beside the names in ``told``, to which its own are added.

    Of several checks of one name that is not there, the first one says so.
    """
    kept = tuple(d for d in refused.diagnostics if not (isinstance(d, UnknownName) and d.name in told))
    told.update(d.name for d in kept if isinstance(d, UnknownName))
    return Refuse(kept)


def _undo(session: Session, undo: Undo, number: int, *, alone: bool) -> Run:
    problem: Diagnostic | None = None
    if not alone:
        wanted, hint = "a cell of its own", "it undoes a whole cell"
        problem = DirectiveWords(span=undo.span, name="undo", wanted=wanted, found="other items beside it", hint=hint)
    elif not session.past:
        hint = f"only the last {MOST} changes can be undone; `%reset` restores the initial contents of locations"
        problem = NothingToUndo(span=undo.span, why="there is no earlier cell to undo", hint=hint)
    if problem is not None:
        yield Shown(number, ItemFailed((problem,)))
        return session, _End.FAILED
    *past, then = session.past
    is_set = then.settings != session.settings
    others = ((session.functions, then.functions), (declarations(session.effects), declarations(then.effects)))
    words = undone(session.definitions, then.definitions, session.heap, then.heap, settings=is_set, others=others)
    yield Shown(number, Notice(words))
    # Numbers and versions go on, so that nothing new is taken for what was undone.
    now = session.definitions
    definitions = replace(then.definitions, count=now.count, versions=now.versions)
    return replace(then, definitions=definitions, past=tuple(past)), _End.DONE


def _made_older(before: Definitions, after: Definitions) -> str:
    """What is said where a cell that is run again leaves something behind that was made from what it declared before."""
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


def _with(session: Session, definitions: Definitions, state: State) -> Session:
    """The session after a cell, without the contents of locations that nothing knows any more."""
    heap, initial = state.heap, state.initial
    if not _only_adds(session.definitions, definitions):
        named = _named(definitions)
        hidden = [loc for loc in heap if loc not in named]
        known = named.union(*[locations_within(body) for body in _bodies(definitions)]) if hidden else named
        gone = {loc for loc in hidden if loc not in known}
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
    )


def _same_names(one: Definitions, other: Definitions) -> bool:
    if one.named is other.named or len(one.named) != len(other.named):
        return one.named is other.named
    return all(name in other.named and other.named[name].number == declared.number for name, declared in one.named.items())


def _named(definitions: Definitions) -> frozenset[Location]:
    declared = [d.definition for names in (definitions.named, definitions.locked) for d in names.values()]
    return frozenset([d.location for d in declared if isinstance(d, LocDefinition)])


def _bodies(definitions: Definitions) -> Iterator[Node]:
    """What may know a location that no name stands for."""
    for declared in (*definitions.named.values(), *definitions.locked.values()):
        match declared.definition:
            case NetDefinition(body=body):
                yield body
            case HandlerDefinition(handler=H):
                yield H
            case DimDefinition() | ConstDefinition() | LocDefinition() | FunDefinition() | OpDefinition():
                pass
