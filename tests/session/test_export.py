"""``%export``: what is written, where, and that a cell that fails writes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rh_kernel
from rh_kernel.__main__ import main
from rh_kernel.session.results import Notice
from rh_kernel.session.session import Session
from tests.interchange.running import module
from tests.session.cells import codes, run

NET = """
loc w : Real(2, 3) = [[1, 2, 3], [4, 5, 6]]
net predict(x : Real(3)) : Real(2) = let v <= Get[w]() in return tanh(v @ x)
"""


def test_an_exported_net_computes_what_the_net_does(tmp_path: Path) -> None:
    results, session = run(Session.start(tmp_path), NET + '%export predict to "predict.py"')
    assert not codes(results)
    assert [r.text for r in results if isinstance(r, Notice)] == ["predict exported to predict.py and predict.npz, for NumPy"]
    x = np.array([[0.1, 0.2, 0.3], [0.3, -1.0, 2.0]])
    w = next(iter(session.heap.values()))
    np.testing.assert_allclose(module(tmp_path / "predict.py").predict(x), np.tanh(x @ w.T), rtol=1e-12)


def test_the_weights_of_an_export_can_be_loaded(tmp_path: Path) -> None:
    text = NET + '%export predict to "predict.py"\nPut[w](0 * [[1, 2, 3], [4, 5, 6]])\n%load predict.npz'
    results, session = run(Session.start(tmp_path), text)
    assert not codes(results)
    np.testing.assert_array_equal(next(iter(session.heap.values())), [[1, 2, 3], [4, 5, 6]])


def test_a_file_has_the_lines_that_its_steps_come_from(tmp_path: Path) -> None:
    step = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let v <= Get[l]() in return (v @ x, (v, x))
    | y, z -> let (v, x) <- z in let _ <= Put[l](v - outer(y, x)) in return v^T @ y
}
net line(x : Real(3)) : Real(2) = let h <= FC[w](x) in return tanh(h)
net step[t : Real(2)](x : Real(3)) : Real(3) = rev handle (x) <x>. line(x) with sgd(0.1, t)
%export step to "step.py"
"""
    results, _ = run(Session.start(tmp_path), NET + step)
    assert not codes(results)
    text = (tmp_path / "step.py").read_text(encoding="utf-8")
    lines = (NET + step).split("\n")
    comments = [line.split(": ", 1) for line in text.split("\n") if line.strip().startswith("# line")]
    assert comments
    for place, shown in comments:
        assert lines[int(place.split()[-1]) - 1].strip() == shown


def test_an_export_is_in_the_precision_of_the_session(tmp_path: Path) -> None:
    results, _ = run(Session.start(tmp_path), "%dtype float32\n" + NET + '%export predict to "predict.py"')
    assert not codes(results)
    assert module(tmp_path / "predict.py").WEIGHTS["w"].dtype == np.float32


def test_draws_are_arguments(tmp_path: Path) -> None:
    text = 'net noisy(x : Real(3)) : Real(3) = let e <= Normal[3]() in return x + e\n%export noisy to "noisy.py"'
    results, _ = run(Session.start(tmp_path), text)
    assert not codes(results)
    x, e = np.ones((2, 3)), np.full((2, 3), 0.5)
    np.testing.assert_array_equal(module(tmp_path / "noisy.py").noisy(x, e), x + e)


def test_a_function_and_a_pair_are_exported(tmp_path: Path) -> None:
    text = 'fun both(x : Real(2), y : Real(3)) : Real(3) * Real = (2 * y, sum(x))\n%export both to "both.py"'
    results, _ = run(Session.start(tmp_path), text)
    assert not codes(results)
    doubled, total = module(tmp_path / "both.py").both(np.ones((1, 2)), np.ones((1, 3)))
    assert (doubled.tolist(), total.tolist()) == ([[2, 2, 2]], [[2]])


@pytest.mark.parametrize("name", ["lambda", "np", "x'", "weights", "t1", "ключ", "self"])
def test_names_that_python_uses_are_changed(tmp_path: Path, name: str) -> None:
    text = f'net f({name} : Real(2)) : Real(2) = return {name} + {name}\n%export f to "f.py"'
    results, _ = run(Session.start(tmp_path), text)
    if codes(results):
        assert name == "lambda"
        return
    np.testing.assert_array_equal(module(tmp_path / "f.py").f(np.ones((1, 2))), [[2, 2]])


def test_a_cell_that_fails_writes_nothing(tmp_path: Path) -> None:
    results, _ = run(Session.start(tmp_path), NET + '%export predict to "predict.py"\ncheck 1 == 2')
    assert codes(results) == ["RH207"]
    assert not [*tmp_path.iterdir()]


def test_the_command_line_and_python_export_too(tmp_path: Path) -> None:
    (tmp_path / "net.rh").write_text(NET, encoding="utf-8")
    assert main(["export", str(tmp_path / "net.rh"), "-o", str(tmp_path / "a.py")]) == 0
    workspace = rh_kernel.Workspace(tmp_path)
    workspace.run(NET)
    workspace.export("predict", "b.py")
    x = np.ones((1, 3))
    np.testing.assert_array_equal(module(tmp_path / "a.py").predict(x), module(tmp_path / "b.py").predict(x))


@pytest.mark.parametrize("text", ["loc w : Real(2) = zeros", NET + "check 1 == 2"])
def test_the_command_line_writes_nothing_where_there_is_no_net_or_an_item_fails(tmp_path: Path, text: str) -> None:
    (tmp_path / "net.rh").write_text(text, encoding="utf-8")
    assert main(["export", str(tmp_path / "net.rh"), "-o", str(tmp_path / "a.py")]) == 1
    assert not (tmp_path / "a.py").exists()
