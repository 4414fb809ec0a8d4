"""Array programs on NumPy: prepared once, as a list of (kernel, arguments, result), and run as often as one likes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from rh_kernel.arrays.kernels import operation
from rh_kernel.arrays.program import Program, Tree, leaves
from rh_kernel.arrays.storage import allocate
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

Arrays: TypeAlias = "Array | tuple[Arrays, ...]"
"""A value as arrays: nested tuples, as its type is nested products."""

Prepared: TypeAlias = "Callable[[Sequence[Arrays], Mapping[Location, Array]], tuple[Arrays, dict[Location, Array]]]"
"""``inputs, heap ↦ result, changed part of the heap``: batched inputs have an axis of samples in front, so has the result."""


def prepare(program: Program, dtype: "np.dtype[Any] | type[np.floating[Any]]" = np.float64) -> Prepared:
    """The program, ready to run on arrays of that dtype. It writes on nothing that it is given; what it returns is new.

    The function raises ``KeyError`` for a location that the heap does not hold, and ``MemoryError`` if an array cannot be had.
    """
    cells = allocate(program)
    start: list[Any] = [None] * cells.count
    for r, array in program.constants:
        start[cells.of[r]] = np.asarray(array, dtype=dtype)
    inputs = [[cells.of[r] for r in leaves(tree)] for tree in program.inputs]
    reads = [(cells.of[r], location) for r, location in program.reads]
    made = {equation.result for equation in program.equations}
    writes = [(cells.of[r], r in made, location) for location, r in program.writes]
    steps: list[tuple[Callable[..., Array], tuple[int, ...], int, int, int]] = []
    for equation in program.equations:
        at = tuple([cells.of[r] for r in equation.arguments])
        steps.append((operation(equation.operator, np), at, len(at), cells.of[equation.result], at[-1]))
    result = program.result
    sample = next((cells.of[r] for tree in program.inputs for r in leaves(tree) if program.batched[r]), None)

    def run(given: Sequence[Arrays], heap: Mapping[Location, Array]) -> tuple[Arrays, dict[Location, Array]]:
        t = start.copy()
        for into, value in zip(inputs, given, strict=True):
            if isinstance(value, tuple):
                for r, array in zip(into, flat(value), strict=True):
                    t[r] = array
            else:
                t[into[0]] = value
        for r, location in reads:
            t[r] = heap[location]
        samples = None if sample is None else len(t[sample])
        with np.errstate(all="ignore"):
            for f, at, n, r, last in steps:
                if n == 2:
                    t[r] = f(t[at[0]], t[last])
                elif n == 1:
                    t[r] = f(t[last])
                else:
                    t[r] = f(*[t[i] for i in at])
        return gathered(result, t, samples), {location: _own(t[r], new=new) for r, new, location in writes}

    def gathered(tree: Tree, t: list[Any], samples: int | None) -> Arrays:
        if isinstance(tree, tuple):
            return tuple([gathered(branch, t, samples) for branch in tree])
        array: Array = t[cells.of[tree]]
        if samples is not None and not program.batched[tree]:
            array = np.broadcast_to(array, (samples, *array.shape))
        return _own(array, new=tree in made)

    return run


def run(
    program: Program,
    inputs: Sequence[Arrays],
    heap: Mapping[Location, Array],
    dtype: "np.dtype[Any] | type[np.floating[Any]]" = np.float64,
) -> tuple[Arrays, dict[Location, Array]]:
    """Prepares the program and runs it once."""
    return prepare(program, dtype)(inputs, heap)


def flat(value: Arrays) -> list[Array]:
    """The arrays of a value from left to right."""
    if not isinstance(value, tuple):
        return [value]
    return [array for part in value for array in flat(part)]


def _own(array: Array, *, new: bool) -> Array:
    """The array itself if this run made it, else a copy: a view holds on to what it looks at, and others may write there."""
    return array if new and array.flags.owndata and array.flags.writeable else array.copy()
