"""Closed values ``V ::= c | 0 | ⟨V1, …, Vn⟩`` and changes of the heap, as text and as HTML. As data they are ``record.value``.

Small arrays are shown whole, in the text with digits that read back exactly; of large ones the type, the extremes, the mean
and a picture. Nothing depends on settings of NumPy.
"""

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from rh_kernel.display.html import escape
from rh_kernel.display.pictures import curve, heat_map, shade, strengths
from rh_kernel.display.rounding import ENTRIES, array_line
from rh_kernel.display.text import to_text
from rh_kernel.primitives.values import materialise
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array, Const, Term, Tuple
from rh_kernel.syntax.printing.constants import array_doc, number_text
from rh_kernel.syntax.printing.doc import HARD, LINE, Doc, Role, Text, concat, group, join, nest, role
from rh_kernel.syntax.types import real

MOST_ENTRIES = 100
"""An array of more entries is not written out in text."""
PART = 1 << 16
"""So many entries of a large array are looked at at a time."""
MOST_COLUMNS = 16
"""A table is at most so wide, and so high."""
MOST_LOCATIONS = 12
"""Of more locations that have changed each is told of on one line."""
MOST_LINES = 50
"""So many of these lines are written, and so many names in one."""
DIGITS = 4
"""Significant digits in tables and summaries; the whole number is shown on hovering."""

Changes: TypeAlias = Mapping[str, tuple[Array | None, Array]]
"""By the name of a location what it held before, ``None`` if it is new, and what it holds now."""

_CELL = "padding:1px 6px;text-align:right;border:1px solid rgba(128, 128, 128, 0.25)"
_MONO = "font-family:monospace"
_HEADS = ("location", "before", "after", "change")


def value_doc(V: Term, most: int = MOST_ENTRIES) -> Doc:
    """A closed value; arrays of more than ``most`` entries are summarised. Raises ``KernelBug`` if V is none."""
    match materialise(V):
        case Const(array):
            return _array_doc(array, most)
        case Tuple(items):
            return group("⟨", nest(join(concat(",", LINE), [value_doc(W, most) for W in items]), indent=1), "⟩")
        case other:
            raise KernelBug(f"{other} is no closed value")


def value_text(V: Term, width: float = 100) -> str:
    """A closed value as text."""
    return to_text(value_doc(V), width)


def changes_doc(changes: Changes) -> Doc:
    """What became of each location: by how much it changed at most, before and after.

    Of those that are as they were only the names are told, and of many each on one line.
    """
    moved, same = _moved(changes)
    tell = _change_doc if len(moved) <= MOST_LOCATIONS else _change_line
    docs = [tell(name, before, after) for name, (before, after) in [*moved.items()][: _lines(moved)]]
    if len(docs) < len(moved):
        docs.append(role(Role.FADED, _more(moved)))
    if same:
        names = [_typed(name, A) for name, A in same[:MOST_LINES]]
        rest = f", and {len(same) - len(names):,} more" if len(names) < len(same) else ""
        docs.append(concat(join(Text(", "), names), rest, " is as it was" if len(same) == 1 else " are as they were"))
    return join(HARD, docs)


def changes_text(changes: Changes, width: float = 100) -> str:
    """Changes of the heap as text; the empty text for none."""
    return to_text(changes_doc(changes), width)


def _moved(changes: Changes) -> tuple[Changes, list[tuple[str, Array]]]:
    """The locations that have changed, and the others with what they hold."""
    same = [
        (name, after)
        for name, (before, after) in changes.items()
        if before is not None and np.array_equal(before, after, equal_nan=True)
    ]
    names = {name for name, _ in same}
    return {name: change for name, change in changes.items() if name not in names}, same


def _lines(moved: Changes) -> int:
    return len(moved) if len(moved) <= MOST_LOCATIONS else MOST_LINES


def _more(moved: Changes) -> str:
    return f"… and {len(moved) - MOST_LINES:,} more; `%heap` shows what they hold"


def summary(array: Array) -> str:
    """``640 entries from -0.31 to 0.52, mean 0.01``; entries that are no finite numbers are counted apart."""
    words = [f"{array.size:,} {'entry' if array.size == 1 else 'entries'}"]
    flat = array.ravel()
    parts = [flat[start : start + PART] for start in range(0, flat.size, PART)]
    ends = [(float(part.min()), float(part.max()), part.size) for part in map(_finite, parts) if part.size]
    count = sum([size for _, _, size in ends])
    if ends:
        low, high = min([least for least, _, _ in ends]), max([greatest for _, greatest, _ in ends])
        words[0] += f" from {short(low)} to {short(high)}"
        # Scaled first, so that a sum of large numbers does not overflow.
        scale = max(abs(low), abs(high)) or 1.0
        words.append(f"mean {short(scale * (math.fsum([float((_finite(part) / scale).sum()) for part in parts]) / count))}")
    if count < array.size:
        words.append(f"{array.size - count:,} not finite")
    return ", ".join(words)


