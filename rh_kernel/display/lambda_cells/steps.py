"""Traces of whole terms, as text and as HTML: of ``%ad … --trace``, and of ``%trace`` in ``%%eff`` cells."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.system import TraceStep
from rh_kernel.display.html import escape, to_html
from rh_kernel.display.markup import FAINT, MONOSPACE, box, details, span
from rh_kernel.display.palette import COLOURS
from rh_kernel.syntax.printing.doc import Doc, Role, plain

TEXT_STEPS, HTML_STEPS = 60, 200
"""Of a longer trace, text and HTML omit steps in the middle."""

END_SIZE, LEAST = 60_000, 3
"""The approximate number of characters of terms at either end of a longer trace, and the least number of steps there."""

LINES = 40
"""The most lines of a term in text."""

FIRST, EACH = 50_000, 6_000
"""The budget of characters of HTML: for the first step, and additionally for each step."""

WIDTH = 96

Numbered: TypeAlias = tuple[int, TraceStep]


def steps_text(steps: Sequence[TraceStep], numbers: Sequence[int] | None = None) -> str:
    """The steps of a trace, each with its rule and number; the first one is the initial term, 0."""
    first, left_out, last = _both_ends(steps, numbers, TEXT_STEPS)
    note = [f"⋮ {left_out:,} steps are left out"] if left_out else []
    return "\n".join([*[_text(*step) for step in first], *note, *[_text(*step) for step in last]])


def _text(number: int, step: TraceStep) -> str:
    lines = plain(step.term).split("\n")
    term = "\n".join(lines if len(lines) <= LINES else [*lines[: LINES - 1], f"⋮ {len(lines) - LINES + 1:,} lines"])
    return f"—{step.rule}→  {number}\n{term}" if step.rule else term


def steps_html(steps: Sequence[TraceStep], numbers: Sequence[int] | None = None) -> str:
    """The steps as HTML, in an open ``<details>`` that scrolls."""
    first, left_out, last = _both_ends(steps, numbers, HTML_STEPS)
    budget = _Budget()
    note = [box(FAINT, escape(f"⋮ {left_out:,} steps are left out"))] if left_out else []
    shown = [*[_html(n, step, budget) for n, step in first], *note, *[_html(n, step, budget) for n, step in last]]
    count, _ = (last or first)[-1]
    summary = escape("1 step" if count == 1 else f"{count:,} steps")
    return details("", summary, box("max-height:32em;overflow:auto", *shown), is_open=True)


def _html(number: int, step: TraceStep, budget: "_Budget") -> str:
    label = span(f"{MONOSPACE};{FAINT};display:inline-block;min-width:4em", f"{number:,}" if step.rule else "")
    name = span(f"color:{COLOURS[Role.RULE]};font-weight:bold", f"—{step.rule}→" if step.rule else "")
    return box("margin:4px 0;border-top:1px solid rgba(128,128,128,0.2)", label, name, budget.html(step.term))


@dataclass(slots=True)
class _Budget:
    """The number of characters that may still be written: each step adds ``EACH``."""

    left: int = FIRST

    def html(self, term: Doc) -> str:
        """Render the term, or a note if it is too long."""
        self.left += EACH
        # The HTML of a term is much longer than its text.
        shown = to_html(term, WIDTH) if term.flat <= self.left else ""
        if not shown or len(shown) > self.left:
            shown = span(FAINT, "the term is too long to be shown here")
        self.left -= len(shown)
        return shown


def one_line(doc: Doc) -> str:
    """A term on one line."""
    return " ".join(plain(doc, math.inf).split())


def _both_ends(
    steps: Sequence[TraceStep], numbers: Sequence[int] | None, most: int
) -> tuple[Sequence[Numbered], int, Sequence[Numbered]]:
    """Number the steps, and return the first, the number omitted, and the last; fewer if terms are long."""
    numbered = list(zip(range(len(steps)) if numbers is None else numbers, steps, strict=True))
    if len(numbered) <= most:
        return numbered, 0, ()
    half = most // 2
    first, last = _fitting(numbered[half - 1 : half], half), _fitting([numbered[-half], numbered[-1]], half)
    return numbered[:first], len(numbered) - first - last, numbered[-last:]


def _fitting(steps: Sequence[Numbered], most: int) -> int:
    """Return how many steps with terms of this length are shown."""
    longest = max(step.term.flat for _, step in steps)
    return min(most, max(LEAST, int(END_SIZE / max(longest, 1))))
