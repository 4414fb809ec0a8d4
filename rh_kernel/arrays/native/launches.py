"""The launches of a plan, and what they need besides its buffers; the same for any library of kernels."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy.typing as npt

from rh_kernel.loops import ir

LONG = 100_000
"""Operations from which on a run releases the GIL."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel launch for one or more steps: the number of the kernel, and the (buffer, offset) of each array it takes.

    The buffers after those of the plan are the tables, the workspace, the further workspace, the status, the numbers of
    ``codegen.Translation``'s contests, and the functions of the BLAS and of the pool.
    """

    kernel: int
    arrays: tuple[tuple[int, int], ...]
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Launches:
    """The launches of a run, and the tables that their kernels read.

    ``workspace`` and ``further_workspace`` are sizes in numbers; behind them is the status, where the first of the ``checks``
    that fails notes its number, from 1, and the wrong entry. ``work`` is a rough count of the operations of a run.
    """

    launches: tuple[Launch, ...]
    tables: tuple[npt.NDArray[Any], ...]
    workspace: int
    further_workspace: int
    checks: tuple[ir.IndexCheck, ...]
    work: int

    @property
    def is_long(self) -> bool:
        """Whether a run may take long enough to release the GIL."""
        return self.work > LONG


def operations(step: ir.Step) -> int:
    """Return a rough count of the arithmetic operations of a step, 0 for those that do next to none."""
    match step:
        case ir.Contract():
            return 2 * prod(step.extents)
        case ir.Map():
            return 8 * prod(step.shape) * max(1, len(step.body))
        case ir.Reduce():
            return 4 * prod(step.argument.shape)
        case ir.Loop():
            return step.rounds * sum(operations(inner) for inner in step.steps)
        case _:
            return 0


def is_empty(step: ir.Step) -> bool:
    """Whether the step does nothing."""
    return isinstance(step, ir.Map) and prod(step.shape) == 0
