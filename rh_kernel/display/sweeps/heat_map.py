"""The last value of the last measure of a sweep over two of its numbers: an area for each pair of values."""

from collections.abc import Sequence

from rh_kernel.display.html import escape
from rh_kernel.display.linked_lines import Line
from rh_kernel.display.palette import NEUTRAL, PAPER, SEQUENCE, blend
from rh_kernel.display.sweeps.plot import BOTTOM, CURVES, HEIGHT, LEFT, TOP, Plot
from rh_kernel.display.sweeps.sheet import Row, Sheet, cut, number, outcome, values_of
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import DIGIT, Scale, scale, tick_text

BAR = 12
"""The width in pixels of the scale of colours."""

BAR_STEPS = 24
_SCALE = 74
"""The room on the right for that and its labels."""

BLACK = "#000000"

LIGHT = 0.47
"""From here on, a colour of the scale is light, and the text upon it black."""


def heat_map(sheet: Sheet, names: Sequence[str], scored: Sequence[Row]) -> Plot:
    """The scores over the first two of the numbers that vary; of several runs at one place, the lowest is shown."""
    across, down = names[:2]
    columns, rows = values_of(sheet, across), values_of(sheet, down)
    s = scale([row.score for row in scored if row.score is not None])
    right = CURVES - _SCALE
    width, height = (right - LEFT) / len(columns), (HEIGHT - TOP - BOTTOM) / len(rows)
    gap = 1.0 if min(width, height) > 6 else 0.0
    lines: list[Line] = []
    for row in _lowest(names, scored):
        values, score = dict(row.values), row.score or 0.0
        x = LEFT + width * columns.index(values[across])
        y = HEIGHT - BOTTOM - height * (1 + rows.index(values[down]))
        share = min(max(s(score), 0.0), 1.0)
        text = f"{'★' if row.number == sheet.best else ''}{outcome(score)}"
        fits = width > DIGIT * len(text) and height > 14
        d = f"M{x:.1f} {y:.1f}h{width - gap:.1f}v{height - gap:.1f}h{gap - width:.1f}z"
        ink = BLACK if share > LIGHT else PAPER
        middle = (x + (width - gap) / 2, y + (height - gap) / 2 + 4)
        words = text if fits else "★" if row.number == sheet.best and min(width, height) > 12 else ""
        lines.append(Line(row.number, d, blend(SEQUENCE, share), is_filled=True, text=words, ink=ink, at=middle))
    lines.sort(key=lambda line: line.run == sheet.best)
    parts = [*_frame(right), *_labels(columns, rows, width, height), *_bar(s, right + 12)]
    parts.append(_text(LEFT - 6, TOP + 2, cut(down, 8), "end"))
    parts.append(_text(LEFT - 6, HEIGHT - 10, cut(across, 8), "end"))
    label = f"{sheet.scored_by} over {across} and {down}"
    note = f"the lowest over {', '.join(names[2:])}; ★ the best" if len(names) > 2 else "★ the best"
    title = f"{cut(sheet.scored_by, 24)} over {across} and {down}"
    return Plot(cut(title, 52), label, CURVES, tuple(parts), tuple(lines), label, (), note)


def _lowest(names: Sequence[str], scored: Sequence[Row]) -> Sequence[Row]:
    """For each pair of values the run with the lowest score."""
    found: dict[tuple[float, float], Row] = {}
    for row in scored:
        values = dict(row.values)
        at = values[names[0]], values[names[1]]
        if at not in found or (row.score or 0.0) < (found[at].score or 0.0):
            found[at] = row
    return [*found.values()]


def _frame(right: float) -> list[str]:
    """The border of all areas: where there is none, no run has a score."""
    d = f"M{LEFT - 1} {TOP - 1}H{right}V{HEIGHT - BOTTOM}H{LEFT - 1}z"
    return [f'<path d="{d}" fill="none" stroke="{NEUTRAL}" stroke-opacity=".5"/>']


def _labels(columns: Sequence[float], rows: Sequence[float], width: float, height: float) -> list[str]:
    """The values below and on the left, unless one would touch the one before."""
    parts: list[str] = []
    free = -1.0
    for i, value in enumerate(columns):
        text, x = number(value), LEFT + width * (i + 0.5)
        half = DIGIT * len(text) / 2
        if x - half > free:
            parts.append(_text(x, HEIGHT - 10, text, "middle"))
            free = x + half + 4
    free = HEIGHT + 1.0
    for j, value in enumerate(rows):
        y = HEIGHT - BOTTOM - height * (j + 0.5)
        if y + 6 < free:
            parts.append(_text(LEFT - 6, y + 4, number(value), "end"))
            free = y - 6
    return parts


def _bar(s: Scale, x: float) -> list[str]:
    """The scale of colours with its labels."""
    step = (HEIGHT - TOP - BOTTOM - 14) / BAR_STEPS
    bottom = float(HEIGHT - BOTTOM)
    colours = [blend(SEQUENCE, (k + 0.5) / BAR_STEPS) for k in range(BAR_STEPS)]
    parts = [
        f'<path d="M{x} {bottom - step * k:.2f}h{BAR}v{-step - 0.3:.2f}h{-BAR}z" fill="{colour}"/>'
        for k, colour in enumerate(colours)
    ]
    return [*parts, *[_text(x + BAR + 4, bottom - step * BAR_STEPS * s(t) + 4, tick_text(t), "start") for t in s.ticks]]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(visible(text))}</text>'
