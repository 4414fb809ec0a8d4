"""The ATen operations that are read, by the names of their schemas."""

import math
from collections.abc import Mapping
from math import prod

import numpy as np

from rh_kernel.interchange.model import Number
from rh_kernel.interchange.sources import activations, choices, layers, markers, recurrent, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.interchange.sources.products import product
from rh_kernel.interchange.sources.pytorch import layers as torch_layers
from rh_kernel.interchange.sources.pytorch.layers import Arguments, Operation
from rh_kernel.interchange.sources.shapes import axis_of

CONVERSIONS = ("to", "_to_copy", "type_as")
"""Operations that may change the type of entries."""

KEPT = frozenset(
    {
        *CONVERSIONS, "alias", "chunk", "clone", "contiguous", "detach", "embedding", "expand", "expand_as", "flatten", "flip",
        "index", "index_select", "narrow", "numpy_T", "permute", "repeat", "reshape", "select", "slice", "split",
        "split_with_sizes", "squeeze", "t", "tile", "transpose", "unbind", "unflatten", "unsqueeze", "view",
    }
)  # fmt: skip
"""Operations that only move the entries of a parameter, or take some of them."""

VIEWS = KEPT | {"dropout", "expand", "feature_dropout", "split_with_sizes", "unbind"}
"""Operations whose results may share their entries with their arguments."""

REFUSED: Mapping[str, tuple[str, str]] = {
    "erf": ("the language has no error function", "use gelu with approximate='tanh'"),
    "conv_transpose1d": ("there is no transposed convolution", "repeat entries, and convolve"),
    "conv_transpose2d": ("there is no transposed convolution", "repeat entries, and convolve"),
    "argmax": ("a place has no derivative", "compare with same_argmax in the program"),
    "group_norm": ("there is no normalisation of groups", "use layer normalisation"),
    "instance_norm": ("there is no normalisation of each channel", "use layer normalisation"),
}


def _sum(sign: str) -> Operation:
    def operation(b: Builder, a: Arguments) -> Tensor:
        x, y, alpha = _operand(a["self"]), _operand(a["other"]), a.get("alpha", 1)
        if alpha != 1:
            y = _scaled(b, y, float(alpha))
        return layers.add(b, x, y) if sign == "+" else tensors.binary(b, sign, x, y)

    return operation


def _binary(sign: str) -> Operation:
    def operation(b: Builder, a: Arguments) -> Tensor:
        if a.get("rounding_mode") is not None:
            raise Unsupported("it rounds the quotient", "divide without rounding")
        return tensors.binary(b, sign, _operand(a["self"]), _operand(a["other"]))

    return operation


def _reversed_difference(b: Builder, a: Arguments) -> Tensor:
    return tensors.binary(b, "-", _operand(a["other"]), _scaled(b, _operand(a["self"]), float(a.get("alpha", 1))))


def _operand(x: Untyped) -> Operand:
    return x if isinstance(x, Tensor | Known) else Known(np.array(float(x)), "number", is_learned=False)


def _scaled(b: Builder, x: Operand, factor: float) -> Operand:
    if factor == 1:
        return x
    if isinstance(x, Known):
        return Known(x.array * factor, x.name, is_learned=False)
    return tensors.binary(b, "*", Known(np.array(factor), "number", is_learned=False), x)


def _entrywise(name: str) -> Operation:
    return lambda b, a: activations.apply(b, name, tensors.tensor(b, next(iter(a.values()))), a)


def _row_by_row(function: str) -> Operation:
    def operation(b: Builder, a: Arguments) -> Tensor:
        x = tensors.tensor(b, a["self"])
        return activations.along(b, function, x, axis_of(a["dim"], len(x.shape)))

    return operation


def _axes(x: Tensor, given: Untyped) -> list[int]:
    if given is None or given == []:
        return list(range(len(x.shape)))
    return [axis_of(n, len(x.shape)) for n in ([given] if isinstance(given, int) else given)]


