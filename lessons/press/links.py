"""Links: the names of headings, and those in the pages of the book that lead nowhere, or outside."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"src", "href", "srcset", "poster", "data", "action", "formaction", "background", "xlink:href"}
"""The attributes that lead to something else."""


def slug(text: str) -> str:
    """The name of a heading, made as GitHub makes it: small letters, digits, ``-`` and ``_``, and each space a ``-``."""
    words = re.sub(r"<[^>]*>|&\w+;", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


@dataclass(slots=True)
class _Reader(HTMLParser):
    """Reads where the links of a page lead and what the places in it are called."""

    links: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element leads to, and its name."""
        for name, value in attrs:
            if name in LOADING and value:
                self.links.append(value)
            if name == "id" and value:
                self.names.add(value)


def broken(folder: Path) -> list[str]:
    """The links of all pages in a folder that lead to no page, to no place on it, or out of the folder."""
    home = folder.resolve()
    read = {path: _read(path) for path in sorted(home.rglob("*.html"))}
    diagnostics = list[str]()
    for path, page in read.items():
        for link in page.links:
            if link.startswith("data:image/"):
                continue
            parts = urlsplit(link)
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme or parts.netloc:
                diagnostics.append(f"{path.relative_to(home)}: leads outside: {link[:80]}")
            elif there not in read and not (there.is_relative_to(home) and there.suffix == ".js" and there.is_file()):
                diagnostics.append(f"{path.relative_to(home)}: there is no page {link}")
            elif there in read and parts.fragment and unquote(parts.fragment) not in read[there].names:
                diagnostics.append(f"{path.relative_to(home)}: there is no heading {link}")
    return diagnostics


def _read(path: Path) -> _Reader:
    """A page."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader
