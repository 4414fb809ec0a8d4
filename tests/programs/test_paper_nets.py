"""Residual nets, autoencoders and quantised layers (RH Ex. 4.2, 4.3, 4.6): expectations derived by hand, in each reading."""

import numpy as np
import pytest

from tests.programs.by_hand import INPUT, Arrays, assert_descent, chain_of_matrices, perceptron, squared_error, swish
from tests.programs.readings import Reading, assert_outcome, each_reading

V, T, ALPHA = np.array([1.0, -2.0]), np.array([0.5, -1.5]), 0.1
BLOCKS = {
    "w0": np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]),
    "w1": np.array([[0.7, -0.8, 0.9], [-1.0, 1.1, 1.2]]),
    "w2": np.array([[0.4, -0.3]]),
    "w3": np.array([[0.2], [-0.6]]),
}
ONE_BLOCK = {name: BLOCKS[name] for name in ("w0", "w1")}


def block(x: np.ndarray, m0: np.ndarray, m1: np.ndarray) -> np.ndarray:
    """x + m₁ swish(m₀ x)"""
    return x + m1 @ swish(m0 @ x)


@each_reading
def test_example_4_2(reading: Reading) -> None:
    """The input is used twice, so the cotangents add: e through the sum, m₀ᵀ u' through the perceptron."""
    m0, m1 = ONE_BLOCK.values()
    e = ALPHA * (block(V, m0, m1) - T)
    back, d0, d1 = perceptron(m0, m1, V, e)
    assert_outcome(reading("example_4_2_residual.rh"), e + back, {"w0": m0 - d0, "w1": m1 - d1})


