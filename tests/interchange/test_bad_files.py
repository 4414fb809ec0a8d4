"""Files of ONNX that are damaged, or made to do harm: each gives an error that says what is wrong, and nothing else happens."""

from __future__ import annotations

import io
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.interchange.sources.imported import import_onnx
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from tests.interchange import models
from tests.interchange.programs import started
from tests.tiers import law

onnx: Any = pytest.importorskip("onnx", reason="ONNX is in the extra interchange")

pytestmark = pytest.mark.slow
GIGABYTE = 2**30


def _mlp(prefix: str = "") -> Any:
    return models.mlp(np.random.default_rng(0), prefix)


def _declared(dims: list[int], **content: Any) -> Any:
    """A model with a weight of this shape, whatever its content is."""
    found = models.model(
        [models.node("MatMul", ["x", "w"], ["y"])], [models.value("x", [1, 3])], [models.value("y", [1, None])]
    )
    weight = found.graph.initializer.add(name="w", data_type=onnx.TensorProto.FLOAT, dims=dims)
    for key, value in content.items():
        if key == "external":
            weight.data_location = onnx.TensorProto.EXTERNAL
            for name, text in value.items():
                weight.external_data.add(key=name, value=text)
        else:
            setattr(weight, key, value)
    return found


def _external(location: str, **facts: str) -> Callable[[], Any]:
    return lambda: _declared([3, 2], external={"location": location, **facts})


def _nodes(*nodes: tuple[str, list[str], list[str]], **options: Any) -> Callable[[], Any]:
    inputs, outputs = [models.value("x", [1, 3])], [models.value("y", [1, 3])]
    return lambda: models.model([models.node(*n) for n in nodes], inputs, outputs, **options)


def _changed(change: Callable[[Any], object]) -> Callable[[], Any]:
    def made() -> Any:
        found = _mlp()
        change(found)
        return found

    return made


def _versions(**versions: int) -> Callable[[], Any]:
    def change(model: Any) -> None:
        del model.opset_import[:]
        for domain, version in versions.items():
            model.opset_import.add(domain="" if domain == "ai" else domain, version=version)

    return _changed(change)


def _with_subgraph() -> Any:
    branch = onnx.helper.make_graph([models.node("Relu", ["x"], ["b"])], "branch", [], [models.value("b", [1, 3])])
    choice = models.node("If", ["c"], ["y"], name="choice", then_branch=branch, else_branch=branch)
    weight = models.tensor("c", np.array(True))
    return models.model([choice], [models.value("x", [1, 3])], [models.value("y", [1, 3])], [weight])


def _doubled() -> Any:
    """Thirty nodes, each of which doubles a constant."""
    nodes = [models.node("Concat", [f"c{k}", f"c{k}"], [f"c{k + 1}"], axis=0) for k in range(30)]
    last = models.node("Add", ["x", "c30"], ["y"])
    weight = models.tensor("c0", np.ones(3, np.float32))
    return models.model([*nodes, last], [models.value("x", [1, 3])], [models.value("y", [1, 3])], [weight])


def _filled() -> Any:
    shape = models.tensor("s", np.array([2**20, 2**20], np.int64))
    nodes = [models.node("ConstantOfShape", ["s"], ["c"]), models.node("Add", ["x", "c"], ["y"])]
    return models.model(nodes, [models.value("x", [1, 3])], [models.value("y", [1, 3])], [shape])


