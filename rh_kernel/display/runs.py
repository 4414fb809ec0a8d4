"""Training runs while they go on and when they are done: how far, how fast, the curve of each measure, what has changed."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.display.curves import curve_image, spark_image, sparkline
from rh_kernel.display.html import COLOURS
from rh_kernel.display.markup import FAINT, MONOSPACE, box, element, span, table
from rh_kernel.display.rounding import ENTRIES, array_line
from rh_kernel.display.values import short
from rh_kernel.session.results import Change, TrainingDone
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.doc import Role
from rh_kernel.syntax.types import real
from rh_kernel.training.events import Progress

BAR = 24
"""The bar of a text is so many characters long."""


def progress_text(p: Progress) -> str:
    """One line: ``epoch 12/200 ██▌░░░ 6% · 0.2931 · 12,300 samples/s``."""
    fraction = min(max(p.fraction, 0.0), 1.0)
    full = round(fraction * BAR)
    parts = [f"epoch {p.epoch}/{p.epochs} {'█' * full}{'░' * (BAR - full)} {fraction:.0%}"]
    parts += [_last(values) for values in p.measures if values]
    return " · ".join([*parts, _speed(p.samples_per_second)])


def progress_html(p: Progress) -> str:
    """A slim bar over a line of numbers, and behind the last value of each measure its curve so far."""
    fraction = min(max(p.fraction, 0.0), 1.0)
    done = box(f"width:{fraction:.1%};height:4px;background-color:{COLOURS[Role.FUNCTION]}", "")
    bar = box("max-width:520px;height:4px;background-color:rgba(128,128,128,0.25);margin:4px 0", done)
    parts = [span("", f"epoch {p.epoch} of {p.epochs}")]
    for values in p.measures:
        if values:
            curve = spark_image(values, f"the measure so far: {sparkline(values)}") if len(values) > 1 else ""
            parts.append(f"{span(f'{MONOSPACE};font-weight:bold', _last(values))} {curve}")
    parts.append(span(FAINT, _speed(p.samples_per_second)))
    return bar + box("", " &nbsp; ".join(parts))


def run_text(done: TrainingDone) -> str:
    """What was done, the curve of each measure in block characters, and by how much each location changed."""
    lines = [_head(done)]
    lines += [f"{_ends(values)}  {sparkline(values)}  {text}" for text, values in done.measures if values]
    lines += [f"{change.location.name} : {_type(change.after)}  {'  '.join(_words(change))}" for change in done.changes]
    return "\n".join(lines)


def run_html(done: TrainingDone) -> str:
    """A line about the run, a curve of each measure over the epochs, and a table of what has changed."""
    curves = [_curve(text, values) for text, values in done.measures if values]
    rows = [
        [
            span(f"{MONOSPACE};color:{COLOURS[Role.LOCATION]}", change.location.name),
            span(f"{MONOSPACE};color:{COLOURS[Role.TYPE]}", _type(change.after)),
            *[span(MONOSPACE, words) for words in _words(change)],
        ]
        for change in done.changes
    ]
    changes = table(rows, ["", "", "change", "before → after"], "lllw") if rows else ""
    return box("", span("font-weight:bold" if done.stopped else "", _head(done))) + box("", *curves) + changes


def _curve(text: str, values: Sequence[float]) -> str:
    title = box("", span(f"{MONOSPACE};{FAINT};font-size:90%", text))
    last = box("", span(f"{MONOSPACE};font-weight:bold", _ends(values)))
    picture = curve_image(values, f"{text} over the epochs: {sparkline(values)}")
    return element("div", "display:inline-block;vertical-align:top;max-width:380px;margin:4px 18px 4px 0", title, last, picture)


def _head(done: TrainingDone) -> str:
    speed = _speed(done.epochs * done.samples / done.seconds) if done.seconds > 0 else ""
    epochs = f"{done.epochs} epoch{'' if done.epochs == 1 else 's'}"
    parts = [f"{'stopped after ' if done.stopped else ''}{epochs} of {done.samples:,} samples", f"{done.seconds:.3g} s", speed]
    return " · ".join([part for part in parts if part])


def _ends(values: Sequence[float]) -> str:
    return _last(values) if len(values) == 1 else f"{short(values[0])} → {_last(values)}"


def _last(values: Sequence[float]) -> str:
    return short(values[-1])


def _speed(samples_per_second: float) -> str:
    return f"{samples_per_second:,.0f} samples/s" if samples_per_second < 1e15 else ""


def _type(array: Array) -> str:
    return str(real(*array.shape))


def _words(change: Change) -> tuple[str, str]:
    """How far the content has moved, and the content itself or its range."""
    before, after = change.before, change.after
    shown = array_line if after.size <= ENTRIES else _range
    if before is None or before.shape != after.shape:
        return "new", shown(after)
    with np.errstate(all="ignore"):
        moved = float(np.linalg.norm(np.subtract(after, before, dtype=np.float64)))
    return f"‖Δ‖ = {short(moved)}", f"{shown(before)} → {shown(after)}"


def _range(array: Array) -> str:
    finite = array[np.isfinite(array)]
    ends = f"[{short(float(finite.min()))}, {short(float(finite.max()))}]" if finite.size else ""
    missing = array.size - finite.size
    return " ".join([word for word in (ends, f"{missing} not finite" if missing else "") if word])
