"""A plan as one CUDA module: its functions, and the sequence of their calls.

All kernels have the same parameter list, so that the code that launches them need not know what they do: ``pointers`` has the
addresses that the calls use; ``calls`` has the number of calls and then three numbers per call (its function, the index of its
first pointer, whether it has to wait for earlier calls); ``data`` has the addresses of the table of rows and of the data sets;
and ``counter`` has the number of the run.
"""

from dataclasses import dataclass
from enum import Enum, auto
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.c_expressions import real
from rh_kernel.arrays.cuda import templates
from rh_kernel.arrays.cuda.barriers import BarrierTracker
from rh_kernel.arrays.cuda.contractions import Product, contract_function, product
from rh_kernel.arrays.cuda.functions import (
    Function,
    Shares,
    Width,
    gather_at_function,
    gather_function,
    map_function,
    reduce_function,
    scatter_add_function,
)
from rh_kernel.arrays.planning.dependence import with_views
from rh_kernel.loops.ir import (
    Call,
    Check,
    Contract,
    Gather,
    GatherAt,
    IndexCheck,
    Input,
    Loop,
    Map,
    Plan,
    Reduce,
    ScatterAdd,
    Step,
    View,
    simple_steps,
)
from rh_kernel.primitives.places import number_check
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import Real

WHOLE = 1 << 20
"""A plan with at most this much work is one kernel of one block, which does any number of runs."""

CAPTURED = 1 << 25
"""A plan with at most this much work is a CUDA graph of its kernels; a larger one uses cuBLAS for matrix products."""

PRODUCT = 1 << 16
"""A matrix product with less work is not worth a call of cuBLAS."""

BLOCK, ALONE = 256, 1024
"""The threads per block, in a grid of many blocks and in a single block."""

GRID = 2048
"""The most blocks of a kernel; beyond that, each thread handles several entries."""