@each_reading
def test_example_4_2_is_gradient_descent(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(block(at[INPUT], at["w0"], at["w1"]), T)

    assert_descent(reading("example_4_2_residual.rh"), loss, {**ONE_BLOCK, INPUT: V}, ALPHA)


@each_reading
def test_example_4_2_with_two_blocks(reading: Reading) -> None:
    """A block takes the cotangent e back to e + m₀ᵀ u', the second one first."""
    m0, m1, m2, m3 = BLOCKS.values()
    x = block(V, m0, m1)
    e = ALPHA * (block(x, m2, m3) - T)
    back, d2, d3 = perceptron(m2, m3, x, e)
    e = e + back
    back, d0, d1 = perceptron(m0, m1, V, e)
    heap = {"w0": m0 - d0, "w1": m1 - d1, "w2": m2 - d2, "w3": m3 - d3}
    assert_outcome(reading("example_4_2_two_blocks.rh"), e + back, heap)


@each_reading
def test_example_4_2_with_two_blocks_is_gradient_descent(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(block(block(at[INPUT], at["w0"], at["w1"]), at["w2"], at["w3"]), T)

    assert_descent(reading("example_4_2_two_blocks.rh"), loss, {**BLOCKS, INPUT: V}, ALPHA)


SHALLOW_V, DEEP_V = np.array([1.0, -2.0, 0.5, 3.0]), np.array([1.0, -2.0, 0.5])
SHALLOW = {
    "ℓ0": np.array([[0.1, -0.2, 0.3, 0.4], [0.5, 0.6, -0.7, 0.8]]),
    "ℓ1": np.array([[0.2, -0.1], [0.4, 0.3], [-0.6, 0.5], [0.8, 0.7]]),
}
DEEP = {
    "ℓ0": np.array([[0.1, -0.2, 0.3], [0.5, 0.6, -0.7]]),
    "ℓ1": np.array([[0.9, -0.4]]),
    "ℓ2": np.array([[1.5], [-0.5]]),
    "ℓ3": np.array([[0.2, -0.1], [0.4, 0.3], [-0.6, 0.5]]),
}
each_autoencoder = pytest.mark.parametrize(
    ("untrained", "trained", "weights", "v"),
    [
        ("example_4_3_autoencoder.rh", "example_4_3_trained.rh", SHALLOW, SHALLOW_V),
        ("example_4_3_deep_autoencoder.rh", "example_4_3_deep_trained.rh", DEEP, DEEP_V),
    ],
    ids=["shallow", "deep"],
)


def through(ws: Arrays, v: np.ndarray) -> np.ndarray:
    """v through the matrices in the order of their locations, the encoder's first, then the decoder's."""
    for name in sorted(ws.keys() - {INPUT}):
        v = ws[name] @ v
    return v


@each_reading
@each_autoencoder
def test_example_4_3(reading: Reading, untrained: str, trained: str, weights: Arrays, v: np.ndarray) -> None:
    """What Q^f encodes, Q^b decodes: the value is the reconstruction w_k … w₁ w₀ v."""
    assert_outcome(reading(untrained), through(weights, v), weights)


@each_reading
@each_autoencoder
def test_example_4_3_trained(reading: Reading, untrained: str, trained: str, weights: Arrays, v: np.ndarray) -> None:
    """The nested handler is the chain of matrices, trained with the input for a target."""
    value, new = chain_of_matrices([*weights.values()], v, v, ALPHA)
    assert_outcome(reading(trained), value, dict(zip(weights, new, strict=True)))


@each_reading
@each_autoencoder
def test_example_4_3_is_gradient_descent(
    reading: Reading, untrained: str, trained: str, weights: Arrays, v: np.ndarray
) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(through(at, at[INPUT]), v)

    assert_descent(reading(trained), loss, {**weights, INPUT: v}, ALPHA)


@each_reading
def test_example_4_6_with_the_derivative(reading: Reading) -> None:
    """A layer with f forwards and rd[f] backwards: f'(x) f'(f(x)) (f(f(x)) − t) for f(x) = x tanh(x)."""

    def f(x: np.ndarray) -> np.ndarray:
        return x * np.tanh(x)

    def slope(x: np.ndarray) -> np.ndarray:
        return np.tanh(x) + x / np.cosh(x) ** 2

    def loss(at: Arrays) -> float:
        return squared_error(f(f(at[INPUT])), t)

    x, t = np.array([0.3, -1.2, 2.0]), np.array([0.5, 1.0, -1.0])
    found = reading("example_4_6_layer.rh")
    assert_outcome(found, slope(x) * slope(f(x)) * (f(f(x)) - t), {})
    assert_descent(found, loss, {INPUT: x}, 1)


@each_reading
def test_example_4_6_straight_through(reading: Reading) -> None:
    """For u * x with u = round(x), and the result itself as cotangent y: y * u by the product, and y * x straight through u."""
    x, u = np.array([0.4, -1.7, 2.6]), np.array([0.0, -2.0, 3.0])
    y = u * x
    assert_outcome(reading("example_4_6_straight_through.rh"), y * u + y * x, {})


QUANTISED = {"w0": np.array([[1.1, -0.3], [0.3, 0.8], [-0.5, 1.6]]), "w1": np.array([[0.7, -0.8, 0.9]])}
Q = np.array([2.0, -1.0, -4.0])
"""w₀ v = (1.7, −1.3, −3.7), rounded."""
GOAL = np.array([0.5])


@each_reading
def test_example_4_6_quantised_training(reading: Reading) -> None:
    """With q = round(w₀ v) and e = α (w₁ q − t): w₁ − e qᵀ, w₀ − (w₁ᵀ e) vᵀ and w₀ᵀ w₁ᵀ e, as if nothing were rounded."""
    w0, w1 = QUANTISED.values()
    e = ALPHA * (w1 @ Q - GOAL)
    heap = {"w0": w0 - np.outer(w1.T @ e, V), "w1": w1 - np.outer(e, Q)}
    assert_outcome(reading("example_4_6_quantised_training.rh"), w0.T @ w1.T @ e, heap)


@each_reading
def test_example_4_6_descends_along_a_loss_without_rounding(reading: Reading) -> None:
    """The gradient is that of the net in which the rounding is replaced by the addition of a constant."""
    rest = Q - QUANTISED["w0"] @ V

    def loss(at: Arrays) -> float:
        return squared_error(at["w1"] @ (at["w0"] @ at[INPUT] + rest), GOAL)

    assert_descent(reading("example_4_6_quantised_training.rh"), loss, {**QUANTISED, INPUT: V}, ALPHA)


@each_reading
def test_example_4_6_with_the_true_derivative(reading: Reading) -> None:
    """The slope of a rounded value is 0: what comes before it does not learn."""
    w0, w1 = QUANTISED.values()
    e = ALPHA * (w1 @ Q - GOAL)

    def loss(at: Arrays) -> float:
        return squared_error(at["w1"] @ np.round(at["w0"] @ at[INPUT]), GOAL)

    found = reading("example_4_6_true_derivative.rh")
    assert_outcome(found, np.zeros(2), {"w0": w0, "w1": w1 - np.outer(e, Q)})
    assert_descent(found, loss, {**QUANTISED, INPUT: V}, ALPHA)
