"""Sweeps as text: how they are parsed, formatted and taken apart, and when a cell with one is complete."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.formatting import format_source
from rh_kernel.syntax.parsing.parser import Unparsed, completeness, parse
from rh_kernel.syntax.parsing.sweeps import MOST_RUNS, is_sweep, pieces, sweep_parts
from rh_kernel.syntax.surface_items import DimDeclaration, Evaluation, Item, LocDeclaration, SweepItem, TrainItem
from tests.highlighting.texts import nearly
from tests.tiers import law


def only(text: str) -> Item | Unparsed:
    (item,) = parse(Source("cell", text))
    return item


def sweep(text: str) -> SweepItem:
    item = only(text)
    assert isinstance(item, SweepItem), item
    return item


def errors(text: str) -> list[tuple[str, str]]:
    """The code and the underlined text of each diagnostic of the first item."""
    item = parse(Source("cell", text))[0]
    assert isinstance(item, Unparsed), item
    return [(d.code, "" if d.span is None else d.span.text) for d in item.diagnostics]


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ("[0.1, 0.2]", (0.1, 0.2)),
        ("[16]", (16,)),
        ("0..4", (0, 1, 2, 3, 4)),
        ("-1 .. 1", (-1, 0, 1)),
        ("-3..-3", (-3,)),
        ("[-0.5, 1e-3, 2]", (-0.5, 1e-3, 2)),
    ],
)
def test_a_number_has_the_values_that_are_written(values: str, numbers: tuple[float, ...]) -> None:
    (parameter,) = sweep(f"sweep a in {values}\n  a").parameters
    assert parameter.values == numbers
    assert [type(value) for value in parameter.values] == [type(value) for value in numbers]


def test_items_below_a_sweep_begin_in_the_column_of_the_first() -> None:
    text = """sweep a in [0.1], h in [16, 32],
      seed in 0..1   # and nothing else
# what follows is run
    dim n = h

    # a location
    loc w : Real(n) =
      zeros
    handler stop = {
      return x -> return x
}
    train return x
         for x in data("xor")
    let y <= Get[w]()
      in return a
dim m = 3"""
    found = parse(Source("cell", text))
    assert [type(item).__name__ for item in found] == ["SweepItem", "DimDeclaration"]
    assert isinstance(found[0], SweepItem)
    kinds = [type(item).__name__ for item in found[0].items]
    assert kinds == ["DimDeclaration", "LocDeclaration", "HandlerDeclaration", "TrainItem", "Evaluation"]
    assert [p.name.text for p in found[0].parameters] == ["a", "h", "seed"]
    assert found[0].span.text == text.removesuffix("\ndim m = 3")
    assert found[0].items[1].span.text == "loc w : Real(n) =\n      zeros"


def test_sweep_is_a_name_elsewhere() -> None:
    assert isinstance(only("sweep + 1"), Evaluation)
    assert isinstance(only("sweep"), Evaluation)
    assert isinstance(only("dim sweep = 3"), DimDeclaration)
    assert isinstance(sweep("sweep sweep in [1]\n  sweep").items[0], Evaluation)


@pytest.mark.parametrize(
    ("text", "code", "there"),
    [
        ("sweep a in []\n  a", "RH021", "[]"),
        ("sweep a in 4..0\n  a", "RH021", "4..0"),
        ("sweep a in 0.5..2\n  a", "RH021", "0.5..2"),
        ("sweep a in [1], a in [2]\n  a", "RH021", "a"),
        (f"sweep a in 0..{MOST_RUNS}\n  a", "RH021", f"0..{MOST_RUNS}"),
        ("sweep a in 0..99, b in 0..99\n  a", "RH021", "a in 0..99, b in 0..99"),
        ("sweep a in 0..999999999999999999999\n  a", "RH021", "0..999999999999999999999"),
        ("sweep a in [1e999]\n  a", "RH021", "1e999"),
        ("sweep a in [1]", "RH005", "]"),
        ("sweep a in [1]\na", "RH005", "]"),
        ("sweep a in [1] a", "RH004", "a"),
        ("sweep a in [1]\n    a\n  a", "RH021", "a"),
        ("sweep a in [1]\n  %heap", "RH021", "%heap"),
        ("sweep a in [1]\n  sweep b in [2]\n    b", "RH021", "sweep b in [2]"),
        ("sweep a in [b]\n  a", "RH004", "b"),
        ("sweep a in [1,]\n  a", "RH004", "]"),
        ("sweep a in [1\n  a", "RH006", "a"),
        ("sweep a [1]\n  a", "RH004", "["),
        ("sweep a in\n  a", "RH004", "a"),
        ("sweep a in [1],\n  let x <- a in x", "RH008", "let"),
        ("sweep a in [1]\n  let x <- a", "RH010", "a"),
        ("sweep a in [1]\n  dim = 3", "RH004", "="),
    ],
)
def test_a_wrong_sweep_is_underlined_where_it_is_wrong(text: str, code: str, there: str) -> None:
    assert errors(text) == [(code, there)]


def test_every_wrong_item_below_a_sweep_is_reported() -> None:
    assert errors("sweep a in [1]\n  dim = 3\n  a\n  let x <- a") == [("RH004", "="), ("RH010", "a")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sweep a in [1]", ("incomplete", "  ")),
        ("sweep a in [1]\n", ("incomplete", "  ")),
        ("sweep a in [1],", ("incomplete", "    ")),
        ("sweep a in", ("incomplete", "    ")),
        ("sweep a in [1,", ("incomplete", "    ")),
        ("sweep a in [1]\n  a", ("complete", "")),
        ("sweep a in [1]\n   let x <- a in", ("incomplete", "     ")),
        ("sweep a in [1]\n  net f(x : Real) =", ("incomplete", "    ")),
        ('sweep a in [1]\n  dim n = 3\n  train return x for x in data("xor")', ("complete", "")),
        ("sweep a in []\n  a", ("invalid", "")),
        ("sweep a in [1]\ndim n = 3", ("invalid", "")),
    ],
)
def test_a_cell_is_complete_when_its_sweep_has_an_item(text: str, found: tuple[str, str]) -> None:
    assert completeness(text) == found


def test_formatting_indents_the_items_and_keeps_the_comments() -> None:
    text = """sweep   a in [0.1,-2],   # steps
 seed in 0 .. 3
    # first
    loc w:Real(2)=normal(0.5,seed=seed)   # x
    # between

    let x <= Get[w]() in
     return a*sum(x)
        # deeper
