"""The view of a sweep: the table, the plots, the record, CSV, and what the page sorts by."""

from __future__ import annotations

import csv
import io
import json
import re
from base64 import b64decode
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from rh_kernel.display.live.sweep import SweepView
from rh_kernel.display.palette import parts_of
from rh_kernel.display.registry import bundle, live_view, records, text
from rh_kernel.display.sweeps.plots import plots
from rh_kernel.display.sweeps.sheet import sheet_of
from rh_kernel.display.sweeps.view import MOST_ROWS, progress, progress_text, to_csv
from rh_kernel.session.errors import CheckFailed
from rh_kernel.session.results import SweepDone
from rh_kernel.session.sweeps.runs import SweepProgress, SweepRun

NAN = float("nan")


def one(a: float, seed: int, *curve: float, result: float | None = None) -> SweepRun:
    results = () if result is None else (("a * 2", result),)
    return SweepRun((("a", a), ("seed", seed)), (("dot(y - t, y - t)", curve),) if curve else (), results, (), 0.25)


def failed(a: float, seed: int, where: str = "") -> SweepRun:
    return SweepRun((("a", a), ("seed", seed)), (), (), (CheckFailed(where=where),), 0.1)


RUNS = (one(0.1, 0, 3.0, 0.5), one(0.1, 1, 3.0, 0.25), failed(0.2, 0), one(0.2, 1, 3.0, NAN))
DONE = SweepDone(RUNS, 4, "2 processes", 1.5)


def test_the_text_marks_the_best_run_and_those_that_failed() -> None:
    head, best, headings, *rows = text(DONE).split("\n")
    assert head == "a sweep of 4 runs · 1 failed · 1 not finite · 2 processes · 1.5 s"
    assert best == "best: a = 0.1, seed = 1, with 0.25"
    assert headings.split() == ["a", "seed", "dot(y", "-", "t,", "y", "-", "t)"]
    assert [row.split()[0] for row in rows] == ["0.1", "★", "✗", "0.2"]
    assert "RH207: the two sides are not equal" in rows[2]
    assert "nan" in rows[3]


def test_the_best_run_is_that_with_the_lowest_last_value_of_the_last_measure() -> None:
    two = tuple([replace(run, measures=(("first", (9.0 - i,)), ("last", (1.0 + i,)))) for i, run in enumerate(RUNS[:2])])
    assert sheet_of(SweepDone(two, 2, "", 0.0)).best == 0
    results = (one(0.1, 0, result=2.0), one(0.2, 0, result=1.0))
    assert sheet_of(SweepDone(results, 2, "", 0.0)).best == 1
    assert sheet_of(SweepDone(RUNS[:1], 1, "", 0.0)).best is None
    assert sheet_of(SweepDone((failed(0.1, 0), one(0.1, 1, NAN)), 2, "", 0.0)).best is None


def test_the_record_is_that_of_the_contract() -> None:
    (record,) = records(3, DONE)
    assert json.loads(json.dumps(record, allow_nan=False)) == {
        "item": 3,
        "kind": "sweep",
        "runs": [
            {"values": {"a": 0.1, "seed": 0}, "measure": [3.0, 0.5]},
            {"values": {"a": 0.1, "seed": 1}, "measure": [3.0, 0.25]},
            {"values": {"a": 0.2, "seed": 0}, "error": {"code": "RH207", "message": "the two sides are not equal"}},
            {"values": {"a": 0.2, "seed": 1}, "measure": [3.0, "nan"]},
        ],
    }


def test_an_interrupted_sweep_says_how_many_runs_there_would_have_been() -> None:
    stopped = SweepDone(RUNS[:1], 4, "2 processes", 1.5, stopped=True)
    (record,) = records(1, stopped)
    assert (record["stopped"], record["count"]) == (True, 4)
    assert text(stopped).startswith("stopped after 1 of 4 runs")
    assert text(replace(stopped, runs=())) == "stopped after 0 of 4 runs · 2 processes · 1.5 s"
    assert "stopped after 0 of 4 runs" in bundle(replace(stopped, runs=()))["text/html"]


