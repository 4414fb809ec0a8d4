"""Loops of other libraries as programs: a scan, rounds that become a repeat, and rounds that are written out."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.interchange.sources.imported import Imported, import_jax, import_onnx
from rh_kernel.source.diagnostic import Rejected
from tests.interchange import models
from tests.interchange.programs import EXACT, SINGLE, largest_difference, results, started
from tests.tiers import law

jax: Any = pytest.importorskip("jax", reason="JAX is in the extra interchange")
onnx: Any = pytest.importorskip("onnx", reason="ONNX is in the extra interchange")

pytestmark = pytest.mark.slow
jnp: Any = import_module("jax.numpy")
lax: Any = import_module("jax.lax")

RNG = np.random.default_rng(5)
W, U, STACK = RNG.normal(size=(3, 2)), RNG.normal(size=(3, 3)), RNG.normal(size=(5, 2, 2))


@pytest.fixture(autouse=True)
def _double() -> Any:
    with jax.enable_x64(True):
        yield


def _counted(i: Any, s: Any) -> Any:
    return jnp.sin(s) * (i + 1)


def _agrees(found: Imported, function: Any, x: Any, folder: Path) -> None:
    other = jnp.asarray(np.random.default_rng(9).normal(size=x.shape))
    wanted = jax.tree_util.tree_leaves(function(other))
    assert largest_difference(results(started(found, folder), found, [np.asarray(other)]), wanted) < EXACT


def _cell(s: Any, row: Any) -> tuple[Any, Any]:
    s = jnp.tanh(W @ row + U @ s)
    return s, s


@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_of_rows_is_a_scan(reverse: bool, tmp_path: Path) -> None:
    def net(x: Any) -> Any:
        return lax.scan(_cell, jnp.zeros(3), x, reverse=reverse)

    x = jnp.ones((100, 2))
    found = import_jax(net, x, batch=False)
    assert found.text.count("scan (") == 1
    assert found.text.count("<= FC[") == 2
    _agrees(found, net, x, tmp_path)


def test_a_scan_over_stacked_weights_is_a_repeat(tmp_path: Path) -> None:
    deep = jnp.asarray(STACK)

    def layer(s: Any, w: Any) -> tuple[Any, None]:
        return jnp.tanh(w @ s), None

    def net(x: Any) -> Any:
        return lax.scan(layer, x, deep)[0]

    found = import_jax(net, jnp.ones(2), batch=False)
    assert "repeat i < 5 from" in found.text
    assert "loc deep[5] : Real(2, 2)" in found.text
    _agrees(found, net, jnp.ones(2), tmp_path)


def test_a_counter_is_a_constant_of_each_round(tmp_path: Path) -> None:
    def net(x: Any) -> Any:
        return lax.fori_loop(0, 4, _counted, x)

    found = import_jax(net, jnp.ones(2), batch=False)
    assert "* sin(" in found.text
    _agrees(found, net, jnp.ones(2), tmp_path)


def test_a_scan_without_a_state_and_one_without_results(tmp_path: Path) -> None:
    def doubled(s: None, row: Any) -> tuple[None, Any]:
        return s, jnp.exp(row)

    def total(s: Any, row: Any) -> tuple[Any, None]:
        return s * row, None

    def net(x: Any) -> Any:
        return lax.scan(doubled, None, x)[1], lax.scan(total, jnp.ones(2), x)[0]

    found = import_jax(net, jnp.ones((10, 2)), batch=False)
    assert found.text.count("scan (") == 2
    _agrees(found, net, jnp.ones((10, 2)), tmp_path)


def test_several_arrays_and_results_are_written_round_by_round(tmp_path: Path) -> None:
    def both(s: Any, rows: Any) -> tuple[Any, Any]:
        a, b = rows
        return s + a * b, (s, a - b)

    def net(x: Any) -> Any:
        s, (before, differences) = lax.scan(both, jnp.zeros(2), (x, jnp.cos(x)), reverse=True)
        return s, before, differences

    found = import_jax(net, jnp.ones((4, 2)), batch=False)
    assert "scan (" not in found.text
    _agrees(found, net, jnp.ones((4, 2)), tmp_path)


def test_a_loop_in_a_scan(tmp_path: Path) -> None:
    def one(s: Any, row: Any) -> tuple[Any, Any]:
        s = lax.fori_loop(0, 3, _counted, s + row)
        return s, lax.scan(_cell, jnp.zeros(3), s.reshape(2, 2))[0]

    def net(x: Any) -> Any:
        return lax.scan(one, jnp.zeros(4), x)[1]

    found = import_jax(net, jnp.ones((10, 4)), batch=False)
    assert found.text.count("scan (") == 2
    _agrees(found, net, jnp.ones((10, 4)), tmp_path)


def test_too_many_rounds_inside_others_are_refused() -> None:
    def inner(_: Any, x: Any) -> Any:
        return lax.fori_loop(0, 40, _counted, x)

    def net(x: Any) -> Any:
        return lax.fori_loop(0, 40, inner, x)

    with pytest.raises(Rejected, match="it is in other loops, and has more than 1024 rounds in all"):
        import_jax(net, jnp.ones(2), batch=False)


def test_too_many_rounds_are_refused() -> None:
    def net(x: Any) -> Any:
        return lax.fori_loop(0, 65, _counted, x)

    with pytest.raises(Rejected, match="it has 65 rounds, more than 64"):
        import_jax(net, jnp.ones(2), batch=False)


def _scanned(axis: int, out_axis: int, *, backward: bool, out_backward: bool) -> Any:
    """A model of one ``Scan``: a sum so far, in which a weight of the graph around is used."""
    body = onnx.helper.make_graph(
        [
            models.node("Mul", ["row", "scale"], ["scaled"]),
            models.node("Add", ["state", "scaled"], ["next"]),
            models.node("Tanh", ["next"], ["given"]),
        ],
        "body",
        [models.value("state", [3]), models.value("row", [3])],
        [models.value("next", [3]), models.value("given", [3])],
    )
    attributes = {
        "scan_input_axes": [axis],
        "scan_input_directions": [int(backward)],
        "scan_output_axes": [out_axis],
        "scan_output_directions": [int(out_backward)],
    }
    nodes = [models.node("Scan", ["start", "x"], ["last", "y"], body=body, num_scan_inputs=1, **attributes)]
    weights = [models.tensor("start", np.zeros(3, np.float32)), models.tensor("scale", np.arange(1, 4, dtype=np.float32))]
    outputs = [models.value("last", [3]), models.value("y", [None, None])]
    return models.model(nodes, [models.value("x", [3, 4] if axis else [4, 3])], outputs, weights)


@law(16)
@given(axis=st.sampled_from([0, 1]), backward=st.booleans(), out_axis=st.sampled_from([0, 1]), out_backward=st.booleans())
def test_axes_and_directions_of_a_scan(
    tmp_path_factory: pytest.TempPathFactory, axis: int, backward: bool, out_axis: int, out_backward: bool
) -> None:
    folder = tmp_path_factory.mktemp("scan")
    file = models.saved(_scanned(axis, out_axis, backward=backward, out_backward=out_backward), folder / "m.onnx")
    found = import_onnx(file, batch=False)
    assert found.text.count("scan (") == 1
    x = np.random.default_rng(2).normal(size=(3, 4) if axis else (4, 3)).astype(np.float32)
    rows = (x.T if axis else x)[:: -1 if backward else 1]
    sums = np.cumsum(rows * np.arange(1, 4), axis=0)
    given_ = np.tanh(sums)[:: -1 if out_backward else 1]
    wanted = [sums[-1], given_.T if out_axis else given_]
    assert largest_difference(results(started(found, folder), found, [x]), wanted) < SINGLE


def test_what_a_graph_inside_cannot_do_is_refused(tmp_path: Path) -> None:
    inside = [models.node("Erf", ["state"], ["next"], name="inside")]
    inputs = [models.value("state", [3]), models.value("row", [3])]
    body = onnx.helper.make_graph(inside, "body", inputs, [models.value("next", [3])])
    nodes = [models.node("Scan", ["x", "rows"], ["y"], name="loop", body=body, num_scan_inputs=1)]
    weights = [models.tensor("rows", np.zeros((2, 3), np.float32))]
    model = models.model(nodes, [models.value("x", [3])], [models.value("y", [3])], weights)
    with pytest.raises(Rejected) as raised:
        import_onnx(models.saved(model, tmp_path / "m.onnx"), batch=False)
    assert [d.message.split(" ")[0] for d in raised.value.diagnostics] == ["Erf", "Scan"]
