"""Surfaces: a net's results over the plane of two inputs as a picture, with the boundary and samples of the data.

Of one number the colour says on which side of the middle of the targets it is, of several which one is largest; the paler, the
closer it is. Samples have the colour and the shape of their class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rh_kernel.display.contours import contour
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, box, code, element, span
from rh_kernel.display.palette import ABOVE, BELOW, CLASSES, NEUTRAL, NO_NUMBER, parts_of
from rh_kernel.display.pictures import source
from rh_kernel.display.thumbnails import png_thumbnail, thumbnail_html
from rh_kernel.display.training.curves import scale, tick_text
from rh_kernel.syntax.core import Array
from rh_kernel.training.surfaces import GRID, Surface

SIDE = 300
"""The side of the picture in CSS pixels."""

SMALL = 96
"""The side of the picture of an earlier state."""

LEFT, TOP, BOTTOM = 46, 4, 34
"""The space for axes, and above the picture."""

STATES = 7
"""The most earlier states of a training run that are shown as small pictures."""

_STRONGEST = 0.62
"""The weight of a class's colour where a net is surest, on white."""

_COLUMNS, _ROWS = 48, 16
"""The size of a surface in text."""

_SHADES = " ░▒▓█"


WIDTH, HEIGHT = LEFT + SIDE + 8, SIDE + BOTTOM + 8
"""The size of the picture with its axes."""


@dataclass(frozen=True, slots=True)
class Region:
    """Where a class is predicted, or one side of the middle: name, colour, sign of the samples, and share of the plane."""

    name: str
    colour: str
    sign: str
    share: float


def surface_html(surface: Surface) -> str:
    """The surface with axes and samples, and what its colours mean."""
    title = element("div", _TITLE, code(" ".join(surface.text.split()), style=f"{FAINT};font-size:90%"), title=surface.text)
    url = source(f"0 0 {WIDTH} {HEIGHT}", "".join(_drawing(surface)))
    picture = (
        f'<img src="{url}" width="{WIDTH}" height="{HEIGHT}" style="max-width:100%;height:auto" alt="{escape(label(surface))}">'
    )
    return element("div", _CARD, title, picture, _legend(surface))


def label(surface: Surface, values: Array | None = None) -> str:
    """A sentence with the share of the plane that each class has in the surface, or in an earlier state of it."""
    shares = "; ".join([f"{one.name} on {one.share:.0%}" for one in regions(surface, values)])
    plane = surface.plane
    over = f"over {plane.axes[0]} from {_number(plane.low[0])} to {_number(plane.high[0])}"
    return f"surface {over} and {plane.axes[1]} from {_number(plane.low[1])} to {_number(plane.high[1])}: {shares}"


def surface_text(surface: Surface) -> str:
    """The command, its surface in block characters, of several results the number of the largest, and the label."""
    field = surface.values.reshape(GRID, GRID, -1)
    rows = np.linspace(0, GRID - 1, _ROWS).round().astype(int)
    columns = np.linspace(0, GRID - 1, _COLUMNS).round().astype(int)
    small = field[np.ix_(rows, columns)]
    title = " ".join(surface.text.split())
    return "\n".join([title, *["".join([_sign(results, surface) for results in row]) for row in small], label(surface)])


def _sign(results: Array, surface: Surface) -> str:
    if not np.isfinite(results).all():
        return "?"
    if len(results) > 1:
        return str(int(results.argmax()) % 10)
    middle, width = _middle(surface)
    level = np.clip((float(results[0]) - middle) / width / 2 + 0.5, 0, 1)
    return _SHADES[min(int(level * len(_SHADES)), len(_SHADES) - 1)]


def _middle(surface: Surface) -> tuple[float, float]:
    """The number between the two sides, and how far from it the colour is strongest."""
    targets = surface.plane.targets
    if targets is None or targets.shape[1] != 1:
        finite = surface.values[np.isfinite(surface.values)]
        return 0.0, float(np.abs(finite).max(initial=0.0)) or 1.0
    low, high = float(targets.min()), float(targets.max())
    return (low + high) / 2, (high - low) / 2 or 1.0