def test_csv_has_every_number_in_full() -> None:
    done = SweepDone((one(0.1, 0, 3.0, 1 / 3, result=0.2), failed(0.2, 1, ', "somewhere"')), 2, "", 0.0)
    heading, *rows = csv.reader(io.StringIO(to_csv(done)))
    assert heading == ["a", "seed", "dot(y - t, y - t)", "a * 2", "seconds", "error"]
    assert rows[0] == ["0.1", "0", repr(1 / 3), "0.2", "0.250", ""]
    assert rows[1] == ["0.2", "1", "", "", "0.100", 'RH207: the two sides are not equal, "somewhere"']


def test_the_page_gets_numbers_to_sort_by() -> None:
    opening: dict[str, Any] = SweepView(DONE).opening()
    assert [row["keys"] for row in opening["rows"]] == [[0.1, 0, 0.5], [0.1, 1, 0.25], [0.2, 0, None], [0.2, 1, None]]
    assert opening["best"] == {"row": 1, "values": "a = 0.1, seed = 1", "score": "0.25"}
    assert [column["kind"] for column in opening["columns"]] == ["number", "number", "measure"]
    json.dumps(opening, allow_nan=False)
    view = live_view(DONE)
    assert view is not None
    assert view.kind == "sweep"


def svgs(html: str) -> list[ElementTree.Element]:
    found = re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", html)
    return [ElementTree.fromstring(b64decode(source)) for source in found]


def paths(svg: ElementTree.Element) -> list[str]:
    return [e.attrib["d"] for e in svg.iter("{http://www.w3.org/2000/svg}path") if "stroke-linejoin" in e.attrib]


def test_the_plots_have_a_curve_for_each_run_and_a_panel_for_each_number_that_varies() -> None:
    curves, parallel, over_both, against_a, against_seed = svgs(bundle(DONE)["text/html"])
    assert len(paths(curves)) == 3
    assert len(paths(parallel)) == 2
    dots = [len([e for e in svg.iter() if "fill-opacity" in e.attrib]) for svg in (against_a, against_seed)]
    assert dots == [2, 2]
    assert len([e for e in over_both.iter() if "fill-opacity" in e.attrib]) == 2
    titles = [plot.title for plot in plots(sheet_of(DONE))]
    assert titles[2:] == ["dot(y - t, y - t) over a and seed", "against a", "against seed"]


def test_each_line_of_a_plot_belongs_to_a_run() -> None:
    curves, parallel, *against = plots(sheet_of(DONE))
    assert {line.run for line in curves.lines} == {0, 1, 3}
    assert [{line.run for line in plot.lines} for plot in (parallel, *against)] == [{0, 1}] * 4
    opening: dict[str, Any] = SweepView(DONE).opening()
    assert [len(plot["lines"]) for plot in opening["plots"]] == [len(plot.lines) for plot in plots(sheet_of(DONE))]


