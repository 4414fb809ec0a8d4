"""Plots of a sweep: the last measure over the epochs, and its last value against numbers: one, two, or all in parallel.

In each of them a run has a line, a dot or an area; a page with a kernel marks those of one run together.
"""

import math
from collections.abc import Callable, Sequence

from rh_kernel.display.data import Json
from rh_kernel.display.html import escape
from rh_kernel.display.linked_lines import Line, dot
from rh_kernel.display.markup import FAINT, box, code, element, span
from rh_kernel.display.palette import ABOVE, BACKWARD, BELOW, COLOURS, NEUTRAL, blend
from rh_kernel.display.pictures import polyline
from rh_kernel.display.sweeps.heat_map import heat_map
from rh_kernel.display.sweeps.plot import AGAINST, BOTTOM, CURVES, HEIGHT, LEFT, RIGHT, TOP, Plot
from rh_kernel.display.sweeps.sheet import Row, Sheet, cut, number, values_of, varying
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

STEP = 110
"""The least distance in pixels of two parallel axes."""

MOST_CURVES = 200
_RAMP = (BELOW, COLOURS[Role.LOCATION], BACKWARD, ABOVE)
MOST_AGAINST = 3
MOST_IN_KEY = 6
_TITLE = "white-space:nowrap;overflow:hidden;text-overflow:ellipsis"


def plots(sheet: Sheet) -> tuple[Plot, ...]:
    """All plots that the sheet has data for."""
    scored = [row for row in sheet.rows if row.score is not None]
    if len(scored) < 2:
        return ()
    names = varying(sheet)
    found = [_curves(sheet, names)] if any(len(row.curves[-1]) > 1 for row in scored if row.curves) else []
    across = [_parallel(sheet, names, scored), heat_map(sheet, names, scored)] if len(names) > 1 else []
    return (*found, *across, *[_against(sheet, name, scored) for name in names[:MOST_AGAINST]])


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
            "lines": [line.data for line in plot.lines],
            "key": [[visible(words), colour] for words, colour in plot.key],
            "note": plot.note,
        }
        for plot in plots(sheet)
    ]


def _colour(sheet: Sheet, row: Row, name: str) -> str:
    """The colour of a run by the rank of one of its numbers."""
    values = values_of(sheet, name)
    rank = values.index(dict(row.values)[name]) / max(len(values) - 1, 1)
    return _between(rank)


def _between(rank: float) -> str:
    """The colour of a rank from 0 to 1: from blue over teal and ochre to orange, all equally light."""
    return blend(_RAMP, rank)


def _curves(sheet: Sheet, names: list[str]) -> Plot:
    """The last measure of each run over the epochs, coloured by the first number that varies."""
    rows = [row for row in sheet.rows if row.curves and row.state == "done"][:MOST_CURVES]
    s = scale([value for row in rows for value in row.curves[-1]])
    epochs = max([len(row.curves[-1]) for row in rows])
    across, down = CURVES - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(i: float) -> float:
        return LEFT + across * (i / max(epochs - 1, 1))

    def y(v: float) -> float:
        return TOP + down * (1 - s(v))

    parts = [grid_line(LEFT, CURVES - RIGHT, y(t), tick_text(t)) for t in s.ticks]
    parts += [
        f'<text x="{min(x(i), CURVES - DIGIT * len(str(i + 1)) / 2):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{i + 1}</text>'
        for i in epoch_ticks(epochs)
    ]
    name = names[0] if names else sheet.names[0]
    lines: list[Line] = []
    for row in sorted(rows, key=lambda row: row.number == sheet.best):
        is_best = row.number == sheet.best
        points = [(x(i), y(v)) if is_shown(s, v) else None for i, v in sampled(row.curves[-1])]
        lines += _curve(row.number, points, _colour(sheet, row, name), is_best=is_best)
    label = f"{sheet.scored_by} over the epochs, a curve for each of {len(rows)} runs"
    note = "" if sheet.best is None else "the best is bold"
    title = f"{cut(sheet.scored_by, 30)} over the epochs"
    return Plot(title, sheet.scored_by, CURVES, tuple(parts), tuple(lines), label, _key(sheet, name) if names else (), note)


def _curve(run: int, points: Sequence[tuple[float, float] | None], colour: str, *, is_best: bool) -> list[Line]:
    width, opacity = (3, 1) if is_best else (1.3, 0.6)
    ends = [p for p in points if p is not None][-1:] if is_best or len(points) == 1 else []
    return [Line(run, polyline(points), colour, width, opacity), *[dot(run, a, b, 4, colour) for a, b in ends]]


