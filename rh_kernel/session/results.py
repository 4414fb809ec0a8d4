"""What the items of a cell give: one frozen record a kind, for the command line, the kernel and the tests alike."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from rh_kernel.arrays.program import Program
from rh_kernel.operational.trace import Step
from rh_kernel.session.limits.alarm import Alarm
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Command, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.training.events import Progress
from rh_kernel.typing.derivation.derivations import Derivation

if TYPE_CHECKING:
    from rh_kernel.ad.comparison import Row
    from rh_kernel.ad.eff.core import Value as EffectsValue
    from rh_kernel.ad.eff.machine.counting import Counts
    from rh_kernel.ad.eff.reduction.traces import Trace as Reduction
    from rh_kernel.ad.eff.types import ComputationType
    from rh_kernel.ad.language.core import Program as LaboratoryProgram
    from rh_kernel.ad.language.types import Type as LaboratoryType
    from rh_kernel.ad.language.values import Value
    from rh_kernel.ad.system import Point, Stage, System, TraceStep
    from rh_kernel.arrays.passes import PassResult
    from rh_kernel.arrays.planning.profiling import Profile
    from rh_kernel.denotational.arrows import Arrow
    from rh_kernel.denotational.recording import Recording
    from rh_kernel.denotational.smooth import Smooth


class Result:
    """What an item gave. Each kind is a frozen record; how it is shown stands in one module (``display.registry``)."""

    __slots__ = ()


@frozen
class Change:
    """What became of one location: ``before`` is ``None`` for one that was just declared."""

    location: Location
    before: Array | None
    after: Array


@frozen
class DeclarationMade(Result):
    """``name`` now stands for something of this type: ``Real(2) ~> Real(1)`` for a net, ``rev handler(Real(1))``, …"""

    name: str
    kind: str
    type: str
    changes: tuple[Change, ...] = ()


@frozen
class ValueFound(Result):
    """A term or command was evaluated to the closed value ``value``; a command may have changed the heap."""

    type: Type
    value: Term
    changes: tuple[Change, ...]
    is_command: bool


@frozen
class TraceMade(Result):
    """``%trace``: the subject, every step, the value it ends in, and the heap at the start.

    A trace that got stuck has no value (``None``) but says why. ``written`` is where the bodies of the declared names stand.
    """

    subject: Term | Command
    type: Type
    steps: tuple[Step, ...]
    value: Term | None
    stuck: tuple[Diagnostic, ...]
    heap: Mapping[Location, Array]
    written: Mapping[str, Span] = field(default_factory=lambda: MappingProxyType({}))


@frozen
class ProgramMade(Result):
    """``%compile``: the straight-line program, and what each pass makes of it; ``in_full`` asks for every program.

    Its result has the ``type``; of a training run it is the program of a batch of so many ``samples``, and has no result.
    ``profile`` is there if it was asked for; ``place`` is where it was measured.
    """

    program: Program
    type: Type | None
    passes: "tuple[PassResult, ...]" = ()
    in_full: bool = False
    profile: "Profile | None" = None
    place: str = ""
    samples: int | None = None


@frozen
class TypeShown(Result):
    """``%type``: what was asked about, and its type as text, with what else there is to say, line by line."""

    subject: str
    type: str
    remarks: tuple[str, ...] = ()


@frozen
class DerivationMade(Result):
    """``%derivation``: what was asked about, and its derivation; two of them for a function with its own derivative."""

    subject: str
    derivations: tuple[Derivation, ...]


@frozen
class DiagramMade(Result):
    """``%diagram``: what was asked about, its type as text, and the string diagram that it denotes."""

    subject: str
    type: str
    diagram: "Arrow | Smooth"


@frozen
class Pass:
    """One run of what a command denotes: the arrow, every value on its wires, what came out, and what became of the heap."""

    subject: str
    type: Type
    arrow: "Arrow"
    recording: "Recording"
    value: Term
    changes: tuple[Change, ...]


@frozen
class GradientMade(Result):
    """``%gradient``: what was asked about, its type, and its pass; with ``against`` a second one, from the same heap.

    Only the first took effect.
    """

    subject: str
    type: Type
    passes: tuple[Pass, ...]


@frozen
class HeapShown(Result):
    """``%heap``: every location that a name stands for, with its content and what it held at first."""

    contents: tuple[Change, ...]


@frozen
class CheckPassed(Result):
    """``check M == N`` or ``check E ⊢ A``: what was checked, as it is written, and the type of its two sides.

    ``remarks`` tell what makes it say less than it seems to: a name that is declared anew, a side that is infinite or empty.
    """

    text: str
    type: str
    remarks: tuple[str, ...] = ()


@frozen
class NameShown:
    """A line of ``%whos``: ``place`` is where the name was declared, ``newer`` what it was made from and has changed since."""

    name: str
    kind: str
    type: str
    place: str
    newer: tuple[str, ...]


@frozen
class NamesShown(Result):
    """``%whos``: every name that was declared, in the order of the declarations."""

    names: tuple[NameShown, ...]


@frozen
class Computed(Result):
    """A term of the laboratory was evaluated."""

    type: "LaboratoryType"
    value: "Value"


@frozen
class Differentiated(Result):
    """``%ad SYSTEM f(…)`` or ``%ad all f(…)``: a row for each system.

    ``along`` tells that tangents were pushed forward.
    """

    program: "LaboratoryProgram"
    point: "Point"
    direction: "Value"
    along: bool
    rows: "tuple[Row, ...]"


@frozen
class FormsShown(Result):
    """``%ad SYSTEM f``: the forms of the transformed program, from the source on."""

    system: "System"
    program: "LaboratoryProgram"
    stages: "tuple[Stage, ...]"


@frozen
class RewritingShown(Result):
    """``%ad SYSTEM f(…) --trace``: every step of the transformed program."""

    system: "System"
    program: "LaboratoryProgram"
    steps: "tuple[TraceStep, ...]"


@frozen
class Returned(Result):
    """An expression of a ``%%eff`` cell was run: what it printed, and what it returned; ``None`` for what is no value."""

    type: "ComputationType"
    value: "EffectsValue | None"
    printed: tuple[str, ...] = ()


@frozen
class Counted(Result):
    """``%count M``: what running M gave, and what it took."""

    returned: Returned
    counts: "Counts"


@frozen
class ReductionShown(Result):
    """``%trace M`` in a ``%%eff`` cell: every step of the reduction, and what it ended in."""

    subject: str
    type: "ComputationType"
    trace: "Reduction"


@frozen
class Notice(Result):
    """A sentence, or a text of several lines, e.g. of ``%help`` and ``%reset``."""

    text: str


@frozen
class TrainingDone(Result):
    """A training run: the averages of each measure after each epoch, with the text of the measure, and what it changed.

    ``stopped`` tells that it was interrupted; what it had done by then stays.
    """

    epochs: int
    samples: int
    measures: tuple[tuple[str, tuple[float, ...]], ...]
    seconds: float
    changes: tuple[Change, ...]
    stopped: bool = False


@frozen
class ItemFailed(Result):
    """The item has an error; nothing of it took effect."""

    diagnostics: tuple[Diagnostic, ...]


@frozen
class Timed:
    """From here on the cell has a limit of time: what shows its results is to be done under this alarm.

    ``Late``, which that may raise, is to be thrown in where the events come from.
    """

    alarm: Alarm


@frozen
class Working:
    """Nothing to show yet: a chance to look at messages and interrupts.

    ``what`` the cell is at in a word or two, and how ``far`` it is: ``reducing``, ``12,400 steps``.
    """

    what: str = ""
    far: str = ""


@frozen
class Shown:
    """Item ``item`` (counted from 1) gave ``result``."""

    item: int
    result: Result


@frozen
class Printed:
    """Item ``item`` has printed these lines while it runs; what it returns has all of them once more."""

    item: int
    lines: tuple[str, ...]


Event: TypeAlias = Shown | Progress | Printed | Working | Timed


def printed_by(result: Result) -> tuple[str, ...]:
    """The lines that an item printed before it gave this result."""
    match result:
        case Returned(printed=lines) | Counted(returned=Returned(printed=lines)):
            return lines
        case _:
            return ()


def apart_from_printed(result: Result) -> Result:
    """The result alone, where the lines that the item printed are shown in another place."""
    match result:
        case Returned():
            return replace(result, printed=())
        case Counted(returned):
            return replace(result, returned=replace(returned, printed=()))
        case _:
            return result


def changed(before: Mapping[Location, Array], after: Mapping[Location, Array]) -> tuple[Change, ...]:
    """The locations whose content is another array than before, in the order of the heap."""
    return tuple(Change(loc, before.get(loc), a) for loc, a in after.items() if before.get(loc) is not a)


def results(events: Iterable[Event]) -> list[Result]:
    """The results among the events."""
    return [e.result for e in events if isinstance(e, Shown)]
