"""What is written in C for a number is that number."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.c_expressions import literal, statements
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Instruction, Number


def read(text: str) -> float:
    """The number that a literal in brackets is, with or without the mark of single precision."""
    assert (text[0], text[-1]) == ("(", ")")
    return float(text[1:-1].removesuffix("f"))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_literal_is_the_number(x: float) -> None:
    assert read(literal(x, "float64")) == x
    assert math.copysign(1.0, read(literal(x, "float64"))) == math.copysign(1.0, x)


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_literal_of_single_precision_is_the_nearest_number_there(x: float) -> None:
    y = x * (1 + 1e-9)
    assert literal(y, "float32").endswith("f)")
    assert np.float32(read(literal(y, "float32"))) == np.float32(y)


def test_each_line_of_a_body_is_a_value_of_its_own() -> None:
    body = (Number(0.5), Instruction(scalars.MUL, (0, 2)), Instruction(scalars.EXP, (3,)))
    assert list(statements(2, body, "float64")) == [
        "const double v2 = (0.5);",
        "const double v3 = v0 * v2;",
        "const double v4 = exp(v3);",
    ]
    assert list(statements(2, body, "float32"))[0::2] == ["const float v2 = (0.5f);", "const float v4 = expf(v3);"]
