"""Results as JSON (LANGUAGE §8): what the command line cannot easily show."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rh_kernel.display.record import array, contents, error, records, value
from rh_kernel.session.results import Change, DeclarationMade, ItemFailed, Notice, TrainingDone
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import Const, Term, Tuple, Zero
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, real

ARRAYS = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, min_side=0, max_side=4))


class Wrong(Diagnostic):
    code, title, label = "RH999", "Wrong", "this is wrong"


@given(ARRAYS)
def test_an_array_survives_its_json(x: np.ndarray) -> None:
    text = json.dumps(array(x), allow_nan=False)
    np.testing.assert_array_equal(np.array(json.loads(text), dtype=np.float64).reshape(x.shape), x)


def same(V: Term, data: object) -> bool:
    match V, data:
        case Const(x), list():
            return np.array_equal(np.array(data, dtype=np.float64).reshape(x.shape), x, equal_nan=True)
        case Tuple(items), {"tuple": list(parts)}:
            return len(items) == len(parts) and all(same(W, part) for W, part in zip(items, parts, strict=True))
        case _:
            return False


def tuples(V: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.lists(V, min_size=2, max_size=3).map(lambda items: Tuple(tuple(items)))


@given(st.recursive(ARRAYS.map(Const), tuples, max_leaves=5))
def test_a_value_survives_its_json(V: Term) -> None:
    assert same(V, json.loads(json.dumps(value(V), allow_nan=False)))


def test_zeros_are_written_out() -> None:
    assert value(Zero(Product((real(2), real(1, 1))))) == {"tuple": [[0.0, 0.0], [[0.0]]]}


def test_the_newest_location_of_a_name_has_the_name() -> None:
    old, new = Location("w", real(1).shape), Location("w", real(1).shape, 1)
    changes = tuple(Change(loc, None, np.array([x])) for loc, x in ((old, 1.0), (new, 2.0)))
    assert contents(changes) == {"w#0": [1.0], "w": [2.0]}
    assert contents(changes[:1]) == {"w": [1.0]}


def test_an_error_without_a_place_says_so() -> None:
    assert error(Wrong()) == {
        "kind": "error",
        "code": "RH999",
        "message": "this is wrong",
        "line": None,
        "column": None,
        "end_line": None,
        "end_column": None,
    }


def test_lines_and_columns_count_from_1_and_ends_are_exclusive() -> None:
    source = Source("a", "one\ntwo three")
    found = error(Wrong(span=Span(source, 4, 7), hint="write it in another way"))
    assert [found[key] for key in ("line", "column", "end_line", "end_column")] == [2, 1, 2, 4]
    assert found["hint"] == "write it in another way"


def test_an_item_has_one_object_and_one_for_each_of_its_errors() -> None:
    assert len(records(1, Notice("text"))) == 1
    assert [r["item"] for r in records(4, ItemFailed((Wrong(), Wrong())))] == [4, 4]
    assert records(2, DeclarationMade("n", "a dimension", "Dim")) == (
        {"item": 2, "kind": "declaration", "name": "n", "type": "Dim"},
    )


@pytest.mark.parametrize("count", [0, 1, 2])
def test_training_has_its_first_measure_and_all_if_there_are_several(count: int) -> None:
    measures = tuple((f"m{i}", (0.5, math.nan)) for i in range(count))
    (record,) = records(7, TrainingDone(2, 4, measures, 0.1, ()))
    assert record["measure"] == ([0.5, "nan"] if count else [])
    assert ("measures" in record) == (count > 1)
    json.dumps(record, allow_nan=False)
