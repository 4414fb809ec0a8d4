"""Operations of ONNX that move, take and choose entries."""

from math import prod

import numpy as np

from rh_kernel.interchange.sources import activations, layers, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.onnx.nodes import OnnxNode, first, pairs
from rh_kernel.interchange.sources.shapes import axis_of, show


def flatten(b: Builder, n: OnnxNode) -> Operand:
    """``Flatten``: a matrix."""
    x = first(b, n)
    axis = n.attributes.get("axis", 1)
    axis = axis + len(x.shape) if axis < 0 else axis
    return tensors.reshape(b, x, (prod(x.shape[:axis]), prod(x.shape[axis:])))


def reshape(b: Builder, n: OnnxNode) -> Operand:
    """``Reshape``, with 0 for a size that stays and -1 for one that follows."""
    x, sizes = first(b, n), n.numbers(1, "shape")
    if sizes is None:
        raise Unsupported("it has no shape")
    if not n.attributes.get("allowzero"):
        sizes = [x.shape[k] if size == 0 else size for k, size in enumerate(sizes)]
    return tensors.reshape(b, x, sizes)


def squeeze(b: Builder, n: OnnxNode) -> Operand:
    """``Squeeze``: without axes of length 1."""
    x, given = first(b, n), n.numbers(1, "axes")
    axes = [k for k, size in enumerate(x.shape) if size == 1] if given is None else [axis_of(k, len(x.shape)) for k in given]
    if any(x.shape[k] != 1 for k in axes):
        raise Unsupported(f"an axis of {show(x.shape)} that it leaves out is not of length 1")
    return tensors.squeeze(b, x, axes)


def unsqueeze(b: Builder, n: OnnxNode) -> Operand:
    """``Unsqueeze``: with new axes of length 1."""
    x, given = first(b, n), n.numbers(1, "axes") or []
    rank = len(x.shape) + len(given)
    for axis in sorted([axis_of(k, rank) for k in given]):
        x = tensors.grown(b, x, axis)
    return x


def transpose(b: Builder, n: OnnxNode) -> Operand:
    """``Transpose``: the axes in another order."""
    x = first(b, n)
    return tensors.permute(b, x, n.attributes.get("perm", list(reversed(range(len(x.shape))))))


def concat(b: Builder, n: OnnxNode) -> Operand:
    """``Concat``: tensors one behind the other."""
    parts = [n.operand(k) for k in range(len(n.inputs))]
    return tensors.concat(b, parts, axis_of(n.attributes["axis"], len(parts[0].shape)))


def split(b: Builder, n: OnnxNode) -> list[Operand]:
    """``Split``: pieces along an axis."""
    x = first(b, n)
    axis = axis_of(n.attributes.get("axis", 0), len(x.shape))
    sizes = n.numbers(1, "split")
    if sizes is None:
        count = n.attributes.get("num_outputs", n.results)
        size = -(-x.shape[axis] // count)
        sizes = [min(size, x.shape[axis] - k * size) for k in range(count)]
    return list(tensors.pieces(b, x, axis, sizes))


def ranges(b: Builder, n: OnnxNode) -> Operand:
    """``Slice``: ranges of entries along axes."""
    x = first(b, n)
    low, high = n.numbers(1, "starts"), n.numbers(2, "ends")
    if low is None or high is None:
        raise Unsupported("it does not say where")
    axes = n.numbers(3, "axes") or list(range(len(low)))
    steps = n.numbers(4) or [1] * len(low)
    for start, end, axis, step in zip(low, high, axes, steps, strict=True):
        at = axis_of(axis, len(x.shape))
        # The largest and smallest numbers stand for an end; Python counts an end below 0 from behind.
        end = None if step < 0 and end < -x.shape[at] else end
        x = tensors.cut(b, x, at, *slice(start, end, step).indices(x.shape[at]))
    return x


def is_table(n: OnnxNode) -> bool:
    """Whether a ``Gather`` takes rows of a matrix of parameters at constant places, each of which has a number from 0 on."""
    data, places = n.operand(0), n.operand(1)
    is_matrix = isinstance(data, Known) and data.is_weight and data.array.ndim == 2 and n.attributes.get("axis", 0) == 0
    return is_matrix and isinstance(places, Known) and places.array.ndim > 0 and not np.any(places.array < 0)


def gather(b: Builder, n: OnnxNode) -> Operand:
    """``Gather``: rows of a table that the input numbers, or entries at constant places."""
    data, places = n.operand(0), n.operand(1)
    axis = axis_of(n.attributes.get("axis", 0), len(data.shape))
    if isinstance(data, Known) and (isinstance(places, Tensor) or is_table(n)):
        if axis != 0 or data.array.ndim != 2:
            raise Unsupported("its table is not a matrix of rows", "take rows of a matrix")
        return layers.embedding(b, data, places)
    if isinstance(places, Tensor):
        raise Unsupported("its places depend on the input", "use a table of parameters")
    x = tensors.tensor(b, data)
    numbers = places.array.astype(np.int64).reshape(-1)
    numbers = np.where(numbers < 0, numbers + x.shape[axis], numbers)
    if np.any(numbers < 0) or np.any(numbers >= x.shape[axis]):
        raise Unsupported(f"there is no place {int(numbers.max())} of {x.shape[axis]}")
    if places.array.ndim == 0:
        return tensors.select(b, x, axis, int(numbers[0]))
    taken = tensors.take(b, x, axis, numbers)
    return tensors.reshape(b, taken, (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]))


def pad(b: Builder, n: OnnxNode) -> Operand:
    """``Pad``, with zeros."""
    x = first(b, n)
    zeros, value = n.numbers(1, "pads"), n.known(2)
    if n.attributes.get("mode", "constant") != "constant" or (value is not None and np.any(value.array)):
        raise Unsupported("it pads with something else than zeros", "pad with zeros")
    axes = n.numbers(3) or list(range(len(x.shape)))
    sizes = pairs(zeros or [])
    return activations.zero_padded(b, x, {axis_of(a, len(x.shape)): pair for a, pair in zip(axes, sizes, strict=True)})


def expand(b: Builder, n: OnnxNode) -> Operand:
    """``Expand``: broadcast."""
    x, sizes = first(b, n), n.numbers(1) or []
    shape = np.broadcast_shapes(x.shape, tuple(sizes))
    return tensors.expand(b, x, tuple([int(k) for k in shape]))


def depth_to_space(b: Builder, n: OnnxNode) -> Operand:
    """``DepthToSpace``: channels become blocks of rows and columns."""
    x, p = first(b, n), n.attributes["blocksize"]
    batch, c, h, w = x.shape
    if n.attributes.get("mode", "DCR") == "DCR":
        parts = tensors.reshape(b, x, (batch, p, p, c // p**2, h, w))
        moved = tensors.permute(b, parts, (0, 3, 4, 1, 5, 2))
    else:
        parts = tensors.reshape(b, x, (batch, c // p**2, p, p, h, w))
        moved = tensors.permute(b, parts, (0, 1, 4, 2, 5, 3))
    return tensors.reshape(b, moved, (batch, c // p**2, h * p, w * p))


def space_to_depth(b: Builder, n: OnnxNode) -> Operand:
    """``SpaceToDepth``: blocks of rows and columns become channels."""
    x, p = first(b, n), n.attributes["blocksize"]
    batch, c, h, w = x.shape
    parts = tensors.reshape(b, x, (batch, c, h // p, p, w // p, p))
    order = (0, 3, 5, 1, 2, 4) if n.attributes.get("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    return tensors.reshape(b, tensors.permute(b, parts, order), (batch, c * p * p, h // p, w // p))
