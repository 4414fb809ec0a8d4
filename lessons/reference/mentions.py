"""Which lesson has which rule, directive, function symbol and error: the links between lessons and reference, both ways."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from lessons.press.texts import Lesson, Notebook, lessons
from lessons.reference.diagnostics import classes
from lessons.reference.diagnostics import heading as heading_of_error
from lessons.reference.markdown import headings, slug
from lessons.reference.rules import heading as heading_of_rule
from lessons.reference.running import ROOT
from rh_kernel.paper import Rule
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import built_in
from rh_kernel.syntax.parsing.tokens import SECTIONS
from rh_kernel.typing.derivation.rules import TypingRule

RECORDED = ROOT / "tests" / "lessons" / "outputs"
"""What the cells of the lessons show."""

KINDS: Mapping[str, str] = {
    "rules.md": "Rules",
    "directives.md": "Directives",
    "symbols.md": "Functions",
    "errors.md": "Errors",
}
"""The pages of the reference whose entries are found, with what an entry is."""


SUMMARY = "In the reference"
"""The heading of the list at the end of a lesson."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """An entry of the reference: its name, the page it stands on, and its heading there."""

    page: str
    name: str
    heading: str

    @property
    def address(self) -> str:
        """Where it is, from the folder of the lessons on."""
        return f"appendix/{self.page}#{slug(self.heading)}"


@cache
def entries() -> Mapping[str, Entry]:
    """The entries of the reference by their names, such as ``RH-Op``, ``%trace``, ``swish`` and ``RH204``."""
    directives = [f"%{name}" for section in ("", *SECTIONS) for name in built_in(section)]
    found = [
        *[Entry("rules.md", rule.value, heading_of_rule(rule)) for rule in [*Rule, *TypingRule]],
        *[Entry("directives.md", name, name) for name in dict.fromkeys(directives)],
        *[Entry("symbols.md", name, name) for name in SYMBOLS],
        *[Entry("errors.md", code, heading_of_error(code)) for code in classes()],
    ]
    return {entry.name: entry for entry in found}


_SKIPPED = re.compile(
    r"""(?P<skipped>^(?P<fence>`{3,})[^\n]*\n.*?^(?P=fence)[ ]*$   # a block of code
        | ^\#{1,6}[ ][^\n]*$                                     # a heading
        | <summary>.*?</summary> | <[^>\n]+>                     # HTML
        | !?\[(?:[^\]\[]|\[[^\]]*\])*\]\([^)]*\)                 # a link
        | \$\$.*?\$\$ | \$[^$\n]+\$ )                            # a formula
      | (?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)
      | (?<![\w-])(?P<bare>RH\d{3}|(?:RH|R|T|H|If)-[A-Za-z]+)(?![\w-])""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_HEADED = re.compile(r"^(?=#{2,3} )", re.MULTILINE)
_NAMED = re.compile(r"(?P<name>%[\w-]+(?![\w%])|[A-Za-z_]\w*(?=[(\[])|\S+$)")
_LINE = re.compile(r"^(?:—(?P<rule>[^\s→]+)→|(?P<code>RH\d{3}) )", re.MULTILINE)
_APPLIED = re.compile(r"(?<![\w.%])(?<!fun )(?P<name>[a-z_]\w*)(?=[(\[])")
_DIRECTIVE = re.compile(r"^(?P<name>%[a-z][\w-]*)", re.MULTILINE)


@cache
def used(lesson: Lesson) -> Mapping[Entry, str]:
    """The entries that a lesson names, has in a program or shows, each with the anchor of the first section that does."""
    found: dict[Entry, str] = {}
    shown = _shown(lesson)
    anchor = ""
    for cell in lesson.notebook().cells:
        if cell.cell_type == "markdown":
            for piece in re.split(r"(?m)^(?=#{1,6} )", cell.source):
                anchor = next((slug(heading) for heading in headings(piece)), anchor)
                names = [entry for _, entry in _named(piece)]
                for entry in names:
                    found.setdefault(entry, anchor)
        else:
            for name in [*_in_program(cell.source), *shown.get(cell["id"], ())]:
                if name in entries():
                    found.setdefault(entries()[name], anchor)
    return found


def with_lessons(page: str, part: Callable[[], str]) -> str:
    """A generated part of a page of the reference, with the lessons that have an entry at the end of that."""
    by_heading = {entry.heading: entry for entry in entries().values() if entry.page == page}
    blocks = _HEADED.split(part())
    return "\n\n".join([text for block in blocks for text in (block.strip(), _lessons_line(block, by_heading)) if text])


def _lessons_line(block: str, by_heading: Mapping[str, Entry]) -> str:
    found = re.match(r"### (.+)", block)
    return lessons_with(by_heading[found[1]]) if found and found[1] in by_heading else ""


def lessons_with(entry: Entry) -> str:
    """The lessons that have an entry of the reference, as links from the page that it stands on; empty if none has."""
    places = [
        f"[{int(lesson.number)}](../{lesson.path.name}{f'#{anchor}' if (anchor := used(lesson)[entry]) else ''})"
        for lesson in lessons()
        if entry in used(lesson)
    ]
    return f"In {'lesson' if len(places) == 1 else 'lessons'} {', '.join(places)}." if places else ""


def referenced(notebook: Notebook) -> Notebook:
    """A lesson's notebook in which the first mention of each entry in a sentence is a link to it; it is changed in place."""
    told: set[Entry] = set()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _linked(cell.source, told)
    return notebook


def summary(lesson: Lesson) -> str:
    """A list of all entries that a lesson has, as links, with a heading; empty if it has none."""
    lines = [
        f"- {kind}: {', '.join([f'[`{entry.name}`]({entry.address})' for entry in sorted(used(lesson)) if entry.page == page])}"
        for page, kind in KINDS.items()
        if any(entry.page == page for entry in used(lesson))
    ]
    return "\n".join([f"## {SUMMARY}", "", *lines]) if lines else ""


def _linked(text: str, told: set[Entry]) -> str:
    pieces: list[str] = []
    end = 0
    for found, entry in _named(text):
        if entry not in told:
            told.add(entry)
            pieces += [text[end : found.start()], f"[{found[0]}]({entry.address})"]
            end = found.end()
    return "".join([*pieces, text[end:]])


def _named(text: str) -> Iterator[tuple[re.Match[str], Entry]]:
    """The places of a text in Markdown where an entry is named in a sentence, as code or by a name that can be nothing else."""
    for found in _SKIPPED.finditer(text):
        if found["skipped"] is not None:
            continue
        name = found["bare"]
        if name is None:
            first = _NAMED.match(found["code"])
            name = first["name"] if first else ""
        if name in entries():
            yield found, entries()[name]


def _in_program(program: str) -> Iterator[str]:
    """The directives and function symbols of a cell; one of Python has none, and other languages have other functions."""
    if program.startswith("%%python"):
        return
    text = re.sub(r"#.*", "", program)
    yield from [found["name"] for found in _DIRECTIVE.finditer(text)]
    if not program.startswith("%%"):
        yield from [found["name"] for found in _APPLIED.finditer(text)]


def _shown(lesson: Lesson) -> Mapping[str, list[str]]:
    """The rules and errors in what each cell shows, by the cell's id, from the record of the outputs."""
    path = RECORDED / f"{lesson.name}.txt"
    if not path.exists():
        return {}
    _, *parts = re.split(r"^── (\S+) ──\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        identity: [found["rule"] or found["code"] for found in _LINE.finditer(text)]
        for identity, text in zip(parts[::2], parts[1::2], strict=True)
    }
