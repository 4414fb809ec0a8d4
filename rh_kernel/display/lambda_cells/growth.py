"""Growth of counts with the size of a program, as a table and as labelled curves.

The axis of counts is logarithmic if one of them grows faster than the cube of the size and they span more than two powers of
ten, so that exponential growth is a straight line; otherwise it is linear.
"""

from rh_kernel.ad.growth import Curve, Growth
from rh_kernel.display.html import escape
from rh_kernel.display.markup import code, details, table
from rh_kernel.display.palette import COLOURS
from rh_kernel.display.tables import columns
from rh_kernel.display.training.curves import Scale, chart, grid_line, scale, tick_text
from rh_kernel.syntax.printing.doc import Role

WIDTH, HEIGHT = 640, 260
_LEFT, _TOP, _BOTTOM = 62, 10, 26
_LETTER = 6.4
"""The approximate width of a letter in pixels."""
_LINE = 14
"""The least distance between labels of curves."""
_TICK = 26
"""The least distance between sizes on the axis."""

_COLOURS = tuple(
    COLOURS[role] for role in (Role.FUNCTION, Role.OPERATION, Role.KEYWORD, Role.CONSTANT, Role.HANDLER, Role.LOCATION)
)
_DASHES = ("", "6 3", "2 3")
"""Curves of the same colour have different dashes."""


def growth_text(growth: Growth) -> str:
    """A table with a line for each size and a column for each curve."""
    rows = [("n", *(curve.label for curve in growth.curves)), *_rows(growth)]
    return "\n".join(columns(rows, "r" * len(rows[0])))


def growth_html(growth: Growth) -> str:
    """The curves, and below them the table in a closed ``<details>``."""
    heading = ["n", *(escape(curve.label) for curve in growth.curves)]
    rows = [[*map(code, row)] for row in _rows(growth)]
    below = details("margin-top:4px", "as numbers", table(rows, heading, "r" * len(heading)))
    return (growth_image(growth) if growth.sizes else "") + below


def _rows(growth: Growth) -> list[tuple[str, ...]]:
    counts = zip(*(curve.values for curve in growth.curves), strict=True)
    cells = [tuple("–" if v is None else f"{v:,}" for v in row) for row in counts]
    return [(f"{n:,}", *row) for n, row in zip(growth.sizes, cells, strict=True)]


def growth_image(growth: Growth) -> str:
    """An ``<img>`` of the curves."""
    right = WIDTH - min(max((len(curve.label) for curve in growth.curves), default=0) * _LETTER, WIDTH / 2) - 16
    counts = [float(v) for curve in growth.curves for v in curve.values if v is not None]
    s = scale(counts, is_even=not any(_is_steep(growth.sizes, curve) for curve in growth.curves))
    low, high = min(growth.sizes), max(growth.sizes)
    across = [_LEFT + (right - _LEFT) * ((n - low) / ((high - low) or 1)) for n in growth.sizes]
    lines = [_points(curve, across, s) for curve in growth.curves]
    parts = [grid_line(_LEFT, round(right), _down(s(t)), _tick(t)) for t in s.ticks]
    parts += _sizes(growth.sizes, across)
    parts += [_line(i, points) for i, points in enumerate(lines)]
    parts += _labels(growth.curves, lines, right)
    spoken = "; ".join(f"{c.label}: {', '.join('–' if v is None else str(v) for v in c.values)}" for c in growth.curves)
    return chart(parts, WIDTH, HEIGHT, f"Counts for n = {', '.join(map(str, growth.sizes))}. {spoken}")


def _is_steep(sizes: tuple[int, ...], curve: Curve) -> bool:
    """Whether a count grows faster than ``n³`` between its last two values."""
    last = [(n, v) for n, v in zip(sizes, curve.values, strict=True) if v is not None][-2:]
    return len(last) > 1 and last[0][0] > 0 and last[1][1] * last[0][0] ** 3 > last[0][1] * last[1][0] ** 3


def _tick(value: float) -> str:
    return f"{value:,.0f}" if 1 <= value < 1e7 and value == round(value) else tick_text(value)


def _down(position: float) -> float:
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - position)


def _points(curve: Curve, across: list[float], s: Scale) -> list[tuple[float, float]]:
    return [
        (x, _down(s(float(v))))
        for x, v in zip(across, curve.values, strict=True)
        if v is not None and (v > 0 or not s.logarithmic)
    ]


def _sizes(sizes: tuple[int, ...], across: list[float]) -> list[str]:
    """Return the labels of sizes below the curves, from the largest on, without those that would overlap."""
    shown: list[str] = []
    edge = float("inf")
    for n, x in sorted(zip(sizes, across, strict=True), reverse=True):
        if x <= edge:
            shown.append(f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{n}</text>')
            edge = x - _TICK
    return shown


def _line(i: int, points: list[tuple[float, float]]) -> str:
    colour = _COLOURS[i % len(_COLOURS)]
    dashes = _DASHES[i // 2 % len(_DASHES)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{colour}"/>' for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dashed}/>' if path else "") + dots


def _labels(curves: tuple[Curve, ...], lines: list[list[tuple[float, float]]], right: float) -> list[str]:
    """Return the label of each curve, beside its last point, so that none overlap."""
    ends = sorted(((points[-1][1], i) for i, points in enumerate(lines) if points), reverse=True)
    shown: list[str] = []
    lowest = HEIGHT - _BOTTOM + 4.0
    for y, i in ends:
        place = min(y + 4, lowest)
        lowest = place - _LINE
        colour = _COLOURS[i % len(_COLOURS)]
        shown.append(f'<text x="{right + 8:.0f}" y="{place:.1f}" fill="{colour}">{escape(curves[i].label)}</text>')
    return shown
