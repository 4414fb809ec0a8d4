"""Notebooks on the disk: made from the texts, and never written over what a reader has done."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from lessons.press.editions import for_python, locked, reader, teacher
from lessons.press.texts import Lesson, Notebook

RECORD = "rh_kernel"
"""The entry of a notebook's metadata that says what the notebook was made from."""
MADE_FROM, METADATA = "made_from", "metadata"
"""In the record: the fingerprints of the texts of the cells, and of all metadata, when the notebook was written."""

LINK = re.compile(r"\]\((?P<name>[0-9][0-9]-[\w-]+)\.md(?P<anchor>#[\w-]*)?\)")


def write(lesson: Lesson, folder: Path, *, solutions: bool = False, python: bool = False) -> tuple[Path, bool]:
    """Put the notebook of a lesson into ``folder``, and tell where, and whether it was written.

    One in which the reader has changed a cell stays as it is; so does one that is up to date.
    """
    import nbformat

    made = linked(locked(teacher(lesson)) if solutions else reader(lesson))
    if python:
        made = for_python(made)
    record = {MADE_FROM: fingerprint(made), METADATA: _metadata(made)}
    made.metadata[RECORD] = record
    path = folder / f"{lesson.name}.ipynb"
    if path.exists() and not _may_replace(path, record):
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


def _metadata(notebook: Notebook) -> str:
    """The fingerprint of the metadata of a notebook and its cells, but for the version of the language."""
    language = {**notebook.metadata["language_info"], "version": None}
    written = [{**notebook.metadata, "language_info": language}, *[cell.metadata for cell in notebook.cells]]
    return hashlib.sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()


def _may_replace(path: Path, new: dict[str, str]) -> bool:
    """Whether the cells of a notebook are as they were written, and would be written with another text or metadata now."""
    import nbformat

    text = path.read_text(encoding="utf-8", errors="replace")
    if MADE_FROM not in text:
        return False
    there = nbformat.reads(text, as_version=4)
    record = there.metadata.get(RECORD, {})
    return record.get(MADE_FROM) == fingerprint(there) and record != new
