"""The sections of a page of the book, as the search and the contents of a page need them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from lessons.press.links import slug
from lessons.press.texts import Notebook

_HEADING = re.compile(r"h[1-6]")
_LEFT_OUT = {"style", "script", "svg", "nav", "annotation", "annotation-xml"}
_WITHIN_A_LINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "mark", "span", "strong", "sub", "sup"}
_EMPTY = {"br", "hr", "img", "input", "link", "meta", "source", "wbr"}
OUTPUTS = "rh-outputs"
"""The class of what a cell shows. A search leaves it out: it would find each rule in each trace."""

MANY = 40
"""A page with more subsections lists only its sections."""


@dataclass(slots=True)
class Section:
    """A heading of a page, its anchor, and the text below it."""

    anchor: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in the list of those on a page: its level from 2 on, its words, and its anchor."""

    level: int
    title: str
    anchor: str


@dataclass(slots=True)
class _Reader(HTMLParser):
    """Divides the text of a page at its headings."""

    sections: list[Section] = field(default_factory=list)
    open: list[tuple[str, bool]] = field(default_factory=list)
    is_heading: bool = False

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a section at a heading, and note whether the text of an element is left out."""
        given = dict(attrs)
        if tag not in _EMPTY:
            outside = tag == "main" and not self.open
            left_out = tag in _LEFT_OUT or OUTPUTS in (given.get("class") or "").split()
            if outside or self.open:
                self.open.append((tag, left_out or (bool(self.open) and self.open[-1][1])))
        if self._is_read() and _HEADING.fullmatch(tag) and given.get("id"):
            self.sections.append(Section(str(given["id"])))
            self.is_heading = True
        self._space(tag)

    def handle_endtag(self, tag: str) -> None:
        """Go on with the text of the section behind its heading."""
        if _HEADING.fullmatch(tag):
            self.is_heading = False
        names = [name for name, _ in self.open]
        if tag in names:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]
        self._space(tag)

    def handle_data(self, data: str) -> None:
        """Add words to the section."""
        if not self._is_read() or not self.sections:
            return
        section = self.sections[-1]
        if self.is_heading:
            section.title += data
        else:
            section.text += data

    def _is_read(self) -> bool:
        return bool(self.open) and not self.open[-1][1]

    def _space(self, tag: str) -> None:
        if self.sections and not self.is_heading and tag not in _WITHIN_A_LINE:
            self.sections[-1].text += " "


def sections(page: str) -> list[Section]:
    """The sections of a page in HTML, without navigation, pictures and what cells show; white space is one blank."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return [Section(one.anchor, " ".join(one.title.split()), " ".join(one.text.split())) for one in reader.sections]


def outline(notebook: Notebook) -> list[Heading]:
    """The headings of a notebook below its title: sections and subsections, or sections alone where those are many."""
    found = [*_headings(notebook)]
    deep = sum(heading.level > 2 for heading in found) <= MANY
    return [heading for heading in found if deep or heading.level == 2]


def _headings(notebook: Notebook) -> Iterator[Heading]:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1`*[ ]*$", "", cell.source, flags=re.MULTILINE | re.DOTALL)
            for found in re.finditer(r"^(#{2,3}) +(.*?) *#*$", text, re.MULTILINE):
                title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[2])
                yield Heading(len(found[1]), re.sub(r"[`$*]", "", title), slug(title.replace("`", "")))
