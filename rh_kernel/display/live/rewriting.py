"""The view of a trace of whole terms: of ``%ad … --trace``, and of ``%trace`` in ``%%eff`` cells.

For each step the front end gets the lines before and after it, the marks in them, and the contents of cells.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import cast

from rh_kernel.ad.eff.reduction.traces import Shown
from rh_kernel.ad.system import TraceStep
from rh_kernel.display.data import Json, Record
from rh_kernel.display.eff_cells.values import type_text
from rh_kernel.display.lambda_cells.steps import one_line
from rh_kernel.display.live.line_layout import render_lines
from rh_kernel.display.live.lines import ROLES, WIDTH
from rh_kernel.display.live.state_lines import ranges
from rh_kernel.display.live.view import Unanswerable, int_field, search, text_field
from rh_kernel.display.text import visible
from rh_kernel.display.traces.captions import cut
from rh_kernel.session.results import ReductionShown, RewritingShown
from rh_kernel.source.span import Span
from rh_kernel.syntax.printing.doc import Doc

NARROWEST, WIDEST = 30, 160
"""Limits of the line width that the front end can ask for."""

ABOVE, BELOW = 100, 300
"""Lines sent above and below the mark in a term with very many lines."""

LONGEST, LONGEST_CONTENT, MOST_CELLS = 200, 300, 500
"""Limits: characters of a subject, characters of a cell's content, number of cells."""

SEARCHED = 300_000
"""Characters after which a search pauses."""


class Rewriting:
    """The view of one trace."""

    kind = "rewriting"

    def __init__(self, result: RewritingShown | ReductionShown) -> None:
        self._result = result
        self._start, *self._steps = _steps(result)
        fired = Counter(step.rule for step in self._steps)
        self._rules = sorted(fired, key=lambda rule: (-fired[rule], rule))
        self._fired = fired

    def opening(self) -> Record:
        """Return the subject, the end of the trace, the rule of each step, and the steps that change a cell or print."""
        numbers = {rule: n for n, rule in enumerate(self._rules)}
        reduced = [step for step in self._steps if isinstance(step, Shown)]
        glosses = {step.rule: (step.figure, step.gloss) for step in reversed(reduced)}
        return {
            **self._head(),
            "steps": len(self._steps),
            "rules": [self._rule(rule, *glosses.get(rule, ("", ""))) for rule in self._rules],
            "numbers": [[step.first, step.number] for step in reduced],
            "fired": [numbers[step.rule] for step in self._steps],
            "changes": [n for n, step in enumerate(self._steps) if isinstance(step, Shown) and step.changed is not None],
            "printed": [[n, step.printed] for n, step in enumerate(self._steps) if isinstance(step, Shown) and step.printed],
            "roles": [None if role is None else role.value for role in ROLES],
        }

    def answer(self, question: Record) -> Record:
        """Answer ``step`` (terms and cells) or ``find`` (the next step that contains a text). Raises ``Unanswerable``."""
        if any(isinstance(field, float) and not math.isfinite(field) for field in question.values()):
            raise Unanswerable("a number is finite")
        match question.get("ask"):
            case "step":
                return self._step(question)
            case "find":
                return self._find(question)
            case _:
                raise Unanswerable("`ask` is one of `step` and `find`")

    def _head(self) -> Record:
        last = self._steps[-1] if self._steps else self._start
        end = cut(visible(one_line(last.term)), LONGEST)
        match self._result:
            case RewritingShown(system, program):
                words: Record = {"title": system.title, "source": system.source, "subject": program.name, "type": "", "why": []}
            case ReductionShown(subject, C, trace):
                why: list[Json] = [f"{d.code}: {d.message}" for d in trace.stuck]
                why += ["The limit of steps was met."] if trace.is_cut else []
                shown = cut(" ".join(visible(subject).split()), LONGEST)
                words = {"title": "", "source": "", "subject": shown, "type": type_text(C), "why": why}
        return {**words, "end": end}

    def _rule(self, rule: str, figure: str, gloss: str) -> Record:
        return {"name": rule, "figure": figure, "gloss": gloss, "times": self._fired[rule]}

    def _step(self, question: Record) -> Record:
        """Return the record of a step; in a trace without steps, the start as both terms."""
        n = int_field(question, "step", 0, max(len(self._steps) - 1, 0))
        width = int_field(question, "width", NARROWEST, WIDEST, WIDTH)
        step = self._steps[n] if self._steps else self._start
        before = _laid(self._before(n), ("redex", "focus"), width)
        after = _laid(step.term, ("contractum", "changed"), width)
        return {"before": before, "after": after, "cells": _cells(step) if isinstance(step, Shown) else []}

    def _before(self, n: int) -> Doc:
        step = self._steps[n] if self._steps else self._start
        if isinstance(step, Shown):
            return step.before
        return self._steps[n - 1].term if n else self._start.term

    def _find(self, question: Record) -> Record:
        """Return the next step whose contractum contains the text or whose rule has that name."""
        text = " ".join(text_field(question, "text").casefold().split())

        def look(n: int) -> tuple[bool, int]:
            step = self._steps[n]
            line = visible(one_line(step.term)).casefold()
            return text in line or text == step.rule.casefold(), len(line)

        return search(question, len(self._steps), look, SEARCHED)


def _steps(result: RewritingShown | ReductionShown) -> Sequence[TraceStep]:
    """Return the start and the steps."""
    match result:
        case RewritingShown():
            return result.steps
        case ReductionShown():
            return result.trace.steps


def _cells(step: Shown) -> list[Json]:
    """Return name, content and whether it has changed, for the cells around the one that the step changes."""
    held = step.cells
    changed = next((i for i, cell in enumerate(held) if cell.is_changed), 0)
    first = max(0, min(changed - MOST_CELLS // 2, len(held) - MOST_CELLS))
    return [
        [cell.name, cut(visible(one_line(cell.content)), LONGEST_CONTENT), cell.is_changed]
        for cell in held[first : first + MOST_CELLS]
    ]


def _laid(doc: Doc, kinds: tuple[str, ...], width: int) -> Record:
    """Return the lines of a document around its mark, and the ranges of the marks."""
    whole = render_lines(doc, _nowhere, width)
    place = next((region.start[0] for kind in kinds for region in whole.regions if region.name == kind), 0)
    shown = whole.shown(max(place - ABOVE, 0), place + BELOW)
    return {"lines": [line.json for line in shown.lines], "marks": cast(Record, ranges(shown, *kinds))}


def _nowhere(_: Span) -> int:
    """Return 0: terms of these traces have no declaration of origin."""
    return 0
