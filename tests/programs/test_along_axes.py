"""Sums, means, softmax and others along any axis of arrays of ranks 1 to 4, and arrays put together along any axis.

The symbols take vectors, whole arrays, or the first axis and the last one. With ``permute`` and ``map`` they reach the others.
Values and slopes are compared with NumPy's by all evaluators.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import ValueFound
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.session.cells import codes, run

SHAPE = (2, 3, 2, 4)
AXES = [(r, axis) for r in range(1, 5) for axis in range(r)]


def softmax(x: Array, axis: int) -> Array:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def logsumexp(x: Array, axis: int) -> Array:
    return np.log(np.exp(x).sum(axis))


OF_VECTORS: dict[str, Callable[[Array, int], Array]] = {
    "sum": np.sum,
    "mean": np.mean,
    "logsumexp": logsumexp,
    "softmax": softmax,
    "log_softmax": lambda x, axis: np.log(softmax(x, axis)),
}


def values(texts: list[str], evaluator: str) -> list[Array]:
    results, _ = run(Session.start(Path()), "\n".join([f"%evaluator {evaluator}", *texts]))
    assert not codes(results), codes(results)
    return [to_array(result.value) for result in results if isinstance(result, ValueFound)]


def slope(f: Callable[[Array], Array], w: Array, x: Array) -> Array:
    """The cotangent of x by central differences."""
    found = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-5
        found[at] = np.sum(w * (f(x + step) - f(x - step))) / 2e-5
    return found


def permuted(order: list[int], text: str) -> str:
    return text if order == sorted(order) else f"permute[{', '.join(map(str, order))}]({text})"


def of_axis(name: str, x: str, rank: int, axis: int) -> tuple[str, tuple[int, ...]]:
    """The symbol along an axis of the variable x, and the shape of the result."""
    others = [i for i in range(rank) if i != axis]
    rows = [f"r{i}" for i in range(rank)]
    text = f"{name}({rows[rank - 1]})"
    for i in reversed(range(1, rank)):
        text = f"map ({rows[i]} in {rows[i - 1]}) do {text}"
    text = f"let {rows[0]} <- {permuted([*others, axis], x)} in {text}"
    if "softmax" in name:
        return permuted(np.argsort([*others, axis]).tolist(), f"({text})"), SHAPE[:rank]
    shape = tuple([SHAPE[i] for i in others]) or (1,)
    return f"reshape[{', '.join(map(str, shape))}]({text})", shape


@pytest.mark.parametrize("evaluator", ["compiled", "denoted", "stepped"])
@pytest.mark.parametrize("name", OF_VECTORS)
@pytest.mark.parametrize(("rank", "axis"), AXES)
def test_a_symbol_along_an_axis(name: str, rank: int, axis: int, evaluator: str) -> None:
    rng = np.random.default_rng(rank)
    text, shape = of_axis(name, "x", rank, axis)
    x, w = rng.normal(size=SHAPE[:rank]).round(3), rng.normal(size=shape).round(3)
    value, cotangent = values([f"let x <- {x.tolist()} in {text}", f"{w.tolist()}.rd(x. {text})({x.tolist()})"], evaluator)

    def f(x: Array) -> Array:
        return OF_VECTORS[name](x, axis).reshape(shape)

    np.testing.assert_allclose(value, f(x), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(cotangent, slope(f, w, x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("evaluator", ["compiled", "denoted", "stepped"])
@pytest.mark.parametrize(("rank", "axis"), AXES)
def test_arrays_joined_along_an_axis(rank: int, axis: int, evaluator: str) -> None:
    rng = np.random.default_rng(rank)
    x = rng.normal(size=SHAPE[:rank]).round(3)
    y = rng.normal(size=[n + (i == axis) for i, n in enumerate(SHAPE[:rank])]).round(3)
    w = rng.normal(size=np.concatenate([x, y], axis).shape).round(3)
    order = [axis, *[i for i in range(rank) if i != axis]]
    back = np.argsort(order).tolist()
    texts = [permuted(back, f"concat({permuted(order, 'x')}, {permuted(order, 'y')})")]
    if axis == rank - 1:
        texts.append("concat_last(x, y)")
    for text in texts:
        joined, one, other = values(
            [
                f"let (x, y) <- ({x.tolist()}, {y.tolist()}) in {text}",
                *[f"proj_{i}({w.tolist()}.rd((x, y). {text})({x.tolist()}, {y.tolist()}))" for i in (1, 2)],
            ],
            evaluator,
        )
        np.testing.assert_array_equal(joined, np.concatenate([x, y], axis))
        parts = np.split(w, [x.shape[axis]], axis)
        np.testing.assert_array_equal(one, parts[0])
        np.testing.assert_array_equal(other, parts[1])
