"""Plans on NumPy: always there. A run is a row of calls that were made before."""

from collections import deque
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from itertools import chain
from operator import call

import numpy as np

from rh_kernel.arrays.backend import Arrays as Values
from rh_kernel.arrays.backend import Memory
from rh_kernel.arrays.dependence import writes
from rh_kernel.arrays.numpy_loops import Action, Arrays, calls, room
from rh_kernel.arrays.plan import Content, Input, Integers, Kept, Leaf, Plan, Precision, Scratch
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location


class NumPy:
    """The back end that needs nothing."""

    wants_matrices = True
    far = False

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Copies of the contents."""
        return {location: np.array(array, dtype=precision, order="C") for location, array in heap.items()}

    def runner(self, plan: Plan, memory: Memory) -> "NumPyRunner":
        """The plan on that memory, on which it writes."""
        return NumPyRunner(plan, memory)

    def store(self, memory: Memory, heap: Mapping[Location, Array]) -> None:
        """Overwrites what the memory has at those locations."""
        for location, array in heap.items():
            memory[location][...] = array

    def fetch(self, memory: Memory) -> dict[Location, Array]:
        """The contents as they are now."""
        return {location: array.copy() for location, array in memory.items()}


class NumPyRunner:
    """A plan with its arrays. Inputs are copied into arrays of its own."""

    def __init__(self, plan: Plan, memory: Memory) -> None:
        self._dtype = dtype = np.dtype(plan.precision)
        scratch = np.empty(plan.scratch, dtype)
        self._inputs = [(np.empty(shape, dtype), shape) for shape in plan.inputs]
        buffers: list[Array] = []
        for buffer in plan.buffers:
            match buffer:
                case Input(position):
                    buffers.append(self._inputs[position][0].reshape(-1))
                case Content(location):
                    buffers.append(memory[location].reshape(-1))
                case Kept(array):
                    buffers.append(np.array(array, dtype))
                case Scratch(start, size):
                    buffers.append(scratch[start : start + size])
        arrays = Arrays(buffers, dtype, max(map(room, plan.steps), default=0))
        self._plan = plan
        self._arrays = arrays
        self._pieces = tuple([tuple(calls(step, arrays)) for step in plan.steps])
        self._calls = tuple(chain.from_iterable(self._pieces))
        self._result = _tree(plan.result, arrays)
        # A context in which NumPy does not warn of what is not finite: to enter it is cheaper than `errstate` each time.
        context = copy_context()
        context.run(np.seterr, all="ignore")
        self._quietly = context.run

    def step(self, *inputs: Array) -> None:
        """One run. Raises ``ValueError`` unless the inputs have the plan's precision and shapes."""
        dtype = self._dtype
        for given, (place, shape) in zip(inputs, self._inputs, strict=True):
            if given.shape != shape or given.dtype != dtype:
                raise ValueError(f"an input is {given.dtype}{list(given.shape)}, not {dtype}{list(shape)}")
            place[...] = given
        self._quietly(deque, map(call, self._calls), 0)

    def steps(self, inputs: Sequence[Array], rows: Integers) -> None:
        """A run for each row of ``rows``, on those samples of the inputs. All inputs have to be batched."""
        self._quietly(self._run_each, [(given, place) for given, (place, _) in zip(inputs, self._inputs, strict=True)], rows)

    def _run_each(self, pairs: Sequence[tuple[Array, Array]], rows: Integers) -> None:
        for row in _slices(rows):
            for given, place in pairs:
                if isinstance(row, slice):
                    place[...] = given[row]
                else:
                    # The rows are there; with "raise" the output would be copied once more.
                    given.take(row, 0, place, "clip")
            deque(map(call, self._calls), 0)

    def pieces(self) -> list[tuple[tuple[Action, ...], list[Array]]]:
        """For each step its calls, and the arrays that it writes."""
        parts = zip(self._pieces, self._plan.steps, strict=True)
        return [(made, [self._arrays.of(view) for view in writes(step)]) for made, step in parts]

    def result(self) -> Values:
        """The result of the last run."""
        return _copied(self._result)


def _tree(leaf: Leaf, arrays: Arrays) -> Values:
    return tuple([_tree(part, arrays) for part in leaf]) if isinstance(leaf, tuple) else arrays.of(leaf)


def _copied(value: Values) -> Values:
    return tuple([_copied(part) for part in value]) if isinstance(value, tuple) else np.array(value, order="C")


def _slices(rows: Integers) -> list[slice | Integers]:
    """The rows, as slices where they are neighbours in order."""
    ordered = (np.diff(rows, axis=1) == 1).all(axis=1).tolist()
    n = rows.shape[1]
    return [slice(row[0], row[0] + n) if there else row for row, there in zip(rows, ordered, strict=True)]
