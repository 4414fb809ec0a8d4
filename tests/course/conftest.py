"""A course from the first day to the last, with real servers; its fixtures are the parts of the story, in their order."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.course import hub as hubs
from tests.course.hub import PATIENCE, Hub, Student, log_in
from tests.course.processes import MARK, Desk, Peaks, described, eventually, processes, watched
from tests.course.submissions import IGNORES_INTERRUPTS, KINDS, LOCKED, LOOPS, OPEN, Kind, passing
from tests.course.teacher import ASSIGNMENT, COURSE, KILOBYTES, OF_ALL, SECONDS_OF_A_SUBMISSION, Teacher, longer

AT_A_TIME = 2
"""How many submissions are graded at a time."""

LINES = pytest.StashKey[list[str]]()
"""What is told at the end of the run."""


@dataclass
class Course:
    """A course with a hub, an exchange and a repository of lessons."""

    mark: str
    folder: Path
    hub: Hub
    teacher: Teacher
    desk: Desk

    @property
    def repository(self) -> Path:
        """The bare repository from which students pull lessons."""
        return self.folder / "lessons.git"

    @property
    def notebook(self) -> str:
        """Where the notebook of the assignment is in a student's home."""
        return f"{ASSIGNMENT}/{self.teacher.notebook}"

    def publish(self, folder: Path) -> None:
        """Commit what is in a folder and push it to the repository."""
        if not self.repository.exists():
            self.desk.ask("git", "init", "--quiet", "--bare", "--initial-branch=main", self.repository, cwd=self.folder)
            self.desk.ask("git", "init", "--quiet", "--initial-branch=main", cwd=folder)
        identity = ("-c", "user.name=teacher", "-c", "user.email=teacher@example.org")
        self.desk.ask("git", "add", "--all", cwd=folder)
        self.desk.ask("git", *identity, "commit", "--quiet", "--message", "lessons", cwd=folder)
        self.desk.ask("git", "push", "--quiet", self.repository, "main", cwd=folder)


@dataclass
class Attended:
    """What a student has met: the released notebook, a report of nbgitpuller, and how many locked checks passed at home."""

    student: Student
    released: Any
    pulled: Sequence[Mapping[str, Any]]
    notebook: Any
    seen: int | None
    submitted: Sequence[Mapping[str, Any]]


@dataclass
class Graded:
    """What the teacher has: the points for checks with and without ``%locked``, what nbgrader wrote, and what grading took.

    ``limit`` is that of a submission, in seconds.
    """

    points: Mapping[str, tuple[int, int]]
    exported: Mapping[str, float]
    log: str
    limit: int
    seconds: float
    peaks: Peaks


@dataclass
class Remains:
    """Whose servers run, and which processes, after the students have gone."""

    servers: set[str]
    processes: list[str]


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    """A hub that runs, a released assignment, and a repository with the same lesson."""
    folder = tmp_path_factory.mktemp("course")
    mark = uuid.uuid4().hex
    settings, exchange = folder / "settings", folder / "exchange"
    settings.mkdir()
    exchange.mkdir()
    exchange.chmod(0o777)
    (settings / "nbgrader_config.py").write_text(OF_ALL.format(course=COURSE, exchange=exchange), encoding="utf-8")
    variables = {"JUPYTER_CONFIG_PATH": str(settings)}
    desk = Desk(mark, folder / "teacher", variables)
    teacher = Teacher(desk, folder / "gradebook")
    teacher.prepare()
    teacher.release()
    hub = hubs.start(desk, folder, uuid.uuid4().hex, KILOBYTES, {MARK: mark, **variables})
    try:
        made = Course(mark, folder, hub, teacher, desk)
        lessons = folder / "lessons"
        teacher.press(lessons)
        made.publish(lessons)
        yield made
    finally:
        hub.stop()
        for process in processes(mark):
            process.kill()


