"""The CUDA back end, through CuPy: data, weights and intermediate results stay on the device from step to step.

A small plan is a single kernel for any number of runs; a medium one is captured as a CUDA graph of its kernels; a large one
launches its kernels one by one and leaves matrix products to cuBLAS. There is one stream; each call synchronises.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import EllipsisType, ModuleType
from typing import Any, Protocol

import numpy as np

from rh_kernel.arrays.arena import contents_of, copied, layout_of
from rh_kernel.arrays.backend import Arrays, ContentArrays, Memory, Unsupported
from rh_kernel.arrays.cuda.contractions import Matrix, Product
from rh_kernel.arrays.cuda.module import BLOCK, Launch, LaunchMode, Module, module
from rh_kernel.arrays.cuda.templates import LOAD, NEXT, RUN
from rh_kernel.arrays.devices import MissingGPU, gpu
from rh_kernel.arrays.errors import GPUFailed
from rh_kernel.arrays.program import Extent
from rh_kernel.arrays.stacks import Stack, places
from rh_kernel.loops.ir import Buffer, Call, Check, Content, Input, Integers, Kept, Plan, Precision, Row, Scratch, View
from rh_kernel.loops.trees import map_tree
from rh_kernel.primitives.smoothness import require_smooth
from rh_kernel.primitives.table import kernel as kernel_of
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

LONGEST_LAUNCH = 1 << 30
"""Operations, about, per launch of a kernel for whole runs: a fraction of a second, so that others get a turn."""

LONGEST_WORDS = 200
"""Characters of a CUDA error message that are shown; a compiler's can be much longer."""


class Pointer(Protocol):
    """The device memory of an array."""

    @property
    def ptr(self) -> int:
        """The address."""
        ...


class DeviceArray(Protocol):
    """An array on the device: the part of CuPy's interface that is used here."""

    @property
    def data(self) -> Pointer:
        """The device memory."""
        ...

    @property
    def itemsize(self) -> int:
        """The bytes per entry."""
        ...

    @property
    def size(self) -> int:
        """The number of entries."""
        ...

    @property
    def shape(self) -> Extent:
        """The size of each axis."""
        ...

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The data type of the entries."""
        ...

    def reshape(self, shape: int | Extent) -> "DeviceArray":
        """Return the same entries in another shape."""
        ...

    def set(self, values: "np.ndarray[Any, Any]") -> None:
        """Copy these entries to the device."""
        ...

    def fill(self, value: int) -> None:
        """Set each entry to this number."""
        ...

    def __getitem__(self, at: slice) -> "DeviceArray": ...

    def __setitem__(self, at: EllipsisType, value: "DeviceArray") -> None: ...


@dataclass(slots=True)
class Traffic:
    """The numbers of host-to-device and device-to-host copies."""

    up: int = 0
    down: int = 0


class CupyBackend:
    """The GPU. Raises ``Unsupported`` if there is none. ``way`` overrides, in tests, how plans are launched at first."""

    prefers_gemm = False
    is_device = True

    def __init__(self, way: LaunchMode | None = None) -> None:
        self.way = way
        self.traffic = Traffic()
        found = gpu()
        if isinstance(found, MissingGPU):
            raise Unsupported(found.why)
        self.xp: Any = import_module("cupy")
        self.blas: Any = import_module("cupy_backends.cuda.libs.cublas")
        self.stream: Any = _stream(self.xp)

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Return a memory on the device with copies of the contents."""
        return DeviceMemory(self, heap, precision)

    def runner(self, plan: Plan, memory: ContentArrays) -> "CupyRunner":
        """Prepare the plan to run on that memory. Raises ``Unsupported`` only if ``way`` is set and does not suit the plan."""
        return CupyRunner(self, plan, memory)

    @contextmanager
    def working(self) -> Generator[None, None, None]:
        """Inside, use the stream. Raises ``Stuck`` if CUDA fails."""
        try:
            with self.stream:
                yield
        except RuntimeError as problem:
            raise Stuck(GPUFailed(why=" ".join(str(problem).split())[:LONGEST_WORDS])) from problem

    def up(self, array: "np.ndarray[Any, Any]") -> DeviceArray:
        """Copy an array to the device."""
        self.traffic.up += 1
        return self.xp.asarray(array)

    def write(self, there: DeviceArray, array: "np.ndarray[Any, Any]") -> None:
        """Copy the entries of an array into one on the device."""
        self.traffic.up += 1
        there.set(np.ascontiguousarray(array, dtype=there.dtype))

    def down(self, array: DeviceArray) -> Array:
        """Copy an array from the device, after all earlier work has finished."""
        self.traffic.down += 1
        return self.xp.asnumpy(array)


