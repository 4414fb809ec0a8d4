"""Array programs on NumPy: a program is prepared once, as a list of (kernel, arguments, result), and run as often as one likes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from rh_kernel.arrays.program import (
    Alias,
    MeanOverBatch,
    Operator,
    OuterMean,
    ProductMean,
    Program,
    Tree,
    leaves,
)
from rh_kernel.primitives.table import kernel
from rh_kernel.syntax.core import Array, Location, Primitive

Arrays: TypeAlias = "Array | tuple[Arrays, ...]"
"""A value as arrays: nested tuples, as its type is nested products."""

Prepared: TypeAlias = "Callable[[Sequence[Arrays], Mapping[Location, Array]], tuple[Arrays, dict[Location, Array]]]"
"""``inputs, heap ↦ result, changed part of the heap``. Batched inputs have the axis of samples in front, results likewise."""


def prepare(program: Program, dtype: "np.dtype[Any] | type[np.floating[Any]]" = np.float64) -> Prepared:
    """The program, ready to run. The heap that is given is not written on; what comes back is the locations that changed."""
    registers: list[Any] = [None] * len(program.shapes)
    for r, array in program.constants:
        registers[r] = np.asarray(array, dtype=dtype)
    slots = [tree if isinstance(tree, int) else tuple(leaves(tree)) for tree in program.inputs]
    reads = program.reads
    writes = program.writes
    code = [(operation(e.operator), e.arguments, e.result) for e in program.equations]
    steps = [(f, a[0], a[1] if len(a) > 1 else -1, r) for f, a, r in code]
    result = program.result
    first = next((r for tree in program.inputs for r in leaves(tree) if program.batched[r]), None)
    spread = {r for r in leaves(result) if not program.batched[r]} if first is not None else set[int]()

    def run(inputs: Sequence[Arrays], heap: Mapping[Location, Array]) -> tuple[Arrays, dict[Location, Array]]:
        t = registers.copy()
        for slot, value in zip(slots, inputs, strict=True):
            if isinstance(slot, int):
                t[slot] = value
            else:
                for r, array in zip(slot, flat(value), strict=True):
                    t[r] = array
        for r, location in reads:
            t[r] = heap[location]
        with np.errstate(all="ignore"):
            for f, x, y, r in steps:
                t[r] = f(t[x]) if y < 0 else f(t[x], t[y])
        for r in spread:
            t[r] = np.broadcast_to(t[r], (len(t[first or 0]), *t[r].shape))
        return _gathered(result, t), {location: t[r] for location, r in writes}

    return run


def operation(f: Operator) -> Callable[..., Array]:
    """The array function of an operator, on batches."""
    match f:
        case Primitive():
            return kernel(f, np)
        case Alias():
            return lambda x: x
        case MeanOverBatch():
            return lambda x: np.add.reduce(x) / len(x)
        case OuterMean():
            return lambda y, x: np.matmul(y.T, x) / len(y)
        case ProductMean():
            return _product_mean


def _product_mean(y: Array, x: Array) -> Array:
    return np.tensordot(y, x, axes=((0, 2), (0, 1))) / len(y)


def run(program: Program, inputs: Sequence[Arrays], heap: Mapping[Location, Array]) -> tuple[Arrays, dict[Location, Array]]:
    """Prepares and runs the program once."""
    return prepare(program)(inputs, heap)


def flat(value: Arrays) -> list[Array]:
    """The arrays of a value from left to right."""
    if not isinstance(value, tuple):
        return [value]
    return [array for part in value for array in flat(part)]


def _gathered(tree: Tree, t: list[Any]) -> Arrays:
    return tuple([_gathered(branch, t) for branch in tree]) if isinstance(tree, tuple) else t[tree]
