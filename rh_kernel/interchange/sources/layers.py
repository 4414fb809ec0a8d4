"""Layers of a model as operations of the library ``layers.rh``, or as formulas where it has none."""

import math
from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from rh_kernel.interchange.model import Call, Infix, Number, Perform, Place, Weight
from rh_kernel.interchange.sources import moves, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.markers import as_row_numbers
from rh_kernel.interchange.sources.shapes import broadcast, show, without

EACH_ROW = "each_row"
"""A net of the file: ``FC`` for each row, for which the library has no layer."""
NO_BIAS = "the model has no bias here"
MADE_UP = "onnx::"
"""How the names begin that PyTorch's exporter gives to weights it has turned round."""
LIBRARY_EPSILON = 1e-5
"""What ``normalise`` of the library adds to a variance."""


def linear(b: Builder, x: Operand, w: Known, bias: Known | None) -> Tensor:
    """Return ``x wᵀ + bias`` along the last axis: ``FC`` and ``Affine`` of a vector, ``Dense`` of rows."""
    t = tensors.tensor(b, x)
    if w.array.ndim != 2 or t.shape[-1:] != w.shape[1:] or t.batch == len(t.shape) - 1:
        raise Unsupported(f"an input of shape {show(t.shape)} and weights of shape {show(w.shape)} do not fit")
    if not w.is_weight:
        done = tensors.matmul(b, t, w.moved(np.transpose))
        return done if bias is None else add(b, done, bias)
    if bias is not None and not bias.is_weight:
        return add(b, linear(b, x, w, None), bias)
    m, n = w.shape
    there = t.typed
    rows = prod(there.shape[:-1])
    weight = b.weight(w)
    places = [weight] if bias is None else [weight, b.weight(bias, (m,))]
    shape = (*t.shape[:-1], m)
    if rows == 1:
        done = b.perform("FC" if bias is None else "Affine", places, b.reshape(there, (n,)), (m,))
    elif bias is None:
        done = b.perform(EACH_ROW, places, b.reshape(there, (rows, n)), (rows, m))
    else:
        done = b.perform("Dense", places, b.reshape(there, (rows, n)), (rows, m))
    return Tensor(b.reshape(done, without(shape, t.batch)).term, shape, t.batch)


def add(b: Builder, x: Operand, y: Operand) -> Tensor:
    """Return the sum; a bias behind a product with weights makes one layer with it."""
    for done, bias in ((x, y), (y, x)):
        if isinstance(done, Tensor) and isinstance(bias, Known):
            fused = _with_bias(b, done, bias) if bias.is_learned else _with_nothing(done, bias)
            if fused is not None:
                return fused
    return tensors.binary(b, "+", x, y)


def _with_nothing(x: Tensor, constant: Known) -> Tensor | None:
    """Return x if the constant that is added to it consists of zeros."""
    return x if broadcast(x.shape, constant.shape) == x.shape and not np.any(constant.array) else None


def _with_bias(b: Builder, done: Tensor, bias: Known) -> Tensor | None:
    """Return the layer behind which only entries move, with the bias, if it adds one number to each of the layer's results."""
    node, chain = moves.behind_moves(b, done.term)
    biased = {"FC": "Affine", EACH_ROW: "Dense", "Conv2D": "Conv2D"}
    if node is None or node.argument is None or node.operation not in biased:
        return None
    shape = node.result.shape
    is_image = node.operation == "Conv2D"
    size = shape[0] if is_image else shape[-1]
    if is_image and not _is_placeholder(node.places[1]):
        return None
    units = np.arange(size).reshape(-1, 1, 1) if is_image else np.arange(size)
    there = moves.replayed(np.broadcast_to(units, shape), chain)
    own = without(bias.shape, aligned_axis(bias, done))
    if broadcast(own, there.shape) != there.shape:
        return None
    # The first place of each unit among the results, and the entry of the bias that is added there.
    first = np.unique(there, return_index=True)[1]
    added = bias.moved(lambda array: np.broadcast_to(array.reshape(own), there.shape))
    each = added.moved(lambda array: array.reshape(-1)[first])
    if len(np.unique(each.numbers)) < size or not np.array_equal(added.numbers, each.numbers[there]):
        return None
    places = [_named_after(b, node.places[0], bias), b.weight(each)]
    result = b.perform(biased[node.operation], places, Typed(node.argument, ()), shape)
    for move in chain:
        result = b.let(Call(move.function, (result.term,), move.sizes), moves.shape_after(result.shape, move))
    return Tensor(result.term, done.shape, done.batch)


