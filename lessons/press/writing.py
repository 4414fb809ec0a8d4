"""Notebooks on the disk: made from the texts, and never written over what a reader has done."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from lessons.press.editions import for_python, locked, reader, teacher
from lessons.press.texts import Lesson, Notebook

MADE_FROM = "made_from"
"""The entry of a notebook's metadata that holds the fingerprint of its cells when they were made."""

LINK = re.compile(r"\]\((?P<name>[0-9][0-9]-[\w-]+)\.md(?P<anchor>#[\w-]*)?\)")


def write(lesson: Lesson, folder: Path, *, solutions: bool = False, python: bool = False) -> tuple[Path, bool]:
    """Put the notebook of a lesson into ``folder``, and tell where, and whether it was written.

    One in which the reader has changed a cell stays as it is; so does one that is up to date.
    """
    import nbformat

    made = linked(locked(teacher(lesson)) if solutions else reader(lesson))
    if python:
        made = for_python(made)
    made.metadata["rh_kernel"] = {MADE_FROM: fingerprint(made)}
    path = folder / f"{lesson.name}.ipynb"
    if path.exists() and not _may_replace(path, fingerprint(made)):
        return path, False
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, path)
    return path, True


def linked(notebook: Notebook) -> Notebook:
    """The notebook with links to other notebooks where the text has links to other texts; it is changed in place."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(lambda found: f"]({found['name']}.ipynb{found['anchor'] or ''})", cell.source)
    return notebook


def fingerprint(notebook: Notebook) -> str:
    """The same for notebooks whose cells hold the same texts, whatever they show."""
    texts: Iterable[str] = (f"{cell.cell_type}\n{cell.source}" for cell in notebook.cells)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _may_replace(path: Path, new: str) -> bool:
    """Whether a notebook is as it was made, and was made from another text."""
    import nbformat

    text = path.read_text(encoding="utf-8", errors="replace")
    if MADE_FROM not in text:
        return False
    there = nbformat.reads(text, as_version=4)
    made_from = there.metadata.get("rh_kernel", {}).get(MADE_FROM)
    return made_from == fingerprint(there) and made_from != new
