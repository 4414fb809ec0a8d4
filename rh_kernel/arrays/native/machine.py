"""The machine that walks a table: an extension module if Python's headers are there, else by ``ctypes``."""

import sys
import sysconfig
from functools import lru_cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Protocol

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.addresses import ByAddress
from rh_kernel.arrays.native.toolchain import driver_flags, library, resource
from rh_kernel.arrays.plan import Integers
from rh_kernel.arrays.program import Extent
from rh_kernel.syntax.core import Array


class Machine(Protocol):
    """A table with its arrays; called with the inputs, it runs once."""

    def __call__(self, *inputs: Array) -> None:
        """One run."""
        ...

    def steps(self, inputs: tuple[Array, ...], rows: Integers, /) -> None:
        """A run for each row, on those samples."""
        ...


class Maker(Protocol):
    """What makes a machine from a library and a table.

    ``inputs`` are their shapes and where a copy of each goes (0: nowhere); ``code`` is ``d`` or ``f``; ``samples`` is −1 if
    inputs are not batched; ``release``, if true, lets other threads run meanwhile; ``owner`` is kept as long as the machine.
    Inputs are best of exactly that ``array_type`` and ``dtype``.
    """

    def __call__(
        self,
        path: str,
        table: Integers,
        bases: Array,
        inputs: tuple[tuple[Extent, int], ...],
        code: str,
        samples: int,
        release: object,
        owner: object,
        array_type: type,
        dtype: object,
        /,
    ) -> Machine:
        """The machine."""
        ...


@lru_cache(maxsize=1)
def maker() -> Maker:
    """The extension module's machine, if it can be had."""
    flags = driver_flags()
    if flags is not None:
        # The same source is another library for another Python.
        source = f"/* {sys.version} {sysconfig.get_config_var('SOABI')} */\n{resource('driver.c')}"
        try:
            return _extension(library(source, *flags))
        except (Unsupported, ImportError):
            return ByAddress
    return ByAddress


def _extension(path: Path) -> Maker:
    spec = spec_from_file_location("rh_driver", path, loader=ExtensionFileLoader("rh_driver", str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"no module can be loaded from {path}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Maker = module.Machine
    return made
