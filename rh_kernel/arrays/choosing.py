"""Which back end runs a program: the card if it is asked for, machine code for long runs, NumPy for all the rest.

What is chosen depends on the program and on what there is, never on a clock: the same run gives the same digits.
"""

from collections.abc import Mapping

from rh_kernel.arrays.backend import Backend, Memory, Places, Runner, Unsupported
from rh_kernel.arrays.devices import Device, NoCard, card
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.program import Program
from rh_kernel.loops.ir import Plan, Precision
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

LONG = 1.0
"""A run that would take NumPy so many seconds, about, is worth a C compiler's time."""

PER_EQUATION = 1.5e-6
PER_OPERATION = 2.5e-10
"""Seconds that NumPy takes for an equation, and for each operation, about."""


FEW = 4
"""A program that is run so often is not worth a plan."""

LIGHT = 1 << 20
"""Unless all that it computes is more than so many reals: a plan finds room for them once and for all."""


def is_read(reals: int, runs: int | None) -> bool:
    """Whether NumPy reads a program that computes so many reals equation by equation; ``runs`` is how often, if known."""
    return runs is not None and runs <= FEW and reals <= LIGHT


def backend_for(device: Device, seconds: float = 0.0) -> Backend:
    """The back end for a run that would take NumPy so long, as ``estimate`` tells."""
    if device == "gpu" and not isinstance(card(), NoCard):
        from rh_kernel.arrays.cuda.backend import CupyBackend

        return CupyBackend()
    if seconds >= LONG:
        from rh_kernel.arrays.native import available

        if available():
            return Accelerated()
    return NumPy()


def estimate(program: Program, runs: int, samples: int) -> float:
    """The seconds, about, that NumPy takes for so many runs, with so many samples altogether."""
    once, each = program.costs
    return runs * (len(program.equations) * PER_EQUATION + once * PER_OPERATION) + samples * each * PER_OPERATION


class Accelerated:
    """Machine code where there are loops for all steps of a plan, else NumPy on the same memory."""

    wants_matrices = False
    far = False

    def __init__(self) -> None:
        from rh_kernel.arrays.native import Native

        self._native = Native()

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Copies of the contents."""
        return self._native.memory(heap, precision)

    def runner(self, plan: Plan, memory: Places) -> Runner:
        """The plan on that memory."""
        try:
            return self._native.runner(plan, memory)
        except Unsupported:
            return NumPy().runner(plan, memory)