def _excesses(surface: Surface, values: Array) -> Array:
    """By how much each class exceeds the others, in shares of a sure answer: (GRID, GRID, classes), one for a single number."""
    field = values.reshape(GRID, GRID, -1)
    with np.errstate(invalid="ignore", over="ignore"):
        if field.shape[2] == 1:
            middle, width = _middle(surface)
            return (field - middle) / width
        ordered = np.sort(field, axis=2)
        others = np.where(field == ordered[..., -1:], ordered[..., -2:-1], ordered[..., -1:])
        found = field - others
        finite = found[np.isfinite(found) & (found > 0)]
        return found / (float(np.quantile(finite, 0.9)) if finite.size else 1.0)


def _pixels(surface: Surface, values: Array) -> npt.NDArray[np.uint8]:
    """The colours of the grid (GRID, GRID, 3)."""
    excess = _excesses(surface, values)
    if excess.shape[2] == 1:
        colours = np.array([parts_of(BELOW), parts_of(ABOVE)], np.float64)
        which, strength = (excess[..., 0] > 0).astype(int), np.abs(excess[..., 0])
    else:
        colours = np.array([parts_of(CLASSES[i % len(CLASSES)]) for i in range(excess.shape[2])], np.float64)
        which, strength = np.nan_to_num(excess, nan=-np.inf).argmax(axis=2), np.nan_to_num(excess).max(axis=2)
    weight = _STRONGEST * (0.2 + 0.8 * np.clip(np.nan_to_num(strength), 0, 1))[..., None]
    mixed = weight * colours[which] + (1 - weight) * 255
    unknown = ~np.isfinite(values.reshape(GRID, GRID, -1)).all(axis=2)
    mixed[unknown] = parts_of(NO_NUMBER)
    return np.rint(mixed).astype(np.uint8)


def _drawing(surface: Surface) -> Iterator[str]:
    """Yield the parts of the SVG: the grid, the boundary, the samples, the axes."""
    place = f'x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"'
    yield f'<image href="{pixels_source(surface, surface.values)}" {place} preserveAspectRatio="none"/>'
    if lines := boundary(surface, surface.values):
        yield f'<path d="{lines}" stroke="#222222" stroke-width="1.4" stroke-linecap="round" fill="none"/>'
    yield from frame_and_samples(surface)


def pixels_source(surface: Surface, values: Array) -> str:
    """The ``data:`` URL of the colours of the grid for results (GRID², k) of the surface's command."""
    return png_thumbnail(_pixels(surface, values)).source


def boundary(surface: Surface, values: Array) -> str:
    """The ``d`` of the path between the classes, for results (GRID², k) of the surface's command."""
    excess = _excesses(surface, values)
    step = SIDE / (GRID - 1)
    lines = [
        f"M{LEFT + a * step:.1f} {TOP + b * step:.1f}L{LEFT + c * step:.1f} {TOP + d * step:.1f}"
        for i in range(excess.shape[2])
        for (a, b), (c, d) in contour(excess[..., i], 0.0)
    ]
    return "".join(lines)


def frame_and_samples(surface: Surface) -> Iterator[str]:
    """Yield the parts of the SVG that are the same in every state: the frame, the samples and the axes."""
    plane = surface.plane
    yield f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="{NEUTRAL}" stroke-opacity=".5"/>'
    places = (plane.points - plane.low) / (plane.high - plane.low)
    for (x, y), kind in zip(places.tolist(), _kinds(surface), strict=True):
        yield _mark(LEFT + SIDE * x, TOP + SIDE * (1 - y), kind)
    yield f'<g font-family="sans-serif" font-size="11" fill="{NEUTRAL}">{"".join(_axes(surface))}</g>'


def _axes(surface: Surface) -> Iterator[str]:
    plane = surface.plane
    for axis in (0, 1):
        low, high = float(plane.low[axis]), float(plane.high[axis])
        for tick in scale([low, high], is_even=True).ticks:
            share = (tick - low) / (high - low)
            if not 0 <= share <= 1:
                continue
            at = LEFT + SIDE * share if axis == 0 else TOP + SIDE * (1 - share)
            where = f'x="{at:.1f}" y="{SIDE + 18}" text-anchor="middle"'
            if axis == 1:
                where = f'x="{LEFT - 5}" y="{at + 4:.1f}" text-anchor="end"'
            yield f"<text {where}>{tick_text(tick)}</text>"
    yield f'<text x="{LEFT + SIDE / 2}" y="{SIDE + BOTTOM}" text-anchor="middle">{escape(plane.axes[0])}</text>'
    turned = f'transform="translate(11 {TOP + SIDE / 2}) rotate(-90)"'
    yield f'<text {turned} text-anchor="middle">{escape(plane.axes[1])}</text>'


