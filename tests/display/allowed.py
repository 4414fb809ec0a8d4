"""The HTML, SVG, LaTeX and DOT that a result may contain, whatever text is in it: an allow list of elements and attributes."""

import base64
import re
import shutil
import subprocess
from collections.abc import Mapping
from html.parser import HTMLParser
from xml.etree import ElementTree

BLOCKS = {
    **{tag: {"style", "title", "class"} for tag in ("div", "span")},
    **{tag: {"style"} for tag in ("table", "tr", "pre")},
    **{tag: set[str]() for tag in ("summary", "tbody", "b", "br")},
    **{tag: {"style", "title"} for tag in ("th", "td")},
    "a": {"href"},
    "details": {"style", "open"},
    "img": {"alt", "height", "width", "src", "style"},
}
DRAWN = {
    "svg": {"aria-label", "class", "height", "preserveAspectRatio", "role", "style", "viewBox", "width", "xmlns"},
    "g": {"class", "fill", "font-family", "font-size"},
    "path": {
        *(
            "class",
            "d",
            "fill",
            "fill-opacity",
            "stroke",
            "stroke-linecap",
            "stroke-linejoin",
            "stroke-opacity",
            "stroke-width",
        ),
    },
    "circle": {"class", "cx", "cy", "fill", "fill-opacity", "r", "stroke", "stroke-width"},
    "rect": {"class", "fill", "fill-opacity", "height", "rx", "stroke", "stroke-opacity", "stroke-width", "width", "x", "y"},
    "text": {"class", "fill", "pointer-events", "style", "text-anchor", "transform", "x", "y"},
    "image": {"height", "href", "preserveAspectRatio", "width", "x", "y"},
    "tspan": {"class", "dy"},
    "title": set[str](),
    "style": set[str](),
}
ELEMENTS = {**BLOCKS, **{tag: {name.lower() for name in names} for tag, names in DRAWN.items()}}
STYLE = re.compile(r"[\w\s\-:;#%.,()'/+!]*")
"""Inline styles: no single quotes, no backslashes, and no brackets except round ones."""
OUTSIDE = re.compile(r"url\s*\(|@import|expression\s*\(|javascript:|https?:(?!//www\.w3\.org/2000/svg)", re.IGNORECASE)
EMPTY = {"img", "br"}
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, which must not occur in HTML or SVG; tabs and line ends may."""


class Page(HTMLParser):
    """Parses a page and collects everything that is not allowed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS, tag
        assert len({name for name, _ in attrs}) == len(attrs), tag
        for name, value in attrs:
            check_attribute(tag, ELEMENTS[tag], name, value or "")
        if tag not in EMPTY and not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in DRAWN or tag in EMPTY, tag
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            assert not OUTSIDE.search(data)
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"an unknown declaration: {data}")


LESSON = re.compile(r"[0-9]{2}-[a-z-]+\.md(#[a-z0-9-]+)?")
"""A lesson, which lies beside the notebooks."""


def check_attribute(tag: str, allowed: set[str], name: str, value: str) -> None:
    """Assert that an attribute is allowed: no event handler, and no URL but a ``data:`` image, SVG or PNG, or a lesson."""
    assert name in allowed, (tag, name)
    assert not name.startswith("on")
    if name == "style":
        assert STYLE.fullmatch(value), value
        assert not OUTSIDE.search(value)
    if tag == "a":
        assert LESSON.fullmatch(value), value
    elif name in {"src", "href"}:
        kind, _, data = value.partition(",")
        content = base64.b64decode(data, validate=True)
        if kind == "data:image/png;base64":
            assert content.startswith(b"\x89PNG\r\n\x1a\n")
        else:
            assert (name, kind) == ("src", "data:image/svg+xml;base64")
            assert_allowed_svg(content.decode())


def assert_allowed_html(html: str) -> Page:
    """Assert that a page is well formed and contains only what is allowed."""
    assert not CONTROLS.search(html)
    html.encode()
    return Page(html)


def assert_allowed_svg(svg: str) -> None:
    """Assert that an SVG is well-formed XML and contains only what is allowed."""
    assert not CONTROLS.search(svg)
    assert "<!" not in svg.replace("<![CDATA[", "")
    for element in ElementTree.fromstring(svg.encode()).iter():
        space, _, tag = element.tag.rpartition("}")
        assert space == "{http://www.w3.org/2000/svg"
        assert tag in DRAWN, tag
        for name, value in element.attrib.items():
            check_attribute(tag, DRAWN[tag], name, value)
        if tag == "style":
            assert not OUTSIDE.search(element.text or "")


_DOT_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|<ℝ<SUP>[^<>]*</SUP>>|-?[A-Za-z_0-9.]+|ℝ|->|[{}\[\];=,:]|\s+', re.DOTALL)


def assert_allowed_dot(dot: str, *, reads: bool = True) -> None:
    """Assert that every word of DOT is a name or quoted, that no node is a link, and that ``dot`` accepts it, if installed."""
    assert not CONTROLS.search(dot)
    assert "".join(_DOT_TOKEN.findall(dot)) == dot
    bare = "".join(['""' if token.startswith('"') else token for token in _DOT_TOKEN.findall(dot)])
    assert not re.search(r"\b(URL|href|image|shapefile)\b", bare)
    assert '"' not in bare.replace('""', "")
    if reads and shutil.which("dot"):
        done = subprocess.run(["dot", "-Tplain"], input=dot.encode(), capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert not done.stderr


def assert_allowed(bundle: Mapping[str, str], *, reads_dot: bool = True) -> None:
    """Check a result in all its forms; running ``dot`` is slow."""
    assert bundle.keys() <= {"text/plain", "text/html", "text/latex", "image/svg+xml", "text/vnd.graphviz"}
    assert not CONTROLS.search(bundle["text/plain"])
    assert "\t" not in bundle["text/plain"]
    assert_allowed_html(bundle["text/html"])
    if "image/svg+xml" in bundle:
        assert_allowed_svg(bundle["image/svg+xml"])
    if "text/vnd.graphviz" in bundle:
        assert_allowed_dot(bundle["text/vnd.graphviz"], reads=reads_dot)