def _finite(part: Array) -> Array:
    """The finite entries in float64."""
    finite = np.isfinite(part)
    return (part if finite.all() else part[finite]).astype(np.float64, copy=False)


def content_text(array: Array) -> str:
    """An array on one line: its entries to four digits, or of a large one its extremes."""
    return array_line(array) if array.size <= ENTRIES else summary(array)


def short(x: float) -> str:
    """A number with four significant digits."""
    return f"{x + 0.0:.{DIGITS}g}"


def _array_doc(array: Array, most: int) -> Doc:
    if array.size <= most:
        return array_doc(array)
    return concat(role(Role.CONSTANT, f"‹{real(*array.shape)}›"), role(Role.FADED, f" {summary(array)}"))


def _change_doc(name: str, before: Array | None, after: Array) -> Doc:
    head = _typed(name, after)
    if before is None:
        return nest(head, " is new", HARD, _array_doc(after, MOST_ENTRIES))
    lines = [
        concat(role(Role.FADED, word), nest(_array_doc(array, MOST_ENTRIES), indent=7))
        for word, array in (("before ", before), ("after  ", after))
    ]
    return nest(head, f" {_by_how_much(before, after)}", HARD, lines[0], HARD, lines[1])


def _change_line(name: str, before: Array | None, after: Array) -> Doc:
    words = "is new" if before is None else _by_how_much(before, after)
    return concat(_typed(name, after), f" {words}")


def _typed(name: str, array: Array) -> Doc:
    return concat(role(Role.LOCATION, name), " : ", role(Role.TYPE, str(real(*array.shape))))


def _by_how_much(before: Array, after: Array) -> str:
    change = _difference(before, after)
    if change is None:
        return "has another shape"
    return f"changed by at most {short(float(np.abs(change).max(initial=0.0)))}"


def _difference(before: Array | None, after: Array) -> Array | None:
    if before is None or before.shape != after.shape:
        return None
    with np.errstate(all="ignore"):
        return np.subtract(after, before, dtype=np.float64)


def value_html(V: Term) -> str:
    """A closed value: numbers, tables, pictures. Raises ``KernelBug`` if V is none."""
    match materialise(V):
        case Const(array):
            return array_html(array)
        case Tuple(items):
            rows = "".join(_row((_text(f".{i}"), value_html(W))) for i, W in enumerate(items, start=1))
            return _table(rows)
        case other:
            raise KernelBug(f"{other} is no closed value")


def array_html(array: Array) -> str:
    """An array: a table with a shade behind each number, or for a large one its type, a summary and a picture."""
    if array.shape == (1,):
        return _number(float(array[0]), number_text(array[0]), "")
    if array.size == 0:
        return _text("()" if array.shape == (0,) else str(real(*array.shape)))
    if array.ndim <= 2 and max(array.shape) <= MOST_COLUMNS:
        return _entries(np.atleast_2d(array))
    words = _text(f"{real(*array.shape)}: {summary(array)}")
    if array.ndim == 1:
        return f"<div>{words}</div>{curve(array, summary(array))}"
    return f"<div>{words}</div>{heat_map(array.reshape(-1, array.shape[-1]), summary(array))}"


def changes_html(changes: Changes) -> str:
    """Changes of the heap as a table, of many and of those that are as they were as text; the empty text for none."""
    moved, _ = _moved(changes)
    if not moved or len(moved) > MOST_LOCATIONS:
        return f'<div style="white-space:pre-wrap;{_MONO}">{escape(changes_text(changes))}</div>' if changes else ""
    same = {name: change for name, change in changes.items() if name not in moved}
    rows = [_row(tuple(f"<b>{head}</b>" for head in _HEADS))]
    for name, (before, after) in moved.items():
        location = f"{_text(name)}<br>{_text(str(real(*after.shape)))}"
        difference = _difference(before, after)
        old = "new" if before is None else array_html(before)
        change = "" if before is None else _text(_by_how_much(before, after))
        if difference is not None:
            change = f"{change}<br>{array_html(difference)}"
        rows.append(_row((location, old, array_html(after), change)))
    return f'<div style="overflow-x:auto">{_table("".join(rows))}</div>{changes_html(same)}'


def _entries(matrix: Array) -> str:
    shades = strengths(matrix)
    rows: list[str] = []
    for row, strength in zip(matrix, shades, strict=True):
        cells = [_number(float(x), number_text(x), shade(float(s))) for x, s in zip(row, strength, strict=True)]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return _table("".join(rows))


def _number(x: float, exact: str, background: str) -> str:
    element = "td" if background else "span"
    style = f"{_CELL};background-color:{background}" if background else _MONO
    return f'<{element} style="{style}" title="{escape(exact)}">{escape(short(x))}</{element}>'


def _text(text: str) -> str:
    return f'<span style="{_MONO}">{escape(text)}</span>'


_PLACE = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;white-space:nowrap"


def _row(cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f'<td style="{_PLACE}">{c}</td>' for c in cells) + "</tr>"


def _table(rows: str) -> str:
    return f'<table style="border-collapse:collapse;margin:2px 0;{_MONO}">{rows}</table>'