class DeviceMemory(Memory):
    """The contents on the device, as parts of one array, so that a single transfer fetches them."""

    __slots__ = ("_backend", "_known", "_layout", "_parts", "_whole")

    def __init__(self, backend: CupyBackend, heap: Mapping[Location, Array], precision: Precision) -> None:
        self._backend = backend
        self._layout = layout_of(heap)
        contents = contents_of(heap, precision)
        with backend.working():
            self._whole = backend.up(contents.whole)
            self._parts = {at: self._whole[part].reshape(shape) for at, part, shape in self._layout.parts()}
            stacked = [(at, i, place) for at in self._parts if isinstance(at, Stack) for i, place in enumerate(places(at))]
            members = {at: self._parts[whole][i : i + 1].reshape(self._parts[whole].shape[1:]) for whole, i, at in stacked}
            self._known = {**self._parts, **members}

    def __getitem__(self, location: Location) -> DeviceArray:
        return self._known[location]

    def __iter__(self) -> Iterator[Location]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def store(self, heap: Mapping[Location, Array]) -> None:
        """Overwrite the contents of these locations."""
        with self._backend.working():
            for location, array in heap.items():
                self._backend.write(self._known[location], array)

    def fetch(self, over: Mapping[Location, Array] | None = None) -> Mapping[Location, Array]:
        """Return the current contents."""
        with self._backend.working():
            return copied(self._backend.down(self._whole), self._layout, over)


@cache
def _stream(cupy: ModuleType) -> object:
    """The stream shared by all back ends, because CuPy's memory pool reuses freed memory per stream."""
    return cupy.cuda.Stream(non_blocking=True)


