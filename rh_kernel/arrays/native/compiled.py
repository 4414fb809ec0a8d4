"""The native back end and its runners."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from rh_kernel.arrays.arena import ALIGNMENT, address, aligned, contents_of, round_up
from rh_kernel.arrays.backend import Arrays, ContentArrays, Memory, Runner, Unsupported
from rh_kernel.arrays.native.blas import blas
from rh_kernel.arrays.native.codegen import translate
from rh_kernel.arrays.native.kernel_choice import forced
from rh_kernel.arrays.native.launch_table import PlanInput, Table, table
from rh_kernel.arrays.native.launches import Launches
from rh_kernel.arrays.native.machine import Machine as CompiledMachine
from rh_kernel.arrays.native.machine import loaded, pool
from rh_kernel.arrays.native.parallel import most_pieces
from rh_kernel.arrays.native.products import Product, products
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.toolchain import Missing, toolchain
from rh_kernel.arrays.threads import thread_count
from rh_kernel.loops.ir import Content, Input, Integers, Kept, Plan, Precision, Row, Scratch, View
from rh_kernel.loops.trees import leaves, map_tree
from rh_kernel.primitives.smoothness import require_rows
from rh_kernel.source.interruptible import interruptible, when_large
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

INTERRUPTED = 1_000_000_000
"""Operations from which on a run can be interrupted: it may take more than a few hundredths of a second.

