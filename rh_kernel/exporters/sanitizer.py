"""An HTML sanitizer: keeps what only displays something; drops scripts, forms and external URLs.

It works by allow lists: other elements are removed but their text is kept. The output is serialized from the parsed
input, so that every parser reads it in the same way.
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser

_TEXT = (
    "a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em "
    "figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img input ins kbd li main mark nav ol p pre q rp rt ruby s samp "
    "section small span strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr"
)
_DRAWING = "svg g path rect circle ellipse line polyline polygon text tspan title desc"
_MATHEMATICS = (
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle "
    "mpadded mphantom"
)
TAGS = frozenset(f"{_TEXT} {_DRAWING} {_MATHEMATICS} style".split())
VOID = frozenset({"br", "col", "hr", "img", "input", "wbr"})
"""Void elements."""

_UNSEEN = (
    "applet audio canvas embed frame frameset head iframe link map math-field meta noembed noframes noscript object "
    "plaintext script select template textarea video xmp"
)
DROPPED = frozenset(_UNSEEN.split())
"""Elements dropped with their content; for other elements that are not allowed, the content is kept."""

EMPTY = frozenset({"embed", "frame", "link", "meta"})
"""Those without an end tag."""

_GENERAL = "align class dir id lang role style tabindex title hidden"
_OF_TABLES = "border cellpadding cellspacing colspan headers rowspan scope span valign width height"
_OF_OTHERS = "alt checked datetime name open reversed start type value"
_OF_DRAWINGS = (
    "cx cy d dx dy fill fill-opacity fill-rule font-family font-size font-style font-weight letter-spacing opacity "
    "dominant-baseline pathlength points preserveaspectratio r rx ry stroke stroke-dasharray stroke-dashoffset stroke-linecap "
    "stroke-linejoin stroke-opacity stroke-width text-anchor textlength transform vector-effect viewbox x x1 x2 y y1 y2"
)
_OF_MATHEMATICS = (
    "accent accentunder columnalign columnspacing depth display displaystyle fence form largeop linethickness lspace "
    "mathvariant maxsize minsize movablelimits rowspacing rspace scriptlevel separator stretchy symmetric"
)
ATTRIBUTES = frozenset(f"{_GENERAL} {_OF_TABLES} {_OF_OTHERS} {_OF_DRAWINGS} {_OF_MATHEMATICS}".split())

_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,][^\s<>\"']*\Z", re.IGNORECASE)
_REACHES_OUT = re.compile(
    r"(?:url|src|image|image-set|expression)\s*\(|@(?!media\b|supports\b)|-moz-binding|[\\<]", re.IGNORECASE
)
"""What a style must not contain: anything that loads a resource, or that could hide one."""


def no_picture(_address: str) -> str | None:
    """Resolve no picture."""
    return None


def no_page(_address: str) -> str | None:
    """Resolve no page."""
    return None


def sanitize(
    text: str,
    picture: Callable[[str], str | None] = no_picture,
    page: Callable[[str], str | None] = no_page,
) -> str:
    """Return HTML that looks the same but runs nothing and loads nothing.

    A link to another page is replaced by the address that ``page`` returns for it, or else by its text followed by the
    address. An image that would have to be loaded is replaced by the ``data:`` URL that ``picture`` returns for it, or else by
    its alternative text.
    """
    cleaner = _Cleaner(picture, page)
    cleaner.feed(text)
    cleaner.close()
    return cleaner.result()


@dataclass(frozen=True, slots=True)
class _Element:
    """An open element: its name, its end tag, where its content begins, and the address of a removed link."""

    name: str
    end: str
    begin: int
    address: str = ""


class _Cleaner(HTMLParser):
    """Parses HTML and writes the allowed parts."""

    def __init__(self, picture: Callable[[str], str | None], page: Callable[[str], str | None]) -> None:
        super().__init__(convert_charrefs=True)
        self._picture = picture
        self._page = page
        self._pieces: list[str] = []
        self._open: list[_Element] = []
        self._dropping: list[str] = []

    def result(self) -> str:
        """Close all open elements and return the output."""
        while self._open:
            self._end()
        return "".join(self._pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write the element if it is allowed, or start dropping its content."""
        if self._dropping:
            if tag == self._dropping[-1]:
                self._dropping.append(tag)
        elif tag in DROPPED:
            if tag not in EMPTY:
                self._dropping.append(tag)
        elif tag in TAGS:
            given: dict[str, str] = {}
            for name, value in attrs:
                given.setdefault(name, value or "")
            self._start(tag, given)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """``<path …/>``"""
        self.handle_starttag(tag, attrs)
        if tag not in VOID | EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the element and any unclosed elements inside it; ignore an unmatched end tag."""
        if self._dropping:
            if tag == self._dropping[-1]:
                self._dropping.pop()
        elif any(tag == element.name for element in self._open):
            while self._end() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Write text; a style sheet is kept or dropped as a whole."""
        if self._dropping:
            return
        if self._open and self._open[-1].name == "style":
            self._pieces.append("" if _REACHES_OUT.search(data) or "&" in data else data)
        else:
            self._pieces.append(html.escape(data, quote=False))

    def _start(self, tag: str, given: dict[str, str]) -> None:
        styled = {name: safe_style(value) if name == "style" else value for name, value in given.items()}
        kept = {name: value for name, value in styled.items() if _is_kept(name, value)}
        match tag:
            case "img":
                self._image(given, kept)
            case "a":
                self._link(given.get("href", "").strip(), kept)
            case "input":
                if given.get("type", "").lower() in {"checkbox", "radio"}:
                    self._write(tag, {**kept, "disabled": ""})
            case _:
                self._write(tag, kept)

    def _image(self, given: dict[str, str], kept: dict[str, str]) -> None:
        address = given.get("src", "").strip()
        source = address if address.startswith("data:") else self._picture(address) or ""
        if _IMAGE.match(source):
            self._write("img", {"src": source, "alt": "", **kept})
        else:
            words = given.get("alt") or "an image that is not part of this page"
            self._pieces.append(f'<span class="rh-absent">[{html.escape(words)}]</span>')

    def _link(self, address: str, kept: dict[str, str]) -> None:
        there = address if address.startswith("#") else self._page(address)
        if there is not None:
            self._write("a", {**kept, "href": there})
        else:
            self._write("span", kept)
            self._open[-1] = _Element("a", "</span>", len(self._pieces), address)

    def _write(self, tag: str, attributes: dict[str, str]) -> None:
        written = "".join([f' {name}="{html.escape(value)}"' for name, value in attributes.items()])
        self._pieces.append(f"<{tag}{written}>")
        if tag not in VOID:
            self._open.append(_Element(tag, f"</{tag}>", len(self._pieces)))

    def _end(self) -> str:
        element = self._open.pop()
        self._pieces.append(element.end)
        if element.address:
            address = html.escape(element.address)
            is_said = address in "".join(self._pieces[element.begin :])
            self._pieces.append("" if is_said else f' <span class="rh-address">({address})</span>')
        return element.name


def safe_style(text: str) -> str:
    """Return the declarations of an inline style that load nothing."""
    return ";".join([part.strip() for part in text.split(";") if part.strip() and not _REACHES_OUT.search(part)])


def _is_kept(name: str, value: str) -> bool:
    if not (name in ATTRIBUTES or re.fullmatch(r"aria-[a-z]+", name)) or (name == "style" and not value):
        return False
    return name in {"title", "alt", "aria-label", "value"} or not _REACHES_OUT.search(value)
