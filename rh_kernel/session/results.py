"""The results and events of a cell: one frozen record for each kind, for the command line, the kernel and tests."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from rh_kernel.arrays.program import Program
from rh_kernel.operational.trace import Step
from rh_kernel.session.knobs.events import Begun
from rh_kernel.session.limits.alarm import Alarm
from rh_kernel.session.races.runs import RaceProgress
from rh_kernel.session.rounds_shown import RoundsShown
from rh_kernel.session.sweeps.runs import SweepProgress, SweepRun
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.builtin import UNNAMED
from rh_kernel.syntax.core import Array, Command, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type
from rh_kernel.training.events import Progress
from rh_kernel.training.surfaces import Surface
from rh_kernel.typing.derivation.derivations import Derivation

if TYPE_CHECKING:
    from rh_kernel.ad.comparison import Row
    from rh_kernel.ad.eff.core import Value as EffValue
    from rh_kernel.ad.eff.machine.counting import Counts
    from rh_kernel.ad.eff.reduction.traces import Trace as Reduction
    from rh_kernel.ad.eff.types import ComputationType
    from rh_kernel.ad.language.core import Program as LambdaProgram
    from rh_kernel.ad.language.types import Type as LambdaType
    from rh_kernel.ad.language.values import Value as LambdaValue
    from rh_kernel.ad.system import Point, Stage, System, TraceStep
    from rh_kernel.arrays.passes import PassResult
    from rh_kernel.arrays.planning.profiling import Profile
    from rh_kernel.cluster.cluster import WorkerShown
    from rh_kernel.denotational.arrows import Arrow
    from rh_kernel.denotational.recording import Recording
    from rh_kernel.denotational.smooth import Smooth


class Result:
    """The result of an item. Each kind is a frozen record; ``display.registry`` maps it to its view."""

    __slots__ = ()


@frozen
class Change:
    """The contents of a location before and after an item; ``before`` is ``None`` if the item declares it."""

    location: Location
    before: Array | None
    after: Array


@frozen
class DeclarationMade(Result):
    """``name`` was declared, with a type such as ``Real(2) ~> Real(1)`` for a net."""

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
    """``%trace``: the subject, every step, the final value, and the initial heap.

    If the trace got stuck, ``value`` is ``None`` and ``stuck`` says why. ``written`` holds the spans of the bodies of
    declarations.
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
    """``%compile``: the straight-line program and the result of each pass, with every program if ``in_full``.

    ``type`` is the type of the program's result. For a training run it is ``None``, and the program processes a batch of
    ``samples`` samples. ``profile`` is the profile if requested, ``place`` the device on which it was measured.
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
    """``%type``: the expression or name, its type as text, and further lines."""

    subject: str
    type: str
    remarks: tuple[str, ...] = ()


@frozen
class DerivationMade(Result):
    """``%derivation``: the expression or name, and its derivation; two for a function with its own derivative."""

    subject: str
    derivations: tuple[Derivation, ...]


@frozen
class DiagramMade(Result):
    """``%diagram``: the expression or name, its type as text, and its string diagram.

    In ``diagram`` all rounds of a ``repeat`` or a ``scan`` are one box. ``unrolled`` has their first and last rounds instead;
    it is ``None`` if there are no such boxes. ``rounds`` says what is shown at first.
    """

    subject: str
    type: str
    diagram: "Arrow | Smooth"
    unrolled: "Arrow | None" = None
    rounds: RoundsShown = RoundsShown.ONCE

    @property
    def shown(self) -> "Arrow | Smooth":
        """The diagram shown at first."""
        return self.unrolled if self.unrolled is not None and self.rounds is RoundsShown.UNROLLED else self.diagram


@frozen
class Pass:
    """One run of the denotation of a command: the arrow, the values on its wires, the result, and the changes to the heap."""

    subject: str
    type: Type
    arrow: "Arrow"
    recording: "Recording"
    value: Term
    changes: tuple[Change, ...]


@frozen
class GradientMade(Result):
    """``%gradient``: the command, its type, and its pass; with ``against`` a second pass from the same heap.

    Only the first pass took effect.
    """

    subject: str
    type: Type
    passes: tuple[Pass, ...]


@frozen
class HeapShown(Result):
    """``%heap``: locations with their current and initial contents."""

    contents: tuple[Change, ...]


@frozen
class CheckPassed(Result):
    """``check M == N`` or ``check E ⊢ A``: the text of the check and the type of its sides.

    ``remarks`` say why it may mean less than it seems to: a shadowed name, an infinite or empty side.
    """

    text: str
    type: str
    remarks: tuple[str, ...] = ()


@frozen
class NameShown:
    """A line of ``%whos``: ``place`` is where the name was declared, ``newer`` its dependencies that were redeclared since."""

    name: str
    kind: str
    type: str
    place: str
    newer: tuple[str, ...]


@frozen
class NamesShown(Result):
    """``%whos``: the declared names, in the order of the declarations."""

    names: tuple[NameShown, ...]


@frozen
class Computed(Result):
    """The value of a term of a ``%%lambda`` cell."""

    type: "LambdaType"
    value: "LambdaValue"


@frozen
class Differentiated(Result):
    """``%ad SYSTEM f(…)`` or ``%ad all f(…)``: a row for each system.

    ``direction`` is a cotangent of the result, or with ``along`` the tangents of the arguments.
    """

    program: "LambdaProgram"
    point: "Point"
    direction: "LambdaValue"
    along: bool
    rows: "tuple[Row, ...]"


@frozen
class FormsShown(Result):
    """``%ad SYSTEM f``: the program after each stage of the transformation, beginning with the source."""

    system: "System"
    program: "LambdaProgram"
    stages: "tuple[Stage, ...]"


@frozen
class RewritingShown(Result):
    """``%ad SYSTEM f(…) --trace``: every rewriting step of the transformed program."""

    system: "System"
    program: "LambdaProgram"
    steps: "tuple[TraceStep, ...]"


@frozen
class Returned(Result):
    """An expression of a ``%%eff`` cell was run: the lines it printed and its value, ``None`` for a function."""

    type: "ComputationType"
    value: "EffValue | None"
    printed: tuple[str, ...] = ()


@frozen
class Counted(Result):
    """``%count M``: the result of running M, and its operation counts."""

    returned: Returned
    counts: "Counts"


@frozen
class ReductionShown(Result):
    """``%trace M`` in a ``%%eff`` cell: every step of the reduction, and its end."""

    subject: str
    type: "ComputationType"
    trace: "Reduction"


@frozen
class Notice(Result):
    """A message of one or more lines, e.g. of ``%help`` and ``%reset``."""

    text: str


@frozen
class Overview(Notice):
    """What ``%help`` lists: directives with what they do, and function symbols with a type, by the title of their family."""

    directives: tuple[tuple[str, str], ...]
    symbols: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@frozen
class Warned(Result):
    """Warnings about an item: it runs, but probably not as intended."""

    diagnostics: tuple[Diagnostic, ...]


@frozen
class ClusterShown(Result):
    """``%cluster``: its name, its workers, the address of its dashboard or an empty text.

    ``answer_within`` is the time limit for a piece in seconds, ``None`` for the one that follows from the times so far.
    """

    name: str
    workers: "tuple[WorkerShown, ...]"
    dashboard: str
    answer_within: float | None


@frozen
class TrainingDone(Result):
    """A training run: the text of each measure with its averages after each epoch, and the changes to the heap.

    ``stopped`` says that the run was interrupted; its changes up to the last finished batch are kept. ``surfaces`` are those of
    its last state.
    """

    epochs: int
    samples: int
    measures: tuple[tuple[str, tuple[float, ...]], ...]
    seconds: float
    changes: tuple[Change, ...]
    stopped: bool = False
    surfaces: tuple[Surface, ...] = ()


@frozen
class SweepDone(Result):
    """A sweep: its finished runs in the order of the combinations, of which there were ``count``.

    ``place`` is where they ran, as in ``2 processes``. ``stopped`` says that the sweep was interrupted.
    """

    runs: tuple[SweepRun, ...]
    count: int
    place: str
    seconds: float
    stopped: bool = False


@frozen
class ItemFailed(Result):
    """The item has errors, and did not take effect."""

    diagnostics: tuple[Diagnostic, ...]


@frozen
class Timed:
    """The cell has a time limit from here on: its results must be displayed within ``with alarm:``.

    If that raises ``Late``, throw it into the generator of the events.
    """

    alarm: Alarm


@frozen
class Working:
    """The cell is still running; the caller may handle messages and interrupts.

    ``activity`` says in a word or two what the cell is doing, ``detail`` how far it is: ``reducing``, ``12,400 steps``.
    """

    activity: str = ""
    detail: str = ""


@frozen
class Shown:
    """The result of item number ``item``, counted from 1."""

    item: int
    result: Result


@frozen
class Printed:
    """Item number ``item`` printed these lines while running; its result contains them again."""

    item: int
    lines: tuple[str, ...]


Running: TypeAlias = SweepProgress | RaceProgress
"""What is shown by one widget while it runs and when it is done."""

Event: TypeAlias = Shown | Progress | Running | Printed | Working | Timed | Begun


def changed(before: Mapping[Location, Array], after: Mapping[Location, Array]) -> tuple[Change, ...]:
    """Return the declared locations whose content is another array than before, in the order of the heap."""
    return tuple(Change(loc, before.get(loc), a) for loc, a in after.items() if before.get(loc) is not a and loc not in UNNAMED)


def results(events: Iterable[Event]) -> list[Result]:
    """Return the results among the events."""
    return [e.result for e in events if isinstance(e, Shown)]
