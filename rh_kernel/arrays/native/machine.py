"""The machine that executes a launch table: an extension type in C on ordinary builds of CPython, otherwise ``ctypes``."""

import ctypes
import os
import struct
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from rh_kernel.arrays.arena import address
from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.ctypes_machine import CtypesMachine
from rh_kernel.arrays.native.launch_table import Table
from rh_kernel.arrays.native.toolchain import failed, library, resource
from rh_kernel.syntax.core import Array

QUICK = "-Og"
"""Flags for compiling the driver: it makes few tests and calls, and optimising it further takes longer than it saves."""


class Machine(Protocol):
    """A launch table with its arrays; call it with the inputs to run once."""

    def __call__(self, *inputs: Array) -> None:
        """Run once."""
        ...

    def steps(self, *data: Array) -> None:
        """Run once for each row of the last array, on those samples of the others."""
        ...


class Maker(Protocol):
    """Makes a machine from a library and its table, which the machine then owns."""

    def __call__(self, path: str, table: Table, /) -> Machine:
        """Return the machine."""
        ...


def maker() -> Maker:
    """Return the C driver if it can be built. If not, the next call tries again, as the compiler may have been interrupted."""
    return maker_with(_driver)


def maker_with(driver: Callable[[], Maker]) -> Maker:
    """Return the C driver, or ``CtypesMachine`` if this Python cannot have it or it cannot be loaded."""
    # The driver assumes that an object starts with a reference count and a type: no free-threaded and no tracing builds.
    if sys.implementation.name != "cpython" or object.__basicsize__ != 2 * struct.calcsize("P") or struct.calcsize("P") != 8:
        return CtypesMachine
    try:
        return driver()
    except (Unsupported, OSError, AttributeError):
        return CtypesMachine


def pool(threads: int) -> int:
    """Let runs use so many threads; return the address of the function that runs kernels by them, 0 without the C driver."""
    if maker() is CtypesMachine:
        return 0
    driver = _driver_library()
    driver.rh_set_threads(threads)
    return ctypes.cast(driver.rh_parallel, ctypes.c_void_p).value or 0


@lru_cache(maxsize=1)
def _driver_library() -> ctypes.PyDLL:
    """Raises ``Unsupported`` or ``OSError`` if the driver cannot be built and loaded."""
    return ctypes.PyDLL(str(library(driver_source(), QUICK, "-pthread")))


def driver_source() -> str:
    """Return the C source of the driver, with its pool of threads."""
    return resource("subnormals.h") + resource("pool.c") + resource("driver.c")


@lru_cache(maxsize=1)
def _driver() -> Maker:
    """Raises ``Unsupported``, ``OSError`` or ``AttributeError`` if the driver cannot be built and loaded."""
    return maker_of(_driver_library())


def driver_at(path: Path) -> Maker:
    """Load a compiled driver. Raises ``OSError`` or ``AttributeError`` if that fails."""
    return maker_of(ctypes.PyDLL(str(path)))


def maker_of(driver: ctypes.PyDLL) -> Maker:
    """Return what makes machines by a compiled driver. Raises ``AttributeError`` if it is none."""
    made = driver.rh_machine
    made.argtypes = [ctypes.c_char_p, ctypes.c_void_p, *[ctypes.py_object] * 6]
    made.restype = ctypes.py_object

    def machine(path: str, table: Table) -> Machine:
        header, leads = table.header()
        slow_paths = _slow_step(table), _slow_steps(table)
        given = np.ndarray, table.dtype, np.dtype(np.intp)
        owner = (header, leads, table, given, slow_paths)
        found: Machine = made(os.fsencode(path), address(header), owner, *given, *slow_paths)
        return found

    return machine


def loaded(source: str, table: Table) -> Machine:
    """Compile and load the source. Raises ``Unsupported`` if that fails."""
    reason = ""
    for _ in range(2):
        path = library(source)
        try:
            return maker()(str(path), table)
        except (OSError, ValueError, AttributeError) as problem:
            reason = f"what the C compiler made cannot be loaded: {problem}"
            if path.exists():
                break
            # Another process has just evicted it from the cache.
    raise failed(reason)


def _slow_step(table: Table) -> Callable[..., None]:
    """The driver's slow path for inputs that fail its quick test: validate, convert, and run."""

    def step(machine: Machine, *inputs: Array) -> None:
        machine(*table.taken(inputs))

    return step


def _slow_steps(table: Table) -> Callable[..., None]:
    """The same for several runs; the last array has the rows."""

    def steps(machine: Machine, *data: Array) -> None:
        inputs, rows = table.taken_rows(data[:-1], data[-1])
        machine.steps(*inputs, rows)

    return steps
