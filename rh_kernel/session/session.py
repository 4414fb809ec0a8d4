"""Cells: ``session, text ↦ events, session'`` (LANGUAGE §6, §7). A session is a value, so a cell that fails leaves the old one.

Of a cell, every item is parsed and elaborated first; only if none has an error does anything run.
"""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from rh_kernel.session.performing import Interrupted, State, perform
from rh_kernel.session.plans import Plan, Refuse, Surroundings, complaints, plan, without
from rh_kernel.session.results import Event, ItemFailed, Shown
from rh_kernel.session.settings import DEFAULT, Settings
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parser import Unparsed, parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.surface_items import Item
from rh_kernel.typing.definitions import BUILT_IN, Definitions


@dataclass(frozen=True, slots=True)
class Session:
    """What the names stand for, what the heap holds and held at first, where paths start from, and what is set."""

    folder: Path
    definitions: Definitions = BUILT_IN
    heap: Mapping[Location, Array] = field(default_factory=lambda: MappingProxyType({}))
    initial: Mapping[Location, Array] = field(default_factory=lambda: MappingProxyType({}))
    given: Mapping[str, Mapping[str, Array]] = field(default_factory=lambda: MappingProxyType({}))
    settings: Settings = DEFAULT

    @staticmethod
    def start(folder: Path, settings: Settings = DEFAULT) -> "Session":
        """A session in which nothing has been declared."""
        return Session(folder, settings=settings)

    @property
    def surroundings(self) -> Surroundings:
        """What planning looks at beside the definitions."""
        return Surroundings(self.folder, self.given, self.settings)


def execute(session: Session, source: Source, *, keep_going: bool = False) -> Generator[Event, None, Session]:
    """The events of a text; what the generator returns is the session after it.

    Without ``keep_going`` the text is a cell: it takes effect as a whole or not at all. With it, it is a file: each item does.
    ``KeyboardInterrupt`` (thrown in, or raised while it works) stops it: in a training run the generator still tells what was
    done by then and returns a session that has it; elsewhere the exception passes, and the old session is all there is.
    """
    items = list(parse(source))
    around = session.surroundings
    definitions = replace(session.definitions, failed=frozenset())
    plans = None if keep_going else _plans(definitions, items, around)
    refused = [(n, p) for n, (_, p) in enumerate(plans or (), start=1) if isinstance(p, Refuse)]
    if refused:
        for number, planned in refused:
            yield Shown(number, ItemFailed(planned.diagnostics))
        return session
    state = State(session.heap, session.initial, session.folder, session.settings)
    for number, item in enumerate(items, start=1):
        after, planned = plan(definitions, item, around) if plans is None else plans[number - 1]
        try:
            state = yield from perform(number, planned, state)
        except (Failure, MemoryError) as failure:
            yield Shown(number, ItemFailed(complaints(failure, item.span)))
            if not keep_going:
                return session
            after = without(definitions, item)
        except Interrupted as interrupted:
            return _after(session, after, interrupted.state)
        definitions, around = after, around.after(planned)
    return _after(session, definitions, state)


def _plans(definitions: Definitions, items: Iterable[Item | Unparsed], around: Surroundings) -> list[tuple[Definitions, Plan]]:
    """The plan of each item, with the definitions after it."""
    plans: list[tuple[Definitions, Plan]] = []
    for item in items:
        definitions, planned = plan(definitions, item, around)
        plans.append((definitions, planned))
        around = around.after(planned)
    return plans


def _after(session: Session, definitions: Definitions, state: State) -> Session:
    return replace(session, definitions=definitions, heap=state.heap, initial=state.initial, settings=state.settings)
