"""Code generation: a plan to C source and a launch table, with one kernel per kind of step."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.c_writer import loop
from rh_kernel.arrays.native.contractions import contract_kernel
from rh_kernel.arrays.native.driver_codegen import Launch, source
from rh_kernel.arrays.native.fused_matvec_update import FusedUpdate, fuse_updates, update_kernel
from rh_kernel.arrays.native.gathers import gather_kernel, is_picked
from rh_kernel.arrays.native.maps import map_kernel, woven
from rh_kernel.arrays.native.reductions import reduce_kernel
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.strip_mining import Strips, strip_mined
from rh_kernel.loops import ir

Table = npt.NDArray[np.int32]
LARGEST = 2**31 - 1
LONG = 100_000
"""Operations from which on a run releases the GIL."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """The body of a C function, and the size of its workspace in numbers."""

    lines: tuple[str, ...]
    workspace: int = 0


@dataclass(frozen=True, slots=True)
class Translation:
    """A plan as C: the source, the entries of the launch table, and the tables of gathers.

    ``workspace`` and ``strip_workspace`` are the sizes of the workspace of the kernels and of the strips' own buffer. ``long``
    means that a run may take long enough to release the GIL; ``work`` is a rough count of its operations.
    """

    source: str
    launches: tuple[Launch, ...]
    tables: tuple[Table, ...]
    workspace: int
    strip_workspace: int
    long: bool
    work: int


@dataclass(slots=True)
class _Kernels:
    """The kernels so far, keyed by what distinguishes them."""

    machine: Machine
    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    found: list[Kernel] = field(default_factory=list[Kernel])

    def number(self, key: Hashable, step: ir.Step | FusedUpdate) -> int:
        """Return the number of the kernel with that key, generating it if necessary."""
        number = self.numbers.get(key)
        if number is None:
            number = self.add(key, self._made(step))
        return number

    def add(self, key: Hashable, kernel: Kernel) -> int:
        """Return the number of a kernel that calls others, which come before it."""
        if key not in self.numbers:
            self.numbers[key] = len(self.found)
            self.found.append(kernel)
        return self.numbers[key]

    def _made(self, step: ir.Step | FusedUpdate) -> Kernel:
        match step:
            case ir.Map():
                return Kernel(tuple(map_kernel(step)))
            case ir.Reduce():
                return Kernel(tuple(reduce_kernel(step)))
            case ir.Contract():
                lines, workspace = contract_kernel(step, self.machine)
                return Kernel(tuple(lines), workspace)
            case ir.Gather():
                return Kernel(tuple(gather_kernel(step, self.machine)))
            case FusedUpdate():
                return Kernel(tuple(update_kernel(step.shape, self.machine)))
            case ir.Call() | ir.Check() | ir.Loop():
                raise Unsupported("a step has no kernel of its own")


def translate(plan: ir.Plan, machine: Machine) -> Translation:
    """Translate a plan to C. Raises ``Unsupported`` if a step has no kernel."""
    steps = fuse_updates([step for step in plan.steps if not _is_empty(step)], plan.buffers)
    work = _operations(plan.steps)
    long = work > LONG
    # A masked store cannot be forwarded to the next load, and a short run consists of such pairs.
    kernels = _Kernels(machine if long else replace(machine, masked=False))
    tables: list[Table] = []
    workspace = len(plan.buffers) + sum(isinstance(step, ir.Gather) for step in steps)

    def launch(step: ir.Step | FusedUpdate) -> Launch:
        if isinstance(step, ir.Loop):
            inner = fuse_updates([part for part in step.steps if not _is_empty(part)], plan.buffers)
            return _rounds(step, [launch(part) for part in inner], kernels)
        views, key = _signature(step, kernels.machine)
        arrays = [(view.buffer, view.offset) for view in views]
        if isinstance(step, ir.Gather):
            arrays.append((len(plan.buffers) + len(tables), 0))
            tables.append(_table(step))
        number = kernels.number(key, step)
        if kernels.found[number].workspace:
            arrays.append((workspace, 0))
        return Launch(number, tuple(arrays))

    launches: list[Launch] = []
    strip_workspace = 0
    for step in strip_mined(steps, plan, kernels.machine, workspace + 1):
        if isinstance(step, Strips):
            launches.append(_strip_loop(step, [launch(piece.step) for piece in step.pieces], kernels))
            strip_workspace = max(strip_workspace, step.workspace)
        else:
            launches.append(launch(step))
    size = max([kernel.workspace for kernel in kernels.found], default=0)
    text = source([kernel.lines for kernel in kernels.found], launches, plan, short=not long)
    return Translation(text, tuple(launches), tuple(tables), size, strip_workspace, long, work)


def _rounds(step: ir.Loop, launches: Sequence[Launch], kernels: _Kernels) -> Launch:
    """The launch of a kernel that calls the kernels of a loop's steps in each round, with the arrays of all of them."""
    rows = {row.buffer: row for row in step.rows}
    lines = [loop("turn", step.rounds)]
    arrays: list[tuple[int, int]] = []
    for launch in launches:
        places: list[str] = []
        for buffer, offset in launch.arrays:
            row = rows.get(buffer)
            move = row.stride if row else 0
            places.append(_moved(len(arrays), move))
            arrays.append((row.first.buffer, row.first.offset + offset) if row else (buffer, offset))
        lines.append(_called(launch, places))
    number = kernels.add((ir.Loop, *lines), Kernel((*lines, "}")))
    return Launch(number, tuple(arrays), sum([launch.steps for launch in launches]))


