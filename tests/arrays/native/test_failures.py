"""Whatever goes wrong on the way to machine code, NumPy runs the plan, and one sentence tells why."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native import NativeRunner, available, diagnose, toolchain
from rh_kernel.arrays.native.accelerated import Accelerated
from rh_kernel.arrays.native.compile_cache import folder
from rh_kernel.arrays.native.toolchain import Missing, library
from rh_kernel.arrays.numpy_backend.backend import NumPyRunner
from rh_kernel.arrays.prebuilt import backend as prebuilt
from rh_kernel.loops.ir import Content
from tests.arrays.native.test_toolchain import PLAN

pytestmark = pytest.mark.skipif(not available(), reason="there is no C compiler")
HEAP = {buffer.location: np.zeros(buffer.size) for buffer in PLAN.buffers if isinstance(buffer, Content)}
REAL = toolchain.toolchain()
own_folder = toolchain.own_folder
COMPILER = "" if isinstance(REAL, Missing) else REAL.command[0]


@pytest.fixture(autouse=True)
def nothing_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No library is there yet, no compiler was asked, nothing has failed, and there are no prebuilt kernels."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(toolchain, "_failures", [])
    monkeypatch.setattr(toolchain, "_cache", {})
    monkeypatch.setattr(prebuilt, "library", lambda: Missing("this installation has no prebuilt library"))
    with tempfile.TemporaryDirectory(dir=tmp_path) as own:
        monkeypatch.setattr(toolchain, "own_folder", lambda: own)
        yield


def runner() -> object:
    backend = Accelerated()
    found = backend.runner(PLAN, backend.memory(HEAP, "float64"))
    found.step(np.zeros(3))
    np.testing.assert_array_equal(found.result(), ())
    return found


def script(folder: Path, text: str) -> str:
    """A compiler that answers as the real one does, but compiles as the text says; ``$out`` is where the library goes."""
    path = folder / "compiler"
    path.write_text(
        f'#!/bin/sh\ncase "$*" in *source.c*) ;; *) exec {COMPILER} "$@";; esac\n'
        f'all="$*"; while [ "$1" != -o ]; do shift; done; out="$2"\n{text}\n'
    )
    path.chmod(0o700)
    return str(path)


@pytest.mark.parametrize(
    ("cc", "why"),
    [
        ('gcc "', "no closing quotation"),
        ("gcc\\", "no escaped character"),
        ('""', "no C compiler answers"),
        ("/", "no C compiler answers to /"),
        (__file__, "no C compiler answers"),
        ("true", "no C compiler answers to true"),
        ("echo #define", "no C compiler answers"),
        ("gcc -DX=\udcff", "no C compiler answers"),
    ],
)
def test_a_command_that_is_no_compiler(cc: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", cc)
    assert isinstance(runner(), NumPyRunner)
    assert why in diagnose()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("exit 0", "made nothing"),
        (': > "$out"', "made nothing"),
        ('mkdir "$out"', "did not finish"),
        ('echo no library > "$out"', "cannot be loaded"),
        ("exit 3", "status 3"),
        ('echo "out of order" >&2; exit 1', "out of order"),
        ("printf '\\377' >&2; exit 1", "failed"),
    ],
)
def test_a_compiler_that_does_not_compile(text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", script(tmp_path, text))
    assert isinstance(runner(), NumPyRunner)
    assert why in diagnose()
    assert toolchain.failure() is not None


def test_a_library_without_the_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = f'echo "int other;" > "$out.c"; exec {COMPILER} -shared -fPIC -o "$out" "$out.c"'
    monkeypatch.setenv("CC", script(tmp_path, other))
    assert isinstance(runner(), NumPyRunner)
    assert "cannot be loaded" in diagnose()


def test_a_compiler_that_never_ends_is_stopped_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain, "LIMIT", 0.2)
    monkeypatch.setenv("CC", script(tmp_path, f'sh -c "echo \\$\\$ > {tmp_path}/id; exec sleep 60"'))
    assert isinstance(runner(), NumPyRunner)
    assert "did not finish" in diagnose()
    child = int((tmp_path / "id").read_text())
    assert ended(child)


def ended(process: int) -> bool:
    """Whether the process ends within a few seconds."""
    for _ in range(100):
        try:
            if Path(f"/proc/{process}/stat").read_text().split()[2] == "Z":
                return True
            os.kill(process, 0)
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def no_place(_: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(toolchain, "own_folder", own_folder)
    patch.setattr(tempfile, "tempdir", "/nowhere")
    own_folder.cache_clear()


def a_file(tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").touch()


def read_only(tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").mkdir()
    patch.setattr(Path, "replace", _refused)


def homeless(_: Path, patch: pytest.MonkeyPatch) -> None:
    patch.delenv("XDG_CACHE_HOME")
    patch.setattr(Path, "home", _nobody)


def _refused(*_: object) -> None:
    raise OSError(28, "No space left on device")


def _nobody() -> Path:
    raise RuntimeError("Could not determine home directory.")


@pytest.mark.parametrize("harm", [no_place, read_only])
def test_there_is_no_place_for_libraries(
    harm: Callable[[Path, pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harm(tmp_path, monkeypatch)
    monkeypatch.setenv("CC", script(tmp_path, 'echo anything > "$out"'))
    assert isinstance(runner(), NumPyRunner)
    assert "place" in diagnose() or "written" in diagnose()


@pytest.mark.parametrize("harm", [a_file, homeless])
def test_without_the_users_folder_there_is_machine_code_all_the_same(
    harm: Callable[[Path, pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harm(tmp_path, monkeypatch)
    assert isinstance(runner(), NativeRunner)
    assert toolchain.failure() is None


@pytest.mark.skipif(sys.platform != "linux", reason="others limit files in another way")
def test_files_may_not_be_as_large_as_a_library() -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        assert isinstance(runner(), NumPyRunner)
        assert toolchain.failure()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert isinstance(runner(), NativeRunner)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_compiler_that_was_stopped_has_not_failed(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stops_once = f"if mkdir {tmp_path}/stopped 2> {os.devnull}; then kill -{int(number)} $$; fi; exec {COMPILER} $all"
    monkeypatch.setenv("CC", script(tmp_path, stops_once))
    with pytest.raises(Unsupported, match=f"stopped by signal {int(number)}"):
        library("int answer = 42;")
    assert toolchain.failure() is None
    assert library("int answer = 42;").exists()
    assert isinstance(runner(), NativeRunner)


INTERRUPTED = """
import signal, threading
from rh_kernel.arrays.native.toolchain import failure, library

