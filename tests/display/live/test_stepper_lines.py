"""Lines in a page: columns in UTF-16 code units, minimal edits between lists of lines, arrays as data."""

import json
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live.line_layout import render_lines
from rh_kernel.display.live.lines import ROLES, Line, edit, piece, triples, units
from rh_kernel.display.live.stepper_heap import MOST_VALUES, content
from rh_kernel.syntax.printing.doc import HARD, Annotated, Role, Typed, concat, nest, role
from tests.tiers import law

_LINES = st.lists(st.sampled_from("abc").map(Line), max_size=8)


@law(200)
@given(_LINES, _LINES)
def test_an_edit_makes_the_one_of_the_other(before: list[Line], after: list[Line]) -> None:
    at, removed, new = cast(tuple[int, int, list[Any]], edit(before, after))
    lines = [line.json for line in before]
    lines[at : at + removed] = new
    assert lines == [line.json for line in after]
    if before == after:
        assert (removed, new) == (0, [])
    elif removed and new:
        assert before[at] != after[at]
        assert before[at + removed - 1] != after[at + len(new) - 1]


@law(100)
@given(st.text(max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_columns_are_utf_16_units(text: str, start: int, end: int) -> None:
    first, last = sorted((min(start, len(text)), min(end, len(text))))
    assert units(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert piece(text, units(text[:first]), units(text[:last])) == text[first:last]


def test_a_sheet_has_looks_and_parts() -> None:
    doc = concat(
        role(Role.KEYWORD, "𝔸𝔹"),
        " x ",
        Annotated(Typed("outer"), nest("(", Annotated(Typed("inner"), role(Role.CONSTANT, "1.0")), HARD, "y")),
        " \x07",
    )
    found = render_lines(doc, lambda _: 0)
    keyword, constant = ROLES.index(Role.KEYWORD), ROLES.index(Role.CONSTANT)
    assert [line.json for line in found.lines] == [
        ["𝔸𝔹 x (1.0", [4, keyword, 4, 0, 3, constant], 0],
        ["  y ␇", [], 0],
    ]
    assert {part.name: list(triples(found.ranges(part))) for part in found.regions} == {
        "inner": [(0, 8, 11)],
        "outer": [(0, 7, 11), (1, 2, 3)],
    }
    assert [found.text(part) for part in found.regions] == ["1.0", "(1.0 y"]


@pytest.mark.parametrize(
    ("entries", "values", "norm"),
    [
        ([3.0, 4.0], [3.0, 4.0], 5.0),
        ([0.0], [0.0], 0.0),
        ([], [], None),
        ([1e200, 1e200], [1e200, 1e200], 1e200 * 2**0.5),
        ([np.nan, 1.0], ["nan", 1.0], "nan"),
        ([np.inf, -np.inf], ["inf", "-inf"], "inf"),
    ],
)
def test_arrays_as_data(entries: list[float], values: list[Any], norm: Any) -> None:
    told = json.loads(json.dumps(content(np.array(entries)), allow_nan=False))
    assert told["values"] == values
    assert told["norm"] == (pytest.approx(norm) if isinstance(norm, float) else norm)
    assert told["shape"] == [len(entries)]


def test_of_a_large_array_only_its_norm_is_told() -> None:
    told = content(np.ones((2, MOST_VALUES), dtype=np.float32))
    assert told["values"] is None
    assert told["text"] == f"‹Real(2, {MOST_VALUES})›"
    assert told["norm"] == pytest.approx((2 * MOST_VALUES) ** 0.5)
