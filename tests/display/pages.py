"""Fixtures of the display tests: results of small programs, and a parser of pages."""

import base64
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from rh_kernel.session.results import Result, TraceMade, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source

MLP = """
dim   n_hid = 3
op    FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc   w0 : Real(n_hid, 2) = [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]
loc   w1 : Real(1, n_hid) = [[0.7, -0.8, 0.9]]
const t : Real(1) = [0.5]
net mlp(x : Real(2)) : Real(1) =
  let z <= FC[w0](x) in
  let h <= return swish(z) in
  FC[w1](h)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x)
}
"""
PASS = "rev handle ([1.0, -2.0]) <x>. mlp(x) with sgd(0.1, t)"
"""RH Fig. 8, on numbers."""

TAGS = {"details", "summary", "div", "table", "tbody", "tr", "th", "td", "pre", "span", "img", "b", "br"}
ATTRIBUTES = {"style", "title", "open", "src", "width", "height", "alt"}
DRAWN = {"svg", "g", "path", "text", "circle"}


def shown(text: str) -> list[Result]:
    """The results of the items of a cell after the declarations of the net."""
    session = Session.start(Path())
    declared = results(execute(session, Source("cell", MLP)))
    return results(execute(session, Source("cell", f"{MLP}\n{text}\n"), keep_going=True))[len(declared) :]


def traced(text: str) -> TraceMade:
    """The trace of a term or command."""
    made = [result for result in shown(f"%trace {text}") if isinstance(result, TraceMade)]
    (result,) = made
    return result


@dataclass
class Page(HTMLParser):
    """A page that is well formed: its elements with their attributes, and the text of each."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("img", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    @staticmethod
    def of(html: str) -> "Page":
        page = Page()
        page.feed(html)
        page.close()
        assert not page._open
        return page


def assert_harmless(html: str) -> Page:
    """Assert that a page contains only what an untrusted notebook shows, and no external resources."""
    page = Page.of(html)
    for tag, attributes in page.elements:
        if tag == "a":
            assert attributes.keys() == {"href", "target", "rel"}
            assert str(attributes["href"]).startswith(("http://", "https://"))
            continue
        assert tag in TAGS
        assert attributes.keys() <= ATTRIBUTES, tag
        style = attributes.get("style") or ""
        assert not {"url", "expression", "@", "\\", "javascript"} & set(style.replace("(", " ").replace(":", " ").split())
        if tag == "img":
            kind, data = str(attributes["src"]).split(",", 1)
            assert kind == "data:image/svg+xml;base64"
            drawing = ElementTree.fromstring(base64.b64decode(data, validate=True))
            assert {element.tag.split("}")[1] for element in drawing.iter()} <= DRAWN
    return page
