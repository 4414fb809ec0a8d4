"""The primitives of JAX that are read."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from rh_kernel.interchange.sources import activations, choices, layers, markers, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.jax.equations import Equation, Operation, Slot, operand
from rh_kernel.interchange.sources.jax.gather import gather
from rh_kernel.interchange.sources.shapes import without

CONVERSIONS = ("convert_element_type", "reduce_precision")
"""Primitives that may change the type of entries."""

KEPT = frozenset(
    {
        *CONVERSIONS, "copy", "dynamic_slice", "expand_dims", "gather", "reshape", "rev", "slice", "split", "squeeze",
        "transpose",
    }
)  # fmt: skip
"""Primitives that only move the entries of a parameter, or take some of them."""

REFUSED: Mapping[str, tuple[str, str]] = {
    "erfc": ("the language has no error function", "use gelu with approximate=True"),
    "erf": ("the language has no error function", "use gelu with approximate=True"),
    "argmax": ("a place has no derivative", "compare with same_argmax in the program"),
    "while": ("it has a function of its own", "write the loop in the program: repeat"),
    "cond": ("it has functions of its own", "write the choice in the program: if"),
}


def _x(b: Builder, xs: Sequence[Slot]) -> Tensor:
    return tensors.tensor(b, operand(xs[0]))


def _entrywise(name: str) -> Operation:
    return lambda b, e, xs: activations.apply(b, name, _x(b, xs), {})


def _binary(sign: str) -> Operation:
    return lambda b, e, xs: tensors.binary(b, sign, operand(xs[0]), operand(xs[1]))


def _add(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
    return layers.add(b, operand(xs[0]), operand(xs[1]))


def _extreme(function: str, neutral: float) -> Operation:
    def operation(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
        x, y = operand(xs[0]), operand(xs[1])
        for a, c in ((x, y), (y, x)):
            if isinstance(c, Known) and np.all(c.array == neutral):
                return a
            if function == "maximum" and isinstance(c, Known) and not np.any(c.array):
                return tensors.entrywise(b, "relu", a)
        return tensors.binary(b, function, x, y)

    return operation


def _round(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    if e.params["rounding_method"].name != "TO_NEAREST_EVEN":
        raise Unsupported("it rounds halves away from 0", "use jnp.round")
    return activations.apply(b, "round", _x(b, xs), {})


def _stop_gradient(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
    return markers.marked(b, markers.STOPPED, _x(b, xs))


def _power(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    return activations.power(b, _x(b, xs), e.params["y"] if "y" in e.params else xs[1])


def _plus_one(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
    return tensors.entrywise(b, "log", tensors.binary(b, "+", _one(), operand(xs[0])))


def _minus_one(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
    return tensors.binary(b, "-", tensors.entrywise(b, "exp", operand(xs[0])), _one())


def _one() -> Known:
    return Known(np.array(1.0), "number", is_learned=False)


def _softplus(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
    return tensors.entrywise(b, "softplus", operand(xs[0]))


def _compared(sign: str) -> Operation:
    """A comparison; where it has no counterpart, nothing but a choice needs it."""

    def operation(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
        if xs[0] is None or xs[1] is None:
            return None
        try:
            return choices.compared(b, sign, xs[0], xs[1])
        except Unsupported:
            return None

    return operation


def _truths(sign: str) -> Operation:
    def operation(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
        if e.arguments[0].aval.dtype != np.bool_:
            raise Unsupported("it computes with the bits of numbers", "compute with real numbers")
        if sign == "not":
            return choices.negated(b, operand(xs[0]))
        return choices.joined(b, sign, operand(xs[0]), operand(xs[1]))

    return operation


def _unknown(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    """Whether values are equal: nothing but a choice needs it."""
    del b, e, xs
    return None


def _select(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    if len(xs) != 3 or e.arguments[0].aval.dtype != np.bool_:
        raise Unsupported("it chooses between more than two", "choose between two by a comparison")
    return choices.chosen(b, operand(xs[0]), operand(xs[2]), operand(xs[1]))


def _clamp(b: Builder, _: Equation, xs: Sequence[Slot]) -> Slot:
    low, x, high = (operand(y) for y in xs)
    return tensors.binary(b, "minimum", tensors.binary(b, "maximum", x, low), high)


def _converted(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    if xs[0] is None:
        return None
    before, after = e.arguments[0].aval.dtype, e.params["new_dtype"]
    if after == np.bool_ and before != np.bool_:
        raise Unsupported("it makes truth values of numbers", "compare with > or <")
    is_rounded = np.issubdtype(before, np.floating) and not np.issubdtype(after, np.floating)
    return markers.whole(b, xs[0]) if is_rounded else xs[0]


def _reduce(how: str) -> Operation:
    def operation(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
        return tensors.reduce(b, how, _x(b, xs), sorted(e.params["axes"]), keeps=False)

    return operation


def _reduce_min(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    negated = tensors.entrywise(b, "neg", operand(xs[0]))
    return tensors.entrywise(b, "neg", tensors.reduce(b, "max", negated, sorted(e.params["axes"]), keeps=False))


def _broadcast(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    """Return x with the axes of the result, those that are copied with the length 1: what needs copies makes them."""
    if xs[0] is None:
        return None
    x, places = operand(xs[0]), e.params["broadcast_dimensions"]
    shape = [1] * len(e.shape)
    for axis, place in enumerate(places):
        shape[place] = x.shape[axis]
    if isinstance(x, Known):
        return x.moved(lambda array: array.reshape(shape))
    if x.batch is None:
        return Tensor(b.reshape(x.typed, tuple(shape) or (1,)).term, tuple(shape), None)
    batch = places[x.batch]
    return Tensor(b.reshape(x.typed, without(tuple(shape), batch)).term, tuple(shape), batch)


def _reshape(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    return tensors.reshape(b, _x(b, xs), e.params["new_sizes"])


def _squeeze(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    return tensors.squeeze(b, _x(b, xs), e.params["dimensions"])


def _transpose(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    return tensors.permute(b, _x(b, xs), e.params["permutation"])


def _slice(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    x, p = _x(b, xs), e.params
    steps = p["strides"] or [1] * len(x.shape)
    for axis, (low, high, step) in enumerate(zip(p["start_indices"], p["limit_indices"], steps, strict=True)):
        x = tensors.cut(b, x, axis, low, high, step)
    return x


def _concat(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    return tensors.concat(b, [operand(x) for x in xs], e.params["dimension"])


def _split(b: Builder, e: Equation, xs: Sequence[Slot]) -> list[Slot]:
    return list(tensors.pieces(b, _x(b, xs), e.params["axis"], e.params["sizes"]))


def _reverse(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    x = _x(b, xs)
    for axis in e.params["dimensions"]:
        x = tensors.take(b, x, axis, np.arange(x.shape[axis])[::-1].copy())
    return x


def _pad(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    config, value = e.params["padding_config"], xs[1]
    if any(inside for _, _, inside in config) or not isinstance(value, Known) or np.any(value.array):
        raise Unsupported("it pads with something else than zeros around", "pad with zeros")
    return activations.zero_padded(b, _x(b, xs), {axis: (low, high) for axis, (low, high, _) in enumerate(config)})


def _dot(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    (over_x, over_y), (batch_x, batch_y) = e.params["dimension_numbers"]
    x, y = operand(xs[0]), operand(xs[1])
    if len(over_x) == 1 and not batch_x:
        if isinstance(y, Known) and y.is_weight and y.array.ndim == 2 and isinstance(x, Tensor):
            return _layer(b, x, over_x[0], y, over_y[0])
        if isinstance(x, Known) and x.is_weight and x.array.ndim == 2 and isinstance(y, Tensor):
            done = _layer(b, y, over_y[0], x, over_x[0])
            rank = len(done.shape)
            return tensors.permute(b, done, (rank - 1, *range(rank - 1)))
    left, free_x = _stacked(b, x, batch_x, over_x, last=True)
    right, free_y = _stacked(b, y, batch_y, over_y, last=False)
    front = tuple([x.shape[axis] for axis in batch_x])
    return tensors.reshape(b, tensors.matmul(b, left, right), (*front, *free_x, *free_y))


def _layer(b: Builder, x: Tensor, over_x: int, w: Known, over_w: int) -> Tensor:
    order = [axis for axis in range(len(x.shape)) if axis != over_x]
    moved = x if over_x == len(order) else tensors.permute(b, x, (*order, over_x))
    matrix = w if over_w == 1 else w.moved(lambda array: np.ascontiguousarray(array.T))
    return layers.linear(b, moved, matrix, None)


def _stacked(
    b: Builder, x: Operand, batch: Sequence[int], over: Sequence[int], *, last: bool
) -> tuple[Tensor, tuple[int, ...]]:
    """Return x as a stack of matrices, whose columns, or rows, are summed over, and the shape of the free axes."""
    free = [axis for axis in range(len(x.shape)) if axis not in (*batch, *over)]
    sizes = tuple([x.shape[axis] for axis in free])
    order = (*batch, *free, *over) if last else (*batch, *over, *free)
    front = tuple([x.shape[axis] for axis in batch])
    rows, columns = prod(sizes), prod([x.shape[axis] for axis in over])
    moved = tensors.permute(b, tensors.tensor(b, x), order)
    return tensors.reshape(b, moved, (*front, *((rows, columns) if last else (columns, rows)))), sizes


def _convolution(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    x, w, p = _x(b, xs), xs[1], e.params
    if not isinstance(w, Known):
        raise Unsupported("its filters are computed from the input", "use filters that are parameters")
    axes = p["dimension_numbers"]
    if p["batch_group_count"] != 1 or any(n != 1 for n in p["lhs_dilation"]):
        raise Unsupported("it is a transposed convolution", "repeat entries, and convolve")
    sizes = layers.ConvSizes(p["window_strides"], p["padding"], p["rhs_dilation"], p["feature_group_count"])
    kernel = w.moved(lambda array: np.ascontiguousarray(array.transpose(axes.rhs_spec)))
    done = layers.convolution(b, tensors.permute(b, x, axes.lhs_spec), kernel, None, sizes)
    return tensors.permute(b, done, np.argsort(axes.out_spec).tolist())


def _pool(how: str) -> Operation:
    def operation(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
        x, p = _x(b, xs), e.params
        windows = p["window_dimensions"]
        over = [axis for axis, n in enumerate(windows) if n > 1]
        if any(n != 1 for n in p["base_dilation"]) or not over:
            raise Unsupported("it spreads its input", "use no dilation")
        others = [axis for axis in range(len(windows)) if axis not in over and axis != x.batch]
        front = [axis for axis in range(len(windows)) if axis == x.batch]
        order = [*front, *others, *over]
        channels = prod([x.shape[axis] for axis in others])
        moved = tensors.permute(b, x, order)
        flat = tensors.reshape(b, moved, (*[1 for _ in front], channels, *[x.shape[axis] for axis in over]))
        sizes = layers.PoolSizes(
            [windows[a] for a in over],
            [p["window_strides"][a] for a in over],
            [p["padding"][a] for a in over],
            [p["window_dilation"][a] for a in over],
        )
        done = layers.pool(b, "max" if how == "max" else "avg", flat, sizes)
        if how == "sum":
            count = Known(np.array(float(prod(sizes.windows))), "number", is_learned=False)
            done = tensors.binary(b, "*", count, done)
        after = tensors.reshape(
            b, done, [moved.shape[k] if a not in over else moved.shape[k] // windows[a] for k, a in enumerate(order)]
        )
        return tensors.permute(b, after, [order.index(a) for a in range(len(order))])

    return operation


def _same(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    del b, e
    return xs[0]


OPERATIONS: Mapping[str, tuple[Operation, bool]] = {
    **{
        name: (_entrywise(name), True)
        for name in ("abs", "cos", "exp", "exp2", "log", "neg", "rsqrt", "sign", "sin", "sqrt", "square", "tanh")
    },
    "round": (_round, True),
    "logistic": (_entrywise("sigmoid"), True),
    "add": (_add, True),
    "add_any": (_add, True),
    "sub": (_binary("-"), True),
    "mul": (_binary("*"), True),
    "div": (_binary("/"), True),
    "max": (_extreme("maximum", float("-inf")), True),
    "min": (_extreme("minimum", float("inf")), True),
    "integer_pow": (_power, True),
    "pow": (_power, True),
    "log1p": (_plus_one, True),
    "expm1": (_minus_one, True),
    "logaddexp": (_softplus, True),
    "stop_gradient": (_stop_gradient, True),
    "convert_element_type": (_converted, True),
    "copy": (_same, True),
    "copy_p": (_same, True),
    "broadcast_in_dim": (_broadcast, True),
    "clamp": (_clamp, True),
    "select_n": (_select, True),
    **{name: (_compared(sign), True) for name, sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))},
    **{name: (_truths(name), True) for name in ("and", "or", "not")},
    **dict.fromkeys(("eq", "ne"), (_unknown, True)),
    "reduce_sum": (_reduce("sum"), False),
    "reduce_max": (_reduce("max"), False),
    "reduce_min": (_reduce_min, False),
    "reshape": (_reshape, False),
    "squeeze": (_squeeze, False),
    "transpose": (_transpose, False),
    "slice": (_slice, False),
    "split": (_split, False),
    "concatenate": (_concat, False),
    "rev": (_reverse, False),
    "pad": (_pad, False),
    "dot_general": (_dot, False),
    "gather": (gather, False),
    "conv_general_dilated": (_convolution, False),
    "reduce_window_max": (_pool("max"), False),
    "reduce_window_sum": (_pool("sum"), False),
}
"""The primitives, and whether each takes operands that are to be broadcast as they are."""
