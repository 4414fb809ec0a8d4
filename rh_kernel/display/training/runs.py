"""The progress of a training run, and the view of its result, with a curve of each measure and the changes of the heap."""

from collections.abc import Sequence

from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.data import contents as heap
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import FAINT, box, code, element, span
from rh_kernel.display.palette import COLOURS
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.training.curves import HEIGHT, WIDTH, sparkline
from rh_kernel.display.training.summary import curve_picture, ends, head, speed
from rh_kernel.display.training.surfaces import strip_html, surface_html, surface_text
from rh_kernel.display.training.weights import contents, gallery, moved, passing_gallery
from rh_kernel.display.values import short
from rh_kernel.session.results import Change, TrainingDone
from rh_kernel.syntax.printing.doc import Role
from rh_kernel.syntax.types import real
from rh_kernel.training.events import Progress

MOST_LINES = 50
"""The most locations listed in text."""

BAR = 16
"""The length in characters of the progress bar in text."""


def progress(p: Progress) -> dict[str, str]:
    """The progress of a training run as a MIME bundle: a line of text, and HTML with a bar and the curves so far."""
    return {"text/plain": progress_text(p), "text/html": progress_html(p)}


def progress_text(p: Progress) -> str:
    """One line: ``epoch 12/200 ██▌░░░ 6% · 0.2931 · 12,300 samples/s · 3 min 5 s left``."""
    fraction = _fraction(p)
    full = round(fraction * BAR)
    parts = [f"epoch {p.epoch}/{p.epochs} {'█' * full}{'░' * (BAR - full)} {fraction:.0%}"]
    parts += [short(values[-1]) for values in p.measures if values]
    parts += [speed(p.samples_per_second), _left(fraction, p.seconds)]
    return " · ".join([part for part in parts if part])


def progress_html(p: Progress) -> str:
    """A progress bar, a line of numbers, the curve of each measure over all epochs, and pictures of the weights.

    Elements that are still empty have their final sizes.
    """
    fraction = _fraction(p)
    done = box(f"width:{fraction:.1%};height:6px;background-color:{COLOURS[Role.FUNCTION]}", "")
    bar = box(f"max-width:{2 * WIDTH + 18}px;height:6px;background-color:rgba(128,128,128,0.25);margin:4px 0", done)
    words = [
        (f"{fraction:.0%}", "3em;font-weight:bold"),
        (f"epoch {p.epoch} of {p.epochs}", f"{len(f'epoch of {p.epochs}{p.epochs}') * 0.6:.1f}em"),
        (duration(p.seconds), "6em"),
        (f"about {left}" if (left := _left(fraction, p.seconds)) else "", "9em"),
        (speed(p.samples_per_second), "9em"),
    ]
    line = box("", *[span(f"display:inline-block;margin-right:1.2em;min-width:{style}", text) for text, style in words])
    titles = [*p.texts, *[""] * len(p.measures)]
    curves = [_curve(text, values, p.epochs) for text, values in zip(titles, p.measures, strict=False)]
    now = [Change(location, before, p.heap[location]) for location, before in p.start.items() if location in p.heap]
    return bar + line + box("", *curves, *map(surface_html, p.surfaces)) + passing_gallery(now)


def run_text(done: TrainingDone) -> str:
    """A summary, the curve of each measure in block characters, and the change of each location."""
    lines = [head(done)]
    lines += [f"{ends(values)}  {sparkline(values)}  {text}" for text, values in done.measures if values]
    lines += [surface_text(surface) for surface in done.surfaces]
    lines += [f"{c.location.name} : {real(*c.after.shape)}  {moved(c)}  {contents(c)}" for c in done.changes[:MOST_LINES]]
    if len(done.changes) > MOST_LINES:
        lines.append(f"… and {len(done.changes) - MOST_LINES:,} more; `%heap` shows what they hold")
    return "\n".join(lines)


def run_html(done: TrainingDone) -> str:
    """A summary, the curve of each measure over the epochs, and a card for each changed location."""
    curves = [_curve(text, values) for text, values in done.measures if values]
    title = box("", span("font-weight:bold" if done.stopped else "", head(done)))
    return (
        title
        + box("", *curves, *map(surface_html, done.surfaces))
        + "".join(map(strip_html, done.surfaces))
        + gallery(done.changes)
    )


def duration(seconds: float) -> str:
    """``0.4 s``, ``12 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f} s"
    if not seconds < 1e9:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def _left(fraction: float, seconds: float) -> str:
    """Estimate the remaining time; empty at the start, when there is no estimate, and at the end."""
    if seconds < 0.3 or not 0.01 <= fraction < 1:
        return ""
    return f"{duration(seconds * (1 - fraction) / fraction)} left"


def _fraction(p: Progress) -> float:
    return min(max(p.fraction, 0.0), 1.0)


def _curve(text: str, values: Sequence[float], epochs: int = 0) -> str:
    """Return a card of a measure: its text, its last value, and its curve over ``epochs``, or a blank of the same size."""
    words = code(text or "\N{NO-BREAK SPACE}", style=f"{FAINT};font-size:90%")
    title = element("div", _TITLE, words, **({"title": text} if text else {}))
    last = box("", code(ends(values) if values else "\N{NO-BREAK SPACE}", style="font-weight:bold"))
    if epochs and len(values) < 2:
        picture = box(_BLANK, span(FAINT, "the curve begins after epoch 2" if epochs > 1 else ""))
    else:
        picture = curve_picture(text, values, epochs).html
    return element("div", _CARD, title, last, picture)


_CARD = f"display:inline-block;vertical-align:top;width:{WIDTH}px;max-width:100%;margin:4px 18px 4px 0"
_TITLE = "white-space:nowrap;overflow:hidden;text-overflow:ellipsis"
_BLANK = f"height:{HEIGHT}px;line-height:{HEIGHT}px;text-align:center;background-color:rgba(128,128,128,0.06)"


def _record(done: TrainingDone) -> Record:
    averages: list[Json] = [{"text": text, "measure": strict_json([*values])} for text, values in done.measures]
    first = strict_json([*done.measures[0][1]]) if done.measures else []
    more: Record = {"measures": averages} if len(averages) > 1 else {}
    about: Record = {"epochs": done.epochs, "samples": done.samples, "measure": first}
    return {"kind": "training", **about, **more, "heap": heap(done.changes)}


def _view(done: TrainingDone) -> View | None:
    """The interactive view, if there are surfaces of more than one epoch."""
    from rh_kernel.display.live.surface import SurfaceView

    return SurfaceView(done) if any(len(surface.frames) > 1 for surface in done.surfaces) else None


TRAINING = ResultView(TrainingDone, text=run_text, rich=as_html(run_html), records=lambda done: (_record(done),), live=_view)
