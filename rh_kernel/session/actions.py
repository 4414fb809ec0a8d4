"""Actions: the analyzed items of a cell.

Analysis turns each item into an action: it looks up names, infers types and reads data. Actions run after the whole cell has
been analyzed.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rh_kernel.primitives.contents import initial_state
from rh_kernel.session.results import (
    CheckPassed,
    Event,
    ItemFailed,
    NamesShown,
    Notice,
    Result,
    Shown,
    SweepDone,
    TypeShown,
    Working,
)
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm
from rh_kernel.typing.lost_updates.checking import lost_updates

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.eff_names import EffDeclarations
    from rh_kernel.session.storage import ScratchFile
    from rh_kernel.session.view_files import ViewEncoder

Closed: TypeAlias = ClosedTerm | ClosedCommand
"""A term or command without free variables, with its type."""


@frozen
class AnalysisContext:
    """The context of the analysis of an item: what the items before it declare and set.

    ``functions`` are declared in ``%%lambda`` cells, ``effects`` in ``%%eff`` cells. Paths are relative to ``folder``;
    ``given`` holds the data sets passed from Python, by name. ``cell`` is the front end's id of a cell that can be run again,
    or empty.
    """

    definitions: Definitions
    folder: Path
    given: Mapping[str, Mapping[str, Array]]
    settings: Settings
    cell: str = ""
    functions: "Mapping[str, Program]" = field(default_factory=lambda: MappingProxyType({}))
    effects: "EffDeclarations | None" = None


@dataclass(frozen=True, slots=True)
class State:
    """The state of a running cell: the current and the initial contents of the locations, and what else its actions change.

    ``files`` are moved to their targets when the cell ends. ``functions`` are declared in ``%%lambda`` cells, ``effects`` in
    ``%%eff`` cells. ``sweep`` is the last one. ``shown`` is the last result that is more than a message, with the text of its
    item, and ``encode_view`` renders it as a file.
    """

    heap: Mapping[Location, Array]
    initial: Mapping[Location, Array]
    folder: Path
    settings: Settings
    files: "tuple[ScratchFile, ...]" = ()
    functions: "Mapping[str, Program]" = field(default_factory=lambda: MappingProxyType({}))
    effects: "EffDeclarations | None" = None
    sweep: "SweepDone | None" = None
    shown: tuple[Result, str] | None = None
    encode_view: "ViewEncoder | None" = None

    def put(self, changes: Mapping[Location, Array]) -> "State":
        """Return the state with new contents at some locations, and the initial contents of those that are first written."""
        first = {at: array for at in changes if at not in self.initial and (array := initial_state(at)) is not None}
        initial = MappingProxyType({**self.initial, **first}) if first else self.initial
        if isinstance(self.heap, MappingProxyType) and isinstance(changes, dict):
            # Merging two dictionaries is faster than copying their entries one by one.
            return replace(self, heap=MappingProxyType(self.heap | changes), initial=initial)
        return replace(self, heap=MappingProxyType({**self.heap, **changes}), initial=initial)


class Interrupted(Exception):
    """The user interrupted a training run; ``state`` is the state after its last finished batch."""

    def __init__(self, state: State) -> None:
        super().__init__("interrupted")
        self.state = state


Run: TypeAlias = Generator[Event, None, State]
"""The events of an action; the generator returns the state after it."""


class Action(ABC):
    """An analyzed item. Subclasses are frozen dataclasses; most override ``run`` alone."""

    __slots__ = ()

    last_item_hint: ClassVar[str] = ""
    """The hint of `rh trace`, `rh compile` and `rh diagram` for a file that ends in this action, which they cannot show."""

    @abstractmethod
    def run(self, number: int, state: State) -> Run:
        """Run the item, the ``number``-th of its text counted from 1: yield its events and return the state after it.

        Yield results as ``Shown(number, result)``, and ``Working`` now and then during long work, so that it can be
        interrupted. Raise ``Failure`` to undo the whole cell. ``KeyboardInterrupt``, raised inside or thrown in at a ``yield``,
        must pass through and leave nothing half done; only a training run turns it into ``Interrupted``.
        """

    def summary(self, text: str) -> Result:
        """Return what ``rh check`` shows of the item, whose text is ``text``: what is known without running it."""
        return Notice(_on_one_line(text))

    def warnings(self, source: Source) -> tuple[Diagnostic, ...]:
        """Return what is probably not as intended in the item, whose text is in ``source``."""
        return ()

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """Return the context in which the next item is analyzed."""
        return context

    @property
    def subject(self) -> Closed | None:
        """The term or command that is evaluated, for `rh trace`, `rh compile` and `rh diagram`."""
        return None

    @property
    def traced(self) -> "Action | None":
        """The action that shows the steps of this one, if it belongs to another language than ``subject``."""
        return None


Analysis: TypeAlias = Action | Generator[Working, None, Action]
"""An action, or a generator that returns one and yields while files are read."""


def type_summary(text: str, type: object) -> TypeShown:
    """Return the summary of an item of known type; the text is put on one line."""
    return TypeShown(_on_one_line(text), str(type))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


@frozen
class ClosedAction(Action):
    """An action that evaluates one closed term or command; its summary is the type."""

    closed: Closed

    @property
    def subject(self) -> Closed:
        """The term or command."""
        return self.closed

    def warnings(self, source: Source) -> tuple[Diagnostic, ...]:
        """Return the warnings about lost updates."""
        return lost_updates(self.closed.command, source) if isinstance(self.closed, ClosedCommand) else ()

    def summary(self, text: str) -> Result:
        """Return the type."""
        return type_summary(text, self.closed.type)


@frozen
class ShowResult(Action):
    """An item whose result is already known: ``%help``, ``%whos``, ``%type E``, ``check E ⊢ A``"""

    result: CheckPassed | NamesShown | Notice | TypeShown

    def run(self, number: int, state: State) -> Run:
        """Show the result."""
        yield Shown(number, self.result)
        return state

    def summary(self, text: str) -> Result:
        """Return the result if it is about a type."""
        return self.result if isinstance(self.result, CheckPassed | TypeShown) else Action.summary(self, text)


@frozen
class Refuse(Action):
    """An item with errors"""

    diagnostics: tuple[Diagnostic, ...]

    def run(self, number: int, state: State) -> Run:
        """Raise ``Rejected``."""
        raise Rejected(*self.diagnostics)

    def summary(self, text: str) -> Result:
        """Return the errors."""
        return ItemFailed(self.diagnostics)


@frozen
class ChangeSettings(Action):
    """A directive that changes settings: the new settings, and the message"""

    settings: Settings
    text: str = ""

    def run(self, number: int, state: State) -> Run:
        """Change the settings."""
        yield Shown(number, Notice(self.text))
        return replace(state, settings=self.settings)

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """Return the context with these settings."""
        return replace(context, settings=self.settings)
