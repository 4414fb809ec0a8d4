"""Convolutional nets and the U-net (RH Ex. 4.4, 4.5, E.3), with expectations derived by hand, in each reading.

The formulas are those of E.3 and E.4 with the filter's channels in the order (c', c, m), indices from 0, and i + j where
the paper has, counting from 1, to mean i + j − 1.
"""

from functools import cache

import numpy as np
import pytest

from tests.programs.by_hand import INPUT, Arrays, assert_descent, slope, squared_error, swish, swish_slope
from tests.programs.readings import Reading, assert_outcome, each_reading, lines


def conv1d(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """y[l, i] = Σₖ Σⱼ x[k, i + j] w[l, k, j]"""
    m = w.shape[2]
    windows = np.stack([x[:, i : i + m] for i in range(x.shape[1] - m + 1)])
    return np.einsum("ikj,lkj->li", windows, w)


def conv1d_back(u: np.ndarray, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x'[k, i] = Σₗ Σⱼ u[l, i − j] w[l, k, j], where u is 0 outside its range, and w'[l, k, j] = Σᵢ u[l, i] x[k, i + j]"""
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    outs = u.shape[1]
    for l, k, j in np.ndindex(w.shape):
        for i in range(x.shape[1]):
            dx[k, i] += u[l, i - j] * w[l, k, j] if 0 <= i - j < outs else 0
        dw[l, k, j] = sum(u[l, i] * x[k, i + j] for i in range(outs))
    return dx, dw


def maxpool1d(x: np.ndarray, m: int) -> np.ndarray:
    """y[k, i] = max x[k, m i], …, x[k, m i + m − 1]; the last window may be shorter."""
    return np.array([[max(row[i : i + m]) for i in range(0, x.shape[1], m)] for row in x])


def maxpool1d_back(u: np.ndarray, x: np.ndarray, m: int) -> np.ndarray:
    """The cotangent of each window at its greatest entry, 0 elsewhere."""
    back = np.zeros_like(x)
    for k, i in np.ndindex(u.shape):
        back[k, m * i + int(np.argmax(x[k, m * i : m * i + m]))] = u[k, i]
    return back


ALPHA = 0.1
CNN_T = np.array([0.5, -1.5])
CNN_V = np.array([[0.5, -1.0, 2.0, 0.25, 1.5, -0.75, 1.0, 0.1], [1.2, 0.3, -0.6, 0.9, -1.4, 0.8, 0.2, -0.5]])


def cnn_weights() -> dict[str, np.ndarray]:
    return {
        "ℓ0": np.random.default_rng(10).normal(0, 0.5, (3, 2, 4)),
        "ℓ1": np.random.default_rng(11).normal(0, 0.5, (2, 6)),
    }


@each_reading
def test_example_4_4(reading: Reading) -> None:
    """The clauses of E.3 one after the other, and in between the reshape of 3 × 2 to 6."""
    w0, w1 = cnn_weights().values()
    y = conv1d(CNN_V, w0)
    x = maxpool1d(swish(y), 3).reshape(6)
    e = ALPHA * (w1 @ x - CNN_T)
    u = maxpool1d_back((w1.T @ e).reshape(3, 2), swish(y), 3) * swish_slope(y)
    back, d0 = conv1d_back(u, CNN_V, w0)
    assert_outcome(reading("example_4_4_cnn.rh"), back, {"ℓ0": w0 - d0, "ℓ1": w1 - np.outer(e, x)})


@each_reading
def test_example_4_4_is_gradient_descent(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(at["ℓ1"] @ maxpool1d(swish(conv1d(at[INPUT], at["ℓ0"])), 3).reshape(6), CNN_T)

    assert_descent(reading("example_4_4_cnn.rh"), loss, {**cnn_weights(), INPUT: CNN_V}, ALPHA)


UNET_ALPHA = 0.01
UNET_T = np.full((1, 134), 0.1)
UNET_V = np.array([[round(float(np.sin(0.3 * i) + 0.5 * np.cos(1.1 * i)), 2) for i in range(134)]])
ODD_V = np.array([[0.5, 0.52, 0.27, 0.29, 0.78, 1.35, 1.45, 0.94, 0.31, -0.02, 0.14, 0.33, -0.04]])
SHAPES = {
    "ℓ0": (0.5, 20, (8, 1, 3)),
    "ℓ0'": (0.5, 21, (1, 9, 1)),
    "ℓ0''": (0.5, 22, (1, 1, 3)),
    "ℓ1": (0.25, 23, (16, 8, 3)),
    "ℓ1'": (0.25, 24, (8, 24, 1)),
    "ℓ1''": (0.25, 25, (8, 8, 3)),
    "ℓ2": (0.25, 26, (16, 16, 3)),
}
"""Deviation, seed and shape of the first contents: ℓ is 3 × c × c', ℓ' is (c + c') × c, ℓ'' is 3 × c × c."""


def unet_weights() -> dict[str, np.ndarray]:
    return {name: np.random.default_rng(seed).normal(0, std, shape) for name, (std, seed, shape) in SHAPES.items()}


def pad1d(x: np.ndarray, n: int) -> np.ndarray:
    """Zeros on both sides, equally many if that is possible, else one more on the right."""
    left = (n - x.shape[1]) // 2
    return np.pad(x, ((0, 0), (left, n - x.shape[1] - left)))


def upscale1d(x: np.ndarray, n: int) -> np.ndarray:
    """y[k, i] = x[k, ⌊i · old / n⌋]"""
    return x[:, [i * x.shape[1] // n for i in range(n)]]


def encoded(x: np.ndarray, at: Arrays, level: int) -> np.ndarray:
    """The forward part of U: convolution and pooling by two."""
    return maxpool1d(conv1d(x, at[f"ℓ{level}"]), 2)


def decoded(y: np.ndarray, kept: np.ndarray, at: Arrays, level: int) -> np.ndarray:
    """The backward part of U: the kept input above the upscaled answer, two convolutions, swish and padding."""
    n = kept.shape[1]
    both = np.concatenate([kept, upscale1d(y, n)])
    return pad1d(swish(conv1d(conv1d(both, at[f"ℓ{level}'"]), at[f"ℓ{level}''"])), n)


def unet(at: Arrays, x: np.ndarray) -> np.ndarray:
    """Down two levels, the return clause at the bottom, and up again."""
    x1 = encoded(x, at, 0)
    x2 = encoded(x1, at, 1)
    bottom = conv1d(pad1d(x2, 34), at["ℓ2"])
    return decoded(decoded(bottom, x1, at, 1), x, at, 0)


@each_reading
def test_example_4_5(reading: Reading) -> None:
    """The handler makes the decoder: the value is what the whole U-net makes of the image."""
    assert_outcome(reading("example_4_5_unet.rh"), unet(unet_weights(), UNET_V), unet_weights())


@each_reading
def test_example_4_5_at_an_odd_length_is_gradient_descent(reading: Reading) -> None:
    """From 13 by 11 to 6, and from 6 by 4 to 2; back at the kept lengths 6 and 13. Every entry of every location."""
    shapes = ((2, 1, 3), (1, 3, 1), (1, 1, 3), (3, 2, 3), (2, 5, 1), (2, 2, 3), (3, 3, 3))
    drawn = [np.random.default_rng(30 + k).normal(0, 0.5, shape) for k, shape in enumerate(shapes)]
    weights = dict(zip(SHAPES, drawn, strict=True))

    def loss(at: Arrays) -> float:
        x1 = encoded(at[INPUT], at, 0)
        bottom = conv1d(pad1d(encoded(x1, at, 1), 4), at["ℓ2"])
        return squared_error(decoded(decoded(bottom, x1, at, 1), at[INPUT], at, 0), np.full((1, 13), 0.1))

    assert_descent(reading("example_4_5_odd_length.rh"), loss, {**weights, INPUT: ODD_V}, ALPHA)


@each_reading
def test_example_4_5_with_flat_types_is_the_same(reading: Reading) -> None:
    """Vectors of cn entries, as the paper types them, and arrays of c × n are one program but for the shapes."""
    flat, shaped = reading("example_4_5_flat.rh"), reading("example_4_5_unet_trained.rh")
    assert_outcome(flat, shaped.value[0].reshape(134), shaped.heap)


def test_example_4_5_with_flat_types_has_the_types_of_the_paper() -> None:
    """``x_in : Real(134) ⊢ R_Unet : Real(16 × 32)``, ``⊢ H_Unet : rev handler(Real(16 × 32))``, and Real(134) for the whole."""
    found = lines("run", "example_4_5_flat.rh")
    declared = {line["name"]: line["type"] for line in found if line["kind"] == "declaration"}
    assert declared["r_unet"] == "Real(134) ~> Real(512)"
    assert declared["h_unet"] == "rev handler(Real(512))"
    assert found[-1]["type"] == "Real(134)"


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("U", "[l : Loc(d, c, 3), l' : Loc(c, c + d, 1), l'' : Loc(c, c, 3)] Real(c, n) -> Real(d, ceil((n - 2) / 2))"),
        ("r_unet", "Real(1, 134) ~> Real(16, 32)"),
        ("h_unet", "rev handler(Real(16, 32))"),
        ("unet", "Real(1, 134) ~> Real(1, 134)"),
    ],
)
def test_example_4_5_has_the_types_of_the_paper(name: str, type: str) -> None:
    declared = {line["name"]: line["type"] for line in lines("run", "example_4_5_unet.rh") if line["kind"] == "declaration"}
    assert declared[name] == type


@cache
def unet_slopes() -> dict[str, dict[tuple[int, ...], float]]:
    """Central differences of the loss in some entries of every weight and of the input."""

    def loss(at: Arrays) -> float:
        return squared_error(unet(at, at[INPUT]), UNET_T)

    at = {**unet_weights(), INPUT: UNET_V}
    rng = np.random.default_rng(0)
    slopes: dict[str, dict[tuple[int, ...], float]] = {}
    for name, array in at.items():
        places = rng.choice(array.size, min(array.size, 12), replace=False)
        indices = [tuple([int(i) for i in np.unravel_index(place, array.shape)]) for place in places]
        slopes[name] = {index: slope(loss, at, name, index) for index in indices}
    return slopes


@each_reading
def test_example_4_5_trained_is_gradient_descent(reading: Reading) -> None:
    """Every weight, of the encoder and of the decoder that the inner handler made, goes to w − α ∂loss/∂w."""
    found, weights = reading("example_4_5_unet_trained.rh"), unet_weights()
    assert found.heap.keys() == weights.keys()
    (value,) = found.value
    assert value.shape == (1, 134)
    for name, slopes in unet_slopes().items():
        for index, expected in slopes.items():
            step = value[index] if name == INPUT else weights[name][index] - found.heap[name][index]
            assert step == pytest.approx(UNET_ALPHA * expected, rel=1e-5, abs=1e-7)
        assert any(slopes.values())
