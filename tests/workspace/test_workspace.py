"""The Python API: values are passed and returned, and errors are diagnostics of the language."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

import rh_kernel
from rh_kernel.display.registry import bundle
from rh_kernel.workspace.errors import Busy
from rh_kernel.workspace.outcomes import Derivation, Diagram, Gradient, Race, Trace, Training, Value
from rh_kernel.workspace.workspace import Workspace, share, workspace_of
from tests.notebook.conftest import TRAIN

FINITE = st.floats(-1e300, 1e300)
ARRAYS = nps.arrays(np.float64, nps.array_shapes(max_dims=3, max_side=3), elements=FINITE)
GIVEN = st.recursive(ARRAYS, lambda parts: st.lists(parts, min_size=2, max_size=3).map(tuple), max_leaves=4)


def same(found: object, wanted: object) -> bool:
    if isinstance(wanted, tuple):
        return isinstance(found, tuple) and len(found) == len(wanted) and all(map(same, found, wanted))
    return isinstance(found, np.ndarray) and np.array_equal(found, np.asarray(wanted))


@given(GIVEN)
def test_a_constant_has_the_value_that_was_given(value: Any) -> None:
    rh = Workspace()
    rh.const("c", value)
    assert same(rh.run("c").value, value)


def test_a_number_is_an_array_of_one() -> None:
    rh = Workspace()
    assert rh.const("c", 2).text == "c : Real(1)"
    assert rh.const("d", [[1, 2, 3]]).text == "d : Real(1, 3)"
    assert rh.const("p", (1, [2, 3])).text == "p : Real(1) × Real(2)"


def test_what_was_given_is_a_copy() -> None:
    rh = Workspace()
    array = np.array([1.0, 2.0])
    rh.const("c", array)
    rh.data("d", x=array)
    array[0] = 9.0
    np.testing.assert_array_equal(np.asarray(rh.run("c").value), [1.0, 2.0])
    np.testing.assert_array_equal(rh.session.given["d"]["x"][:, 0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("2t", 1, "RH003"),
        ("let", 1, "RH008"),
        ("", 1, None),
        ("a b", 1, None),
        ("a = 1\nloc q", 1, "RH008"),
        ("a : Real(1)", 1, "RH008"),
        ("Get", 1, "RH124"),
        ("t", ["word"], "RH304"),
        ("t", [[1], [2, 3]], "RH304"),
        ("t", 1j, "RH304"),
        ("t", float("nan"), "RH306"),
        ("t", (1, [1, float("inf")]), "RH306"),
    ],
)
def test_a_constant_that_cannot_be_is_refused(name: str, value: Any, code: str | None) -> None:
    rh = Workspace()
    before = rh.session
    with pytest.raises(rh_kernel.Wrong) as refused:
        rh.const(name, value)
    assert rh.session is before
    assert code is None or refused.value.diagnostics[0].code == code


def test_data_is_bounded_by_the_limit_of_bytes() -> None:
    rh = Workspace()
    rh.run("%limit bytes 100")
    with pytest.raises(rh_kernel.Wrong, match="RH241"):
        rh.data("mine", x=np.zeros((5, 2)), t=np.zeros(5))
    assert rh.data("mine", x=np.zeros((4, 2)), t=np.zeros(4)).text.startswith('data("mine"): 4 samples')


@pytest.mark.parametrize("arrays", [{}, {"x": [1, 2], "t": [1]}, {"x": []}, {"x": ["a"]}, {"x": [float("nan")]}])
def test_data_that_cannot_be_is_refused(arrays: dict[str, list[float]]) -> None:
    rh = Workspace()
    with pytest.raises(rh_kernel.Wrong, match="RH30"):
        rh.data("mine", **arrays)
    with pytest.raises(rh_kernel.Wrong, match="RH008"):
        rh.data("", x=[1])


def test_training_takes_the_data_given_from_python() -> None:
    rh = Workspace()
    rh.run(TRAIN)
    assert rh.data("mine", x=[[0.0, 1.0]] * 4, t=[1] * 4).text == 'data("mine"): 4 samples of x : Real(2), t : Real(1)'
    before = rh.heap["w"]
    run = rh.run('train rev handle (x) <u>. line(u) with sgd(0.1, t) for (x, t) in data("mine") epochs 3\n')
    (training,) = run.outcomes
    assert isinstance(training, Training)
    assert training.epochs == 3
    np.testing.assert_array_equal(training.changes["w"], rh.heap["w"])
    assert not np.array_equal(before, rh.heap["w"])


def test_the_heap_is_read_and_not_written() -> None:
    rh = Workspace()
    rh.run("loc w = [1, 2]")
    rh.run("loc w = [3, 4]")
    np.testing.assert_array_equal(rh.heap["w"], [3.0, 4.0])
    assert [*rh.heap] == ["w"]
    with pytest.raises(ValueError, match="read-only"):
        rh.heap["w"][0] = 1.0
    assert not hasattr(rh.heap, "__setitem__")


def test_nobody_is_allowed_to_make_a_content_or_a_value_writeable() -> None:
    rh = Workspace()
    run = rh.run("loc w : Real(2, 0) = zeros\nloc v = [1, 2]\nconst t = [3, 4]\nt\nlet _ <= Put[v]([5, 6]) in Get[v]()")
    first, last = (o for o in run.outcomes if isinstance(o, Value))
    arrays = (rh.heap["w"], rh.heap["v"], first.value, last.value, last.changes["v"])
    for array in arrays:
        assert isinstance(array, np.ndarray)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.view().setflags(write=True)
    assert np.shares_memory(rh.heap["v"], rh.heap["v"])


def test_the_prompt_shows_what_has_been_declared() -> None:
    rh = Workspace()
    assert repr(rh) == "nothing has been declared"
    rh.run("loc w = [1, 2]")
    rh.const("t", [[1.0]])
    assert repr(rh) == "w : Loc(2)\nt : Real(1, 1)"


def test_a_wrong_program_says_where_and_takes_no_effect() -> None:
    rh = Workspace()
    before = rh.session
    with pytest.raises(rh_kernel.Wrong) as wrong:
        rh.run("""
          loc w = 1
          return missing
        """)
    assert rh.session is before
    assert "line 3, column 8" in str(wrong.value)
    assert "^^^^^^^" in str(wrong.value)


def test_a_program_that_is_stuck_takes_no_effect() -> None:
    rh = Workspace()
    rh.run("loc w = [1, 2]")
    before = rh.session
    with pytest.raises(rh_kernel.Wrong, match="RH2"):
        rh.run("%strict on\nPut[w]([3, 4])\nreturn relu(0)")
    assert rh.session is before


def test_each_kind_of_result_has_its_attributes() -> None:
    rh = Workspace()
    rh.run("loc w = [1, 2]\nfun f(x : Real(2)) : Real(1) = dot(x, x)")
    trace = rh.trace("let x <= Get[w]() in\nreturn f(x)")
    assert isinstance(trace, Trace)
    assert len(trace.records()) == len(trace.steps) > 1
    assert [record["rule"] for record in trace.records()] == [step.rule.value for step in trace.steps]
    np.testing.assert_array_equal(np.asarray(trace.value), [5.0])
    diagram = rh.diagram("f")
    assert isinstance(diagram, Diagram)
    assert diagram.svg is not None
    assert diagram.svg.startswith("<svg")
    assert diagram.dot is not None
    assert diagram.dot.startswith("digraph")
    derivation = rh.derivation("f")
    assert isinstance(derivation, Derivation)
    assert derivation.latex
    gradient = rh.gradient("let x <= Get[w]() in return f(x)", against="return 2")
    assert isinstance(gradient, Gradient)
    assert len(gradient.passes) == 2
    np.testing.assert_array_equal(np.asarray(gradient.value), [5.0])
    value = rh.run("Put[w]([3, 4])").outcomes[-1]
    assert isinstance(value, Value)
    np.testing.assert_array_equal(value.changes["w"], [3.0, 4.0])
    for found in (trace, diagram, derivation, gradient, value):
        assert str(found) == found.text == bundle(found.result)["text/plain"]


@pytest.mark.parametrize("subject", ["", "1\nloc q = 3", "1\n%reset", "missing"])
def test_a_directive_takes_one_subject(subject: str) -> None:
    rh = Workspace()
    with pytest.raises(rh_kernel.Wrong):
        rh.trace(subject)
    assert not rh.heap


def test_paths_start_from_the_folder(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.ones(2))
    rh = Workspace(tmp_path)
    rh.run('loc w : Real(2) = load("w.npy")')
    np.testing.assert_array_equal(rh.heap["w"], [1.0, 1.0])


def test_a_script_has_one_session_of_its_own() -> None:
    first = rh_kernel.current()
    assert rh_kernel.current() is first
    assert Workspace() is not first


def test_importing_the_package_imports_next_to_nothing() -> None:
    code = "import sys; before = set(sys.modules); import rh_kernel; print(*(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"IPython", "ipykernel", "ipywidgets", "anywidget", "numpy", "nbconvert", "rh_kernel.session"}
    assert not heavy & set(found)
    assert "rh_kernel" in found


def test_what_is_not_there_is_no_attribute() -> None:
    assert not hasattr(rh_kernel, "nothing")
    assert all(hasattr(rh_kernel, name) for name in rh_kernel.__all__)


def test_one_program_at_a_time_changes_the_session() -> None:
    rh = Workspace()
    rh.run("const a = 1")
    with rh.changing() as put:
        assert same(rh.run("a + 1").value, [2])
        for change in (lambda: rh.run("const b = 2"), lambda: rh.const("b", 2), lambda: rh.data("b", x=[1])):
            with pytest.raises(Busy):
                change()
        assert "b" not in rh.session.definitions.named
        put(replace(rh.session, folder=Path("elsewhere")))
    rh.run("const b = 2")
    assert rh.session.folder == Path("elsewhere")
    assert {"a", "b"} <= set(rh.session.definitions.named)


def test_after_a_refusal_and_after_an_interrupt_the_session_is_free() -> None:
    rh = Workspace()
    with pytest.raises(rh_kernel.Wrong):
        rh.run("missing")
    done = threading.Event()

    def interrupt() -> None:
        # One may get lost in a place where Python lets no exception out, as in what coverage does between two lines.
        while not done.wait(0.2):
            signal.raise_signal(signal.SIGINT)

    def declare_for_ever() -> None:
        try:
            while True:
                rh.const("again", 1)
        finally:
            done.set()

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    with pytest.raises(KeyboardInterrupt):
        declare_for_ever()
    interrupting.join()
    rh.const("free", 1)
    assert "free" in rh.session.definitions.named


def test_a_workspace_can_be_shared() -> None:
    class Place:
        pass

    place, rh = Place(), Workspace()
    share(place, rh)
    assert workspace_of(place) is rh
    assert workspace_of(Place()) is not rh


def test_what_python_gave_can_be_undone() -> None:
    rh = Workspace()
    rh.run("const a = 1")
    rh.const("b", 2)
    rh.run("%undo")
    assert {"a"} == {name for name, d in rh.session.definitions.named.items() if d.span is not None}


RACE = """
include "momentum.rh"
include "backprop.rh"
loc w = [0.5]
net error(t : Real) : Real = let v <= Get[w]() in return (v - t) * (v - t)
"""


def test_a_race_is_a_value_with_its_measures(tmp_path: Path) -> None:
    rh = Workspace(tmp_path)
    rh.run(RACE)
    text = 'train rev handle (t) <t>. error(t) with backprop, backprop for (x, t) in data("xor") epochs 3\n  measure error(t)'
    race = rh.race(text)
    assert rh.heap["w"].tolist() == [0.5]
    assert [run.handler for run in race.runs] == ["backprop", "backprop"]
    curve = race.runs[0].curves["error(t)"]
    assert curve == race.result.racers[0].curves[0]
    assert race.runs[0].measures == {"error(t)": curve[-1]}
    assert repr(race.runs[0]) == f"<backprop: {curve[-1]:.4g}>"
    race.to_csv(tmp_path / "race.csv")
    heading, *rows = (tmp_path / "race.csv").read_text().splitlines()
    assert heading == "handler,error(t) at first,error(t) at the end,moved"
    assert [row.split(",")[:3] for row in rows] == [["backprop", repr(curve[0]), repr(curve[-1])]] * 2
    assert isinstance(rh.run(f"%race {text}").outcomes[-1], Race)
    assert not race.is_stopped
