"""Closed values ``V ::= c | 0 | ⟨V1, …, Vn⟩`` and changes of the heap, as text and as HTML; as JSON see ``display.data``.

Small arrays are shown in full, in text with enough digits to read back exactly; of large ones the type, the extremes, the mean
and a picture. Settings of NumPy have no influence.
"""

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from rh_kernel.display.html import escape
from rh_kernel.display.markup import MONOSPACE, box, code, element
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
"""Larger arrays are summarised in text."""
PART = 1 << 16
"""The number of entries of a large array that are summarised at a time."""
MOST_COLUMNS = 16
"""The most columns, and rows, of a table of entries."""
MOST_LOCATIONS = 12
"""Changes of more locations are shown on one line each."""
MOST_LINES = 50
"""The most such lines, and the most names of unchanged locations."""
DIGITS = 4
"""Significant digits in tables and summaries; the tooltip has all digits."""

Changes: TypeAlias = Mapping[str, tuple[Array | None, Array]]
"""Maps the name of a location to its content before, ``None`` if it is new, and after."""

_CELL = "padding:1px 6px;text-align:right;border:1px solid rgba(128, 128, 128, 0.25)"
_HEADS = ("location", "before", "after", "change")


def value_doc(V: Term, most: int = MOST_ENTRIES) -> Doc:
    """A closed value; arrays of more than ``most`` entries are summarised. Raises ``KernelBug`` if V is not closed."""
    match materialise(V):
        case Const(array):
            return _array_doc(array, most)
        case Tuple(items):
            return group("⟨", nest(join(concat(",", LINE), [value_doc(W, most) for W in items]), indent=1), "⟩")
        case other:
            raise KernelBug(f"{other} is no closed value")


def value_text(V: Term, width: float = 100) -> str:
    """``value_doc`` as plain text."""
    return to_text(value_doc(V), width)


def changes_doc(changes: Changes) -> Doc:
    """The largest change, the old and the new content of each location; one line each if there are many.

    Locations whose content is unchanged are listed by name.
    """
    moved, same = _moved(changes)
    is_few = len(moved) <= MOST_LOCATIONS
    change_doc = _change_doc if is_few else _change_line
    shown = [*moved.items()][: None if is_few else MOST_LINES]
    docs = [change_doc(name, before, after) for name, (before, after) in shown]
    if len(docs) < len(moved):
        docs.append(role(Role.FADED, f"… and {len(moved) - MOST_LINES:,} more; `%heap` shows what they hold"))
    if same:
        names = [_typed(name, A) for name, A in same[:MOST_LINES]]
        rest = f", and {len(same) - len(names):,} more" if len(names) < len(same) else ""
        docs.append(concat(join(Text(", "), names), rest, " is as it was" if len(same) == 1 else " are as they were"))
    return join(HARD, docs)


def changes_text(changes: Changes, width: float = 100) -> str:
    """Changes of the heap as text; empty for no changes."""
    return to_text(changes_doc(changes), width)


def _moved(changes: Changes) -> tuple[Changes, list[tuple[str, Array]]]:
    """Split changes into those that changed the content, and the other locations with their content."""
    same = [
        (name, after)
        for name, (before, after) in changes.items()
        if before is not None and np.array_equal(before, after, equal_nan=True)
    ]
    names = {name for name, _ in same}
    return {name: change for name, change in changes.items() if name not in names}, same


def summary(array: Array) -> str:
    """``640 entries from -0.31 to 0.52, mean 0.01``; entries that are not finite are counted separately."""
    words = [f"{array.size:,} {'entry' if array.size == 1 else 'entries'}"]
    flat = array.ravel()
    parts = [flat[start : start + PART] for start in range(0, flat.size, PART)]
    ends = [(float(part.min()), float(part.max()), part.size) for part in map(_finite, parts) if part.size]
    count = sum([size for _, _, size in ends])
    if ends:
        low, high = min([least for least, _, _ in ends]), max([greatest for _, greatest, _ in ends])
        words[0] += f" from {short(low)} to {short(high)}"
        # Scale first, so that a sum of large numbers does not overflow.
        scale = max(abs(low), abs(high)) or 1.0
        words.append(f"mean {short(scale * (math.fsum([float((_finite(part) / scale).sum()) for part in parts]) / count))}")
    if count < array.size:
        words.append(f"{array.size - count:,} not finite")
    return ", ".join(words)


def _finite(part: Array) -> Array:
    """Return the finite entries in float64."""
    finite = np.isfinite(part)
    return (part if finite.all() else part[finite]).astype(np.float64, copy=False)


def content_text(array: Array) -> str:
    """An array on one line: its entries with four digits, or the summary of a large array."""
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
    """A closed value as numbers, tables and pictures. Raises ``KernelBug`` if V is not closed."""
    match materialise(V):
        case Const(array):
            return array_html(array)
        case Tuple(items):
            return _table([_row(code(f".{i}"), value_html(W)) for i, W in enumerate(items, start=1)])
        case other:
            raise KernelBug(f"{other} is no closed value")


def array_html(array: Array) -> str:
    """An array as a table with shaded numbers, or the type, a summary and a picture of a large array."""
    if array.shape == (1,):
        return _number("span", MONOSPACE, array[0])
    if array.size == 0:
        return code("()" if array.shape == (0,) else str(real(*array.shape)))
    if array.ndim <= 2 and max(array.shape) <= MOST_COLUMNS:
        return _entries(np.atleast_2d(array))
    words = summary(array)
    picture = curve(array, words) if array.ndim == 1 else heat_map(array.reshape(-1, array.shape[-1]), words)
    return box("", code(f"{real(*array.shape)}: {words}")) + picture


def changes_html(changes: Changes) -> str:
    """Changes of the heap as a table, as text if there are many; unchanged locations as text; empty for no changes."""
    moved, _ = _moved(changes)
    if not moved or len(moved) > MOST_LOCATIONS:
        return box(f"white-space:pre-wrap;{MONOSPACE}", escape(changes_text(changes))) if changes else ""
    same = {name: change for name, change in changes.items() if name not in moved}
    rows = [_row(*[f"<b>{head}</b>" for head in _HEADS])]
    for name, (before, after) in moved.items():
        location = f"{code(name)}<br>{code(str(real(*after.shape)))}"
        difference = _difference(before, after)
        old = "new" if before is None else array_html(before)
        change = "" if before is None else code(_by_how_much(before, after))
        if difference is not None:
            change = f"{change}<br>{array_html(difference)}"
        rows.append(_row(location, old, array_html(after), change))
    return box("overflow-x:auto", _table(rows)) + changes_html(same)


def _entries(matrix: Array) -> str:
    rows = [
        [_number("td", f"{_CELL};background-color:{shade(float(s))}", x) for x, s in zip(row, strength, strict=True)]
        for row, strength in zip(matrix, strengths(matrix), strict=True)
    ]
    return _table([element("tr", "", *row) for row in rows])


def _number(name: str, style: str, x: float) -> str:
    """A number in an element of this name, rounded, with all digits in its tooltip."""
    return element(name, style, escape(short(float(x))), title=number_text(x))


def _row(*cells: str) -> str:
    style = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;white-space:nowrap"
    return element("tr", "", *[element("td", style, cell) for cell in cells])


def _table(rows: list[str]) -> str:
    return element("table", f"border-collapse:collapse;margin:2px 0;{MONOSPACE}", *rows)
