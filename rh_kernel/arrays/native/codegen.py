"""Code generation: a plan to C source and a launch table, with one kernel per kind of step."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.arena import round_up
from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.c_writer import loop
from rh_kernel.arrays.native.contractions import contract_kernel
from rh_kernel.arrays.native.driver_codegen import source
from rh_kernel.arrays.native.fused_matvec_update import FusedUpdate, fuse_updates, update_kernel
from rh_kernel.arrays.native.gathers import gather_kernel, is_picked
from rh_kernel.arrays.native.gemm import Gemm, gemm
from rh_kernel.arrays.native.launches import LONG, Launch, Launches, is_empty, operations
from rh_kernel.arrays.native.maps import map_kernel, woven
from rh_kernel.arrays.native.parallel import chunks, copies, pieces
from rh_kernel.arrays.native.reductions import reduce_kernel
from rh_kernel.arrays.native.row_numbers import gather_at_kernel, index_check_kernel, scatter_add_kernel
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.strip_mining import Piece, Strips, strip_mined
from rh_kernel.arrays.planning.dependence import with_views
from rh_kernel.loops import ir

Table = npt.NDArray[np.int32]
LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Kernel:
    """The body of a C function, the size of its workspace in numbers, and the matrix product that a BLAS may do instead."""

    lines: tuple[str, ...]
    workspace: int = 0
    product: Gemm | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """A kernel that either calls a BLAS or does not; ``step`` is one of its steps."""

    kernel: int
    step: ir.Contract
    product: Gemm
    workspace: int


@dataclass(frozen=True, slots=True)
class Translation(Launches):
    """A plan as C: the source of its kernels, and their launches; the further workspace is the strips' own buffer.

    Behind the status are a number for each contest, not 0 to call the BLAS; the function of the BLAS, if there are contests;
    and the function that runs kernels by several threads, if some are parallel.
    """

    source: str
    contests: tuple[Contest, ...]
    is_parallel: bool


@dataclass(slots=True)
class _Kernels:
    """The kernels so far, keyed by what distinguishes them."""

    machine: Machine
    has_blas: bool
    numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    found: list[Kernel] = field(default_factory=list[Kernel])
    are_parallel: bool = False

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
                product = gemm(step, self.machine.item) if self.has_blas else None
                lines, workspace = contract_kernel(step, self.machine, product)
                return Kernel(tuple(lines), workspace, product)
            case ir.Gather():
                return Kernel(tuple(gather_kernel(step, self.machine)))
            case FusedUpdate():
                return Kernel(tuple(update_kernel(step.shape, self.machine)))
            case ir.GatherAt():
                return Kernel(tuple(gather_at_kernel(step)))
            case ir.ScatterAdd():
                return Kernel(tuple(scatter_add_kernel(step)))
            case ir.IndexCheck() | ir.Call() | ir.Check() | ir.Loop():
                raise Unsupported("a step has no kernel of its own")


def translate(plan: ir.Plan, machine: Machine, integer: str = "") -> Translation:
    """Translate a plan to C; ``integer`` is the C type of a BLAS's integers, if there is one.

    Raises ``Unsupported`` if a step has no kernel.
    """
    steps = fuse_updates([step for step in plan.steps if not is_empty(step)], plan.buffers)
    work = sum(operations(step) for step in plan.steps)
    long = work > LONG
    # A masked store cannot be forwarded to the next load, and a short run consists of such pairs.
    kernels = _Kernels(machine if long else replace(machine, masked=False), bool(integer))
    # Pieces of a step share its table.
    gathers = {id(step.table): step for step in ir.simple_steps(plan.steps) if isinstance(step, ir.Gather)}
    tables = {name: len(plan.buffers) + i for i, name in enumerate(gathers)}
    checks: list[ir.IndexCheck] = []
    contests: dict[int, Contest] = {}
    workspace = len(plan.buffers) + len(tables)

    def launch(step: ir.Step | FusedUpdate) -> Launch:
        """Launch a step, in pieces if it takes long."""
        parts = [step] if isinstance(step, FusedUpdate) else pieces(step)
        launches = [launch_alone(part, turn) for turn, part in enumerate(parts)]
        return together(launches)

    def together(launches: Sequence[Launch]) -> Launch:
        """Launch several pieces at the same time."""
        return launches[0] if len(launches) == 1 else _parallel(launches, kernels, workspace)

    def launch_alone(step: ir.Step | FusedUpdate, turn: int = 0) -> Launch:
        if isinstance(step, ir.Loop):
            inner = fuse_updates([part for part in step.steps if not is_empty(part)], plan.buffers)
            return _rounds(step, [launch(part) for part in inner], kernels)
        if isinstance(step, ir.IndexCheck):
            checks.append(step)
            kernel = Kernel(tuple(index_check_kernel(step, len(checks))))
            place = (step.index.buffer, step.index.offset)
            return Launch(kernels.add((ir.IndexCheck, len(checks)), kernel), (place, (workspace + 2, 0)))
        views, key = _signature(step, kernels.machine)
        arrays = [(view.buffer, view.offset) for view in views]
        if isinstance(step, ir.Gather):
            arrays.append((tables[id(step.table)], 0))
        number = kernels.number(key, step)
        kernel = kernels.found[number]
        if kernel.workspace:
            arrays.append((workspace, turn))
        if isinstance(step, ir.Contract) and kernel.product is not None:
            contests.setdefault(number, Contest(number, step, kernel.product, kernel.workspace))
            arrays += [(workspace + 4, 0), (workspace + 3, list(contests).index(number))]
        return Launch(number, tuple(arrays))

    launches: list[Launch] = []
    strip_workspace = 0
    for step in strip_mined(steps, plan, kernels.machine, workspace + 1):
        if isinstance(step, Strips):
            loops = _strip_loops(step, launch_alone, kernels, workspace)
            launches += [together(loops.launches), *[launch_alone(part) for part in loops.add]]
            strip_workspace = max(strip_workspace, loops.workspace)
        else:
            launches.append(launch(step))
    size = round_up(max([kernel.workspace for kernel in kernels.found], default=0))
    text = source(
        [kernel.lines for kernel in kernels.found],
        launches,
        plan,
        short=not long,
        integer=integer if contests else "",
        parallel=kernels.are_parallel,
    )
    found = [_with_workspaces(launch, workspace, size) for launch in launches]
    turns = 1 + max([at for launch in launches for buffer, at in launch.arrays if buffer == workspace], default=0)
    return Translation(
        tuple(found),
        tuple([_table(step) for step in gathers.values()]),
        turns * size,
        strip_workspace,
        tuple(checks),
        work,
        text,
        tuple(contests.values()),
        kernels.are_parallel,
    )


def _parallel(launches: Sequence[Launch], kernels: _Kernels, workspace: int) -> Launch:
    """The launch of a kernel that runs others at the same time, each with its own arrays."""
    kernels.are_parallel = True
    width = max([len(launch.arrays) for launch in launches])
    arrays = [place for launch in launches for place in (*launch.arrays, *[(workspace, 0)] * (width - len(launch.arrays)))]
    each = ", ".join([f"kernel{launch.kernel}" for launch in launches])
    lines = [f"static kernel *const each[] = {{{each}}};", f"run_parallel(each, array, {width}, {len(launches)});"]
    number = kernels.add((_parallel, *lines), Kernel(tuple(lines)))
    return Launch(number, (*arrays, (workspace + 5, 0)), sum([launch.steps for launch in launches]))


def _with_workspaces(launch: Launch, workspace: int, size: int) -> Launch:
    """The launch with the places of workspaces, which are numbers so far, in entries."""
    return replace(launch, arrays=tuple([(b, at * size if b == workspace else at) for b, at in launch.arrays]))


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


@dataclass(frozen=True, slots=True)
class _StripLoops:
    """Launches of strips that may run at the same time, the steps after them, and the size of the strips' own buffer."""

    launches: tuple[Launch, ...]
    add: tuple[ir.Map, ...]
    workspace: int


