"""The compiler: found or not, for processors of several kinds; libraries are compiled once, and never loaded unseen."""

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.arrays.backend import Unsupported
from rh_kernel.arrays.native import Native, available, diagnose
from rh_kernel.arrays.native.codegen import translate
from rh_kernel.arrays.native.compile_cache import digest, folder, intact, put
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.toolchain import Missing, library, toolchain
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Content, Input, Instruction, Map, Plan, Store, View
from tests.arrays.commands import location
from tests.arrays.native import plans
from tests.arrays.native.test_steps import CLOSE, compare
from tests.arrays.plans import interpret

needs_compiler = pytest.mark.skipif(not available(), reason="there is no C compiler")
ROW = View(0, 0, (3,), (1,))
PLAN = Plan(
    "float64",
    None,
    ((3,),),
    (Input(0, 3), Content(location("A name; no C", 3), 3)),
    0,
    (Map((3,), (ROW,), (Instruction(scalars.EXP, (0,)),), (Store(View(1, 0, (3,), (1,)), 1),)),),
    (),
    (location("A name; no C", 3),),
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rh_kernel"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that writes down when it is asked to compile."""
    found = toolchain()
    assert not isinstance(found, Missing)
    script, log = tmp_path / "compiler", tmp_path / "log"
    script.write_text(f'#!/bin/sh\ncase "$*" in *source.c*) echo >> "{log}";; esac\nexec {found.command[0]} "$@"\n')
    script.chmod(0o700)
    monkeypatch.setenv("CC", str(script))
    log.touch()
    return log


def compiled(log: Path) -> int:
    return len(log.read_text().splitlines())


SOURCE = '__attribute__((visibility("default"))) int answer = 42;\n'


def test_the_user_can_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_NATIVE", "0")
    assert not available()
    assert "RH_NATIVE" in diagnose()
    with pytest.raises(Unsupported):
        Native().runner(PLAN, {})


@pytest.mark.parametrize("cc", ["false", "no-such-compiler"])
def test_a_compiler_that_does_not_answer_is_none(cc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", cc)
    assert not available()
    assert cc in diagnose()


@pytest.mark.skipif(not hasattr(os, "getpgid"), reason="there are no groups of processes")
def test_an_interrupt_of_the_cell_does_not_change_what_the_compiler_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, group = tmp_path / "asked", tmp_path / "group"
    script.write_text(f'#!{sys.executable}\nimport os\nopen({str(group)!r}, "w").write(str(os.getpgrp()))\n')
    script.chmod(0o700)
    monkeypatch.setenv("CC", str(script))
    toolchain()
    assert int(group.read_text()) != os.getpgrp()


@needs_compiler
def test_a_library_is_compiled_once(cache: Path, log: Path) -> None:
    first = library(SOURCE)
    assert library(SOURCE) == first
    assert compiled(log) == 1
    assert first.parent == cache
    assert library(SOURCE + "/* other */") != first
    assert compiled(log) == 2


@needs_compiler
@pytest.mark.parametrize("harm", ["cut", "changed", "gone", "hash gone", "others may write"])
def test_a_library_that_was_touched_is_compiled_again(harm: str, cache: Path, log: Path) -> None:
    path = library(SOURCE)
    content = path.read_bytes()
    match harm:
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "changed":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        case "gone":
            path.unlink()
        case "hash gone":
            path.with_suffix(".sum").unlink()
        case _:
            path.chmod(0o722)
    assert not intact(path)
    assert library(SOURCE) == path
    assert compiled(log) == 2
    assert intact(path)


@needs_compiler
def test_without_a_folder_libraries_are_kept_elsewhere(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = library(SOURCE + "/* elsewhere */")
    assert library(SOURCE + "/* elsewhere */") == path
    assert compiled(log) == 1
    assert tmp_path not in path.parents


def test_the_folder_is_the_users_own(cache: Path) -> None:
    assert folder() == cache
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    cache.chmod(0o777)
    with pytest.raises(PermissionError):
        folder()


def test_a_link_is_no_folder(cache: Path, tmp_path: Path) -> None:
    cache.parent.mkdir()
    (tmp_path / "other").mkdir()
    cache.symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="folder"):
        folder()


def test_what_is_put_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "name.so"
    assert not intact(path)
    put(b"content", path)
    assert intact(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["name.so", "name.sum"]
    assert os.access(path, os.R_OK)


def test_a_digest_tells_parts_apart() -> None:
    assert len({digest(b"ab", b"c"), digest(b"a", b"bc"), digest(b"abc")}) == 3


@needs_compiler
def test_what_the_compiler_says_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(Unsupported, match="such_a_mistake"):
        library("int x = such_a_mistake;")
    assert "such_a_mistake" in diagnose()


def test_no_name_of_the_user_is_in_the_text() -> None:
    assert "name" not in translate(PLAN, Machine(8, 32)).source


@needs_compiler
@pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="the flags are those of x86-64")
@pytest.mark.parametrize("flags", ["-mno-avx512f", "-mno-avx"])
@pytest.mark.parametrize("kind", [plans.entrywise, plans.fold, plans.product, plans.selection])
def test_other_processors_compute_the_same(flags: str, kind: plans.Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    found = toolchain()
    assert not isinstance(found, Missing)
    monkeypatch.setenv("CC", f"{found.command[0]} {flags}")
    drawing = plans.Drawing(400_000, np.random.default_rng(3))
    drawing.buffers.append(Input(0, drawing.size))
    for _ in range(12):
        kind(drawing)
    x = drawing.rng.normal(size=drawing.size)
    plan = drawing.plan("float64")
    runner = Native().runner(plan, {})
    runner.step(x)
    compare(runner.result(), interpret(plan, {}, [x])[0], CLOSE["float64"])
