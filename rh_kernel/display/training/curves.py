"""Curves of the measures of a training run over its epochs, as SVG and as one line of block characters.

The axis is logarithmic if all values are positive and span more than two powers of ten. Values that are not finite are gaps.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.palette import COLOURS, NEUTRAL
from rh_kernel.display.pictures import Image, image, polyline, source
from rh_kernel.syntax.printing.doc import Role

Values: TypeAlias = Sequence[float]

MOST_POINTS = 300

WIDTH, HEIGHT = 580, 220
"""The size in pixels of a curve with its axes."""

LEFT, RIGHT, TOP, BOTTOM = 54, 12, 8, 40
"""The space for the axes."""

DIGIT = 7
"""An upper bound of the width of a digit in pixels."""
BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: maps values to positions from 0, for ``low``, to 1, for ``high``; ``ticks`` are round values."""

    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        low, high, value = self.low, self.high, _tame(value)
        if self.logarithmic:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return (value - low) / (high - low)


def scale(values: Values, *, is_even: bool = False) -> Scale:
    """A scale for all finite values; with ``is_even`` it is not logarithmic."""
    finite = [_tame(v) for v in values if math.isfinite(v)] or [0.0]
    low, high = min(finite), max(finite)
    if low > 0 and high / low > 100 and not is_even:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        step = max(1, math.ceil((last - first) / 5))
        return Scale(10.0**first, 10.0**last, tuple([10.0**k for k in range(first, last + 1, step)]), logarithmic=True)
    return _linear(low, high)


def _tame(value: float) -> float:
    """Clamp values that would overflow or underflow in the arithmetic of scales."""
    return 0.0 if abs(value) < 1e-290 else max(min(value, 1e290), -1e290)


def _linear(low: float, high: float) -> Scale:
    if low >= 0 and low < high / 2:
        low = 0.0
    width = high - low
    if not width > abs(high) * 1e-9:
        width = abs(high) or 1.0
        low, high = high - width / 2, high + width / 2
    unit = _round_step(width / 4)
    first, last = math.floor(low / unit + 1e-9), math.ceil(high / unit - 1e-9)
    ticks = tuple([k * unit for k in range(first, last + 1)])
    return Scale(ticks[0], ticks[-1], ticks)


def _round_step(width: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least ``width``."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= width * 0.999)


def tick_text(value: float) -> str:
    """A round number as a short text."""
    return f"{value:.6g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def grid_line(left: int, right: int, y: float, text: str) -> str:
    """A horizontal line of a chart with the label of its tick to the left."""
    return (
        f'<path d="M{left} {y:.1f}H{right}" stroke="{NEUTRAL}" stroke-opacity=".25"/>'
        f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def chart(parts: Sequence[str], width: int, height: int, label: str) -> str:
    """An ``<img>`` of SVG elements in the style of charts."""
    return image(f"0 0 {width} {height}", _styled(parts), width, height, label)


def chart_source(parts: Sequence[str], width: int, height: int) -> str:
    """The ``data:`` URL of the image that ``chart`` shows."""
    return source(f"0 0 {width} {height}", _styled(parts))


def _styled(parts: Sequence[str]) -> str:
    style = f'font-family="sans-serif" font-size="11" fill="{NEUTRAL}"'
    return f"<g {style}>{''.join(parts)}</g>"


def curve_image(values: Values, label: str, epochs: int = 0) -> Image:
    """The picture of the values over the epochs 1, 2, …, with axes and ``label`` as its alternative text.

    The axis extends to ``epochs`` if there are fewer values, so that a growing curve fills it.
    """
    s, width, height, epochs = scale(values), WIDTH, HEIGHT, max(epochs, len(values))
    left, right, across, down = LEFT, RIGHT, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(i: float) -> float:
        return left + across * (i / max(epochs - 1, 1))

    def y(v: float) -> float:
        return TOP + down * (1 - s(v))

    parts = [grid_line(left, width - right, y(t), tick_text(t)) for t in s.ticks]
    parts += [
        f'<text x="{min(x(i), width - DIGIT * len(str(i + 1)) / 2):.1f}" y="{height - 23}" text-anchor="middle">{i + 1}</text>'
        for i in epoch_ticks(epochs)
    ]
    parts.append(f'<text x="{left + across / 2:.1f}" y="{height - 6}" text-anchor="middle">epoch</text>')
    parts += [_line([(x(i), y(v)) if is_shown(s, v) else None for i, v in sampled(values)])]
    return Image(chart_source(parts, width, height), width, height, label)


def _line(points: Sequence[tuple[float, float] | None]) -> str:
    """Return a line through the points, with a gap for each ``None``, and a dot at its end."""
    colour = COLOURS[Role.FUNCTION]
    ends = [p for p in points if p is not None][-1:]
    dots = "".join([f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>' for a, b in ends])
    path = f'<path d="{polyline(points)}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-linejoin="round"/>'
    return path + dots


def is_shown(s: Scale, value: float) -> bool:
    """Whether a value has a place on the scale."""
    return math.isfinite(value) and (_tame(value) > 0 or not s.logarithmic)


def sampled(values: Values) -> Iterator[tuple[int, float]]:
    """At most ``MOST_POINTS`` of the values with their positions, including the first and the last."""
    count = len(values)
    if count <= MOST_POINTS:
        yield from enumerate(values)
        return
    for k in range(MOST_POINTS):
        i = k * (count - 1) // (MOST_POINTS - 1)
        yield i, values[i]


def epoch_ticks(count: int) -> list[int]:
    """The positions, from 0, of the first epoch, the last and a few round ones."""
    if count <= 1:
        return [0] * count
    unit = max(1, round(_round_step(count / 5)))
    inner = [n - 1 for n in range(unit, count, unit) if n > unit / 2 and count - n > unit / 2 and n > 1]
    return [0, *inner, count - 1]


def sparkline(values: Values, width: int = 40) -> str:
    """The values as at most ``width`` block characters, scaled to their range; a dot for a value that is not finite."""
    s = scale(values)
    count = min(len(values), width)
    picked = [values[i * (len(values) - 1) // max(count - 1, 1)] for i in range(count)]
    heights = [s(v) if is_shown(s, v) else None for v in picked]
    found = [h for h in heights if h is not None]
    low, high = min(found, default=0.0), max(found, default=1.0)
    top = len(BLOCKS) - 1
    return "".join(["·" if h is None else BLOCKS[round((h - low) / ((high - low) or 1.0) * top)] for h in heights])
