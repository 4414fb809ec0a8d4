"""Plan ↦ C text and a table: one kernel for each shape of step, and for each step a kernel and where its arrays lie."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.contractions import contract_kernel
from rh_kernel.arrays.native.maps import gather_kernel, map_kernel
from rh_kernel.arrays.native.reductions import reduce_kernel
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.sweeping import Sweep, sweep_kernel, swept
from rh_kernel.arrays.native.toolchain import resource
from rh_kernel.arrays.plan import Call, Check, Contract, Gather, Instruction, Map, Number, Plan, Precision, Reduce, Step, View

Table = npt.NDArray[np.int32]
LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Kernel:
    """The lines of a C function, and how many numbers of workspace it needs."""

    lines: tuple[str, ...]
    workspace: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A step: the number of its kernel, and the views whose first entries it is given, buffer and offset.

    The buffers after those of the plan are the tables of its gathers, and then the workspace.
    """

    kernel: int
    arrays: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Translation:
    """A plan as C: the source, the rows of the table, the tables of the gathers, and how large the workspace is."""

    source: str
    rows: tuple[Row, ...]
    tables: tuple[Table, ...]
    workspace: int


@dataclass(slots=True)
class _Kernels:
    """The kernels so far, by what makes them different."""

    machine: Machine
    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    found: list[Kernel] = field(default_factory=list[Kernel])

    def number(self, key: Hashable, step: Step | Sweep) -> int:
        """The number of the kernel for a step with that key."""
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.found)
            self.found.append(self._made(step))
        return number

    def _made(self, step: Step | Sweep) -> Kernel:
        match step:
            case Map():
                return Kernel(tuple(map_kernel(step)))
            case Reduce():
                return Kernel(tuple(reduce_kernel(step)))
            case Contract():
                lines, workspace = contract_kernel(step, self.machine)
                return Kernel(tuple(lines), workspace)
            case Gather():
                return Kernel(tuple(gather_kernel(step)))
            case Sweep():
                return Kernel(tuple(sweep_kernel(step.shape, self.machine)))
            case Call() | Check():
                raise Unsupported("a step has no loop")


def translate(plan: Plan, machine: Machine) -> Translation:
    """The plan as C. Raises ``Unsupported`` if a step has no loop."""
    kernels = _Kernels(machine)
    steps = swept([step for step in plan.steps if not _idle(step)], plan.buffers)
    tables: list[Table] = []
    gathers = sum(isinstance(step, Gather) for step in steps)
    rows: list[Row] = []
    for step in steps:
        views, key = _signature(step)
        arrays = [(view.buffer, view.offset) for view in views]
        if isinstance(step, Gather):
            arrays.append((len(plan.buffers) + len(tables), 0))
            tables.append(_table(step))
        number = kernels.number(key, step)
        if kernels.found[number].workspace:
            arrays.append((len(plan.buffers) + gathers, 0))
        rows.append(Row(number, tuple(arrays)))
    workspace = max([kernel.workspace for kernel in kernels.found], default=0)
    return Translation(_source(kernels.found, plan.precision), tuple(rows), tuple(tables), workspace)


def _idle(step: Step) -> bool:
    """Whether there is nothing to do."""
    return isinstance(step, Map) and prod(step.shape) == 0


def _table(step: Gather) -> Table:
    if step.table.size and int(step.table.max()) > LARGEST:
        raise Unsupported("a table has too large numbers")
    return np.ascontiguousarray(step.table, dtype=np.int32)


def _signature(step: Step | Sweep) -> tuple[tuple[View, ...], Hashable]:
    """The views that a kernel is given, and what makes kernels differ: everything but where the views start."""
    match step:
        case Sweep(shape, views):
            return views, shape
        case Map(shape, arguments, body, stores):
            views = (*arguments, *[store.view for store in stores])
            ends = tuple([(store.value, store.accumulate) for store in stores])
            return views, (Map, shape, len(arguments), _strides(views), _exact(body), ends)
        case Reduce(fold, output, argument, scale):
            return (output, argument), (Reduce, fold, argument.shape, _strides((output, argument)), scale.hex())
        case Contract(extents, output, left, right, scale, accumulate):
            views = (output, left, right)
            return views, (Contract, extents, _strides(views), scale.hex(), accumulate)
        case Gather(output, argument, table):
            whole = bool((table >= 0).all())
            return (output, argument), (Gather, output.shape, _strides((output, argument)), table.shape[1], whole)
        case Call() | Check():
            raise Unsupported("a step has no loop")


def _exact(body: tuple[Number | Instruction, ...]) -> tuple[Hashable, ...]:
    """A body to compare: 0 and −0 are two numbers, nan is one."""
    return tuple([entry.value.hex() if isinstance(entry, Number) else entry for entry in body])


def _strides(views: tuple[View, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple([view.strides for view in views])


def _source(kernels: list[Kernel], precision: Precision) -> str:
    real, bits = ("double", 64) if precision == "float64" else ("float", 32)
    lines = [f"typedef {real} real;", f"#define BITS {bits}", resource("prelude.h")]
    for number, kernel in enumerate(kernels):
        lines += [f"static void kernel{number}(void *const *array) {{", *kernel.lines, "}"]
    names = ", ".join(f"kernel{number}" for number in range(len(kernels))) or "0"
    shown = '__attribute__((visibility("default")))'
    lines += [f"{shown} kernel *const rh_kernels[] = {{{names}}};", f"{shown} const long rh_kernel_count = {len(kernels)};"]
    return "\n".join([*lines, resource("epilogue.h")])
