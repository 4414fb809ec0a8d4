"""Unification of rows with scoped labels (Sigal 2024, §3.3.1)."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff.types import (
    FLOAT,
    INT,
    TEXT,
    Data,
    Label,
    Returner,
    Row,
    RowMeta,
    RowVariable,
    Thunk,
    ValueType,
)
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns

EFFECTS = ("Smooth", "State", "Fresh")


def ground() -> st.SearchStrategy[ValueType]:
    base = st.sampled_from([FLOAT, INT, TEXT])
    return st.recursive(base, lambda A: A.map(lambda B: Data("Paired", (B,))), max_leaves=3)


def labels() -> st.SearchStrategy[tuple[Label, ...]]:
    label = st.builds(Label, st.sampled_from(EFFECTS), st.tuples(ground()))
    return st.lists(label, max_size=6).map(tuple)


def tails() -> st.SearchStrategy[RowVariable | None]:
    return st.sampled_from([None, RowVariable("e"), RowVariable("f")])


def by_effect(E: Row) -> dict[str, list[Label]]:
    """The labels of each effect in their order, which are the same in equal rows."""
    return {effect: [L for L in E.labels if L.effect == effect] for effect in EFFECTS}


@st.composite
def exchanged(draw: st.DrawFn, row: tuple[Label, ...]) -> tuple[Label, ...]:
    """The labels in another order, but the same for each effect."""
    order = draw(st.permutations([L.effect for L in row]))
    left = {effect: [L for L in row if L.effect == effect] for effect in EFFECTS}
    return tuple(left[effect].pop(0) for effect in order)


def equal(E: Row, F: Row, unknowns: Unknowns | None = None) -> bool:
    return (Unknowns() if unknowns is None else unknowns).allows(E, F)


@given(labels(), tails())
def test_a_row_is_equal_to_itself(row: tuple[Label, ...], tail: RowVariable | None) -> None:
    assert equal(Row(row, tail), Row(tuple(Label(L.effect, L.arguments) for L in row), tail))


@given(st.data(), labels(), tails())
def test_labels_of_different_effects_may_be_exchanged(
    data: st.DataObject, row: tuple[Label, ...], tail: RowVariable | None
) -> None:
    assert equal(Row(row, tail), Row(data.draw(exchanged(row)), tail))


@given(labels(), labels(), tails(), tails())
def test_rows_without_unknowns_are_equal_if_each_effect_has_the_same_labels_in_the_same_order(
    row: tuple[Label, ...], other: tuple[Label, ...], tail: RowVariable | None, another: RowVariable | None
) -> None:
    E, F = Row(row, tail), Row(other, another)
    assert equal(E, F) == (by_effect(E) == by_effect(F) and tail == another)


@given(st.data(), labels(), tails())
def test_the_order_of_one_effect_is_kept(data: st.DataObject, row: tuple[Label, ...], tail: RowVariable | None) -> None:
    order = data.draw(st.permutations(row))
    kept = by_effect(Row(row)) == by_effect(Row(tuple(order)))
    assert equal(Row(row, tail), Row(tuple(order), tail)) == kept


@given(st.data(), labels(), tails())
def test_an_unknown_tail_is_what_the_row_has_further_out(
    data: st.DataObject, row: tuple[Label, ...], tail: RowVariable | None
) -> None:
    """``[_ | L, …]`` unifies exactly with the rows whose innermost labels are L, …."""
    some = data.draw(labels())
    unknowns = Unknowns()
    E, F = unknowns.row(*some), Row(row, tail)
    wanted = all(
        (inner := by_effect(Row(some))[effect]) == by_effect(F)[effect][len(by_effect(F)[effect]) - len(inner) :]
        and len(inner) <= len(by_effect(F)[effect])
        for effect in EFFECTS
    )
    assert equal(E, F, unknowns) == wanted
    if wanted:
        whole = unknowns.whole(E)
        assert by_effect(whole) == by_effect(F)
        assert whole.tail == tail


@given(labels(), labels())
def test_two_unknown_tails_have_a_common_unknown_rest(row: tuple[Label, ...], other: tuple[Label, ...]) -> None:
    """``[_ | L, …] = [_ | M, …]``: both become one row with an unknown tail"""
    unknowns = Unknowns()
    E, F = unknowns.row(*row), unknowns.row(*other)
    if not equal(E, F, unknowns):
        # One label of an effect is another, counted from the innermost one.
        pairs = [zip(reversed(by_effect(E)[x]), reversed(by_effect(F)[x]), strict=False) for x in EFFECTS]
        assert any(L != M for one in pairs for L, M in one)
        return
    G, H = unknowns.whole(E), unknowns.whole(F)
    assert by_effect(G) == by_effect(H)
    assert isinstance(G.tail, RowMeta)
    assert G.tail == H.tail
    most = {x: max(len(by_effect(E)[x]), len(by_effect(F)[x])) for x in EFFECTS}
    assert {x: len(found) for x, found in by_effect(G).items()} == most
    assert [x for x, _ in groupby(sorted(L.effect for L in G.labels))] == sorted(x for x in EFFECTS if most[x])


@given(labels(), labels())
def test_no_label_is_added_through_a_rows_own_tail(row: tuple[Label, ...], other: tuple[Label, ...]) -> None:
    """``[e | L, …] = [e | M, …]`` only if the labels are the same"""
    unknowns = Unknowns()
    tail = RowMeta(unknowns.number())
    assert equal(Row(row, tail), Row(other, tail), unknowns) == (by_effect(Row(row)) == by_effect(Row(other)))


def test_types_in_labels_are_solved() -> None:
    """``[_ | Smooth α] = [e | Smooth Float, Smooth (Paired Float)]``: α is the innermost one"""
    unknowns = Unknowns()
    A = unknowns.type()
    unknowns.unify(
        unknowns.row(Label("Smooth", (A,))), Row((Label("Smooth", (FLOAT,)), Label("Smooth", (Data("Paired", (FLOAT,)),))))
    )
    assert unknowns.whole(A) == Data("Paired", (FLOAT,))


def test_a_row_may_have_its_tail_in_its_labels() -> None:
    """``[e | Checkpoint [e]]`` is a valid row, but ``e = [f | Checkpoint [e]]`` has no solution."""
    unknowns = Unknowns()
    e = unknowns.row()
    E = Row((Label("Checkpoint", (e,)),), e.tail)
    unknowns.unify(E, Row((Label("Checkpoint", (Row((), RowVariable("f")),)),), RowVariable("f")))
    assert unknowns.whole(e) == Row((), RowVariable("f"))
    fresh = Unknowns()
    g = fresh.row()
    with pytest.raises(Mismatch, match="infinite"):
        fresh.unify(g, Row((Label("Checkpoint", (g,)),), RowMeta(fresh.number())))


def test_no_type_is_a_part_of_itself() -> None:
    unknowns = Unknowns()
    A = unknowns.type()
    with pytest.raises(Mismatch, match="infinite"):
        unknowns.unify(A, Data("Paired", (A,)))
    with pytest.raises(Mismatch, match="infinite"):
        unknowns.unify(A, Thunk(unknowns.row(Label("State", (A,))), Returner(FLOAT)))


def test_a_number_is_a_float_or_an_int() -> None:
    for A, fits in ((FLOAT, True), (INT, True), (TEXT, False), (Data("List", (FLOAT,)), False)):
        unknowns = Unknowns()
        numeric, other = unknowns.type(numeric=True), unknowns.type()
        unknowns.unify(other, numeric)
        if fits:
            unknowns.unify(other, A)
            assert unknowns.whole(numeric) == A
        else:
            with pytest.raises(Mismatch):
                unknowns.unify(other, A)
