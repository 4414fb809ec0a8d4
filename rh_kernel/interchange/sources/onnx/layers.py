"""Layers of ONNX."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.interchange.sources import layers, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Unsupported
from rh_kernel.interchange.sources.onnx.nodes import OnnxNode, Operation, first, number, pairs
from rh_kernel.interchange.sources.shapes import axis_of


def gemm(b: Builder, n: OnnxNode) -> Operand:
    """``Gemm``: a layer, or a product of matrices."""
    alpha, beta = n.attributes.get("alpha", 1.0), n.attributes.get("beta", 1.0)
    x, w, c = n.operand(0), n.operand(1), n.get(2)
    if n.attributes.get("transA"):
        x = tensors.permute(b, tensors.tensor(b, x), (1, 0))
    if isinstance(w, Known) and w.array.ndim == 2 and w.is_weight and alpha == 1:
        matrix = w if n.attributes.get("transB") else w.moved(lambda array: np.ascontiguousarray(array.T))
        done = layers.linear(b, x, matrix, None)
    else:
        right = tensors.permute(b, tensors.tensor(b, w), (1, 0)) if n.attributes.get("transB") else w
        done = tensors.matmul(b, x, right)
        done = done if alpha == 1 else tensors.binary(b, "*", number(alpha), done)
    if c is None or beta == 0:
        return done
    return layers.add(b, done, c if beta == 1 else _times(b, beta, c))


def _times(b: Builder, factor: float, x: Operand) -> Operand:
    return Known(x.array * factor, x.name, x.is_learned) if isinstance(x, Known) else tensors.binary(b, "*", number(factor), x)


def _padding(n: OnnxNode, totals: Sequence[int]) -> list[tuple[int, int]]:
    """Return the zeros in front and behind along each axis; with ``auto_pad`` as many as ``totals`` says."""
    how = n.attributes.get("auto_pad", "NOTSET")
    if how in {"NOTSET", ""}:
        return pairs(n.attributes.get("pads", [0] * (2 * len(totals))))
    if how == "VALID":
        return [(0, 0)] * len(totals)
    small = [(total // 2, total - total // 2) for total in totals]
    return small if how == "SAME_UPPER" else [(high, low) for low, high in small]


def convolution(b: Builder, n: OnnxNode) -> Operand:
    """``Conv`` along one axis or two."""
    w, bias = n.known(1), n.known(2)
    if w is None:
        raise Unsupported("it has no filters")
    axes = w.array.ndim - 2
    strides, dilations = n.attributes.get("strides", [1] * axes), n.attributes.get("dilations", [1] * axes)
    padding = _padding(n, [d * (k - 1) for d, k in zip(dilations, w.shape[2:], strict=True)])
    sizes = layers.ConvSizes(strides, padding, dilations, n.attributes.get("group", 1))
    return layers.convolution(b, n.operand(0), w, bias, sizes)


def pool(how: str) -> Operation:
    """``MaxPool`` and ``AveragePool``."""

    def pool(b: Builder, n: OnnxNode) -> Operand:
        if n.results > 1:
            raise Unsupported("the places of the largest entries are asked for", "use the first result only")
        x = n.operand(0)
        windows = list(n.attributes["kernel_shape"])
        strides = n.attributes.get("strides", [1] * len(windows))
        dilations = n.attributes.get("dilations", [1] * len(windows))
        axes = x.shape[len(x.shape) - len(windows) :]
        padding = _padding(n, [max(-(-m // s) * s - s + p - m, 0) for m, s, p in zip(axes, strides, windows, strict=True)])
        ceils = bool(n.attributes.get("ceil_mode"))
        if n.attributes.get("auto_pad", "NOTSET").startswith("SAME") and all(low == 0 for low, _ in padding):
            # Windows of which a part lies in the padding: as they are cut at the end.
            ceils, padding = True, [(0, 0)] * len(windows)
            if n.attributes.get("count_include_pad"):
                raise Unsupported("it counts zeros of the padding", "use count_include_pad=0")
        return layers.pool(b, how, x, layers.PoolSizes(windows, strides, padding, dilations, ceils=ceils))

    return pool


def global_pool(how: str) -> Operation:
    """``GlobalMaxPool`` and ``GlobalAveragePool``."""

    def pool(b: Builder, n: OnnxNode) -> Operand:
        x = first(b, n)
        return tensors.reduce(b, how, x, range(2, len(x.shape)), keeps=True)

    return pool


def batch_norm(b: Builder, n: OnnxNode) -> Operand:
    """``BatchNormalization`` with fixed statistics."""
    if n.attributes.get("training_mode") or n.results > 1:
        raise Unsupported("it takes the statistics of the batch", "export the model in evaluation mode")
    scale, shift, mean, var = (n.known(k) for k in range(1, 5))
    if mean is None or var is None:
        raise Unsupported("its statistics are missing")
    return layers.batch_norm(b, first(b, n), scale, shift, mean, var, n.attributes.get("epsilon", 1e-5))


def layer_norm(b: Builder, n: OnnxNode) -> Operand:
    """``LayerNormalization``."""
    if n.results > 1:
        raise Unsupported("its means are asked for", "use the first result only")
    x = first(b, n)
    axes = len(x.shape) - axis_of(n.attributes.get("axis", -1), len(x.shape))
    return layers.layer_norm(b, x, axes, n.known(1), n.known(2), n.attributes.get("epsilon", 1e-5))


def dropout(b: Builder, n: OnnxNode) -> Operand:
    """``Dropout`` in evaluation: the identity."""
    training = n.known(2)
    if n.results > 1 or (training is not None and bool(np.any(training.array))):
        raise Unsupported("it drops entries", "export the model in evaluation mode")
    return n.operand(0)