@pytest.fixture(scope="session")
def attended(course: Course) -> Mapping[str, Attended]:
    """All students have done what they do, and handed it in."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = pool.map(partial(_attend, course), KINDS)
        return {kind.name: attended for kind, attended in zip(KINDS, found, strict=True)}


def _attend(course: Course, kind: Kind) -> Attended:
    student = log_in(course.hub, kind.name)
    student.assignments("fetch", COURSE, ASSIGNMENT)
    pulled = student.pull(str(course.repository), "lessons")
    released = student.read(course.notebook)
    notebook = student.read(course.notebook)
    kind.does(notebook, nbformat.read(course.teacher.source / course.teacher.notebook, as_version=4))
    student.save(course.notebook, notebook)
    with student.kernel(course.notebook) as kernel:
        for cell in notebook.cells:
            if cell.source in (LOOPS, IGNORES_INTERRUPTS):
                # This runs until the server is stopped.
                kernel.send(cell.source)
                break
            if cell.cell_type == "code":
                cell.outputs = kernel.run(cell.source)
    student.save(course.notebook, notebook)
    seen = None if kind.seen is None else passing(notebook)
    submitted = student.assignments("submit", COURSE, ASSIGNMENT)
    return Attended(student, released, pulled, notebook, seen, submitted)


@pytest.fixture(scope="session")
def culled(course: Course, attended: Mapping[str, Attended]) -> Remains:
    """The students have gone, and the culler has stopped their servers, on two of which a program still ran."""
    assert attended
    culler = Desk(course.mark, course.folder / "culler", {"JUPYTERHUB_API_TOKEN": course.hub.token})
    command = ("python", "-m", "jupyterhub_idle_culler", "--timeout=5", "--cull-every=2", f"--url={course.hub.url}/hub/api")
    culling = culler.start(*command, cwd=course.folder, log=course.folder / "culler.log")
    try:
        eventually(lambda: not course.hub.servers(), PATIENCE)
    finally:
        culling.terminate()
        culling.wait(PATIENCE)
    return Remains(course.hub.servers(), described(course.mark))


@pytest.fixture(scope="session")
def graded(course: Course, culled: Remains) -> Graded:
    """All that was handed in has been graded, some at a time, and feedback has been given."""
    assert not culled.servers
    course.teacher.collect()
    start, limit = time.monotonic(), longer(SECONDS_OF_A_SUBMISSION)
    with watched(course.mark) as peaks:
        log = course.teacher.grade(AT_A_TIME, limit)
    seconds = time.monotonic() - start
    course.teacher.hand_back()
    return Graded(course.teacher.points(), course.teacher.exported(), log, limit, seconds, peaks)


@pytest.fixture(scope="session")
def closed(course: Course, graded: Graded, attended: Mapping[str, Attended], request: pytest.FixtureRequest) -> list[str]:
    """The hub has been stopped; the processes that still run."""
    course.hub.stop()
    eventually(lambda: not described(course.mark), 20)
    left = described(course.mark)
    request.config.stash[LINES] = _report(attended, graded, left)
    return left


def _report(attended: Mapping[str, Attended], graded: Graded, left: Sequence[str]) -> list[str]:
    """The table of all kinds of students, what grading took, and what still runs."""
    lines = [f"{'student':<20} at home  graded  not locked  (of {LOCKED}, {LOCKED} and {OPEN} points)"]
    for kind in KINDS:
        locked, unlocked = graded.points.get(kind.name, ("-", "-"))
        seen = attended[kind.name].seen
        lines.append(f"{kind.name:<20} {'-' if seen is None else seen:>7}  {locked:>6}  {unlocked:>10}")
    most = round(graded.peaks.bytes / 1e6)
    lines.append(f"grading: {graded.seconds:.0f} s, {AT_A_TIME} at a time; the largest process had {most} MB")
    lines.append(f"processes left: {len(left) or 'none'}")
    return [*lines, *left]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the table."""
    if lines := config.stash.get(LINES, []):
        terminalreporter.section("the course")
        for line in lines:
            terminalreporter.line(line)
