"""What the programs of the paper should come to, in plain NumPy: the pieces that the expectations are made of."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from tests.programs.readings import Outcome

Arrays: TypeAlias = Mapping[str, np.ndarray]
Loss: TypeAlias = Callable[[Arrays], float]
"""A loss as a function of the weights by name, and of the net's input under the name ``INPUT``."""

INPUT = "input"


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(−xᵢ)), entry by entry."""
    return np.array([1 / (1 + math.exp(-entry)) for entry in x.flat]).reshape(x.shape)


def swish(x: np.ndarray) -> np.ndarray:
    """xᵢ · sigm(xᵢ) (RH §4)."""
    return x * sigmoid(x)


def swish_slope(x: np.ndarray) -> np.ndarray:
    """The derivative of swish: sigm(x) + x · sigm(x) · (1 − sigm(x))."""
    return sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x))


def squared_error(out: np.ndarray, t: np.ndarray) -> float:
    """½ Σₖ (outₖ − tₖ)² (RH §2.2.2, E.1)."""
    return 0.5 * sum((o - goal) ** 2 for o, goal in zip(out.flat, t.flat, strict=True))


def chain_of_matrices(
    ws: Sequence[np.ndarray], v: np.ndarray, t: np.ndarray, alpha: float
) -> tuple[np.ndarray, list[np.ndarray]]:
    """One step of backpropagation through x_{i+1} = w_i x_i from x₀ = v (RH §2.2.2).

    With e_k = α (x_k − t) at the end and e_i = w_iᵀ e_{i+1} before it: the cotangent e₀ and the weights w_i − e_{i+1} x_iᵀ.
    """
    xs = [v]
    for w in ws:
        xs.append(w @ xs[-1])
    e, new = alpha * (xs[-1] - t), list[np.ndarray]()
    for w, x in zip(reversed(ws), reversed(xs[:-1]), strict=True):
        new.insert(0, w - np.outer(e, x))
        e = w.T @ e
    return e, new


def perceptron(m0: np.ndarray, m1: np.ndarray, v: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The backward pass through m₁ swish(m₀ v) with the cotangent e: those of v, m₀ and m₁ (RH E.1).

    With s = m₀ v and u' = (m₁ᵀ e) ⊙ swish'(s): m₀ᵀ u', u' vᵀ and e swish(s)ᵀ.
    """
    s = m0 @ v
    u = (m1.T @ e) * swish_slope(s)
    return m0.T @ u, np.outer(u, v), np.outer(e, swish(s))


def slope(loss: Loss, at: Arrays, name: str, index: tuple[int, ...], step: float = 1e-6) -> float:
    """The central difference of ``loss`` in one entry of the array ``name``."""
    up, down = ({key: array.copy() for key, array in at.items()} for _ in range(2))
    up[name][index] += step
    down[name][index] -= step
    return (loss(up) - loss(down)) / (2 * step)


def assert_descent(found: Outcome, loss: Loss, at: Arrays, alpha: float, fixed: Collection[str] = ()) -> None:
    """One step of gradient descent: w − α ∂loss/∂w in each location but the fixed ones, and α ∂loss/∂input for the value."""
    slopes = {name: np.zeros_like(array) for name, array in at.items()}
    for name, array in at.items():
        for index in np.ndindex(array.shape):
            slopes[name][index] = slope(loss, at, name, index)
    (value,) = found.value
    np.testing.assert_allclose(value, alpha * slopes[INPUT], atol=1e-8)
    assert found.heap.keys() == at.keys() - {INPUT}
    for name, content in found.heap.items():
        expected = at[name] if name in fixed else at[name] - alpha * slopes[name]
        np.testing.assert_allclose(content, expected, atol=1e-8)
