"""Small models of ONNX, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np


def onnx() -> Any:
    import_module("onnx.numpy_helper")
    return import_module("onnx")


def tensor(name: str, array: Any) -> Any:
    return onnx().numpy_helper.from_array(np.asarray(array), name)


def node(operation: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Any:
    return onnx().helper.make_node(operation, list(inputs), list(outputs), **attributes)


def value(name: str, shape: Sequence[int | str | None], kind: int = 1) -> Any:
    return onnx().helper.make_tensor_value_info(name, kind, list(shape))


def model(
    nodes: Sequence[Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    weights: Sequence[Any] = (),
    *,
    opset: int = 17,
    domains: Sequence[str] = (),
) -> Any:
    o = onnx()
    graph = o.helper.make_graph(list(nodes), "graph", list(inputs), list(outputs), list(weights))
    versions = [o.helper.make_opsetid("", opset), *[o.helper.make_opsetid(domain, 1) for domain in domains]]
    return o.helper.make_model(graph, opset_imports=versions, ir_version=8)


def saved(found: Any, file: Path) -> Path:
    file.write_bytes(found.SerializeToString())
    return file


def mlp(rng: np.random.Generator, prefix: str = "") -> Any:
    """``Gemm``, ``Relu``, ``Gemm``"""
    sizes = [("fc1.weight", (4, 3)), ("fc1.bias", (4,)), ("fc2.weight", (2, 4)), ("fc2.bias", (2,))]
    weights = [tensor(prefix + name, rng.normal(size=size).astype(np.float32)) for name, size in sizes]
    names = [w.name for w in weights]
    nodes = [
        node("Gemm", ["x", *names[:2]], ["a"], transB=1, name="fc1"),
        node("Relu", ["a"], ["b"]),
        node("Gemm", ["b", *names[2:]], ["y"], transB=1, name="fc2"),
    ]
    return model(nodes, [value("x", ["n", 3])], [value("y", ["n", 2])], weights)