def _strip_loops(strips: Strips, launch: Callable[[ir.Step], Launch], kernels: _Kernels, workspace: int) -> _StripLoops:
    """Divide the strips. The first part adds to the sums themselves, each other part to copies of its own."""
    divided, own = chunks(strips), workspace + 1
    size = round_up(strips.workspace)
    end = len(divided) * size
    launches: list[Launch] = []
    add: list[ir.Map] = []
    for turn, (first, count) in enumerate(divided):
        copied = copies(strips.sums if turn else (), own, end)
        end += copied.size

        def image(view: ir.View, start: int = turn * size, places: Mapping[ir.View, ir.View] = copied.places) -> ir.View:
            return replace(view, offset=view.offset + start) if view.buffer == own else places.get(view, view)

        pieces_here = [
            replace(
                piece,
                step=with_views(piece.step, image),
                moves={image(view): move for view, move in piece.moves.items()},
            )
            for piece in strips.pieces
        ]
        launches.append(_strip_loop(pieces_here, (first, count, turn), launch, copied.clear, kernels, workspace))
        add += copied.add
    return _StripLoops(tuple(launches), tuple(add), end)


def _strip_loop(
    pieces: Sequence[Piece],
    part: tuple[int, int, int],
    launch: Callable[[ir.Step], Launch],
    before: Sequence[ir.Step],
    kernels: _Kernels,
    workspace: int,
) -> Launch:
    """The launch of a kernel that calls those of the pieces for each strip, with the arrays of all of them.

    The ``part`` is (first, count, turn): the first strip, their number, and which workspace it uses. The steps ``before`` run
    before the first strip.
    """
    first, count, turn = part
    lines: list[str] = []
    arrays: list[tuple[int, int]] = []

    def call(one: Launch, moves: Sequence[int]) -> str:
        # Tables and workspace do not move.
        every = [*moves, *[0] * (len(one.arrays) - len(moves))]
        text = _called(one, [_moved(i, move) for i, move in enumerate(every, len(arrays))])
        for (buffer, offset), move in zip(one.arrays, every, strict=True):
            arrays.append((buffer, offset + (turn if buffer == workspace else first * move)))
        return text

    lines += [call(launch(step), ()) for step in before]
    lines.append(loop("turn", count))
    for piece in pieces:
        moves = [piece.moves[view] for view in _signature(piece.step, kernels.machine)[0]]
        lines.append(call(launch(piece.step), moves))
    number = kernels.add((Strips, *lines), Kernel((*lines, "}")))
    return Launch(number, tuple(arrays), len(before) + len(pieces))


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
        case ir.GatherAt(output, argument, index) | ir.ScatterAdd(output, argument, index):
            views = (output, argument, index)
            return views, (type(step), *[view.shape for view in views], _strides(views))
        case ir.IndexCheck() | ir.Call() | ir.Check() | ir.Loop():
            raise Unsupported("a step has no kernel of its own")


def _body_key(body: tuple[ir.Number | ir.Instruction, ...]) -> tuple[Hashable, ...]:
    """A hashable key of a body, which distinguishes 0 from −0 and identifies nans."""
    return tuple([entry.value.hex() if isinstance(entry, ir.Number) else entry for entry in body])


def _strides(views: tuple[ir.View, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple([view.strides for view in views])