def _moved(array: int, move: int) -> str:
    """An array of a launch that moves by so many numbers each turn."""
    return f"(real *)array[{array}] + turn * {move}L" if move else f"array[{array}]"


def _called(launch: Launch, places: Sequence[str]) -> str:
    return f"{{ void *const places[] = {{{', '.join(places)}}}; kernel{launch.kernel}(places); }}"


def _strip_loop(strips: Strips, launches: Sequence[Launch], kernels: _Kernels) -> Launch:
    """The launch of a kernel that calls the kernels of the pieces for each strip, with the arrays of all of them."""
    lines = [loop("turn", strips.count)]
    at = 0
    for piece, launch in zip(strips.pieces, launches, strict=True):
        # Tables and workspace do not move.
        moves = [piece.moves[view] for view in _signature(piece.step, kernels.machine)[0]]
        moves += [0] * (len(launch.arrays) - len(moves))
        lines.append(_called(launch, [_moved(i, move) for i, move in enumerate(moves, at)]))
        at += len(moves)
    number = kernels.add((Strips, *lines), Kernel((*lines, "}")))
    return Launch(number, tuple([place for launch in launches for place in launch.arrays]), len(launches))


def _operations(steps: Sequence[ir.Step]) -> int:
    """A rough count of the arithmetic operations of a run."""
    total = 0
    for step in steps:
        if isinstance(step, ir.Contract):
            total += 2 * prod(step.extents)
        elif isinstance(step, ir.Map):
            total += 8 * prod(step.shape) * len(step.body)
        elif isinstance(step, ir.Loop):
            total += step.rounds * _operations(step.steps)
    return total


def _is_empty(step: ir.Step) -> bool:
    """Whether the step does nothing."""
    return isinstance(step, ir.Map) and prod(step.shape) == 0


def _table(step: ir.Gather) -> Table:
    if step.table.size and int(step.table.max()) > LARGEST:
        raise Unsupported("a table has too large numbers")
    return np.ascontiguousarray(step.table, dtype=np.int32)


def _signature(step: ir.Step | FusedUpdate, machine: Machine) -> tuple[tuple[ir.View, ...], Hashable]:
    """The views passed to a kernel, and its key: everything about the step except where its views start."""
    match step:
        case FusedUpdate(shape, views):
            return views, shape
        case ir.Map(shape, arguments, body, stores):
            views = (*arguments, *[store.view for store in stores])
            ends = tuple([(store.value, store.accumulate) for store in stores])
            return views, (ir.Map, shape, len(arguments), _strides(views), woven(views), _body_key(body), ends)
        case ir.Reduce(fold, output, argument, scale):
            return (output, argument), (ir.Reduce, fold, argument.shape, _strides((output, argument)), scale.hex())
        case ir.Contract(extents, output, left, right, scale, accumulate):
            views = (output, left, right)
            return views, (ir.Contract, extents, _strides(views), scale.hex(), accumulate)
        case ir.Gather(output, argument, table):
            entries = table.tobytes() if is_picked(step, machine) else bool((table >= 0).all())
            views = (output, argument)
            return views, (ir.Gather, output.shape, argument.shape[-1], _strides(views), table.shape, entries)
        case ir.Call() | ir.Check() | ir.Loop():
            raise Unsupported("a step has no kernel of its own")


def _body_key(body: tuple[ir.Number | ir.Instruction, ...]) -> tuple[Hashable, ...]:
    """A hashable key of a body, which distinguishes 0 from −0 and identifies nans."""
    return tuple([entry.value.hex() if isinstance(entry, ir.Number) else entry for entry in body])


def _strides(views: tuple[ir.View, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple([view.strides for view in views])
