"""Changes of weights during training: a card for each location, with a picture, the norm, and the distance from the start.

Cards have fixed sizes, so that the page does not jump during a run. The rows of a matrix that is applied to square images are
also shown as images: the features that its units detect.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rh_kernel.display.contents import norm
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, details, element, span
from rh_kernel.display.palette import ABOVE, BELOW
from rh_kernel.display.pictures import MOST_CELLS, TILE_CELLS, Image, extremes, matrix_image, tiles_image
from rh_kernel.display.rounding import ENTRIES, array_line
from rh_kernel.display.values import short
from rh_kernel.session.results import Change
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import Role
from rh_kernel.syntax.types import real

CARDS = 6
"""The number of cards that are shown at first; the others are in a closed ``<details>``."""

MOST_CARDS = 60
"""The most cards."""

MOST_NAMES = 20
"""The most locations without a visible card that are named."""

ENTRIES_WHILE_RUNNING = 1 << 20
"""The most entries of all locations that are drawn during a run."""

PART = 1 << 16
"""The number of entries that are subtracted at a time."""

LEAST_SIDE = 5
"""The least side of an image: shorter rows are not shown as images."""

_FEW = 3
"""Larger locations have a picture."""

_TILES, _TILED = 32, 3200
"""The most rows shown as images, and the most cells of all these images."""


LEGEND = ("below zero,", "above; the stronger, the further from it · ‖Δ‖ is how far it has moved since the start")
"""What the two colours of the pictures mean."""


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown of a location: its name and type, its norm and how far it moved, what it holds, and pictures.

    ``matrix`` is a picture of its entries with a note, ``rows`` one of its rows as images with what they are.
    """

    name: str
    type: str
    numbers: tuple[str, str]
    held: str
    matrix: tuple[Image, str] | None
    rows: tuple[str, Image] | None


def cards(changes: Sequence[Change]) -> list[Card]:
    """The cards of the first ``MOST_CARDS`` locations."""
    return [_card(change, side_of_images(changes, i)) for i, change in enumerate(changes[:MOST_CARDS])]


def gallery(changes: Sequence[Change]) -> str:
    """The cards of changed locations, of which the first ``CARDS`` are visible; empty for no changes."""
    if not changes:
        return ""
    made = [*map(_card_html, cards(changes))]
    folded = details("", _others(changes[CARDS:]), *made[CARDS:]) if changes[CARDS:] else ""
    return box("", *made[:CARDS]) + folded + _legend()


def passing_gallery(changes: Sequence[Change]) -> str:
    """The cards during a run, of locations that can be drawn fast enough; the others are only named.

    There is no ``<details>``, since the page is redrawn ten times a second.
    """
    if not changes:
        return ""
    shown: list[int] = []
    left = ENTRIES_WHILE_RUNNING
    for i, change in enumerate(changes):
        if len(shown) < CARDS and change.after.size <= left:
            shown.append(i)
            left -= change.after.size
    rest = [change for i, change in enumerate(changes) if i not in shown]
    made = [_card_html(_card(changes[i], side_of_images(changes, i))) for i in shown]
    return box("", *made) + (box("", _others(rest)) if rest else "") + _legend()


def moved(change: Change) -> str:
    """``‖Δ‖ = 0.512``, the norm of the change; ``new`` if there was no content of this shape."""
    before, after = change.before, change.after
    if before is None or before.shape != after.shape:
        return "new"
    with np.errstate(all="ignore"):
        return f"‖Δ‖ = {short(_distance(after, before))}"


def contents(change: Change) -> str:
    """The old and the new content: the entries if they are few, else their range."""
    before, after = change.before, change.after
    shown = array_line if after.size <= ENTRIES else span_of
    if before is None or before.shape != after.shape:
        return shown(after)
    return f"{shown(before)} → {shown(after)}"


def span_of(array: Array) -> str:
    """``[-0.31, 0.52]``, the range of an array, and the number of entries that are not finite."""
    low, high, missing = extremes(array)
    ends = f"[{short(low)}, {short(high)}]" if array.size > missing else ""
    return " ".join([word for word in (ends, f"{missing} not finite" if missing else "") if word])


