"""The steps of a trace as records (LANGUAGE §8), in full or of bounded size: of a long term what is around the redex.

A bounded record never prints a term of more than ``WHOLE`` nodes as a whole. The term is cut as the stepper cuts it, so that a
step takes as long in a trace of large terms as in any other. Its text is then cut once more, to ``MOST`` bytes.
"""

import math
from collections.abc import Iterator

from rh_kernel.display.bounded import MOST, excerpt
from rh_kernel.display.data import Record, array, value
from rh_kernel.display.traces.cropping import Sizes
from rh_kernel.display.traces.frames import subject_doc
from rh_kernel.display.traces.states import States
from rh_kernel.display.traces.viewport import document
from rh_kernel.operational.contexts import depth, outline
from rh_kernel.operational.step import Step
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.printing.doc import Doc, Mark, annotated_texts
from rh_kernel.syntax.printing.printer import Abbreviation, PrintCache
from rh_kernel.syntax.printing.steps import Marks

STEP = Abbreviation(entries=100)
"""In the terms of a trace arrays of more entries are shown by their types."""

WHOLE = MOST
"""A term of more nodes has more bytes."""


def step_record(number: int, step: Step, memory: PrintCache) -> Record:
    """One step, counted from 0: ``term`` is the whole before the step, ``heap`` what the step changes.

    Only in ``heap`` are large arrays written out. ``memory`` is that of the trace.
    """
    term, marked = annotated_texts(subject_doc(step.before, {step.path: Mark("redex")}, memory, STEP), math.inf)
    ((_, redex),) = marked
    return _record(number, step, redex, " ".join(term.split()))


def end_record(result: TraceMade) -> Record:
    """What a trace that is not stuck ends with."""
    found = None if result.value is None else value(result.value)
    return {"steps": len(result.steps), "type": str(result.type), "value": found}


def bounded_records(result: TraceMade, *, full: bool = False) -> Iterator[Record]:
    """The object of each step, counted from 0; with ``full`` redexes and terms are not cut."""
    memory, states, sizes = PrintCache(), States(result), Sizes(WHOLE)
    for number, step in enumerate(result.steps):
        yield step_record(number, step, memory) if full else _bounded(number, step, states, sizes, memory)


def _bounded(number: int, step: Step, states: States, sizes: Sizes, memory: PrintCache) -> Record:
    found = excerpt(_document(number, step, states, sizes, memory))
    return _record(number, step, found.marked, found.text)


def _record(number: int, step: Step, redex: str, term: str) -> Record:
    change = step.change
    heap: Record = {} if change is None else {change.location.name: array(change.content)}
    return {"step": number, "rule": step.rule.value, "redex": redex, "term": term, "heap": heap}


def _document(number: int, step: Step, states: States, sizes: Sizes, memory: PrintCache) -> Doc:
    """The term before a step, with its redex marked; of a large one what is shown of it."""
    if depth(step.context) < WHOLE and not sizes.is_large(outline(step.found)) and not sizes.is_large(before := step.before):
        return subject_doc(before, {step.path: Mark("redex")}, memory, STEP)
    shown = states.scene(number)
    marks = Marks.of({shown.stage.path: Mark("redex")})
    return document(shown.subject, shown.names, STEP, marks, memory)
