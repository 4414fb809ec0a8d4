"""The measurement of a class: what it counts is there, and what it hands in is graded as it was made."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path
from random import Random

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.press.editions import cleared, locked, solved, teacher
from lessons.press.texts import CHECK, EXERCISE, UNLOCKED, lessons, tags
from lessons.reference.sizing import SIZES, Grading, Measured, Point, measured_of
from rh_kernel.command_line.arguments import main
from tests.load import server
from tests.load.classroom import _quantiles, cells_of, measured
from tests.load.submissions import WAYS, answered, submission, write

EXERCISE_TEXT = """fun f(x : Real) : Real =
  ### BEGIN SOLUTION
  dot(x, 21)
  ### END SOLUTION"""

(LESSON,) = lessons(("04",))


def test_the_quantiles_are_in_their_order() -> None:
    assert _quantiles([3.0]) == (3.0, 3.0)
    assert _quantiles([*map(float, range(101))]) == (50, 95)


def test_the_cells_of_a_lesson_are_solved_and_some_are_meant_to_fail() -> None:
    cells = cells_of(LESSON)
    assert any(fails for _, fails in cells)
    assert not any("### BEGIN" in text or "YOUR_CODE_HERE" in text for text, _ in cells)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which part of a page is whose")
def test_memory_is_that_of_the_process() -> None:
    code = "x = bytearray(50_000_000); x[::4096] = bytes(len(x[::4096])); print(1, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert 50 < server.megabytes(psutil.Process(process.pid)) < 80
        process.kill()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux only")
def test_a_class_of_two_is_measured_and_leaves_no_process() -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    found = measured(2, [("const a = 1", False), ("a + nowhere", True)], 0.01, 0, preloaded=False)
    assert (found.students, found.cells, found.preloader) == (2, 2, 0)
    assert 20 < found.idle < found.kernel + 5 < 300
    assert found.total == pytest.approx(found.server + 2 * found.kernel)
    assert 0 < found.cell[0] <= found.cell[1]
    assert found.starting > 0.1
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    with pytest.raises(AssertionError, match="other errors than the lesson has"):
        measured(1, [("a + nowhere", False)], 0.01, 0, preloaded=False)


def test_a_submission_depends_on_the_seed_alone() -> None:
    edition = teacher(LESSON)
    made = [[cell.source for cell in submission(edition, Random(seed)).cells] for seed in [*range(10), *range(10)]]
    assert made[:10] == made[10:]
    assert len({*map(tuple, made)}) > 3


@given(st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_an_exercise_is_answered_in_the_way_that_is_asked_for(way: str, random: Random) -> None:
    answer = answered(EXERCISE_TEXT, way, random)
    right = solved(EXERCISE_TEXT)
    assert (answer == right) <= (way in {"solved", "wrong number"})
    assert (answer == cleared(EXERCISE_TEXT)) == (way == "stub")
    assert (answer == "") == (way == "nothing")


def test_what_a_class_hands_in_is_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write(LESSON, 3, 1, tmp_path)
    main(["grade", "--csv", *map(str, files)])
    rows = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
    checks = [cell for cell in locked(teacher(LESSON)).cells if CHECK in tags(cell) and UNLOCKED not in tags(cell)]
    assert [row["problem"] for row in rows] == [""] * 3
    assert {row["locked"] for row in rows} == {str(len(checks))}
    exercises = [cell.source for cell in submission(locked(teacher(LESSON)), Random("1 0")).cells if EXERCISE in tags(cell)]
    wanted = [solved(cell.source) for cell in teacher(LESSON).cells if EXERCISE in tags(cell)]
    assert (rows[0]["passed"] == rows[0]["locked"]) >= (exercises == wanted)
    assert len({row["passed"] for row in rows}) > 1


def test_the_tables_say_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from lessons.reference import sizing

    points = [
        Point(50, preloaded, 1.0, (1.0, 2.0), (0.02, 0.2), 34, 0.03, 0.6, 55.0, kernel, 100.0, preloader, 0.1)
        for preloaded, kernel, preloader in ((False, 70.0, 0.0), (True, 40.0, 50.0))
    ]
    found = Measured("2000-01-01", "a machine", 2, "04-reverse-handlers", points, [Grading(500, 2, 100.0)])
    monkeypatch.setattr(sizing, "measured", lambda: found)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in sizing.sizing_part().splitlines()[2 : 2 + len(SIZES)]]
    assert [row[0] for row in rows] == [str(n) for n in SIZES]
    largest = rows[-1]
    assert largest[4:] == ["35 GB", "5", "20 GB", "5"]
    assert "| 50 | preloaded | 1.0 s · 2.0 s | 20 ms · 200 ms |" in sizing.load_part()
    assert "| 500 | 2 | 1.7 min | 300 | 1.7 min |" in sizing.grading_part()


def test_a_file_is_read_as_it_was_written() -> None:
    row = {"submissions": 40, "jobs": 1, "seconds": 3.5}
    found = measured_of({"date": "d", "machine": "m", "cores": 2, "lesson": "l", "points": [], "grading": [row]})
    assert found == Measured("d", "m", 2, "l", [], [Grading(40, 1, 3.5)])