def test_the_lines_across_parallel_axes_have_the_order_of_the_values() -> None:
    runs = tuple([one(a, seed, 3.0, a + 10 * seed) for a in (0.1, 1.0, 10.0) for seed in (0, 1)])
    (_, parallel, *_) = plots(sheet_of(SweepDone(runs, 6, "", 0.0)))
    ends = {line.run: [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", line.d)] for line in parallel.lines}
    assert ends[0][0] > ends[2][0] > ends[4][0]
    assert ends[0][1] == ends[0][2] > ends[1][1] == ends[1][2]
    by_score = sorted(ends, key=lambda run: -ends[run][-1])
    assert by_score == sorted(ends, key=lambda run: runs[run].measures[0][1][-1])


def test_a_heat_map_has_an_area_for_each_pair_of_values() -> None:
    numbers = [(a, seed, k) for a in (0.1, 1.0, 10.0) for seed in (0, 1) for k in (2, 5)]
    runs = tuple([SweepRun((("a", a), ("s", s), ("k", k)), (("m", (9.0, a + s * k)),), (), (), 0.0) for a, s, k in numbers])
    (found,) = [plot for plot in plots(sheet_of(SweepDone(runs, 12, "", 0.0))) if plot.title == "m over a and s"]
    assert found.note == "the lowest over k; ★ the best"
    shown = [runs[line.run] for line in found.lines]
    assert sorted(dict(run.values)["k"] for run in shown) == [2] * 6, "of several runs the lowest is shown"
    lows = [(line.colour, run.measures[0][1][-1]) for line, run in zip(found.lines, shown, strict=True)]
    lightness = [sum(parts_of(colour)) for colour, _ in sorted(lows, key=lambda pair: pair[1])]
    assert lightness == sorted(lightness)
    assert [line.text for line in found.lines][-1] == "★0.1"
    corners = [[float(x) for x in line.d[1:].split("h")[0].split()] for line in found.lines]
    places = {run.values[:2]: corner for corner, run in zip(corners, shown, strict=True)}
    assert places[(("a", 0.1), ("s", 0))][0] < places[(("a", 10.0), ("s", 0))][0]
    assert places[(("a", 0.1), ("s", 0))][1] > places[(("a", 0.1), ("s", 1))][1]


def test_a_number_with_one_value_has_no_panel() -> None:
    done = SweepDone((one(0.1, 0, 3.0, 0.5), one(0.2, 0, 3.0, 0.25)), 2, "", 0.0)
    assert [plot.title for plot in plots(sheet_of(done))][1:] == ["against a"]


@pytest.mark.parametrize("value", [0.0, -1.0, 1e300, 5e-324, 1e-300])
def test_extreme_numbers_are_drawn(value: float) -> None:
    done = SweepDone((one(value, 0, 3.0, value), one(0.2, 0, 1.0, 0.25), one(0.3, 0, NAN, 0.5)), 3, "", 0.0)
    assert all("nan" not in path and "inf" not in path for svg in svgs(bundle(done)["text/html"]) for path in paths(svg))


def test_user_text_is_escaped() -> None:
    hostile = "<script>alert(1)</script>"
    run = SweepRun((("a", 1),), ((hostile, (2.0, 1.0)),), ((hostile, 1.0),), (), 0.0)
    wrong = SweepRun((("a", 2),), (), (), (CheckFailed(where=hostile),), 0.0)
    done = SweepDone((run, replace(run, values=(("a", 3),)), wrong), 3, "", 0.0)
    assert "<script" not in bundle(done)["text/html"]
    for svg in svgs(bundle(done)["text/html"]):
        assert not [e for e in svg.iter() if e.tag.endswith("script")]


def test_of_many_runs_the_text_and_the_static_page_show_some() -> None:
    many = tuple([one(0.1, seed, 2.0, 1.0 + seed) for seed in range(500)])
    done = SweepDone(many, 500, "", 0.0)
    assert len(text(done).split("\n")) < MOST_ROWS + 10
    assert "… 440 more" in text(done)
    assert bundle(done)["text/html"].count("<tr") < MOST_ROWS + 10
    opening: dict[str, Any] = SweepView(done).opening()
    assert len(opening["rows"]) == 500


def test_progress_says_what_is_done_and_shows_the_table_so_far() -> None:
    values = tuple([run.values for run in RUNS])
    part = SweepProgress(values, (RUNS[0], None, RUNS[2], None), {1: 0.25}, "2 processes", 3.0)
    assert progress_text(part) == "2/4 runs ████████░░░░░░░░ · 1 failed · 2 processes · 3.0 s"
    html = progress(part)["text/html"]
    assert html.count("<tr") == 5
    assert "running, 25 %" in html
    nothing = SweepProgress(values, (None,) * 4, {}, "2 processes", 0.0)
    assert progress(nothing)["text/html"].count("<tr") == 5
