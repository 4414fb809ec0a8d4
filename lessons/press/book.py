"""The book: each lesson with what its cells show, and the appendix, as pages that lead to each other and to nothing else."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from nbformat.v4 import new_markdown_cell, new_notebook
from traitlets import default

from lessons.press.editions import reader, teacher
from lessons.press.links import broken, slug
from lessons.press.running import executed
from lessons.press.search import FOLDER as SCRIPTS
from lessons.press.search import write_search
from lessons.press.sections import outline
from lessons.press.texts import CHECK, EXERCISE, FOLDER, Lesson, Notebook, tags
from lessons.reference.mentions import KINDS, entries, referenced, summary, used
from rh_kernel.exporters.exporter import Renderer, RHHTMLExporter
from rh_kernel.exporters.static_pages import picture_loader
from rh_kernel.kernel.language_info import LANGUAGE_INFO

COVER, NAMES = "index.html", "names.html"
"""The addresses of the pages that are made from nothing but the other pages."""

APPENDIX = (
    *("language", "directives", "symbols", "rules", "errors"),
    *("glossary", "coming-from", "courses", "teaching", "front-ends", "many-machines", "support", "paper", "errata", "design"),
)
"""The pages of the appendix in the order in which they are listed; others follow."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the book: its address from the cover on, its heading, the text that it is made from, and a word about it."""

    address: str
    title: str
    source: Path
    about: str = ""


class BookRenderer(Renderer):
    """Headings have the names that links to them are written with; a wide table scrolls by itself."""

    def heading(self, text: str, level: int, **attrs: dict[str, Any]) -> str:
        """``## Words`` ↦ a heading whose name is made as GitHub makes it."""
        return f'<h{level} id="{slug(text)}">{text}</h{level}>\n'

    def table(self, text: str) -> str:
        """A table in a box of its own, which the keyboard can scroll too."""
        return f'<div class="rh-table" tabindex="0"><table>\n{text}</table></div>\n'


class BookExporter(RHHTMLExporter):
    """A page with the contents beside it; links between the texts become links between the pages."""

    renderer = BookRenderer

    def __init__(self, page: Callable[[str], str | None]) -> None:
        super().__init__(interactive=False)
        self._page = page

    def page(self, address: str) -> str | None:
        """The page that was made from the text at an address."""
        return self._page(address)

    def pictures(self, folder: Path) -> Callable[[str], str | None]:
        """The pictures of the lessons and of the appendix, for both."""
        return picture_loader(folder, FOLDER if folder.is_relative_to(FOLDER) else None)

    @default("template_name")
    def _template_of_book(self) -> str:
        return "rh_book"

    @default("extra_template_basedirs")
    def _folders_of_book(self) -> list[str]:
        return [str(Path(__file__).parent / "templates"), *self._folder_of_ours()]

    @default("extra_template_paths")
    def _folders_of_templates(self) -> list[str]:
        return self._folders_of_book()


def bind(chosen: list[Lesson], folder: Path) -> int:
    """Write the book into ``folder``; 1 if a link in it is broken, and each is told."""
    volume = pages(chosen)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as workers:
        notebooks = [*workers.map(shown, chosen)]
    notebooks = [_with_references(lesson, notebook) for lesson, notebook in zip(chosen, notebooks, strict=True)]
    notebooks += [_plain(page.source.read_text(encoding="utf-8")) for page in volume[len(chosen) :]]
    for page, notebook in zip(volume, notebooks, strict=True):
        _write(page, notebook, volume, folder)
    cover, names = Page(COVER, "rh_kernel", FOLDER / "index.md"), Page(NAMES, "Index of names", FOLDER / "names.md")
    _write(cover, _plain(contents(volume)), volume, folder)
    _write(names, _plain(index_of_names(chosen)), volume, folder)
    data = write_search({page.address: page.title for page in volume}, folder)
    wrong = broken(folder)
    for diagnostic in wrong:
        print(diagnostic, file=sys.stderr)
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    largest = max(sizes, key=lambda path: sizes[path] if path.suffix == ".html" else 0)
    print(
        f"{len(volume) + 2} pages, {len(wrong)} broken links: {folder / COVER}\n{_megabytes(sum(sizes.values()))} in all; "
        f"the largest page, {largest.name}, has {_megabytes(sizes[largest])}, what the search reads {_megabytes(sizes[data])}"
    )
    return 1 if wrong else 0


def pages(chosen: list[Lesson]) -> list[Page]:
    """The pages in their order: the lessons, then the appendix."""
    texts = [Page(f"{lesson.name}.html", _numbered(lesson), lesson.path, _about(lesson)) for lesson in chosen]
    places = {name: place for place, name in enumerate(APPENDIX)}
    appendix = sorted((FOLDER / "appendix").glob("*.md"), key=lambda path: (places.get(path.stem, len(places)), path.stem))
    return texts + [Page(f"appendix/{path.stem}.html", Lesson(path).title, path) for path in appendix]


