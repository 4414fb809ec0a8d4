"""The view of a race: the text, the record, the pictures; and contour lines."""

from __future__ import annotations

import itertools
import json
import re
from base64 import b64decode
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.contours import contour
from rh_kernel.display.live.race import RaceView
from rh_kernel.display.races.curves import apart
from rh_kernel.display.races.looks import look
from rh_kernel.display.races.view import pictures, progress, progress_text
from rh_kernel.display.registry import bundle, records, text
from rh_kernel.session.races.action import MOST
from rh_kernel.session.races.clauses import Cell, ClauseRow, Comparison
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.races.runs import RaceProgress, Racer
from rh_kernel.training.slices import Slice
from tests.tiers import law

NAN = float("nan")
FAST = Racer("fast(<b>)", ((2.0, 1.0, 0.25),), 1.0, 3.0)
SLOW = Racer("slow(0.1)", ((2.0, 1.5, 1.25),), 1.0, 0.5)
LOST = Racer("lost", ((2.0, NAN, NAN),), 1.0, NAN)
PLANE = Slice(
    (-1.0, 0.0, 1.0),
    (-1.0, 0.0, 1.0),
    ((2, 1, 2), (1, 0, 1), (2, 1, NAN)),
    (((-1, -1), (0, 0)), ((-1, -1), (0, 1)), ()),
    0.9789,
    None,
    4,
)
DONE = RaceDone((FAST, SLOW, LOST), ("error",), 3, 4, 0.5, PLANE)


def test_the_text_marks_the_lowest() -> None:
    head, best, headings, *rows = text(DONE).split("\n")
    assert head == "a race of 3 handlers · 3 epochs of 4 samples · 0.5 s"
    assert best == "lowest at the end: fast(<b>), with 0.25"
    assert headings.split() == ["handler", "error", "moved"]
    assert [row.split()[0] for row in rows] == ["★", "slow(0.1)", "lost"]
    assert "lowest" not in text(replace(DONE, racers=(FAST, LOST)))


def test_the_record_is_data() -> None:
    (record,) = records(2, replace(DONE, racers=(FAST,), stopped=True))
    assert json.loads(json.dumps(record, allow_nan=False)) == {
        "item": 2,
        "kind": "race",
        "epochs": 3,
        "samples": 4,
        "runs": [{"handler": "fast(<b>)", "moved": 3.0, "measures": [{"text": "error", "measure": [2.0, 1.0, 0.25]}]}],
        "differ_in": [],
        "share": 0.9789,
        "stopped": True,
    }


def test_the_pictures_are_well_formed_and_say_in_words_what_they_show() -> None:
    html = bundle(DONE)["text/html"]
    assert "fast(<b>)" not in html
    images = [b64decode(data).decode() for data in re.findall(r"base64,([^\"]+)", html)]
    assert len(images) == 2
    assert [ElementTree.fromstring(image).tag.endswith("svg") for image in images] == [True, True]
    assert "fast(&lt;b&gt;)" in images[0]
    curves, plane = pictures(DONE)
    assert "slow(0.1): " in curves.label
    assert "97.8 % of the squared distances" in plane.note
    assert {line.run for line in plane.lines} == {0, 1, 2}


def test_a_race_that_runs_has_curves_and_one_line() -> None:
    running = RaceProgress((FAST, replace(SLOW, share=0.5)), ("error",), 3, 4, 0.5)
    assert progress_text(running).startswith("racing ████████████░░░░ 75% · 0.25 · 1.25")
    assert "<img" in progress(running)["text/html"]
    assert "<img" not in progress(replace(running, racers=(replace(FAST, curves=((),)),)))["text/html"]


def test_no_two_handlers_look_alike() -> None:
    looks = [look(n) for n in range(MOST)]
    assert len(set(looks)) == MOST
    assert all(a.dash != b.dash or a.shape != b.shape for a, b in itertools.pairwise(looks))


@given(st.lists(st.floats(12, 300), min_size=1, max_size=8).map(sorted))
def test_labels_do_not_touch(wanted: list[float]) -> None:
    found = apart(wanted, 12, 300)
    assert all(b - a >= 13 - 1e-9 for a, b in itertools.pairwise(found))
    assert found[-1] <= 300


@law(50)
@given(st.floats(-2, 2), st.floats(0.1, 2), st.floats(-3, 3))
def test_contour_lines_of_a_plane_are_straight_and_at_the_level(a: float, b: float, level: float) -> None:
    values = [[a * i + b * j for i in range(4)] for j in range(4)]
    for piece in contour(values, level):
        for x, y in piece:
            assert a * x + b * y == pytest.approx(level, abs=1e-9)


def test_a_contour_line_around_a_corner_and_at_a_saddle() -> None:
    assert [*contour([[0, 1], [1, 1]], 0.5)] == [((0.5, 0), (0, 0.5))]
    assert len([*contour([[0, 1], [1, 0]], 0.25)]) == 2
    assert [*contour([[0, NAN], [1, 1]], 0.5)] == []


CLAUSES = Comparison(
    ("a = 1", "a = 0.1", ""),
    (
        ClauseRow("return", (Cell("return x -> x", ()), Cell("return x -> x", ()), Cell("return x -> x", ()))),
        ClauseRow("Op", (Cell("Op(x) ->\n  f(<b>)", ((11, 17),)), Cell("Op(x) ->\n  f(<b>)", ((11, 17),)), None)),
    ),
)


def test_the_clauses_that_differ_are_side_by_side_with_the_marked_lines() -> None:
    done = replace(DONE, clauses=CLAUSES)
    *_, title, both, first, second, lost, missing = text(done).split("\n")
    assert (title, both, lost) == ("they differ in `Op`:", "  fast(<b>), slow(0.1)", "  lost")
    assert (first, second) == ("      Op(x) ->", "    ▌   f(<b>)")
    assert "no clause" in missing
    html = bundle(done)["text/html"]
    assert "f(&lt;b&gt;)" in html
    assert "the same in all of them: return" in html
    equal = replace(done, clauses=Comparison(CLAUSES.parameters, CLAUSES.rows[:1]))
    assert "the clauses of all handlers are the same" in bundle(equal)["text/html"]


def test_the_page_gets_rows_lines_and_clauses_and_while_it_runs_no_clauses() -> None:
    opening: dict[str, Any] = RaceView(replace(DONE, clauses=CLAUSES)).opening()
    assert (opening["share"], opening["best"]) == (None, 0)
    assert [row["handler"] for row in opening["rows"]] == ["fast(<b>)", "slow(0.1)", "lost"]
    assert {line["run"] for plot in opening["plots"] for line in plot["lines"]} == {0, 1, 2}
    assert [[head["run"] for head in column] for column in opening["clauses"]["columns"]] == [[0, 1], [2]]
    assert opening["clauses"]["rows"][1]["cells"] == [[["Op(x) ->\n  ", False], ["f(<b>)", True]], None]
    json.dumps(opening, allow_nan=False)
    running: dict[str, Any] = RaceView(RaceProgress((FAST, replace(SLOW, share=0.5)), ("error",), 3, 4, 0.5)).opening()
    assert (running["share"], running["clauses"]) == (0.75, None)
