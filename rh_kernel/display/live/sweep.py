"""The view of a sweep in a page: its table, which the page sorts by itself, and its plots."""

import math

from rh_kernel.display.data import Json, Record
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.sweeps.plots import plots_data
from rh_kernel.display.sweeps.sheet import Row, Sheet, finished, head, listed, number, outcome, sheet_of
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import sparkline
from rh_kernel.display.training.runs import duration
from rh_kernel.session.results import SweepDone
from rh_kernel.session.sweeps.runs import SweepProgress

LENGTH = 16
"""The length in characters of a curve in the table."""


class SweepView:
    """The view of one sweep, which is done or running."""

    kind = "sweep"

    def __init__(self, sweep: SweepDone | SweepProgress) -> None:
        self._sweep = sweep
        self._sheet = sheet_of(sweep)

    def opening(self) -> Record:
        """Return the summary, the headings, a row for each run with what to show and what to sort by, and the plots.

        ``share`` is the part of the runs that are finished, from 0 to 1; ``None`` of a sweep that is done.
        """
        sheet = self._sheet
        best = None if sheet.best is None else sheet.rows[sheet.best]
        kinds = (("number", sheet.names), ("measure", sheet.measures), ("result", sheet.results))
        columns: list[Json] = [{"text": visible(text), "kind": kind} for kind, texts in kinds for text in texts]
        return {
            "head": head(self._sweep, sheet),
            "seconds": duration(self._sweep.seconds),
            "share": _share(self._sweep),
            "best": None
            if best is None
            else {"row": best.number, "values": listed(best.values), "score": outcome(best.score or 0.0)},
            "columns": columns,
            "rows": [_row(row, sheet) for row in sheet.rows],
            "plots": plots_data(sheet),
        }

    def answer(self, question: Record) -> Record:
        """Raise ``Unanswerable``: the page has everything."""
        raise Unanswerable("the view of a sweep asks nothing")


def _share(sweep: SweepDone | SweepProgress) -> float | None:
    match sweep:
        case SweepDone():
            return None
        case SweepProgress(runs=runs):
            return finished(sweep) / max(len(runs), 1)


def _row(row: Row, sheet: Sheet) -> Record:
    """The texts of the cells, the numbers to sort by (``None``: not finite or missing), curves, words instead, the state."""
    values = [value for _, value in row.values]
    ends: list[float] = [] if row.failure else [*row.outcomes]
    missing = len(sheet.measures) + len(sheet.results) - len(ends)
    texts: list[Json] = [*[number(value) for value in values], *[outcome(end) for end in ends], *[""] * missing]
    keys: list[Json] = [*[end if math.isfinite(end) else None for end in (*values, *ends)], *[None] * missing]
    curves: list[Json] = [sparkline(curve, LENGTH) if len(curve) > 1 else "" for curve in row.curves]
    return {"texts": texts, "keys": keys, "curves": curves, "instead": visible(row.failure) or row.words, "state": row.state}
