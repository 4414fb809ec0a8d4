"""The system's C compiler: find it, query the processor's features, and compile C to a shared library."""

import atexit
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import inf
from pathlib import Path

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native.compile_cache import digest, folder, intact, most_bytes, put, trim, used

LIMIT = 60.0
"""Seconds allowed for a compilation."""

QUERY_LIMIT = 10.0
"""Seconds allowed for a query of the compiler's version and features."""

RETRY_AFTER = 60.0
"""Seconds until a compiler that did not answer is tried again."""

# Keep IEEE semantics of infinities and nan: the compiler must not reorder sums or assume finite numbers.
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
# Vectorise only the loops marked in the source; gcc's other passes take long on tiles, and some miscompile them.
ONLY_GCC = ("-ftree-vectorize", "-fno-tree-slp-vectorize", "-fno-predictive-commoning", "-fno-thread-jumps")
NATIVE = ("-march=native", "-mcpu=native")
WIDE = "-mprefer-vector-width=512"

ISA = "RH_ISA"
"""The environment variable that restricts generated code to an instruction set."""
RESTRICTED = {"avx2": "-mno-avx512f", "sse2": "-mno-avx"}
"""The flag for each instruction set that it can name, on x86."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A working compiler: its command, its flags, and the macros it predefines for this processor."""

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
    def isa(self) -> str:
        """The instruction set of vectors: ``avx512``, ``avx2``, ``avx``, ``sse2`` or ``neon``."""
        sets = {"__AVX512F__": "avx512", "__AVX2__": "avx2", "__AVX__": "avx", "__SSE2__": "sse2", "__ARM_NEON": "neon"}
        return next((name for macro, name in sets.items() if f" {macro} " in self.macros), "none")

    @property
    def masked(self) -> bool:
        """Whether ``prelude.h`` can use masked loads."""
        return " __AVX512F__ " in self.macros and " __clang__ " not in self.macros

    @property
    def registers(self) -> int:
        """The number of vector registers."""
        return 32 if " __AVX512F__ " in self.macros or " __aarch64__ " in self.macros else 16


@dataclass(frozen=True, slots=True)
class Missing:
    """There is no compiler, with the reason."""

    reason: str


def diagnose() -> str:
    """Describe the compiler in one line, or why there is none, with the last failure if any."""
    found = toolchain()
    if isinstance(found, Missing):
        return found.reason
    problem = f"; it failed: {_failures[-1]}" if _failures else ""
    return f"{' '.join(found.command)}, vectors of {8 * found.vector} bits ({found.isa}){problem}"


def failure() -> str | None:
    """Return why NumPy runs what should be machine code: the last failure, or what is wrong with ``CC`` or ``RH_ISA``."""
    if _failures:
        return _failures[-1]
    if not (os.environ.get("CC") or os.environ.get(ISA)) or os.environ.get("RH_NATIVE") == "0":
        return None
    found = toolchain()
    return found.reason if isinstance(found, Missing) else None


_failures: list[str] = []


def failed(reason: str) -> Unsupported:
    """Record a failure of the native back end, and return it as an exception."""
    _failures[:] = [reason]
    return Unsupported(reason)


def toolchain() -> Toolchain | Missing:
    """Return the compiler that the environment asks for (``CC``), or else the first of ``cc``, ``gcc`` and ``clang``.

    The answer is cached; a failure is retried after a while, as a compiler may have been installed since.
    """
    asked = tuple([os.environ.get(name, "") for name in ("RH_NATIVE", "CC", "PATH", ISA)])
    found, until = _cache.get(asked, (None, 0.0))
    if found is None or until < time.monotonic():
        switch, cc, _, isa = asked
        found = _find(switch, cc, isa)
        _cache[asked] = found, time.monotonic() + RETRY_AFTER if isinstance(found, Missing) else inf
    return found


_cache: dict[tuple[str, ...], tuple[Toolchain | Missing, float]] = {}


