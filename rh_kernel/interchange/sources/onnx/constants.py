"""Nodes of ONNX that depend on no input are computed when a model is read, if their results are not large."""

import warnings
from collections.abc import Sequence
from importlib import import_module
from math import prod

import numpy as np

from rh_kernel.interchange.model import Numbers
from rh_kernel.interchange.sources.builder import Unsupported
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.interchange.targets.onnx_model import WEIGHTS

MOST = 2**26
"""The most entries of a result, or of all arguments."""

KEPT = frozenset({"Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze", "Dropout"})
"""Nodes that only move the entries of a parameter."""

MOVES = KEPT | {"Expand", "Gather", "Slice", "Split", "Tile"}
"""Nodes that move the entries of a parameter, take some of them, or copy them."""

_LINEAR = frozenset(
    {
        *KEPT, "Abs", "Ceil", "Concat", "Constant", "Cos", "Exp", "Floor", "Gather", "Log", "Neg", "Not", "Reciprocal",
        "ReduceMax", "ReduceMean", "ReduceProd", "ReduceSum", "Round", "Shape", "Sin", "Size", "Slice", "Split", "Sqrt",
        "Trilu",
    }
)  # fmt: skip
"""Nodes whose results are not larger than their arguments."""

_BROADCAST = frozenset(
    {
        "Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mod", "Mul", "Or",
        "Pow", "Sub", "Where",
    }
)  # fmt: skip

FOLDED = frozenset({*_LINEAR, *_BROADCAST, "ConstantOfShape", "Expand", "Range", "Tile"})
"""Nodes without a counterpart that are computed, too, if they depend on no input."""


LOWEST = -1e4
"""The largest number of a mask that stands for an infinity."""


def weights(model: Untyped) -> frozenset[str] | None:
    """Return the names of the initialisers that are learned, if the metadata list them; those of exported nets do."""
    found = [entry.value for entry in model.metadata_props if entry.key == WEIGHTS]
    return frozenset(found[0].split("\n")) if found else None


def biases(graph: Untyped) -> frozenset[str]:
    """Return the names of what is a bias by its place: an argument of a layer, or added to a product with weights."""
    products = {name for node in graph.node if node.op_type in ("MatMul", "Gemm", "Conv") for name in node.output}
    found: set[str] = set()
    for node in graph.node:
        if node.op_type in ("Gemm", "Conv"):
            found.update(node.input[2:])
        elif node.op_type == "Add" and products.intersection(node.input):
            found.update(node.input)
    return frozenset(found)


def is_mask(array: Numbers) -> bool:
    """Whether an array consists of zeros and numbers that stand for minus infinity: what is added to scores of attention."""
    return bool(np.any(array <= LOWEST) and np.all((array == 0) | (array <= LOWEST)))


def folded(onnx: Untyped, node: Untyped, given: Sequence[Numbers | None], opset: int) -> list[Numbers]:
    """Return the results of a node. Raises ``Unsupported`` if they are too large."""
    arrays = [x for x in given if x is not None]
    if _entries(node.op_type, arrays) > MOST:
        raise Unsupported("a constant of it is too large", "compute it before")
    names = [name for name in node.input if name]
    dtypes = [onnx.helper.np_dtype_to_tensor_dtype(x.dtype) for x in arrays]
    inputs = [onnx.helper.make_tensor_value_info(n, d, list(x.shape)) for n, d, x in zip(names, dtypes, arrays, strict=True)]
    outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = onnx.helper.make_graph([node], "constant", list({i.name: i for i in inputs}.values()), outputs)
    reference = import_module("onnx.reference")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
            results = reference.ReferenceEvaluator(model).run(None, dict(zip(names, arrays, strict=True)))
        except Exception as failure:
            raise Unsupported("it cannot be computed", str(failure).split("\n")[0]) from None
    return [np.asarray(x) for x in results]


def _entries(operation: str, arrays: Sequence[Numbers]) -> float:
    """Return a bound of the number of entries of the results and arguments."""
    total = float(sum([x.size for x in arrays]))
    if operation in _LINEAR:
        return total
    if operation in _BROADCAST:
        try:
            return max(total, float(prod(np.broadcast_shapes(*[x.shape for x in arrays]))))
        except ValueError:
            return total
    if operation == "ConstantOfShape":
        return float(np.prod(arrays[0].astype(float)))
    if operation == "Expand":
        return arrays[0].size * float(np.prod(np.maximum(arrays[1].astype(float), 1)))
    if operation == "Tile":
        return arrays[0].size * float(np.prod(arrays[1].astype(float)))
    if operation == "Range":
        low, high, step = (float(x.reshape(())) for x in arrays)
        return abs((high - low) / step) if step else float("inf")
    return float(prod([max(x.size, 1) for x in arrays]))
