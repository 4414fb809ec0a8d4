"""The steps of a trace as plain data of bounded size (LANGUAGE §8): of a long term what is around the redex.

A term of more than ``WHOLE`` nodes is never written as a whole: it is cut as the stepper cuts it, so that a step takes as long
in a trace of large terms as in any other. Its text is then cut once more, to ``MOST`` bytes.
"""

from collections.abc import Iterator

from rh_kernel.display.bounded import MOST, excerpt
from rh_kernel.display.data import Record
from rh_kernel.display.record import STEP, array, step_document, step_record
from rh_kernel.display.traces.cropping import Sizes
from rh_kernel.display.traces.scenes import document
from rh_kernel.display.traces.states import States
from rh_kernel.operational.contexts import depth, outline
from rh_kernel.operational.step import Step
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.printing.doc import Doc, Mark
from rh_kernel.syntax.printing.printer import Memory
from rh_kernel.syntax.printing.steps import Marks

WHOLE = MOST
"""A term of more nodes has more bytes."""


def bounded_records(result: TraceMade, *, full: bool = False) -> Iterator[Record]:
    """The object of each step, counted from 0; with ``full`` redexes and terms are not cut."""
    memory, states, sizes = Memory(), States(result), Sizes(WHOLE)
    for number, step in enumerate(result.steps):
        yield step_record(number, step, memory) if full else _bounded(number, step, states, sizes, memory)


def _bounded(number: int, step: Step, states: States, sizes: Sizes, memory: Memory) -> Record:
    found = excerpt(_document(number, step, states, sizes, memory))
    change = step.change
    heap: Record = {} if change is None else {change.location.name: array(change.content)}
    return {"step": number, "rule": step.rule.value, "redex": found.marked, "term": found.text, "heap": heap}


def _document(number: int, step: Step, states: States, sizes: Sizes, memory: Memory) -> Doc:
    """The term before a step, with its redex marked; of a large one what is shown of it."""
    if depth(step.context) < WHOLE and not sizes.is_large(outline(step.found)) and not sizes.is_large(before := step.before):
        return step_document(before, step.path, memory)
    shown = states.scene(number)
    marks = Marks.of({shown.stage.path: Mark("redex")})
    return document(shown.subject, shown.names, STEP, marks, memory)
