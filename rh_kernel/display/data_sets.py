"""The view of ``%data``: a row for each component of a data set, and its first samples, as pictures where they are pictures."""

import base64
import math
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rh_kernel.display.data import Json, Record
from rh_kernel.display.data import array as nested
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, box, code, span, table
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.display.text import visible
from rh_kernel.display.values import short
from rh_kernel.session.data_summary import Component, DataShown
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import Role

LEAST_PICTURE = 16
"""The least number of entries of a vector that is shown as a square picture."""

LONGEST_PICTURE = 8
"""A picture is at most so many times as long as wide; what is longer is a sequence."""

MOST_PIXELS = 128
"""The most rows, and columns, of a picture; of a larger one every k-th is shown."""

SIDE = 64
"""The width of a small picture on the page, about, in CSS pixels."""

MOST_NUMBERS = 8
"""The most numbers of a sample that are shown in text."""

MOST_CLASSES = 20
"""The most classes whose numbers of samples are shown."""


def pictures(samples: Array) -> Array | None:
    """Return the samples (n, d1, …, dk) as pictures (n, h, w, 1 or 3), or ``None`` if they have no such shape."""
    match samples.shape:
        case (n, h, w) if _is_picture(h, w):
            return samples.reshape(n, h, w, 1)
        case (_, 1 | 3, h, w) if _is_picture(h, w):
            return np.moveaxis(samples, 1, 3)
        case (n, d) if d >= LEAST_PICTURE and math.isqrt(d) ** 2 == d:
            return samples.reshape(n, math.isqrt(d), math.isqrt(d), 1)
        case _:
            return None


def _is_picture(height: int, width: int) -> bool:
    return 0 < max(height, width) <= LONGEST_PICTURE * min(height, width)


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return a picture (h, w, 1 or 3) as a PNG file, in grey or in red, green and blue."""
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks]
    )


def _text(shown: DataShown) -> str:
    """A line for each component, and a line for each of the first samples."""
    lines = [_head(shown)]
    rows = [[visible(c.name), c.type, _place(c), _range(c)] for c in shown.components]
    lines += columns(rows, "llll", 60)
    for i in range(_count(shown)):
        parts = [f"{visible(c.name)} = {_numbers(c.first[i])}" for c in shown.components if i < len(c.first)]
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


def _numbers(sample: Array) -> str:
    flat = sample.reshape(-1)
    dots = [f"… {flat.size:,} numbers"] if flat.size > MOST_NUMBERS else []
    return f"[{', '.join([*[short(x) for x in flat[:MOST_NUMBERS].tolist()], *dots])}]"


def _sample(c: Component, i: int) -> str:
    """A picture, the number of the class, or numbers, as HTML."""
    if c.counts is not None:
        return escape(f"class {int(np.argmax(c.first[i]))}")
    found = pictures(c.first[i : i + 1])
    return code(_numbers(c.first[i])) if found is None else _picture(found[0], c, f"{c.name} of sample {i}")


def _picture(values: Array, c: Component, label: str) -> str:
    """An image whose darkest and brightest pixels are the least and the greatest number of the whole component."""
    step = max(1, -(-max(values.shape[:2]) // MOST_PIXELS))
    span_of_values = c.high - c.low
    scaled = (values[::step, ::step] - c.low) / span_of_values if np.isfinite(span_of_values) and span_of_values > 0 else 0.0
    pixels = np.rint(np.broadcast_to(np.clip(scaled, 0.0, 1.0), values[::step, ::step].shape) * 255).astype(np.uint8)
    height, width = pixels.shape[:2]
    factor = max(1, SIDE // max(height, width))
    source = f"data:image/png;base64,{base64.b64encode(png(pixels)).decode('ascii')}"
    return (
        f'<img src="{source}" width="{width * factor}" height="{height * factor}" alt="{escape(label)}" '
        'style="image-rendering:pixelated;vertical-align:middle">'
    )


def _record(shown: DataShown) -> Record:
    return {"kind": "data", "name": shown.name, "samples": shown.samples, "components": [*map(_component, shown.components)]}


def _component(c: Component) -> Json:
    counts: Sequence[Json] | None = None if c.counts is None else [*c.counts]
    ends: list[Json] = [c.low, c.high]
    about: Record = {"name": c.name, "type": c.type, "stored": c.stored, "in_memory": c.in_memory, "range": ends}
    return {**about, "classes": None if counts is None else [*counts], "first": nested(c.first)}


DATA = ResultView(DataShown, text=_text, rich=as_html(_html), records=lambda shown: (_record(shown),))