def _reduce(how: str) -> Operation:
    def operation(b: Builder, a: Arguments) -> Tensor:
        x = tensors.tensor(b, a["self"])
        return tensors.reduce(b, how, x, _axes(x, a.get("dim")), keeps=bool(a.get("keepdim")))

    return operation


def _flatten(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    low, high = axis_of(a["start_dim"], len(x.shape)), axis_of(a["end_dim"], len(x.shape))
    return tensors.reshape(b, x, (*x.shape[:low], prod(x.shape[low : high + 1]), *x.shape[high + 1 :]))


def _unflatten(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    axis = axis_of(a["dim"], len(x.shape))
    sizes = list(a["sizes"])
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[axis] // -prod(sizes)
    return tensors.reshape(b, x, (*x.shape[:axis], *sizes, *x.shape[axis + 1 :]))


def _reshape(sizes: str) -> Operation:
    return lambda b, a: tensors.reshape(b, tensors.tensor(b, a["self"]), a[sizes])


def _transpose(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    rank = len(x.shape)
    order = list(range(rank))
    if rank > 1:
        i, j = axis_of(a.get("dim0", 0), rank), axis_of(a.get("dim1", 1), rank)
        order[i], order[j] = order[j], order[i]
    return tensors.permute(b, x, order)


def _permute(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    return tensors.permute(b, x, [axis_of(n, len(x.shape)) for n in a["dims"]])


def _squeeze(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    given = a.get("dim")
    axes = range(len(x.shape)) if given is None else _axes(x, given)
    return tensors.squeeze(b, x, [axis for axis in axes if x.shape[axis] == 1])


def _unsqueeze(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    axis = axis_of(a["dim"], len(x.shape) + 1)
    return tensors.grown(b, x, axis)


def _slice(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    axis = axis_of(a["dim"], len(x.shape))
    low, high, step = slice(a["start"], a["end"], a["step"]).indices(x.shape[axis])
    return tensors.cut(b, x, axis, low, high, step)


def _select(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    axis = axis_of(a["dim"], len(x.shape))
    return tensors.select(b, x, axis, a["index"] % x.shape[axis])


def _split(b: Builder, a: Arguments) -> list[Tensor]:
    x = tensors.tensor(b, a["self"])
    axis = axis_of(a["dim"], len(x.shape))
    n = x.shape[axis]
    size = math.ceil(n / a["chunks"]) if "chunks" in a else a.get("split_size", a.get("split_sizes"))
    sizes = size if isinstance(size, list) else [min(size, n - k) for k in range(0, n, size)]
    return tensors.pieces(b, x, axis, sizes)


def _unbind(b: Builder, a: Arguments) -> list[Tensor]:
    x = tensors.tensor(b, a["self"])
    axis = axis_of(a["dim"], len(x.shape))
    return [tensors.select(b, x, axis, k) for k in range(x.shape[axis])]


def _concat(b: Builder, a: Arguments) -> Tensor:
    return tensors.concat(b, a["tensors"], axis_of(a["dim"], len(a["tensors"][0].shape)))


def _stack(b: Builder, a: Arguments) -> Tensor:
    return tensors.stack(b, a["tensors"], axis_of(a["dim"], len(a["tensors"][0].shape) + 1))


def _expand(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    sizes = list(a["size"])
    front = len(sizes) - len(x.shape)
    return tensors.expand(b, x, tuple([x.shape[k - front] if n == -1 else n for k, n in enumerate(sizes)]))


def _index_select(b: Builder, a: Arguments) -> Tensor:
    x, places = tensors.tensor(b, a["self"]), a["index"]
    if not isinstance(places, Known):
        raise Unsupported("its places depend on the input", "use an embedding")
    return tensors.take(b, x, axis_of(a["dim"], len(x.shape)), places.array)


def _matmul(first: str = "self", second: str = "other") -> Operation:
    return lambda b, a: product(b, a[first], a[second])


def _addmm(b: Builder, a: Arguments) -> Tensor:
    if a["beta"] != 1 or a["alpha"] != 1:
        raise Unsupported("it scales its summands", "multiply by the numbers first")
    return layers.add(b, product(b, a["mat1"], a["mat2"]), a["self"])


def _power(b: Builder, a: Arguments) -> Tensor:
    return activations.power(b, tensors.tensor(b, a["self"]), a["exponent"])


def _flip(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    for axis in [axis_of(n, len(x.shape)) for n in a["dims"]]:
        x = tensors.take(b, x, axis, np.arange(x.shape[axis])[::-1].copy())
    return x


def _where(b: Builder, a: Arguments) -> Operand:
    return choices.chosen(b, a["condition"], _operand(a["self"]), _operand(a["other"]))


def _masked(b: Builder, a: Arguments) -> Operand:
    value = -1e30 if a["value"] == float("-inf") else a["value"]
    return choices.chosen(b, a["mask"], _operand(value), a["self"])


def _compared(sign: str) -> Operation:
    return lambda b, a: choices.compared(b, sign, _operand(a["self"]), _operand(a["other"]))


def _truths(sign: str) -> Operation:
    def operation(b: Builder, a: Arguments) -> Tensor:
        parts = [a[key] for key in ("self", "other") if key in a]
        for x in parts:
            is_bool = x.array.dtype == np.bool_ if isinstance(x, Known) else choices.is_truth(b, x.term)
            if not is_bool:
                raise Unsupported("it takes numbers as truth values", "compare with > or <")
        return choices.negated(b, parts[0]) if sign == "not" else choices.joined(b, sign, *parts)

    return operation


def is_table(name: str, a: Arguments) -> bool:
    """Whether an operation takes rows of a matrix of parameters at constant places."""
    table, places = (a.get("weight"), [a.get("indices")]) if name == "embedding" else (a.get("self"), a.get("indices"))
    if name not in ("embedding", "index") or not isinstance(table, Known) or not isinstance(places, list):
        return False
    (first, *others), is_matrix = places, table.is_weight and table.array.ndim == 2
    return is_matrix and not others and isinstance(first, Known) and first.array.dtype != np.bool_


def _index(b: Builder, a: Arguments) -> Tensor:
    """Rows of a table that the input numbers, or entries along one axis at constant places."""
    given = [(axis, places) for axis, places in enumerate(a["indices"]) if places is not None]
    if len(given) != 1:
        raise Unsupported("it has places along several axes", "take entries along one axis")
    ((axis, places),) = given
    if is_table("index", a):
        return layers.embedding(b, a["self"], places)
    if isinstance(places, Tensor):
        if axis != 0 or not isinstance(a["self"], Known) or a["self"].array.ndim != 2 or choices.is_truth(b, places.term):
            raise Unsupported("its places depend on the input", "take rows of a matrix of parameters")
        return layers.embedding(b, a["self"], places)
    if places.array.dtype == np.bool_:
        raise Unsupported("its places are truth values", "use the numbers of the entries")
    x = tensors.tensor(b, a["self"])
    numbers = places.array.reshape(-1) % x.shape[axis]
    taken = tensors.take(b, x, axis, numbers)
    return tensors.reshape(b, taken, (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]))


def _nothing(b: Builder, a: Arguments) -> None:
    """An assertion about types."""
    del b, a


def _prelu(b: Builder, a: Arguments) -> Tensor:
    x, weight = tensors.tensor(b, a["self"]), a["weight"]
    if isinstance(weight, Known) and weight.array.size > 1:
        shape = (-1, *[1] * (len(x.shape) - 2))
        weight = weight.moved(lambda array: array.reshape(shape))
    return activations.bent(b, x, weight)


def _same(name: str = "self") -> Operation:
    return lambda b, a: a[name]


def _pad(b: Builder, a: Arguments) -> Tensor:
    x, pad = tensors.tensor(b, a["self"]), list(a["pad"])
    if a.get("mode", "constant") != "constant" or a.get("value") not in (None, 0):
        raise Unsupported("it pads with something else than zeros", "pad with zeros")
    return activations.zero_padded(b, x, {len(x.shape) - 1 - k: (pad[2 * k], pad[2 * k + 1]) for k in range(len(pad) // 2)})


def _ones(b: Builder, a: Arguments) -> Tensor:
    x = tensors.tensor(b, a["self"])
    term = b.call("fill", [Typed(Number(1.0), (1,))], x.typed.shape, x.typed.shape)
    return Tensor(term.term, x.shape, x.batch)


OPERATIONS: Mapping[str, Operation] = {
    "linear": torch_layers.linear,
    "conv1d": torch_layers.convolution,
    "conv2d": torch_layers.convolution,
    "conv3d": torch_layers.convolution,
    "max_pool1d": torch_layers.pool("max", 1),
    "max_pool2d": torch_layers.pool("max", 2),
    "avg_pool1d": torch_layers.pool("avg", 1),
    "avg_pool2d": torch_layers.pool("avg", 2),
    "adaptive_avg_pool1d": torch_layers.adaptive(1),
    "adaptive_avg_pool2d": torch_layers.adaptive(2),
    "batch_norm": torch_layers.batch_norm,
    "_native_batch_norm_legit_no_training": torch_layers.fixed_batch_norm,
    "layer_norm": torch_layers.layer_norm,
    "embedding": torch_layers.embedding,
    "scaled_dot_product_attention": torch_layers.attention,
    "dropout": torch_layers.dropout,
    "feature_dropout": torch_layers.dropout,
    "lstm": torch_layers.cells(recurrent.TORCH_LSTM),
    "gru": torch_layers.cells(recurrent.TORCH_GRU),
    "rnn_tanh": torch_layers.cells(recurrent.ELMAN),
    "rnn_relu": torch_layers.cells(recurrent.ELMAN, "relu"),
    "add": _sum("+"),
    "sub": _sum("-"),
    "mul": _binary("*"),
    "div": _binary("/"),
    "rsub": _reversed_difference,
    "maximum": _binary("maximum"),
    "minimum": _binary("minimum"),
    "pow": _power,
    "softmax": _row_by_row("softmax"),
    "log_softmax": _row_by_row("log_softmax"),
    "mean": _reduce("mean"),
    "sum": _reduce("sum"),
    "amax": _reduce("max"),
    "logsumexp": _reduce("logsumexp"),
    "flip": _flip,
    "where": _where,
    "gt": _compared(">"),
    "ge": _compared(">="),
    "lt": _compared("<"),
    "le": _compared("<="),
    **{f"{kind}_{sign}": _truths(sign) for kind in ("logical", "bitwise") for sign in ("and", "or", "not")},
    "__and__": _truths("and"),
    "__or__": _truths("or"),
    "index": _index,
    "round_off": lambda b, a: markers.whole(b, a["self"]),
    "_assert_tensor_metadata": _nothing,
    "masked_fill": _masked,
    "prelu": _prelu,
    "matmul": _matmul(),
    "mm": _matmul(second="mat2"),
    "bmm": _matmul(second="mat2"),
    "mv": _matmul(second="vec"),
    "addmm": _addmm,
    "flatten": _flatten,
    "unflatten": _unflatten,
    "view": _reshape("size"),
    "reshape": _reshape("shape"),
    "_unsafe_view": _reshape("size"),
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "transpose": _transpose,
    "t": _transpose,
    "numpy_T": _transpose,
    "permute": _permute,
    "slice": _slice,
    "select": _select,
    "split": _split,
    "split_with_sizes": _split,
    "chunk": _split,
    "unbind": _unbind,
    "cat": _concat,
    "concat": _concat,
    "stack": _stack,
    "expand": _expand,
    "index_select": _index_select,
    "pad": _pad,
    "constant_pad_nd": _pad,
    "ones_like": _ones,
    **{name: _same() for name in ("alias", "clone", "contiguous", "detach", "lift_fresh_copy", *CONVERSIONS)},
    **{name: _entrywise(name) for name in activations.ACTIVATIONS},
}
