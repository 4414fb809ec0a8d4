"""``rh grade``: the locked cells of a notebook, graded in a process in which none of its Python has run.

The cells in the language run from the first to the last, as a kernel would run them; cells of Python do not. So nothing that a
student writes can change what computes the checks: a program in the language cannot reach Python, and Python is not run.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from rh_kernel.command_line.errors import CannotRead
from rh_kernel.command_line.files import folder, read
from rh_kernel.command_line.report import Report
from rh_kernel.command_line.running import to_the_end
from rh_kernel.display.diagnostics import text as plain
from rh_kernel.display.plain import text as text_of
from rh_kernel.display.record import Json, error
from rh_kernel.session.results import Event, ItemFailed, Result, Shown, apart_from_printed
from rh_kernel.session.session import Session, execute
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.lexer import python_starts
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import Directive

LANGUAGE = "rh"
LOCKED = "locked"


@frozen
class Cell:
    """A code cell: its place in the notebook (counted from 1), its id, its text, and its name if nbgrader knows it.

    ``is_the_teachers`` tells that a student was not to change it.
    """

    number: int
    id: str
    text: str
    name: str
    is_the_teachers: bool

    @property
    def is_locked(self) -> bool:
        """Whether ``%locked`` stands in it, wherever."""
        items = parse(Source("cell", self.text)) if LOCKED in self.text else ()
        return any(isinstance(item, Directive) and item.name.text == LOCKED for item in items)


@frozen
class Verdict:
    """What became of a locked cell, or of another one that fails; without ``diagnostics`` it passed.

    ``why`` is why it was not run, if it was not.
    """

    cell: Cell
    shown: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    why: str = ""
    is_locked: bool = True

    @property
    def passed(self) -> bool:
        """Whether the cell ran to its end."""
        return not self.diagnostics and not self.why


def grade(file: str, report: Report, settings: Settings) -> None:
    """Tell of each locked cell whether it passes, and of another one if it fails.

    Raises ``Rejected`` (RH381) if the file is not a notebook of the language, or has no locked cell.
    """
    source = read(file)
    cells = _cells(source)
    python = [cell.number for cell in cells if python_starts(cell.text) is not None]
    verdicts = list[Verdict]()
    for verdict in _verdicts(cells, Session.start(folder(file), settings)):
        if verdict.is_locked:
            verdicts.append(verdict)
            report.failed = report.failed or not verdict.passed
        _tell(verdict, report)
    if not verdicts:
        raise Rejected(CannotRead(file=source.name, why="has no cell with `%locked` in it", hint="there is nothing to grade"))
    if not report.as_json:
        if python:
            numbers = ", ".join(map(str, python))
            report.text(f"not run, as Python: cell {numbers}" if len(python) == 1 else f"not run, as Python: cells {numbers}")
        report.text(f"{sum(v.passed for v in verdicts)} of {len(verdicts)} locked cells pass")


def _cells(source: Source) -> list[Cell]:
    """The code cells. Where nbgrader knows the notebook, it also knows which are the teacher's; else all may be."""
    try:
        notebook = json.loads(source.text)
        kernel = notebook["metadata"]["kernelspec"]
        language = kernel.get("language") or kernel["name"]
        found = [_cell(n, cell) for n, cell in enumerate(notebook["cells"], start=1) if cell["cell_type"] == "code"]
        is_graded = any("nbgrader" in cell["metadata"] for cell in notebook["cells"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Rejected(CannotRead(file=source.name, why="is not a notebook", hint="`rh run` runs programs")) from None
    if language != LANGUAGE:
        why = f"is a notebook in another language, {language}"
        raise Rejected(CannotRead(file=source.name, why=why, hint="cells under `%%rh` in a Python notebook cannot be graded"))
    return [cell if is_graded else Cell(cell.number, cell.id, cell.text, cell.name, is_the_teachers=True) for cell in found]


def _cell(number: int, cell: Mapping[str, Any]) -> Cell:
    written: str | list[str] = cell["source"]
    text = written if isinstance(written, str) else "".join(written)
    about = cast(Mapping[str, Any], cell["metadata"].get("nbgrader", {}))
    name = str(about.get("grade_id", ""))
    return Cell(number, str(cell.get("id", number)), text, name, is_the_teachers=bool(name) and about.get("locked") is True)


def _verdicts(cells: list[Cell], session: Session) -> Iterator[Verdict]:
    for cell in cells:
        if python_starts(cell.text) is not None:
            continue
        is_locked = cell.is_locked
        if is_locked and not cell.is_the_teachers:
            yield Verdict(cell, (), (), "`%locked` stands in a cell that is not the teacher's, so it was not run")
            continue
        found = list[Result]()

        def take(event: Event, found: list[Result] = found) -> None:
            if isinstance(event, Shown):
                found.append(event.result)

        session = to_the_end(execute(session, Source(f"cell {cell.number}", cell.text), cell=cell.id), take)
        diagnostics = tuple([d for result in found if isinstance(result, ItemFailed) for d in result.diagnostics])
        if is_locked:
            shown = tuple([text_of(apart_from_printed(r)) for r in found if not isinstance(r, ItemFailed)])
            yield Verdict(cell, shown, diagnostics)
        elif diagnostics:
            yield Verdict(cell, (), diagnostics, is_locked=False)


def _tell(verdict: Verdict, report: Report) -> None:
    cell = verdict.cell
    if report.as_json:
        errors: list[Json] = [{**error(d), "text": plain(d)} for d in verdict.diagnostics]
        about = {
            "cell": cell.number,
            "id": cell.id,
            "kind": "locked" if verdict.is_locked else "cell",
            "name": cell.name,
            "passed": verdict.passed,
        }
        shown: list[Json] = [*verdict.shown]
        report.record({**about, "shown": shown, "errors": errors, **({"why": verdict.why} if verdict.why else {})})
        return
    name = f" ({cell.name})" if cell.name else ""
    what = "passes" if verdict.passed else "FAILS " if verdict.is_locked else "error "
    report.text(f"{what}  cell {cell.number}{name}")
    for line in [verdict.why] if verdict.why else [line for d in verdict.diagnostics for line in plain(d).split("\n")]:
        report.text(f"    {line}")
