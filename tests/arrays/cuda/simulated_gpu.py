"""A GPU in NumPy and C++: as much of CuPy as the back end uses, so that all of it runs where there is no GPU.

Kernels are compiled by g++ behind a few lines that say what CUDA's words mean. The threads of a block take turns at each
barrier, in either order: a barrier that is missing shows as a result that depends on the order, and one that not all threads
come to is told.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any

import numpy as np

COMPILER = shutil.which("g++")

SHIM = """
#include <math.h>
#include <stdlib.h>
#include <ucontext.h>
#define __global__
#define __device__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(n)
struct Place { unsigned x; };
static Place threadIdx, blockIdx, blockDim, gridDim;
static ucontext_t back, fibers[1024];
static char ended[1024];
static unsigned now;
static void __syncthreads() { swapcontext(&fibers[now], &back); }
typedef void (*Kernel)(void*, void*, void*, void*, int, int);
static Kernel kernel;
static void* given[4];
static int first_, count_;
static void body() {
    kernel(given[0], given[1], given[2], given[3], first_, count_);
    ended[now] = 1;
    swapcontext(&fibers[now], &back);
}
extern "C" int launch(Kernel k, unsigned blocks, unsigned threads, void** tables, int first, int count, int descending) {
    static char* const stacks = (char*)malloc(1024 * 32768);
    kernel = k; first_ = first; count_ = count;
    for (int i = 0; i < 4; i++) given[i] = tables[i];
    gridDim.x = blocks; blockDim.x = threads;
    for (unsigned b = 0; b < blocks; b++) {
        blockIdx.x = descending ? blocks - 1 - b : b;
        for (unsigned t = 0; t < threads; t++) {
            ended[t] = 0;
            getcontext(&fibers[t]);
            fibers[t].uc_stack.ss_sp = stacks + t * 32768;
            fibers[t].uc_stack.ss_size = 32768;
            fibers[t].uc_link = &back;
            makecontext(&fibers[t], body, 0);
        }
        unsigned left = threads;
        while (left) {
            unsigned before = left;
            for (unsigned t = 0; t < threads; t++) {
                now = descending ? threads - 1 - t : t;
                threadIdx.x = now;
                swapcontext(&back, &fibers[now]);
                if (ended[now]) left--;
            }
            if (left && left != before) return 1;
        }
    }
    return 0;
}
"""


class DeviceArray(np.ndarray[Any, Any]):
    """An array that must be brought here and back by the words for it."""

    @property
    def data(self) -> Any:
        """Its address."""
        return SimpleNamespace(ptr=self.__array_interface__["data"][0])

    def set(self, values: np.ndarray[Any, Any]) -> None:
        """What CuPy takes, and nothing else."""
        assert type(values) is np.ndarray
        assert (values.dtype, values.shape) == (self.dtype, self.shape)
        self[...] = values


class Stream:
    """Work is done at once, or written down while it is captured."""

    captured: list[Callable[[], None]] | None = None

    def __init__(self, *, non_blocking: bool) -> None:
        assert non_blocking

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None) -> None:
        pass

    def synchronize(self) -> None:
        assert Stream.captured is None

    def begin_capture(self) -> None:
        Stream.captured = []

    def end_capture(self) -> Any:
        work, Stream.captured = Stream.captured, None
        assert work

        def launch(stream: Stream) -> None:
            for action in work:
                action()

        return SimpleNamespace(launch=launch)


class SimulatedGPU:
    """The modules ``cupy`` and ``cupy_backends.cuda.libs.cublas``, with libraries kept in ``folder``."""

    def __init__(self, folder: Path, *, descending: bool = False) -> None:
        self.folder = folder
        self.descending = descending
        self.launches = 0
        self.products = 0
        self.lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=_as_strided))
        self.cuda = SimpleNamespace(Stream=Stream, device=SimpleNamespace(get_cublas_handle=lambda: 7))
        self.RawModule = self._raw_module
        self.dgemm = self._gemm(ctypes.c_double)
        self.sgemm = self._gemm(ctypes.c_float)
        self.dgemmStridedBatched = self._batched(ctypes.c_double)
        self.sgemmStridedBatched = self._batched(ctypes.c_float)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def module(self, name: str) -> Any:
        """What ``import_module`` gives."""
        assert name in {"cupy", "cupy_backends.cuda.libs.cublas"}
        return self

    def asarray(self, array: np.ndarray[Any, Any]) -> Any:
        assert not isinstance(array, DeviceArray)
        return np.array(array).view(DeviceArray)

    def asnumpy(self, array: Any) -> np.ndarray[Any, Any]:
        assert isinstance(array, DeviceArray)
        return np.array(array, order="C", subok=False)

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        return np.full(shape, np.nan if np.dtype(dtype).kind == "f" else -7, dtype=dtype).view(DeviceArray)

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        return np.zeros(shape, dtype=dtype).view(DeviceArray)

    def _raw_module(self, *, code: str, options: tuple[str, ...]) -> Any:
        assert options
        library = compiled(SHIM + code, self.folder)
        return SimpleNamespace(get_function=functools.partial(self._kernel, library))

    def _kernel(self, library: ctypes.CDLL, name: str) -> Callable[..., None]:
        function = ctypes.cast(library[name], ctypes.c_void_p)

        def start(grid: tuple[int], block: tuple[int], arguments: Sequence[Any]) -> None:
            *tables, first, count = arguments
            assert [type(n) for n in (first, count)] == [np.int32, np.int32]
            assert block[0] & (block[0] - 1) == 0
            pointers = (ctypes.c_void_p * 4)(*[table.data.ptr for table in tables])

            def work() -> None:
                self.launches += 1
                problem = library.launch(function, grid[0], block[0], pointers, int(first), int(count), int(self.descending))
                assert problem == 0, "not all threads of a block come to a barrier"

            if Stream.captured is None:
                work()
            else:
                Stream.captured.append(work)

        return start

    def _gemm(self, kind: Any) -> Callable[..., None]:
        def gemm(
            handle: int,
            ta: int,
            tb: int,
            m: int,
            n: int,
            k: int,
            alpha: int,
            A: int,
            lda: int,
            B: int,
            ldb: int,
            beta: int,
            C: int,
            ldc: int,
        ) -> None:
            assert Stream.captured is None, "calling cuBLAS API during stream capture is currently unsupported"
            assert handle == 7
            self.products += 1
            a, b = (
                _by_columns(kind, A, lda, *((k, m) if ta else (m, k))),
                _by_columns(kind, B, ldb, *((n, k) if tb else (k, n))),
            )
            c = _by_columns(kind, C, ldc, m, n)
            x, y = [ctypes.cast(at, ctypes.POINTER(kind))[0] for at in (alpha, beta)]
            c[...] = x * ((a.T if ta else a) @ (b.T if tb else b)) + (y * c if y else 0)

        return gemm

    def _batched(self, kind: Any) -> Callable[..., None]:
        one, size = self._gemm(kind), ctypes.sizeof(kind)

        def gemm(
            handle: int, ta: int, tb: int, m: int, n: int, k: int, alpha: int,
            A: int, lda: int, a: int, B: int, ldb: int, b: int, beta: int, C: int, ldc: int, c: int, count: int,
        ) -> None:  # fmt: skip
            for i in range(count):
                at = [x + i * step * size for x, step in ((A, a), (B, b), (C, c))]
                one(handle, ta, tb, m, n, k, alpha, at[0], lda, at[1], ldb, beta, at[2], ldc)

        return gemm


def compiled(text: str, folder: Path) -> ctypes.CDLL:
    """The library of a text, compiled once."""
    assert COMPILER is not None
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    library = folder / f"{name}.so"
    if not library.exists():
        source = folder / f"{name}.cpp"
        source.write_text(text, encoding="utf-8")
        words = [COMPILER, "-std=c++17", "-O0", "-w", "-shared", "-fPIC", "-o", str(library), str(source)]
        subprocess.run(words, check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(library))


def _as_strided(x: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    return np.lib.stride_tricks.as_strided(x, shape, strides, subok=True)


def _by_columns(kind: Any, address: int, leading: int, rows: int, columns: int) -> np.ndarray[Any, Any]:
    """The matrix that is stored by columns there."""
    assert leading >= max(1, rows)
    flat = np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), shape=(leading * (columns - 1) + rows,))
    return np.lib.stride_tricks.as_strided(flat, (rows, columns), (flat.itemsize, leading * flat.itemsize))