def side_of_images(changes: Sequence[Change], which: int) -> int:
    """The side k of the square images that the rows of a location are shown as, or 0.

    They are for a matrix with k² columns, unless an earlier location is a matrix with k² rows: then its inputs are probably not
    images but the outputs of that one.
    """
    after = changes[which].after
    if after.ndim != 2:
        return 0
    k = math.isqrt(after.shape[1])
    if k < LEAST_SIDE or k * k != after.shape[1] or not after.shape[0]:
        return 0
    earlier = [change.after.shape for change in changes[:which]]
    return 0 if any(len(shape) == 2 and shape[0] == k * k for shape in earlier) else k


def _card(change: Change, side: int) -> Card:
    name, after = change.location.name, change.after
    with np.errstate(all="ignore"):
        length = f"‖{name}‖ = {short(norm(after))}"
    matrix = _picture(name, after) if after.size > _FEW else None
    rows = _images(name, after, side) if side else None
    return Card(name, str(real(*after.shape)), (length, moved(change)), contents(change), matrix, rows)


def _card_html(card: Card) -> str:
    head = [code(card.name, Role.LOCATION, "font-weight:bold"), code(" : "), code(card.type, Role.TYPE)]
    content = element("div", f"{_LINE};{_SMALL}", code(card.held), title=card.held)
    parts = [box(_LINE, *head), box(_LINE, *[span(_NUMBER, text) for text in card.numbers]), content]
    if card.matrix is not None:
        picture, note = card.matrix
        parts.append(box("margin:2px 0", picture.html + (span(_SMALL, note) if note else "")))
    if card.rows is not None:
        words, picture = card.rows
        parts.append(box(_SMALL, words) + box("margin:2px 0", picture.html))
    return element("div", _CARD, *parts)


def _picture(name: str, array: Array) -> tuple[Image, str]:
    matrix = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    label = f"a heat map of {name}, {real(*array.shape)}: entries in {span_of(array)}"
    note = " in blocks, averaged" if max(matrix.shape) > MOST_CELLS else ""
    return matrix_image(matrix, label + note), note


def _images(name: str, matrix: Array, side: int) -> tuple[str, Image]:
    small = min(side, TILE_CELLS)
    count = min(len(matrix), _TILES, max(1, _TILED // (small * small)))
    which = "its rows" if count == len(matrix) else f"the first {count} of its {len(matrix)} rows"
    words = f"{which} as images of {side} × {side}" + (", averaged" if small < side else "")
    return words, tiles_image(matrix[:count].reshape(count, side, side), f"{name}: {words}")


def _others(changes: Sequence[Change]) -> str:
    return span(FAINT, others(changes))


def others(changes: Sequence[Change]) -> str:
    """``and 3 more: w6, w7, w8``"""
    names = ", ".join([change.location.name for change in changes[:MOST_NAMES]])
    more = ", …" if len(changes) > MOST_NAMES else ""
    return f"and {len(changes)} more: {names}{more}"


def _legend() -> str:
    below, above = LEGEND
    signs = [_square(BELOW), span("", f" {below} "), _square(ABOVE), span("", f" {above}")]
    return box(f"{_SMALL};margin-top:2px", *signs)


def _square(colour: str) -> str:
    return span(f"color:{colour}", "■")


def _distance(after: Array, before: Array) -> float:
    """Return the norm of the difference, computed in parts to save memory."""
    x, y = after.ravel(), before.ravel()
    parts = [slice(start, start + PART) for start in range(0, x.size, PART)]
    return math.hypot(*[norm(np.subtract(x[part], y[part], dtype=np.float64)) for part in parts])


_CARD = "display:inline-block;vertical-align:top;width:390px;margin:4px 18px 8px 0"
_LINE = "white-space:nowrap;overflow:hidden;text-overflow:ellipsis"
_NUMBER = f"{MONOSPACE};display:inline-block;min-width:12em"
_SMALL = f"font-size:85%;{FAINT}"
