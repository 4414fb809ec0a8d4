"""Formatting says the same, keeps the comments, and formatting twice is formatting once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.formatting import format_source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.surface_items import Item
from tests.syntax.surface_programs import written_items
from tests.tiers import law


def formatted(text: str) -> str:
    return format_source(Source("test", text))


programs = st.lists(
    st.tuples(
        written_items().map(lambda written: written[0]), st.sampled_from(["", "\n", "\n\n\n", "  # a", "\n# b\n", "\n  # c\n"])
    ),
    max_size=3,
).map(lambda parts: "\n".join(text + gap for text, gap in parts))


@given(programs)
@law(40)
def test_parse_of_format_is_parse(text: str) -> None:
    assert parse(Source("test", formatted(text))) == parse(Source("test", text))


@given(programs)
@law(40)
def test_format_is_idempotent(text: str) -> None:
    once = formatted(text)
    assert formatted(once) == once


@given(programs)
@law(40)
def test_comments_stay(text: str) -> None:
    def comments(written: str) -> list[str]:
        return [comment.rstrip() for comment in re.findall(r"#.*", written)]

    assert comments(formatted(text)) == comments(text)


@given(programs)
@law(40)
def test_blanks_are_canonical(text: str) -> None:
    lines = formatted(text).split("\n")
    assert lines[-1] == ""
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in "\n".join(lines)
    assert lines[0] or len(lines) == 1


@given(written_items())
@law(50)
def test_no_sign_in_ascii_is_left(written: tuple[str, Item]) -> None:
    text, _ = written
    code = re.sub(r'#.*|"[^"]*"', "", formatted(text))
    # A comparison, which unlike a bracket has space on both sides.
    code = re.sub(r"(?<=\s)[<>](?=\s)", "", code)
    assert not re.search(r"<-|<=|->|=>|\^T|<|(?<!~)>|−|⋅|↦|⇝|\|-", code)


LAYOUTS = {
    "spaces and signs": (
        "const  t:Real(2)*Real=( [ -1 ,2.0 ],- 3 )  # two",
        "const t : Real(2) × Real = ([-1, 2.0], -3)  # two",
    ),
    "products of dimensions": ("op F : Real(m×n)*1->Real(m*n,2)", "op F : Real(m * n) × 1 → Real(m * n, 2)"),
    "projections and derivatives": (
        "W . rd ( x.rd [ f ] (x,x) ) ( V ) + x .1 .2 ^T - - y",
        "W.rd(x. rd[f](x, x))(V) + x.1.2ᵀ - -y",
    ),
    "initial contents": (
        'loc w:Real=normal( 0.5,seed = 1 )\nloc v = load ( "a b" )',
        'loc w : Real = normal(0.5, seed=1)\nloc v = load("a b")',
    ),
    "a chain of lets": (
        "net f(x:Real)=\n      let y<=P( x )\n     in\n  # note\n let z<-y in\n   let u <- z in\n return u",
        "net f(x : Real) =\n  let y ⇐ P(x)\n  in\n  # note\n  let z ← y in\n  let u ← z in\n  return u",
    ),
    "a handler": (
        "handler h(a:Real) : rev handler ( Real ) = {\n return x->return a*x;\n"
        " FC[l] (x) -> let w <= Get[l]() in return (w,x)\n | y,z->let (w,x)<-z in\n return y\n }",
        "handler h(a : Real) : rev handler(Real) = {\n  return x → return a * x\n"
        "  FC[l](x) → let w ⇐ Get[l]() in return (w, x)\n    | y, z → let (w, x) ← z in\n             return y\n}",
    ),
    "handled commands": (
        "rev  handle(v)<x,(y,z)>.\n f( x )\n with {return x->x;Op(x),k->k•x}",
        "rev handle (v) ⟨x, (y, z)⟩.\n  f(x)\n  with { return x → x ; Op(x), k → k • x }",
    ),
    "training": (
        'train f(x)\n        for (x,t) in data( "a" ) batch(2)\n   measure let y<=f(x) in\n  return y on data("b")\n as"loss"',
        'train f(x)\n  for (x, t) in data("a") batch (2)\n  measure let y ⇐ f(x) in\n          return y on data("b")\n'
        '  as "loss"',
    ),
    "comparison": (
        "%gradient rev handle (M) <x>. f(x) with h\n      against   (g(x))\nagainst( y )",
        "%gradient rev handle (M) ⟨x⟩. f(x) with h\n  against (g(x))\nagainst(y)",
    ),
    "passes": (
        "%compile   --passes ( M )\n%compile --passes\n  -x\n%compile - x\n%compile - - x",
        "%compile --passes (M)\n%compile --passes\n  -x\n%compile -x\n%compile --x",
    ),
    "passes of training": (
        '%compile --passes train f(x)\n        for (x,t) in data( "a" ) batch(2)\n   measure let y<=f(x) in\n  return y',
        '%compile --passes train f(x)\n  for (x, t) in data("a") batch (2)\n  measure let y ⇐ f(x) in\n          return y',
    ),
    "no passes": (
        "%compile -  -passes ( M )\n%compile --  profile\n%compile - - profile",
        "%compile - -passes(M)\n%compile -- profile\n%compile - - profile",
    ),
    "directives": ('%trace   f( x )\n%save  "a b"   c# d\n%heap   # e', '%trace f(x)\n%save "a b" c# d\n%heap  # e'),
    "comments in a column": (
        "dim n = 3 # a\nconst long = 4 # b\n\ndim m = 1 # c",
        "dim n = 3       # a\nconst long = 4  # b\n\ndim m = 1  # c",
    ),
    "blank lines": ("\n\n# a\n\n\n\ndim n = 1\n\n\n\ndim m = 2\n\n\n", "# a\n\ndim n = 1\n\ndim m = 2"),
    "lets in the first column": (
        "let x<-1 in\n let y<-2 in\n      x+\n  y",
        "let x ← 1 in\n  let y ← 2 in\n  x +\n    y",
    ),
    "brackets over lines": ("f(\n a,\n   g(b,\n c)\n )", "f(\n  a,\n  g(b,\n    c)\n  )"),
}


@pytest.mark.parametrize(("text", "expected"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layout(text: str, expected: str) -> None:
    assert formatted(text) == expected + "\n"


def test_nothing_is_nothing() -> None:
    assert formatted("\n  \n") == ""


def test_a_text_that_does_not_parse_is_rejected_with_all_that_is_wrong() -> None:
    with pytest.raises(Rejected) as rejected:
        formatted("let x = 1 in x\ndim n = 3\nf(x]")
    assert [d.code for d in rejected.value.diagnostics] == ["RH009", "RH007"]


def test_a_long_chain_is_formatted() -> None:
    text = "net f(x : Real) =\n" + "let x <= P(x) in\n".rjust(21) * 2000 + "  return x\n"
    assert formatted(text).count("\n  let x ⇐ P(x) in") == 2000
