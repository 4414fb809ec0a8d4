"""nbmake and nbval on notebooks of the language: what is right passes, what fails fails, and with the diagnostic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest

from tests.distribution.environments import Environment
from tests.distribution.test_grading import notebook

pytestmark = pytest.mark.slow

RIGHT = ["fun cube(x : Real(n)) : Real(n) = x * x * x", "cube([3, 4])", "check cube(2) == 8"]
WRONG = [*RIGHT[:2], "check cube(2) == 7"]
TESTERS = [("--nbmake",), ("--nbval-lax",)]

each_tester = pytest.mark.parametrize("tester", TESTERS, ids=lambda tester: tester[0].strip("-"))


def ran(classroom: Environment, folder: Path, cells: Sequence[str], tester: Sequence[str]) -> tuple[int, str]:
    """How pytest ends with a notebook of these cells, and what it writes."""
    file = folder / "cells.ipynb"
    nbformat.write(notebook([nbformat.v4.new_code_cell(text) for text in cells]), file)
    done = classroom.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tester, file, cwd=folder)
    return done.returncode, done.stdout + done.stderr


@each_tester
def test_a_notebook_that_is_right_passes(classroom: Environment, tmp_path: Path, tester: Sequence[str]) -> None:
    code, told = ran(classroom, tmp_path, RIGHT, tester)
    assert code == 0, told
    assert "passed" in told


@each_tester
def test_a_notebook_with_a_check_that_fails_fails(classroom: Environment, tmp_path: Path, tester: Sequence[str]) -> None:
    code, told = ran(classroom, tmp_path, WRONG, tester)
    assert code == 1
    assert "RH2" in told
