"""Which library is used, if any, and what a call of it consists of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rh_kernel.arrays import prebuilt
from rh_kernel.arrays.backends import backend_for, by_name, name_of
from rh_kernel.arrays.native.axes import Axis
from rh_kernel.arrays.native.toolchain import Missing
from rh_kernel.arrays.prebuilt import library as libraries
from rh_kernel.arrays.prebuilt.backend import Accelerated
from rh_kernel.arrays.prebuilt.contractions import best_form
from rh_kernel.arrays.prebuilt.levels import ARM, LEVELS, V1, V3, V4, Level
from rh_kernel.arrays.prebuilt.library import DIGEST, Library, digest, found_in, levels, library, restricted
from rh_kernel.arrays.prebuilt.maps import ZIP, map_call
from rh_kernel.arrays.prebuilt.operations import KERNELS, MOVES, scalar_operations
from rh_kernel.arrays.prebuilt.sources import source
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Instruction, Map, Number, Store, View
from rh_kernel.primitives.selection import DROP, KEEP

NUMBERS = {op: i for i, op in enumerate(scalar_operations())}


def test_an_instruction_set_restricts_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Library(Path(), V4, {})
    for isa, level in (("sse2", V1), ("avx2", V3), ("", V4)):
        monkeypatch.setenv("RH_ISA", isa)
        assert restricted(found) == replace(found, level=level)
        assert restricted(replace(found, level=ARM)) == replace(found, level=ARM)
    monkeypatch.setenv("RH_ISA", "avx2")
    assert restricted(replace(found, level=V1)) == replace(found, level=V1)
    assert restricted(Missing("no")) == Missing("no")


def test_every_operation_of_this_package_is_an_instruction() -> None:
    assert {*scalars.SCALAR_OPS, KEEP, DROP} <= NUMBERS.keys()


@pytest.mark.parametrize("level", [level for several in LEVELS.values() for level in several], ids=lambda level: level.name)
def test_the_source_has_every_kernel_and_every_tile_that_a_product_may_have(level: Level) -> None:
    text = source("float32", level, tuple(NUMBERS))
    assert all(f"static void {name}(" in text for name in KERNELS)
    for rows in range(1, 9):
        for columns in range(1, 5):
            assert (f"static void lanes{columns}_{rows}(" in text) is level.has_tile(rows, columns)


def test_switched_off_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_NATIVE", "0")
    assert library() == Missing("RH_NATIVE is 0")
    assert not prebuilt.available()
    with pytest.raises(LookupError):
        by_name("prebuilt")
    assert name_of(backend_for("cpu", 1e9)) == "numpy_backend"


def test_a_library_of_other_sources_is_not_used(tmp_path: Path) -> None:
    assert found_in(tmp_path / "nothing") == Missing("this installation has no prebuilt library")
    (tmp_path / DIGEST).write_text("0" * 64, encoding="ascii")
    found = found_in(tmp_path)
    assert isinstance(found, Missing)
    assert "build it again" in found.reason


def test_files_that_are_no_library_are_not_used(tmp_path: Path) -> None:
    (tmp_path / DIGEST).write_text(digest(), encoding="ascii")
    for level in levels():
        (tmp_path / libraries.file_name(level, "float64")).write_bytes(b"nothing")
    assert found_in(tmp_path) == Missing("this installation has no prebuilt library")


def test_its_name_is_that_of_its_package() -> None:
    assert name_of(Accelerated()) == "prebuilt"


@pytest.mark.parametrize("level", [V1, V3, V4, ARM], ids=lambda level: level.name)
def test_a_product_has_a_tile_that_is_there(level: Level) -> None:
    for m in (1, 3, 10, 64):
        for n in (1, 5, 64):
            form = best_form((Axis(m, (n, 50, 0)), Axis(n, (1, 0, 1)), Axis(50, (0, 1, n))), level, 8)
            assert form.kernel.startswith("contract_")
            assert level.has_tile(*form.tile)


@pytest.mark.parametrize(
    ("found", "kernel"),
    [
        ((Axis(128, (1, 784, 0)), Axis(784, (0, 1, 1))), "contract_parts"),
        ((Axis(128, (1, 1, 0)), Axis(10, (0, 128, 1))), "contract_lanes"),
        ((Axis(128, (784, 1, 0)), Axis(784, (1, 0, 1))), "contract_rows"),
        ((Axis(64, (64, 64, 0)), Axis(64, (1, 0, 64)), Axis(16, (0, 7, 3))), "contract_packed"),
        ((Axis(9, (2, 3, 5)), Axis(7, (30, 0, 0))), "contract_any"),
    ],
    ids=["matrix and column", "transpose and column", "column and row", "matrices", "entry by entry"],
)
def test_the_kernel_suits_the_strides(found: tuple[Axis, ...], kernel: str) -> None:
    assert best_form(found, V3, 8).kernel == kernel


def test_entries_that_lie_between_each_other_are_stored_together() -> None:
    x, first, second = View(0, 0, (40,), (1,)), View(1, 0, (40,), (2,)), View(1, 1, (40,), (2,))
    body = (Instruction(scalars.EXP, (0,)), Instruction(scalars.NEG, (0,)))
    call = map_call(Map((40,), (x,), body, (Store(second, 2), Store(first, 1))), NUMBERS)
    operations = call.parameters[-12::4]
    assert operations == (NUMBERS[scalars.EXP] + len(MOVES), NUMBERS[scalars.NEG] + len(MOVES), ZIP)


def test_equal_constants_are_one_and_both_zeros_are_kept_apart() -> None:
    y = View(0, 0, (3,), (1,))
    body = (Number(2.0), Number(2.0), Number(0.0), Number(-0.0))
    lines = [Instruction(scalars.ADD, (0, 1)), Instruction(scalars.MUL, (2, 3)), Instruction(scalars.MAX, (4, 5))]
    call = map_call(Map((3,), (), (*body, *lines), (Store(y, 6),)), NUMBERS)
    assert [str(value) for value in call.constants] == ["2.0", "0.0", "-0.0"]


def test_what_is_found_has_a_level_of_this_processor() -> None:
    found = library()
    assert isinstance(found, Missing) or (isinstance(found, Library) and found.level in levels())
