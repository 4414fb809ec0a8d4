"""The files of the library do what they say, compared with NumPy and with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import TrainingDone, ValueFound
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.session.cells import codes, run

Weights = Mapping[str, Array]

NET = """
include "sgd.rh"
loc w0 : Real(3, 2) = normal(0.5, seed=1)
loc b0 : Real(3) = normal(0.5, seed=2)
loc w1 : Real(3, 3) = normal(0.5, seed=3)
loc b1 : Real(3) = normal(0.5, seed=4)
loc w2 : Real(1, 3) = normal(0.5, seed=5)
net mlp(x : Real(2)) : Real(1) =
  let h0 <= Affine[w0, b0](x) in
  let h1 <= Affine[w1, b1](tanh(h0)) in
  let h2 <= Affine[w1, b1](tanh(h1)) in
  FC[w2](tanh(h2))
"""


def outputs(w: Weights, x: Array) -> Array:
    """The net in NumPy; its second layer occurs twice."""
    h = np.tanh(w["w0"] @ x + w["b0"])
    for _ in range(2):
        h = np.tanh(w["w1"] @ h + w["b1"])
    return w["w2"] @ h


def slope(f: Callable[[Weights], float], w: Weights, name: str) -> Array:
    """Central differences of f in one of the arrays."""
    found = np.zeros_like(w[name])
    for at in np.ndindex(*found.shape):
        step = np.zeros_like(found)
        step[at] = 1e-5
        found[at] = (f({**w, name: w[name] + step}) - f({**w, name: w[name] - step})) / 2e-5
    return found


@pytest.fixture
def session(tmp_path: Path) -> Session:
    results, after = run(Session.start(tmp_path), NET)
    assert not codes(results)
    return after


def weights(session: Session) -> Weights:
    return {location.name: array for location, array in session.heap.items()}


@pytest.mark.parametrize("evaluator", ["compiled", "stepped", "denoted"])
def test_sgd_goes_down_the_gradient_of_the_loss(session: Session, evaluator: str) -> None:
    x, t, rate = np.array([0.3, -1.2]), np.array([0.7]), 0.1
    step = "rev handle ([0.3, -1.2]) <x>. mlp(x) with sgd(0.1, [0.7])"
    results, after = run(session, f"%evaluator {evaluator}\n{step}")
    assert not codes(results)
    before = weights(session)

    def loss(w: Weights) -> float:
        return float(np.sum((outputs(w, x) - t) ** 2)) / 2

    for name, array in weights(after).items():
        np.testing.assert_allclose(array, before[name] - rate * slope(loss, before, name), atol=1e-8)
        assert np.abs(array - before[name]).max() > 1e-4


def test_infer_gives_the_output(session: Session) -> None:
    results, after = run(session, "handle mlp([0.3, -1.2]) with infer")
    (found,) = [result for result in results if isinstance(result, ValueFound)]
    assert not found.changes
    assert after.heap == session.heap
    np.testing.assert_allclose(to_array(found.value), outputs(weights(session), np.array([0.3, -1.2])))


def test_sgd_learns_xor(session: Session) -> None:
    text = """
train rev handle (x) <u>. mlp(u) with sgd(0.5, t) for (x, t) in data("xor") epochs 500 shuffle 1
  measure let y <= handle mlp(x) with infer in return dot(y - t, y - t)
"""
    results, after = run(session, text)
    (done,) = [result for result in results if isinstance(result, TrainingDone)]
    points = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    np.testing.assert_allclose([outputs(weights(after), x)[0] for x in points], [0, 1, 1, 0], atol=0.2)
    assert not done.stopped