# next
dim m=2
"""
    assert (
        format_source(Source("cell", text))
        == """sweep a in [0.1, -2],  # steps
      seed in 0..3
  # first
  loc w : Real(2) = normal(0.5, seed=seed)  # x
  # between

  let x ⇐ Get[w]() in
    return a * sum(x)
    # deeper
# next
dim m = 2
"""
    )


_items = st.sampled_from(
    ["a + 1", "dim n = b", "loc w : Real(2) =\n{}  zeros", 'train return x\n{}  for x in data("xor")', "# c\n{}a * b"]
)
_values = st.sampled_from(["[1, 2]", "0..3", "[ -1 ]", "-2 .. 2"])


@law(50)
@given(_values, _values, st.lists(_items, min_size=1, max_size=4), st.integers(1, 5), st.booleans())
def test_formatting_keeps_the_meaning_and_formatting_twice_is_formatting_once(
    one: str, other: str, items: list[str], column: int, is_broken: bool
) -> None:
    indent = " " * column
    lines = [f"{indent}{item.format(indent)}" for item in items]
    text = "\n".join([f"sweep a in {one},{chr(10) if is_broken else ''} b in {other}", *lines, "dim m = 3\n"])
    formatted = format_source(Source("cell", text))
    assert parse(Source("cell", formatted)) == parse(Source("cell", text))
    assert format_source(Source("cell", formatted)) == formatted


@law(100)
@given(nearly)
def test_a_sweep_with_or_without_errors_is_taken_apart_into_the_whole(text: str) -> None:
    source = Source("cell", f"sweep {text}")
    chunk = Span(source, 0, len(source.text))
    found = pieces(chunk)
    assert "".join([piece.text for piece in found]) == source.text
    parse(source)
    completeness(source.text)


def test_the_pieces_of_a_right_sweep_are_its_header_and_its_items() -> None:
    text = "sweep a in [1], # one\n  b in [2]\n   dim n = 3\n     + 1\n   # c\n   a\n"
    chunk = Span(Source("cell", text), 0, len(text))
    assert is_sweep(chunk)
    header, *items = pieces(chunk)
    parts = sweep_parts(chunk)
    assert [item.text.strip() for item in items] == [item.text.strip() for item in parts.items]
    assert header.text.strip() == parts.header.text.strip()
    assert isinstance(parts.parameters[0].values[0], int)
    assert not isinstance(sweep(text).items[0], LocDeclaration | TrainItem)