def _named_after(b: Builder, place: Place, bias: Known) -> Place:
    """Return weights under the name that goes with that of their bias, if an exporter has made up another one."""
    if not isinstance(place, Weight) or not place.name.startswith(MADE_UP) or not bias.name.endswith("bias"):
        return place
    return b.weight(Known(place.array, f"{bias.name.removesuffix('bias')}weight", is_learned=True), note=place.note)


def _is_placeholder(place: Place) -> bool:
    return isinstance(place, Weight) and place.note == NO_BIAS


def aligned_axis(x: Known, other: Tensor) -> int | None:
    """Return the axis of a known value that meets the axis of samples of a tensor when the two are broadcast."""
    if other.batch is None:
        return None
    axis = other.batch - (len(other.shape) - len(x.shape))
    return axis if axis >= 0 and x.shape[axis] == 1 else None


def convolution(b: Builder, x: Operand, w: Known, bias: Known | None, sizes: "ConvSizes") -> Tensor:
    """Return a convolution of one or two axes, with zeros around the input."""
    axes = w.array.ndim - 2
    sizes.check(axes)
    if bias is not None and not (w.is_weight and bias.is_weight):
        plain = convolution(b, x, w, None, sizes)
        return add(b, plain, bias.moved(lambda array: array.reshape(-1, *[1] * axes)))
    batched = len(x.shape) == axes + 2
    there = b.with_samples(x, 0) if batched else b.typed(x)
    d, c, *filters = w.shape
    if axes == 1:
        there = b.reshape(padded_1d(b, there, sizes.padding[0]), (c, 1, there.shape[1] + sum(sizes.padding[0])))
        filters = [1, *filters]
    else:
        there = padded(b, there, sizes.padding)
    if there.shape[0] != c:
        raise Unsupported(f"an input of {there.shape[0]} channels and filters of {c} do not fit")
    shape = (d, there.shape[1] - filters[0] + 1, there.shape[2] - filters[1] + 1)
    if min(shape) < 1:
        raise Unsupported("its filters are larger than its input")
    if w.is_weight:
        kernel = b.weight(w, (d, c, *filters), f"{show(w.shape)} in the model" if axes == 1 else "")
        zeros = Known(np.zeros(d, w.array.dtype), f"{w.name.removesuffix('weight')}bias", is_learned=True)
        shift = b.weight(zeros, note=NO_BIAS) if bias is None else b.weight(bias, (d,))
        done = b.perform("Conv2D", [kernel, shift], there, shape)
    else:
        constant = b.known(w.moved(lambda array: array.reshape(d, c, *filters)))
        done = b.call("conv2d", [there, constant], shape)
    result = shape if axes == 2 else (d, shape[2])
    return Tensor(b.reshape(done, result).term, (1, *result) if batched else result, 0 if batched else None)


class ConvSizes:
    """Strides, zeros on both sides of each axis, dilations, and groups"""

    def __init__(
        self, strides: Sequence[int], padding: Sequence[tuple[int, int]], dilations: Sequence[int], groups: int = 1
    ) -> None:
        self.strides, self.padding, self.dilations, self.groups = strides, padding, dilations, groups

    def check(self, axes: int) -> None:
        """Raise ``Unsupported`` unless ``Conv2D`` does this."""
        if axes not in (1, 2):
            raise Unsupported(f"it has {axes} axes", "convolve along one axis or two")
        if any(n != 1 for n in self.strides):
            raise Unsupported(f"its stride is {_several(self.strides)}", "use stride 1, with pooling behind it")
        if any(n != 1 for n in self.dilations):
            raise Unsupported(f"its dilation is {_several(self.dilations)}", "use dilation 1")
        if self.groups != 1:
            raise Unsupported(f"it has {self.groups} groups", "use one group")
        if any(low < 0 or high < 0 for low, high in self.padding):
            raise Unsupported("its padding is negative", "cut the input first")


