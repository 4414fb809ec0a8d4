"""The compiled library: where it is, whether it can be used, and which of its files suit the processor."""

import ctypes
import hashlib
import os
import platform
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from rh_kernel.arrays.native.machine import Maker, driver_at, maker_with
from rh_kernel.arrays.native.toolchain import ISA, Missing, resource
from rh_kernel.arrays.prebuilt.levels import LEVELS, V1, V3, Level
from rh_kernel.arrays.prebuilt.operations import scalar_operations
from rh_kernel.arrays.prebuilt.sources import source
from rh_kernel.loops.ir import Precision
from rh_kernel.loops.scalars import ScalarOp

FOLDER = Path(__file__).with_name("built")
DRIVER = "driver.so"
DIGEST = "digest"


def file_name(level: Level, precision: Precision) -> str:
    """Return the name of the file with the kernels of a level and precision."""
    return f"{level.name}-{precision}.so"


def levels() -> tuple[Level, ...]:
    """Return the levels of this kind of processor; none if there are no kernels for it."""
    machine = platform.machine().lower()
    return LEVELS.get({"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine), ())


@lru_cache(maxsize=1)
def digest() -> str:
    """Return a hash of the sources, by which a library made of other sources is recognised."""
    texts = [resource("driver.c"), *[source("float64", level, tuple(scalar_operations())) for level in levels()[:1]]]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Library:
    """A library that can be loaded, and the best level that the processor has."""

    folder: Path
    level: Level
    operations: dict[ScalarOp, int]

    def path(self, precision: Precision) -> Path:
        """Return the file with the kernels of a precision."""
        return self.folder / file_name(self.level, precision)

    def maker(self) -> Maker:
        """Return the driver, or what replaces it on other builds of Python."""
        return maker_with(lambda: _driver(self.folder / DRIVER))


def library() -> Library | Missing:
    """Return the library of this package, or why it cannot be used; ``RH_NATIVE=0`` disables it, ``RH_ISA`` restricts it."""
    return Missing("RH_NATIVE is 0") if os.environ.get("RH_NATIVE") == "0" else restricted(found_in(FOLDER))


def restricted(found: Library | Missing) -> Library | Missing:
    """Return the library at no better level than ``RH_ISA`` allows."""
    allowed = {"sse2": V1, "avx2": V3}.get(os.environ.get(ISA, ""))
    if isinstance(found, Missing) or allowed not in LEVELS["x86_64"] or found.level not in LEVELS["x86_64"]:
        return found
    return replace(found, level=min(allowed, found.level, key=LEVELS["x86_64"].index))


@lru_cache(maxsize=4)
def found_in(folder: Path) -> Library | Missing:
    """Return the library in a folder, or why it cannot be used."""
    try:
        if (folder / DIGEST).read_text(encoding="ascii") != digest():
            return Missing("the prebuilt library was made of other sources: build it again")
        best: int = ctypes.CDLL(str(folder / file_name(levels()[0], "float64"))).rh_level()
    except (OSError, AttributeError, IndexError):
        return Missing("this installation has no prebuilt library")
    return Library(folder, levels()[best], {op: i for i, op in enumerate(scalar_operations())})


@lru_cache(maxsize=1)
def _driver(path: Path) -> Maker:
    """Raises ``OSError`` or ``AttributeError`` if the driver cannot be loaded."""
    return driver_at(path)
