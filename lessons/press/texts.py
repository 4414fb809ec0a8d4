"""The texts: MyST Markdown in ``lessons/NN-name.md`` and ``lessons/exam.md``, read as notebooks with jupytext."""

import json
import re
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias, cast

from rh_kernel.kernel.language_info import LANGUAGE_INFO

Notebook: TypeAlias = Any
"""A notebook, or a cell of one, as nbformat has it."""

FOLDER = Path(__file__).parents[1]
"""Where the texts, their pictures and the appendix lie."""

EXERCISE, CHECK, FAILS, VARIES = "exercise", "check", "raises-exception", "varies"
"""The tags of cells: the reader completes it; it checks that; it is meant to fail; it shows something else each time."""

UNLOCKED = "unlocked"
"""The tag of a check that needs what a cell of Python declares, which ``rh grade`` does not run."""


ANSWER = "answer"
"""The tag of a cell of text in which the reader answers a question, and the teacher's edition does."""

_POINTS = re.compile(r"points-(\d+)")
"""The tag of an answer or a check that is worth so many points."""

_EXAM = "exam"
"""What the name of an exam begins with: the reader's edition of such a text is without the solutions."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson or an exam by its file. ``name`` is that without the ending, such as ``04-reverse-handlers``."""

    path: Path

    @property
    def name(self) -> str:
        """What its notebook, its picture and its page are called."""
        return self.path.stem

    @property
    def number(self) -> str:
        """The two digits that the name of a lesson begins with."""
        return self.name[:2]

    @property
    def is_exam(self) -> bool:
        """Whether it is an exam."""
        return self.name.startswith(_EXAM)

    @property
    def title(self) -> str:
        """The heading of its text."""
        found = re.search(r"^# (.+)$", self.path.read_text(encoding="utf-8"), re.MULTILINE)
        return found.group(1).strip() if found else self.name

    def notebook(self) -> Notebook:
        """The text as a notebook without outputs, with the metadata that a saved notebook has: kernelspec and language.

        The ids of cells are their kind and a number, such as ``code-3``.
        """
        import jupytext

        made = cast(Notebook, jupytext.read(self.path, fmt="md:myst"))
        made.metadata = {"kernelspec": dict(made.metadata["kernelspec"]), "language_info": deepcopy(LANGUAGE_INFO)}
        made.cells = [part for cell in made.cells for part in _parted(cell)]
        counts = Counter[str]()
        for cell in made.cells:
            counts[cell.cell_type] += 1
            cell["id"] = f"{cell.cell_type}-{counts[cell.cell_type]}"
            cell.metadata = {"tags": list(cell.metadata.get("tags", []))} if cell.metadata.get("tags") else {}
        return made


def _parted(cell: Notebook) -> list[Notebook]:
    """A cell of text in pieces that end behind what is folded: the text below is not to look as if it belonged to that."""
    from nbformat.v4 import new_markdown_cell

    if cell.cell_type != "markdown" or ANSWER in tags(cell):
        return [cell]
    pieces = re.split(r"(?<=^</details>)\n+", cell.source, flags=re.MULTILINE)
    return [new_markdown_cell(piece) for piece in pieces if piece.strip()]


def lessons(chosen: tuple[str, ...] = (), folder: Path = FOLDER) -> list[Lesson]:
    """The lessons in their order: all, or those and the exams whose names begin with one of ``chosen``.

    Raises ``LookupError`` if there are none.
    """
    numbered = sorted(folder.glob("[0-9][0-9]-*.md"))
    texts = [Lesson(path) for path in numbered] + (exams(folder) if chosen else [])
    found = [text for text in texts if not chosen or text.name.startswith(chosen)]
    if not found:
        raise LookupError(f"no lesson begins with {' or '.join(chosen)}" if chosen else f"no lessons in {folder}")
    return found


def exams(folder: Path = FOLDER) -> list[Lesson]:
    """The exams, which nobody is given with the lessons."""
    return [Lesson(path) for path in sorted(folder.glob(f"{_EXAM}*.md"))]


def points(cell: Notebook) -> int:
    """How many points a cell is worth, by its tag ``points-N``; one, if it has none."""
    return next((int(found[1]) for tag in tags(cell) if (found := _POINTS.fullmatch(tag))), 1)


def tags(cell: Notebook) -> list[str]:
    """The tags of a cell."""
    return list(cell.metadata.get("tags", []))


def stub() -> list[str]:
    """The lines that stand in the place of a solution: those that nbgrader is told (``rh_kernel/kernel/grading``)."""
    settings = files("rh_kernel.kernel") / "grading" / "nbgrader_config.json"
    return str(json.loads(settings.read_text(encoding="utf-8"))["ClearSolutions"]["code_stub"]["rh"]).splitlines()
