"""What each item of a cell is going to do: everything about it that is known before anything runs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal as OneOf
from typing import TypeAlias

from rh_kernel.session.drawing import Denoted
from rh_kernel.session.results import CheckPassed, NamesShown, Notice
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.data import DataSet
from rh_kernel.typing.checks import Equation
from rh_kernel.typing.definitions import Definition
from rh_kernel.typing.derivations import Derivation
from rh_kernel.typing.items import (
    ClosedCommand,
    ClosedTerm,
    TrainingRun,
)


@dataclass(frozen=True, slots=True)
class Declare:
    """A declaration, already among the definitions; ``type`` and ``content`` are where its two sides stand"""

    definition: Definition
    type: Span
    content: Span


@dataclass(frozen=True, slots=True)
class Evaluate:
    """A term or a command"""

    subject: ClosedTerm | ClosedCommand


@dataclass(frozen=True, slots=True)
class Trace:
    """``%trace P``; ``written`` is where the bodies of the declared names stand"""

    subject: ClosedTerm | ClosedCommand
    written: Mapping[str, Span]


Shows: TypeAlias = OneOf["", "passes", "profile"]
"""What ``%compile`` shows beside the program."""


@dataclass(frozen=True, slots=True)
class Compile:
    """``%compile P``; ``shows`` is what follows ``--``, if anything does"""

    subject: ClosedTerm | ClosedCommand
    shows: Shows = ""


@dataclass(frozen=True, slots=True)
class ShowType:
    """``%type E``, answered"""

    subject: str
    type: str


@dataclass(frozen=True, slots=True)
class Derive:
    """``%derivation E``, answered; ``type`` is what ``%type`` says"""

    subject: str
    type: str
    derivations: tuple[Derivation, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """``%diagram E``"""

    subject: Denoted


@dataclass(frozen=True, slots=True)
class Gradient:
    """``%gradient P against Q``: each subject with how it is written; the first takes effect"""

    subject: ClosedTerm | ClosedCommand
    text: str
    against: tuple[ClosedTerm | ClosedCommand, str] | None


@dataclass(frozen=True, slots=True)
class Train:
    """``train P for …``, with the data it names"""

    run: TrainingRun
    data: Mapping[str, DataSet]
    span: Span


@dataclass(frozen=True, slots=True)
class Compare:
    """``check M == N``, as it is written"""

    equation: Equation
    span: Span


@dataclass(frozen=True, slots=True)
class Save:
    """``%save file``: these locations, by their names"""

    target: Path
    locations: Mapping[str, Location]
    span: Span


@dataclass(frozen=True, slots=True)
class Load:
    """``%load file``, into these locations"""

    target: Path
    locations: Mapping[str, Location]
    span: Span


@dataclass(frozen=True, slots=True)
class Undo:
    """``%undo``: an item that is a cell by itself"""

    span: Span


@dataclass(frozen=True, slots=True)
class ShowHeap:
    """``%heap``"""


@dataclass(frozen=True, slots=True)
class Reset:
    """``%reset``"""


@dataclass(frozen=True, slots=True)
class Set:
    """``%strict on``: the settings from here on, and what is said about them"""

    settings: Settings
    text: str


@dataclass(frozen=True, slots=True)
class SetDevice:
    """``%device gpu``: the settings from here on; what is said about them depends on whether a GPU answers"""

    settings: Settings


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known already: the answer to ``%help`` or ``%whos``, a check of a type"""

    result: CheckPassed | NamesShown | Notice


@dataclass(frozen=True, slots=True)
class Refuse:
    """An item with an error"""

    diagnostics: tuple[Diagnostic, ...]


Plan: TypeAlias = (
    Declare
    | Evaluate
    | Trace
    | Compile
    | ShowType
    | Derive
    | Draw
    | Gradient
    | Train
    | Compare
    | Save
    | Load
    | Undo
    | ShowHeap
    | Reset
    | Set
    | SetDevice
    | Answer
    | Refuse
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What planning looks at beside the definitions: the folder that paths start from, data given from Python, the settings.

    ``cell`` is what the front end calls the cell, if it can be run again.
    """

    folder: Path
    given: Mapping[str, Mapping[str, Array]]
    settings: Settings
    cell: str = ""

    def after(self, planned: Plan) -> "Surroundings":
        """What the plan of the next item looks at."""
        return replace(self, settings=planned.settings) if isinstance(planned, Set | SetDevice) else self
