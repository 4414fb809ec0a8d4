"""Which name is meant by one that means nothing."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.typing.diagnostics.suggestions import foreign_name_hint, nearest
from tests.typing.cells import run, wrong

names = st.text("abcdefgklmnoprstw0_", min_size=3, max_size=10).filter(lambda name: name[0].isalpha())


@given(names, st.data())
def test_a_declared_name_with_two_letters_swapped_is_found_among_all_that_is_built_in(name: str, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, len(name) - 2))
    swapped = name[:i] + name[i + 1] + name[i] + name[i + 2 :]
    assume(swapped not in (name, "max", "min", "ln") and swapped not in SYMBOLS)
    assert nearest(swapped, [*SYMBOLS, name], SYMBOLS) == name


@given(st.sampled_from(sorted(SYMBOLS)))
def test_a_name_that_is_there_is_nearest_to_itself_in_any_case(name: str) -> None:
    assert nearest(name, list(SYMBOLS), SYMBOLS) == name
    assert nearest(name.upper(), list(SYMBOLS), SYMBOLS) == name


@pytest.mark.parametrize(
    ("name", "meant"),
    [("max", "maximum"), ("ln", "log"), ("tahn", "tanh"), ("True", None), ("zeros", None)],
)
def test_a_name_of_another_language(name: str, meant: str | None) -> None:
    assert nearest(name, [*SYMBOLS, "one"], SYMBOLS) == meant


@pytest.mark.parametrize("name", ["True", "False", "None", "zeros", "ones", "eye"])
def test_a_value_of_another_language_has_no_name_near_it_but_words(name: str) -> None:
    [diagnostic] = wrong(f"2 * {name}")
    assert diagnostic.hint == foreign_name_hint(name) != ""


def test_an_operation_that_nothing_handles_is_told_where_it_is_used() -> None:
    _, session = run("op A[l : Loc(n)] : Real(n) -> Real(n)\nloc w : Real(2) = ones\nnet f(x : Real(2)) = A[w](x)", cell="one")
    [diagnostic] = wrong("1 + 1\nlet y <= f([1, 2]) in return y", session, cell="two")
    assert diagnostic.span is not None
    assert (diagnostic.span.source.name, diagnostic.span.text) == ("one", "A[w](x)")
    [note] = diagnostic.notes
    assert (note.span.source.name, note.span.text) == ("two", "let y <= f([1, 2]) in return y")


def test_an_operation_that_nothing_handles_at_hand_needs_no_such_note() -> None:
    [diagnostic] = wrong("op A[l : Loc(n)] : Real(n) -> Real(n)\nloc w : Real(2) = ones\nlet y <= A[w]([1, 2]) in return y")
    assert diagnostic.notes == ()