BAD: dict[str, tuple[Callable[[], Any], str, str]] = {
    "external file above": (_external("../../etc/passwd"), "RH372", "outside of its folder"),
    "external file elsewhere": (_external("/etc/passwd"), "RH372", "outside of its folder"),
    "external file of Windows": (_external("..\\secret"), "RH372", "outside of its folder"),
    "external file behind a link": (_external("link.bin"), "RH372", "outside of its folder"),
    "external file that is missing": (_external("nowhere.bin"), "RH372", "there is no such file"),
    "external file that is too short": (_external("short.bin"), "RH372", "does not have it"),
    "external file at a negative place": (_external("short.bin", offset="-1"), "RH372", "does not have it"),
    "external file at no place": (_external("short.bin", offset="x"), "RH372", "is not a number"),
    "gigabytes without content": (lambda: _declared([GIGABYTE, 16]), "RH372", "does not have its shape"),
    "gigabytes with a little": (lambda: _declared([GIGABYTE], raw_data=b"abcd"), "RH372", "does not have its shape"),
    "gigabytes in a file": (lambda: _declared([GIGABYTE], external={"location": "short.bin"}), "RH372", "does not have it"),
    "gigabytes computed": (_filled, "RH371", "a constant of it is too large"),
    "gigabytes by doubling": (_doubled, "RH371", "a constant of it is too large"),
    "gigabytes as input": (
        _changed(lambda m: m.graph.input[0].type.tensor_type.shape.dim[1].__setattr__("dim_value", 2**40)),
        "RH372",
        "has 1e+12 numbers",
    ),
    "a negative size": (lambda: _declared([-3, 2]), "RH372", "has a negative size"),
    "an unknown type": (lambda: _declared([3, 2], data_type=99), "RH372", "has an unknown type"),
    "a cycle": (
        _nodes(("Relu", ["b"], ["a"]), ("Relu", ["a"], ["b"]), ("Add", ["x", "b"], ["y"])),
        "RH372",
        "the graph has a cycle",
    ),
    "a node that uses itself": (_nodes(("Add", ["x", "y"], ["y"])), "RH372", "the graph has a cycle"),
    "a missing weight": (_changed(lambda m: m.graph.initializer.pop()), "RH372", "neither given nor computed"),
    "a missing result": (_nodes(("Relu", ["x"], ["z"])), "RH372", "no node gives its result `y`"),
    "two values of one name": (_nodes(("Relu", ["x"], ["y"]), ("Tanh", ["x"], ["y"])), "RH372", "two values have the name `y`"),
    "two weights of one name": (
        _changed(lambda m: m.graph.initializer.append(m.graph.initializer[0])),
        "RH372",
        "two values have the name `fc1.weight`",
    ),
    "a version of the future": (_versions(ai=999), "RH372", "it uses version 999"),
    "an old version": (_versions(ai=5), "RH372", "it uses version 5"),
    "no version": (_versions(elsewhere=1), "RH372", "does not say which version"),
    "an unknown domain": (
        lambda: models.model(
            [models.node("Fused", ["x"], ["y"], domain="com.example")],
            [models.value("x", [1, 3])],
            [models.value("y", [1, 3])],
            domains=["com.example"],
        ),
        "RH371",
        "com.example.Fused cannot be imported",
    ),
    "a graph in a node": (_with_subgraph, "RH371", "it has a graph of its own"),
    "weights that do not fit": (lambda: _declared([5, 2], raw_data=bytes(40)), "RH371", "do not fit"),
    "no graph": (lambda: onnx.ModelProto(ir_version=8), "RH372", "there is no graph in it"),
    "an input without a type": (
        _changed(lambda m: m.graph.input[0].ClearField("type")),
        "RH372",
        "is not a tensor",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    make, code, why = BAD[name]
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "short.bin").write_bytes(b"0123456789")
    (tmp_path / "secret.bin").write_bytes(bytes(24))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    file = models.saved(make(), folder / "bad.onnx")
    tracemalloc.start()
    started_at = time.monotonic()
    with pytest.raises(Rejected) as raised:
        import_onnx(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    diagnostic = raised.value.diagnostics[0]
    assert (diagnostic.code, why in diagnostic.message) == (code, True), diagnostic.message
    assert "\n" not in diagnostic.message
    assert peak < GIGABYTE
    assert time.monotonic() - started_at < 60


DAMAGED = {
    "truncated": lambda: _mlp().SerializeToString()[:-50],
    "text": lambda: b"this is not a model, but a line of text\n",
    "empty": lambda: b"",
    "zip": lambda: b"PK\x03\x04" + bytes(100),
    "npz": lambda: _npz(),
    "zeros": lambda: bytes(1000),
}


def _npz() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, w=np.ones(3))
    return stream.getvalue()


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_no_model_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.onnx"
    file.write_bytes(DAMAGED[name]())
    with pytest.raises(Rejected) as raised:
        import_onnx(file)
    assert [d.code for d in raised.value.diagnostics] == ["RH372"]


@pytest.mark.parametrize("name", ["nowhere.onnx", "folder", "a\0b.onnx"])
def test_a_file_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(Rejected):
        import_onnx(tmp_path / name)


@law(300)
@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_changed_byte_gives_an_error_or_a_program(place: int, byte: int) -> None:
    """No other exception, wherever the file is damaged."""
    data = bytearray(_mlp().SerializeToString())
    data[place % len(data)] = byte
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.onnx"
        file.write_bytes(bytes(data))
        try:
            text = import_onnx(file).text
        except Rejected:
            text = ""
    assert not any(isinstance(item, Unparsed) for item in parse(Source("m.rh", text)))


HOSTILE = (
    'w" in x\n%reset\nloc',
    "a\nb",
    "<script>alert(1)</script>",
    "let",
    "in",
    "handler",
    "Affine",
    "relu",
    "framed",
    "x",
    "0",
    "",
    "w" * 5000,
    "w\0x",
    "\u202egnp.exe",
    "a.b/c:d e",
    "naïve.ŵeight",
    "%load",
    "# comment",
    "loc w : Real = 1",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_become_names(name: str, tmp_path: Path) -> None:
    model = _mlp(name)
    model.graph.name = name
    model.graph.input[0].name = name or "x"
    for node in model.graph.node:
        node.name = name
        for k, used in enumerate(node.input):
            node.input[k] = (name or "x") if used == "x" else used
    found = import_onnx(models.saved(model, tmp_path / "m.onnx"))
    started(found, tmp_path)


def test_names_that_become_the_same_get_numbers(tmp_path: Path) -> None:
    sizes = {"w.a": (3, 4), "w/a": (4, 2), "w a": (2, 3)}
    weights = [models.tensor(name, np.ones(size, np.float32)) for name, size in sizes.items()]
    nodes = [models.node("MatMul", [a, w.name], [b]) for a, w, b in zip("xab", weights, "aby", strict=True)]
    model = models.model(nodes, [models.value("x", [1, 3])], [models.value("y", [1, 3])], weights)
    found = import_onnx(models.saved(model, tmp_path / "m.onnx"))
    assert {"w_a", "w_a_2", "w_a_3"} <= set(found.weights)
    started(found, tmp_path)
