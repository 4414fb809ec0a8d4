"""Recorded passes as text: a table of boxes with values and cotangents, the result, and the changes of the heap."""

from collections.abc import Iterator, Sequence

from rh_kernel.denotational.drawing.text_metrics import shortened
from rh_kernel.display.contents import EQUAL, difference
from rh_kernel.display.gradients.passes import AnnotatedPass, Row, TableRow, annotated, table_rows
from rh_kernel.display.gradients.sizes import sizes
from rh_kernel.display.gradients.sizes_image import words
from rh_kernel.display.heaps import by_name
from rh_kernel.display.items import computed_text
from rh_kernel.display.tables import columns, shortened_rows
from rh_kernel.display.values import content_text
from rh_kernel.session.results import GradientMade, Pass
from rh_kernel.syntax.core import Array

MOST_ROWS = 120
"""Longer tables omit rows in the middle."""

NOTHING = "—"
"""Stands for a missing cotangent."""

_CELL, _TITLE = 60, 300


def gradient_text(made: GradientMade) -> str:
    """The table of boxes, with the cotangents of a second pass beside those of the first, and the results."""
    passes = [annotated(p) for p in made.passes]
    heads = headings(passes)
    body = shortened_rows(table_rows(passes), MOST_ROWS, _cells, lambda n: [left_out(n), *[""] * (len(heads) - 1)])
    table = columns([[shortened(cell, _CELL) for cell in row] for row in (heads, *body)], "l" * len(heads))
    found = [words(size) for p in passes for size in sizes(p)]
    return "\n".join([*table, *found, *[_end(p, i) for i, p in enumerate(made.passes)], *changes(passes)])


def headings(passes: Sequence[AnnotatedPass]) -> list[str]:
    """The headings of the columns."""
    return ["box", "forward value", "cotangent", *["cotangent against", "differ by at most"] * (len(passes) - 1)]


def left_out(count: int) -> str:
    """The note in place of the omitted rows."""
    return f"⋮ {count} boxes are left out"


def _cells(row: TableRow) -> list[str]:
    first, *others = row.cotangents
    shown = ["; ".join(map(content_text, arrays)) or NOTHING for arrays in row.cotangents]
    compared = [cell for arrays, text in zip(others, shown[1:], strict=True) for cell in (text, _differ(first, arrays))]
    values = dict.fromkeys(map(content_text, row.values))
    return [row_text(row.row), " | ".join(values), shown[0], *compared]


def row_text(row: Row) -> str:
    """``z ← FC[w0]``, in a loop ``z ← FC[w0] · round 3``, in a loop in a loop ``z ← FC[w0] · round 2.3``"""
    label = shortened(row.label, 40)
    text = f"{row.name} ← {label}" if row.is_named and row.name != row.label else label
    return f"{text} · round {'.'.join(map(str, row.rounds))}" if row.rounds else text


def changes(passes: Sequence[AnnotatedPass]) -> Iterator[str]:
    """Yield for each location that a pass changes by how much its content differs after the two passes."""
    first, *others = [by_name(p.made.changes) for p in passes]
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
    """Return the result and the changes by ``Put``; those of the second pass, which took no effect, are indented."""
    text = f"return {computed_text(made.type, made.value, made.changes)}"
    return text if i == 0 else f"against {shortened(made.subject, _TITLE)}\n{text}".replace("\n", "\n  ")
