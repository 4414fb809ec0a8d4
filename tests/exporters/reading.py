"""A parser that finds what a page would load or run."""

from __future__ import annotations

import re
from html.parser import HTMLParser

# Whatever names something to be loaded, in HTML, in SVG and in style sheets.
ADDRESSES = re.compile(
    r"(?:action|background|cite|data|formaction|href|longdesc|manifest|ping|poster|src|srcdoc|srcset|xlink:href)\Z"
)
STYLE = re.compile(r"url\s*\(|@import|image-set\s*\(|import\s*\(|expression\s*\(", re.IGNORECASE)
RUNNING = frozenset(["applet", "base", "button", "embed", "form", "frame", "iframe", "link", "object", "script", "template"])


class Page(HTMLParser):
    """The elements of a page, its links, its inline scripts by type, and the faults of a page that must be self-contained."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.identities: set[str] = set()
        self.texts: list[str] = []
        self.diagnostics: list[str] = []
        self.scripts: list[tuple[str, str]] = []
        self._style = self._script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._style, self._script = tag == "style", tag == "script"
        if self._script and dict(attrs).keys() <= {"type", "data-kind"}:
            self.scripts.append((dict(attrs).get("type") or "", ""))
        elif tag in RUNNING:
            self.diagnostics.append(f"<{tag}>")
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def handle_endtag(self, tag: str) -> None:
        self._style = self._script = False

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        elif not self._style:
            self.texts.append(data)
        elif STYLE.search(data):
            self.diagnostics.append(f"a style sheet has {data}")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name == "id":
            self.identities.add(value)
        if name.startswith("on") or (name == "style" and STYLE.search(value)):
            self.diagnostics.append(f'{name}="{value}"')
        if not ADDRESSES.match(name):
            return
        if tag == "a" and value.startswith("#"):
            self.links.append(value[1:])
        elif not (tag == "img" and name == "src" and value.startswith("data:image/")):
            self.diagnostics.append(f'<{tag} {name}="{value[:80]}">')

    @property
    def text(self) -> str:
        return "".join(self.texts)
