"""The view of a sweep: as text, as HTML with plots and a table, as a record, and as a view that sorts its table."""

import csv
import io

from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.live.sweep import SweepView
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span
from rh_kernel.display.palette import BACKGROUNDS, COLOURS, NEUTRAL
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.sweeps.plots import plots_html
from rh_kernel.display.sweeps.sheet import Row, Sheet, cut, finished, head, listed, number, outcome, sheet_of
from rh_kernel.display.tables import columns, shortened_rows
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import sparkline
from rh_kernel.display.training.runs import duration
from rh_kernel.session.results import SweepDone
from rh_kernel.session.sweeps.runs import SweepProgress, SweepRun
from rh_kernel.syntax.printing.doc import Role

MOST_ROWS = 60
"""The most rows of a table in text and in a page without a kernel."""

WIDEST = 28
"""The width in characters of the heading of a measure."""

CURVE = 16
"""The length in characters of a curve in the table."""

BAR = 16


def text(sweep: SweepDone) -> str:
    """A summary, the best run, and a line for each run: its numbers, measures with curves, and results."""
    sheet = sheet_of(sweep)
    lines = [f"{head(sweep, sheet)} · {duration(sweep.seconds)}"]
    if sheet.best is not None:
        row = sheet.rows[sheet.best]
        lines.append(f"best: {listed(row.values)}, with {outcome(row.score or 0.0)}")
    if not sheet.rows:
        return lines[0]
    headings = ["", *sheet.names]
    for measure in sheet.measures:
        headings += [cut(visible(measure), WIDEST), ""]
    headings += [cut(visible(result), WIDEST) for result in sheet.results]
    rows = shortened_rows(sheet.rows, MOST_ROWS, lambda row: _cells(row, sheet), lambda n: _omitted(n, len(headings)))
    sides = "l" + "r" * len(sheet.names) + "rl" * len(sheet.measures) + "r" * len(sheet.results)
    table = [*columns([headings, *rows], sides)]
    if len(sheet.rows) <= MOST_ROWS:
        table = [
            line if not row.failure else f"{line.rstrip()}  {row.failure}"
            for line, row in zip(table, (_NO_ROW, *sheet.rows), strict=True)
        ]
    return "\n".join([*lines, *table])


_NO_ROW = Row(-1, (), "waiting", None)


def _cells(row: Row, sheet: Sheet) -> list[str]:
    mark = "✗" if row.state == "failed" else "★" if row.number == sheet.best else ""
    cells = [mark, *[number(value) for _, value in row.values]]
    ends = [*row.outcomes]
    for i in range(len(sheet.measures)):
        is_there = i < len(row.curves) and bool(row.curves[i])
        cells += [outcome(row.curves[i][-1]) if is_there else "", sparkline(row.curves[i], CURVE) if is_there else ""]
    results = ends[len(row.curves) :]
    return [*cells, *[outcome(results[i]) if i < len(results) else "" for i in range(len(sheet.results))]]


def _omitted(count: int, width: int) -> list[str]:
    return ["", f"… {count:,} more", *[""] * (width - 2)]


def progress_text(p: SweepProgress) -> str:
    """One line: ``12/32 runs ██▌░░░ · best 0.2931 · 2 processes · 12 s``."""
    sheet, done = sheet_of(p), finished(p)
    full = round(done / max(len(p.runs), 1) * BAR)
    failed = sum([row.state == "failed" for row in sheet.rows])
    parts = [f"{done}/{len(p.runs)} runs {'█' * full}{'░' * (BAR - full)}"]
    parts += [f"best {outcome(sheet.rows[sheet.best].score or 0.0)}"] if sheet.best is not None else []
    parts += [f"{failed} failed"] if failed else []
    return " · ".join([*parts, p.place, duration(p.seconds), *([p.ended] if p.ended else [])])


def progress(p: SweepProgress) -> dict[str, str]:
    """The progress of a sweep as a MIME bundle: a line of text, and HTML with a bar, the plots and the table so far."""
    sheet = sheet_of(p)
    filled = box(f"width:{finished(p) / max(len(p.runs), 1):.1%};height:6px;background-color:{COLOURS[Role.FUNCTION]}", "")
    bar = box("max-width:798px;height:6px;background-color:rgba(128,128,128,0.25);margin:4px 0", filled)
    line = box("", span("", f"{head(p, sheet)} · {duration(p.seconds)}"))
    return {"text/plain": progress_text(p), "text/html": bar + line + plots_html(sheet) + table_html(sheet)}


def html(sweep: SweepDone) -> str:
    """A summary, the plots, and the table."""
    sheet = sheet_of(sweep)
    return heading_html(sweep, sheet) + plots_html(sheet) + table_html(sheet)


def heading_html(sweep: SweepDone, sheet: Sheet) -> str:
    """The summary, and the best run."""
    words = span("font-weight:bold" if sweep.stopped else "", f"{head(sweep, sheet)} · {duration(sweep.seconds)}")
    if sheet.best is None:
        return box("", words)
    row = sheet.rows[sheet.best]
    best = box(
        "",
        span("", "★ best: "),
        code(listed(row.values), style="font-weight:bold"),
        span("", " with "),
        code(outcome(row.score or 0.0)),
    )
    return box("", words) + best


