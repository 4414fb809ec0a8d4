"""Kernels for processors that are not here = the definition of a plan.

Those for ARM are compiled by a cross compiler and run by an emulator. Of those for AVX-512, the source runs, with vectors in
two registers each; the code that a compiler makes for that level runs only where there is one.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from rh_kernel.arrays.native import NativeRunner
from rh_kernel.arrays.native.launch_table import Table
from rh_kernel.arrays.native.machine import Machine
from rh_kernel.arrays.native.toolchain import FLAGS, ONLY_GCC, Missing, toolchain
from rh_kernel.arrays.prebuilt import Prebuilt
from rh_kernel.arrays.prebuilt.build import PRECISIONS
from rh_kernel.arrays.prebuilt.levels import ARM, V3, V4
from rh_kernel.arrays.prebuilt.library import DRIVER, Library, file_name, levels
from rh_kernel.arrays.prebuilt.operations import scalar_operations
from rh_kernel.arrays.prebuilt.sources import source
from rh_kernel.arrays.prebuilt.translation import translate
from rh_kernel.loops.ir import Plan, Precision
from tests.arrays.native import plans
from tests.arrays.native.emulator import Emulated, compiled, needs_emulator
from tests.arrays.native.test_steps import CLOSE, compare
from tests.arrays.plans import interpret
from tests.tiers import law

pytestmark = pytest.mark.slow
KINDS = (plans.entrywise, plans.between, plans.fold, plans.product, plans.selection)
each_precision = pytest.mark.parametrize("precision", ["float64", "float32"])


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[Precision, Path]:
    folder = tmp_path_factory.mktemp("emulated")
    made: dict[Precision, Path] = {}
    for precision in PRECISIONS:
        made[precision] = compiled(source(precision, ARM, tuple(scalar_operations())), folder / precision)
    return made


@needs_emulator
@each_precision
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_for_arm_do_what_their_definition_says(
    programs: dict[Precision, Path], kind: Callable[[plans.Drawing], None], precision: Precision
) -> None:
    numbers = {op: i for i, op in enumerate(scalar_operations())}

    def machine(table: Table) -> Machine:
        return Emulated(programs[precision], table)

    @law(6, phases=[Phase.explicit, Phase.generate])
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        plan: Plan
        plan, x = data.draw(plans.plans(kind, precision))
        run = NativeRunner(plan, {}, translate(plan, ARM, numbers), machine)
        run.step(x)
        expected, _ = interpret(plan, {}, [x])
        compare(run.result(), expected, CLOSE[precision])

    holds()


@pytest.fixture(scope="module")
def wide(built: Library, tmp_path_factory: pytest.TempPathFactory) -> Prebuilt:
    if V3 not in levels() or built.level not in {V3, V4}:
        pytest.skip("this is another kind of processor, or an old one")
    found = toolchain()
    if isinstance(found, Missing):
        pytest.skip(found.reason)
    folder = tmp_path_factory.mktemp("wide")
    shutil.copy(built.folder / DRIVER, folder)
    more = () if " __clang__ " in found.macros else ONLY_GCC
    for precision in PRECISIONS:
        text, made = folder / f"{precision}.c", folder / file_name(V4, precision)
        text.write_text(source(precision, V4, tuple(scalar_operations())), encoding="utf-8")
        words = [*found.command, *FLAGS, *more, *V3.flags, "-o", made, text, "-lm"]
        subprocess.run(words, check=True, timeout=280, capture_output=True)
    return Prebuilt(Library(folder, V4, built.operations))


@each_precision
@pytest.mark.parametrize("kind", KINDS)
def test_the_source_for_avx_512_does_what_its_definition_says(
    wide: Prebuilt, kind: Callable[[plans.Drawing], None], precision: Precision
) -> None:
    @law(12, phases=[Phase.explicit, Phase.generate])
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        plan, x = data.draw(plans.plans(kind, precision))
        run = wide.runner(plan, {})
        run.step(x)
        expected, _ = interpret(plan, {}, [x])
        compare(run.result(), expected, CLOSE[precision])

    holds()
