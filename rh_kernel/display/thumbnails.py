"""Samples as small pictures, where they have the shape of pictures, as PNG files; otherwise as their first numbers."""

import base64
import math
import struct
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rh_kernel.display.html import escape
from rh_kernel.display.values import short
from rh_kernel.syntax.core import Array

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


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The ``data:`` URL of a picture, and its size on the page in CSS pixels."""

    source: str
    width: int
    height: int


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


def thumbnail(values: Array, low: float, high: float, side: int = SIDE) -> Thumbnail:
    """Return a picture of values (h, w, 1 or 3), black at ``low`` and white at ``high``, about ``side`` pixels wide."""
    step = max(1, -(-max(values.shape[:2]) // MOST_PIXELS))
    shown = values[::step, ::step]
    width = high - low
    scaled = (shown - low) / width if np.isfinite(width) and width > 0 else 0.0
    pixels = np.rint(np.broadcast_to(np.clip(scaled, 0.0, 1.0), shown.shape) * 255).astype(np.uint8)
    return png_thumbnail(pixels, side)


def png_thumbnail(pixels: npt.NDArray[np.uint8], side: int = SIDE) -> Thumbnail:
    """Return pixels (h, w, 1 or 3), enlarged to about ``side``."""
    height, width = pixels.shape[:2]
    factor = max(1, side // max(height, width))
    source = f"data:image/png;base64,{base64.b64encode(png(pixels)).decode('ascii')}"
    return Thumbnail(source, width * factor, height * factor)


def thumbnail_html(picture: Thumbnail, label: str, style: str = "") -> str:
    """The picture as an ``<img>`` with this alternative text."""
    more = f";{style}" if style else ""
    return (
        f'<img src="{picture.source}" width="{picture.width}" height="{picture.height}" alt="{escape(label)}" '
        f'style="image-rendering:pixelated;vertical-align:middle{more}">'
    )


def numbers(sample: Array) -> str:
    """``[0.5, 1, … 64 numbers]``: the first numbers of a sample."""
    flat = sample.reshape(-1)
    dots = [f"… {flat.size:,} numbers"] if flat.size > MOST_NUMBERS else []
    return f"[{', '.join([*[short(x) for x in flat[:MOST_NUMBERS].tolist()], *dots])}]"
