"""Tables in text, and how long tables are shortened."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from rh_kernel.syntax.printing.doc import cells

T = TypeVar("T")


def columns(rows: Sequence[Sequence[str]], sides: str, widest: int | None = None) -> Iterator[str]:
    """A line for each row, two spaces between the columns; each column is ``l``, left, or ``r``, right.

    A column is as wide as its widest cell, or at most ``widest``: longer cells then stick out.
    """
    widths = [max(cells(row[i]) for row in rows) for i in range(len(sides))]
    widths = widths if widest is None else [min(width, widest) for width in widths]
    for row in rows:
        padding = [" " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True)]
        parts = zip(row, padding, sides, strict=True)
        yield "  ".join([space + cell if side == "r" else cell + space for cell, space, side in parts]).rstrip()


def shortened_table(rows: Sequence[T], most: int) -> tuple[Sequence[T], int, Sequence[T]]:
    """The first two thirds of at most ``most`` rows, how many are left out after them, and the last rows."""
    if len(rows) <= most:
        return rows, 0, ()
    first, last = rows[: most * 2 // 3], rows[-most // 3 :]
    return first, len(rows) - len(first) - len(last), last
