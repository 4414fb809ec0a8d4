"""Weights as pictures of what they look for: the filters of a convolution, and the rows of a matrix applied to pictures."""

import math
from collections.abc import Iterator, Mapping

from rh_kernel.display.markup import FAINT, box, code, element, span
from rh_kernel.display.pictures import Image, tiles_image
from rh_kernel.display.training.weights import LEAST_SIDE
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import Role

MOST_TILES = 32
"""The most filters of a location."""


def filters(content: Array) -> tuple[Array, str] | None:
    """Return the filters (n, h, w) of a content, and what they are; ``None`` if it is no such content.

    Those of a convolution (d, c, h, w) are d · c, and the rows of a matrix with k² columns are images of k × k.
    """
    match content.shape:
        case (d, c, h, w):
            what = f"{d} filters of {h} × {w}" + (f", each for {c} channels" if c > 1 else "")
            return content.reshape(d * c, h, w), what
        case (n, columns) if (k := math.isqrt(columns)) >= LEAST_SIDE and k * k == columns:
            return content.reshape(n, k, k), f"{n} rows as images of {k} × {k}"
        case _:
            return None


def filter_images(contents: Mapping[str, Array]) -> Iterator[tuple[str, str, Image]]:
    """Yield the names of the contents that are filters, what these are, and a picture of the first ``MOST_TILES``."""
    for name, content in contents.items():
        found = filters(content)
        if found is not None:
            shown, what = found
            note = what + (f", the first {MOST_TILES}" if len(shown) > MOST_TILES else "")
            yield name, note, tiles_image(shown[:MOST_TILES], f"{name}: {what}")


def filters_html(contents: Mapping[str, Array]) -> str:
    """The filters among the contents of locations."""
    cards: list[str] = []
    for name, note, image in filter_images(contents):
        head = box("", code(name, Role.LOCATION, "font-weight:bold"), span(f"font-size:85%;{FAINT}", f" {note}"))
        cards.append(element("div", _CARD, head, box("margin:2px 0", image.html)))
    return box("margin-top:6px", *cards) if cards else ""


_CARD = "display:inline-block;vertical-align:top;margin:4px 18px 4px 0"
