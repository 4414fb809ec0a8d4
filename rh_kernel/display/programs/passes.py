"""The compiler passes of a program (``arrays.passes``): a table of them, and the program after each."""

from collections.abc import Iterator, Sequence
from textwrap import fill

from rh_kernel.arrays.passes import Pass, PassResult
from rh_kernel.arrays.planning.listing import StepLine, steps_listing
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.rewrites.listing import listing
from rh_kernel.display.markup import FAINT, box, code, details, span, table
from rh_kernel.display.programs.listings import both_ends, ends_text, program_table
from rh_kernel.display.tables import columns

HEADING = ("pass", "leaves", "operations", "bytes moved", "reals of scratch")
"""The headings of the table; scratch is memory for intermediate results."""

SAME = "as before"

WIDTH = 100
"""The width in columns at which lines of names are wrapped."""

LONGEST = 1_000
"""Longer lines are truncated in the middle."""

EACH = 60
"""The most lines of the program after each pass; a longer one shows half as many from either end."""


def passes_text(passes: Sequence[PassResult]) -> str:
    """The table as comment lines."""
    return "\n".join([f"# {row}" for row in columns([HEADING, *_rows(passes)], "llrrr")])


def passes_html(passes: Sequence[PassResult]) -> str:
    """The table as HTML."""
    rows = [[span("", name), *(code(count, style=FAINT) for count in counts)] for name, *counts in _rows(passes)]
    return table(rows, [*HEADING], "llrrr")


def programs_text(passes: Sequence[PassResult], *, whole: bool = False) -> str:
    """The program after each pass; long ones are truncated unless ``whole``."""
    shown: list[str] = []
    for p, text in _changed(passes):
        cut = text if whole else "\n".join([shortened(line) for line in ends_text(text, EACH).split("\n")])
        shown.append(f"# {p.made_by.value}: {p.made_by.meaning}\n{cut or SAME}")
    return "\n\n".join(shown)


def programs_html(passes: Sequence[PassResult]) -> str:
    """The program after each pass as a ``<details>``, of which the last one is open."""
    shown: list[str] = []
    for p, text in _changed(passes):
        about = f"{span('', p.made_by.value)} {span(FAINT, p.made_by.meaning)}"
        inside = _html(p) if text else span(FAINT, SAME)
        shown.append(details("margin:2px 0", about, box("margin-left:1.2em", inside), is_open=p is passes[-1]))
    return "".join(shown)


def _rows(passes: Sequence[PassResult]) -> Iterator[tuple[str, ...]]:
    in_batches = any(p.made_by is Pass.BATCHED for p in passes)
    for p in passes:
        name = f"{p.made_by.value}, of 1 sample" if in_batches and p.made_by is Pass.EXECUTED else p.made_by.value
        yield name, p.count, f"{p.operations:,}", f"{p.bytes:,}", f"{p.scratch:,}"


def _changed(passes: Sequence[PassResult]) -> Iterator[tuple[PassResult, str]]:
    """Yield each pass with the text of the program after it, empty if it is unchanged."""
    before = ""
    for p in passes:
        text = _text(p)
        yield p, text if text != before else ""
        before = text


def _text(p: PassResult) -> str:
    if isinstance(p.form, Program):
        return listing(p.form)
    found = steps_listing(p.form)
    width = min(max((len(step.text) for step in found.steps), default=0), 64)
    steps = [f"{step.text:<{width}}   # {step.over}".rstrip(" #") for step in found.steps]
    before = [fill(text, WIDTH, subsequent_indent="  ", break_long_words=False) for text in found.before]
    return "\n".join([*before, *steps, *found.after])


def _html(p: PassResult) -> str:
    if isinstance(p.form, Program):
        return program_table(p.form, EACH)
    found = steps_listing(p.form)
    item = p.bytes // max(sum(step.moved for step in found.steps), 1)

    def row(step: StepLine) -> list[str]:
        counts = (step.over, f"{step.operations:,}", f"{step.moved * item:,}")
        return [code(shortened(step.text)), *(code(count, style=FAINT) for count in counts)]

    steps = table(both_ends(found.steps, row, EACH), ["", "for each", "operations", "bytes"], "wlrr")
    return _boxes(found.before) + steps + _boxes(found.after)


def _boxes(texts: Sequence[str]) -> str:
    return "".join([box("", shown) for (shown,) in both_ends(texts, lambda text: [code(shortened(text))], EACH)])


def shortened(text: str) -> str:
    """Truncate a very long line in the middle."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
