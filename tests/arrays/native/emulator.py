"""An emulated ARM processor that runs launch tables."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from rh_kernel.arrays.arena import address
from rh_kernel.arrays.native.launch_table import Table
from rh_kernel.arrays.native.toolchain import FLAGS, ONLY_GCC, Toolchain
from rh_kernel.syntax.core import Array

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
needs_emulator = pytest.mark.skipif(
    not (shutil.which(COMPILER) and shutil.which(EMULATOR)), reason=f"there is no {COMPILER}, or no {EMULATOR}"
)
REPLAY = Path(__file__).with_name("replay.c")


def toolchain() -> Toolchain:
    """Return the compiler for ARM, with flags for a program instead of a library."""
    flags = tuple([flag for flag in (*FLAGS, *ONLY_GCC) if flag not in {"-shared", "-fPIC"}])
    macros = subprocess.run([COMPILER, "-dM", "-E", "-x", "c", "/dev/null"], capture_output=True, text=True, check=True).stdout
    return Toolchain((COMPILER,), flags, macros)


def compiled(source: str, program: Path) -> Path:
    """Compile a library of kernels with what runs a launch table, to a program."""
    found = toolchain()
    text = program.with_suffix(".c")
    text.write_text(source + REPLAY.read_text(encoding="utf-8"), encoding="utf-8")
    command = [*found.command, *found.flags, "-static", "-o", str(program), str(text), "-lm"]
    subprocess.run(command, check=True, capture_output=True, timeout=280)
    return program


class Emulated:
    """A launch table that runs in a process of the emulator, on a copy of its memory."""

    def __init__(self, program: Path, table: Table) -> None:
        self.program, self.table = program, table

    def __call__(self, *inputs: Array) -> None:
        """Run once."""
        arrays = self.table.arrays.copy()
        for number, at, offset in self.table.patches.tolist():
            arrays[at] = address(inputs[number]) + offset
        regions = list({address(whole): whole for whole in map(memory_of, (*self.table.owner, *inputs)) if whole.size}.values())
        places = [place for at in arrays.tolist() for place in place_of(at, regions)]
        first = (self.table.rows[:, 1] - address(self.table.arrays)) // self.table.arrays.itemsize
        rows = np.stack([self.table.rows[:, 0], first], axis=1)
        parts = [words(len(rows), len(arrays), len(regions))]
        parts += [part for region in regions for part in (words(region.size), region.tobytes())]
        given, result = self.program.with_suffix(".in"), self.program.with_suffix(".out")
        given.write_bytes(b"".join([*parts, words(*places), rows.tobytes()]))
        subprocess.run([EMULATOR, self.program, given, result], check=True, timeout=60)
        content = np.fromfile(result, np.uint8)
        for region in regions:
            if region.flags.writeable:
                region[...] = content[: region.size]
            content = content[region.size :]

    def steps(self, *data: Array) -> None:
        """Run once for each row of the last array, on those samples of the others."""
        for row in data[-1]:
            self(*[array[row if self.table.samples >= 0 else row[0]] for array in data[:-1]])


def words(*numbers: int) -> bytes:
    """Numbers of 64 bits."""
    return np.array(numbers, dtype=np.int64).tobytes()


def memory_of(array: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    """The bytes of the array that owns the memory."""
    whole = array if array.base is None else array.base
    assert isinstance(whole, np.ndarray)
    return whole.reshape(-1).view(np.uint8)


def place_of(at: int, regions: list[npt.NDArray[np.uint8]]) -> tuple[int, int]:
    """The number of the region with this address, and how far behind its start it is."""
    found = [(i, at - address(region)) for i, region in enumerate(regions) if 0 <= at - address(region) <= region.size]
    return min(found, key=lambda place: place[1], default=(0, 0))
