"""Plans entry by entry, as their definition says: what every back end is compared with."""

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np

from rh_kernel.arrays.backend import Arrays
from rh_kernel.arrays.plan import (
    Call,
    Check,
    Content,
    Contract,
    Fold,
    Gather,
    Input,
    Instruction,
    Integers,
    Kept,
    Leaf,
    Map,
    Number,
    Plan,
    Reduce,
    Scalar,
    Scratch,
    View,
)
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location


def places(view: View) -> Integers:
    """The entry of the buffer at each index of a view."""
    at = np.full(view.shape, view.offset, dtype=np.intp)
    for axis, stride in enumerate(view.strides):
        along = [1] * len(view.shape)
        along[axis] = view.shape[axis]
        at = at + stride * np.arange(view.shape[axis]).reshape(along)
    return at


def interpret(plan: Plan, contents: Mapping[Location, Array], inputs: Sequence[Array]) -> tuple[Arrays, dict[Location, Array]]:
    """The result of one run, and what the locations hold after it."""
    scratch = np.zeros(plan.scratch, plan.precision)
    heap = {location: np.array(array, plan.precision).reshape(-1) for location, array in contents.items()}
    buffers: list[Array] = []
    for buffer in plan.buffers:
        match buffer:
            case Input(position):
                buffers.append(inputs[position].reshape(-1))
            case Content(location):
                buffers.append(heap[location])
            case Kept(array):
                buffers.append(np.array(array, plan.precision).reshape(-1))
            case Scratch(start, size):
                buffers.append(scratch[start : start + size])
    with np.errstate(all="ignore"):
        for step in plan.steps:
            match step:
                case Map():
                    _map(step, buffers)
                case Reduce():
                    _reduce(step, buffers)
                case Contract():
                    _contract(step, buffers)
                case Gather(output, argument, table):
                    rows = buffers[argument.buffer][places(argument)]
                    terms = np.where(table >= 0, rows[..., np.maximum(table, 0)], 0)
                    buffers[output.buffer][places(output)] = terms.sum(axis=-1)
                case Call() | Check():
                    raise NotImplementedError
    result = _result(plan.result, buffers)
    return result, {location: heap[location].reshape(np.shape(array)) for location, array in contents.items()}


def _result(leaf: Leaf, buffers: list[Array]) -> Arrays:
    if isinstance(leaf, View):
        return buffers[leaf.buffer][places(leaf)]
    return tuple([_result(part, buffers) for part in leaf])


def _map(step: Map, buffers: list[Array]) -> None:
    values: list[Array] = [buffers[view.buffer][places(view)] for view in step.arguments]
    dtype = buffers[step.stores[0].view.buffer].dtype
    for entry in step.body:
        match entry:
            case Number(value):
                values.append(np.full(step.shape, value, dtype))
            case Instruction(function, arguments):
                values.append(NUMPY[function](*[values[i] for i in arguments]).astype(dtype))
    for store in step.stores:
        buffer = buffers[store.view.buffer]
        if store.accumulate:
            np.add.at(buffer, places(store.view), values[store.value])
        else:
            buffer[places(store.view)] = values[store.value]


def _reduce(step: Reduce, buffers: list[Array]) -> None:
    argument = buffers[step.argument.buffer][places(step.argument)]
    flat = argument.reshape(*step.output.shape, prod(argument.shape[len(step.output.shape) :]))
    match step.fold:
        case Fold.SUM:
            value = flat.sum(axis=-1)
        case Fold.MAX:
            value = flat.max(axis=-1)
        case Fold.ARGMAX:
            value = flat.argmax(axis=-1)
    buffers[step.output.buffer][places(step.output)] = (step.scale * value).astype(argument.dtype)


def _contract(step: Contract, buffers: list[Array]) -> None:
    output = buffers[step.output.buffer]
    terms = buffers[step.left.buffer][places(step.left)] * buffers[step.right.buffer][places(step.right)]
    if not step.accumulate:
        output[places(step.output)] = 0
    np.add.at(output, places(step.output), (step.scale * terms).astype(output.dtype))


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _softplus(x: Array) -> Array:
    return np.logaddexp(np.zeros_like(x), x)


def _step(x: Array) -> Array:
    return np.where(x > 0, 1, 0)


def _finite(x: Array) -> Array:
    return np.where(np.isfinite(x), x, 0)


def _equal(x: Array, y: Array) -> Array:
    return np.where((x == y) | np.isnan(x), 1, 0)


NUMPY: dict[Scalar, Callable[..., Array]] = {
    Scalar.NEG: np.negative,
    Scalar.EXP: np.exp,
    Scalar.LOG: np.log,
    Scalar.SQRT: np.sqrt,
    Scalar.SIN: np.sin,
    Scalar.COS: np.cos,
    Scalar.TANH: np.tanh,
    Scalar.ABS: np.abs,
    Scalar.SIGN: np.sign,
    Scalar.RINT: np.rint,
    Scalar.SIGMOID: _sigmoid,
    Scalar.SOFTPLUS: _softplus,
    Scalar.STEP: _step,
    Scalar.FINITE: _finite,
    Scalar.ADD: np.add,
    Scalar.SUB: np.subtract,
    Scalar.MUL: np.multiply,
    Scalar.DIV: np.divide,
    Scalar.MAX: np.maximum,
    Scalar.MIN: np.minimum,
    Scalar.EQUAL: _equal,
}
"""The functions, by NumPy."""
