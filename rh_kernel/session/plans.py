"""What each item of a cell is going to do: everything about it that is known before anything runs."""

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from rh_kernel.session.directives.drawing import Denoted
from rh_kernel.session.results import CheckPassed, DeclarationMade, NamesShown, Notice
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.data import DataSet
from rh_kernel.typing.definitions import Definition
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.elaboration.checks import Equation
from rh_kernel.typing.elaboration.items import (
    ClosedCommand,
    ClosedTerm,
    TrainingRun,
)

if TYPE_CHECKING:
    from rh_kernel.ad.eff.core import Computation
    from rh_kernel.ad.eff.definitions import Definitions as EffectsDefinitions
    from rh_kernel.ad.eff.types import ComputationType
    from rh_kernel.ad.language.core import Program
    from rh_kernel.ad.language.core import Term as LaboratoryTerm
    from rh_kernel.ad.language.types import Type as LaboratoryType
    from rh_kernel.ad.language.values import Value
    from rh_kernel.ad.system import Point, System
    from rh_kernel.session.sections.effects_names import Effects


@frozen
class Declare:
    """A declaration, already among the definitions; ``type`` and ``content`` are where its two sides stand"""

    definition: Definition
    type: Span
    content: Span


@frozen
class Evaluate:
    """A term or a command"""

    subject: ClosedTerm | ClosedCommand


@frozen
class Trace:
    """``%trace P``; ``written`` is where the bodies of the declared names stand"""

    subject: ClosedTerm | ClosedCommand
    written: Mapping[str, Span]


Shows: TypeAlias = OneOf["", "passes", "profile"]
"""What ``%compile`` shows beside the program."""


@frozen
class Compile:
    """``%compile P``, ``%compile train P for …``; ``shows`` is what follows ``--``, if anything does"""

    subject: "ClosedTerm | ClosedCommand | Train"
    shows: Shows = ""


@frozen
class ShowType:
    """``%type E``, answered"""

    subject: str
    type: str
    remarks: tuple[str, ...] = ()


@frozen
class Derive:
    """``%derivation E``, answered; ``type`` is what ``%type`` says"""

    subject: str
    type: str
    derivations: tuple[Derivation, ...]


@frozen
class Draw:
    """``%diagram E``"""

    subject: Denoted


@frozen
class Gradient:
    """``%gradient P against Q``: each subject with how it is written; the first takes effect"""

    subject: ClosedTerm | ClosedCommand
    text: str
    against: tuple[ClosedTerm | ClosedCommand, str] | None


@frozen
class Train:
    """``train P for …``, with the data it names"""

    run: TrainingRun
    data: Mapping[str, DataSet]
    span: Span


@frozen
class Compare:
    """``check M == N``, as it is written; ``remarks`` are about its names"""

    equation: Equation
    span: Span
    remarks: tuple[str, ...] = ()


@frozen
class Save:
    """``%save file``: these locations, by their names"""

    target: Path
    locations: Mapping[str, Location]
    span: Span


@frozen
class Load:
    """``%load file``, into these locations"""

    target: Path
    locations: Mapping[str, Location]
    span: Span


@frozen
class DeclareFunction:
    """``fun f(x : A) : B = M`` of the laboratory"""

    program: "Program"


@frozen
class Compute:
    """A term of the laboratory"""

    term: "LaboratoryTerm"
    type: "LaboratoryType"
    span: Span


@frozen
class ShowForms:
    """``%ad SYSTEM f``: the transformed program itself"""

    systems: tuple["System", ...]
    program: "Program"
    span: Span


@frozen
class Differentiate:
    """``%ad SYSTEM f(M, …)`` at a point.

    ``direction`` is the cotangent of ``with W``, or with ``along`` the tangents, one for each argument;
    ``traces`` asks for the steps.
    """

    systems: tuple["System", ...]
    program: "Program"
    point: "Point"
    direction: "Value"
    along: bool
    traces: bool
    span: Span


@frozen
class DeclareEffects:
    """A declaration of a ``%%eff`` cell, or ``include``: what is declared from here on, and what is said about what is new"""

    effects: "Effects"
    made: DeclarationMade | Notice


ShowsOfRun: TypeAlias = OneOf["value", "counts", "steps"]
"""What is shown of an expression that is run."""


@frozen
class RunEffects:
    """An expression of a ``%%eff`` cell, or one behind ``%count`` or ``%trace``"""

    computation: "Computation"
    type: "ComputationType"
    definitions: "EffectsDefinitions"
    span: Span
    shows: ShowsOfRun


@frozen
class Undo:
    """``%undo``: an item that is a cell by itself"""

    span: Span


@frozen
class ShowHeap:
    """``%heap``, of these locations; of all if none is named"""

    locations: tuple[Location, ...] = ()


@frozen
class Reset:
    """``%reset``"""


@frozen
class Set:
    """``%strict on``: the settings from here on, and what is said about them"""

    settings: Settings
    text: str


@frozen
class SetDevice:
    """``%device gpu``: the settings from here on; what is said about them depends on whether a GPU answers"""

    settings: Settings


@frozen
class Answer:
    """What is known already: the answer to ``%help`` or ``%whos``, a check of a type"""

    result: CheckPassed | NamesShown | Notice


@frozen
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
    | DeclareFunction
    | Compute
    | ShowForms
    | Differentiate
    | DeclareEffects
    | RunEffects
    | Undo
    | ShowHeap
    | Reset
    | Set
    | SetDevice
    | Answer
    | Refuse
)


@frozen
class Surroundings:
    """What planning looks at beside the definitions: the folder that paths start from, data given from Python, the settings.

    ``cell`` is what the front end calls the cell, if it can be run again; ``functions`` are those of the laboratory, and
    ``effects`` what ``%%eff`` cells have declared, if there was one.
    """

    folder: Path
    given: Mapping[str, Mapping[str, Array]]
    settings: Settings
    cell: str = ""
    functions: "Mapping[str, Program]" = field(default_factory=lambda: MappingProxyType({}))
    effects: "Effects | None" = None

    def after(self, planned: Plan) -> "Surroundings":
        """What the plan of the next item looks at."""
        match planned:
            case Set(settings) | SetDevice(settings):
                return replace(self, settings=settings)
            case DeclareFunction(program):
                return replace(self, functions=MappingProxyType({**self.functions, program.name: program}))
            case DeclareEffects(effects):
                return replace(self, effects=effects)
            case _:
                return self