def _parallel(sheet: Sheet, names: Sequence[str], scored: Sequence[Row]) -> Plot:
    """An axis for each number that varies and one for the last measure, and a line across them for each run."""
    shown = scored[:MOST_CURVES]
    s = scale([row.score for row in shown if row.score is not None])
    width = max(CURVES, STEP * len(names) + 2 * LEFT)
    places = [LEFT + (width - 2 * LEFT) / len(names) * k for k in range(len(names) + 1)]
    down = HEIGHT - TOP - BOTTOM
    shares = {name: _Share(values_of(sheet, name)) for name in names}

    def y(share: float) -> float:
        return TOP + down * (1 - share)

    parts: list[str] = []
    gaps: list[float] = []
    for name, x in zip(names, places, strict=False):
        marks = [(y(shares[name](value)), number(value)) for value in values_of(sheet, name)]
        parts += [_axis(x, cut(name, 14)), *_ticks(marks, x, is_left=True)]
        gaps.append(6 + 6.5 * max([len(text) for _, text in marks]))
    parts += [_axis(places[-1], cut(sheet.scored_by, 14)), *_ticks([(y(s(t)), tick_text(t)) for t in s.ticks], places[-1])]
    lines: list[Line] = []
    for row in sorted(shown, key=lambda row: row.number == sheet.best):
        is_best = row.number == sheet.best
        heights = [y(shares[name](dict(row.values)[name])) for name in names]
        # A line ends before the labels of an axis and goes on behind them at the same height.
        points: list[tuple[float, float] | None] = [(places[0], heights[0])]
        for x, height, gap in zip(places[1:], heights[1:], gaps[1:], strict=False):
            points += [(x - gap, height), None, (x, height)]
        points.append((places[-1], y(s(row.score or 0.0))))
        look = _colour(sheet, row, names[0]), 3 if is_best else 1.3, 1 if is_best else 0.6
        lines.append(Line(row.number, polyline(points), *look))
    axes = ", ".join([*names, sheet.scored_by])
    label = f"a line for each of {len(shown)} runs across the axes {axes}"
    note = "the best is bold" + (f"; the first {MOST_CURVES} runs" if len(scored) > len(shown) else "")
    title = f"{', '.join(names)} and {cut(sheet.scored_by, 20)}"
    return Plot(cut(title, round(width / 8)), axes, width, tuple(parts), tuple(lines), label, _key(sheet, names[0]), note)


def _axis(x: float, name: str) -> str:
    """A vertical axis with its name below."""
    line = f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{NEUTRAL}" stroke-opacity=".5"/>'
    return f'{line}<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(visible(name))}</text>'


def _ticks(marks: Sequence[tuple[float, str]], x: float, *, is_left: bool = False) -> list[str]:
    """The labels beside an axis, unless one would touch the one below."""
    parts: list[str] = []
    free = math.inf
    side = f'x="{x - 5:.1f}" text-anchor="end"' if is_left else f'x="{x + 6:.1f}"'
    for y, text in sorted(marks, reverse=True):
        parts.append(f'<path d="M{x - 2:.1f} {y:.1f}h4" stroke="{NEUTRAL}"/>')
        if y <= free:
            parts.append(f'<text {side} y="{y + 4:.1f}">{text}</text>')
            free = y - 12
    return parts


def _key(sheet: Sheet, name: str) -> tuple[tuple[str, str], ...]:
    """What the colours mean; of many values the first and the last."""
    values = values_of(sheet, name)
    shown = values if len(values) <= MOST_IN_KEY else [values[0], values[-1]]
    return tuple([(f"{name} = {number(v)}", _between(values.index(v) / max(len(values) - 1, 1))) for v in shown])


def _against(sheet: Sheet, name: str, scored: Sequence[Row]) -> Plot:
    """The last value of the last measure of each run against one of its numbers; a line joins the lowest ones."""
    s = scale([row.score for row in scored if row.score is not None])
    values = values_of(sheet, name)
    share = _Share(values)
    down = HEIGHT - TOP - BOTTOM

    def y(v: float) -> float:
        return TOP + down * (1 - s(v))

    def place(value: float) -> float:
        return LEFT + 10 + (AGAINST - LEFT - RIGHT - 20) * share(value)

    parts = [grid_line(LEFT, AGAINST - RIGHT, y(t), tick_text(t)) for t in s.ticks]
    parts += _value_ticks(values, place)
    lowest = {
        v: min([r.score for r in scored if r.score is not None and dict(r.values)[name] == v], default=None) for v in values
    }
    line = [(place(v), y(score)) for v, score in lowest.items() if score is not None]
    parts.append(f'<path d="{polyline(line)}" fill="none" stroke="{BELOW}" stroke-width="1.8" stroke-linejoin="round"/>')
    lines: list[Line] = []
    for row in sorted(scored, key=lambda row: row.number == sheet.best):
        is_best = row.number == sheet.best
        at = place(dict(row.values)[name]), y(row.score or 0.0)
        lines.append(dot(row.number, *at, 5, ABOVE) if is_best else dot(row.number, *at, 3, BELOW, 0.6))
    label = f"{sheet.scored_by} against {name}"
    note = "the line joins the lowest" if len(scored) > len(line) else ""
    return Plot(f"against {name}", label, AGAINST, tuple(parts), tuple(lines), label, (), note)


class _Share:
    """The place of a number among the values of its name, from 0 to 1."""

    def __init__(self, values: Sequence[float]) -> None:
        low, high = values[0], values[-1]
        self._map = math.log if low > 0 and high / low >= 8 and len(values) > 2 else float
        self._low, self._high = self._map(low), self._map(high)

    def __call__(self, value: float) -> float:
        return (self._map(value) - self._low) / ((self._high - self._low) or 1.0)


def _value_ticks(values: Sequence[float], place: Callable[[float], float]) -> list[str]:
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
    picture = chart([*plot.parts, *[line.svg for line in plot.lines]], plot.width, HEIGHT, plot.label)
    key = [span(f"color:{colour};margin-right:0.9em;white-space:nowrap", f"━ {words}") for words, colour in plot.key]
    below = box("font-size:90%;min-height:1.4em", *key, span(FAINT, plot.note))
    return element(
        "div", f"display:inline-block;vertical-align:top;width:{plot.width + 10}px;margin:4px 14px 4px 0", words, picture, below
    )
