"""Execute compiled programs: a machine is a program on a back end, with the contents of its locations.

``prepare`` and ``run`` are for callers that want the result of a run and leave the heap as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TypeAlias

import numpy as np

from rh_kernel.arrays.arena import Contents
from rh_kernel.arrays.backend import Arrays, Backend, Memory, Runner
from rh_kernel.arrays.costs import should_interpret
from rh_kernel.arrays.draws import counted, drawn
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.numpy_backend.interpreter import Interpreter
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.stacks import Stack, overlap, places, unstacked, without_members
from rh_kernel.loops.ir import Plan, Precision
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.contents import content
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.interruptible import when_large
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

Prepared: TypeAlias = "Callable[[Sequence[Arrays], Mapping[Location, Array]], tuple[Arrays, dict[Location, Array]]]"
"""``inputs, heap ↦ result, changed part of the heap``; batched inputs, and the result then, have a leading axis of samples."""


class Machine:
    """A program on a back end, with a memory that its runs update; ``runs`` is how often it will run, if known."""

    def __init__(
        self, program: Program, memory: Memory, precision: Precision, backend: Backend, runs: int | None = None
    ) -> None:
        self.program = program
        self.memory = memory
        self.precision: Precision = precision
        self.backend = backend
        self.sizes = program.sizes
        self._runs = runs
        self._plans: dict[int | None, Plan] = {}
        self._runners: dict[int | None, Runner] = {}
        self._copy: Mapping[Location, Array] | None = None

    def plan(self, samples: int | None = None) -> Plan:
        """Return the plan for that many samples, or ``None`` for a program that is not batched."""
        if samples not in self._plans:
            with gc_paused():
                self._plans[samples] = planned(self.program, samples, self.precision, matrices=self.backend.prefers_gemm)
        return self._plans[samples]

    def runner(self, samples: int | None = None) -> Runner:
        """Return the plan, ready to run; or, for few runs, an interpreter. Raises ``MemoryError`` if an array is too large."""
        if samples not in self._runners:
            with gc_paused():
                self._runners[samples] = self._new_runner(samples)
        return self._runners[samples]

    def size(self, samples: int | None = None, most: float = inf) -> int:
        """Return how many reals a run holds besides its inputs and the heap, including its result.

        If interpreting the program would hold more than ``most``, plan it instead.
        """
        if self._should_interpret(samples):
            size = self._reals(samples)
            if size <= most:
                return size
            self._runs = None
        return self.plan(samples).size

    def _new_runner(self, samples: int | None) -> Runner:
        if self._should_interpret(samples):
            return Interpreter(self.program, self.memory, self.precision, samples)
        return self.backend.runner(self.plan(samples), self.memory)

    def _should_interpret(self, samples: int | None) -> bool:
        return isinstance(self.backend, NumPy) and should_interpret(self.program, self._reals(samples), self._runs)

    def _reals(self, samples: int | None) -> int:
        once, each = self.sizes
        return once + (samples or 1) * each

    def written(self, *, ended: bool = False) -> dict[Location, Array]:
        """Return the current contents of the locations that the program writes, in arrays that share no memory with others.

        If the runs have ``ended``, a content that is most of the memory is returned without a copy; do not run the machine
        again.
        """
        return unstacked(self.stacked(ended=ended))

    def stacked(self, *, ended: bool = False) -> dict[Location, Array]:
        """Return the contents as ``written`` does, but those of the locations in a stack as one array."""
        memory: Mapping[Location, Array] = self.memory if isinstance(self.memory, Contents) else self.memory.fetch()
        # Keeping a part keeps the whole array alive, so only a part that is most of it is returned without a copy.
        most = memory.whole.size // 2 if ended and isinstance(memory, Contents) else inf
        found = {location: memory[location] for location, _ in self.program.writes}
        return {at: np.asarray(A, np.float64) if A.size > most else _copied(A) for at, A in found.items()}

    def seen(self) -> dict[Location, Array]:
        """Return the same contents in arrays that the next call overwrites, copied at once, with no signal in between."""
        self._copy = self.memory.fetch(self._copy)
        return self._of_writes(self._copy)

    def _of_writes(self, found: Mapping[Location, Array]) -> dict[Location, Array]:
        return unstacked({location: np.asarray(found[location], np.float64) for location, _ in self.program.writes})


def machine(
    program: Program,
    heap: Mapping[Location, Array],
    precision: Precision = "float64",
    backend: Backend | None = None,
    runs: int | None = None,
) -> Machine:
    """Set up a program on a back end, NumPy by default, with a copy of what it needs of the heap, for so many runs.

    Raises ``KeyError`` if the heap lacks a location that is read, and ``MemoryError`` if an array is too large.
    """
    backend = backend or NumPy()
    return Machine(program, backend.memory(contents((program,), heap), precision), precision, backend, runs)


def contents(programs: Sequence[Program], heap: Mapping[Location, Array]) -> dict[Location, Array]:
    """Return what the programs read from the heap, and space for what they write. Raises ``KeyError`` as ``machine`` does.

    A location whose family is stacked in one of the programs is not in the result: the family's stack is.
    """
    found = {location: _content(location, heap) for program in programs for _, location in program.reads}
    for program in programs:
        for location, r in program.writes:
            if location not in found:
                known = all(content(heap, place) is not None for place in places(location))
                found[location] = _content(location, heap) if known else np.zeros(program.shapes[r])
    return without_members(found)


def disagree(programs: Sequence[Program]) -> bool:
    """Whether the programs stack locations of a family in different ways, so that they cannot share a memory."""
    used = [at for program in programs for at in (*[at for _, at in program.reads], *[at for at, _ in program.writes])]
    return overlap([at for at in used if isinstance(at, Stack)])


def _content(location: Location, heap: Mapping[Location, Array]) -> Array:
    if isinstance(location, Stack) and location not in heap:
        return np.stack([_content(place, heap) for place in places(location)])
    found = content(heap, location)
    if found is None:
        raise KeyError(location)
    return found


def prepare(program: Program, precision: Precision = "float64") -> Prepared:
    """Return a function that runs the program on NumPy. It modifies none of its arguments and returns new arrays.

    All samples of a batch run from the same heap, so they draw the same numbers. The function raises ``KeyError`` if the heap
    lacks a location, and ``MemoryError`` if an array is too large.
    """

    def run(given: Sequence[Arrays], heap: Mapping[Location, Array]) -> tuple[Arrays, dict[Location, Array]]:
        inputs = [np.ascontiguousarray(x, precision) for x in leaves(tuple(given))]
        made = machine(program, heap, precision)
        samples = _samples(program, inputs)
        runner = made.runner(samples)
        runner.step(*inputs, *drawn(program.draws, heap, precision, samples))
        return runner.result(), counted(made.written(ended=True), heap)

    return run


def run(
    program: Program, inputs: Sequence[Arrays], heap: Mapping[Location, Array], precision: Precision = "float64"
) -> tuple[Arrays, dict[Location, Array]]:
    """Run the program once."""
    return prepare(program, precision)(inputs, heap)


def _copied(array: Array) -> Array:
    return when_large(array.size, lambda: np.array(array, np.float64))


def _samples(program: Program, inputs: Sequence[Array]) -> int | None:
    marked = [program.batched[r] for r in leaves(program.inputs)][: len(inputs)]
    return next((len(x) for x, batched in zip(inputs, marked, strict=True) if batched), None)
