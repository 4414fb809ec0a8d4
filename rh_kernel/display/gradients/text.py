"""A recorded pass as text: each box with its value and its cotangent, the result, and what changed in the heap."""

from collections.abc import Iterator, Sequence

from rh_kernel.denotational.drawing.text_metrics import shortened
from rh_kernel.display.contents import EQUAL, difference
from rh_kernel.display.gradients.passes import Reading, Row, reading, side_by_side
from rh_kernel.display.heaps import by_name
from rh_kernel.display.items import computed_text
from rh_kernel.display.tables import columns, shortened_table
from rh_kernel.display.values import content_text
from rh_kernel.session.results import GradientMade, Pass
from rh_kernel.syntax.core import Array

MOST_ROWS = 120
"""The table of a longer pass leaves out boxes in the middle."""

NOTHING = "—"
"""In the place of a cotangent where nothing came back."""

_CELL, _TITLE = 60, 300


def gradient_text(made: GradientMade) -> str:
    """The table in the order of the pass; with a second pass its cotangents beside those of the first."""
    readings = [reading(p) for p in made.passes]
    heads = headings(readings)
    first, left_out, last = shortened_table(side_by_side(readings), MOST_ROWS)
    note = [[f"⋮ {left_out} boxes are left out", *[""] * (len(heads) - 1)]] if left_out else []
    body = [*[_cells(readings, rows) for rows in first], *note, *[_cells(readings, rows) for rows in last]]
    table = columns([[shortened(cell, _CELL) for cell in row] for row in (heads, *body)], "l" * len(heads))
    return "\n".join([*table, *[_end(p, i) for i, p in enumerate(made.passes)], *changes(readings)])


def headings(readings: Sequence[Reading]) -> list[str]:
    """The heads of the columns."""
    return ["box", "forward value", "cotangent", *["cotangent against", "differ by at most"] * (len(readings) - 1)]


def _cells(readings: Sequence[Reading], rows: Sequence[Row | None]) -> list[str]:
    """One line of the table: what the first pass has in its first columns, and the others beside it."""
    named = next(row for row in rows if row is not None)
    first = rows[0]
    forwards = [forward(asked, row) for asked, row in zip(readings, rows, strict=True)]
    values = [content_text(array) for array in forwards if array is not None]
    backs = [back(asked, row) for asked, row in zip(readings, rows, strict=True)]
    shown = ["; ".join(map(content_text, arrays)) or NOTHING for arrays in backs]
    others = [cell for arrays, text in zip(backs[1:], shown[1:], strict=True) for cell in (text, _differ(backs[0], arrays))]
    return [row_text(named if first is None else first), " | ".join(dict.fromkeys(values)), shown[0], *others]


def row_text(row: Row) -> str:
    """``z ← FC[w0]``"""
    label = shortened(row.label, 40)
    return f"{row.name} ← {label}" if row.is_named and row.name != row.label else label


def forward(asked: Reading, row: Row | None) -> Array | None:
    """The value of a row on the way forward."""
    return None if row is None else asked.made.recording.values[row.wire]


def back(asked: Reading, row: Row | None) -> list[Array]:
    """The cotangents of a row."""
    return [] if row is None else [asked.made.recording.values[w] for w in row.cotangents]


def changes(readings: Sequence[Reading]) -> Iterator[str]:
    """How far apart the passes leave each location that one of them changes."""
    first, *others = [by_name(asked.made.changes) for asked in readings]
    for other in others:
        for name in dict.fromkeys([*first, *other]):
            if name in first and name in other:
                apart = difference(first[name][1], other[name][1])
                yield f"{name} is {'the same' if apart == EQUAL else f'apart by at most {apart}'} after the two passes"
            else:
                yield f"{name} is changed by one of the two passes only"


def _differ(first: Sequence[Array], other: Sequence[Array]) -> str:
    if len(first) != 1 or len(other) != 1:
        return NOTHING
    return difference(first[0], other[0])


def _end(made: Pass, i: int) -> str:
    """The result, and what Put changed; only the first pass took effect."""
    text = f"return {computed_text(made.type, made.value, made.changes)}"
    return text if i == 0 else f"against {shortened(made.subject, _TITLE)}\n{text}".replace("\n", "\n  ")
