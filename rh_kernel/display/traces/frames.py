"""A step ``K[M] → K[N]`` as two documents with redex and contractum marked, and as one line; changes of the heap."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.display.rounding import DIGITS, ENTRIES
from rh_kernel.display.traces.captions import about, became
from rh_kernel.display.traces.cropping import is_large
from rh_kernel.display.traces.marking import Marks, contractum_marks, moved, redex_marks
from rh_kernel.display.traces.states import States
from rh_kernel.display.traces.viewport import cropped_viewport, document
from rh_kernel.operational.contexts import Context, Subject, path, plug
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.session.results import Change, TraceMade
from rh_kernel.syntax.core import Array, Perform
from rh_kernel.syntax.printing.doc import Doc
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.printer import Abbreviation, PrintCache
from rh_kernel.syntax.printing.steps import UNMARKED
from rh_kernel.syntax.printing.steps import Marks as Annotations
from rh_kernel.syntax.signature import Location

NO_MARKS: Marks = {}


@dataclass(frozen=True, slots=True)
class Frame:
    """A step for display; ``about`` describes the redex and ``became`` the contractum, each on one line.

    ``change`` is the step's change of the heap, if any.
    """

    number: int
    step: Step
    before: Doc
    after: Doc
    about: str
    became: str
    change: Change | None


def frame(
    number: int,
    step: Step,
    change: Change | None = None,
    memory: PrintCache | None = None,
    states: States | None = None,
    notation: Notation = Notation.PAPER,
) -> Frame:
    """Return the frame of the step ``number``, counted from 1; the print cache and the states of its trace save work."""
    K, M, N = step.context, step.redex, step.contractum
    whole = plug(K, M) if states is None else states.subject(number - 1)
    before = state_doc(K, M, redex_marks(step), memory, whole, notation)
    whole = plug(K, N) if states is None else states.subject(number)
    after = state_doc(K, N, contractum_marks(step), memory, whole, notation)
    return Frame(number, step, before, after, about(step, notation), became(step, notation), change)


def heap_changes(result: TraceMade) -> dict[int, Change]:
    """Return the changes by the index of their step."""
    now: dict[Location, Array] = dict(result.heap)
    changes: dict[int, Change] = {}
    for n, step in enumerate(result.steps):
        if step.change is not None:
            location, content = step.change.location, step.change.content
            changes[n] = Change(location, now.get(location), content)
            now[location] = content
    return changes


def used_locations(steps: Sequence[Step]) -> set[Location]:
    """Return the locations that the steps read or write."""
    operations = [step.redex for step in steps if step.rule in (Rule.GET, Rule.PUT)]
    indices = [i for redex in operations if isinstance(redex, Perform) for i in redex.operation.indices]
    changed = {step.change.location for step in steps if step.change is not None}
    return changed | {i for i in indices if isinstance(i, Location)}


def total_changes(result: TraceMade, changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return the changes of all steps together, one for each location, in the order of the heap."""
    last = {change.location: change.after for change in changes}
    return tuple(Change(location, before, last[location]) for location, before in result.heap.items() if location in last)


def state_doc(
    K: Context | None,
    M: Subject,
    marks: Marks,
    memory: PrintCache | None,
    whole: Subject,
    notation: Notation = Notation.PAPER,
) -> Doc:
    """Return the document of ``K[M]``, which is ``whole``, with marks in M; a large one is cropped around M."""
    if not is_large(whole):
        return subject_doc(whole, moved(marks, path(K)) if marks else marks, memory, notation=notation)
    shown = cropped_viewport(K, M)
    placed = moved(marks, shown.viewport.path)
    return document(shown.subject, shown.names, _brevity(placed, notation), Annotations.of(placed), memory)


def subject_doc(
    M: Subject,
    marks: Marks = NO_MARKS,
    memory: PrintCache | None = None,
    brevity: Abbreviation | None = None,
    notation: Notation = Notation.PAPER,
) -> Doc:
    """Return the document of ``M``, with numbers of four digits; tuples are cut only behind the last marked component."""
    annotations = Annotations.of(marks) if marks else UNMARKED
    return document(M, (), brevity or _brevity(marks, notation), annotations, memory)


def _brevity(marks: Marks, notation: Notation) -> Abbreviation:
    items = max([ENTRIES, *[position + 1 for path in marks for position in path]])
    return Abbreviation(ENTRIES, items, folds=True, digits=DIGITS, notation=notation)
