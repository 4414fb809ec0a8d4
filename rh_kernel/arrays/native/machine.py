"""The machine that walks a table: an object of the driver's type where Python is built as usual, else by ``ctypes``."""

import ctypes
import os
import struct
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

import numpy as np

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.contents import address
from rh_kernel.arrays.native.addresses import ByAddress
from rh_kernel.arrays.native.table import Table
from rh_kernel.arrays.native.toolchain import failed, library, resource
from rh_kernel.syntax.core import Array

QUICK = "-Og"
"""How the driver is compiled: its time is that of a few tests and calls, and more thought by the compiler takes long."""


class Machine(Protocol):
    """A table with its arrays; called with the inputs, it runs once."""

    def __call__(self, *inputs: Array) -> None:
        """One run."""
        ...

    def steps(self, *data: Array) -> None:
        """A run for each row of the last array, on those samples of the others."""
        ...


class Maker(Protocol):
    """What makes a machine from a library and the table that belongs to it, which is then the machine's own."""

    def __call__(self, path: str, table: Table, /) -> Machine:
        """The machine."""
        ...


def maker() -> Maker:
    """The driver's machine, if it can be had. If not, it is asked for again: the compiler may have been stopped."""
    # An object begins with a count and a type: no build for several threads at once, no build that traces references.
    if sys.implementation.name != "cpython" or object.__basicsize__ != 2 * struct.calcsize("P") or struct.calcsize("P") != 8:
        return ByAddress
    try:
        return _driver()
    except (Unsupported, OSError, AttributeError):
        return ByAddress


@lru_cache(maxsize=1)
def _driver() -> Maker:
    """Raises ``Unsupported``, ``OSError`` or ``AttributeError`` if the driver cannot be made and loaded."""
    made = ctypes.PyDLL(str(library(resource("driver.c"), QUICK))).rh_machine
    made.argtypes = [ctypes.c_char_p, ctypes.c_void_p, *[ctypes.py_object] * 6]
    made.restype = ctypes.py_object

    def machine(path: str, table: Table) -> Machine:
        header, leads = table.header()
        judges = _again(table), _rows_again(table)
        given = np.ndarray, table.dtype, np.dtype(np.intp)
        owner = (header, leads, table, given, judges)
        found: Machine = made(os.fsencode(path), address(header), owner, *given, *judges)
        return found

    return machine


def loaded(source: str, table: Table) -> Machine:
    """The machine of that source's library. Raises ``Unsupported`` if the library cannot be made or loaded."""
    reason = ""
    for _ in range(2):
        path = library(source)
        try:
            return maker()(str(path), table)
        except (OSError, ValueError, AttributeError) as problem:
            reason = f"what the C compiler made cannot be loaded: {problem}"
            if path.exists():
                break
            # Another process has made room in the folder, just now.
    raise failed(reason)


def _again(table: Table) -> Callable[..., None]:
    """What the driver calls with the machine and inputs that are not plainly right."""

    def step(machine: Machine, *inputs: Array) -> None:
        machine(*table.taken(inputs))

    return step


def _rows_again(table: Table) -> Callable[..., None]:
    """The same for several runs; what comes last are the rows."""

    def steps(machine: Machine, *data: Array) -> None:
        inputs, rows = table.taken_rows(data[:-1], data[-1])
        machine.steps(*inputs, rows)

    return steps