class LaunchMode(Enum):
    """How a run is launched."""

    WHOLE = auto()
    CAPTURED = auto()
    LAUNCHED = auto()


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch: call number ``number`` of ``Module.calls``, with that many blocks"""

    kernel: str
    number: int
    blocks: int


Table: TypeAlias = npt.NDArray[np.int32]
Action: TypeAlias = Launch | Product | Call | Check


@dataclass(frozen=True, slots=True)
class Module:
    """The source, the calls, and the actions to run in order if the module is not a single kernel.

    ``pointers`` are (buffer, offset), those of the inputs first; buffer numbers beyond those of the plan refer to ``tables``.
    ``threads`` is the size of a single block, ``loading`` the number of blocks that load the samples of a run.
    """

    text: str
    way: LaunchMode
    work: int
    calls: tuple[tuple[int, int, int], ...]
    pointers: tuple[tuple[int, int], ...]
    tables: tuple[Table, ...]
    actions: tuple[Action, ...]
    kernels: tuple[str, ...]
    threads: int
    loading: int


def module(plan: Plan, way: LaunchMode | None = None) -> Module:
    """Generate the module of a plan, launched in the way that suits its work unless one is given. Raises ``Unsupported``."""
    amount = sum(_work(step) for step in plan.steps)
    if way is None:
        is_plain = not any(isinstance(step, Call | Check | IndexCheck) for step in simple_steps(plan.steps))
        way = (
            LaunchMode.LAUNCHED
            if not is_plain or amount > CAPTURED
            else LaunchMode.WHOLE
            if amount <= WHOLE
            else LaunchMode.CAPTURED
        )
    return _Builder(plan, way, amount).written()


def _work(step: Step) -> int:
    match step:
        case Map(shape, arguments, body, stores):
            return prod(shape) * (len(arguments) + len(body) + len(stores))
        case Reduce(argument=x):
            return prod(x.shape)
        case Contract(extents):
            return prod(extents)
        case Gather(output=y, table=table):
            return prod(y.shape) * table.shape[1]
        case Call(output=y):
            return prod(y.shape)
        case GatherAt(output=y):
            return 2 * prod(y.shape)
        case ScatterAdd(argument=x, output=z):
            return prod(x.shape) * z.shape[-1]
        case Check() | IndexCheck():
            return 0
        case Loop(rounds, _, steps):
            return rounds * sum(map(_work, steps))


class _Builder:
    def __init__(self, plan: Plan, way: LaunchMode, amount: int) -> None:
        self.plan = plan
        self.way = way
        self.amount = amount
        self.width = Width(ALONE, 1) if way is LaunchMode.WHOLE else Width(BLOCK * 512, 512)
        self.numbers: dict[tuple[str, Shares], int] = {}
        self.calls: list[tuple[int, int, int]] = []
        self.tables: list[Table] = []
        self.actions: list[Action] = []
        self.inputs = [(b.position, b.size) for b in plan.buffers if isinstance(b, Input)]
        self.pointers = [(k, 0) for k, b in enumerate(plan.buffers) if isinstance(b, Input)]
        self.order = BarrierTracker(plan.buffers)
        self.entries = 1

    def written(self) -> Module:
        for step in self.plan.steps:
            self._step(step)
        kernels = (
            templates.LOAD,
            templates.NEXT,
            *([templates.RUN] if self.way is LaunchMode.WHOLE else [templates.kernel_name(k) for k in self.numbers.values()]),
        )
        return Module(
            self._text(),
            self.way,
            max(1, self.amount),
            tuple(self.calls),
            tuple(self.pointers),
            tuple(self.tables),
            tuple(self.actions),
            kernels,
            min(ALONE, max(BLOCK // 2, 1 << (self.entries - 1).bit_length())),
            _blocks(max([size for _, size in self.inputs], default=1)),
        )

    def _step(self, step: Step) -> None:
        precision = self.plan.precision
        match step:
            case Map(shape):
                if 0 not in shape:
                    self._call(map_function(step, precision))
            case Reduce(output=y):
                if 0 not in y.shape:
                    self._call(reduce_function(step, precision, self.width))
            case Gather(output=y, table=table):
                self.tables.append(np.ascontiguousarray(table, dtype=np.int32))
                at = (len(self.plan.buffers) + len(self.tables) - 1, 0)
                if 0 not in y.shape:
                    self._call(gather_function(step, at, precision))
            case GatherAt(output=y):
                if 0 not in y.shape:
                    self._call(gather_at_function(step, precision))
            case ScatterAdd(output=z):
                if 0 not in z.shape:
                    self._call(scatter_add_function(step, precision))
            case Contract(extents):
                found = product(step) if self.way is LaunchMode.LAUNCHED and prod(extents) >= PRODUCT else None
                if found is not None:
                    self.actions.append(found)
                elif 0 not in extents:
                    self._call(contract_function(step, precision, self.width))
            case IndexCheck(index, rows, span):
                self._step(Check(number_check(dim(rows), Real((dim(prod(index.shape)),))), (index,), span))
            case Call() | Check():
                if self.way is not LaunchMode.LAUNCHED:
                    raise Unsupported("what is called as it is cannot be part of a kernel")
                self.actions.append(step)
            case Loop(rounds):
                for k in range(rounds):
                    self._round(step, k)

    def _round(self, loop: Loop, k: int) -> None:
        """A round is the same functions on other parts of the buffers: the text does not grow with the number of rounds."""
        rows = {row.buffer: row for row in loop.rows}

        def place(view: View) -> View:
            row = rows.get(view.buffer)
            if row is None:
                return view
            return View(row.first.buffer, row.first.offset + k * row.stride + view.offset, view.shape, view.strides)

        for step in loop.steps:
            self._step(with_views(step, place))

    def _call(self, function: Function) -> None:
        number = self.numbers.setdefault((function.body, function.shares), len(self.numbers))
        self.entries = max(self.entries, function.entries if function.shares is Shares.THREADS else ALONE)
        waits = self.order.waits(function)
        self.calls.append((number, len(self.pointers), int(waits)))
        self.actions.append(Launch(templates.kernel_name(number), len(self.calls), self._blocks(function)))
        self.pointers += function.pointers

    def _blocks(self, function: Function) -> int:
        match function.shares:
            case Shares.THREADS:
                return _blocks(function.entries)
            case Shares.BLOCKS:
                return max(1, min(GRID, function.entries))

    def _text(self) -> str:
        kind = real(self.plan.precision)
        parts = [f"typedef {kind} real;\ntypedef real* const* Pointers;"]
        parts += [templates.device_function(number, body, shares) for (body, shares), number in self.numbers.items()]
        parts += [templates.load_function(self.inputs, self.plan.samples or 1), *templates.COUNTING]
        if self.way is LaunchMode.WHOLE:
            parts.append(templates.whole_kernel(self.numbers))
        else:
            parts += [templates.own_kernel(number, shares) for (_, shares), number in self.numbers.items()]
        return "\n\n".join(parts) + "\n"


def _blocks(entries: int) -> int:
    """Enough blocks for one entry per thread, up to the limit."""
    return max(1, min(GRID, -(-entries // BLOCK)))
