"""``rh grade`` of several notebooks: the verdicts are those of each alone, whatever happens to the process of another."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest

from rh_kernel.command_line.arguments import main
from rh_kernel.command_line.grading_many import COLUMNS
from tests.exporters.test_grading import CHECK, CUBE, DOT, GIVEN, NO_CUBE, notebook

ENDLESS = "repeat i < 1000000000000 from s = 0 do return s + 1"
CLASS = {"ada": [GIVEN, CUBE, CHECK, DOT], "ben": [GIVEN, NO_CUBE, CHECK, DOT], "cem": [CUBE, GIVEN, CHECK]}


@pytest.fixture
def submitted(tmp_path: Path) -> list[str]:
    """The submissions of a class, and a file that is none."""
    files = list[str]()
    for student, cells in CLASS.items():
        file = tmp_path / student / "task.ipynb"
        file.parent.mkdir()
        nbformat.write(notebook(cells), file)
        files.append(str(file))
    return [*files, str(tmp_path / "nowhere.ipynb")]


def rows(written: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(written))]


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_table_has_a_row_for_each_notebook_in_their_order(
    submitted: Sequence[str], capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    assert main(["grade", "--csv", "--jobs", jobs, *submitted]) == 1
    found = rows(capsys.readouterr().out)
    assert [*found[0]] == [*COLUMNS]
    assert [row["file"] for row in found] == [*submitted]
    assert [(row["passed"], row["locked"]) for row in found] == [("3", "3"), ("1", "3"), ("2", "2"), ("0", "")]
    assert found[1]["failed"] == "cell-3 cell-4"
    assert "does not exist" in found[3]["problem"]


def test_the_records_are_those_of_each_notebook_alone(submitted: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    *notebooks, _ = submitted
    assert main(["grade", "--json", *notebooks]) == 1
    together = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for file in notebooks:
        main(["grade", "--json", file])
        alone = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [record for record in together if record["file"] == file] == [{"file": file, **record} for record in alone]


def test_a_line_for_each_notebook_says_what_fails(submitted: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", *submitted]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{submitted[0]}: 3 of 3 locked cells pass"
    assert lines[1] == f"{submitted[1]}: 1 of 3 locked cells pass; not cell-3, cell-4"
    assert lines[3].startswith(f"{submitted[3]}: ")
    assert "does not exist" in lines[3]
    assert lines[4:] == ["6 of 8 locked cells pass in 4 notebooks"]


def test_all_that_pass_are_no_failure(submitted: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", submitted[0], submitted[2]]) == 0
    assert capsys.readouterr().err == ""


def test_a_notebook_that_takes_too_long_is_ended_and_keeps_its_verdicts(
    submitted: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = tmp_path / "slow.ipynb"
    nbformat.write(notebook([GIVEN, CUBE, CHECK, ENDLESS, DOT]), slow)
    began = time.monotonic()
    assert main(["grade", "--csv", "--timeout", "5", str(slow), submitted[0]]) == 1
    assert time.monotonic() - began < 60
    found = rows(capsys.readouterr().out)
    assert [(row["passed"], row["problem"]) for row in found] == [("2", "took longer than 5 s"), ("3", "")]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process is spawned, and knows nothing of this function")
def test_a_process_that_is_killed_is_told_of(submitted: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    from rh_kernel.command_line.grading_many import grade_all
    from rh_kernel.command_line.report import Report

    def killed(words: Sequence[str]) -> int:
        if words[-1] == submitted[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return main(words)

    report = Report(as_json=False)
    grade_all(submitted[:2], report, killed, (), 2, 60, as_csv=False)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{submitted[0]}: the process that graded it was ended by signal 9"
    assert told[1].startswith(f"{submitted[1]}: 1 of 3")
    assert report.failed


@pytest.mark.parametrize("jobs", ["0", "-1", "two", ""])
def test_no_number_of_jobs_is_misuse(submitted: Sequence[str], capsys: pytest.CaptureFixture[str], jobs: str) -> None:
    with pytest.raises(SystemExit) as end:
        main(["grade", f"--jobs={jobs}", *submitted])
    assert end.value.code == 2
    assert "a number from 1 is expected" in capsys.readouterr().err
