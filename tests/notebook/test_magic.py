"""``%%rh``: a cell of an IPython notebook behaves like a cell of the kernel."""

from __future__ import annotations

import math
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import rh_kernel
from lessons.press.editions import for_python, teacher
from lessons.press.texts import FAILS, FOLDER, Lesson, tags
from rh_kernel.display.registry import bundle
from rh_kernel.notebook import cells
from rh_kernel.notebook.errors import CellFailed, CellStopped
from rh_kernel.workspace.interrupts import Interrupts
from rh_kernel.workspace.outcomes import Value
from rh_kernel.workspace.workspace import current
from tests.notebook.conftest import TRAIN, Notebook

FIRST, *OTHERS = sorted(FOLDER.glob("[0-9][0-9]-*.md"))
LESSONS = [FIRST, *[pytest.param(lesson, marks=pytest.mark.slow) for lesson in OTHERS]]


def traceback_of(notebook: Notebook, capsys: pytest.CaptureFixture[str], cell: str) -> str:
    """The text that a failing cell prints instead of a traceback."""
    capsys.readouterr()
    assert not notebook.run(cell).success
    return capsys.readouterr().out


def test_a_value_is_the_value_of_the_cell(notebook: Notebook) -> None:
    found = notebook.run("%%rh\nloc w = [1, 2]\nreturn dot([1, 2], [3, 4])").result
    assert isinstance(found, Value)
    np.testing.assert_array_equal(np.asarray(found.value), [11.0])
    assert notebook.texts == ["w : Loc(2)"]
    assert "11.0" in notebook.shell.user_ns["_"].text


def test_cells_and_functions_share_one_session(notebook: Notebook) -> None:
    notebook.run("%%rh\nloc w = [1, 2]")
    notebook.run("%rh Put[w]([3, 4])")
    np.testing.assert_array_equal(notebook.shell.user_ns["rh"].heap["w"], [3.0, 4.0])
    assert current() is notebook.shell.user_ns["rh"]
    np.testing.assert_array_equal(np.asarray(rh_kernel.run("Get[w]()").value), [3.0, 4.0])


def test_loading_leaves_names_alone(notebook: Notebook) -> None:
    notebook.shell.user_ns["rh"] = "mine"
    notebook.run("%reload_ext rh_kernel")
    assert notebook.shell.user_ns["rh"] == "mine"


def test_two_shells_have_two_sessions(notebook: Notebook) -> None:
    notebook.run("%%rh\nconst a = 1")
    before = current()
    InteractiveShell.clear_instance()
    assert current() is not before


@pytest.mark.parametrize("cell", ["%%rh\nloc ok = 1\nreturn missing", "%%rh\nreturn 1 +", "%%rh\nreturn 1 / 0\n%strict off x"])
def test_a_wrong_cell_changes_nothing_and_has_no_traceback(
    notebook: Notebook, capsys: pytest.CaptureFixture[str], cell: str
) -> None:
    before = current().session
    printed = traceback_of(notebook, capsys, cell)
    assert current().session is before
    assert "RH" in printed
    assert "Traceback" not in printed
    assert ".py" not in printed
    assert {"text/plain", "text/html"} <= notebook.shown[-1]["data"].keys()