Another thread takes a tenth of a millisecond, which would be a tenth of the time of a step that is ten times shorter."""


def available() -> bool:
    """Whether there is a C compiler; ``RH_NATIVE=0`` disables it."""
    return not isinstance(toolchain(), Missing)


class Native:
    """The native back end."""

    prefers_gemm = False
    is_device = False

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Return a memory with copies of the contents, each aligned to a cache line."""
        return contents_of(heap, precision)

    def runner(self, plan: Plan, memory: ContentArrays) -> Runner:
        """Prepare the plan to run on that memory. Raises ``Unsupported`` if a step has no kernel or compiling fails."""
        found = toolchain()
        if isinstance(found, Missing):
            raise Unsupported(found.reason)
        item = np.dtype(plan.precision).itemsize
        machine = Machine(found.vector // item, found.registers, masked=found.masked, item=item)
        library = None if forced() is False else blas()
        translation = translate(plan, machine, library.integer if library else "")
        chosen: Sequence[Product] = ()
        gemm = 0
        if library is not None and translation.contests:
            try:
                gemm = library.gemm(plan.precision)
                chosen = products(translation, found, library, plan.precision)
            except OSError:
                translation = translate(plan, machine)
        threads = pool(min(most_pieces(), thread_count())) if translation.is_parallel else 0
        return NativeRunner(plan, memory, translation, partial(loaded, translation.source), chosen, (gemm, threads))


class NativeRunner:
    """A plan in machine code. ``step`` is the machine itself, so a run is a single call, unless it may take long.

    ``machine`` makes the machine, with the kernels that the launches name. ``products`` are the matrix products that a BLAS may
    compute; ``functions`` are the addresses of its function and of the pool's.
    """

    __slots__ = ("_buffers", "_checks", "_machine", "_plan", "_status", "_touched", "products", "step")

    step: Callable[..., None]

    def __init__(
        self,
        plan: Plan,
        memory: ContentArrays,
        translation: Launches,
        machine: Callable[[Table], CompiledMachine],
        products: Sequence[Product] = (),
        functions: tuple[int, int] = (0, 0),
    ) -> None:
        self.products = tuple(products)
        dtype = np.dtype(plan.precision)
        self._plan = plan
        self._touched = plan.touched
        shown = {view.buffer for view in leaves(plan.result)}
        arena = _Arena(dtype)
        scratch = arena.reserve(plan.scratch)
        places: list[tuple[int, int] | Array] = []
        for number, buffer in enumerate(plan.buffers):
            match buffer:
                case Input(_, size):
                    places.append(arena.reserve(size) if number in shown else (0, 0))
                case Content(location, size):
                    places.append(_content(memory[location], size, dtype))
                case Kept(array):
                    places.append(arena.reserve(array.size))
                case Scratch(start, size):
                    places.append((scratch[0] + start, size))
                case Row():
                    places.append((0, 0))
        sizes = (translation.workspace, translation.further_workspace, 2, len(products))
        further = [arena.reserve(size) for size in sizes]
        arena.fill()
        self._buffers = [place if isinstance(place, np.ndarray) else arena.part(place) for place in places]
        for buffer, array in zip(plan.buffers, self._buffers, strict=True):
            if isinstance(buffer, Kept):
                array[:] = buffer.array.reshape(-1)
        self._checks = translation.checks
        self._status = arena.part(further[2])
        arena.part(further[3])[:] = [product.by_blas for product in products]
        everything = [*self._buffers, *translation.tables, *map(arena.part, further)]
        bases = [address(array) for array in everything]
        bases += functions
        copies = {
            buffer.position: bases[number]
            for number, buffer in enumerate(plan.buffers)
            if isinstance(buffer, Input) and number in shown
        }
        inputs = [PlanInput(tuple(shape), copies.get(i, 0)) for i, shape in enumerate(plan.inputs)]
        steps = _steps(plan, translation, dtype.itemsize)
        rows = table(steps, bases, inputs, plan.samples, dtype, everything, release=translation.is_long)
        self._machine = machine(rows)
        run = self._machine if translation.work <= INTERRUPTED else self._long_step
        self.step = partial(self._checked, run) if self._checks else run

    @property
    def choices(self) -> Sequence[str]:
        """Which kernel computes each large matrix product, and how long it took to measure the new ones."""
        lines = [str(product) for product in self.products]
        spent = sum(product.spent for product in self.products)
        return [*lines, f"measured now, in {1e3 * spent:.0f} ms"] if spent else lines

    def _long_step(self, *inputs: Array) -> None:
        interruptible(lambda: self._machine(*inputs))

    def steps(self, inputs: Sequence[Array], rows: Integers) -> None:
        """Run once for each row, possibly without holding the GIL."""
        when_large(self._touched, lambda: self._machine.steps(*inputs, rows))
        self._raise_noted()

    def _checked(self, run: Callable[..., None], *inputs: Array) -> None:
        run(*inputs)
        self._raise_noted()

    def _raise_noted(self) -> None:
        """Raise ``Stuck`` if a check has failed, which reports the first one."""
        number, wrong = self._status
        if number:
            self._status[:] = 0
            check = self._checks[int(number) - 1]
            require_rows(np.array([wrong]), check.rows, check.span)

    def result(self) -> Arrays:
        """Return the result of the last run."""
        return map_tree(self._plan.result, self._copied)

    def _copied(self, view: View) -> Array:
        array = self._buffers[view.buffer]
        if prod(view.shape) == 0:
            return np.zeros(view.shape, array.dtype)
        item = array.itemsize
        strides = tuple([item * s for s in view.strides])
        return np.ndarray(view.shape, array.dtype, array.reshape(-1).data, item * view.offset, strides).copy()


class _Arena:
    """An arena: blocks, aligned to cache lines, are reserved first and then allocated together."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._size = 0
        self._dtype = dtype
        self._array = aligned(0, dtype)

    def reserve(self, size: int) -> tuple[int, int]:
        """Reserve a block and return its start and size."""
        start = self._size
        self._size += round_up(size, ALIGNMENT // self._dtype.itemsize)
        return start, size

    def fill(self) -> None:
        """Allocate the reserved blocks."""
        self._array = aligned(self._size, self._dtype)

    def part(self, block: tuple[int, int]) -> Array:
        """Return a block as a one-dimensional array."""
        start, size = block
        return self._array[start : start + size]


def _content(array: Array, size: int, dtype: np.dtype[Any]) -> Array:
    if array.dtype != dtype or array.size != size or not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError("a location's content is not a contiguous array of the plan's precision")
    return array.reshape(-1)


def _steps(plan: Plan, translation: Launches, item: int) -> list[tuple[int, list[tuple[int, int]]]]:
    """The kernel of each step, and for each of its arrays the buffer (−1 − i for input i) and the offset in bytes."""
    numbers = [-1 - buffer.position if isinstance(buffer, Input) else i for i, buffer in enumerate(plan.buffers)]
    numbers += range(len(plan.buffers), len(plan.buffers) + len(translation.tables) + 6)
    return [(one.kernel, [(numbers[buffer], item * at) for buffer, at in one.arrays]) for one in translation.launches]