def interrupt():
    import os, pathlib, time
    while not pathlib.Path(os.environ["BEGUN"]).exists():
        time.sleep(0.01)
    os.killpg(0, signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    library("int answer = 42;")
except KeyboardInterrupt:
    print("interrupted", failure())
"""


def test_an_interrupt_of_the_cell_ends_the_compiler_and_is_no_failure_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal goes to the whole group, as a notebook and a terminal send it."""
    begun = tmp_path / "begun"
    monkeypatch.setenv("BEGUN", str(begun))
    monkeypatch.setenv("CC", script(tmp_path, f"echo $$ > {begun}.part; mv {begun}.part {begun}; exec sleep 60"))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, start_new_session=True, timeout=30, check=True
    )
    assert done.stdout.split() == ["interrupted", "None"]
    assert ended(int(begun.read_text()))


def test_a_library_that_another_process_removes_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = runner()
    contents = {path: path.read_bytes() for path in folder().glob("*.so")}
    (made,) = [path for path, content in contents.items() if b"rh_walk" in content and b"rh_machine" not in content]
    remove = [True]

    def removing(source: str, *extra: str) -> Path:
        path = library(source, *extra)
        if remove and path == made:
            path.unlink()
            remove.clear()
        return path

    monkeypatch.setattr("rh_kernel.arrays.native.machine.library", removing)
    again = runner()
    assert not remove
    assert isinstance(first, NativeRunner)
    assert isinstance(again, NativeRunner)


def test_a_compiler_that_did_not_answer_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", str(tmp_path / "compiler"))
    assert not available()
    script(tmp_path, f"exec {COMPILER} $all")
    assert not available()
    monkeypatch.setattr(time, "monotonic", lambda: float("1e12"))
    assert available()
