"""Selection of the back end: the GPU if requested, machine code for long runs, NumPy otherwise.

The choice depends on the program and on what is installed, never on a clock, so the same run gives the same digits.
"""

from collections.abc import Mapping

from rh_kernel.arrays.backend import Backend, ContentArrays, Memory, Runner, Unsupported
from rh_kernel.arrays.devices import Device, MissingGPU, gpu
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.program import Program
from rh_kernel.loops.ir import Plan, Precision
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

WORTH_COMPILING = 1.0
"""A run that would take NumPy about this many seconds is worth compiling to C."""

PER_EQUATION = 1.5e-6
PER_OPERATION = 2.5e-10
"""Rough costs of NumPy in seconds, per equation and per operation."""


MAX_INTERPRETED_RUNS = 4
"""A program that runs at most this often is interpreted, not planned."""

MAX_INTERPRETED_REALS = 1 << 20
"""Largest program, in computed reals, that is interpreted; a plan allocates its buffers only once."""


def should_interpret(reals: int, runs: int | None) -> bool:
    """Whether NumPy should interpret a program that computes so many reals, without a plan; ``runs`` is how often, if known."""
    return runs is not None and runs <= MAX_INTERPRETED_RUNS and reals <= MAX_INTERPRETED_REALS


def backend_for(device: Device, seconds: float = 0.0) -> Backend:
    """Return the back end for a run that would take NumPy ``seconds``, as given by ``estimate``."""
    if device == "gpu" and not isinstance(gpu(), MissingGPU):
        from rh_kernel.arrays.cuda.backend import CupyBackend

        return CupyBackend()
    if seconds >= WORTH_COMPILING:
        from rh_kernel.arrays.native import available

        if available():
            return Accelerated()
    return NumPy()


def estimate(program: Program, runs: int, samples: int) -> float:
    """Estimate the seconds that NumPy takes for ``runs`` runs with ``samples`` samples in total."""
    once, each = program.costs
    return runs * (len(program.equations) * PER_EQUATION + once * PER_OPERATION) + samples * each * PER_OPERATION


class Accelerated:
    """Machine code if every step of a plan can be compiled, otherwise NumPy on the same memory."""

    wants_matrices = False
    far = False

    def __init__(self) -> None:
        from rh_kernel.arrays.native import Native

        self._native = Native()

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Return a memory with copies of the contents."""
        return self._native.memory(heap, precision)

    def runner(self, plan: Plan, memory: ContentArrays) -> Runner:
        """Prepare the plan to run on that memory."""
        try:
            return self._native.runner(plan, memory)
        except Unsupported:
            return NumPy().runner(plan, memory)
