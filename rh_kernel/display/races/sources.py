"""The clauses in which the handlers of a race differ, side by side, as text, as HTML and as data for a page."""

from collections.abc import Sequence

from rh_kernel.display.data import Json, Record
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, details, element, span
from rh_kernel.display.palette import BACKGROUNDS, MARKS
from rh_kernel.display.text import visible
from rh_kernel.session.races.clauses import Cell, ClauseRow, Comparison
from rh_kernel.session.races.runs import Racer

MISSING = "no clause: goes on to the handlers outside"

LEGEND = "marked: what is not in the first clause of the row, and in that clause what is not in another one"


def differing_text(found: Comparison, racers: Sequence[Racer]) -> list[str]:
    """For each clause that differs its name, and below it its sources; lines with marked parts begin with ▌."""
    lines: list[str] = []
    columns = _columns(found, racers)
    for row in found.differing:
        lines.append(f"they differ in `{visible(row.name)}`:")
        for column in columns:
            cell = row.cells[column[0]]
            lines.append(f"  {', '.join([visible(racers[n].text) for n in column])}")
            lines += [f"    {line}" for line in ([MISSING] if cell is None else _marked_lines(cell))]
    return lines


def _columns(found: Comparison, racers: Sequence[Racer]) -> list[list[int]]:
    """The numbers of the handlers, those with the same sources together."""
    columns: dict[tuple[str | None, ...], list[int]] = {}
    for n in range(len(racers)):
        columns.setdefault(tuple([None if c is None else c.text for c in [row.cells[n] for row in found.rows]]), []).append(n)
    return [*columns.values()]


def _marked_lines(cell: Cell) -> list[str]:
    found: list[str] = []
    start = 0
    for line in cell.text.split("\n"):
        end = start + len(line)
        has_mark = any(a < end and b > start for a, b in cell.marks)
        found.append(f"{'▌' if has_mark else ' '} {visible(line)}".rstrip())
        start = end + 1
    return found


def clauses_html(found: Comparison, racers: Sequence[Racer]) -> str:
    """A table with a column for each handler and a row for each clause that differs; the others are below it."""
    if len(racers) < 2 or not found.rows:
        return ""
    if not found.differing:
        return box(f"margin:6px 0;{FAINT}", span("", "the clauses of all handlers are the same; their parameters differ"))
    columns = _columns(found, racers)
    heads = [
        element("th", f"{_CELL};{_HEAD}", *[box("", *_heading(racers[n].text, found.parameters[n])) for n in column])
        for column in columns
    ]
    rows = [element("tr", "background:none", element("th", f"{_CELL};{_HEAD}", span("", "clause")), *heads)]
    rows += [_row(row, columns) for row in found.differing]
    table = element("table", "border-collapse:collapse;margin:6px 0;border:none", *rows)
    return box("overflow-x:auto", table) + box(f"font-size:90%;{FAINT}", span("", LEGEND)) + _same(found)


def _heading(handler: str, parameters: str) -> tuple[str, str]:
    return code(handler, style="font-weight:bold"), code(
        f"  {parameters}" if parameters else "", style=f"{FAINT};white-space:pre"
    )


def _row(row: ClauseRow, columns: Sequence[Sequence[int]]) -> str:
    cells = [element("td", _CELL, _source(row.cells[column[0]])) for column in columns]
    return element("tr", "background:none", element("th", _CELL, code(row.name, style="font-weight:bold")), *cells)


def _source(cell: Cell | None) -> str:
    if cell is None:
        return span(FAINT, MISSING)
    parts = [span(_MARK if is_marked else "", text) for text, is_marked in segments(cell)]
    return element("pre", f"margin:0;background:none;white-space:pre;{MONOSPACE};font-size:92%;line-height:1.5", *parts)


def segments(cell: Cell) -> list[tuple[str, bool]]:
    """The source of a clause in pieces, and whether each is marked."""
    found: list[tuple[str, bool]] = []
    at = 0
    for start, end in cell.marks:
        found += [(cell.text[at:start], False), (cell.text[start:end], True)]
        at = end
    found.append((cell.text[at:], False))
    return [(text, is_marked) for text, is_marked in found if text]


def _same(found: Comparison) -> str:
    same = [row for row in found.rows if not row.differs]
    if not same:
        return ""
    names = ", ".join([row.name for row in same])
    sources = [_source(row.cells[0]) for row in same]
    return details("margin:4px 0", span(FAINT, f"the same in all of them: {names}"), *sources)


def clauses_data(found: Comparison, racers: Sequence[Racer]) -> Record:
    """The comparison for a page that makes elements of it: a heading for each column, and rows of cells in pieces."""
    columns = _columns(found, racers)

    def cell(one: Cell | None) -> Json:
        return None if one is None else [[_visible(text), is_marked] for text, is_marked in segments(one)]

    def heading(n: int) -> Json:
        return {"run": n, "handler": visible(racers[n].text), "parameters": visible(found.parameters[n])}

    rows: list[Json] = [
        {"name": visible(row.name), "differs": row.differs, "cells": [cell(row.cells[column[0]]) for column in columns]}
        for row in found.rows
    ]
    heads: list[Json] = [[heading(n) for n in column] for column in columns] if found.rows and len(racers) > 1 else []
    return {"columns": heads, "rows": rows, "missing": MISSING, "legend": LEGEND}


def _visible(text: str) -> str:
    return "\n".join([visible(line) for line in text.split("\n")])


_CELL = "padding:4px 18px 4px 0;border:none;vertical-align:top;text-align:left"
_HEAD = "font-weight:normal;border-bottom:1px solid rgba(128,128,128,0.4)"
_MARK = f"background:{BACKGROUNDS['redex']};border-bottom:2px solid rgb({MARKS['redex']})"