def test_diagnostics_count_lines_as_the_cell_does(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    printed = traceback_of(notebook, capsys, "%%rh\nconst a = 1\nreturn missing")
    assert "(line 3, column 8)" in printed
    assert "line 3, column 8" in notebook.texts[-1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a notebook, which is writable."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_in_a_python_notebook_too(folder: Path, notebook: Notebook, lesson: Path) -> None:
    assert Path.cwd() == folder
    for cell in for_python(teacher(Lesson(lesson))).cells:
        if cell.cell_type == "code":
            assert notebook.run(cell.source).success != (FAILS in tags(cell)), cell.source


def test_braces_and_dollars_are_not_python(notebook: Notebook) -> None:
    notebook.shell.user_ns["x"] = "loc"
    notebook.run("%rh handler back : rev handler(Real(1)) = { return x -> return x }")
    assert "back" in current().session.definitions.named


def test_training_shows_its_progress_in_one_output(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine there would be a status line before the first epoch, which is an output too.
    monkeypatch.setattr("rh_kernel.workspace.status_line.SILENCE", math.inf)
    notebook.run("%%rh" + TRAIN)
    notebook.run("rh.data('mine', x=[[0., 1.]] * 64, t=[[1.]] * 64)")
    result = notebook.run(
        '%%rh\ntrain rev handle (x) <u>. line(u) with sgd(0.1, t) for (x, t) in data("mine") epochs 3000 batch 4'
    )
    assert result.success
    identities = {output["transient"]["display_id"] for output in notebook.shown}
    assert len(identities) == 1
    assert [output["update"] for output in notebook.shown[:1]] == [False]
    assert all(output["update"] for output in notebook.shown[1:])
    assert "epochs" in notebook.texts[-1]


def test_an_interrupt_in_a_cell_leaves_the_session_whole(
    notebook: Notebook, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.run("%%rh\nloc w = [1, 2]")
    before = current().session
    interrupt_at_the_first_look(monkeypatch)
    capsys.readouterr()
    result = notebook.run("%%rh\nPut[w]([3, 4])")
    monkeypatch.undo()
    assert isinstance(result.error_in_exec, CellStopped)
    assert isinstance(result.error_in_exec, KeyboardInterrupt)
    assert current().session is before
    assert "Traceback" not in capsys.readouterr().out
    assert notebook.run("%%rh\nGet[w]()").success


def interrupt_at_the_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send a signal to this process while the next program runs."""
    step = Interrupts.step

    def stepping(self: Interrupts, events: Any) -> Any:
        found = step(self, events)
        if not self.asked:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0)
        return found

    monkeypatch.setattr(Interrupts, "step", stepping)


def test_an_interrupted_training_run_is_kept(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook.run("%%rh" + TRAIN)
    notebook.run("rh.data('mine', x=[[0., 1.]] * 64, t=[[1.]] * 64)")
    before = current().heap["w"]
    seen = iter(range(1000))
    take = cells.Outputs.take

    def taking(self: Any, event: Any) -> None:
        take(self, event)
        if next(seen) == 5:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(cells.Outputs, "take", taking)
    result = notebook.run(
        '%%rh\ntrain rev handle (x) <u>. line(u) with sgd(0.01, t) for (x, t) in data("mine") epochs 100000000 batch 4'
    )
    assert isinstance(result.error_in_exec, CellStopped)
    assert "kept" in str(result.error_in_exec)
    assert not np.array_equal(current().heap["w"], before)


def test_a_fault_of_ours_is_told_as_one(
    notebook: Notebook, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("rh_kernel.session.evaluate.evaluate", fails)
    capsys.readouterr()
    result = notebook.run("%%rh\nreturn 1")
    assert isinstance(result.error_in_exec, CellFailed)
    assert "Fault in rh_kernel" in capsys.readouterr().out


def test_a_function_s_result_is_shown_as_the_kernel_shows_it(notebook: Notebook) -> None:
    notebook.run("import rh_kernel\nrh_kernel.diagram('return 1 + 2')")
    static = notebook.shown[-1]["data"]
    assert static == bundle(rh_kernel.diagram("return 1 + 2").result)


def test_a_cell_beside_another_program_can_look_and_not_change(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    notebook.run("%%rh\nconst a = 1")
    with current().changing():
        assert notebook.run("%%rh\na").success
        printed = traceback_of(notebook, capsys, "%%rh\nconst b = 2")
    assert "Another program is running" in printed
    assert "Traceback" not in printed
    assert notebook.run("%%rh\nconst b = 2").success


def test_a_refusal_is_shown_where_it_was_asked_for(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    cell = "def ask():\n    return rh.run('return missing')\nask()"
    printed = re.sub("\x1b\\[[0-9;]*m", "", traceback_of(notebook, capsys, cell))
    assert "return rh.run" in printed
    assert "RH101" in printed
    assert "workspace" not in printed
