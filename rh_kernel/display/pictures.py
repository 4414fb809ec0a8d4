"""Small pictures of arrays: a curve for a vector, a heat map for a matrix, as SVG in an ``<img>``.

Below zero is blue, above it orange, and the further from it the less translucent; what is no number is grey.
"""

import base64
from itertools import pairwise

import numpy as np

from rh_kernel.display.html import COLOURS, escape
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.doc import Role

BELOW, ABOVE, NO_NUMBER = COLOURS[Role.FUNCTION], COLOURS[Role.OPERATION], COLOURS[Role.FADED]

_MOST_CELLS = 32
_MOST_POINTS = 120
_LEVELS = 8
_WIDTH, _HEIGHT = 180, 32


def strengths(array: Array) -> Array:
    """Each entry as a number from -1 to 1, by the largest finite entry in size; ``nan`` stays ``nan``."""
    values = np.asarray(array, dtype=np.float64)
    finite = np.abs(values[np.isfinite(values)])
    scale = float(finite.max(initial=0.0)) or 1.0
    return np.clip(values / scale, -1.0, 1.0)


def shade(strength: float) -> str:
    """The translucent colour behind an entry of that strength."""
    if np.isnan(strength):
        return "rgba(128, 128, 128, 0.4)"
    red, green, blue = (19, 119, 234) if strength < 0 else (203, 85, 16)
    return f"rgba({red}, {green}, {blue}, {0.45 * abs(strength):.2f})"


def heat_map(matrix: Array, label: str) -> str:
    """An image of a matrix; a large one is averaged down to at most 32 × 32 blocks."""
    blocks = strengths(_averaged(_averaged(strengths(matrix), 0), 1))
    rows, columns = blocks.shape
    paths: dict[tuple[str, int], list[str]] = {}
    for i in range(rows):
        start = 0
        looks = [_look(float(s)) for s in blocks[i]]
        for j in range(1, columns + 1):
            if j == columns or looks[j] != looks[start]:
                paths.setdefault(looks[start], []).append(f"M{start} {i}h{j - start}v1H{start}z")
                start = j
    body = "".join(
        f'<path fill="{colour}" fill-opacity="{level / _LEVELS}" d="{"".join(steps)}"/>'
        for (colour, level), steps in paths.items()
        if level
    )
    side = min(12, max(4, 160 // max(rows, columns, 1)))
    frame = f'<path fill="none" stroke="{NO_NUMBER}" stroke-width=".1" d="M0 0H{columns}V{rows}H0z"/>'
    return image(f"0 0 {columns} {rows}", body + frame, columns * side, rows * side, label)


def curve(vector: Array, label: str) -> str:
    """An image of the entries of a vector from left to right; of very many the least and the greatest of each stretch."""
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
    steps: list[str] = []
    pen = "M"
    for i, y in points:
        if np.isfinite(y):
            steps.append(f"{pen}{_WIDTH * i / last:.1f} {_HEIGHT * (high - y) / height:.1f}")
            pen = "L"
        else:
            pen = "M"
    zero = _HEIGHT * high / height
    body = (
        f'<path fill="none" stroke="{NO_NUMBER}" stroke-width=".5" d="M0 {zero:.1f}H{_WIDTH}"/>'
        f'<path fill="none" stroke="{BELOW}" stroke-width="1.5" d="{"".join(steps)}"/>'
    )
    return image(f"-1 -2 {_WIDTH + 2} {_HEIGHT + 4}", body, _WIDTH + 2, _HEIGHT + 4, label)


def image(view: str, body: str, width: int, height: int, label: str) -> str:
    """SVG elements as an ``<img>`` of this size in pixels, ``label`` in its place where there are no images."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" preserveAspectRatio="none">{body}</svg>'
    data = base64.b64encode(svg.encode()).decode("ascii")
    source = f"data:image/svg+xml;base64,{data}"
    return f'<img src="{source}" width="{width}" height="{height}" alt="{escape(label)}" style="vertical-align:middle">'


def _look(strength: float) -> tuple[str, int]:
    if np.isnan(strength):
        return NO_NUMBER, _LEVELS
    return (BELOW if strength < 0 else ABOVE), round(abs(strength) * _LEVELS)


def _averaged(matrix: Array, axis: int) -> Array:
    n = matrix.shape[axis]
    if n <= _MOST_CELLS:
        return matrix
    edges = _edges(n, _MOST_CELLS)
    sums = np.add.reduceat(matrix, edges[:-1], axis=axis)
    counts = np.diff(edges)
    return sums / (counts[:, None] if axis == 0 else counts)


def _edges(n: int, parts: int) -> list[int]:
    return [n * i // parts for i in range(parts + 1)]
