"""Models of ONNX as programs: written by hand, by PyTorch's exporter, and by skl2onnx."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.interchange.sources.imported import Imported, import_onnx
from rh_kernel.source.diagnostic import Rejected
from tests.interchange import models
from tests.interchange.programs import SINGLE, largest_difference, results, started

onnx: Any = pytest.importorskip("onnx", reason="ONNX is in the extra interchange")

pytestmark = pytest.mark.slow


def reference(model: Any, inputs: dict[str, Any], wanted: list[str] | None = None) -> list[Any]:
    return import_module("onnx.reference").ReferenceEvaluator(model).run(wanted, inputs)


def test_an_mlp_gives_the_same_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    model = models.mlp(rng)
    found = import_onnx(models.saved(model, tmp_path / "small.onnx"))
    assert "Affine[fc2_weight, fc2_bias](relu(x))" in found.text
    assert "net small(x : Real(3)) : Real(2) =" in found.text
    workspace = started(found, tmp_path)
    for _ in range(3):
        x = rng.normal(size=(1, 3)).astype(np.float32)
        assert largest_difference(results(workspace, found, [x[0]]), reference(model, {"x": x})) < SINGLE


EXPORTED = (
    "mlp",
    "lenet",
    "activations",
    "residual",
    "words",
    "lstm",
    "gru",
    "elman",
    "encoder",
    "positions",
    "parts",
    "rows",
    "signals",
    "same",
)


@pytest.mark.parametrize("name", EXPORTED)
def test_what_pytorch_exports_gives_the_same_numbers(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    case = import_module("tests.interchange.test_torch").BY_NAME[name]
    module = case.made().float()
    example = [x.float() if x.is_floating_point() else x for x in case.example()]
    names = ["x", "y"][: len(example)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, tuple(example), tmp_path / "net.onnx", dynamo=False, input_names=names)
    found = import_onnx(tmp_path / "net.onnx")
    workspace = started(found, tmp_path)
    expected = module(*example)
    leaves = [x.detach().numpy() for x in (expected if isinstance(expected, tuple) else (expected,))]
    assert largest_difference(results(workspace, found, [x.numpy()[0] for x in example]), leaves) < SINGLE


RECURRENT: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("LSTM", 4, {}),
    ("LSTM", 4, {"layout": 1}),
    ("GRU", 3, {}),
    ("GRU", 3, {"linear_before_reset": 1}),
    ("RNN", 1, {}),
)


@pytest.mark.parametrize(("operation", "gates", "attributes"), RECURRENT)
def test_a_recurrent_layer_gives_the_same_numbers(
    operation: str, gates: int, attributes: dict[str, Any], tmp_path: Path
) -> None:
    """With first states of its own, and biases of the input and of the state."""
    rng = np.random.default_rng(4)
    sizes = {"w": (1, gates * 5, 3), "r": (1, gates * 5, 5), "b": (1, gates * 10), "h": (1, 1, 5), "c": (1, 1, 5)}
    weights = [models.tensor(name, rng.normal(size=size).astype(np.float32)) for name, size in sizes.items()]
    inputs = ["x", "w", "r", "b", "", "h", *(["c"] if operation == "LSTM" else [])]
    node = models.node(operation, inputs, ["y", "last"], hidden_size=5, **attributes)
    shape = [1, 6, 3] if attributes.get("layout") else [6, 1, 3]
    model = models.model(
        [node], [models.value("x", shape)], [models.value("y", [None] * 4), models.value("last", [None] * 3)], weights
    )
    x = rng.normal(size=shape).astype(np.float32)
    found = import_onnx(models.saved(model, tmp_path / "net.onnx"), {"x": x}, batch=False)
    workspace = started(found, tmp_path)
    assert largest_difference(results(workspace, found, [x]), reference(model, {"x": x})) < SINGLE


def test_a_classifier_of_scikit_learn(tmp_path: Path) -> None:
    """Its labels have no counterpart, so the probabilities are asked for."""
    pytest.importorskip("sklearn")
    to_onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is in the extra oracles").to_onnx
    x, t = import_module("sklearn.datasets").load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = import_module("sklearn.neural_network").MLPClassifier((6,), max_iter=30, random_state=0).fit(x, t)
        model = to_onnx(classifier, x[:1].astype(np.float32), options={"zipmap": False}, target_opset=18)
    file = models.saved(model, tmp_path / "iris.onnx")
    found = import_onnx(file, results=["probabilities"])
    workspace = started(found, tmp_path)
    for sample in x[::50]:
        (given,) = results(workspace, found, [sample])
        assert np.max(np.abs(given - classifier.predict_proba([sample])[0])) < SINGLE
    with pytest.raises(Rejected) as raised:
        import_onnx(file)
    assert "ArgMax" in [d.message.split()[0] for d in raised.value.diagnostics]


def test_a_batch_axis_of_any_length_or_of_one_sample(tmp_path: Path) -> None:
    nodes, outputs = [models.node("Tanh", ["x"], ["y"])], [models.value("y", [None, 3])]
    for first in ("n", None, 1):
        model = models.model(nodes, [models.value("x", [first, 3])], outputs)
        assert "tanh" in import_onnx(models.saved(model, tmp_path / "m.onnx")).text
    with pytest.raises(Rejected) as raised:
        import_onnx(models.saved(models.model(nodes, [models.value("x", [2, 3])], outputs), tmp_path / "m.onnx"))
    assert [d.code for d in raised.value.diagnostics] == ["RH373"]


def test_an_axis_without_a_length_is_that_of_the_example(tmp_path: Path) -> None:
    nodes = [models.node("ReduceMean", ["x"], ["y"], axes=[1], keepdims=0)]
    model = models.model(nodes, [models.value("x", ["n", "words", 3])], [models.value("y", ["n", 3])])
    file = models.saved(model, tmp_path / "m.onnx")
    with pytest.raises(Rejected) as raised:
        import_onnx(file)
    assert "no fixed length" in raised.value.diagnostics[0].message
    found = import_onnx(file, {"x": np.ones((1, 5, 3))})
    assert "x : Real(5, 3)" in found.text
    started(found, tmp_path)


def test_shapes_that_are_computed_are_known(tmp_path: Path) -> None:
    """What exporters write for ``x.view(len(x), -1)``."""
    nodes = [
        models.node("Shape", ["x"], ["shape"]),
        models.node("Gather", ["shape", "zero"], ["n"], axis=0),
        models.node("Unsqueeze", ["n", "axes"], ["first"]),
        models.node("Concat", ["first", "rest"], ["sizes"], axis=0),
        models.node("Reshape", ["x", "sizes"], ["y"]),
    ]
    weights = [models.tensor("zero", np.int64(0)), models.tensor("axes", [0]), models.tensor("rest", [-1])]
    model = models.model(nodes, [models.value("x", ["n", 2, 3])], [models.value("y", ["n", 6])], weights)
    found = import_onnx(models.saved(model, tmp_path / "m.onnx"))
    assert "return reshape[6](x)" in found.text
    started(found, tmp_path)


def test_weights_that_an_exporter_has_renamed_are_called_after_their_bias(tmp_path: Path) -> None:
    weights = [models.tensor("onnx::MatMul_7", np.ones((3, 2), np.float32)), models.tensor("fc.bias", np.ones(2, np.float32))]
    nodes = [models.node("MatMul", ["x", "onnx::MatMul_7"], ["a"]), models.node("Add", ["fc.bias", "a"], ["y"])]
    model = models.model(nodes, [models.value("x", ["n", 3])], [models.value("y", ["n", 2])], weights)
    found = import_onnx(models.saved(model, tmp_path / "m.onnx"))
    assert "Affine[fc_weight, fc_bias](x)" in found.text
    started(found, tmp_path)


def test_weights_in_a_file_beside_the_model(tmp_path: Path) -> None:
    model = models.mlp(np.random.default_rng(0))
    expected = import_onnx(models.saved(model, tmp_path / "net.onnx"))
    onnx.save_model(model, tmp_path / "net.onnx", save_as_external_data=True, location="net.data", size_threshold=0)
    found = import_onnx(tmp_path / "net.onnx")
    assert found.text == expected.text
    assert all(np.array_equal(found.weights[name], array) for name, array in expected.weights.items())


REFUSED: tuple[tuple[str, dict[str, Any], list[int], str], ...] = (
    ("MaxPool", {"kernel_shape": [3, 3], "strides": [2, 2]}, [1, 1, 7, 7], "its windows are 3 and its stride 2"),
    ("AveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]}, [1, 1, 5, 4], "does not divide 5 × 4"),
    ("Erf", {}, [1, 3], "the language has no error function"),
    ("Gelu", {}, [1, 3], "it needs the error function"),
    ("Softmax", {"axis": 0}, [1, 3], "it goes along the axis of samples"),
    ("Foo", {}, [1, 3], "there is no counterpart"),
    ("Squeeze", {"axes": [7]}, [1, 3], "its inputs or attributes are not those"),
    ("Cast", {"to": 7}, [1, 3], "it rounds to whole numbers"),
)


@pytest.mark.parametrize(("operation", "attributes", "shape", "why"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_has_no_counterpart_is_refused(
    operation: str, attributes: dict[str, Any], shape: list[int], why: str, tmp_path: Path
) -> None:
    nodes = [models.node(operation, ["x"], ["y"], name="here", **attributes)]
    opset = 20 if operation == "Gelu" else 12
    model = models.model(nodes, [models.value("x", shape)], [models.value("y", [None] * len(shape))], opset=opset)
    with pytest.raises(Rejected) as raised:
        import_onnx(models.saved(model, tmp_path / "m.onnx"))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "RH371"
    assert why in diagnostic.message
    assert diagnostic.message.endswith("(here)")


def test_all_that_is_refused_is_named_at_once(tmp_path: Path) -> None:
    """Also what comes behind another refused node, whose shape the library infers."""
    weight = models.tensor("w", np.ones((2, 1, 3, 3), np.float32))
    other = models.tensor("v", np.ones((2, 2, 1, 1), np.float32))
    nodes = [
        models.node("Conv", ["x", "w"], ["a"], name="first", strides=[2, 2]),
        models.node("Erf", ["a"], ["b"], name="second"),
        models.node("Conv", ["b", "v"], ["c"], name="third", dilations=[2, 2]),
        models.node("Erf", ["c"], ["y"], name="fourth"),
    ]
    model = models.model(nodes, [models.value("x", ["n", 1, 9, 9])], [models.value("y", [None] * 4)], [weight, other])
    with pytest.raises(Rejected) as raised:
        import_onnx(models.saved(model, tmp_path / "m.onnx"))
    assert [d.message.split("(")[-1] for d in raised.value.diagnostics] == ["first)", "second, fourth)", "third)"]


def test_an_unknown_result_or_input_is_named(tmp_path: Path) -> None:
    file = models.saved(models.mlp(np.random.default_rng(0)), tmp_path / "m.onnx")
    with pytest.raises(Rejected, match="no result `z`"):
        import_onnx(file, results=["z"])
    with pytest.raises(Rejected, match="no input `z`"):
        import_onnx(file, {"z": np.ones((1, 3))})


def test_saving_keeps_what_is_there(tmp_path: Path) -> None:
    found: Imported = import_onnx(models.saved(models.mlp(np.random.default_rng(0)), tmp_path / "m.onnx"))
    target = tmp_path / "mine.rh"
    target.write_text("loc w : Real = 1\n", encoding="utf-8")
    with pytest.raises(Rejected) as raised:
        found.save(target)
    assert [d.code for d in raised.value.diagnostics] == ["RH374"]
    assert target.read_text(encoding="utf-8") == "loc w : Real = 1\n"
    assert found.save(target, overwrite=True) == target
    for name in ("mine.txt", 'a"b.rh', "a'b.rh", "a\\b.rh", "a\nb.rh", "nowhere/m.rh"):
        with pytest.raises(Rejected) as raised:
            found.save(tmp_path / name)
        assert [d.code for d in raised.value.diagnostics] == ["RH374"]


def test_a_mask_does_not_learn_and_the_bias_of_one_unit_does(tmp_path: Path) -> None:
    """Both are arrays of the file; nothing else says that the mask is none of the weights."""
    rng = np.random.default_rng(5)
    sizes = {"w": (4, 4), "v": (1, 4), "bias": (1,)}
    weights = [models.tensor(name, rng.normal(size=size).astype(np.float32)) for name, size in sizes.items()]
    weights.append(models.tensor("mask", np.array([0, -1e9, 0, -1e9], np.float32)))
    nodes = [
        models.node("MatMul", ["x", "w"], ["scores"]),
        models.node("Add", ["scores", "mask"], ["masked"]),
        models.node("Softmax", ["masked"], ["p"], axis=-1),
        models.node("Gemm", ["p", "v", "bias"], ["y"], transB=1),
    ]
    model = models.model(nodes, [models.value("x", [1, 4])], [models.value("y", [1, 1])], weights)
    found = import_onnx(models.saved(model, tmp_path / "masked.onnx"))
    workspace = started(found, tmp_path)
    before = dict(workspace.heap)
    workspace.run("rev handle ([1, 2, 3, 4]) <x>. let y <= masked(x) in return mean(y * y) with descend(0.1)")
    changed = [name for name, content in workspace.heap.items() if not np.array_equal(content, before[name])]
    assert sorted(changed) == ["bias", "w", "w_v"]
