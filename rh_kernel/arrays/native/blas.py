"""The BLAS that NumPy carries, for calls from generated code.

Only OpenBLAS is used: it is what NumPy's wheels carry, and its number of threads can be set, on which the last digits of a
product depend. Generated code calls a copy of the library that always has one thread, so that NumPy keeps its own threads,
whatever else uses or changes them.
"""

import ctypes
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rh_kernel.arrays.blas_threads import openblas
from rh_kernel.arrays.native.compile_cache import digest, folder, most_bytes, write_atomically
from rh_kernel.arrays.native.toolchain import own_folder
from rh_kernel.loops.ir import Precision

AFFIXES = (("scipy_", "64_"), ("", "64_"), ("scipy_", ""), ("", ""))
"""What NumPy's wheels and distributions put before and after the names of OpenBLAS; ``64_`` means integers of 64 bits."""

THREADS = "OPENBLAS_NUM_THREADS"


@dataclass(frozen=True, slots=True)
class Blas:
    """A BLAS. ``integer`` is the C type of its extents; ``name`` has its version and the kind of processor."""

    name: str
    integer: str
    _path: str
    _affixes: tuple[str, str]

    def gemm(self, precision: Precision) -> int:
        """Return the address of the matrix product, which takes one thread. Raises ``OSError`` if it cannot be loaded."""
        before, after = self._affixes
        function = getattr(_single(self._path, before, after), f"{before}cblas_{_LETTERS[precision]}gemm{after}")
        return ctypes.cast(function, ctypes.c_void_p).value or 0


_LETTERS = {"float64": "d", "float32": "s"}


@cache
def blas() -> Blas | None:
    """Return NumPy's BLAS, or ``None`` if it is not an OpenBLAS with the names expected."""
    found = openblas()
    if found is None:
        return None
    path, name = found
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    for before, after in AFFIXES:
        names = (*[f"cblas_{letter}gemm" for letter in _LETTERS.values()], "openblas_set_num_threads")
        if all(hasattr(library, f"{before}{known}{after}") for known in names):
            return Blas(name, "int64_t" if after else "int", path, (before, after))
    return None


@cache
def _single(path: str, before: str, after: str) -> ctypes.CDLL:
    """Load a copy of the library, which the system takes for another one, and set it to one thread."""
    there = os.environ.get(THREADS)
    # Otherwise it would start a thread for each core when it is loaded.
    os.environ[THREADS] = "1"
    try:
        library = ctypes.CDLL(str(_copy(Path(path))))
    finally:
        if there is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = there
    getattr(library, f"{before}openblas_set_num_threads{after}")(1)
    return library


def _copy(path: Path) -> Path:
    """The copy in the cache folder, or in a temporary one."""
    state = path.stat()
    name = f"{digest(os.fsencode(path.name), str(state.st_size).encode(), str(state.st_mtime_ns).encode())[:32]}.blas"
    try:
        copy = (folder() if most_bytes() >= state.st_size else Path(own_folder())) / name
    except OSError:
        copy = Path(own_folder()) / name
    if not copy.exists() or copy.stat().st_size != state.st_size:
        write_atomically(path.read_bytes(), copy)
    return copy
