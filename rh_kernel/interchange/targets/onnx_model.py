"""ONNX models as records, and the bytes of their files, which the library ``onnx`` makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.source.records import frozen

OPSET = 20
"""The version of the operators."""

IR_VERSION = 9
"""The version of the format; it came with the operators of version 20."""

WEIGHTS = "rh_weights"
"""The key of the metadata under which the names of the weights stand, one in a line."""

FLOAT, INTEGER = 1, 7
"""The numbers of the element types float32 and int64 in the format."""

Untyped: TypeAlias = Any
"""What the library takes and gives."""

Attribute: TypeAlias = "int | str | Sequence[int] | Graph"


@frozen
class Value:
    """An input or output of a graph: an array of float32; a size may have a name, or not be known."""

    name: str
    shape: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An operator applied to values, which it is given by their names."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: "Mapping[str, Attribute]"


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Nodes, each of which uses inputs, results of earlier nodes, initialisers, and what is around the graph."""

    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A graph with arrays by name. Weights and shapes are initialisers, and an input that has one may be left out.

    Other constants are results of nodes ``Constant``, so that no other tool takes them for what is to be learned.
    """

    graph: Graph
    initialisers: Mapping[str, npt.NDArray[np.float32 | np.int64]]
    constants: Mapping[str, npt.NDArray[np.float32 | np.int64]]
    description: str
    properties: Mapping[str, str]


def single(array: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return an array in float32, where numbers that are too large are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(array, np.float32)


def renamed(graph: Graph, names: Mapping[str, str]) -> Graph:
    """Return the graph with other names for some values."""
    outputs = tuple([replace(v, name=names.get(v.name, v.name)) for v in graph.outputs])
    return replace(graph, outputs=outputs, nodes=tuple([_renamed(node, names) for node in graph.nodes]))


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    inputs, outputs = [tuple([names.get(name, name) for name in each]) for each in (node.inputs, node.outputs)]
    given = {k: renamed(v, names) if isinstance(v, Graph) else v for k, v in node.attributes.items()}
    return Node(node.operator, inputs, outputs, given)


def encoded(model: Model) -> bytes:
    """Return the contents of the model's file."""
    helper: Untyped = import_module("onnx.helper")
    tensor: Untyped = import_module("onnx.numpy_helper").from_array
    graph = _graph(helper, model.graph, model.description)
    graph.initializer.extend([tensor(array, name) for name, array in model.initialisers.items()])
    for k, (name, array) in enumerate(model.constants.items()):
        graph.node.insert(k, helper.make_node("Constant", [], [name], name, value=tensor(array, name)))
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="rh_kernel",
        producer_version=version("rh_kernel"),
        doc_string=model.description,
    )
    helper.set_model_props(made, dict(model.properties))
    return made.SerializeToString(deterministic=True)


def _graph(helper: Untyped, graph: Graph, description: str | None = None) -> Untyped:
    inputs, outputs = [
        [helper.make_tensor_value_info(v.name, FLOAT, v.shape) for v in values] for values in (graph.inputs, graph.outputs)
    ]
    nodes = [_node(helper, node) for node in graph.nodes]
    return helper.make_graph(nodes, graph.name, inputs, outputs, doc_string=description)


def _node(helper: Untyped, node: Node) -> Untyped:
    given = {k: _graph(helper, v) if isinstance(v, Graph) else v for k, v in node.attributes.items()}
    return helper.make_node(node.operator, node.inputs, node.outputs, node.outputs[0], **given)
