"""A lesson through the real kernel, twice: with its solutions, when all of its checks pass, and with stubs, when none does."""

import asyncio
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from lessons.press.editions import for_python, proved, reader, teacher
from lessons.press.outputs import differences, plain
from lessons.press.texts import CHECK, EXERCISE, FAILS, VARIES, Lesson, Notebook, tags

PATIENCE = 240
"""Seconds that a cell may take on a machine that has much else to do."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What running a lesson has shown: what is wrong with it, how long each edition took, and the notebook with its outputs."""

    lesson: Lesson
    mistakes: tuple[str, ...]
    seconds: tuple[float, float]
    notebook: Notebook


def executed(notebook: Notebook, folder: Path, kernel: str = "rh") -> Notebook:
    """The notebook with what its cells show, run in ``folder`` from top to bottom; it is changed in place. Cells may fail."""
    from nbclient import NotebookClient

    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=PATIENCE, kernel_name=kernel, resources=resources, allow_errors=True)
    asyncio.run(client.async_execute(stderr=subprocess.DEVNULL))
    return notebook


def judge(lesson: Lesson, folder: Path, expected: str | None) -> Verdict:
    """Run both editions of a lesson in ``folder`` and say what is not as it should be.

    ``expected`` are the outputs on record, if there are any.
    """
    start = monotonic()
    solved = executed(proved(teacher(lesson)) if lesson.is_exam else teacher(lesson), folder)
    between = monotonic()
    stubbed = executed(reader(lesson), folder)
    end = monotonic()
    mistakes = [*as_meant(solved), *with_stubs(stubbed, solved)]
    if expected is not None:
        mistakes += differences(expected, record(solved))
    return Verdict(lesson, tuple(mistakes), (between - start, end - between), solved)


def judge_in_python(lesson: Lesson, folder: Path) -> Verdict:
    """Run a lesson with its solutions in an IPython kernel, under ``%%rh``, and say what is not as it should be."""
    start = monotonic()
    solved = executed(for_python(teacher(lesson)), folder, "python3")
    return Verdict(lesson, tuple(as_meant(solved)), (monotonic() - start, 0), solved)


def as_meant(solved: Notebook) -> Iterable[str]:
    """With the solutions only those cells fail that are meant to, and no traceback of ours is seen."""
    for cell in code(solved):
        if failed(cell) != (FAILS in tags(cell)):
            yield f"{'fails' if failed(cell) else 'does not fail'}: {short(cell)}\n{plain(cell)}"
        if any(sign in str(cell.outputs) for sign in ("Traceback", "rh_kernel/", "RH900")):
            yield f"shows a traceback: {short(cell)}"


def with_stubs(stubbed: Notebook, solved: Notebook) -> Iterable[str]:
    """With stubs all checks fail, and all cells that are no exercises show what they show with the solutions."""
    before = {cell["id"]: cell for cell in code(solved)}
    for cell in code(stubbed):
        if CHECK in tags(cell):
            if not failed(cell):
                yield f"passes without a solution: {short(cell)}"
        elif EXERCISE not in tags(cell) and VARIES not in tags(cell):
            for difference in differences(plain(before[cell["id"]]), plain(cell)):
                yield f"depends on an exercise: {short(cell)}\n{difference}"


def record(notebook: Notebook) -> str:
    """The outputs of a lesson as text, without those that are others each time."""
    parts = [f"── {cell['id']} ──\n{plain(cell)}" for cell in code(notebook) if VARIES not in tags(cell) and plain(cell)]
    return "\n\n".join(parts) + "\n"


def code(notebook: Notebook) -> list[Notebook]:
    """The cells of code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def failed(cell: Notebook) -> bool:
    """Whether a cell has ended with an error."""
    return any(output.output_type == "error" for output in cell.outputs)


def short(cell: Notebook) -> str:
    """A cell in a line."""
    text = " ".join(cell.source.split())
    return f"{cell['id']}: {text[:90]}{'…' if len(text) > 90 else ''}"
