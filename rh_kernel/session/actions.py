"""Actions: what an item of a cell does, once everything is known about it that is known before anything runs.

Analysis makes them: it looks up names, infers types and reads data. They run after the whole cell has been analyzed.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rh_kernel.session.results import CheckPassed, Event, ItemFailed, NamesShown, Notice, Result, Shown, TypeShown, Working
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.effects_names import Effects
    from rh_kernel.session.storage import Written

Closed: TypeAlias = ClosedTerm | ClosedCommand
"""A term or command without free variables, with its type."""


@frozen
class AnalysisContext:
    """What analysis of an item may look at: what the items before it declare and set.

    ``definitions`` are the names of the language, ``functions`` those of ``%%lambda`` cells, ``effects`` what ``%%eff`` cells
    declare. Paths are relative to ``folder``; ``given`` holds data sets from Python, by name. ``cell`` is what the front end
    calls a cell that can be run again, or empty.
    """

    definitions: Definitions
    folder: Path
    given: Mapping[str, Mapping[str, Array]]
    settings: Settings
    cell: str = ""
    functions: "Mapping[str, Program]" = field(default_factory=lambda: MappingProxyType({}))
    effects: "Effects | None" = None


@dataclass(frozen=True, slots=True)
class State:
    """What the items of a cell have done so far; ``files`` are moved to their targets when the cell ends.

    ``heap`` holds the contents of the locations and ``initial`` their first contents; ``functions`` are those of ``%%lambda``
    cells, and ``effects`` what ``%%eff`` cells have declared.
    """

    heap: Mapping[Location, Array]
    initial: Mapping[Location, Array]
    folder: Path
    settings: Settings
    files: "tuple[Written, ...]" = ()
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
    """The user stopped a training run; ``state`` holds what it had done by then."""

    def __init__(self, state: State) -> None:
        super().__init__("interrupted")
        self.state = state


Run: TypeAlias = Generator[Event, None, State]
"""The events of an action; the generator returns the state after it."""


class Action(ABC):
    """What an item does. The class of an action is a frozen dataclass; most override ``run`` alone."""

    __slots__ = ()

    steers_to: ClassVar[str] = ""
    """A hint where a file ends in this action, and `rh trace`, `rh compile` or `rh diagram` want another."""

    @abstractmethod
    def run(self, number: int, state: State) -> Run:
        """The events of the item, the ``number``-th of its text from 1 on, and the state after it.

        Results are yielded as ``Shown(number, result)``. Long work yields ``Working`` now and then, so that it can be
        interrupted. Raises ``Failure``; the cell then has no effect. ``KeyboardInterrupt``, raised inside or thrown in at a
        ``yield``, passes through and leaves nothing half done; only a training run makes ``Interrupted`` of it.
        """

    def summary(self, text: str) -> Result:
        """What ``rh check`` shows of the item, which is written ``text``: what is known without running it."""
        return Notice(" ".join(text.split()))

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """The context in which the next item is analyzed."""
        return context

    @property
    def subject(self) -> Closed | None:
        """The term or command that is evaluated, which `rh trace`, `rh compile` and `rh diagram` look at."""
        return None

    @property
    def traced(self) -> "Action | None":
        """The action that shows each step of this one, if it is of another language than ``subject``."""
        return None


Analysis: TypeAlias = Action | Generator[Working, None, Action]
"""An action, or a generator that returns one, and pauses while files are read."""


def typed(text: str, type: object) -> TypeShown:
    """The summary of an item whose type is known; the text is put on one line."""
    return TypeShown(" ".join(text.split()), str(type))


@frozen
class Answer(Action):
    """An item whose result is known already: ``%help``, ``%whos``, ``%type E``, a check of a type."""

    result: CheckPassed | NamesShown | Notice | TypeShown

    def run(self, number: int, state: State) -> Run:
        """Shows the result."""
        yield Shown(number, self.result)
        return state

    def summary(self, text: str) -> Result:
        """The result, if it tells a type."""
        return self.result if isinstance(self.result, CheckPassed | TypeShown) else Action.summary(self, text)


@frozen
class Refuse(Action):
    """An item with an error."""

    diagnostics: tuple[Diagnostic, ...]

    def run(self, number: int, state: State) -> Run:
        """Raises ``Rejected``."""
        raise Rejected(*self.diagnostics)

    def summary(self, text: str) -> Result:
        """The error."""
        return ItemFailed(self.diagnostics)
