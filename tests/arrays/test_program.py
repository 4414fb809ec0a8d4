"""What is no program is found out before it runs."""

from dataclasses import replace

import numpy as np
import pytest

from rh_kernel.arrays.program import Equation, Program
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.types import real
from tests.arrays.commands import symbol
from tests.arrays.validation import validate
from tests.arrays.written import Written

GOOD: Program = Written("loc w : Real(2) = zeros\n").program(
    "let w <= Get[w]() in let _ <= Put[w](sin(x)) in return x * [2.0, 3.0] + w", x=real(2)
)
SIN = symbol("sin", 1)


@pytest.mark.parametrize(
    "bad",
    [
        replace(GOOD, equations=(*GOOD.equations, GOOD.equations[0])),
        replace(GOOD, equations=GOOD.equations[1:]),
        replace(GOOD, equations=(Equation(99, SIN, (0,)),)),
        replace(GOOD, shapes=((3,),) * len(GOOD.shapes)),
        replace(GOOD, batched=(False,) * (len(GOOD.shapes) - 1) + (True,)),
        replace(GOOD, constants=((GOOD.constants[0][0], np.zeros(5)),)),
        replace(GOOD, result=99),
    ],
    ids=["twice", "early", "unknown", "shape", "batch", "constant", "result"],
)
def test_a_broken_program_is_refused(bad: Program) -> None:
    assert validate(GOOD) is GOOD
    with pytest.raises(KernelBug):
        validate(bad)