def _find(switch: str, cc: str, isa: str) -> Toolchain | Missing:
    if switch == "0":
        return Missing("RH_NATIVE is 0")
    if isa and isa not in RESTRICTED:
        return Missing(f"{ISA} is {isa!r}, and can be {' or '.join(RESTRICTED)}")
    try:
        asked = shlex.split(cc)
    except ValueError as unreadable:
        return Missing(f"CC, which is {cc!r}, is no command: {str(unreadable).lower()}")
    for words in [asked] if asked else [["cc"], ["gcc"], ["clang"]]:
        compiler = shutil.which(words[0])
        if compiler is None:
            continue
        command = (compiler, *words[1:])
        for native in NATIVE:
            target = (native, *([RESTRICTED[isa]] if isa else []))
            macros = _macros(command, target)
            if macros is not None:
                more = () if " __clang__ " in macros else ONLY_GCC
                wide = (WIDE,) if " __AVX512F__ " in macros else ()
                return Toolchain(command, (*FLAGS, *more, *target, *wide), macros)
    restricted = f" with {RESTRICTED[isa]}, which {ISA} asks for" if isa else ""
    return Missing(f"no C compiler answers to {cc or 'cc, gcc or clang'}{restricted}")


def _macros(command: tuple[str, ...], target: tuple[str, ...]) -> str | None:
    """The compiler's predefined macros, which include its version and the processor's features."""
    try:
        macros = _run([*command, *target, "-dM", "-E", "-x", "c", os.devnull], QUERY_LIMIT).decode()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    # Every C compiler defines this; a command without it is not one.
    return "\n".join(sorted(macros.splitlines())) if "#define __STDC__ " in macros else None


def _run(words: Sequence[str], limit: float) -> bytes:
    """Run a command and return its output. Raises ``OSError`` or ``SubprocessError`` if it fails or takes too long.

    It has its own session, since SIGINT reaches the whole process group and would look like a failure of the compiler. If
    waiting is interrupted, the command is killed with all its children.
    """
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            output, messages = process.communicate(timeout=limit)
        except BaseException:
            _kill(process)
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words, output, messages)
    return output


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def library(source: str, *extra: str) -> Path:
    """Compile the source to a shared library, or take it from the cache.

    Raises ``Unsupported``, and nothing else, on failure.
    """
    found = toolchain()
    if isinstance(found, Missing):
        raise Unsupported(found.reason)
    flags = (*found.flags, *extra)
    key = digest(source.encode(), os.fsencode("\0".join((*found.command, *flags))), found.macros.encode())
    try:
        path = folder() / f"{key}.so" if most_bytes() else None
    except OSError:
        path = None
    if path is not None and intact(path):
        used(path)
        return path
    temporary = _temporary_path(key)
    if temporary.exists():
        return temporary
    content = _compiled(source, found.command, flags)
    if path is not None:
        try:
            put(content, path)
        except OSError:
            pass
        else:
            with suppress(OSError):
                trim(path.parent, most_bytes())
            return path
    try:
        put(content, temporary)
    except OSError as problem:
        raise failed(f"what the C compiler made cannot be written: {problem}") from None
    return temporary


def _temporary_path(key: str) -> Path:
    """The path of a library in a temporary folder, used if the cache folder is not available."""
    try:
        return Path(own_folder()) / f"{key}.so"
    except OSError as problem:
        raise failed(f"there is no place for what the C compiler makes: {problem}") from None


@lru_cache(maxsize=1)
def own_folder() -> str:
    """Return a temporary folder, which is removed at the end of the process. Raises ``OSError`` if there is none."""
    made = tempfile.mkdtemp(prefix="rh_kernel-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _compiled(source: str, command: tuple[str, ...], flags: tuple[str, ...]) -> bytes:
    try:
        with tempfile.TemporaryDirectory(prefix="rh_kernel-", ignore_cleanup_errors=True) as workplace:
            text, result = Path(workplace) / "source.c", Path(workplace) / "library.so"
            text.write_text(source, encoding="utf-8")
            _run([*command, *flags, "-o", str(result), str(text), "-lm"], LIMIT)
            content = result.read_bytes() if result.exists() else b""
    except subprocess.CalledProcessError as problem:
        if problem.returncode < 0:
            # It was killed, so it may succeed the next time.
            raise Unsupported(f"the C compiler was stopped by signal {-problem.returncode}") from None
        message = problem.stderr.decode(errors="replace").strip()
        message = message or f"it ended with status {problem.returncode} and said nothing"
        raise failed(f"the C compiler failed: {message[:2000]}") from None
    except (subprocess.TimeoutExpired, OSError) as problem:
        raise failed(f"the C compiler did not finish: {problem}") from None
    if not content:
        raise failed("the C compiler made nothing, and said nothing about it")
    return content


def resource(name: str) -> str:
    """Return a C source file of this package."""
    return files("rh_kernel.arrays.native").joinpath(name).read_text(encoding="utf-8")
