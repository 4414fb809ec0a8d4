"""What is written as in Python: the tables of names agree with the language, and what is right is not taken for it."""

import pytest

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.foreign import OURS, SIZED
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from tests.typing.cells import wrong


def test_functions_of_other_modules_have_names_of_the_language() -> None:
    assert set(OURS.values()) <= SYMBOLS.keys()


def test_the_functions_with_sizes_are_those_of_the_language() -> None:
    assert {name for name, row in SYMBOLS.items() if any("[" in s.split(":")[0] for s in row.signatures)} == SIZED


@pytest.mark.parametrize(
    "text",
    [
        "dim n = 7 // 2",
        "fun f(x : Real(n // 2), y : Real(ceil(n / 2))) = x",
        "net g[p : Dim](x : Real(2 * p)) : Real(2 * p // 2) =\n  return slice[0, p](x)",
        "let for <- 2 in for",
        'train P for x in data("xor") epochs 2',
        "let map <- 2 in map * map",
        "fun np(x : Real) = x",
    ],
)
def test_what_is_right_is_not_taken_for_another_language(text: str) -> None:
    assert not any(isinstance(item, Unparsed) for item in parse(Source("text", text)))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("2 // 3", "divide terms with `/`"),
        ("let x <- 2 in 6 // x", "divide terms with `/`"),
        ("let x <- 2 in x // half", "comments begin with `#`"),
        ("let x <- 2 in x // half(x)", "comments begin with `#`"),
        ("softmax [1, 2]", "sizes and locations go in square brackets, the input in round ones: softmax([1, 2])"),
        ("fun f(x : Real(n // m)) Real = x", ""),
        ("let x <- 2 in (x, // one\n  x)", "comments begin with `#`"),
        ("reshape[4]", "sizes and locations go in square brackets, the input in round ones: reshape([4])"),
        ("Pool[2]", "sizes and locations go in square brackets, the input in round ones: Pool([2])"),
        ("let (a, b) <- ([1], [2]) in b[0]", "An entry is a slice of length 1: `slice[0, 1](b)`."),
        ("fun f(x : Real) = rev handle (x) <y>. y[0] with h", "An entry is a slice of length 1: `slice[0, 1](y)`."),
        ('train P for 3 in data("xor")', "names begin with a letter"),
    ],
)
def test_the_hint_fits_what_is_known(text: str, hint: str) -> None:
    (diagnostic,) = wrong(text)
    assert diagnostic.hint == hint


def test_a_fix_for_an_entry_needs_to_know_that_it_is_an_array() -> None:
    (diagnostic,) = wrong("x[0]")
    assert diagnostic.fix is None
    (diagnostic,) = wrong("fun f(x : Real(2)) = x\nx[0]")
    assert diagnostic.fix is None
    (diagnostic,) = wrong("const x = [1, 2]\nx[0]")
    assert diagnostic.fix is not None
    assert diagnostic.fix.text == "slice[0, 1](x)"
