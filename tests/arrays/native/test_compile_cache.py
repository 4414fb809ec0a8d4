"""The folder of libraries is bounded, and several processes share it."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rh_kernel.arrays.native import available, compile_cache, toolchain
from rh_kernel.arrays.native.compile_cache import digest, intact, most_bytes, put, trim, used

NOW = time.time()
LONG_AGO = NOW - 1_000_000


def kept(place: Path, name: str, size: int = 1000, last_use: float = LONG_AGO) -> Path:
    path = place / f"{digest(name.encode())}.so"
    put(b"x" * size, path)
    os.utime(path, (last_use, last_use))
    os.utime(path.with_suffix(".sum"), (LONG_AGO, LONG_AGO))
    return path


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    old, middle, new = (kept(tmp_path, name, last_use=LONG_AGO + i) for i, name in enumerate("abc"))
    used(old)
    trim(tmp_path, 2200)
    assert intact(old)
    assert intact(new)
    assert names(tmp_path) == {old.name, old.with_suffix(".sum").name, new.name, new.with_suffix(".sum").name}
    assert not middle.exists()


def test_there_are_at_most_so_many_libraries(tmp_path: Path) -> None:
    paths = [kept(tmp_path, str(i), last_use=LONG_AGO + i) for i in range(5)]
    trim(tmp_path, 1 << 30, libraries=2)
    assert [path.exists() for path in paths] == [False, False, False, True, True]


def test_within_the_bounds_nothing_is_removed(tmp_path: Path) -> None:
    for i in range(3):
        kept(tmp_path, str(i))
    before = names(tmp_path)
    trim(tmp_path, 1 << 20)
    assert names(tmp_path) == before


def test_what_was_just_written_or_used_stays(tmp_path: Path) -> None:
    written, loaded = kept(tmp_path, "written", last_use=time.time()), kept(tmp_path, "loaded")
    used(loaded)
    trim(tmp_path, 0, libraries=0)
    assert intact(written)
    assert intact(loaded)


def test_what_is_used_while_the_folder_is_looked_through_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = kept(tmp_path, "a")
    looked = compile_cache._kept

    def slowly(place: Path, now: float) -> object:
        found = looked(place, now)
        used(path)
        return found

    monkeypatch.setattr(compile_cache, "_kept", slowly)
    trim(tmp_path, 0)
    assert intact(path)


def test_files_that_a_killed_process_left_are_swept_when_they_are_old(tmp_path: Path) -> None:
    old, new, alone = tmp_path / "abc1.new", tmp_path / "abc2.new", tmp_path / f"{digest(b'x')}.sum"
    for path in (old, new, alone):
        path.write_text("half")
    for path in (old, alone):
        os.utime(path, (LONG_AGO, LONG_AGO))
    trim(tmp_path, 1 << 30)
    assert names(tmp_path) == {new.name}


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "folder.so").mkdir()
    (tmp_path / "link.so").symlink_to(tmp_path / "notes.txt")
    trim(tmp_path, 0, libraries=0)
    assert names(tmp_path) == {"notes.txt", "folder.so", "link.so"}


def test_several_may_trim_at_once(tmp_path: Path) -> None:
    paths = [kept(tmp_path, str(i), last_use=LONG_AGO + i) for i in range(60)]
    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(trim, tmp_path, 1 << 30, 10) for _ in range(6)]:
            done.result()
    assert all(intact(path) for path in paths[50:])


@pytest.mark.parametrize(("said", "meant"), [("4096", 4096), ("0", 0), ("", 1 << 28), ("much", 1 << 28), ("-1", 1 << 28)])
def test_the_environment_may_say_how_much_is_kept(said: str, meant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_CACHE_BYTES", said)
    assert most_bytes() == meant


@pytest.mark.skipif(not available(), reason="there is no C compiler")
def test_compiling_keeps_to_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("RH_CACHE_BYTES", "5000")
    place = compile_cache.folder()
    before = [kept(place, str(i), last_use=LONG_AGO + i) for i in range(8)]
    made = toolchain.library("int answer = 1;")
    assert made.parent == place
    assert intact(made)
    assert not before[0].exists()
    os.utime(made, (LONG_AGO, LONG_AGO))
    assert toolchain.library("int answer = 1;") == made
    assert made.stat().st_mtime > NOW - 1
    monkeypatch.setenv("RH_CACHE_BYTES", "0")
    assert place not in toolchain.library("int answer = 2;").parents
