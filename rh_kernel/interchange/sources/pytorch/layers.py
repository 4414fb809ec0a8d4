"""Layers of PyTorch."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.interchange.sources import layers, recurrent, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped

Arguments: TypeAlias = Mapping[str, Untyped]
Operation: TypeAlias = Callable[[Builder, Arguments], Untyped]


def linear(b: Builder, a: Arguments) -> Tensor:
    """``linear``: a layer, or a product if the weights depend on the input."""
    if isinstance(a["weight"], Known) and not isinstance(a["bias"], Tensor):
        return layers.linear(b, a["input"], a["weight"], a["bias"])
    weight = tensors.tensor(b, a["weight"])
    done = tensors.matmul(b, a["input"], tensors.permute(b, weight, (1, 0)))
    return done if a["bias"] is None else tensors.binary(b, "+", done, a["bias"])


def _pairs(padding: Untyped, axes: int) -> list[tuple[int, int]]:
    return [(n, n) for n in _each(padding, axes)]


def _each(numbers: Untyped, axes: int) -> list[int]:
    found = [numbers] if isinstance(numbers, int) else list(numbers)
    return found * axes if len(found) == 1 else found


def convolution(b: Builder, a: Arguments) -> Tensor:
    """``conv1d`` and ``conv2d``."""
    weight = a["weight"]
    if not isinstance(weight, Known) or isinstance(a["bias"], Tensor):
        raise Unsupported("its filters are computed from the input", "use filters that are parameters")
    axes = weight.array.ndim - 2
    strides, dilations = _each(a["stride"], axes), _each(a["dilation"], axes)
    if isinstance(a["padding"], str):
        total = [d * (k - 1) for d, k in zip(dilations, weight.shape[2:], strict=True)]
        padding = [(0, 0)] * axes if a["padding"] == "valid" else [(n // 2, n - n // 2) for n in total]
    else:
        padding = _pairs(a["padding"], axes)
    return layers.convolution(b, a["input"], weight, a["bias"], layers.ConvSizes(strides, padding, dilations, a["groups"]))


def pool(how: str, axes: int) -> Operation:
    """``max_pool`` and ``avg_pool`` along so many axes."""

    def pool(b: Builder, a: Arguments) -> Tensor:
        windows = _each(a["kernel_size"], axes)
        strides = _each(a["stride"], axes) if a["stride"] else windows
        dilations = _each(a.get("dilation", 1), axes)
        if a.get("divisor_override") is not None:
            raise Unsupported("it has a divisor of its own", "multiply the mean by a number")
        sizes = layers.PoolSizes(windows, strides, _pairs(a["padding"], axes), dilations, ceils=bool(a["ceil_mode"]))
        return layers.pool(b, how, tensors.tensor(b, next(iter(a.values()))), sizes)

    return pool


def adaptive(axes: int) -> Operation:
    """``adaptive_avg_pool`` along so many axes."""

    def pool(b: Builder, a: Arguments) -> Tensor:
        x = tensors.tensor(b, a["self"])
        given: list[int | None] = list(_each(a["output_size"], axes))
        sizes = [x.shape[k - axes] if n is None else n for k, n in enumerate(given)]
        return layers.adaptive_average(b, x, sizes)

    return pool


def batch_norm(b: Builder, a: Arguments) -> Tensor:
    """``batch_norm`` with fixed statistics."""
    if a.get("training") or a["running_mean"] is None:
        raise Unsupported("it takes the statistics of the batch", "call module.eval() first, with running statistics")
    x = tensors.tensor(b, a["input"])
    return layers.batch_norm(b, x, a["weight"], a["bias"], a["running_mean"], a["running_var"], a["eps"])


def fixed_batch_norm(b: Builder, a: Arguments) -> list[Operand | None]:
    """The same in a rewritten program, which has the statistics among its results."""
    return [batch_norm(b, a), None, None]


def layer_norm(b: Builder, a: Arguments) -> Tensor:
    """``layer_norm``."""
    x = tensors.tensor(b, a["input"])
    return layers.layer_norm(b, x, len(a["normalized_shape"]), a["weight"], a["bias"], a["eps"])


def embedding(b: Builder, a: Arguments) -> Tensor:
    """``embedding``."""
    if not isinstance(a["weight"], Known):
        raise Unsupported("its table is computed from the input", "use a table that is a parameter")
    return layers.embedding(b, a["weight"], a["indices"])


def attention(b: Builder, a: Arguments) -> Tensor:
    """``scaled_dot_product_attention``."""
    if a["dropout_p"]:
        raise Unsupported("it drops some of the weights", "call module.eval() first")
    if a.get("enable_gqa"):
        raise Unsupported("its heads share keys", "give all heads keys of their own")
    q, k, v = (tensors.tensor(b, a[name]) for name in ("query", "key", "value"))
    return layers.attention(b, q, k, v, a["attn_mask"], a["scale"], is_causal=bool(a["is_causal"]))


def dropout(b: Builder, a: Arguments) -> Operand:
    """``dropout`` in evaluation: the identity."""
    if a["train"] and a["p"]:
        raise Unsupported("it drops entries", "call module.eval() first")
    return a["input"]


def cells(gates: recurrent.Gates, activation: str = "tanh") -> Operation:
    """``lstm``, ``gru`` and ``rnn``: layers one behind the other."""

    def layer(b: Builder, a: Arguments) -> list[Operand]:
        if a["bidirectional"]:
            raise Unsupported("it goes in both directions", "use one direction")
        if a["train"] and a["dropout"] and a["num_layers"] > 1:
            raise Unsupported("it drops entries", "call module.eval() first")
        x = tensors.tensor(b, a["input"])
        time_axis = 1 if a["batch_first"] and len(x.shape) == 3 else 0
        rows, batch = recurrent.sequence(b, x, time_axis), None if len(x.shape) == 2 else 1 - time_axis
        start = a["hx"] if isinstance(a["hx"], list) else [a["hx"]]
        weights, count = list(a["params"]), 4 if a["has_biases"] else 2
        if len(weights) != count * a["num_layers"]:
            raise Unsupported("it projects its state", "use proj_size=0")
        finals: list[tuple[Typed, ...]] = []
        for number in range(a["num_layers"]):
            w, u, *biases = weights[count * number : count * (number + 1)]
            w_bias, u_bias = biases or (None, None)
            cell = recurrent.Cell(gates, w, u, w_bias, u_bias, activation)
            initial = [_at(b, state, number) for state in start]
            rows, last = recurrent.recurrent(b, rows, cell, initial)
            finals.append(last)
        shape = (*rows.shape[:1], rows.shape[1]) if batch is None else _with_axis(rows.shape, batch)
        states = [recurrent.stacked(b, states, None if batch is None else 1) for states in zip(*finals, strict=True)]
        return [Tensor(rows.term, shape, batch), *states]

    return layer


def _with_axis(shape: tuple[int, ...], batch: int) -> tuple[int, ...]:
    return (*shape[:batch], 1, *shape[batch:])


def _at(b: Builder, state: Operand, number: int) -> Operand:
    """Return the initial state of one layer."""
    if isinstance(state, Known):
        return replace(state.moved(lambda array: array[number]), name=f"{state.name}.{number}")
    return tensors.select(b, state, 0, number)
