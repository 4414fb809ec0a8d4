"""The passes of a program (``arrays.passes``): a table of them, and the program after each."""

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
"""The columns of the table; the last counts what is kept in between."""

SAME = "as before"

WIDTH = 100
"""A line of names and places is broken there."""

LONGEST = 1_000
"""Of a longer line the beginning and the end are shown."""

EACH = 60
"""Of the program after each pass so many lines are shown: half of them from either end."""


def passes_text(passes: Sequence[PassResult]) -> str:
    """The table, as comments below a listing."""
    return "\n".join([f"# {row}" for row in columns([HEADING, *_rows(passes)], "llrrr")])


def passes_html(passes: Sequence[PassResult]) -> str:
    """The table."""
    rows = [[span("", name), *(code(count, style=FAINT) for count in counts)] for name, *counts in _rows(passes)]
    return table(rows, [*HEADING], "llrrr")


def programs_text(passes: Sequence[PassResult], *, whole: bool = False) -> str:
    """The program after each pass, one below the other; of long ones the ends, if they are not to be shown ``whole``."""
    shown: list[str] = []
    for p, text in _changed(passes):
        cut = text if whole else "\n".join([shortened(line) for line in ends_text(text, EACH).split("\n")])
        shown.append(f"# {p.made_by.value}: {p.made_by.meaning}\n{cut or SAME}")
    return "\n\n".join(shown)


def programs_html(passes: Sequence[PassResult]) -> str:
    """The program after each pass, of which the last is open."""
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
    """What each pass leaves, as text; none where that is what was there before."""
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
    """The beginning and the end of a line that is very long."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
