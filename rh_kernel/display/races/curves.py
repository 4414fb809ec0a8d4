"""The curves of a race: each measure over the epochs, a line for each handler, with the name of the handler at its end."""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.display.html import escape
from rh_kernel.display.linked_lines import Line
from rh_kernel.display.palette import NEUTRAL
from rh_kernel.display.pictures import polyline
from rh_kernel.display.races.looks import look
from rh_kernel.display.sweeps.sheet import cut
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import (
    DIGIT,
    epoch_ticks,
    grid_line,
    is_shown,
    sampled,
    scale,
    sparkline,
    tick_text,
)
from rh_kernel.session.races.runs import Racer

WIDTH, HEIGHT = 580, 340
_LEFT, _TOP, _BOTTOM = 54, 12, 40
_LETTER = 6.2
_LABEL = 13
"""The least distance of two labels, in pixels."""

LONGEST = 24
"""The longest label, in characters."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a race: its title, SVG elements behind the lines of the handlers, its size, and a description in words."""

    title: str
    parts: tuple[str, ...]
    lines: tuple[Line, ...]
    width: int
    height: int
    label: str
    note: str = ""


def curves(racers: Sequence[Racer], measure: int, text: str, epochs: int) -> Picture:
    """The curves of a measure, on an axis of all epochs of the race."""
    labels = [cut(visible(racer.text), LONGEST) for racer in racers]
    right = 16 + _LETTER * max([len(label) for label in labels], default=0)
    values = [racer.curves[measure] for racer in racers]
    s = scale([value for curve in values for value in curve])
    across, down = WIDTH - _LEFT - right, HEIGHT - _TOP - _BOTTOM

    def x(i: float) -> float:
        return _LEFT + across * (i / max(epochs - 1, 1))

    def y(v: float) -> float:
        return _TOP + down * (1 - s(v))

    parts = [grid_line(_LEFT, round(_LEFT + across), y(t), tick_text(t)) for t in s.ticks]
    parts += [
        f'<text x="{min(x(i), WIDTH - DIGIT * len(str(i + 1)) / 2):.1f}" y="{HEIGHT - 23}" text-anchor="middle">{i + 1}</text>'
        for i in epoch_ticks(epochs)
    ]
    parts.append(f'<text x="{_LEFT + across / 2:.1f}" y="{HEIGHT - 6}" text-anchor="middle">epoch</text>')
    lines: list[Line] = []
    wanted: list[tuple[float, float, int]] = []
    for n, curve in enumerate(values):
        points = [(x(i), y(v)) if is_shown(s, v) else None for i, v in sampled(curve)]
        ends = [point for point in points if point is not None][-1:]
        lines.append(Line(n, polyline(points), look(n).colour, 1.8, dash=look(n).dash))
        lines += [look(n).end(n, *end) for end in ends]
        wanted += [(at[1], at[0], n) for at in ends]
    parts += _labels(wanted, labels, _LEFT + across + 10)
    words = "; ".join([f"{racer.text}: {sparkline(curve)}" for racer, curve in zip(racers, values, strict=True) if curve])
    return Picture(text, tuple(parts), tuple(lines), WIDTH, HEIGHT, f"{text} over the epochs: {words}")


def _labels(ends: Sequence[tuple[float, float, int]], labels: Sequence[str], left: float) -> list[str]:
    """The names beside the ends of the lines, moved apart where they would touch, each joined to its end."""
    parts: list[str] = []
    places = apart([y for y, _, _ in sorted(ends)], _TOP, HEIGHT - _BOTTOM)
    for (y, x, n), at in zip(sorted(ends), places, strict=True):
        colour = look(n).colour
        if abs(at - y) > 2 or left - x > 14:
            parts.append(f'<path d="M{x + 6:.1f} {y:.1f}L{left - 2:.1f} {at:.1f}" stroke="{NEUTRAL}" stroke-opacity=".35"/>')
        parts.append(f'<text x="{left:.1f}" y="{at + 4:.1f}" fill="{colour}">{escape(labels[n])}</text>')
    return parts


def apart(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Places in ascending order, at least the height of a label apart, near the wanted ones, which ascend too."""
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + _LABEL) if placed else max(y, top))
    limit = bottom
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - _LABEL
    return placed
