"""Values of parameters: each parses back to the same array, and unsupported values are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rh_kernel import Workspace
from rh_kernel.parameters.values import value_text
from rh_kernel.source.diagnostic import Rejected

FINITE = st.floats(allow_nan=False, allow_infinity=False)
ARRAYS = arrays.arrays(np.float64, arrays.array_shapes(max_dims=3, max_side=3), elements=FINITE)
RH = Workspace()


def read(value: object) -> object:
    """The value of a program with the text."""
    return RH.run(f"const x = {value_text('x', value)}\nx").value


@given(FINITE | st.integers(-(10**20), 10**20))
def test_a_number_is_read_back(x: float) -> None:
    np.testing.assert_array_equal(np.asarray(read(x)), [float(x)])


@given(ARRAYS)
def test_nested_lists_are_read_back_as_the_array(x: np.ndarray) -> None:
    np.testing.assert_array_equal(np.asarray(read(x.tolist())), x)


@given(st.lists(ARRAYS, min_size=2, max_size=3))
def test_a_tuple_is_read_back_as_a_product(parts: list[np.ndarray]) -> None:
    found = read(tuple([part.tolist() for part in parts]))
    assert isinstance(found, tuple)
    for one, other in zip(found, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_number_is_written_as_a_person_would() -> None:
    assert [value_text("x", x) for x in (3, 0.5, -2.0, 1e-5)] == ["3", "0.5", "-2.0", "1e-05"]
    assert value_text("x", np.float64(0.25)) == "0.25"
    assert value_text("x", [[1, 2.5], [-3, 0]]) == "[[1, 2.5], [-3, 0]]"
    assert value_text("x", ()) == "()"


def test_a_text_is_a_term_as_it_stands() -> None:
    assert value_text("x", "[0.5, 1.0] + t") == "[0.5, 1.0] + t"


@pytest.mark.parametrize(
    ("value", "code", "word"),
    [
        (True, "RH304", "booleans"),
        ([1, False], "RH304", "booleans"),
        (None, "RH304", "omitted"),
        ({"a": 1}, "RH304", "dict"),
        (1j, "RH304", "complex"),
        ([], "RH304", "empty"),
        ([[], []], "RH304", "empty"),
        ([[1, 2], [3]], "RH304", "different lengths"),
        ([[1], 2], "RH304", "different lengths"),
        (["0.5"], "RH304", "text"),
        ([(1, 2)], "RH304", "tuple"),
        (float("nan"), "RH306", "nan"),
        ([0.0, float("-inf")], "RH306", "-inf"),
        ((1, None), "RH304", "omitted"),
    ],
)
def test_what_is_no_value_is_refused_with_words(value: object, code: str, word: str) -> None:
    with pytest.raises(Rejected) as refused:
        value_text("alpha", value)
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == code
    assert "`alpha`" in diagnostic.message
    assert word in f"{diagnostic.found} {diagnostic.hint}"
    assert diagnostic.expected
