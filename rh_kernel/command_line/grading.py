"""``rh grade``: grade the locked cells of a notebook in a process that runs none of its Python.

RH cells run from first to last, as a kernel would run them; Python cells do not. So nothing that a student writes can change
the code that evaluates the checks: an RH program cannot reach Python, and Python is not run.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from rh_kernel.command_line.errors import CannotRead
from rh_kernel.command_line.files import folder, read
from rh_kernel.command_line.report import Report
from rh_kernel.command_line.running import drain
from rh_kernel.display.data import Json
from rh_kernel.display.diagnostics import error
from rh_kernel.display.diagnostics import text as plain
from rh_kernel.display.registry import text as text_of
from rh_kernel.session.printed import apart_from_printed
from rh_kernel.session.results import Event, ItemFailed, Result, Shown
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
    """A code cell: its number in the notebook (from 1), its id, its text, and its name if it has one in nbgrader.

    ``is_the_teachers`` says that students were not supposed to change it.
    """

    number: int
    id: str
    text: str
    name: str
    is_the_teachers: bool

    @property
    def is_locked(self) -> bool:
        """Whether ``%locked`` stands anywhere in it."""
        items = parse(Source("cell", self.text)) if LOCKED in self.text else ()
        return any(isinstance(item, Directive) and item.name.text == LOCKED for item in items)


@frozen
class Verdict:
    """The outcome of a locked cell, or of any other cell that fails; it passed if there are no ``diagnostics``.

    ``why`` says why it was not run, if it was not.
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
    """Report for each locked cell whether it passes, and any other cell that fails.

    Raises ``Rejected`` (RH381) if the file is not an RH notebook or has no locked cell.
    """
    source = read(file)
    cells = _cells(source)
    python = [cell.number for cell in cells if python_starts(cell.text) is not None]
    verdicts = list[Verdict]()
    for verdict in _verdicts(cells, Session.start(folder(file), settings)):
        if verdict.is_locked:
            verdicts.append(verdict)
            report.failed = report.failed or not verdict.passed
        _report(verdict, report)
    if not verdicts:
        raise Rejected(CannotRead(file=source.name, why="has no cell with `%locked` in it", hint="there is nothing to grade"))
    if not report.as_json:
        if python:
            numbers = ", ".join(map(str, python))
            report.text(f"not run, as Python: cell {numbers}" if len(python) == 1 else f"not run, as Python: cells {numbers}")
        report.text(f"{sum(v.passed for v in verdicts)} of {len(verdicts)} locked cells pass")


def _cells(source: Source) -> list[Cell]:
    """Return the code cells. In an nbgrader notebook its metadata says which are the teacher's; otherwise all count as such."""
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
    fields = cast(Mapping[str, Any], cell["metadata"].get("nbgrader", {}))
    name = str(fields.get("grade_id", ""))
    return Cell(number, str(cell.get("id", number)), text, name, is_the_teachers=bool(name) and fields.get("locked") is True)


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

        session = drain(execute(session, Source(f"cell {cell.number}", cell.text), cell=cell.id), take)
        diagnostics = tuple([d for result in found if isinstance(result, ItemFailed) for d in result.diagnostics])
        if is_locked:
            shown = tuple([text_of(apart_from_printed(r)) for r in found if not isinstance(r, ItemFailed)])
            yield Verdict(cell, shown, diagnostics)
        elif diagnostics:
            yield Verdict(cell, (), diagnostics, is_locked=False)


def _report(verdict: Verdict, report: Report) -> None:
    cell = verdict.cell
    if report.as_json:
        errors: list[Json] = [{**error(d), "text": plain(d)} for d in verdict.diagnostics]
        fields = {
            "cell": cell.number,
            "id": cell.id,
            "kind": "locked" if verdict.is_locked else "cell",
            "name": cell.name,
            "passed": verdict.passed,
        }
        shown: list[Json] = [*verdict.shown]
        report.record({**fields, "shown": shown, "errors": errors, **({"why": verdict.why} if verdict.why else {})})
        return
    name = f" ({cell.name})" if cell.name else ""
    what = "passes" if verdict.passed else "FAILS " if verdict.is_locked else "error "
    report.text(f"{what}  cell {cell.number}{name}")
    for line in [verdict.why] if verdict.why else [line for d in verdict.diagnostics for line in plain(d).split("\n")]:
        report.text(f"    {line}")
