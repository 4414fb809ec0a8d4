"""Nets that are exported to another library and read back as programs: what they compute and learn stays the same."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rh_kernel.interchange.sources.imported import Imported, import_jax, import_onnx, import_torch
from rh_kernel.workspace.workspace import Workspace
from tests.interchange.nets import NETS, Net
from tests.interchange.programs import net_name, results, started
from tests.interchange.running import assert_close, each, module

if TYPE_CHECKING:
    from rh_kernel.syntax.core import Array

SUFFIXES = {"torch": ".py", "jax": ".py", "onnx": ".onnx"}
SAMPLES = 3
TOLERANCE = 1e-9

LEARNED = {
    "residual": "repeat i < 12 from",
    "sequence": "<= scan (",
    "gru_digit": "<= scan (",
    "lstm_digit": "<= scan (",
    "choices": "select(sum(",
    "attention": "Embed[table](",
    "characters": "Embed[letter](",
}
"""What the program of a net has to have again."""

WRITTEN_OUT = {("torch", "sequence"), ("torch", "gru_digit"), ("torch", "lstm_digit")}
"""PyTorch's graphs have no loops: those over the rows of an input come back round by round."""


def imported(target: str, file: Path, x: Any) -> Imported:
    """Read an exported net with one sample, with an axis of samples, as the example."""
    match target:
        case "torch":
            torch: Any = import_module("torch")
            return import_torch(module(file).Predict().eval(), torch.from_numpy(x))
        case "jax":
            code = module(file)

            def predict(weights: Any, x: Any) -> Any:
                return code.predict(x, weights)

            return import_jax(predict, x, code.WEIGHTS)
        case _:
            return import_onnx(file, {"x": x})


@pytest.mark.parametrize("target", each("torch", "onnx", "jax"))
@pytest.mark.parametrize("net", NETS, ids=lambda net: net.name)
def test_a_net_comes_back(net: Net, target: str, tmp_path: Path) -> None:
    original = Workspace(tmp_path)
    original.run(net.text)
    file = tmp_path / f"exported{SUFFIXES[target]}"
    original.export("predict", file, target)
    found = imported(target, file, net.samples(1))
    if net.name in LEARNED and (target, net.name) not in WRITTEN_OUT:
        assert LEARNED[net.name] in found.text
    again = started(found, tmp_path)
    for x in net.samples(SAMPLES, seed=3):
        original.const("sample", x)
        wanted = original.run("predict(sample)").value
        for there, array in zip(results(again, found, [x]), arrays(wanted), strict=True):
            assert_close(target, there, np.asarray(array), TOLERANCE)


def arrays(value: object) -> tuple[Any, ...]:
    """The arrays of a value."""
    return tuple(value) if isinstance(value, tuple) else (value,)


def changed(workspace: Workspace, before: Mapping[str, Array]) -> Array:
    """The entries of the locations whose contents are others than before, in the order of their size."""
    others = [np.ravel(content) for name, content in workspace.heap.items() if not np.array_equal(content, before[name])]
    return np.sort(np.concatenate(others))


@pytest.mark.parametrize("target", each("torch", "onnx", "jax"))
@pytest.mark.parametrize("net", NETS, ids=lambda net: net.name)
def test_what_came_back_learns_the_same(net: Net, target: str, tmp_path: Path) -> None:
    """The parameters are those of the original, and constants, such as masks, stay what they are."""
    original = Workspace(tmp_path)
    original.run(net.text)
    file = tmp_path / f"exported{SUFFIXES[target]}"
    original.export("predict", file, target)
    found = imported(target, file, net.samples(1))
    again = started(found, tmp_path)
    x = net.samples(SAMPLES)
    original.const("sample", x[0])
    shapes = [np.shape(array) for array in arrays(original.run("predict(sample)").value)]
    if shapes == [(net.target,)] and shapes != [(1,)]:
        targets, loss = [net.targets(SAMPLES)], "cross_entropy(y0, t0)"
    else:
        targets = [np.random.default_rng(1).normal(size=(SAMPLES, *shape)) for shape in shapes]
        loss = " + ".join([f"mean(square(y{i} - t{i}))" for i in range(len(shapes))])
    names = [f"t{i}" for i in range(len(shapes))]
    results_of_net = ", ".join([f"y{i}" for i in range(len(shapes))])
    pattern = results_of_net if len(shapes) == 1 else f"({results_of_net})"
    entries: list[Array] = []
    for workspace, forward in ((original, net.forward), (again, f"{net_name(found)}(x)")):
        before = dict(workspace.heap)
        workspace.data("samples", x=x, **dict(zip(names, targets, strict=True)))
        workspace.run(
            f"""
include "sgd.rh"
train rev handle (x) <x>. let {pattern} <= {forward} in return {loss} with descend(0.1)
  for (x, {", ".join(names)}) in data("samples") epochs 3 batch {SAMPLES}
"""
        )
        entries.append(changed(workspace, before))
    assert_close(target, entries[1], entries[0], TOLERANCE)
    for each_x in net.samples(SAMPLES, seed=3):
        original.const("sample", each_x)
        wanted = original.run("predict(sample)").value
        for there, array in zip(results(again, found, [each_x]), arrays(wanted), strict=True):
            assert_close(target, there, np.asarray(array), TOLERANCE)