def _kinds(surface: Surface) -> Sequence[int | None]:
    """The class of each sample: of a single number 0 below the middle and 1 above; ``None`` without a target."""
    targets = surface.plane.targets
    if targets is None:
        return [None] * len(surface.plane.points)
    if targets.shape[1] == 1:
        return (targets[:, 0] > _middle(surface)[0]).astype(np.intp).tolist()
    return targets.argmax(axis=1).tolist()


def _colour(surface: Surface, kind: int) -> str:
    return (BELOW, ABOVE)[kind] if surface.values.shape[1] == 1 else CLASSES[kind % len(CLASSES)]


def _mark(x: float, y: float, kind: int | None, colour: str = "") -> str:
    """A small circle, square, triangle or diamond."""
    fill = colour or (NEUTRAL if kind is None else "#222222")
    shape = {
        0: f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.9"',
        1: f'<path d="M{x - 2.7:.1f} {y - 2.7:.1f}h5.4v5.4h-5.4z"',
        2: f'<path d="M{x:.1f} {y - 3.6:.1f}l3.4 6h-6.8z"',
        3: f'<path d="M{x:.1f} {y - 3.8:.1f}l3.8 3.8l-3.8 3.8l-3.8 -3.8z"',
    }[(kind or 0) % 4]
    return f'{shape} fill="{fill}" stroke="#ffffff" stroke-width=".8"/>'


def regions(surface: Surface, values: Array | None = None) -> list[Region]:
    """The classes, or the two sides of the middle, in the surface or in an earlier state of it."""
    shares = _shares(surface, surface.values if values is None else values)
    signs = ("●", "■", "▲", "◆") if surface.plane.targets is not None else ("",) * 4
    return [Region(name, _colour(surface, kind), signs[kind % 4], share) for kind, (name, share) in enumerate(shares)]


def _shares(surface: Surface, field: Array) -> list[tuple[str, float]]:
    finite = np.isfinite(field).all(axis=1)
    if field.shape[1] == 1:
        middle = _middle(surface)[0]
        above = float(np.mean(finite & (field[:, 0] > middle)))
        below = float(np.mean(finite & ~(field[:, 0] > middle)))
        return [(f"below {_number(middle)}", below), (f"above {_number(middle)}", above)]
    largest = np.where(finite, np.nan_to_num(field).argmax(axis=1), -1)
    return [(f"class {i}", float(np.mean(np.equal(largest, i)))) for i in range(field.shape[1])]


def _legend(surface: Surface) -> str:
    parts: list[str] = []
    for one in regions(surface)[: len(CLASSES)]:
        shown = span(f"color:{one.colour}", "■") + (span("", one.sign) if one.sign else "")
        parts.append(element("span", "margin-right:1em;white-space:nowrap", shown, span("", f" {one.name}, {one.share:.0%}")))
    return box("font-size:85%", *parts)


def strip_html(surface: Surface) -> str:
    """The states that were kept of a training run, as small pictures with their epochs; empty if there are none."""
    if len(surface.frames) < 2:
        return ""
    last = len(surface.frames) - 1
    chosen = dict.fromkeys([round(last * i / (STATES - 1)) for i in range(STATES)])
    figures = [
        element(
            "div",
            "display:inline-block;margin:6px 6px 0 0;text-align:center",
            thumbnail_html(png_thumbnail(_pixels(surface, values), SMALL), f"after epoch {epoch}"),
            element("div", f"font-size:85%;{FAINT}", escape("at the start" if epoch == 0 else f"epoch {epoch}")),
        )
        for epoch, values in [surface.frames[i] for i in chosen]
    ]
    return box("", *figures)


def _number(value: float) -> str:
    return f"{value:.3g}"


_CARD = "display:inline-block;vertical-align:top;max-width:100%;margin:4px 18px 4px 0"
_TITLE = "white-space:nowrap;overflow:hidden;text-overflow:ellipsis;max-width:360px"
