"""The table of a sweep as data: a column for each number, measure and result, a row for each run, and the best of these."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rh_kernel.display.values import short
from rh_kernel.session.results import SweepDone
from rh_kernel.session.sweeps.runs import SweepProgress, SweepRun

Values: TypeAlias = tuple[tuple[str, float], ...]
State: TypeAlias = Literal["done", "failed", "running", "waiting"]


@dataclass(frozen=True, slots=True)
class Row:
    """A run: its numbers, the last value of each measure and of each result, and why it failed.

    Of a run that is running, ``share`` is done, from 0 to 1.
    """

    number: int
    values: Values
    state: State
    run: SweepRun | None
    share: float = 0.0

    @property
    def words(self) -> str:
        """``running`` or ``running, 40 %``, empty in other states."""
        if self.state != "running":
            return ""
        return f"running, {100 * self.share:.0f} %" if self.share > 0 else "running"

    @property
    def curves(self) -> tuple[tuple[float, ...], ...]:
        """The averages of each measure after each epoch."""
        return () if self.run is None else tuple([curve for _, curve in self.run.measures])

    @property
    def outcomes(self) -> tuple[float, ...]:
        """The last value of each measure, then the results."""
        if self.run is None:
            return ()
        return (*[curve[-1] for _, curve in self.run.measures if curve], *[value for _, value in self.run.results])

    @property
    def score(self) -> float | None:
        """The last value of the last measure; without measures the last result; ``None`` if it is not finite."""
        if self.run is None:
            return None
        ends = [curve[-1] for _, curve in self.run.measures if curve] or [value for _, value in self.run.results]
        return ends[-1] if ends and math.isfinite(ends[-1]) else None

    @property
    def failure(self) -> str:
        """``RH207: …``, or an empty text."""
        return "" if self.run is None or not self.run.failed else f"{self.run.failed[0].code}: {self.run.failed[0].message}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows in the order of the combinations, the names of the numbers, and the texts of the measures and results.

    ``best`` is the number of the row with the lowest score, ``None`` if fewer than two have one.
    """

    rows: tuple[Row, ...]
    names: tuple[str, ...]
    measures: tuple[str, ...]
    results: tuple[str, ...]
    best: int | None

    @property
    def scored_by(self) -> str:
        """What the runs are compared by."""
        return (self.measures or self.results or ("",))[-1]


def sheet_of(sweep: SweepDone | SweepProgress) -> Sheet:
    """The table of a sweep that is done or running."""
    match sweep:
        case SweepDone(runs):
            rows = [Row(n, run.values, "failed" if run.failed else "done", run) for n, run in enumerate(runs)]
        case SweepProgress(values, runs, running):
            rows = [_row(n, values[n], run, running.get(n)) for n, run in enumerate(runs)]
    first = next((row.run for row in rows if row.run is not None and not row.run.failed), None)
    scores = [(row.score, row.number) for row in rows if row.score is not None]
    return Sheet(
        tuple(rows),
        tuple([name for name, _ in rows[0].values]) if rows else (),
        () if first is None else tuple([text for text, _ in first.measures]),
        () if first is None else tuple([text for text, _ in first.results]),
        min(scores)[1] if len(scores) > 1 else None,
    )


def _row(number: int, values: Values, run: SweepRun | None, share: float | None) -> Row:
    if run is None:
        return Row(number, values, "waiting", None) if share is None else Row(number, values, "running", None, share)
    return Row(number, values, "failed" if run.failed else "done", run)


def varying(sheet: Sheet) -> list[str]:
    """The names of the numbers that have several values."""
    return [name for i, name in enumerate(sheet.names) if len({row.values[i][1] for row in sheet.rows}) > 1]


def values_of(sheet: Sheet, name: str) -> list[float]:
    """The values of a number in ascending order."""
    return sorted({dict(row.values)[name] for row in sheet.rows})


def number(value: float) -> str:
    """A number of a sweep as it is written."""
    return str(value)


def listed(values: Values) -> str:
    """``a = 0.1, seed = 3``"""
    return ", ".join([f"{name} = {number(value)}" for name, value in values])


def outcome(value: float) -> str:
    """A measure or a result, with four significant digits."""
    return short(value)


def cut(text: str, most: int) -> str:
    """The text, of more than ``most`` characters the first and the last."""
    if len(text) <= most:
        return text
    end = most // 2
    return f"{text[: most - end - 1].rstrip()}…{text[-end:].lstrip()}"


def head(sweep: SweepDone | SweepProgress, sheet: Sheet) -> str:
    """``32 runs · 1 failed · 2 processes``"""
    return " · ".join([part for part in _head_parts(sweep, sheet) if part])


def _head_parts(sweep: SweepDone | SweepProgress, sheet: Sheet) -> Sequence[str]:
    match sweep:
        case SweepDone(stopped=True):
            first, last = f"stopped after {len(sheet.rows):,} of {sweep.count:,} runs", ""
        case SweepDone():
            first, last = "a sweep of " + ("1 run" if len(sheet.rows) == 1 else f"{len(sheet.rows):,} runs"), ""
        case SweepProgress():
            first, last = f"{finished(sweep):,} of {len(sheet.rows):,} runs", sweep.ended
    failed = sum([row.state == "failed" for row in sheet.rows])
    lost = sum([row.state == "done" and bool(row.outcomes) and row.score is None for row in sheet.rows])
    return (
        first,
        f"{failed:,} failed" if failed else "",
        f"{lost:,} not finite" if lost else "",
        sweep.place,
        last,
    )


def finished(progress: SweepProgress) -> int:
    """The number of runs that are finished, or have failed."""
    return sum([run is not None for run in progress.runs])
