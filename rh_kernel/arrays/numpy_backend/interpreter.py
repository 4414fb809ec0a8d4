"""The interpreter for programs that run only a few times: each equation by its function's NumPy kernel, in order.

Planning a program takes about ten times as long as interpreting it once.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rh_kernel.arrays.backend import Arrays, ContentArrays
from rh_kernel.arrays.program import (
    Alias,
    Loop,
    MeanOverBatch,
    Operator,
    OuterMean,
    Part,
    ProductMean,
    Program,
    Register,
    Smooth,
)
from rh_kernel.loops.ir import Integers, Precision
from rh_kernel.loops.trees import leaves, map_tree
from rh_kernel.primitives.smoothness import require_smooth
from rh_kernel.primitives.symbol import Kernel
from rh_kernel.primitives.table import kernel
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Primitive

NOTHING = np.empty(0)
"""The value of a register that is not assigned yet, or of a check."""


class Interpreter:
    """Interprets a program for a number of samples, and updates the memory."""

    def __init__(self, program: Program, memory: ContentArrays, precision: Precision, samples: int | None) -> None:
        self._program = program
        self._memory = memory
        self._samples = samples
        self._dtype: np.dtype[Any] = np.dtype(precision)
        self._inputs = [*leaves(program.inputs)]
        self._first: list[Array] = [NOTHING] * len(program.shapes)
        for r, array in program.constants:
            self._first[r] = np.asarray(array, self._dtype)
        # By identity: most equations that apply an operator share the same object.
        kernels: dict[int, Kernel] = {}
        self._calls: list[tuple[Kernel, tuple[Register, ...], Register]] = []
        for equation in program.equations:
            f = kernels.get(id(equation.operator))
            if f is None:
                f = kernels[id(equation.operator)] = _kernel(equation.operator, samples)
            self._calls.append((f, equation.arguments, equation.result))
        self._result: Arrays = ()

    def step(self, *inputs: Array) -> None:
        """Run once. Raises ``ValueError`` unless the inputs have the program's precision and shapes."""
        shapes = [self._program.extent(r, self._samples or 1) for r in self._inputs]
        if [x.shape for x in inputs] != shapes or any(x.dtype != self._dtype for x in inputs):
            raise ValueError(f"the inputs are not {self._dtype} arrays of the shapes {shapes}")
        self._run(inputs)

    def steps(self, inputs: Sequence[Array], rows: Integers) -> None:
        """Run once for each row of ``rows``, on those samples of the inputs. All inputs must be batched."""
        for row in rows:
            self._run([given[row] for given in inputs])

    def result(self) -> Arrays:
        """Return the result of the last run."""
        return self._result

    def _run(self, inputs: Sequence[Array]) -> None:
        program, memory = self._program, self._memory
        values = self._first.copy()
        for r, x in zip(self._inputs, inputs, strict=True):
            values[r] = x
        for r, location in program.reads:
            values[r] = memory[location]
        with np.errstate(all="ignore"):
            for f, arguments, r in self._calls:
                values[r] = f(*[values[a] for a in arguments])
        self._result = map_tree(program.result, lambda r: self._output(r, values[r]))
        # A new content may be a view of an old one that is about to be overwritten.
        new = [(location, values[r].copy()) for location, r in program.writes]
        for location, value in new:
            memory[location][...] = value

    def _output(self, r: Register, value: Array) -> Array:
        """Copy an array of the result; a value that is the same for all samples is repeated for each."""
        shape = self._program.shapes[r]
        whole = shape if self._samples is None else (self._samples, *shape)
        return np.array(np.broadcast_to(value, whole), order="C")


def _kernel(f: Operator, samples: int | None) -> Kernel:
    match f:
        case Primitive():
            return kernel(f, np)
        case Alias():
            return _alias
        case MeanOverBatch():
            return _mean
        case OuterMean():
            return _outer_mean
        case ProductMean():
            return _product_mean
        case Smooth(g, span, shown):
            return partial(_checked, g, span, shown)
        case Loop():
            return _Rounds(f, samples)
        case Part(number):
            return partial(_part, number)


class _Rounds:
    """The rounds of a loop; the value is an array of objects, with the results."""

    def __init__(self, f: Loop, samples: int | None) -> None:
        body = f.body
        self._rounds = range(f.rounds - 1, -1, -1) if f.backward else range(f.rounds)
        self._carried, self._rows = f.arity
        self._inputs, self._results = leaves(body.inputs), leaves(body.result)
        self._shapes = [body.extent(r, samples or 1) for r in (*self._inputs, *self._results)]
        self._batched = body.batched
        self._first: list[Any] = [NOTHING] * len(body.shapes)
        for r, array in body.constants:
            self._first[r] = array
        self._calls = [(_kernel(e.operator, samples), e.arguments, e.result) for e in body.equations]

    def __call__(self, *arguments: Array) -> Array:
        n, m = self._carried, self._carried + self._rows
        state = [np.broadcast_to(x, shape) for x, shape in zip(arguments[:n], self._shapes, strict=False)]
        values, inputs = self._first.copy(), self._inputs
        for r, x in zip(inputs[m:], arguments[m:], strict=True):
            values[r] = x
        stacked: dict[int, list[Array]] = {i: [] for i in range(n, len(self._results))}
        for k in self._rounds:
            for r, x in zip(inputs[:n], state, strict=True):
                values[r] = x
            for i, (r, x) in enumerate(zip(inputs[n:m], arguments[n:m], strict=True), start=n):
                values[r] = (x[:, k] if self._batched[r] else x[k]).reshape(self._shapes[i])
            for f, given, r in self._calls:
                values[r] = f(*[values[a] for a in given])
            state = [np.broadcast_to(values[r], shape) for r, shape in zip(self._results[:n], self._shapes, strict=False)]
            for i, rows in stacked.items():
                rows.append(values[self._results[i]])
        step = self._rounds.step
        wholes = [np.stack(rows[::step], 1 if self._batched[self._results[i]] else 0) for i, rows in stacked.items()]
        found = np.empty(len(self._results), object)
        found[:] = [*state, *wholes]
        return found


def _part(number: int, results: Array) -> Array:
    found: Array = results[number]
    return found


def _alias(x: Array) -> Array:
    return x


def _mean(x: Array) -> Array:
    return x.mean(axis=0)


def _outer_mean(y: Array, x: Array) -> Array:
    return y.T @ x / len(y)


def _product_mean(y: Array, x: Array) -> Array:
    return np.tensordot(y, x, ((0, 2), (0, 1))) / len(y)


def _checked(f: Primitive, span: Span | None, shown: str, *point: Array) -> Array:
    require_smooth(f, point, span, shown)
    return NOTHING
