"""Types in results and diagnostics: small ones whole, large ones truncated."""

import pytest
from hypothesis import given

from rh_kernel.ad.eff import library, loading
from rh_kernel.ad.eff.definitions import Function, Handler
from rh_kernel.ad.eff.printing import cropping, types
from rh_kernel.ad.eff.printing.cropping import PARTS
from rh_kernel.ad.eff.types import (
    FLOAT,
    INT,
    ComputationType,
    Data,
    Label,
    Product,
    Returner,
    Row,
    RowVariable,
    Thunk,
    ValueType,
)
from rh_kernel.ad.eff.types import Function as Arrow
from rh_kernel.ad.eff.typing.checking import check_computation
from rh_kernel.source.diagnostic import Rejected
from tests.ad.eff.test_printing import value_types

DOUBLING = "\n".join(["fun a0 x = (x, x)", *[f"fun a{n} x = a{n - 1} (a{n - 1} x)" for n in range(1, 4)]])


def nested(depth: int) -> ValueType:
    """``((…(Float, Float)…), …)``, whose parts double."""
    A: ValueType = FLOAT
    for _ in range(depth):
        A = Product((A, A))
    return A


@given(value_types())
def test_a_type_is_whole_or_within_the_bound(A: ValueType) -> None:
    whole, shown = types.value(A), cropping.value(A)
    assert shown == whole or "…" in shown
    assert len(whole.split()) > PARTS or shown == whole
    assert shown.split("…")[0] == whole[: len(shown.split("…")[0])]


@pytest.mark.parametrize("depth", range(20))
def test_exponentially_large_types_are_bounded(depth: int) -> None:
    """Each part is a pair or a ``Float``, and each pair that was begun has at most one mark of omission."""
    text = cropping.value(nested(depth))
    assert text.count("Float") + text.count("(") <= PARTS
    assert text.count("…") <= 2 * depth
    assert ("…" in text) == (2 ** (depth + 1) - 1 > PARTS)


def test_the_number_of_omitted_parts_is_printed() -> None:
    wide = Product((INT,) * 1_400)
    assert cropping.value(wide) == f"({'Int, ' * (PARTS - 1)}… 1,101 more …)"
    assert cropping.value(Data("D", (wide, FLOAT, Row()))).endswith("Int, Int, … 1,102 more …) … 2 more …")


def test_rows_and_results_of_functions_are_truncated() -> None:
    long = Row(tuple([Label(f"E{n}") for n in range(1_000)]), RowVariable("e"))
    assert cropping.row(long).endswith(", E299, … 700 more …]")
    assert cropping.label(Label("E", (nested(12),))).startswith("E ((((")
    C: ComputationType = Returner(FLOAT)
    for _ in range(400):
        C = Arrow(FLOAT, C)
    assert cropping.computation(C) == "Float -> " * PARTS + "…"
    assert cropping.value(Thunk(long, C)).count("…") <= 4


def test_the_types_of_the_library_are_whole() -> None:
    for made in loading.program(*library.names()).declared.values():
        match made:
            case Handler(_, H):
                assert cropping.handler_scheme(H) == types.handler_scheme(H)
            case Function(_, S):
                assert cropping.computation(S.type.computation, S.type.row) == types.computation(S.type.computation, S.type.row)
            case _:
                pass


def test_diagnostics_and_results_are_truncated() -> None:
    declared = loading.declared(DOUBLING)
    M = check_computation(loading.computation("a1 (a3 1)", declared), declared)
    assert len(cropping.computation(M.type)) < 4_000 < len(types.computation(M.type))
    with pytest.raises(Rejected) as raised:
        loading.checked("a1 (a3 1) + 1", declared)
    (found,) = raised.value.diagnostics
    assert len(found.found) < 4_000
    assert "…" in found.found
    assert "declared twice" not in found.hint


def test_different_types_with_the_same_truncated_text_are_not_explained_by_their_names() -> None:
    declared = loading.declared(f"{DOUBLING}\ndata D a = D a\nfun f (t : D (a, Int)) = t\nfun g x y = D (x, y)")
    with pytest.raises(Rejected) as raised:
        loading.checked("match (D (a3 1, 1.5), f (D (a3 1, 1))) | (x, y) -> f x", declared)
    (found,) = raised.value.diagnostics
    assert found.found == found.expected
    assert "declared twice" not in found.hint
