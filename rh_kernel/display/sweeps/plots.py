"""Plots of a sweep: the last measure over the epochs, a curve for each run, and its last value against each number."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.display.data import Json
from rh_kernel.display.markup import FAINT, box, code, element, span
from rh_kernel.display.palette import ABOVE, BACKWARD, BELOW, COLOURS
from rh_kernel.display.pictures import polyline
from rh_kernel.display.sweeps.sheet import Row, Sheet, cut, number, varying
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import (
    DIGIT,
    chart,
    chart_source,
    epoch_ticks,
    grid_line,
    is_shown,
    sampled,
    scale,
    tick_text,
)
from rh_kernel.syntax.printing.doc import Role

HEIGHT = 220
CURVES, AGAINST = 420, 206
"""The width in pixels of the plot of curves, and of the others."""

MOST_CURVES = 200
_RAMP = (BELOW, COLOURS[Role.LOCATION], BACKWARD, ABOVE)
MOST_AGAINST = 3
MOST_IN_KEY = 6
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 14, 10, 26
_TITLE = "white-space:nowrap;overflow:hidden;text-overflow:ellipsis"


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: its title, in full and cut, SVG elements of this width, their description, and what colours mean, with a note."""

    title: str
    full: str
    width: int
    parts: tuple[str, ...]
    label: str
    key: tuple[tuple[str, str], ...]
    note: str


def plots(sheet: Sheet) -> tuple[Plot, ...]:
    """All plots that the sheet has data for."""
    scored = [row for row in sheet.rows if row.score is not None]
    if len(scored) < 2:
        return ()
    names = varying(sheet)
    found = [_curves(sheet, names)] if any(len(row.curves[-1]) > 1 for row in scored if row.curves) else []
    return (*found, *[_against(sheet, name, scored) for name in names[:MOST_AGAINST]])


def plots_html(sheet: Sheet) -> str:
    """The plots side by side, as HTML."""
    return box("", *[_card(plot) for plot in plots(sheet)])


def plots_data(sheet: Sheet) -> list[Json]:
    """The plots for a page that makes elements of them."""
    return [
        {
            "title": visible(plot.title),
            "full": visible(plot.full),
            "source": chart_source(plot.parts, plot.width, HEIGHT),
            "width": plot.width,
            "height": HEIGHT,
            "label": visible(plot.label),
            "key": [[visible(words), colour] for words, colour in plot.key],
            "note": plot.note,
        }
        for plot in plots(sheet)
    ]


def _colour(sheet: Sheet, row: Row, name: str) -> str:
    """The colour of a run by the rank of one of its numbers."""
    values = _values(sheet, name)
    rank = values.index(dict(row.values)[name]) / max(len(values) - 1, 1)
    return _between(rank)


def _between(rank: float) -> str:
    """The colour of a rank from 0 to 1: from blue over teal and ochre to orange, all equally light."""
    at = rank * (len(_RAMP) - 1)
    i = min(int(at), len(_RAMP) - 2)
    low, high = _parts(_RAMP[i]), _parts(_RAMP[i + 1])
    return "#" + "".join([f"{round(a + (b - a) * (at - i)):02x}" for a, b in zip(low, high, strict=True)])