def _several(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(set(numbers)) == 1 else " × ".join([str(n) for n in numbers])


def padded_1d(b: Builder, x: Typed, zeros: tuple[int, int]) -> Typed:
    """Return a signal of c channels with zeros in front and behind."""
    low, high = zeros
    (c, n), total = x.shape, x.shape[1] + sum(zeros)
    if low == high or high == low + 1:
        return x if not high else b.call("pad1d", [x], (c, total), (total,))
    for size, is_front in ((low, True), (high, False)):
        if size:
            n += size
            zero = b.call("fill", [Typed(Number(0.0), (1,))], (c, size), (c, size))
            parts = [zero, x] if is_front else [x, zero]
            x = b.call("concat_last", parts, (c, n))
    return x


def padded(b: Builder, x: Typed, zeros: Sequence[tuple[int, int]]) -> Typed:
    """Return an image with a frame of zeros: in front of and behind its rows, and in each row."""
    if not any(low or high for low, high in zeros):
        return x
    (top, bottom), (left, right) = zeros
    c, h, w = x.shape
    if top == bottom == left == right:
        framed = b.call(f"framed{'' if top == 1 else top}", [x], (c, w + 2 * top, h))
        return b.call(f"framed{'' if top == 1 else top}", [framed], (c, h + 2 * top, w + 2 * top))
    rows = padded_1d(b, b.reshape(x, (c * h, w)), (left, right))
    turned = moves.permuted(b, b.reshape(rows, (c, h, w + left + right)), (0, 2, 1))
    columns = padded_1d(b, b.reshape(turned, (c * (w + left + right), h)), (top, bottom))
    return moves.permuted(b, b.reshape(columns, (c, w + left + right, h + top + bottom)), (0, 2, 1))


class PoolSizes:
    """Windows, strides, zeros around, dilations, and whether windows that are cut at the end count"""

    def __init__(
        self,
        windows: Sequence[int],
        strides: Sequence[int],
        padding: Sequence[tuple[int, int]],
        dilations: Sequence[int] = (),
        *,
        ceils: bool = False,
    ) -> None:
        self.windows, self.strides, self.padding, self.dilations, self.ceils = windows, strides, padding, dilations, ceils

    def check(self, axes: Sequence[int]) -> int:
        """Return the side of the windows. Raises ``Unsupported`` unless a pool of the language does this."""
        if len(axes) not in (1, 2):
            raise Unsupported(f"it has {len(axes)} axes", "pool along one axis or two")
        if tuple(self.strides) != tuple(self.windows):
            how = f"its windows are {_several(self.windows)} and its stride {_several(self.strides)}"
            raise Unsupported(how, "use a stride that is as long as the window")
        if any(low or high for low, high in self.padding):
            raise Unsupported("it has padding", "use padding 0")
        if any(n != 1 for n in self.dilations):
            raise Unsupported(f"its dilation is {_several(self.dilations)}", "use dilation 1")
        if len(set(self.windows)) != 1:
            raise Unsupported(f"its windows are {_several(self.windows)}", "use square windows")
        if not self.ceils and any(n % p for n, p in zip(axes, self.windows, strict=True)):
            how = f"a window of {_several(self.windows)} does not divide {_several(axes)}, and it leaves out what is left over"
            raise Unsupported(how, "use ceil_mode, or a size that divides")
        return self.windows[0]


def pool(b: Builder, how: str, x: Operand, sizes: PoolSizes) -> Tensor:
    """Return the ``max`` or ``avg`` of each window."""
    axes = len(sizes.windows)
    batched = len(x.shape) == axes + 2
    p = sizes.check(x.shape[len(x.shape) - axes :])
    there = b.with_samples(x, 0) if batched else b.typed(x)
    shape = (there.shape[0], *[math.ceil(n / p) for n in there.shape[1:]])
    if axes == 1 and how == "avg":
        c, n = there.shape
        count = b.call("sumpool1d", [b.call("fill", [Typed(Number(1.0), (1,))], (c, n), (c, n))], shape, (p,))
        total = b.call("sumpool1d", [there], shape, (p,))
        whole = Typed(Number(float(p)), (1,))
        done = moves.binary(b, "/", total, whole if n % p == 0 else count, shape)
    else:
        done = b.call(f"{how}pool{axes}d", [there], shape, (p,))
    return Tensor(done.term, (1, *shape) if batched else shape, 0 if batched else None)


def adaptive_average(b: Builder, x: Tensor, sizes: Sequence[int]) -> Tensor:
    """Return means over windows that divide the last axes into so many."""
    axes = x.shape[len(x.shape) - len(sizes) :]
    if all(n == 1 for n in sizes):
        first = len(x.shape) - len(sizes)
        return tensors.reduce(b, "mean", x, range(first, len(x.shape)), keeps=True)
    if any(n % m for n, m in zip(axes, sizes, strict=True)):
        raise Unsupported(f"{_several(sizes)} windows do not divide {_several(axes)}", "use sizes that divide")
    windows = [n // m for n, m in zip(axes, sizes, strict=True)]
    return pool(b, "avg", x, PoolSizes(windows, windows, [(0, 0)] * len(windows)))


def embedding(b: Builder, w: Known, i: Operand) -> Tensor:
    """Return the rows of a table whose numbers the input says."""
    numbers = tensors.tensor(b, replace(i, name="rows") if isinstance(i, Known) else i)
    there, d = numbers.typed, w.shape[1]
    count = prod(there.shape)
    places = as_row_numbers(b, b.reshape(there, (count,)))
    if w.is_weight:
        rows = b.perform("Embed", [b.weight(w)], places, (count, d))
    else:
        rows = b.call("take", [b.known(w), places], (count, d))
    shape = (*numbers.shape, d)
    return Tensor(b.reshape(rows, without(shape, numbers.batch)).term, shape, numbers.batch)


def layer_norm(b: Builder, x: Tensor, axes: int, scale: Known | None, shift: Known | None, epsilon: float) -> Tensor:
    """Return x with the mean 0 and the variance 1 along its last axes, scaled and shifted."""
    if x.batch is not None and x.batch >= len(x.shape) - axes:
        tensors.not_over_samples(x, (x.batch,), "takes means")
    there = x.typed
    d = prod(x.shape[len(x.shape) - axes :])
    rows = b.reshape(there, (prod(there.shape) // d, d))
    if not math.isclose(epsilon, LIBRARY_EPSILON, rel_tol=1e-6):
        factor = Number(math.sqrt(LIBRARY_EPSILON / epsilon)) if epsilon > 0 else None
        if factor is None:
            raise Unsupported(f"its epsilon is {epsilon}", "use 1e-5")
        rows = b.let(Infix("*", factor, rows.term), rows.shape)
    if scale is not None and shift is not None and scale.is_weight and shift.is_weight:
        done = b.perform("LayerNorm", [b.weight(scale, (d,)), b.weight(shift, (d,))], rows, rows.shape)
    else:
        done = b.call("normalise", [rows], rows.shape)
        for sign, known in (("*", scale), ("+", shift)):
            if known is not None:
                done = moves.binary(b, sign, done, b.reshape(b.known(known), (d,)), rows.shape)
    return Tensor(b.reshape(done, there.shape).term, x.shape, x.batch)


def batch_norm(
    b: Builder, x: Tensor, scale: Known | None, shift: Known | None, mean: Known, var: Known, epsilon: float
) -> Tensor:
    """Return batch normalisation with fixed statistics: behind a convolution or a layer it changes their weights."""
    c = mean.shape[0]
    if len(x.shape) < 2 or x.shape[1] != c:
        raise Unsupported(f"an input of shape {show(x.shape)} and {c} channels do not fit")
    factor = (1.0 if scale is None else scale.array) / np.sqrt(var.array + np.asarray(epsilon, var.array.dtype))
    offset = (0.0 if shift is None else shift.array) - mean.array * factor
    node = b.performed(x.term)
    if node is not None and node.operation in {"Conv2D", "Affine"} and all(not hasattr(p, "members") for p in node.places):
        return _folded(b, x, node, factor, offset)
    name = (scale or mean).name.rpartition(".")[0]
    gain, bias = (Known(a, f"{name}.{n}", is_learned=False) for a, n in ((factor, "scale"), (offset, "shift")))
    there = (c,) + (1,) * (len(x.shape) - 2)
    scaled = tensors.binary(b, "*", x, Known(gain.array.reshape(there), gain.name, is_learned=False))
    return tensors.binary(b, "+", scaled, Known(bias.array.reshape(there), bias.name, is_learned=False))


def _folded(b: Builder, x: Tensor, node: Perform, factor: np.ndarray, offset: np.ndarray) -> Tensor:
    w, c = node.places
    assert isinstance(w, Weight)
    assert isinstance(c, Weight)
    assert node.argument is not None
    note = "with the batch normalisation behind it"
    kernel = Known(w.array * factor.reshape(-1, *[1] * (w.array.ndim - 1)), w.name, is_learned=True)
    shift = Known(c.array * factor + offset, c.name, is_learned=True)
    places = [b.weight(kernel, note=note), b.weight(shift, note=note)]
    done = b.perform(node.operation, places, Typed(node.argument, ()), node.result.shape)
    return Tensor(done.term, x.shape, x.batch)


def attention(
    b: Builder, q: Tensor, k: Tensor, v: Tensor, mask: Operand | None, scale: float | None, *, is_causal: bool
) -> Tensor:
    """Return scaled dot-product attention, ``attend`` of the library, of q, k and v with the axes …, rows, features."""
    d, r, s = q.shape[-1], q.shape[-2], k.shape[-2]
    front = q.shape[:-2]
    heads = prod(front)
    if k.shape[:-2] != front or v.shape[:-2] != front or d != k.shape[-1]:
        raise Unsupported(f"queries {show(q.shape)} and keys {show(k.shape)} do not fit", "give all as many heads")
    parts = [b.reshape(t.typed, (heads, *t.shape[-2:])) for t in (q, k, v)]
    if scale is not None and not math.isclose(scale, 1 / math.sqrt(d), rel_tol=1e-12):
        parts[0] = b.let(Infix("*", Number(scale * math.sqrt(d)), parts[0].term), parts[0].shape)
    added: Typed = Typed(Number(0.0), (r, s))
    if is_causal:
        if r != s:
            raise Unsupported("its causal mask is not square", "give the mask as an array")
        added = b.call("causal", [b.call("fill", [Typed(Number(1.0), (1,))], (r,), (r,))], (r, r))
    elif mask is not None:
        added = _mask(b, mask, (r, s))
    done = b.call("attend", [*parts, added], (heads, r, v.shape[-1]))
    batch = q.batch if q.batch is not None and q.batch < len(front) else None
    shape = (*front, r, v.shape[-1])
    return Tensor(b.reshape(done, without(shape, batch)).term, shape, batch)


def _mask(b: Builder, mask: Operand, shape: tuple[int, int]) -> Typed:
    if prod(mask.shape[:-2]) != 1:
        raise Unsupported("its mask differs between heads", "use one mask for all heads")
    if isinstance(mask, Tensor):
        return moves.spread(b, b.reshape(mask.typed, mask.shape[-2:]), shape)
    array = mask.array
    low = np.float64(-1e30)
    numbers = np.where(array, 0.0, low) if array.dtype == np.bool_ else np.maximum(array, low)
    there = np.broadcast_to(numbers.reshape(array.shape[-2:]), shape)
    return b.known(Known(np.ascontiguousarray(there), mask.name, is_learned=False))
