"""Pictures of arrays as SVG in an ``<img>``: a curve for a vector, a heat map for a matrix.

Negative entries are blue and positive ones orange, with an opacity that grows with their size; ``nan`` is grey.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rh_kernel.display.data import Record
from rh_kernel.display.html import escape
from rh_kernel.display.markup import svg_source
from rh_kernel.display.palette import ABOVE, BELOW, NO_NUMBER, triple
from rh_kernel.syntax.core import Array

MOST_CELLS = 32
"""The most rows, and columns, of a heat map."""

LEAST_HEIGHT = 12
"""The least height of a heat map in pixels."""

TILES_ACROSS, TILE, TILE_CELLS = 8, 42, 14
"""Of ``tiles_image``: how many stand in a row, the width of each in pixels, and the most rows and columns of each."""

LEVELS = 8
"""The number of degrees of opacity."""

_MOST_POINTS = 120
_HUGE = 1e290
_WIDTH, _HEIGHT = 180, 32


@dataclass(frozen=True, slots=True)
class Image:
    """The ``data:`` URL of a picture, its size on the page in CSS pixels, and its alternative text."""

    source: str
    width: int
    height: int
    label: str

    @property
    def html(self) -> str:
        """The picture as an ``<img>``, which is not wider than the page."""
        size = f'width="{self.width}" height="{self.height}" style="vertical-align:middle;max-width:100%;height:auto"'
        return f'<img src="{self.source}" {size} alt="{escape(self.label)}">'

    @property
    def data(self) -> Record:
        """The picture for a page that makes an element of it."""
        return {"source": self.source, "width": self.width, "height": self.height, "label": self.label}


def strengths(array: Array) -> Array:
    """Scale the entries to [-1, 1] by the largest finite absolute value, clipping infinite ones; ``nan`` stays ``nan``."""
    values = np.asarray(array, dtype=np.float64)
    low, high, _ = extremes(values)
    scale = max(-low, high) or 1.0
    return np.clip(values / scale, -1.0, 1.0)


def extremes(array: Array) -> tuple[float, float, int]:
    """The least and the greatest finite entry, 0 and 0 if there is none, and the number of entries that are not finite."""
    if not array.size:
        return 0.0, 0.0, 0
    low, high = float(array.min()), float(array.max())
    if math.isfinite(low) and math.isfinite(high):
        return low, high, 0
    finite = array[np.isfinite(array)]
    ends = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    return *ends, array.size - finite.size


def shade(strength: float) -> str:
    """The translucent background of an entry of this strength."""
    if np.isnan(strength):
        return "rgba(128, 128, 128, 0.4)"
    return f"rgba({triple(BELOW if strength < 0 else ABOVE)}, {0.45 * abs(strength):.2f})"


def heat_map(matrix: Array, label: str) -> str:
    """The ``<img>`` of a matrix; a larger one is averaged to 32 × 32 blocks."""
    return matrix_image(matrix, label).html


def matrix_image(matrix: Array, label: str) -> Image:
    """The picture of a matrix; a larger one is averaged to 32 × 32 blocks."""
    # Averages of numbers that are not huge cannot overflow, and scaling the few blocks is faster than scaling all entries.
    low, high, missing = extremes(matrix)
    scaled = matrix if max(-low, high) < _HUGE and not missing else strengths(matrix)
    blocks = strengths(averaged(averaged(scaled, 0), 1))
    rows, columns = blocks.shape
    side = min(12, max(4, 160 // max(rows, columns, 1)))
    frame = f'<path fill="none" stroke="{NO_NUMBER}" stroke-width=".1" d="M0 0H{columns}V{rows}H0z"/>'
    url = source(f"0 0 {columns} {rows}", _cells(blocks) + frame)
    return Image(url, columns * side, max(rows * side, LEAST_HEIGHT), label)


def tiles_image(matrices: Array, label: str) -> Image:
    """One picture of matrices of equal shape, eight in a row, all scaled by the largest entry of all."""
    small = averaged_pages(strengths(matrices))
    count, rows, columns = small.shape
    across = min(count, TILES_ACROSS)
    down = -(-count // TILES_ACROSS)
    canvas = np.zeros((down * (rows + 1), across * (columns + 1)))
    frames: list[str] = []
    for i, page in enumerate(small):
        y, x = i // TILES_ACROSS * (rows + 1), i % TILES_ACROSS * (columns + 1)
        canvas[y : y + rows, x : x + columns] = page
        frames.append(f"M{x} {y}h{columns}v{rows}h-{columns}z")
    side = max(1, TILE // max(rows, columns))
    height, width = canvas.shape
    frame = f'<path fill="none" stroke="{NO_NUMBER}" stroke-width="{0.5 / side:.2f}" d="{"".join(frames)}"/>'
    return Image(source(f"-.5 -.5 {width} {height}", _cells(strengths(canvas)) + frame), width * side, height * side, label)


def averaged_pages(matrices: Array) -> Array:
    """Average matrices of equal shape to at most ``TILE_CELLS`` rows and columns each."""
    count, rows, columns = matrices.shape
    narrow = averaged(matrices.reshape(count * rows, columns), 1, TILE_CELLS)
    turned = narrow.reshape(count, rows, -1).transpose(0, 2, 1).reshape(-1, rows)
    small = averaged(turned, 1, TILE_CELLS)
    return small.reshape(count, narrow.shape[1], -1).transpose(0, 2, 1)


def _cells(blocks: Array) -> str:
    """Return a path for each colour and opacity, with one rectangle for adjacent cells in a row."""
    codes = np.where(np.isnan(blocks), LEVELS + 1, np.rint(np.nan_to_num(blocks) * LEVELS)).astype(np.int64)
    rows, columns = codes.shape
    begins = np.ones(codes.shape, dtype=bool)
    begins[:, 1:] = codes[:, 1:] != codes[:, :-1]
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=rows * columns)
    codes = codes.ravel()[starts]
    paths: list[str] = []
    for code in np.unique(codes[codes != 0]).tolist():
        here = codes == code
        steps = [
            f"M{at % columns} {at // columns}h{n}v1H{at % columns}z"
            for at, n in zip(starts[here].tolist(), lengths[here].tolist(), strict=True)
        ]
        colour, level = look(np.nan if code > LEVELS else code / LEVELS)
        paths.append(f'<path fill="{colour}" fill-opacity="{level / LEVELS}" d="{"".join(steps)}"/>')
    return "".join(paths)


def curve(vector: Array, label: str) -> str:
    """An image of the entries of a vector, from left to right; of a long one the extremes of each of 120 intervals."""
    values = np.where(np.isfinite(vector), strengths(vector), np.nan)
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    height = (high - low) or 1.0
    if values.size <= _MOST_POINTS:
        points = [(i, float(y)) for i, y in enumerate(values)]
    else:
        edges = _edges(values.size, _MOST_POINTS)
        stretches = [values[a:b] for a, b in pairwise(edges)]
        points = [(i, y) for i, s in enumerate(stretches) for y in (float(s.min()), float(s.max()))]
    last = max(points[-1][0], 1) if points else 1
    shown = [(_WIDTH * i / last, _HEIGHT * (high - y) / height) if np.isfinite(y) else None for i, y in points]
    zero = _HEIGHT * high / height
    body = (
        f'<path fill="none" stroke="{NO_NUMBER}" stroke-width=".5" d="M0 {zero:.1f}H{_WIDTH}"/>'
        f'<path fill="none" stroke="{BELOW}" stroke-width="1.5" d="{polyline(shown)}"/>'
    )
    return image(f"-1 -2 {_WIDTH + 2} {_HEIGHT + 4}", body, _WIDTH + 2, _HEIGHT + 4, label)


def polyline(points: Iterable[tuple[float, float] | None]) -> str:
    """The ``d`` of a path through the points, with a gap for each ``None``."""
    steps: list[str] = []
    command = "M"
    for point in points:
        if point is None:
            command = "M"
        else:
            steps.append(f"{command}{point[0]:.1f} {point[1]:.1f}")
            command = "L"
    return "".join(steps)


def source(view: str, body: str) -> str:
    """The ``data:`` URL of SVG elements."""
    return svg_source(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" preserveAspectRatio="none">{body}</svg>')


def image(view: str, body: str, width: int, height: int, label: str) -> str:
    """SVG elements as an ``<img>`` of this size in pixels, with ``label`` as its alternative text."""
    return Image(source(view, body), width, height, label).html


def look(strength: float) -> tuple[str, int]:
    """The colour of an entry of this strength, and its opacity in eighths."""
    if np.isnan(strength):
        return NO_NUMBER, LEVELS
    return (BELOW if strength < 0 else ABOVE), round(abs(strength) * LEVELS)


def averaged(matrix: Array, axis: int, most: int = MOST_CELLS) -> Array:
    """Average adjacent rows (``axis`` 0) or columns (``axis`` 1) so that at most ``most`` remain."""
    n = matrix.shape[axis]
    if n <= most:
        return matrix
    edges = _edges(n, most)
    sums = np.add.reduceat(matrix, edges[:-1], axis=axis)
    counts = np.diff(edges)
    return sums / (counts[:, None] if axis == 0 else counts)


def _edges(n: int, parts: int) -> list[int]:
    return [n * i // parts for i in range(parts + 1)]
