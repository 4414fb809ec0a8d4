"""The example of a model: one sample, whose axis of length 1 is left out in the program."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.interchange.errors import BadModel, NoSampleAxis
from rh_kernel.interchange.model import Input, Numbers, Output
from rh_kernel.interchange.sources.builder import Builder, Operand, Tensor
from rh_kernel.interchange.sources.shapes import show, without
from rh_kernel.source.diagnostic import Rejected

MOST_ENTRIES = 1e8
"""The most numbers of an example that is drawn."""
FLOAT64_TOLERANCE = 1e-9
_TOLERANCES = {2: 5e-2, 4: 1e-4}
"""By the bytes of a number."""


def inputs(b: Builder, arrays: Sequence[tuple[str, Numbers]], *, batch: bool) -> tuple[list[Input], list[Tensor]]:
    """Return the inputs of a model and their tensors. Raises ``Rejected`` unless the first axis of each has the length 1."""
    found: list[Input] = []
    tensors: list[Tensor] = []
    for name, array in arrays:
        shape = tuple(array.shape)
        if array.size == 0:
            raise Rejected(NoSampleAxis(why=f"the example of `{name}` has no entries", found=show(shape)))
        if array.dtype.kind not in "fiub" or not np.all(np.isfinite(array)):
            raise Rejected(BadModel(name=name, why="the example is not made of finite real numbers", found=str(array.dtype)))
        if batch and shape[:1] != (1,):
            why = f"the first axis of the example of `{name}` is not one of one sample"
            raise Rejected(NoSampleAxis(why=why, found=f"the shape {show(shape)}", expected="a shape (1, …)"))
        axis = 0 if batch else None
        there = without(shape, axis)
        value = b.variable(there)
        found.append(Input(name, value, there, real(array).reshape(there)))
        tensors.append(Tensor(value, shape, axis))
    return found, tensors


def outputs(b: Builder, operands: Sequence[Operand], expected: Sequence[Numbers], *, batch: bool) -> tuple[Output, ...]:
    """Return the results of a model for one sample. Raises ``Rejected`` if one has lost the axis of samples."""
    if not operands or len(operands) != len(expected):
        raise Rejected(BadModel(name="results", why="it gives no arrays, or other things than arrays"))
    found: list[Output] = []
    for k, (x, array) in enumerate(zip(operands, expected, strict=True), start=1):
        axis = x.batch if isinstance(x, Tensor) else None
        if batch and axis is None and x.shape[:1] == (1,) and len(x.shape) > 1:
            axis = 0
        term = b.typed(x)
        shape = without(tuple(x.shape), axis)
        if array.shape != tuple(x.shape):
            raise Rejected(BadModel(name=f"result {k}", why=f"its shape is {show(array.shape)}, not {show(tuple(x.shape))}"))
        if not np.all(np.isfinite(array)):
            why = f"result {k} for the example is not finite"
            raise Rejected(BadModel(name=f"result {k}", why=why, hint="give another example"))
        found.append(Output(b.reshape(term, shape).term, shape, real(array).reshape(shape)))
    return tuple(found)


def real(array: Numbers) -> Numbers:
    """Return an array of real numbers, in its precision if it has one of 32 or 64 bits."""
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def tolerance(dtypes: Sequence[np.dtype[np.generic]]) -> float:
    """Return how far results may differ, by the lowest precision of the model."""
    sizes = [dtype.itemsize for dtype in dtypes if np.issubdtype(dtype, np.floating)]
    return _TOLERANCES.get(min(sizes, default=8), FLOAT64_TOLERANCE)
