"""The translation of a plan to calls of the prebuilt kernels, with all their parameters in one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.launches import Launch, Launches, is_empty, operations
from rh_kernel.arrays.prebuilt.call import Call, cleared
from rh_kernel.arrays.prebuilt.contractions import contraction
from rh_kernel.arrays.prebuilt.gathers import check_call, gather_at_call, gather_call, scatter_add_call, table_of
from rh_kernel.arrays.prebuilt.levels import Level
from rh_kernel.arrays.prebuilt.maps import map_call
from rh_kernel.arrays.prebuilt.operations import STRIP, kernel
from rh_kernel.arrays.prebuilt.reductions import reduce_call
from rh_kernel.loops import ir
from rh_kernel.loops.scalars import ScalarOp

WORD = 8
"""Bytes of a parameter."""


def translate(plan: ir.Plan, level: Level, known: Mapping[ScalarOp, int]) -> Launches:
    """Translate a plan; ``known`` are the numbers of the library's scalar operations. Raises ``Unsupported`` if it cannot."""
    tables = 2 + sum(isinstance(step, ir.Gather) for step in ir.simple_steps(plan.steps))
    translator = _Translator(len(plan.buffers), tables, level, np.dtype(plan.precision).itemsize, known)
    launches = translator.launches(plan.steps)
    parameters = np.array(translator.parameters, dtype=np.int64)
    constants = np.repeat(np.array([constant.value for constant in translator.constants], dtype=plan.precision), STRIP)
    return Launches(
        tuple(launches),
        (parameters, constants, *translator.tables),
        translator.workspace,
        translator.places * WORD // translator.item,
        tuple(translator.checks),
        sum(operations(step) for step in plan.steps),
    )


@dataclass(slots=True)
class _Translator:
    """The parameters and tables so far; the parameters of equal calls are shared.

    After the ``buffers`` of the plan come the parameters, strips filled with constants, the tables of gathers, the workspace,
    the places of loops, and the status. ``item`` is the size of a number in bytes.
    """

    buffers: int
    table_count: int
    level: Level
    item: int
    known: Mapping[ScalarOp, int]
    parameters: list[int] = field(default_factory=list[int])
    starts: dict[tuple[int, ...], int] = field(default_factory=dict[tuple[int, ...], int])
    constants: dict[ir.Number, int] = field(default_factory=dict[ir.Number, int])
    tables: list[npt.NDArray[np.int32]] = field(default_factory=list[npt.NDArray[np.int32]])
    checks: list[ir.IndexCheck] = field(default_factory=list[ir.IndexCheck])
    workspace: int = 0
    places: int = 0

    def launches(self, steps: Sequence[ir.Step]) -> list[Launch]:
        """Translate steps that run one after the other."""
        return [launch for step in steps if not is_empty(step) for launch in self._step(step)]

    def _step(self, step: ir.Step) -> list[Launch]:
        match step:
            case ir.Map():
                return [self._launch(map_call(step, self.known))]
            case ir.Reduce():
                return [self._launch(call) for call in reduce_call(step)]
            case ir.Contract():
                return self._contraction(step)
            case ir.Gather():
                table = self.buffers + 2 + len(self.tables)
                self.tables.append(table_of(step))
                return [self._launch(call, (table, 0)) for call in gather_call(step)]
            case ir.GatherAt():
                return [self._launch(call) for call in gather_at_call(step)]
            case ir.ScatterAdd():
                return [*self.launches([cleared(step.output)]), *[self._launch(call) for call in scatter_add_call(step)]]
            case ir.IndexCheck():
                self.checks.append(step)
                return [self._launch(call, self._after_tables(2)) for call in check_call(step, len(self.checks))]
            case ir.Loop():
                return self._loop(step)
            case ir.Call() | ir.Check():
                raise Unsupported("a step has no kernel of its own")

    def _contraction(self, step: ir.Contract) -> list[Launch]:
        if 0 in step.extents:
            return [] if step.accumulate else self.launches([cleared(step.output)])
        call, clears = contraction(step, self.level, self.item)
        return [*(self.launches([cleared(step.output)]) if clears else []), self._launch(call)]

    def _launch(self, call: Call, *further: tuple[int, int]) -> Launch:
        arrays = [self._table(call.parameters), *[(view.buffer, view.offset) for view in call.views], *further]
        arrays += [self._constant(ir.Number(value)) for value in call.constants]
        if call.workspace:
            self.workspace = max(self.workspace, call.workspace)
            arrays.append(self._after_tables(0))
        return Launch(kernel(call.kernel), tuple(arrays))

    def _table(self, parameters: tuple[int, ...]) -> tuple[int, int]:
        """Where the parameters are, which are added to the table if they are new. Offsets are counted in numbers."""
        start = self.starts.setdefault(parameters, len(self.parameters))
        if start == len(self.parameters):
            self.parameters += parameters
        return self.buffers, start * WORD // self.item

    def _constant(self, number: ir.Number) -> tuple[int, int]:
        return self.buffers + 1, STRIP * self.constants.setdefault(number, len(self.constants))

    def _after_tables(self, which: int, word: int = 0) -> tuple[int, int]:
        return self.buffers + self.table_count + which, word * WORD // self.item

    def _loop(self, step: ir.Loop) -> list[Launch]:
        """The launch of the kernel that calls the kernels of a round, with the arrays of all of them."""
        start = self.places
        inner = self.launches(step.steps)
        if not inner or not step.rounds:
            return []
        rows = {row.buffer: row for row in step.rows}
        arrays: list[tuple[int, int]] = []
        moves: list[int] = []
        calls: list[int] = []
        for launch in inner:
            calls += (launch.kernel, len(arrays))
            for buffer, offset in launch.arrays:
                row = rows.get(buffer)
                arrays.append((row.first.buffer, row.first.offset + offset) if row else (buffer, offset))
                moves.append(row.stride * self.item if row else 0)
        # An inner loop has its places behind those of the outer one.
        self.places = max(self.places, start) + len(arrays)
        parameters = (step.rounds, len(inner), len(arrays), *calls, *moves)
        own = self._after_tables(1, self.places - len(arrays))
        return [Launch(kernel("loop"), (self._table(parameters), own, *arrays), sum([launch.steps for launch in inner]))]
