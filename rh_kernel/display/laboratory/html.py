"""Results of the laboratory for a notebook: values, the table of systems with their counts, forms side by side, steps."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.ad.comparison import Refused, Row
from rh_kernel.ad.system import Rewritten
from rh_kernel.display.html import COLOURS, escape, to_html
from rh_kernel.display.laboratory.text import HEADING, both_ends, cells, one, value_text
from rh_kernel.display.markup import FAINT, MONOSPACE, box, details, element, span, table
from rh_kernel.session.results import Computed, Differentiated, FormsShown, RewritingShown
from rh_kernel.syntax.printing.doc import Doc, Role

STEPS = 200
"""Of a longer trace the steps in the middle are left out."""

FIRST, EACH = 50_000, 6_000
"""So many characters the first step of a trace may take, and so many more each one."""

_COLUMNS = "lwwrrrlrr"
_WIDEST = 80
"""Pixels of the bar of the system that does most."""


_RATIO = HEADING.index("÷ primal")
_BAR = "height:0.6em;margin-top:0.4em;opacity:0.6;border-radius:2px"


def laboratory_html(result: Computed | Differentiated | FormsShown | RewritingShown) -> str:
    """The result as HTML with inline styles."""
    match result:
        case Computed(A, V):
            return box("", span(MONOSPACE, value_text(A, V)), span(FAINT, " : "), _type(str(A)))
        case Differentiated(rows=(row,)):
            return _heading(row.system.title, row.system.source) + "".join(
                box("", span(MONOSPACE, line)) for line in one(row, result)
            )
        case Differentiated():
            return _compared(result)
        case FormsShown(system, _, stages):
            shown = [box("margin:6px 0", box(FAINT, escape(stage.title)), to_html(stage.doc, 96)) for stage in stages]
            return _heading(system.title, system.source) + "".join(shown)
        case RewritingShown(system, _, steps):
            return _heading(system.title, system.source) + steps_html(steps)


def _heading(title: str, source: str) -> str:
    return box("margin-bottom:2px", span("font-weight:bold", title), span(f"{FAINT};font-size:85%", f"  {source}"))


def _type(text: str) -> str:
    return span(f"{MONOSPACE};color:{COLOURS[Role.TYPE]}", text)


def _compared(result: Differentiated) -> str:
    heading = ["tangent" if word == "gradient" and result.along else word for word in HEADING]
    heading.insert(_RATIO + 1, "")
    most = max((row.outcome.derivative for row in result.rows if not isinstance(row.outcome, Refused)), default=1)
    found = [_cells(row, result, most) for row in result.rows if not isinstance(row.outcome, Refused)]
    refused = [_refused(row) for row in result.rows if isinstance(row.outcome, Refused)]
    below = details("margin-top:4px", escape(_outside(len(refused))), *refused) if refused else ""
    return box("overflow-x:auto", table(found, heading, _COLUMNS)) + below


def _outside(count: int) -> str:
    return "1 system does not take this program" if count == 1 else f"{count} systems do not take this program"


def _cells(row: Row, result: Differentiated, most: int) -> list[str]:
    """The cells of a system, and beside the ratio a bar as long as its operations, the longest for ``most``."""
    name, *others = cells(row, result)
    first = element("span", f"{MONOSPACE};font-weight:bold", escape(name), title=f"{row.system.title}: {row.system.source}")
    shown = [first, *(span(MONOSPACE, text) for text in others)]
    done = 0 if isinstance(row.outcome, Refused) else row.outcome.derivative
    width = max(1, round(_WIDEST * done / max(most, 1)))
    shown.insert(_RATIO + 1, box(f"{_BAR};width:{width}px;background:{COLOURS[Role.FUNCTION]}"))
    return shown


def _refused(row: Row) -> str:
    words = row.outcome.diagnostics[0].message if isinstance(row.outcome, Refused) else ""
    return box("margin-left:1em", span(f"{MONOSPACE};font-weight:bold", row.system.name), span(FAINT, f"  {words}"))


def steps_html(steps: Sequence[Rewritten], numbers: Sequence[int] | None = None) -> str:
    """The steps of a trace by their numbers, the first of them the start, 0, in a box of their own."""
    numbered = list(zip(range(len(steps)) if numbers is None else numbers, steps, strict=True))
    first, left_out, last = both_ends(numbered, STEPS)
    room = _Room()
    shown = [_step(n, step, room) for n, step in first]
    if left_out:
        shown.append(box(FAINT, escape(f"⋮ {left_out:,} steps are left out")))
        shown += [_step(n, step, room) for n, step in last]
    count = numbered[-1][0]
    summary = escape("1 step" if count == 1 else f"{count:,} steps")
    return details("", summary, box("max-height:32em;overflow:auto", *shown), is_open=True)


@dataclass(slots=True)
class _Room:
    """How many characters may be written: ``EACH`` more for each step, and what those before it have left."""

    left: int = FIRST

    def html(self, term: Doc) -> str:
        """The term, or a note in its place."""
        self.left += EACH
        # The characters of a term are many fewer than those of its HTML.
        shown = to_html(term, 96) if term.flat <= self.left else ""
        if not shown or len(shown) > self.left:
            shown = span(FAINT, "the term is too long to be shown here")
        self.left -= len(shown)
        return shown


def _step(number: int, step: Rewritten, room: _Room) -> str:
    label = span(f"{MONOSPACE};{FAINT};display:inline-block;min-width:4em", f"{number:,}" if step.rule else "")
    name = span(f"color:{COLOURS[Role.RULE]};font-weight:bold", f"—{step.rule}→" if step.rule else "")
    return box("margin:4px 0;border-top:1px solid rgba(128,128,128,0.2)", label, name, room.html(step.term))
