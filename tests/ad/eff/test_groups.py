"""Mutually recursive functions: ``fun f x = M and g y = N``."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.frontend.elaboration_items import Group, elaborate
from rh_kernel.ad.eff.machine.running import run
from rh_kernel.ad.eff.printing.items import functions
from rh_kernel.ad.eff.printing.types import scheme
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.ad.eff.typing.thesis_fragment import outside
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.printing.doc import plain
from tests.tiers import law

EVEN = """\
fun even (n : Int) = if n == 0 then True else odd (n - 1)
  and odd (n : Int) = if n == 0 then False else even (n - 1)
"""


def types_of(text: str) -> dict[str, str]:
    """The types of all functions that a text declares."""
    found = loading.declared(text)
    return {name: scheme(found.function(key).scheme) for name, key in found.functions.items()}


def value(text: str, expression: str) -> core.Value:
    """The result on the machine, which is that of the reduction."""
    definitions = loading.declared(text)
    M = loading.checked(expression, definitions).term
    found = run(M, definitions).value
    assert found is not None
    reduced = reduction.run(M, definitions, 100_000).whole
    assert reduced == core.Return(found)
    return found


TYPES: dict[str, tuple[str, dict[str, str]]] = {
    "one calls the other": (EVEN, {"even": "Int -> Bool", "odd": "Int -> Bool"}),
    "of lists": (
        "fun f xs = match xs | [] -> [] | x :: r -> x :: g r\n  and g xs = match xs | [] -> [] | _ :: r -> f r",
        {"f": "List a -> List a", "g": "List a -> List a"},
    ),
    "at two types": (
        'fun f x = let _ = (g 1, g "t") in x\n  and g y = let _ = f y in 3',
        {"f": "a -> a", "g": "a -> Float"},
    ),
    "three, in a ring": (
        "fun f x = g x\n  and g x = h x\n  and h (x : Int) = if x == 0 then x else f (x - 1)",
        {"f": "Int -> Int", "g": "Int -> Int", "h": "Int -> Int"},
    ),
    "a row that comes round": (
        'fun f x = print "f"; g x\n  and g x = if x == 0 then x else f (x - 1)',
        {"f": "Float -> [Console] Float", "g": "Float -> [Console] Float"},
    ),
    "types that are written": (
        "data Nest x = Flat x | Nest (Nest (x, x))\n"
        "fun depth (t : Nest x) : Int = match t | Flat _ -> 0 | Nest s -> more s\n"
        "  and more (t : Nest x) : Int = 1 + depth t",
        {"depth": "Nest x -> Int", "more": "Nest x -> Int"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), TYPES.values(), ids=TYPES)
def test_the_types_of_a_group_are_inferred_together(text: str, expected: dict[str, str]) -> None:
    assert types_of(text) == expected


def test_the_order_of_a_group_does_not_matter() -> None:
    odd, even = (
        "odd (n : Int) = if n == 0 then False else even (n - 1)",
        "even (n : Int) = if n == 0 then True else odd (n - 1)",
    )
    turned = f"fun {odd}\n  and {even}"
    assert types_of(turned) == types_of(EVEN)


@law(60)
@given(st.integers(0, 40))
def test_even_and_odd(n: int) -> None:
    """The machine and the reduction"""
    assert value(EVEN, f"(even {n}, odd {n})") == core.Tuple(
        (core.Constructed(str(n % 2 == 0), ()), core.Constructed(str(n % 2 == 1), ()))
    )


def test_deep_mutual_recursion_takes_no_stack() -> None:
    definitions = loading.declared(EVEN)
    assert run(loading.checked("odd 100001", definitions).term, definitions).value == core.Constructed("True", ())


@pytest.mark.parametrize("width", [20, 60, 1000])
@pytest.mark.parametrize("text", [text.split("\n", 1)[1] if text.startswith("data") else text for text, _ in TYPES.values()])
def test_printed_groups_parse_to_the_same_group(text: str, width: int) -> None:
    definitions = loading.declared("data Nest x = Flat x | Nest (Nest (x, x))")
    (item,) = loading.parse(text)
    made = elaborate(item, definitions)
    assert isinstance(made, Group)
    (again,) = loading.parse(plain(functions(made.functions), width))
    found = elaborate(again, definitions)
    assert isinstance(found, Group)
    assert found.functions == made.functions


@pytest.mark.parametrize(
    ("text", "code", "at", "hint"),
    [
        ("fun f x = x\n  and f y = y", "RH121", "f", "different name"),
        ("fun f x = x\nand g y = y", "RH004", "and", "indent"),
        ("fun f x = h x\n  and g y = y", "RH101", "h", "fun f x = M and g y = N"),
        ("fun f x = g x + 1\n  and g (y : Text) = y", "RH102", "", ""),
        ("fun f x = match x | [] -> g x\n  and g y = f y", "RH521", "match x", ""),
        ("let and = 1 in and", "RH008", "and", "keyword"),
    ],
)
def test_wrong_groups_are_rejected(text: str, code: str, at: str, hint: str) -> None:
    with pytest.raises(Rejected) as caught:
        loading.declared(text)
    found = caught.value.diagnostics[0]
    assert (found.code, hint in found.hint) == (code, True)
    assert found.span is not None
    assert found.span.text.startswith(at)


def test_redeclaring_a_name_does_not_change_a_group() -> None:
    later = loading.declared("fun odd (n : Int) = False", loading.declared(EVEN))
    M = loading.checked("(even 3, odd 3, even 4)", later).term
    no, yes = core.Constructed("False", ()), core.Constructed("True", ())
    assert run(M, later).value == core.Tuple((no, no, yes))


def test_groups_are_outside_of_the_thesis_calculus() -> None:
    definitions = loading.declared(EVEN)
    told = outside(definitions, loading.computation("even 2", definitions))
    assert told == ("recursion: `even` uses itself", "recursion: `odd` uses itself")
