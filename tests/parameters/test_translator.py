"""papermill on a notebook, called from the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from rh_kernel.parameters import translator
from rh_kernel.parameters.translator import Refused, Translator

PARAMETERS = """dim n = 3  # how many
const alpha = 0.1
const t : Real(n) = [1, 2, 3]
loc w : Real(n) = normal(0.5, seed=1)"""
CELLS = ["net f(x : Real(n)) = let y <= Get[w]() in return alpha * (x + y)", "f(t)", "return [1, 2] + t", "return 7"]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook with a cell of parameters, whose last cells succeed only if ``n`` is 2."""
    file = tmp_path_factory.mktemp("papermill") / "in.ipynb"
    first = nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})
    made = nbformat.v4.new_notebook(cells=[first, *map(nbformat.v4.new_code_cell, CELLS)])
    made.metadata["kernelspec"] = {"name": "rh", "display_name": "RH", "language": "rh"}
    made.metadata["language_info"] = {"name": "rh"}
    nbformat.write(made, file)
    return file


def papermill(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "papermill", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def cells(file: Path) -> list[Any]:
    return [cell for cell in nbformat.read(file, as_version=4).cells if cell.cell_type == "code"]


def texts(cell: Any) -> list[str]:
    return [output.data["text/plain"] for output in cell.outputs if "data" in output]


def test_later_cells_use_the_parameters(notebook: Path) -> None:
    done = papermill(
        notebook, notebook.with_name("out.ipynb"), "-p", "w", "zeros", "-p", "alpha", "1e-1", "-p", "n", "2", "-y", "t: [3, 4]"
    )
    assert done.returncode == 0, done.stderr
    assert "unknown parameter" not in done.stderr
    before, injected, _, applied, added, last = cells(notebook.with_name("out.ipynb"))
    assert before.source == PARAMETERS
    assert injected.metadata.tags == ["injected-parameters"]
    assert (
        injected.source == "# Parameters\ndim n = 2\nconst alpha = 0.1\nconst t : Real(n) = [3, 4]\nloc w : Real(n) = zeros\n"
    )
    assert texts(applied)[-1].startswith("[0.30000000000000004, 0.4] : Real(2)")
    assert texts(added)[-1].startswith("[4.0, 6.0]")
    assert texts(last)[-1].startswith("7.0")


def test_the_run_stops_at_the_cell_that_fails(notebook: Path) -> None:
    done = papermill(notebook, notebook.with_name("failed.ipynb"), "-p", "alpha", "2")
    assert done.returncode != 0
    assert "RH1" in done.stderr
    *_, applied, added, last = cells(notebook.with_name("failed.ipynb"))
    assert texts(applied)
    assert [output.output_type for output in added.outputs] == ["error"]
    assert last.outputs == []
    assert last.execution_count is None


def test_a_value_that_is_none_is_refused_before_anything_runs(notebook: Path) -> None:
    done = papermill(notebook, notebook.with_name("never.ipynb"), "-p", "alpha", "nan")
    assert done.returncode != 0
    assert "RH306 Missing or infinite number: `alpha` is nan" in done.stderr
    assert not notebook.with_name("never.ipynb").exists()


def test_papermill_tells_what_parameters_there_are(notebook: Path) -> None:
    told = papermill("--help-notebook", notebook).stdout
    assert "n: dim (default 3)" in told
    assert "how many" in told
    assert "t: Real(n) (default [1, 2, 3])" in told


def test_the_kinds_of_one_notebook_are_not_those_of_the_next() -> None:
    assert [p.name for p in Translator.inspect({"source": "dim n = 3"})] == ["n"]
    assert Translator.codify({"n": 4}) == "# Parameters\ndim n = 4\n"
    assert Translator.codify({"n": 4}, "Again") == "# Again\nconst n = 4\n"


def test_what_is_refused_is_told_as_the_command_line_tells_it() -> None:
    with pytest.raises(Refused, match="RH304 Not an array of real numbers: `alpha`") as refused:
        Translator.codify({"alpha": [[1], 2]})
    assert "rows of different lengths" in str(refused.value)


def test_the_engine_is_papermills_own_in_either_order_of_imports() -> None:
    ours = "from rh_kernel.parameters.translator import Translator, engine"
    theirs = "from papermill.engines import NBClientEngine; from papermill.translators import papermill_translators"
    same = "print(engine is NBClientEngine, papermill_translators.find_translator('anything', 'rh') is Translator)"
    for lines in ([ours, theirs], [theirs, ours]):
        done = subprocess.run([sys.executable, "-c", "\n".join([*lines, same])], capture_output=True, text=True, check=True)
        assert done.stdout == "True True\n"


def test_nothing_else_is_made_up() -> None:
    with pytest.raises(AttributeError, match="motor"):
        _ = translator.motor