class CupyRunner:
    """A plan with its buffers on the device and its kernels compiled."""

    def __init__(self, backend: CupyBackend, plan: Plan, memory: ContentArrays) -> None:
        self.backend = backend
        self.plan = plan
        self.module: Module = module(plan, backend.way)
        self.samples = plan.samples or 1
        xp = backend.xp
        self._graph: Any = None
        self._has_run = False
        self._given: tuple[Array, ...] = ()
        self._there: list[DeviceArray] = []
        self._staged: list[DeviceArray] = []
        self._bound: tuple[int, ...] = ()
        with backend.working():
            code: Any = xp.RawModule(code=self.module.text, options=("--std=c++17",))
            self._kernels: dict[str, Any] = {name: code.get_function(name) for name in self.module.kernels}
            scratch = xp.empty(max(1, plan.scratch), dtype=plan.precision)
            self._buffers = [self._buffer(b, scratch, memory) for b in plan.buffers]
            self._buffers += [backend.up(table) for table in self.module.tables]
            addresses = [self._address(b, offset) for b, offset in self.module.pointers]
            calls = [(len(self.module.calls), 0, 0), *self.module.calls]
            self._data: DeviceArray = xp.zeros(1 + len(plan.inputs), dtype=np.uint64)
            self._counter: DeviceArray = xp.zeros(1, dtype=np.int64)
            tables = (np.array([*addresses, 0], dtype=np.uint64), np.array(calls, dtype=np.int32).reshape(-1))
            self._arguments = (*[backend.up(table) for table in tables], self._data, self._counter)
            self._rows: DeviceArray = backend.up(np.arange(self.samples, dtype=np.int64))
            self._table: DeviceArray = self._rows
            self._factors: list[np.ndarray[Any, Any]] = []  # cuBLAS reads them in place
            self._actions = [self._action(action) for action in self.module.actions]

    def step(self, *inputs: Array) -> None:
        """Run once. Raises ``ValueError`` if the inputs do not have the plan's precision and shapes."""
        self._require([(x, shape) for x, shape in zip(inputs, self.plan.inputs, strict=True)])
        with self.backend.working():
            if not self._staged:
                self._staged = [self.backend.xp.empty(shape, dtype=self.plan.precision) for shape in self.plan.inputs]
            for there, x in zip(self._staged, inputs, strict=True):
                self.backend.write(there, x)
            self._bind(self._rows, self._staged)
            self._run(1)
            self.backend.stream.synchronize()

    def steps(self, inputs: Sequence[Array], rows: Integers) -> None:
        """Run once for each row of ``rows``, on those samples of the inputs.

        The inputs are copied to the device once, as long as they are the same arrays, so they must not be modified in between.
        """
        per_sample = [shape if self.plan.samples is None else shape[1:] for shape in self.plan.inputs]
        self._require([(x, (len(x), *shape)) for x, shape in zip(inputs, per_sample, strict=True)])
        least = min([len(x) for x in inputs], default=0)
        if (
            rows.ndim != 2
            or rows.shape[1] != self.samples
            or (inputs and rows.size and not 0 <= rows.min() <= rows.max() < least)
        ):
            raise ValueError("the rows are not those of samples")
        with self.backend.working():
            if len(inputs) != len(self._given) or any(x is not y for x, y in zip(inputs, self._given, strict=True)):
                self._there = [self.backend.up(np.ascontiguousarray(x)) for x in inputs]
                self._given = tuple(inputs)
            self._bind(self._upload_rows(np.ascontiguousarray(rows, dtype=np.int64).reshape(-1)), self._there)
            self._run(len(rows))
            self.backend.stream.synchronize()

    def result(self) -> Arrays:
        """Return the result of the last run, as new NumPy arrays."""
        with self.backend.working():
            return map_tree(self.plan.result, lambda view: self.backend.down(self._array(view)))

    def _require(self, given: Sequence[tuple[Array, tuple[int, ...]]]) -> None:
        for x, shape in given:
            if x.shape != shape or x.dtype != self.plan.precision:
                raise ValueError(f"an array of {x.dtype}{x.shape} for one of {self.plan.precision}{shape}")

    def _buffer(self, buffer: Buffer, scratch: DeviceArray, memory: ContentArrays) -> DeviceArray:
        match buffer:
            case Input(_, size):
                return self.backend.xp.empty(max(1, size), dtype=self.plan.precision)
            case Content(location):
                return memory[location].reshape(-1)
            case Kept(array):
                return self.backend.up(np.ascontiguousarray(array, dtype=self.plan.precision))
            case Scratch(start, size):
                return scratch[start : start + size]
            case Row():
                return scratch[:0]

    def _address(self, buffer: int, offset: int) -> int:
        array = self._buffers[buffer]
        return int(array.data.ptr) + offset * int(array.itemsize)

    def _array(self, view: View) -> DeviceArray:
        """The view as a CuPy array."""
        base = self._buffers[view.buffer]
        if 0 in view.shape:
            return self.backend.xp.empty(view.shape, dtype=self.plan.precision)
        strides = tuple([s * int(base.itemsize) for s in view.strides])
        return self.backend.xp.lib.stride_tricks.as_strided(base[view.offset :], view.shape, strides)

    def _upload_rows(self, rows: "np.ndarray[Any, np.dtype[np.int64]]") -> DeviceArray:
        """Copy the rows to the device, over those of the last call if they fit."""
        if self._table is self._rows or self._table.size < rows.size:
            self._table = self.backend.up(rows)
        else:
            self.backend.write(self._table[: rows.size], rows)
        return self._table

    def _bind(self, rows: DeviceArray, data: Sequence[DeviceArray]) -> None:
        """Select the rows and the data for the following runs."""
        addresses = tuple([int(x.data.ptr) for x in (rows, *data)])
        if addresses != self._bound:
            self._data.set(np.array(addresses, dtype=np.uint64))
            self._bound = addresses

    def _run(self, runs: int) -> None:
        match self.module.way:
            case LaunchMode.WHOLE:
                most = max(1, LONGEST_LAUNCH // self.module.work)
                for first in range(0, runs, most):
                    self._launch(RUN, 1, self.module.threads, first, min(most, runs - first))
            case LaunchMode.CAPTURED | LaunchMode.LAUNCHED:
                self._counter.fill(0)
                for _ in range(runs):
                    self._run_once()

    def _run_once(self) -> None:
        """Run once; the first run is not captured, because it loads the kernels."""
        if self.module.way is LaunchMode.LAUNCHED or not self._has_run:
            self._has_run = True
            self._launch_all()
            return
        stream = self.backend.stream
        if self._graph is None:
            stream.begin_capture()
            self._launch_all()
            self._graph = stream.end_capture()
        self._graph.launch(stream)

    def _launch_all(self) -> None:
        self._launch(LOAD, self.module.loading, BLOCK, 0, 1)
        for action in self._actions:
            action()
        self._launch(NEXT, 1, 1, 0, 1)

    def _launch(self, name: str, blocks: int, threads: int, first: int, count: int) -> None:
        self._kernels[name]((blocks,), (threads,), (*self._arguments, np.int32(first), np.int32(count)))

    def _action(self, action: Launch | Product | Call | Check) -> Callable[[], None]:
        match action:
            case Launch(name, number, blocks):
                if self.module.way is LaunchMode.WHOLE:
                    return lambda: None
                start = self._kernels[name]
                arguments = (*self._arguments, np.int32(number), np.int32(1))
                return lambda: start((blocks,), (BLOCK,), arguments)
            case Product():
                return self._product(action)
            case Call(f, output, arguments):
                function: Any = kernel_of(f, self.backend.xp)
                return self._call(function, self._array(output), [self._array(v) for v in arguments])
            case Check(f, arguments, span, shown):
                views = [self._array(v) for v in arguments]
                return lambda: require_smooth(f, [self.backend.down(v) for v in views], span, shown)

    def _call(
        self, function: Callable[..., DeviceArray], output: DeviceArray, arguments: Sequence[DeviceArray]
    ) -> Callable[[], None]:
        def call() -> None:
            output[...] = function(*arguments).reshape(output.shape)

        return call

    def _product(self, p: Product) -> Callable[[], None]:
        blas, xp = self.backend.blas, self.backend.xp
        is_double = self.plan.precision == "float64"
        factors = np.array([p.alpha, p.beta], dtype=self.plan.precision)
        alpha, beta = factors.ctypes.data, factors.ctypes.data + factors.itemsize
        A, B, C = [self._address(x.view.buffer, x.view.offset) for x in (p.A, p.B, p.C)]
        modes = (_mode(p.A), _mode(p.B))
        if p.samples == 1:
            gemm = blas.dgemm if is_double else blas.sgemm
            plain = (*modes, p.m, p.n, p.k, alpha, A, p.A.leading, B, p.B.leading, beta, C, p.C.leading)
        else:
            gemm = blas.dgemmStridedBatched if is_double else blas.sgemmStridedBatched
            plain = (*modes, p.m, p.n, p.k, alpha, A, p.A.leading, p.A.apart, B, p.B.leading, p.B.apart, beta)
            plain = (*plain, C, p.C.leading, p.C.apart, p.samples)

        self._factors.append(factors)
        return lambda: gemm(xp.cuda.device.get_cublas_handle(), *plain)


def _mode(x: Matrix) -> int:
    """``CUBLAS_OP_T`` or ``CUBLAS_OP_N``"""
    return 1 if x.is_transposed else 0
