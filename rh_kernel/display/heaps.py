"""The view of ``%heap``: each location with its type and content, and its initial content if that differs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rh_kernel.display.data import contents, location_names
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, table
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.text import to_text
from rh_kernel.display.values import Changes, array_html, content_text, value_doc
from rh_kernel.session.results import Change, HeapShown
from rh_kernel.syntax.core import Const
from rh_kernel.syntax.printing.doc import HARD, Role, concat, join, nest, role
from rh_kernel.syntax.types import real

MOST, MOST_LINES = 24, 200
"""More than ``MOST`` locations are shown on one line each, up to ``MOST_LINES``."""

EMPTY = "the heap is empty: no location has been declared"


def _text(shown: HeapShown) -> str:
    """The content of each location, and its initial content if that differs; more than ``MOST`` locations on one line each."""
    held = by_name([*map(_moved, shown.contents)])
    if len(held) > MOST:
        lines = [f"{name} : {real(*now.shape)} = {content_text(now)}" for name, (_, now) in [*held.items()][:MOST_LINES]]
        return "\n".join([*lines, *([f"⋮ {len(held) - MOST_LINES:,} more"] if len(held) > MOST_LINES else [])])
    docs = [
        concat(
            nest(role(Role.LOCATION, name), " : ", role(Role.TYPE, str(real(*now.shape))), " = ", value_doc(Const(now))),
            "" if first is None else nest(HARD, role(Role.FADED, "at first "), value_doc(Const(first))),
        )
        for name, (first, now) in held.items()
    ]
    return to_text(join(HARD, docs)) if docs else EMPTY


def _html(shown: HeapShown) -> str:
    """A table with a row for each location; the text for more than ``MOST`` locations."""
    held = by_name([*map(_moved, shown.contents)])
    if len(held) > MOST:
        return box(f"{MONOSPACE};white-space:pre-wrap", escape(_text(shown)))
    rows = [
        [
            code(name, Role.LOCATION),
            code(str(real(*now.shape)), Role.TYPE),
            array_html(now),
            "" if first is None else array_html(first),
        ]
        for name, (first, now) in held.items()
    ]
    moved = any(row[3] for row in rows)
    return table(rows, ["", "", "content" if moved else "", "at first" if moved else ""], "llll") if rows else box(FAINT, EMPTY)


def by_name(changes: Sequence[Change]) -> Changes:
    """Map the name of each location to its change; the name of one that a later declaration hides is marked as older."""
    names = location_names([change.location for change in changes], "{} (an older one, {})")
    return {names[change.location]: (change.before, change.after) for change in changes}


def _moved(change: Change) -> Change:
    """Drop the earlier content of a change if it is equal to the later one."""
    is_same = change.before is not None and np.array_equal(change.before, change.after, equal_nan=True)
    return replace(change, before=None) if is_same else change


HEAP = ResultView(
    HeapShown,
    text=_text,
    rich=as_html(_html),
    records=lambda h: ({"kind": "heap", "heap": contents(h.contents)},),
)