def shown(lesson: Lesson) -> Notebook:
    """The reader's edition with what the cells show when the lesson is run; exercises and checks show nothing."""
    with TemporaryDirectory() as folder:
        solved = executed(teacher(lesson), Path(folder))
    outputs = {cell["id"]: cell for cell in solved.cells if cell.cell_type == "code"}
    made = reader(lesson)
    made.metadata = solved.metadata
    for cell in made.cells:
        if cell.cell_type == "code" and not {EXERCISE, CHECK} & {*tags(cell)}:
            cell.outputs = outputs[cell["id"]].outputs
            cell.execution_count = outputs[cell["id"]].execution_count
    return made


def contents(volume: list[Page]) -> str:
    """The text of the cover."""
    lines = [
        "# Backpropagation as a programming-language idea",
        "",
        "Lessons for the language of the paper *Programming Backpropagation with Reverse Handlers for Arrows*. "
        "Each page is a notebook with what its cells show; to change the programs and to step through them, open the notebooks "
        "with `make lab`.",
        "",
        "## Lessons",
        "",
    ]
    for place, page in enumerate(volume):
        if place and "/" in page.address and "/" not in volume[place - 1].address:
            lines += ["", "## Appendix", ""]
        link = f"- [{page.title}]({os.path.relpath(page.source, FOLDER)})"
        lines += [f"{link}: {page.about}" if page.about else link]
    return "\n".join(lines)


def index_of_names(chosen: list[Lesson]) -> str:
    """The text of the index: every entry of the reference in the order of the alphabet, with the lessons that have it."""
    lines = [
        "# Index of names",
        "",
        "Every rule, directive, function and error, with the lessons that mention or use it. The words of the field are in the "
        "[glossary](appendix/glossary.md).",
    ]
    initial = ""
    for entry in sorted(entries().values(), key=lambda entry: (_initial(entry.name), entry.name.lstrip("%").lower())):
        if _initial(entry.name) != initial:
            initial = _initial(entry.name)
            lines += ["", f"## {initial}", ""]
        title = f" {entry.heading.removeprefix(entry.name).strip()}" if entry.page == "errors.md" else ""
        places = [
            f"[{int(lesson.number)}]({lesson.path.name}{f'#{used(lesson)[entry]}' if used(lesson)[entry] else ''})"
            for lesson in chosen
            if entry in used(lesson)
        ]
        where = f": {'lesson' if len(places) == 1 else 'lessons'} {', '.join(places)}" if places else ""
        kind = KINDS[entry.page].lower().removesuffix("s")
        lines.append(f"- [`{entry.name}`]({entry.address}){title} ({kind}){where}")
    return "\n".join(lines)


def _initial(name: str) -> str:
    return name.lstrip("%")[0].upper()


def _with_references(lesson: Lesson, notebook: Notebook) -> Notebook:
    """A lesson with links to the reference, and the list of what it has of that at its end; it is changed in place."""
    referenced(notebook)
    if told := summary(lesson):
        notebook.cells.append(new_markdown_cell(told))
    return notebook


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _numbered(lesson: Lesson) -> str:
    """The heading of a lesson behind its number."""
    return f"{int(lesson.number)}. {lesson.title}"


def _about(lesson: Lesson) -> str:
    """What a lesson promises: what follows “Afterwards you can” in the line under its heading."""
    text = " ".join(lesson.path.read_text(encoding="utf-8").split())
    _, found, rest = text.partition("Afterwards you can:")
    return rest.partition("*")[0].strip().rstrip(".") if found else ""


def _plain(text: str) -> Notebook:
    """A text as a notebook of one cell."""
    return new_notebook(cells=[new_markdown_cell(text)], metadata={"language_info": deepcopy(LANGUAGE_INFO)})


def _write(page: Page, notebook: Notebook, volume: list[Page], folder: Path) -> None:
    """Write one page."""
    place = volume.index(page) if page in volume else -1

    def to(other: Page) -> dict[str, object]:
        return {"title": other.title, "address": _from(page, other.address), "here": other == page}

    parts = [
        {"name": name, "pages": [to(other) for other in volume if ("/" in other.address) == inside]}
        for name, inside in (("Lessons", False), ("Appendix", True))
    ]
    book = {
        "cover": _from(page, COVER),
        "names": _from(page, NAMES),
        "script": _from(page, f"{SCRIPTS}/book.js"),
        "part": "" if place < 0 else "Appendix" if "/" in page.address else "Lessons",
        "title": page.title,
        "headings": outline(notebook),
        "parts": parts,
        "before": to(volume[place - 1]) if place > 0 else None,
        "after": to(volume[place + 1]) if place + 1 < len(volume) else None,
    }
    resources = {"metadata": {"name": page.title, "path": str(page.source.parent)}, "book": book}
    exporter = BookExporter(partial(_linked, page, {other.source.resolve(): other.address for other in volume}))
    text, _ = cast(tuple[str, object], exporter.from_notebook_node(notebook, resources))
    path = folder / page.address
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _linked(page: Page, addresses: dict[Path, str], address: str) -> str | None:
    """Where a link of a page leads: to the page that was made from that text, or nowhere."""
    name, mark, anchor = address.partition("#")
    there = addresses.get((page.source.parent / name).resolve())
    return None if there is None else _from(page, there) + mark + anchor


def _from(page: Page, address: str) -> str:
    """An address of the book as a page has to write it."""
    return os.path.relpath(address, Path(page.address).parent).replace(os.sep, "/")
