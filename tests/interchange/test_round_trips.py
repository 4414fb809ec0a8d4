"""Nets that are exported to another library and read back as programs: what they compute stays the same."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.interchange.sources.imported import Imported, import_jax, import_onnx, import_torch
from rh_kernel.workspace.workspace import Workspace
from tests.interchange.nets import NETS, Net
from tests.interchange.programs import results, started
from tests.interchange.running import assert_close, each, module

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
        for there, array in zip(results(again, found, [x]), wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
            assert_close(target, there, np.asarray(array), TOLERANCE)


TRAINED = [net for net in NETS if net.name in {"mlp", "gru_digit"}]
"""Nets whose parameters come back as the same parameters; those of others are partly constants, or divided otherwise."""


@pytest.mark.parametrize("target", each("torch", "onnx", "jax"))
@pytest.mark.parametrize("net", TRAINED, ids=lambda net: net.name)
def test_what_came_back_learns_the_same(net: Net, target: str, tmp_path: Path) -> None:
    original = Workspace(tmp_path)
    original.run(net.text)
    file = tmp_path / f"exported{SUFFIXES[target]}"
    original.export("predict", file, target)
    found = imported(target, file, net.samples(1))
    again = started(found, tmp_path)
    x, t = net.samples(SAMPLES), net.targets(SAMPLES)
    for workspace, name in ((original, net.name), (again, Path(found.default_file).stem)):
        workspace.data("samples", x=x, t=t)
        loss = f"let y <= {name}(x) in return cross_entropy(y, t)"
        workspace.run(
            f'train rev handle (x) <x>. {loss} with descend(0.1) for (x, t) in data("samples") epochs 3 batch {SAMPLES}'
        )
    for each_x in net.samples(SAMPLES, seed=3):
        original.const("sample", each_x)
        wanted = original.run("predict(sample)").value
        (there,) = results(again, found, [each_x])
        assert_close(target, there, np.asarray(wanted), TOLERANCE)
