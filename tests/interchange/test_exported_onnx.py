"""What the parts of an ONNX model are called, and what it says about itself."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.session.results import Notice
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.interchange.running import (
    available,
    started,
)
from tests.session.cells import codes, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("onnx" not in available(), reason="ONNX and ONNX Runtime are in the extra oracles"),
]


class Model:
    """A model in a file, which is valid."""

    def __init__(self, file: Path) -> None:
        self.proto: Any = importlib.import_module("onnx").load(file)
        self.session: Any = started(file)
        self.inputs: dict[str, list[Any]] = {value.name: value.shape for value in self.session.get_inputs()}
        overridable = self.session.get_overridable_initializers()
        self.weights: dict[str, list[Any]] = {value.name: value.shape for value in overridable}
        self.outputs: list[str] = [value.name for value in self.session.get_outputs()]

    def __call__(self, **given: Array) -> dict[str, Array]:
        found = self.session.run(None, {name: array.astype(np.float32) for name, array in given.items()})
        return dict(zip(self.outputs, found, strict=True))


def exported(folder: Path, text: str, name: str) -> tuple[Session, Model]:
    """The session of a program, and the model that ``%export`` writes for one of its nets."""
    results, session = run(Session.start(folder), f'{text}\n%export {name} to "{name}.onnx"')
    assert not codes(results), results
    return session, Model(folder / f"{name}.onnx")


NAMES = """
loc w : Real(2, 2) = [[1, 2], [3, 4]]
loc ws[2] : Real(2) = ones
net f(x : Real(2)) : Real(2) * Real(2) =
  let c <= Get[ws[1]]() in
  let a <= Get[w]() in
  let _ <= Put[w](2 * a) in
  return (a @ x + c, x)
"""


def test_names_are_those_of_the_program(tmp_path: Path) -> None:
    _, model = exported(tmp_path, NAMES, "f")
    assert model.inputs == {"x": ["b", 2]}
    assert model.weights == {"w": [2, 2]}
    assert model.outputs == ["result1", "result2", "new_w"]
    real = {each.name for each in model.proto.graph.initializer if each.data_type == 1}
    assert {"w", "ws[1]"} <= real
    (learned,) = [each.value for each in model.proto.metadata_props if each.key == "rh_weights"]
    assert set(learned.split("\n")) == real
    x = np.array([[1.0, -1.0], [0.5, 2.0], [0.0, 1.0]])
    found = model(x=x)
    w = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_allclose(found["result1"], x @ w.T + 1)
    np.testing.assert_allclose(found["result2"], x)
    np.testing.assert_allclose(found["new_w"], 2 * w)
    np.testing.assert_allclose(model(x=x, w=found["new_w"])["new_w"], 4 * w)


def test_names_are_different(tmp_path: Path) -> None:
    text = """
loc Sin : Real(2) = [1, 2]
net f(result : Real(2)) : Real(2) = let w <= Get[Sin]() in return w * sin(result) + sin(w)"""
    _, model = exported(tmp_path, text, "f")
    assert model.inputs == {"result": ["b", 2]}
    assert model.outputs == ["result_2"]
    x, w = np.array([[1.0, -1.0], [0.5, 2.0]]), np.array([1.0, 2.0])
    np.testing.assert_allclose(model(result=x)["result_2"], w * np.sin(x) + np.sin(w), rtol=1e-5)


def test_a_model_says_what_it_is(tmp_path: Path) -> None:
    _, model = exported(tmp_path, "net f(x : Real(3)) : Real(3) = return sin(x)", "f")
    assert model.proto.producer_name == "rh_kernel"
    assert model.proto.doc_string == "f : Real(3) ~> Real(3)"
    found = {each.key: each.value for each in model.proto.metadata_props}
    assert found == {"rh_weights": "", "signature": "f : Real(3) ~> Real(3)", "precision": "float32", "tolerance": "1e-05"}
    (node,) = model.proto.graph.node
    assert (node.op_type, [*node.input], [*node.output]) == ("Sin", ["x"], ["result"])


def test_the_notice_says_what_precision_there_is(tmp_path: Path) -> None:
    results, _ = run(Session.start(tmp_path), 'net f(x : Real(3)) : Real(3) = return sin(x)\n%export f to "f.onnx"')
    (notice,) = [r for r in results if isinstance(r, Notice)]
    assert notice.text == "f exported to f.onnx, for ONNX, in float32: its numbers agree to about 1e-05"
