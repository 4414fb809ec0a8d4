"""Functions of JAX as programs: they give the same numbers, learn the same, and read as a person writes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.interchange.sources.imported import import_jax
from rh_kernel.source.diagnostic import Rejected
from tests.interchange.programs import EXACT, largest_difference, net_name, results, started

jax: Any = pytest.importorskip("jax", reason="JAX is in the extra interchange")

pytestmark = pytest.mark.slow
jnp: Any = import_module("jax.numpy")
lax: Any = import_module("jax.lax")


@pytest.fixture(autouse=True)
def _double() -> Any:
    with jax.enable_x64(True):
        yield


def _mlp(p: Any, x: Any) -> Any:
    x = jax.nn.silu(x @ p["fc1"]["w"] + p["fc1"]["b"])
    return jax.nn.log_softmax(x @ p["fc2"]["w"] + p["fc2"]["b"])


def _cnn(p: Any, x: Any) -> Any:
    y = lax.conv_general_dilated(x, p["k"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + p["kb"]
    y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    y = lax.reduce_window(y, 0.0, lax.add, (1, 3, 3, 1), (1, 3, 3, 1), "VALID")
    return y.reshape(1, -1) @ p["w"] + p["b"]


def _attention(p: Any, x: Any) -> Any:
    q, k, v = ((x @ p[name]).reshape(1, 5, 2, 4) for name in "qkv")
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2, axis=-1)
    y = x + jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(1, 5, 8) @ p["o"]
    return jax.nn.standardize(y) * p["g"] + p["b"]


def _words(p: Any, i: Any) -> Any:
    return jnp.mean(p["table"][i], axis=1) @ p["w"]


def _several(p: Any, x: Any) -> Any:
    y = jnp.concatenate([x[:, 1:3], x[:, ::-1]], axis=1)
    z = jnp.where(jnp.arange(6) > 2, y, 2.0) * p["s"] + jax.nn.softplus(y) - jnp.exp(-(y**2))
    return {"a": jnp.max(z, axis=1), "b": (z[:, :, None] * y[:, None, :]).sum(-1), "c": jnp.clip(z, -0.5, 0.5)}


def _weights(**shapes: tuple[int, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    return {name: jnp.asarray(rng.normal(size=shape)) for name, shape in shapes.items()}


def _layers() -> dict[str, Any]:
    return {"fc1": _weights(w=(4, 5), b=(5,)), "fc2": _weights(w=(5, 3), b=(3,))}


CASES: dict[str, tuple[Callable[..., Any], Callable[[], Any], tuple[int, ...], int]] = {
    "mlp": (_mlp, _layers, (4,), 0),
    "cnn": (_cnn, lambda: _weights(k=(3, 3, 2, 4), kb=(4,), w=(4, 3), b=(3,)), (6, 6, 2), 0),
    "attention": (_attention, lambda: _weights(q=(8, 8), k=(8, 8), v=(8, 8), o=(8, 8), g=(8,), b=(8,)), (5, 8), 0),
    "words": (_words, lambda: _weights(table=(7, 4), w=(4, 2)), (6,), 7),
    "several": (_several, lambda: _weights(s=(6,)), (4,), 0),
}


def _sample(shape: tuple[int, ...], below: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return jnp.asarray(rng.integers(below, size=(1, *shape)) if below else rng.normal(size=(1, *shape)))


def _stepped(w: Any, g: Any) -> Any:
    return w - 0.1 * g


@pytest.mark.parametrize("name", CASES)
def test_a_function_gives_the_same_numbers(name: str, tmp_path: Path) -> None:
    function, params, shape, below = CASES[name]
    weights = params()
    found = import_jax(function, _sample(shape, below, 0), weights)
    workspace = started(found, tmp_path)
    for seed in (0, 1, 2):
        x = _sample(shape, below, seed)
        expected = jax.tree_util.tree_leaves(function(weights, x))
        assert largest_difference(results(workspace, found, [np.asarray(x)[0]]), expected) < EXACT


@pytest.mark.parametrize("name", ["mlp", "cnn", "words", "attention"])
def test_three_steps_of_training_equal_those_of_jax(name: str, tmp_path: Path) -> None:
    function, params, shape, below = CASES[name]
    weights = params()
    found = import_jax(function, _sample(shape, below, 0), weights)
    workspace = started(found, tmp_path)
    net = net_name(found)

    def loss(p: Any, x: Any) -> Any:
        return jnp.mean(function(p, x) ** 2)

    for seed in range(3):
        x = _sample(shape, below, seed)
        gradients = jax.grad(loss)(weights, x)
        weights = jax.tree_util.tree_map(_stepped, weights, gradients)
        workspace.const("sample", np.asarray(x, np.float64)[0])
        workspace.run(f"rev handle (sample) <x>. let y <= {net}(x) in return mean(y * y) with descend(0.1)")
    learned = jax.tree_util.tree_leaves(weights)
    contents = [c for n, c in workspace.heap.items() if not n.startswith(("example", "expected"))]
    assert sum(c.size for c in contents) == sum(w.size for w in learned)
    for w in learned:
        # Matrices, and filters, are turned over.
        flat = np.sort(np.ravel(w))
        differences = [np.max(np.abs(np.sort(np.ravel(c)) - flat)) for c in contents if c.size == w.size]
        assert min(differences) < EXACT * max(1, np.max(np.abs(flat)))


def test_what_a_function_closes_over_has_its_name() -> None:
    matrix, layer = jnp.ones((3, 4)), {"bias": jnp.ones(3)}

    def net(x: Any) -> Any:
        return jnp.tanh(matrix @ x + layer["bias"])

    text = import_jax(net, jnp.ones(4), batch=False).text
    assert "let x <= Affine[matrix, layer_bias](x) in" in text or "Affine[matrix, layer_bias](x)" in text


def test_functions_of_the_language_are_found() -> None:
    def net(x: Any) -> Any:
        return jax.nn.softmax(jax.nn.silu(x)) + jax.nn.log_softmax(x) + jax.nn.softplus(x) + jax.nn.relu(x)

    text = import_jax(net, jnp.ones((1, 4))).text
    assert "softmax(swish(x)) + log_softmax(x)" in text
    assert "+ softplus(x) + relu(x)" in text


def _summed(s: Any, y: Any) -> tuple[Any, Any]:
    a, b = s
    return (a + y, b), (a, b)


def _is_small(s: Any) -> Any:
    return s.sum() < 9


def _branching(x: Any) -> Any:
    return x if x.sum() > 0 else -x


REFUSED: tuple[tuple[Callable[[Any], Any], str], ...] = (
    (lambda x: jax.nn.gelu(x, approximate=False), "the language has no error function"),
    (lambda x: jnp.cumsum(x, axis=1), "there is no counterpart"),
    (lambda x: lax.stop_gradient(x) * x, "the language stops no gradient"),
    (lambda x: jnp.where(x == 1, x, 0.1 * x), "it depends on whether values are equal"),
    (lambda x: (x != 0).astype(x.dtype), "comparison cannot be imported"),
    (lambda x: jnp.argmax(x, axis=1), "a place has no derivative"),
    (lambda x: lax.scan(_summed, (x, jnp.zeros(1)), jnp.arange(65.0))[0][0], "it has 65 rounds, more than 64"),
    (lambda x: lax.while_loop(_is_small, jnp.exp, x), "it has a function of its own"),
    (lambda x: jnp.mean(x, axis=0), "it takes the sum along the axis of samples"),
    (lambda x: jnp.round(x).astype(int) * 1.0, "it rounds to whole numbers"),
)


@pytest.mark.parametrize(("function", "why"), REFUSED, ids=[case[1] for case in REFUSED])
def test_what_has_no_counterpart_is_refused(function: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(Rejected) as raised:
        import_jax(function, jnp.ones((1, 4)))
    assert {d.code for d in raised.value.diagnostics} == {"RH371"}
    assert why in " ".join([d.message for d in raised.value.diagnostics])


def test_a_function_that_cannot_be_traced_is_refused() -> None:
    with pytest.raises(Rejected) as raised:
        import_jax(_branching, jnp.ones((1, 4)))
    assert [d.code for d in raised.value.diagnostics] == ["RH372"]


def test_an_example_has_an_axis_of_one_sample() -> None:
    with pytest.raises(Rejected) as raised:
        import_jax(jnp.tanh, jnp.ones((3, 4)))
    assert [d.code for d in raised.value.diagnostics] == ["RH373"]


def test_arrays_that_are_not_among_the_parameters_are_constants(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    matrix, table, shift = (jnp.asarray(rng.normal(size=size)) for size in ((4, 6), (5, 6), (6,)))
    weights = {"w": jnp.asarray(rng.normal(size=(6, 3)))}

    def net(p: Any, x: Any) -> Any:
        rows = table[jnp.array([0, 2, 2])].sum(0)
        return (x @ matrix + rows + shift) @ p["w"]

    found = import_jax(net, jnp.ones((1, 4)), weights)
    workspace = started(found, tmp_path)
    before = dict(workspace.heap)
    workspace.run(f"rev handle ([1, 2, 3, 4]) <x>. let y <= {net_name(found)}(x) in return mean(y * y) with descend(0.1)")
    assert [name for name, content in workspace.heap.items() if not np.array_equal(content, before[name])] == ["w"]


def test_equal_arrays_are_parameters_of_their_own(tmp_path: Path) -> None:
    """Those that a function calls another one with, which has its own names for them, too."""
    first, second, third = jnp.zeros(3), jnp.zeros(3), jnp.zeros(3)

    @jax.jit
    def inner(x: Any) -> Any:
        return jnp.tanh(x + first) * 2 + second

    def net(x: Any) -> Any:
        return inner(x) * x + third

    found = import_jax(net, jnp.ones((1, 3)))
    workspace = started(found, tmp_path)
    workspace.run(f"rev handle ([0.5, 1, 2]) <x>. let y <= {net_name(found)}(x) in return mean(y * y) with descend(0.1)")

    def loss(arrays: Any, x: Any) -> Any:
        a, b, c = arrays
        return jnp.mean(((jnp.tanh(x + a) * 2 + b) * x + c) ** 2)

    learned = jax.grad(loss)((first, second, third), jnp.array([0.5, 1, 2]))
    contents = [np.ravel(c) for n, c in workspace.heap.items() if not n.startswith(("example", "expected"))]
    assert len(contents) == 3
    for g in learned:
        assert min([np.max(np.abs(c + 0.1 * np.asarray(g))) for c in contents]) < EXACT
