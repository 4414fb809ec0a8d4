"""The C compiler of the system: which one there is, what the processor can do, and C text ↦ shared library."""

import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.folder import digest, folder, intact, put
from rh_kernel.source.interruptible import interruptible

LIMIT = 60.0
"""The seconds that one compilation may take."""

# Infinities and nan keep their meaning: nothing here lets the compiler reorder sums or assume that numbers are finite.
FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fopenmp-simd",
    "-fPIC",
    "-shared",
    "-w",
)
# Loops become vectors where the text says so; what else gcc does with tiles takes long, and some of it goes wrong.
ONLY_GCC = ("-ftree-vectorize", "-fno-tree-slp-vectorize", "-fno-predictive-commoning", "-fno-thread-jumps")
NATIVE = ("-march=native", "-mcpu=native")
WIDE = "-mprefer-vector-width=512"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler that answers: its command, the flags it is given, and the names that it defines for this processor."""

    command: tuple[str, ...]
    flags: tuple[str, ...]
    macros: str

    @property
    def vector(self) -> int:
        """The bytes of a vector register."""
        if " __AVX512F__ " in self.macros:
            return 64
        return 32 if " __AVX__ " in self.macros else 16

    @property
    def masked(self) -> bool:
        """Whether ``prelude.h`` can load the first few lanes of a vector."""
        return " __AVX512F__ " in self.macros and " __clang__ " not in self.macros

    @property
    def registers(self) -> int:
        """How many vector registers there are."""
        return 32 if " __AVX512F__ " in self.macros or " __aarch64__ " in self.macros else 16


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no compiler, and why."""

    reason: str


def diagnose() -> str:
    """One line on the compiler: which it is, or why there is none, and what it said last if it failed."""
    found = toolchain()
    if isinstance(found, Missing):
        return found.reason
    said = f"; it failed: {_failures[-1]}" if _failures else ""
    return f"{' '.join(found.command)}, vectors of {8 * found.vector} bits{said}"


_failures: list[str] = []


def toolchain() -> Toolchain | Missing:
    """The compiler that the environment asks for (``CC``), or else the first of ``cc``, ``gcc`` and ``clang``."""
    return _toolchain(os.environ.get("RH_NATIVE", ""), os.environ.get("CC", ""), os.environ.get("PATH", ""))


@lru_cache(maxsize=8)
def _toolchain(switch: str, cc: str, _path: str) -> Toolchain | Missing:
    if switch == "0":
        return Missing("RH_NATIVE is 0")
    asked = shlex.split(cc)
    for words in [asked] if asked else [["cc"], ["gcc"], ["clang"]]:
        compiler = shutil.which(words[0])
        if compiler is None:
            continue
        command = (compiler, *words[1:])
        for native in NATIVE:
            macros = _macros(command, native)
            if macros is not None:
                more = () if " __clang__ " in macros else ONLY_GCC
                wide = (WIDE,) if " __AVX512F__ " in macros else ()
                return Toolchain(command, (*FLAGS, *more, native, *wide), macros)
    return Missing(f"no C compiler answers to {cc or 'cc, gcc or clang'}")


def _macros(command: tuple[str, ...], native: str) -> str | None:
    """What the compiler defines before it reads anything: its version and the processor's features are among it.

    What it says is kept, so an interrupt of the cell, which goes to all of its processes, is not for this one.
    """
    words = [*command, native, "-dM", "-E", "-x", "c", os.devnull]
    try:
        done = subprocess.run(words, capture_output=True, timeout=LIMIT, check=True, text=True, start_new_session=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return "\n".join(sorted(done.stdout.splitlines()))


def library(source: str, *extra: str) -> Path:
    """The source as a shared library, from the user's folder if it was compiled before. Raises ``Unsupported`` on failure."""
    found = toolchain()
    if isinstance(found, Missing):
        raise Unsupported(found.reason)
    flags = (*found.flags, *extra)
    key = digest(source.encode(), "\0".join((*found.command, *flags)).encode(), found.macros.encode())
    try:
        path = folder() / f"{key}.so"
        if not intact(path):
            put(_compiled(source, found.command, flags), path)
    except OSError:
        path = _unkept(key)
        if not path.exists():
            put(_compiled(source, found.command, flags), path)
    return path


@lru_cache(maxsize=1)
def _own_folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="rh_kernel-")


def _unkept(key: str) -> Path:
    """Where a library goes if the user's folder cannot be had: into one that ends with the process."""
    return Path(_own_folder().name) / f"{key}.so"


def _compiled(source: str, command: tuple[str, ...], flags: tuple[str, ...]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="rh_kernel-", ignore_cleanup_errors=True) as workplace:
        text, result = Path(workplace) / "source.c", Path(workplace) / "library.so"
        text.write_text(source, encoding="utf-8")
        try:
            interruptible(partial(_run, [*command, *flags, "-o", str(result), str(text), "-lm"]))
            return result.read_bytes()
        except subprocess.CalledProcessError as failure:
            said = failure.stderr.decode(errors="replace").strip()
            reason = f"the C compiler failed: {said[:2000]}"
        except (subprocess.TimeoutExpired, OSError) as failure:
            reason = f"the C compiler did not finish: {failure}"
        _failures.append(reason)
        raise Unsupported(reason)


def _run(words: list[str]) -> None:
    """Run the compiler, which hears of no interrupt: one that ended by it would count as one that has failed."""
    subprocess.run(words, capture_output=True, timeout=LIMIT, check=True, start_new_session=True)


def resource(name: str) -> str:
    """A C text of this package."""
    return files("rh_kernel.arrays.native").joinpath(name).read_text(encoding="utf-8")
