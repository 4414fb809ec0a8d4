"""The steps of a trace as plain data of bounded size (LANGUAGE §8): of a long term what is around the redex.

A term of more than ``WHOLE`` nodes is never written as a whole: it is cut as the stepper cuts it, so that a step takes as long
in a trace of large terms as in any other. Its text is then cut once more, to ``MOST`` bytes.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rh_kernel.display.data import Record
from rh_kernel.display.record import STEP, array, step_document, step_record
from rh_kernel.display.traces.cropping import Sizes
from rh_kernel.display.traces.scenes import document
from rh_kernel.display.traces.states import States
from rh_kernel.operational.contexts import depth, outline
from rh_kernel.operational.step import Step
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.printing.doc import Doc, Mark, MarkKind, annotated_pieces
from rh_kernel.syntax.printing.printer import Memory
from rh_kernel.syntax.printing.steps import Marks

MOST = 4_000
"""So many bytes a text has at most, in UTF-8."""

WHOLE = MOST
"""A term of more nodes has more bytes."""

BESIDE = 50
"""So many bytes at least are shown beside a redex, on both sides together."""

DOTS = "…"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text, and in it what is marked: both cut to ``MOST`` bytes. Of what is marked at least the beginning is in the text."""

    marked: str
    text: str


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


def excerpt(doc: Doc, kind: MarkKind = "redex", most: int = MOST) -> Excerpt:
    """What is around the first part of a document that is marked so, on one line; without a mark its beginning."""
    pieces, found = annotated_pieces(doc, math.inf)
    part = next((part for annotation, part in found if annotation == Mark(kind)), None)
    if part is None:
        return Excerpt("", _head(_line(pieces), most))
    return _cut(_line(pieces[: part.start]), _line(pieces[part]), _line(pieces[part.stop :]), most)


def _cut(before: str, inside: str, after: str, most: int) -> Excerpt:
    whole = before + inside + after
    if len(whole.encode()) <= most:
        return Excerpt(inside, whole)
    marked = _head(inside, most - BESIDE)
    if marked is not inside:
        return Excerpt(marked, _tail(before, BESIDE) + marked)
    # Each side has half of the room, and what the other one does not need.
    room = most - len(marked.encode())
    end = _head(after, max(room // 2, room - len(before.encode())))
    return Excerpt(marked, _tail(before, room - len(end.encode())) + marked + end)


def _line(pieces: list[str]) -> str:
    """Pieces of a text on one line. A blank at an end stays."""
    text = "".join(pieces)
    words = " ".join(text.split())
    return f"{' ' if text[:1].isspace() else ''}{words}{' ' if words and text[-1:].isspace() else ''}"


def _head(text: str, most: int) -> str:
    """The beginning of a text, so many bytes at most; the text itself if it has no more."""
    encoded = text.encode()
    if len(encoded) <= most:
        return text
    return encoded[: max(most - len(DOTS.encode()), 0)].decode(errors="ignore") + DOTS


def _tail(text: str, most: int) -> str:
    """The end of a text, likewise."""
    encoded = text.encode()
    if len(encoded) <= most:
        return text
    return DOTS + encoded[len(encoded) - max(most - len(DOTS.encode()), 0) :].decode(errors="ignore")
