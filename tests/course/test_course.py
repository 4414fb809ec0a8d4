"""The course: what students get, what they hand in, the points of each kind of student, and what is left when it is over."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import nbformat
import pytest

from lessons.press.editions import BEGIN
from tests.course.conftest import AT_A_TIME, Attended, Course, Graded, Remains
from tests.course.hub import log_in
from tests.course.submissions import BY_NAME, FILLS, KINDS, exercises, named, passing
from tests.course.teacher import ASSIGNMENT, COURSE, KILOBYTES

EACH_KIND = pytest.mark.parametrize("kind", [kind.name for kind in KINDS])


@EACH_KIND
def test_a_student_fetches_the_assignment_without_its_solutions(attended: Mapping[str, Attended], kind: str) -> None:
    cells = exercises(attended[kind].released)
    assert len(cells) == 6
    assert all("YOUR_CODE_HERE" in cell.source and BEGIN not in cell.source for cell in cells.values())


@EACH_KIND
def test_a_student_pulls_the_lesson_from_a_repository(attended: Mapping[str, Attended], kind: str) -> None:
    assert attended[kind].pulled[-1] == {"phase": "finished"}
    assert list((attended[kind].student.home / "lessons").glob("*.ipynb"))


@EACH_KIND
def test_what_passes_in_a_students_own_notebook(attended: Mapping[str, Attended], kind: str) -> None:
    assert attended[kind].seen == BY_NAME[kind].seen


@EACH_KIND
def test_what_is_handed_in_is_in_the_students_list(attended: Mapping[str, Attended], kind: str) -> None:
    statuses = [one["status"] for one in attended[kind].submitted if one["assignment_id"] == ASSIGNMENT]
    assert sorted(statuses) == ["fetched", "submitted"]


def test_a_kernel_that_fills_its_memory_fails_in_that_cell_alone(attended: Mapping[str, Attended]) -> None:
    (filling,) = [cell for cell in attended["fills"].notebook.cells if cell.source == FILLS]
    assert {output.ename.split()[0] for output in filling.outputs if output.output_type == "error"} == {"RH241"}


def test_an_update_of_the_lessons_leaves_a_students_work_alone(attended: Mapping[str, Attended], course: Course) -> None:
    student = attended["solves"].student
    (path,) = [path.relative_to(student.home) for path in (student.home / "lessons").glob("*.ipynb")]
    own = student.read(str(path))
    own.cells[0].source = "my notes"
    student.save(str(path), own)
    news = course.folder / "lessons" / "news.md"
    news.write_text("The exam is on Monday.\n", encoding="utf-8")
    course.publish(news.parent)
    assert student.pull(str(course.repository), "lessons")[-1] == {"phase": "finished"}
    assert (student.home / "lessons" / "news.md").read_text(encoding="utf-8") == news.read_text(encoding="utf-8")
    assert student.read(str(path)).cells[0].source == "my notes"


def test_the_culler_stops_every_server(culled: Remains) -> None:
    """Also those where a program runs that does not end, or ignores interrupts."""
    assert culled.servers == set()
    assert not [line for line in culled.processes if "singleuser" in line or "rh_kernel" in line]


@EACH_KIND
def test_the_points(graded: Graded, kind: str) -> None:
    expected = BY_NAME[kind]
    assert graded.points[kind] == (expected.locked, expected.open)
    assert graded.exported[kind] == expected.locked + expected.open


def test_no_submission_takes_longer_than_its_limit(graded: Graded) -> None:
    rounds = -(-len(KINDS) // AT_A_TIME)
    assert graded.seconds < rounds * graded.limit
    assert "database is locked" not in graded.log


def test_no_submission_has_more_memory_than_its_limit(graded: Graded) -> None:
    """A fifth more is for what is not data: programs and libraries."""
    assert KILOBYTES * 1000 / 3 < graded.peaks.bytes < 1.2 * KILOBYTES * 1024, graded.peaks


def test_the_feedback_says_what_failed(course: Course, graded: Graded) -> None:
    assert graded.points["python"][0] == 0
    student = log_in(course.hub, "python")
    listed = student.assignments("fetch_feedback", COURSE, ASSIGNMENT)
    (submission,) = [one for entry in listed for one in entry.get("submissions", [])]
    assert submission["has_local_feedback"]
    page = student.home / submission["local_feedback_path"] / course.teacher.notebook.replace(".ipynb", ".html")
    assert "Check failed" in re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8"))


def test_the_teachers_checks_are_back_in_what_is_graded(course: Course, graded: Graded) -> None:
    assert graded.points["changes"] == (0, 0)
    path = course.teacher.folder / "autograded" / "changes" / ASSIGNMENT / course.teacher.notebook
    done = nbformat.read(path, as_version=4)
    assert named(done, "golden-locked").source == "%locked\ncheck dot(cube(golden), golden) == 17"
    assert passing(done) == 0


def test_no_process_is_left(closed: Sequence[str]) -> None:
    assert closed == []
