"""The steps of a trace as records (LANGUAGE §8), in full or of bounded size: a long term is cropped around its redex.

A bounded record never prints a term of more than ``WHOLE`` nodes as a whole. The term is cropped as in the stepper, so that a
step takes equally long for large terms; its text is then cut to ``MOST`` bytes.
"""

import math
from collections.abc import Iterator, Sequence

from rh_kernel.display.bounded import MOST, excerpt
from rh_kernel.display.data import Record, array, value
from rh_kernel.display.traces.cropping import SizeCache
from rh_kernel.display.traces.frames import subject_doc
from rh_kernel.display.traces.phases import legs
from rh_kernel.display.traces.rounds import Round, around, rounds
from rh_kernel.display.traces.states import States
from rh_kernel.display.traces.viewport import document
from rh_kernel.operational.contexts import depth, outline
from rh_kernel.operational.step import Step
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.printing.doc import Doc, Mark, annotated_texts
from rh_kernel.syntax.printing.printer import Abbreviation, PrintCache
from rh_kernel.syntax.printing.steps import Marks

STEP = Abbreviation(entries=100)
"""Arrays with more entries are printed as their types."""

WHOLE = MOST
"""A term with more nodes than this has more than ``MOST`` bytes."""


def step_record(number: int, step: Step, memory: PrintCache, inside: Sequence[Round] = ()) -> Record:
    """Return the record of a step, counted from 0: ``term`` is the whole before the step, ``heap`` the change of the heap.

    Large arrays are written out only in ``heap``. ``memory`` is the print cache of the trace.
    """
    term, marked = annotated_texts(subject_doc(step.before, {step.path: Mark("redex")}, memory, STEP), math.inf)
    ((_, redex),) = marked
    return _record(number, step, redex, " ".join(term.split()), inside)


def end_record(result: TraceMade) -> Record:
    """Return the record that ends a trace which is not stuck."""
    found = None if result.value is None else value(result.value)
    return {"steps": len(result.steps), "type": str(result.type), "value": found}


def bounded_records(result: TraceMade, *, full: bool = False) -> Iterator[Record]:
    """Yield the record of each step, counted from 0; with ``full``, redexes and terms are not cut."""
    memory, states, sizes = PrintCache(), States(result), SizeCache(WHOLE)
    steps = result.steps
    for number, inside in enumerate(around(rounds(steps, legs(steps)), len(steps))):
        if full:
            yield step_record(number, steps[number], memory, inside)
        else:
            found = excerpt(_document(number, steps[number], states, sizes, memory))
            yield _record(number, steps[number], found.marked, found.text, inside)


def _record(number: int, step: Step, redex: str, term: str, inside: Sequence[Round]) -> Record:
    change = step.change
    heap: Record = {} if change is None else {change.location.name: array(change.content)}
    of_rounds: Record = {"rounds": [_round(each) for each in inside]} if inside else {}
    return {"step": number, "rule": step.rule.value, "redex": redex, "term": term, "heap": heap, **of_rounds}


def _round(found: Round) -> Record:
    return {"loop": found.loop, "round": found.number, "of": found.count, "backward": found.is_backward}


def _document(number: int, step: Step, states: States, sizes: SizeCache, memory: PrintCache) -> Doc:
    """The term before a step with its redex marked, cropped if it is large."""
    if depth(step.context) < WHOLE and not sizes.is_large(outline(step.found)):
        before = states.subject(number)
        if not sizes.is_large(before):
            return subject_doc(before, {step.path: Mark("redex")}, memory, STEP)
    shown = states.viewport(number)
    marks = Marks.of({shown.viewport.path: Mark("redex")})
    return document(shown.subject, shown.names, STEP, marks, memory)
