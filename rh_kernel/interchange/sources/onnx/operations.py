"""The operations of ONNX that are read, by their names."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np

from rh_kernel.interchange.sources import activations, choices, layers, markers, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.interchange.sources.onnx import arrays
from rh_kernel.interchange.sources.onnx import layers as onnx_layers
from rh_kernel.interchange.sources.onnx import recurrent as onnx_recurrent
from rh_kernel.interchange.sources.onnx.nodes import OnnxNode, Operation, combined, first, number
from rh_kernel.interchange.sources.products import product
from rh_kernel.interchange.sources.shapes import axis_of, broadcast

REFUSED: Mapping[str, tuple[str, str]] = {
    "Erf": ("the language has no error function", "use gelu with approximate='tanh'"),
    "ConvTranspose": ("there is no transposed convolution", "repeat entries, and convolve"),
    "ArgMax": ("a place has no derivative", "leave the result out: results=[…]"),
    "If": ("it has a graph of its own", "export the model without control flow"),
    "Loop": ("it has a graph of its own", "export the model without control flow"),
    "ZipMap": ("its result is a dictionary", "convert the model with zipmap=False"),
}


def _entrywise(name: str, **defaults: Untyped) -> Operation:
    """An activation, whose options ONNX calls as PyTorch does, or as ``names`` says."""

    def operation(b: Builder, n: OnnxNode) -> Operand:
        return activations.apply(b, name, first(b, n), {**defaults, **n.attributes})

    return operation


def _leaky(b: Builder, n: OnnxNode) -> Operand:
    return activations.apply(b, "leaky_relu", first(b, n), {"negative_slope": n.attributes.get("alpha", 0.01)})


def _clip(b: Builder, n: OnnxNode) -> Operand:
    low, high = (n.get(k) or n.attributes.get(key) for k, key in ((1, "min"), (2, "max")))
    return activations.apply(b, "clamp", first(b, n), {"min": low, "max": high})


def _binary(sign: str) -> Operation:
    def operation(b: Builder, n: OnnxNode) -> Operand:
        return tensors.binary(b, sign, n.operand(0), n.operand(1))

    return operation


def _add(b: Builder, n: OnnxNode) -> Operand:
    return layers.add(b, n.operand(0), n.operand(1))


def _largest(b: Builder, n: OnnxNode) -> Operand:
    """``Max``; with zeros it is ``relu``."""
    if len(n.inputs) == 2:
        for x, y in ((n.operand(0), n.operand(1)), (n.operand(1), n.operand(0))):
            is_zero = isinstance(y, Known) and not y.is_learned and not np.any(y.array)
            if is_zero and isinstance(x, Tensor) and broadcast(x.shape, y.shape) == x.shape:
                return activations.apply(b, "relu", x, {})
    return _several("maximum")(b, n)


def _several(sign: str, *, is_mean: bool = False) -> Callable[[Builder, OnnxNode], Operand]:
    def operation(b: Builder, n: OnnxNode) -> Operand:
        result = n.operand(0)
        for k in range(1, len(n.inputs)):
            result = combined(b, sign, result, n.operand(k))
        if is_mean and len(n.inputs) > 1:
            result = tensors.binary(b, "/", result, number(len(n.inputs)))
        return result

    return operation


def _power(b: Builder, n: OnnxNode) -> Operand:
    return activations.power(b, first(b, n), n.operand(1))


def _along(function: str) -> Operation:
    def operation(b: Builder, n: OnnxNode) -> Operand:
        x = first(b, n)
        axis = axis_of(n.attributes.get("axis", -1 if n.opset >= 13 else 1), len(x.shape))
        if n.opset < 13 and axis != len(x.shape) - 1:
            tensors.not_over_samples(x, range(axis, len(x.shape)), "goes")
            front = prod(x.shape[:axis])
            flat = tensors.reshape(b, x, (front, prod(x.shape[axis:])))
            return tensors.reshape(b, activations.along(b, function, flat, 1), x.shape)
        return activations.along(b, function, x, axis)

    return operation


def _reduce(how: str, before: str = "", after: str = "") -> Callable[[Builder, OnnxNode], Tensor]:
    def operation(b: Builder, n: OnnxNode) -> Tensor:
        x = first(b, n)
        given = n.numbers(1, "axes")
        if not given and n.attributes.get("noop_with_empty_axes"):
            axes: list[int] = []
        else:
            axes = [axis_of(k, len(x.shape)) for k in given] if given else list(range(len(x.shape)))
        x = tensors.entrywise(b, before, x) if before else x
        done = tensors.reduce(b, how, x, axes, keeps=bool(n.attributes.get("keepdims", 1)))
        return tensors.entrywise(b, after, done) if after else done

    return operation


def _reduce_min(b: Builder, n: OnnxNode) -> Operand:
    turned = OnnxNode((tensors.entrywise(b, "neg", n.operand(0)), *n.inputs[1:]), n.attributes, n.opset, n.results)
    return tensors.entrywise(b, "neg", _reduce("max")(b, turned))


def _cast(b: Builder, n: OnnxNode) -> Operand:
    kind, x = n.attributes["to"], n.operand(0)
    if kind in (1, 10, 11, 16):
        return x
    if kind == 9 and not (isinstance(x, Tensor) and choices.is_truth(b, x.term)):
        raise Unsupported("it makes truth values of numbers", "compare with Greater or Less")
    return x if kind == 9 else markers.whole(b, x)


def _compared(sign: str) -> Operation:
    return lambda b, n: choices.compared(b, sign, n.operand(0), n.operand(1))


def _truths(sign: str) -> Operation:
    return lambda b, n: choices.joined(b, sign, n.operand(0), n.operand(1))


OPERATIONS: Mapping[str, Operation] = {
    "Gemm": onnx_layers.gemm,
    "MatMul": lambda b, n: product(b, n.operand(0), n.operand(1)),
    "Conv": onnx_layers.convolution,
    "MaxPool": onnx_layers.pool("max"),
    "AveragePool": onnx_layers.pool("avg"),
    "GlobalAveragePool": onnx_layers.global_pool("mean"),
    "GlobalMaxPool": onnx_layers.global_pool("max"),
    "BatchNormalization": onnx_layers.batch_norm,
    "LayerNormalization": onnx_layers.layer_norm,
    "LSTM": onnx_recurrent.lstm,
    "GRU": onnx_recurrent.gru,
    "RNN": onnx_recurrent.rnn,
    "Add": _add,
    "Sub": _binary("-"),
    "Mul": _binary("*"),
    "Div": _binary("/"),
    "Max": _largest,
    "Min": _several("minimum"),
    "Sum": _several("+"),
    "Mean": _several("+", is_mean=True),
    "Pow": _power,
    "Softmax": _along("softmax"),
    "LogSoftmax": _along("log_softmax"),
    "ReduceSum": _reduce("sum"),
    "ReduceMean": _reduce("mean"),
    "ReduceMax": _reduce("max"),
    "ReduceMin": _reduce_min,
    "ReduceSumSquare": _reduce("sum", before="square"),
    "ReduceL1": _reduce("sum", before="abs"),
    "ReduceL2": _reduce("sum", before="square", after="sqrt"),
    "ReduceLogSumExp": _reduce("logsumexp"),
    "ReduceLogSum": _reduce("sum", after="log"),
    "Flatten": arrays.flatten,
    "Reshape": arrays.reshape,
    "Squeeze": arrays.squeeze,
    "Unsqueeze": arrays.unsqueeze,
    "Transpose": arrays.transpose,
    "Concat": arrays.concat,
    "Split": arrays.split,
    "Slice": arrays.ranges,
    "Gather": arrays.gather,
    "Pad": arrays.pad,
    "Expand": arrays.expand,
    "Dropout": onnx_layers.dropout,
    "Identity": lambda b, n: n.operand(0),
    "Cast": _cast,
    "Where": lambda b, n: choices.chosen(b, n.operand(0), n.operand(1), n.operand(2)),
    "Greater": _compared(">"),
    "GreaterOrEqual": _compared(">="),
    "Less": _compared("<"),
    "LessOrEqual": _compared("<="),
    "And": _truths("and"),
    "Or": _truths("or"),
    "Not": lambda b, n: choices.negated(b, n.operand(0)),
    "DepthToSpace": arrays.depth_to_space,
    "SpaceToDepth": arrays.space_to_depth,
    "LeakyRelu": _leaky,
    "PRelu": lambda b, n: activations.bent(b, n.operand(0), n.operand(1)),
    "Clip": _clip,
    "Relu": _entrywise("relu"),
    "Sigmoid": _entrywise("sigmoid"),
    "Tanh": _entrywise("tanh"),
    "Exp": _entrywise("exp"),
    "Log": _entrywise("log"),
    "Sqrt": _entrywise("sqrt"),
    "Sin": _entrywise("sin"),
    "Cos": _entrywise("cos"),
    "Abs": _entrywise("abs"),
    "Neg": _entrywise("neg"),
    "Sign": _entrywise("sign"),
    "Round": _entrywise("round"),
    "Reciprocal": _entrywise("reciprocal"),
    "Softplus": _entrywise("softplus"),
    "Softsign": _entrywise("softsign"),
    "Elu": _entrywise("elu"),
    "Selu": _entrywise("selu"),
    "HardSigmoid": _entrywise("hardsigmoid", alpha=0.2, beta=0.5),
    "HardSwish": _entrywise("hardswish"),
    "Mish": _entrywise("mish"),
    "Gelu": _entrywise("gelu", approximate="none"),
}
