"""The view of ``%data``: a row for each component of a data set, and its first samples, as pictures where they are pictures."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.display.data import Json, Record
from rh_kernel.display.data import array as nested
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, box, code, span, table
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.display.text import visible
from rh_kernel.display.thumbnails import numbers, pictures, thumbnail, thumbnail_html
from rh_kernel.display.values import short
from rh_kernel.session.data_summary import Component, DataShown
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import Role

MOST_CLASSES = 20
"""The most classes whose numbers of samples are shown."""


def _text(shown: DataShown) -> str:
    """A line for each component, and a line for each of the first samples."""
    lines = [_head(shown)]
    rows = [[visible(c.name), c.type, _place(c), _range(c)] for c in shown.components]
    lines += columns(rows, "llll", 60)
    for i in range(_count(shown)):
        parts = [f"{visible(c.name)} = {numbers(c.first[i])}" for c in shown.components if i < len(c.first)]
        lines.append(f"sample {i}: {', '.join(parts)}")
    return "\n".join(lines)


def _html(shown: DataShown) -> str:
    """A table of the components, and one of the first samples."""
    rows = [[code(c.name), code(c.type, Role.TYPE), escape(_range(c)), span(FAINT, _place(c))] for c in shown.components]
    samples = [
        [span(FAINT, str(i)), *[_sample(c, i) if i < len(c.first) else "" for c in shown.components]]
        for i in range(_count(shown))
    ]
    heading = ["", *[code(c.name) for c in shown.components]]
    return (
        box("", escape(_head(shown)))
        + table(rows, ["component", "type of a sample", "numbers", "stored as"], "llwl")
        + table(samples, heading, "r" + "l" * len(shown.components))
    )


def _head(shown: DataShown) -> str:
    return f'data("{shown.name}"): {shown.samples:,} sample{"" if shown.samples == 1 else "s"}'


def _count(shown: DataShown) -> int:
    return max([len(c.first) for c in shown.components], default=0)


def _range(c: Component) -> str:
    if c.counts is None:
        return short(c.low) if c.low == c.high else f"{short(c.low)} … {short(c.high)}"
    counts = [f"{count:,}" for count in c.counts[:MOST_CLASSES]]
    more = [f"and {len(c.counts) - MOST_CLASSES:,} more classes"] if len(c.counts) > MOST_CLASSES else []
    return f"one-hot, samples of each class: {', '.join([*counts, *more])}"


def _place(c: Component) -> str:
    return f"{c.stored}, {'in memory' if c.in_memory else 'read from its file'}"


def _sample(c: Component, i: int) -> str:
    """A picture, the number of the class, or numbers, as HTML."""
    if c.counts is not None:
        return escape(f"class {int(np.argmax(c.first[i]))}")
    found = pictures(c.first[i : i + 1])
    return code(numbers(c.first[i])) if found is None else _picture(found[0], c, f"{c.name} of sample {i}")


def _picture(values: Array, c: Component, label: str) -> str:
    """An image whose darkest and brightest pixels are the least and the greatest number of the whole component."""
    return thumbnail_html(thumbnail(values, c.low, c.high), label)


def _record(shown: DataShown) -> Record:
    return {"kind": "data", "name": shown.name, "samples": shown.samples, "components": [*map(_component, shown.components)]}


def _component(c: Component) -> Json:
    counts: Sequence[Json] | None = None if c.counts is None else [*c.counts]
    ends: list[Json] = [c.low, c.high]
    about: Record = {"name": c.name, "type": c.type, "stored": c.stored, "in_memory": c.in_memory, "range": ends}
    return {**about, "classes": None if counts is None else [*counts], "first": nested(c.first)}


DATA = ResultView(DataShown, text=_text, rich=as_html(_html), records=lambda shown: (_record(shown),))