def _parts(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _values(sheet: Sheet, name: str) -> list[float]:
    """The values of a number in ascending order."""
    return sorted({dict(row.values)[name] for row in sheet.rows})


def _curves(sheet: Sheet, names: list[str]) -> Plot:
    """The last measure of each run over the epochs, coloured by the first number that varies."""
    rows = [row for row in sheet.rows if row.curves and row.state == "done"][:MOST_CURVES]
    s = scale([value for row in rows for value in row.curves[-1]])
    epochs = max([len(row.curves[-1]) for row in rows])
    across, down = CURVES - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def x(i: float) -> float:
        return _LEFT + across * (i / max(epochs - 1, 1))

    def y(v: float) -> float:
        return _TOP + down * (1 - s(v))

    parts = [grid_line(_LEFT, CURVES - _RIGHT, y(t), tick_text(t)) for t in s.ticks]
    parts += [
        f'<text x="{min(x(i), CURVES - DIGIT * len(str(i + 1)) / 2):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{i + 1}</text>'
        for i in epoch_ticks(epochs)
    ]
    name = names[0] if names else sheet.names[0]
    for row in sorted(rows, key=lambda row: row.number == sheet.best):
        is_best = row.number == sheet.best
        points = [(x(i), y(v)) if is_shown(s, v) else None for i, v in sampled(row.curves[-1])]
        parts.append(_curve(points, _colour(sheet, row, name), is_best=is_best))
    label = f"{sheet.scored_by} over the epochs, a curve for each of {len(rows)} runs"
    note = "" if sheet.best is None else "the best is bold"
    title = f"{cut(sheet.scored_by, 30)} over the epochs"
    return Plot(title, sheet.scored_by, CURVES, tuple(parts), label, _key(sheet, name) if names else (), note)


def _curve(points: Sequence[tuple[float, float] | None], colour: str, *, is_best: bool) -> str:
    width, opacity = (3, 1) if is_best else (1.3, 0.6)
    ends = [p for p in points if p is not None][-1:]
    dots = (
        [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>' for a, b in ends] if is_best or len(points) == 1 else []
    )
    shape = 'fill="none" stroke-linejoin="round"'
    path = f'<path d="{polyline(points)}" {shape} stroke="{colour}" stroke-width="{width}" stroke-opacity="{opacity}"/>'
    return path + "".join(dots)


def _key(sheet: Sheet, name: str) -> tuple[tuple[str, str], ...]:
    """What the colours mean; of many values the first and the last."""
    values = _values(sheet, name)
    shown = values if len(values) <= MOST_IN_KEY else [values[0], values[-1]]
    return tuple([(f"{name} = {number(v)}", _between(values.index(v) / max(len(values) - 1, 1))) for v in shown])


def _against(sheet: Sheet, name: str, scored: Sequence[Row]) -> Plot:
    """The last value of the last measure of each run against one of its numbers; a line joins the lowest ones."""
    s = scale([row.score for row in scored if row.score is not None])
    values = _values(sheet, name)
    place = _place(values)
    down = HEIGHT - _TOP - _BOTTOM

    def y(v: float) -> float:
        return _TOP + down * (1 - s(v))

    parts = [grid_line(_LEFT, AGAINST - _RIGHT, y(t), tick_text(t)) for t in s.ticks]
    parts += _value_ticks(values, place)
    lowest = {
        v: min([r.score for r in scored if r.score is not None and dict(r.values)[name] == v], default=None) for v in values
    }
    line = [(place(v), y(score)) for v, score in lowest.items() if score is not None]
    parts.append(f'<path d="{polyline(line)}" fill="none" stroke="{BELOW}" stroke-width="1.8" stroke-linejoin="round"/>')
    for row in sorted(scored, key=lambda row: row.number == sheet.best):
        is_best = row.number == sheet.best
        at = f'cx="{place(dict(row.values)[name]):.1f}" cy="{y(row.score or 0.0):.1f}"'
        look = f'r="5" fill="{ABOVE}"' if is_best else f'r="3" fill="{BELOW}" fill-opacity="0.6"'
        parts.append(f"<circle {at} {look}/>")
    label = f"{sheet.scored_by} against {name}"
    note = "the line joins the lowest" if len(scored) > len(line) else ""
    return Plot(f"against {name}", label, AGAINST, tuple(parts), label, (), note)


def _place(values: Sequence[float]) -> "_Place":
    low, high = values[0], values[-1]
    return _Place(low, high, logarithmic=low > 0 and high / low >= 8 and len(values) > 2)


class _Place:
    """The horizontal place of a number, in pixels."""

    def __init__(self, low: float, high: float, *, logarithmic: bool) -> None:
        self._map = math.log if logarithmic else float
        self._low, self._high = self._map(low), self._map(high)

    def __call__(self, value: float) -> float:
        inside = AGAINST - _LEFT - _RIGHT - 20
        share = (self._map(value) - self._low) / ((self._high - self._low) or 1.0)
        return _LEFT + 10 + inside * share


def _value_ticks(values: Sequence[float], place: "_Place") -> list[str]:
    """A label for each value, unless it would touch the one before it."""
    parts: list[str] = []
    free = -math.inf
    for value in values:
        text, x = number(value), place(value)
        half = DIGIT * len(text) / 2
        if x - half > free:
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{text}</text>')
            free = x + half + 4
    return parts


def _card(plot: Plot) -> str:
    words = element("div", _TITLE, code(plot.title, style=f"{FAINT};font-size:90%"), title=plot.full)
    picture = chart(plot.parts, plot.width, HEIGHT, plot.label)
    key = [span(f"color:{colour};margin-right:0.9em;white-space:nowrap", f"━ {words}") for words, colour in plot.key]
    below = box("font-size:90%;min-height:1.4em", *key, span(FAINT, plot.note))
    return element(
        "div", f"display:inline-block;vertical-align:top;width:{plot.width + 10}px;margin:4px 14px 4px 0", words, picture, below
    )
