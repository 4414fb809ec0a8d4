"""Generated code for other processors: with fewer instructions than this one has, and for ARM, by emulation."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.native import NativeRunner, available, toolchain
from rh_kernel.arrays.native.codegen import translate
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.toolchain import Missing, Toolchain
from rh_kernel.loops.ir import Precision
from tests.arrays.native import emulator, plans
from tests.arrays.native.emulator import Emulated, compiled, needs_emulator
from tests.arrays.native.test_steps import CLOSE, WHOLE, agree, compare
from tests.arrays.plans import interpret
from tests.tiers import law

KINDS = (plans.entrywise, plans.between, plans.fold, plans.product, plans.selection, plans.neighbours)
Kind = Callable[[plans.Drawing], None]


def here() -> Toolchain:
    """The compiler without restriction; the test is skipped if there is none."""
    found = toolchain.toolchain()
    if isinstance(found, Missing):
        pytest.skip(found.reason)
    return found


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("isa", ["sse2", "avx2"])
def test_steps_restricted_to_an_instruction_set_do_what_their_definition_says(
    isa: str, kind: Kind, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    if here().isa in {"neon", "none", isa}:
        pytest.skip("it would restrict nothing here")
    monkeypatch.setenv("RH_ISA", isa)
    assert here().isa == isa

    @law(6, phases=WHOLE)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        agree(*data.draw(plans.plans(kind, precision)))

    holds()


@pytest.mark.skipif(not available(), reason="there is no C compiler")
def test_another_name_is_no_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_ISA", "mmx")
    assert toolchain.diagnose() == "RH_ISA is 'mmx', and can be avx2 or sse2"
    assert toolchain.failure() == toolchain.diagnose()


@needs_emulator
@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("kind", KINDS)
def test_steps_on_arm_do_what_their_definition_says(kind: Kind, precision: Precision, tmp_path: Path) -> None:
    arm = emulator.toolchain()
    assert (arm.isa, arm.vector, arm.masked, arm.registers) == ("neon", 16, False, 32)
    item = np.dtype(precision).itemsize
    machine = Machine(arm.vector // item, arm.registers, masked=arm.masked, item=item)

    @law(4, phases=WHOLE)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        plan, x = data.draw(plans.plans(kind, precision))
        translation = translate(plan, machine)
        program = compiled(translation.source, tmp_path / "program")
        runner = NativeRunner(plan, {}, translation, partial(Emulated, program))
        runner.step(x)
        expected, _ = interpret(plan, {}, [x])
        compare(runner.result(), expected, CLOSE[precision])

    holds()
