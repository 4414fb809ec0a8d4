"""A recorded training run in words: how much was recorded, the sizes of each box over the batches, and what to look at."""

from collections.abc import Iterator

from rh_kernel.display.flow.picture import size_text
from rh_kernel.display.tables import columns, shortened_rows
from rh_kernel.display.training.curves import sparkline
from rh_kernel.session.flow.records import QUANTITIES, Finding, FlowMade, Quantity

MOST_ROWS = 60
"""Longer tables omit rows in the middle."""

CURVE = 12
"""The most characters of a curve."""

HEADINGS = ("box", "value", "", "cotangent", "", "change", "")
"""The headings of the table: each quantity has its first and last sizes, and a curve over the frames."""


def flow_text(made: FlowMade) -> str:
    """The summary, the table, and the findings, for a terminal."""
    rows = shortened_rows(table(made), MOST_ROWS, lambda row: row, lambda count: (f"… {count} more", *[""] * 6))
    lines = columns([HEADINGS, *rows], "lllllll", 30)
    found = [f"! {finding.text} ({lesson_text(finding)})" for finding in made.findings]
    return "\n".join([flow_title(made), summary(made), *lines, *found])


def flow_title(made: FlowMade) -> str:
    """``flow of rev handle (x) <u>. mlp(u) with sgd(0.1, t)``"""
    return f"flow of {' '.join(made.subject.split())}"


def summary(made: FlowMade) -> str:
    """How many frames there are, what is left out between them, and what the recording cost."""
    count = len(made.frames)
    reached = made.frames[-1].batch
    each = f", one in about {round(reached / (count - 1))}" if count > 1 and reached > count - 1 else ""
    samples = max([len(frame.samples) for frame in made.frames])
    of = "one sample" if samples == 1 else f"up to {samples} samples"
    frames = f"{count} frames recorded in {reached:,} {'batch' if reached == 1 else 'batches'}{each}, each of passes on {of}"
    cost = f"{made.seconds:.2g} s of recording beside {made.trained:.2g} s of training"
    kept = f"{max(1, round(made.sizes.nbytes / 1000)):,} kB"
    ended = [f"the recording ended {made.ended}"] if made.ended else []
    return " · ".join([frames, cost, kept, *ended])


def table(made: FlowMade) -> list[tuple[str, ...]]:
    """A row for each box, as texts."""
    return [(box.label, *_cells(made, i)) for i, box in enumerate(made.boxes)]


def _cells(made: FlowMade, i: int) -> Iterator[str]:
    for quantity in QUANTITIES:
        yield ends(made, i, quantity)
        yield curve(made, i, quantity)


def ends(made: FlowMade, i: int, quantity: Quantity) -> str:
    """The first and the last size of a box."""
    first, *_, last = [*sizes(made, i, quantity)[:1], *sizes(made, i, quantity)[-1:]]
    return (
        size_text(last)
        if len(made.frames) == 1 or size_text(first) == size_text(last)
        else f"{size_text(first)} → {size_text(last)}"
    )


def curve(made: FlowMade, i: int, quantity: Quantity) -> str:
    """The sizes over the frames in block characters; empty if there is none."""
    found = sizes(made, i, quantity)
    return sparkline(found, CURVE) if len(found) > 1 and any(size == size for size in found) else ""


def sizes(made: FlowMade, i: int, quantity: Quantity) -> list[float]:
    """The sizes of a box in all frames."""
    return [float(size) for size in made.sizes[:, QUANTITIES.index(quantity), i]]


def lesson_text(finding: Finding) -> str:
    """``lesson 9, section 5``"""
    return f"lesson {int(finding.lesson[:2])}, section {finding.section}"


def lesson_file(finding: Finding) -> str:
    """The file of the lesson, beside the other lessons."""
    return f"{finding.lesson}.md"
