"""A result as one SVG picture: its drawing, else the pictures in its HTML below one another, else its text.

Ink and paper follow the reader's colour scheme. The picture has a title, and its text as a description for screen readers.
"""

import base64
import re
from collections.abc import Sequence
from html.parser import HTMLParser

from rh_kernel.denotational.drawing.text_metrics import width
from rh_kernel.display.html import escape
from rh_kernel.display.palette import NEUTRAL
from rh_kernel.display.registry import bundle
from rh_kernel.session.results import Result

FONT, LEADING = 12.0, 17.0
"""The size of text and the distance of its lines in pixels."""

MARGIN, GAP = 12.0, 10.0
"""The space around a picture, and between two pictures."""

LONGEST, MOST_LINES = 160, 400
"""Longer lines, and further ones, are cut."""

LONGEST_DESCRIPTION = 4_000
"""Characters of the description at most."""

THEME = (
    "svg.rh-paper{color:#24292f;background:#fff}"
    "@media(prefers-color-scheme:dark){svg.rh-paper{color:#e6e6e6;background:#111}}"
    ".rh-paper>text{font-family:ui-monospace,Menlo,Consolas,monospace;fill:currentColor;white-space:pre}"
)

_SIZE = re.compile(r'<svg[^>]*?\swidth="([\d.]+)" height="([\d.]+)"')
_SOURCE = "data:image/svg+xml;base64,"


def saved_picture(result: Result, title: str) -> str:
    """Return the SVG document."""
    forms = bundle(result)
    drawing = forms.get("image/svg+xml")
    if drawing is not None:
        pictures = [(drawing, *_size_of(drawing))]
    else:
        finder = _Pictures()
        finder.feed(forms["text/html"])
        pictures = finder.found
    if pictures:
        return _document(title, forms["text/plain"], _stacked(pictures))
    return _document(title, forms["text/plain"], _sheet(forms["text/plain"]))


def _document(title: str, description: str, shown: tuple[str, float, float]) -> str:
    body, wide, high = shown
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rh-paper" role="img" aria-labelledby="rh-title" '
        f'viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}" height="{high:.0f}" style="max-width:100%;height:auto">'
        f'<title id="rh-title">{escape(title)}</title><desc>{escape(description[:LONGEST_DESCRIPTION])}</desc>'
        f"<style>{THEME}</style>{body}</svg>\n"
    )


def _stacked(pictures: Sequence[tuple[str, float, float]]) -> tuple[str, float, float]:
    """Return SVG documents below one another, as nested elements, and the size of all."""
    y, wide, parts = MARGIN, 0.0, list[str]()
    for svg, w, h in pictures:
        # The size in the element holds, not that of its style; a picture from an `<img>` has none.
        opening, rest = svg[: svg.index(">")], svg[svg.index(">") :]
        opening = re.sub(r'\s(?:width|height)="[^"]*"', "", opening)
        opening = opening.replace(f"color:{NEUTRAL};", "")
        opening = re.sub(r"max-width:100%;height:auto|;min-width:[\d.]+px", "", opening)
        parts.append(f'{opening} x="{MARGIN:g}" y="{y:g}" width="{w:g}" height="{h:g}"{rest}')
        y, wide = y + h + GAP, max(wide, w)
    return "".join(parts), wide + 2 * MARGIN, y - GAP + MARGIN


def _sheet(text: str) -> tuple[str, float, float]:
    """Return text in monospace, and its size."""
    lines = [line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…" for line in text.split("\n")]
    lines = lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"⋮ {len(lines) - MOST_LINES + 1:,} lines more"]
    look = f'font-size="{FONT:g}" xml:space="preserve"'
    shown = [
        f'<text x="{MARGIN:g}" y="{MARGIN + FONT + LEADING * n:g}" {look}>{escape(line)}</text>' for n, line in enumerate(lines)
    ]
    wide = max([max(width(line, FONT), 0.62 * FONT * len(line)) for line in lines])
    return "".join(shown), wide + 2 * MARGIN, len(lines) * LEADING + 2 * MARGIN


def _size_of(svg: str) -> tuple[float, float]:
    found = _SIZE.match(svg)
    return (float(found[1]), float(found[2])) if found else (600.0, 300.0)


class _Pictures(HTMLParser):
    """Finds the SVG images of an HTML fragment, with their sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, float, float]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an ``<img>`` of SVG."""
        given = dict(attrs)
        source = given.get("src") or ""
        if tag == "img" and source.startswith(_SOURCE):
            svg = base64.b64decode(source.removeprefix(_SOURCE)).decode()
            size = _size_of(svg)
            if given.get("width") and given.get("height"):
                size = float(given["width"] or 0), float(given["height"] or 0)
            self.found.append((svg, *size))