_CELL = "padding:2px 12px;border:none;white-space:nowrap;vertical-align:middle"
_RIGHT = f"{_CELL};text-align:right;{MONOSPACE}"
_LEFT = f"{_CELL};text-align:left"
_HEAD = f"font-weight:normal;font-size:88%;{FAINT};border-bottom:1px solid rgba(128,128,128,0.4)"


def table_html(sheet: Sheet) -> str:
    """A row for each run; the best is marked with a star and a background, a failed one with its error."""
    if not sheet.rows:
        return ""
    heads = [element("th", f"{_LEFT};{_HEAD}", "")]
    heads += [element("th", f"{_RIGHT};{_HEAD}", code(name)) for name in sheet.names]
    heads += [element("th", f"{_LEFT};{_HEAD}", code(cut(measure, WIDEST)), title=measure) for measure in sheet.measures]
    heads += [element("th", f"{_RIGHT};{_HEAD}", code(cut(result, WIDEST)), title=result) for result in sheet.results]
    width = len(heads)
    body = shortened_rows(
        sheet.rows,
        MOST_ROWS,
        lambda row: _row_html(row, sheet),
        lambda n: element("tr", "background:none", element("td", f"{_LEFT};{FAINT}", f"… {n:,} more", colspan=str(width))),
    )
    style = "border-collapse:collapse;margin:6px 0;border:none"
    return box("overflow-x:auto", element("table", style, element("tr", "background:none", *heads), *body))


def _row_html(row: Row, sheet: Sheet) -> str:
    is_best = row.number == sheet.best
    marks = {"failed": span(f"color:{COLOURS[Role.ERROR]}", "✗"), "running": span(FAINT, "▸"), "waiting": "", "done": ""}
    cells = [element("td", _LEFT, "★" if is_best else marks[row.state])]
    cells += [element("td", _RIGHT, number(value)) for _, value in row.values]
    others = len(sheet.measures) + len(sheet.results)
    if row.failure:
        words = span(f"color:{COLOURS[Role.ERROR]};white-space:normal", row.failure)
        cells.append(element("td", _LEFT, words, colspan=str(max(others, 1))))
    elif row.run is None:
        cells.append(element("td", f"{_LEFT};{FAINT}", row.words, colspan=str(max(others, 1))))
    else:
        ends = row.outcomes[len(row.curves) :]
        cells += [element("td", _LEFT, _measure(curve)) for curve in row.curves]
        cells += [element("td", _RIGHT, outcome(value)) for value in ends]
    background = f"background:{BACKGROUNDS['redex']};font-weight:bold" if is_best else "background:none"
    return element("tr", background, *cells)


def _measure(curve: tuple[float, ...]) -> str:
    number_style = f"{MONOSPACE};display:inline-block;min-width:6.5em;text-align:right;margin-right:0.8em"
    line = span(f"color:{NEUTRAL};font-weight:normal;letter-spacing:0", sparkline(curve, CURVE)) if len(curve) > 1 else ""
    return span(number_style, outcome(curve[-1]) if curve else "") + line


def run_record(run: SweepRun) -> Record:
    """A run as data (LANGUAGE §9): its numbers, and the averages of its first measure; without measures its results."""
    values: Record = dict(run.values)
    if run.failed:
        failure = run.failed[0]
        return {"values": values, "error": {"code": failure.code, "message": failure.message}}
    curves: list[Json] = [strict_json([*curve]) for _, curve in run.measures]
    results: list[Json] = [strict_json(value) for _, value in run.results]
    measures: list[Json] = [{"text": text, "measure": strict_json([*curve])} for text, curve in run.measures]
    more: Record = {"measures": measures} if len(curves) > 1 else {}
    named: list[Json] = [{"text": text, "value": strict_json(value)} for text, value in run.results]
    more |= {"results": named} if named else {}
    return {"values": values, "measure": curves[0] if curves else results, **more}


def record(sweep: SweepDone) -> Record:
    """``{"kind": "sweep", "runs": […]}``; of an interrupted sweep also ``stopped`` and the number of all runs."""
    runs: list[Json] = [run_record(run) for run in sweep.runs]
    stopped: Record = {"stopped": True, "count": sweep.count} if sweep.stopped else {}
    return {"kind": "sweep", "runs": runs, **stopped}


def to_csv(sweep: SweepDone) -> str:
    """The table as CSV with a heading: the numbers, the last value of each measure, the results, the seconds and the error."""
    sheet = sheet_of(sweep)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*sheet.names, *sheet.measures, *sheet.results, "seconds", "error"])
    blank = [""] * (len(sheet.measures) + len(sheet.results))
    for row in sheet.rows:
        seconds = "" if row.run is None else f"{row.run.seconds:.3f}"
        ends = blank if row.failure else [repr(value) for value in row.outcomes]
        writer.writerow([*[value for _, value in row.values], *ends, seconds, row.failure])
    return file.getvalue()


SWEEP = ResultView(SweepDone, text=text, rich=as_html(html), records=lambda done: (record(done),), live=SweepView)
