"""ONNX models in ONNX Runtime: names, metadata, and nets of the library that learn from weights that are fed back."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.interchange.errors import NoTranslation
from rh_kernel.loops import scalars
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.session.results import Notice, ValueFound
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from tests.interchange.running import (
    ROUNDING,
    arrays_of,
    assert_close,
    available,
    results_of,
    started,
    symbol_function,
    target_named,
)
from tests.session.cells import codes, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("onnx" not in available(), reason="ONNX and ONNX Runtime are in the extra oracles"),
]

BATCH, STEPS, SEED = 4, 3, 7


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


def weights(session: Session, names: Iterable[str]) -> dict[str, Array]:
    """The contents of locations, and of families through which a loop goes, stacked."""
    found = {location.name: array for location, array in session.heap.items()}
    families = {name: [array for each, array in found.items() if each.startswith(f"{name}[")] for name in names}
    return {name: found[name] if name in found else np.stack(arrays) for name, arrays in families.items()}


@dataclass(frozen=True, slots=True)
class Loss:
    """A file of the library with a command for its loss at x; the shape of x, and of what each sample draws."""

    file: str
    command: str
    shape: tuple[int, ...]
    rate: float
    has_target: bool = True
    drawn: tuple[int, ...] | None = None
    letters: int | None = None

    def __str__(self) -> str:
        return self.file


LOSSES = (
    Loss("lenet", "let y <= lenet(x) in return cross_entropy(y, t)", (1, 28, 28), 0.1),
    Loss("gru", "let y <= gru_digit(x) in return cross_entropy(y, t)", (64,), 0.5),
    Loss("lstm", "let y <= lstm_digit(x) in return cross_entropy(y, t)", (64,), 0.5),
    Loss("transformer", "let y <= digit(x) in return cross_entropy(y, t)", (64,), 0.1),
    Loss("unet", "denoising(x)", (1, 8, 8), 0.2, has_target=False, drawn=(1, 8, 8)),
    Loss("vae", "elbo(x)", (64,), 0.01, has_target=False, drawn=(2,)),
    Loss("characters", "surprise(x)", (33,), 0.1, has_target=False, letters=28),
)


NETS = (
    ("lenet", "lenet", "Real(1, 28, 28)", "Real(10)"),
    ("gru", "gru_digit", "Real(64)", "Real(10)"),
    ("lstm", "lstm_digit", "Real(64)", "Real(10)"),
    ("transformer", "digit", "Real(64)", "Real(10)"),
    ("unet", "unet", "Real(1, 8, 8)", "Real(1, 8, 8)"),
    ("vae", "encode", "Real(64)", "Real(2) * Real(2)"),
    ("vae", "decode", "Real(2)", "Real(64)"),
    ("characters", "guesses", "Real(32)", "Real(32, 28)"),
)
"""Nets of the library: their files, names, and types."""


@pytest.mark.parametrize(("file", "net", "A", "B"), NETS, ids=[net for _, net, _, _ in NETS])
def test_a_net_of_the_library_computes_the_same(file: str, net: str, A: str, B: str, tmp_path: Path) -> None:
    text = f'include "{file}.rh"\nnet predict(x : {A}) : {B} = handle {net}(x) with infer'
    session, model = exported(tmp_path, text, "predict")
    assert not model.weights
    samples = (BATCH, *model.inputs["x"][1:])
    x = np.random.default_rng(5).random(samples).round(3) if net != "guesses" else np.arange(BATCH * 32).reshape(samples) % 28
    found = [*model(x=x).values()]
    for i, sample in enumerate(x):
        results, _ = run(session, f"predict({sample.tolist()})")
        (shown,) = [r for r in results if isinstance(r, ValueFound)]
        for array, wanted in zip(found, arrays_of(shown.value), strict=True):
            assert_close("onnx", array[i], wanted)


def draws(shape: tuple[int, ...], rows: Sequence[int]) -> Array:
    """What these samples draw in the first epoch."""
    bits = [np.random.Philox(key=[SEED, 0], counter=[0, 0, row, 0]) for row in rows]
    return np.array([np.random.Generator(each).standard_normal(shape) for each in bits])


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_new_weights_are_fed_back_for_three_steps(loss: Loss, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    size = (BATCH * STEPS, *loss.shape)
    data: dict[str, Any] = {
        "x": rng.random(size) if loss.letters is None else rng.integers(0, loss.letters, size).astype(np.float64)
    }
    if loss.has_target:
        data["t"] = np.eye(10)[rng.integers(0, 10, len(data["x"]))]
    np.savez(tmp_path / "mine.npz", **data)
    given, names = ("[t : Real(10)]", "x, t") if loss.has_target else ("", "x")
    A = f"Real({', '.join(map(str, loss.shape))})"
    command = f"rev handle (x) <x>. {loss.command} with descend({loss.rate})"
    session, step = exported(tmp_path, f'include "{loss.file}.rh"\nnet step{given}(x : {A}) : {A} = {command}', "step")
    new: Mapping[str, Array] = {}
    for rows in np.split(np.arange(BATCH * STEPS), STEPS):
        inputs = {name: array[rows] for name, array in data.items()}
        if loss.drawn is not None:
            inputs["normal0"] = draws(loss.drawn, rows.tolist())
        found = step(**inputs, **new)
        new = {name.removeprefix("new_"): array for name, array in found.items() if name != "result"}
    train = f'%seed {SEED}\ntrain {command} for ({names}) in data("mine.npz") epochs 1 batch {BATCH}'
    results, after = run(session, train)
    assert not codes(results), codes(results)
    expected, before = weights(after, new), weights(session, new)
    changed = {at.name for at in session.heap if not np.array_equal(session.heap[at], after.heap[at])}
    assert {*new} == {*step.weights} == {name if name in new else name.partition("[")[0] for name in changed}
    for name, array in new.items():
        np.testing.assert_allclose(array, expected[name], rtol=ROUNDING["onnx"], atol=ROUNDING["onnx"], err_msg=name)
        assert np.abs(expected[name] - before[name]).max() > 3 * ROUNDING["onnx"]


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
    assert {"w", "ws[1]"} <= {each.name for each in model.proto.graph.initializer}
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
    assert found == {"signature": "f : Real(3) ~> Real(3)", "precision": "float32", "tolerance": "1e-05"}
    (node,) = model.proto.graph.node
    assert (node.op_type, [*node.input], [*node.output]) == ("Sin", ["x"], ["result"])


def test_the_notice_says_what_precision_there_is(tmp_path: Path) -> None:
    results, _ = run(Session.start(tmp_path), 'net f(x : Real(3)) : Real(3) = return sin(x)\n%export f to "f.onnx"')
    (notice,) = [r for r in results if isinstance(r, Notice)]
    assert notice.text == "f exported to f.onnx, for ONNX, in float32: its numbers agree to about 1e-05"


def test_an_operation_of_a_plugin_has_no_translation(tmp_path: Path) -> None:
    tan = replace(scalars.TANH, name="tan", c="tan{f}({0})")

    def translation(_: object, x: ao.Expr) -> ao.Expr:
        return ae.scalar(tan, x)

    function = symbol_function(translation, None, [(3,)], [True])
    with pytest.raises(Rejected) as failure:
        results_of(function, target_named("onnx"), {}, [np.ones((2, 3))], tmp_path)
    (found,) = failure.value.diagnostics
    assert found == NoTranslation(symbol="tan", language="ONNX")
