"""Frames of pandas and polars as data: grouped like a ``.csv``, without a copy where that is possible."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import rh_kernel
from rh_kernel.workspace.workspace import Workspace

COLUMNS = {"x1": [1.0, 3.0, 5.0], "t": [0, 1, 0], "x0": [0.0, 2.0, 4.0], "b": [True, False, True]}


@pytest.fixture(params=["pandas", "polars"])
def library(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def given(rh: Workspace, name: str = "mine") -> dict[str, list[Any]]:
    return {key: array.tolist() for key, array in rh.session.given[name].items()}


def test_a_frame_is_like_a_table(library: Any) -> None:
    rh = Workspace()
    told = rh.data("mine", library.DataFrame(COLUMNS))
    assert told.text == 'data("mine"): 3 samples of x : Real(2), t : Real(1), b : Real(1)'
    assert given(rh) == {"x": [[0, 1], [2, 3], [4, 5]], "t": [[0], [1], [0]], "b": [[1], [0], [1]]}


def test_parts_of_a_frame(library: Any) -> None:
    rh, frame = Workspace(), library.DataFrame(COLUMNS)
    rh.data("mine", x=frame[["x1", "b"]], t=frame["t"], s=frame[["t"]])
    assert given(rh) == {"x": [[1, 1], [3, 0], [5, 1]], "t": [[0], [1], [0]], "s": [[0], [1], [0]]}
    rh.data("mine", frame[["x0", "x1"]], t=[1, 2, 3])
    assert given(rh) == {"x": [[0, 1], [2, 3], [4, 5]], "t": [[1], [2], [3]]}


def test_a_read_only_column_is_not_copied(library: Any) -> None:
    rh, column = Workspace(), library.Series(np.arange(1000.0))
    values = column.to_numpy()
    rh.data("mine", x=column)
    assert np.shares_memory(rh.session.given["mine"]["x"], values) == (not values.flags.writeable)
    array = np.arange(4.0)
    rh.data("mine", x=array)
    assert not np.shares_memory(rh.session.given["mine"]["x"], array)
    array.setflags(write=False)
    rh.data("mine", x=array)
    assert np.shares_memory(rh.session.given["mine"]["x"], array)


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"x": [1.0, None]}, "RH30[46]"),
        ({"x": ["red", "blue"]}, "RH304"),
        ({"x0": [1.0], "x2": [1.0]}, "RH309"),
        ({"x": [1.0], "x0": [1.0]}, "RH309"),
        ({}, "RH308"),
    ],
)
def test_a_frame_that_cannot_be_used(library: Any, columns: dict[str, Any], code: str) -> None:
    rh = Workspace()
    with pytest.raises(rh_kernel.Wrong, match=code):
        rh.data("mine", library.DataFrame(columns))
    assert "mine" not in rh.session.given


def test_what_is_no_frame() -> None:
    with pytest.raises(rh_kernel.Wrong, match="RH304"):
        Workspace().data("mine", np.ones((3, 2)))


def test_neither_library_is_imported() -> None:
    code = (
        "import sys; from rh_kernel.workspace.workspace import Workspace; Workspace().data('mine', x=[1, 2]);"
        "print({'pandas', 'polars'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
