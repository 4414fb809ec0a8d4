"""Compile the library: ``python -m rh_kernel.arrays.prebuilt.build`` in a checkout, and for a wheel of one platform.

The result is a file for each precision and level, the driver, and a digest of the sources. A C compiler is needed.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from rh_kernel.arrays.native.toolchain import FLAGS, ONLY_GCC, Missing, resource, toolchain
from rh_kernel.arrays.prebuilt.library import DIGEST, DRIVER, FOLDER, digest, file_name, levels
from rh_kernel.arrays.prebuilt.operations import scalar_operations
from rh_kernel.arrays.prebuilt.sources import source
from rh_kernel.loops.ir import Precision

PRECISIONS: tuple[Precision, ...] = ("float64", "float32")
HIDDEN = "-fvisibility=hidden"
FOR_PYTHON = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
"""The driver's symbols of Python are those of the process that loads it."""


class CannotBuild(Exception):
    """There is no compiler, or it fails."""


def build(folder: Path) -> list[Path]:
    """Compile the library into the folder and return its files. Raises ``CannotBuild`` if that fails."""
    if not levels():
        raise CannotBuild("there are no kernels for this kind of processor")
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(_compiled, folder / name, text, *flags) for name, text, flags in _sources()]
        made = [compiled.result() for compiled in waiting]
    (folder / DIGEST).write_text(digest(), encoding="ascii")
    return [*made, folder / DIGEST]


def _sources() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The files, with their sources and further flags."""
    yield DRIVER, resource("driver.c"), FOR_PYTHON
    for level in levels():
        for precision in PRECISIONS:
            yield file_name(level, precision), source(precision, level, tuple(scalar_operations())), level.flags


def _compiled(path: Path, text: str, *flags: str) -> Path:
    found = toolchain()
    if isinstance(found, Missing):
        raise CannotBuild(found.reason)
    more = () if " __clang__ " in found.macros else ONLY_GCC
    with TemporaryDirectory() as workplace:
        file = Path(workplace) / f"{path.stem}.c"
        file.write_text(text, encoding="utf-8")
        words = [*found.command, *FLAGS, *more, HIDDEN, *flags, "-o", str(path), str(file), "-lm"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"the C compiler failed: {done.stderr[:2000]}")
    return path


if __name__ == "__main__":
    for file in build(FOLDER):
        sys.stdout.write(f"{file}\n")
