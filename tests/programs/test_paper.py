"""The examples of the paper as programs, with expectations derived by hand (RH §4, §5.3, E.1), by each evaluator."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAPER = Path(__file__).parent / "paper"
ALPHA, TARGET = 0.1, np.array([0.5])
V = np.array([1.0, -2.0])
M0 = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]])
M1 = np.array([[0.7, -0.8, 0.9]])


def lines(command: str, program: str) -> list[dict[str, Any]]:
    """What ``rh COMMAND FILE --json`` prints, one object a line."""
    arguments = [sys.executable, "-m", "rh_kernel", command, str(PAPER / program), "--json"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def loss(m0: np.ndarray, m1: np.ndarray) -> float:
    """L(v; m0, m1) of RH E.1, by plain Python arithmetic."""
    s = [sum(m * x for m, x in zip(row, V, strict=True)) for row in m0]
    h = [x * sigmoid(x) for x in s]
    out = [sum(m * x for m, x in zip(row, h, strict=True)) for row in m1]
    return 0.5 * sum((o - t) ** 2 for o, t in zip(out, TARGET, strict=True))


def expected() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Result and heap of RH Fig. 8, in the general form of E.1."""
    s = M0 @ V
    sigma = np.array([sigmoid(x) for x in s])
    v1 = s * sigma
    e = ALPHA * (M1 @ v1 - TARGET)
    u = M1.T @ e
    u_prime = u * (sigma + s * sigma * (1 - sigma))
    return M0.T @ u_prime, M0 - np.outer(u_prime, V), M1 - np.outer(e, v1)


def test_example_5_13_compiled() -> None:
    *_, last = lines("run", "example_4_1_mlp.rh")
    result, m0, m1 = expected()
    assert (last["kind"], last["type"]) == ("value", "Real(2)")
    np.testing.assert_allclose(last["value"], result, atol=1e-12, rtol=0)
    np.testing.assert_allclose(last["heap"]["w0"], m0, atol=1e-12, rtol=0)
    np.testing.assert_allclose(last["heap"]["w1"], m1, atol=1e-12, rtol=0)


def test_example_5_13_stepped() -> None:
    *steps, last = lines("trace", "example_4_1_mlp.rh")
    result, m0, m1 = expected()
    heap: dict[str, Any] = {}
    for step in steps:
        heap |= step["heap"]
    assert last["steps"] == len(steps)
    np.testing.assert_allclose(last["value"], result, atol=1e-12, rtol=0)
    np.testing.assert_allclose(heap["w0"], m0, atol=1e-12, rtol=0)
    np.testing.assert_allclose(heap["w1"], m1, atol=1e-12, rtol=0)


def test_figure_8_order_of_rules() -> None:
    """The forward parts run outermost first, then the return clause, then the backward parts innermost first."""
    rules = [step["rule"] for step in lines("trace", "example_4_1_mlp.rh")[:-1]]
    telling = [r for r in rules if r in ("RevHandle", "Get", "Put", "RH-Op", "RH-Return")]
    assert telling == ["RevHandle", "RH-Op", "Get", "RH-Op", "Get", "RH-Return", "Put", "Put"]


@pytest.mark.parametrize("name", ["w0", "w1"])
def test_example_e_1_is_gradient_descent(name: str) -> None:
    """The change of each weight is -α times the central difference of the loss."""
    heap = lines("run", "example_4_1_mlp.rh")[-1]["heap"]
    weights = {"w0": M0, "w1": M1}
    step = 1e-6
    for index in np.ndindex(weights[name].shape):
        up, down = ({k: w.copy() for k, w in weights.items()} for _ in range(2))
        up[name][index] += step
        down[name][index] -= step
        slope = (loss(up["w0"], up["w1"]) - loss(down["w0"], down["w1"])) / (2 * step)
        assert np.array(heap[name])[index] - weights[name][index] == pytest.approx(-ALPHA * slope, abs=1e-9)
