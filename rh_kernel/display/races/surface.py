"""The paths of the handlers of a race over contour lines of the measure, on a plane through the start."""

import math
from collections.abc import Callable, Sequence

from rh_kernel.display.contours import contour_path
from rh_kernel.display.html import escape
from rh_kernel.display.linked_lines import Line
from rh_kernel.display.palette import NEUTRAL
from rh_kernel.display.pictures import polyline
from rh_kernel.display.races.curves import LONGEST, Picture
from rh_kernel.display.races.looks import look
from rh_kernel.display.sweeps.sheet import cut
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import Scale, scale, tick_text
from rh_kernel.display.values import short
from rh_kernel.session.races.runs import Racer
from rh_kernel.training.slices import Slice

WIDTH, HEIGHT = 480, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 14, 12, 42
LEVELS = 10
"""How many contour lines there are."""

_DOTS = 60
"""The most points of a path that are marked by dots of their own."""


def surface(found: Slice, racers: Sequence[Racer], text: str) -> Picture:
    """The paths of the handlers over the measure ``text``."""
    across, down = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
    columns, rows = len(found.xs) - 1, len(found.ys) - 1

    def x(v: float) -> float:
        return _LEFT + across * (v - found.xs[0]) / (found.xs[-1] - found.xs[0])

    def y(v: float) -> float:
        return _TOP + down * (1 - (v - found.ys[0]) / (found.ys[-1] - found.ys[0]))

    levels = _levels(found)
    parts = [f'<path d="M{_LEFT} {_TOP}h{across}v{down}h-{across}z" fill="none" stroke="{NEUTRAL}" stroke-opacity=".4"/>']
    for n, level in enumerate(levels):
        d = contour_path(found.values, level, lambda i: _LEFT + across * i / columns, lambda j: _TOP + down * (1 - j / rows))
        opacity = 0.25 + 0.5 * n / max(len(levels) - 1, 1)
        parts.append(f'<path d="{d}" fill="none" stroke="{NEUTRAL}" stroke-opacity="{opacity:.2f}"/>')
    parts += _axis_x(scale(found.xs, is_even=True), x, found) + _axis_y(scale(found.ys, is_even=True), y, found)
    start = next((path[0] for path in found.paths if path), None)
    lines: list[Line] = []
    for n, path in enumerate(found.paths):
        points = [(x(a), y(b)) for a, b in path]
        lines.append(Line(n, polyline(points), look(n).colour, 1.8, dash=look(n).dash))
        if len(points) <= _DOTS:
            small = "".join([f"M{a:.1f} {b:.1f}m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0" for a, b in points[1:-1]])
            lines.append(Line(n, small, look(n).colour, is_filled=True))
        lines += [look(n).end(n, *point) for point in points[-1:]]
    if start is not None:
        a, b = x(start[0]), y(start[1])
        parts.append(f'<path d="M{a - 5:.1f} {b:.1f}h10M{a:.1f} {b - 5:.1f}v10" stroke="{NEUTRAL}" stroke-width="2"/>')
        parts.append(f'<text x="{a - 8:.1f}" y="{b + 4:.1f}" text-anchor="end">start</text>')
    ends = "; ".join([_words(racer, path) for racer, path in zip(racers, found.paths, strict=True) if path])
    lows = [value for row in found.values for value in row if math.isfinite(value)]
    low, high = min(lows, default=0.0), max(lows, default=0.0)
    label = f"{text} on a plane through the start, from {short(low)} to {short(high)}, and where the handlers went: {ends}"
    return Picture(f"paths over {text}", tuple(parts), tuple(lines), WIDTH, HEIGHT, label, note(found, levels))


def note(found: Slice, levels: Sequence[float]) -> str:
    """What the picture shows: which plane, and how much of the movement is in it."""
    lines = f"contour lines from {short(levels[0])} (faint) to {short(levels[-1])}" if levels else ""
    if found.entries is not None:
        words = "the plane of the two weights"
    else:
        share = math.floor(1000 * found.share) / 10
        plane = "the plane through the start (+) along the two principal directions of the paths"
        words = f"{plane}: {share:g} % of the squared distances from the start lie in it"
    return "; ".join([part for part in (words, lines) if part])


def _levels(found: Slice) -> list[float]:
    """Values within those of the measure, evenly spaced, by their logarithms if the highest is over ten times the lowest."""
    finite = [value for row in found.values for value in row if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if not low < high:
        return []
    shares = [k / (LEVELS + 1) for k in range(1, LEVELS + 1)]
    if low > 0 and high / low > 10:
        return [low * (high / low) ** share for share in shares]
    return [low + (high - low) * share for share in shares]


def _axis_x(s: Scale, x: Callable[[float], float], found: Slice) -> list[str]:
    inside = [t for t in s.ticks if found.xs[0] <= t <= found.xs[-1]]
    name = "first direction" if found.entries is None else visible(found.entries[0])
    base = HEIGHT - _BOTTOM
    return [
        *[f'<text x="{x(t):.1f}" y="{base + 16}" text-anchor="middle">{tick_text(t)}</text>' for t in inside],
        f'<text x="{(_LEFT + WIDTH - _RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(name)}</text>',
    ]


def _axis_y(s: Scale, y: Callable[[float], float], found: Slice) -> list[str]:
    inside = [t for t in s.ticks if found.ys[0] <= t <= found.ys[-1]]
    name = "second direction" if found.entries is None else visible(found.entries[1])
    middle = (_TOP + HEIGHT - _BOTTOM) / 2
    return [
        *[f'<text x="{_LEFT - 6}" y="{y(t) + 4:.1f}" text-anchor="end">{tick_text(t)}</text>' for t in inside],
        f'<text transform="translate(13 {middle})rotate(-90)" text-anchor="middle">{escape(name)}</text>',
    ]


def _words(racer: Racer, path: Sequence[tuple[float, float]]) -> str:
    end = path[-1]
    return f"{cut(racer.text, LONGEST)} to ({short(end[0])}, {short(end[1])})"
