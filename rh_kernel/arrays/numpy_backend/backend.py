"""The NumPy back end: a run is a list of calls that were prepared before the first run."""

from collections.abc import Mapping, Sequence
from contextvars import copy_context
from functools import partial
from itertools import chain
from typing import cast

import numpy as np

from rh_kernel.arrays.arena import contents_of
from rh_kernel.arrays.backend import Arrays as Values
from rh_kernel.arrays.backend import ContentArrays, Memory
from rh_kernel.arrays.numpy_backend.arrays import Arrays
from rh_kernel.arrays.numpy_backend.joint_updates import SMALL, product_alone, rows
from rh_kernel.arrays.numpy_backend.loops import calls, scratch_size
from rh_kernel.arrays.planning.dependence import writes
from rh_kernel.loops.ir import Content, Contract, Input, Integers, Kept, Plan, Precision, Row, Scratch
from rh_kernel.loops.scalars import Action
from rh_kernel.loops.trees import map_tree
from rh_kernel.source.interruptible import LARGE, interruptible, when_large
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location


class NumPy:
    """The back end that needs nothing but NumPy."""

    prefers_gemm = True
    is_device = False

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Return a memory with copies of the contents; small ones are adjacent."""
        return contents_of(heap, precision, SMALL)

    def runner(self, plan: Plan, memory: ContentArrays) -> "NumPyRunner":
        """Prepare the plan to run on that memory, which it updates in place."""
        return NumPyRunner(plan, memory)


class NumPyRunner:
    """A plan with its arrays. Inputs are copied into arrays of its own."""

    def __init__(self, plan: Plan, memory: ContentArrays) -> None:
        self._dtype = dtype = np.dtype(plan.precision)
        scratch = np.empty(plan.scratch, dtype)
        self._inputs = tuple([(np.empty(shape, dtype), shape) for shape in plan.inputs])
        buffers: list[tuple[Array, int]] = []
        for buffer in plan.buffers:
            match buffer:
                case Input(position):
                    buffers.append((self._inputs[position][0], 0))
                case Content(location):
                    buffers.append((memory[location], 0))
                case Kept(array):
                    buffers.append((np.array(array, dtype), 0))
                case Scratch(start):
                    buffers.append((scratch, start))
                case Row(size):
                    buffers.append((np.empty(size, dtype), 0))
        arrays = Arrays(buffers, dtype)
        steps = list(plan.steps)
        together: dict[int, list[Array]] = {}
        sums: dict[int, list[Action]] = {}
        for row, w in rows(plan, memory):
            buffers.append((np.empty(w.size, dtype), 0))
            start = 0
            for update in row:
                steps[update.step] = product_alone(cast(Contract, steps[update.step]), len(buffers) - 1, start)
                start += update.size
            last, g = max([update.step for update in row]), buffers[-1][0]
            together[last], sums[last] = [w, g], _added(w, g, row[0].scale, arrays)
        # Steps with the largest scratch arrays come first, so that the others can reuse them.
        order = sorted(range(len(steps)), key=lambda i: -scratch_size(steps[i]))
        made = {i: calls(steps[i], arrays) for i in order}
        for i, added in sums.items():
            made[i] += added
        self._plan = plan
        self._touched = plan.touched
        self._arrays = arrays
        self._together = together
        self._pieces = tuple([tuple(made[i]) for i in range(len(order))])
        self._calls = tuple(chain.from_iterable(self._pieces))
        self._result = map_tree(plan.result, arrays.of)
        # A context in which NumPy does not warn about non-finite numbers; entering it is cheaper than `errstate` each time.
        context = copy_context()
        context.run(np.seterr, all="ignore")
        self._quietly = context.run

    def step(self, *inputs: Array) -> None:
        """Run once. Raises ``ValueError`` unless the inputs have the plan's precision and shapes."""
        dtype, own = self._dtype, self._inputs
        if len(inputs) != len(own):
            raise ValueError(f"{len(inputs)} inputs are given, not {len(own)}")
        # A whole step of a toy net takes 5 µs; `zip` would be a twentieth of that.
        for i, (place, shape) in enumerate(own):
            given = inputs[i]
            if given.shape != shape or (given.dtype is not dtype and given.dtype != dtype):
                raise ValueError(f"an input is {given.dtype}{list(given.shape)}, not {dtype}{list(shape)}")
            place[...] = given
        if self._touched > LARGE:
            interruptible(partial(self._quietly, self._run))
        else:
            self._quietly(self._run)

    def _run(self) -> None:
        for action in self._calls:
            action()

    def steps(self, inputs: Sequence[Array], rows: Integers) -> None:
        """Run once for each row of ``rows``, on those samples of the inputs. All inputs must be batched."""
        pairs = [(given, place) for given, (place, _) in zip(inputs, self._inputs, strict=True)]
        when_large(self._touched, lambda: self._quietly(self._run_each, pairs, rows))

    def _run_each(self, pairs: Sequence[tuple[Array, Array]], rows: Integers) -> None:
        for row in _slices(rows):
            for given, place in pairs:
                if isinstance(row, slice):
                    place[...] = given[row]
                else:
                    # The indices are valid; mode "raise" would copy the output once more.
                    given.take(row, 0, place, "clip")
            self._run()

    def pieces(self) -> list[tuple[tuple[Action, ...], list[Array]]]:
        """Return for each step its calls, and the arrays that it writes."""
        found: list[tuple[tuple[Action, ...], list[Array]]] = []
        for i, (made, step) in enumerate(zip(self._pieces, self._plan.steps, strict=True)):
            found.append((made, self._together.get(i) or [self._arrays.of(view) for view in writes(step)]))
        return found

    def result(self) -> Values:
        """Return the result of the last run."""
        return when_large(self._touched, lambda: map_tree(self._result, partial(np.array, order="C")))


def _added(w: Array, g: Array, scale: float, arrays: Arrays) -> list[Action]:
    """``w += scale · g``"""
    sums: list[Action] = [partial(np.subtract if scale < 0 else np.add, w, g, w)]
    return sums if abs(scale) == 1.0 else [partial(np.multiply, g, arrays.number(abs(scale)), g), *sums]


def _slices(rows: Integers) -> list[slice | Integers]:
    """The rows, as slices if they are contiguous."""
    ordered = (np.diff(rows, axis=1) == 1).all(axis=1).tolist()
    n = rows.shape[1]
    return [slice(row[0], row[0] + n) if there else row for row, there in zip(rows, ordered, strict=True)]
