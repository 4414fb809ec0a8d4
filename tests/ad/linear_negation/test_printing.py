"""Terms as the paper writes them, with types on demand."""

import pytest

from rh_kernel.ad.linear_negation.calculus import (
    App,
    Arrow,
    Dual,
    Fix,
    Fun,
    If,
    Lam,
    LinearLambda,
    Negation,
    Nil,
    Num,
    Open,
    Pair,
    Partial,
    Plus,
    R,
    Term,
    Times,
    Type,
    Unit,
    Var,
    mul,
)
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.printing import document, number, typed
from rh_kernel.syntax.printing.doc import Mark, annotated_texts, plain
from tests.ad.linear_negation.examples import app, f, lam, let, lets, sub, x, y

TERMS: dict[str, Term] = {
    "x + y + 2": Plus(Plus(x, y), Num(2.0)),
    "x + (y + 2)": Plus(x, Plus(y, Num(2.0))),
    "(x + y) · 2": mul(Plus(x, y), Num(2.0)),
    "x · y · 2": mul(mul(x, y), Num(2.0)),
    "x · (y · 2)": mul(x, mul(y, Num(2.0))),
    "x − (y − 2)": sub(x, sub(y, Num(2.0))),
    "x − y − −2.5": sub(sub(x, y), Num(-2.5)),
    "x − y + x": Plus(sub(x, y), x),
    "⟨x, y, ⟨⟩⟩": Pair(x, Pair(y, Nil())),
    "⟨⟨x, y⟩, y⟩": Pair(Pair(x, y), y),
    "(λx. x)(y)": App(lam("x", x), y),
    "f(x)(y + 1)": app(Var("f"), x, Plus(y, Num(1.0))),
    "λ°a. x′(a · y)": LinearLambda("a", App(Var("x′"), mul(Var("a"), y))),
    "(x + y)[x := y]": lets(Plus(x, y), let("x", y)),
    "x[x := z][⟨y, z⟩ := p][a° := 2]": lets(x, let("x", Var("z")), Open("y", R, "z", R, Var("p")), Dual("a", Num(2.0))),
    "tanh′(x) · ∂₂div(x, y)": mul(Fun(Partial("tanh", 1), (x,)), Fun(Partial("div", 2), (x, y))),
    "fma(x, y, 1)": f("fma", x, y, Num(1.0)),
    "if x ≤ 0 then x else y": If(x, Num(0.0), x, y),
    "fix k. λq. k(q)": Fix("k", Arrow(R, R), lam("q", app(Var("k"), Var("q")))),
}


@pytest.mark.parametrize("text", TERMS)
def test_terms(text: str):
    assert plain(document(TERMS[text])) == text


def test_types_on_demand():
    """Every binder says its type, of both kinds."""
    inner = LinearLambda("a", App(Var("w"), Var("a")))
    t = Lam("p", Times(R, Negation(2)), lets(inner, Open("v", R, "w", Negation(2), Var("p"))))
    assert plain(document(t)) == "λp. (λ°a. w(a))[⟨v, w⟩ := p]"
    assert plain(document(t, types=True)) == "λp : R × R⊥2. (λ°a : R. w(a))[⟨v : R, w : R⊥2⟩ := p]"
    u = lets(Var("b"), Dual("b", Var("q")), let("q", x))
    assert plain(document(u, types=True)) == "b[b° : R := q][q : R := x]"
    assert plain(typed(x, [("x", R), ("y", Arrow(R, R))], R)) == "x : R, y : R → R ⊢ x : R"


@pytest.mark.parametrize(
    ("A", "text"),
    [
        (Arrow(Arrow(R, R), R), "(R → R) → R"),
        (Arrow(R, Arrow(R, R)), "R → R → R"),
        (Times(Times(R, R), Arrow(R, R)), "(R × R) × (R → R)"),
        (Times(R, Times(R, Unit())), "R × R × 1"),
        (Negation(3), "R⊥3"),
        (Negation(), "R⊥"),
    ],
)
def test_types(A: Type, text: str):
    assert str(A) == text


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (-0.5, "−0.5"), (1e300, "1e+300"), (float("inf"), "inf"), (float("nan"), "nan")]
)
def test_numbers(value: float, text: str):
    assert number(value) == text


def test_what_was_made_is_marked():
    made = Plus(x, y)
    _, marks = annotated_texts(document(mul(made, Plus(x, y)), made))
    assert marks == [(Mark("contractum"), "x + y")] or marks == [(Mark("contractum"), "(x + y)")]
    binding = let("x", y)
    _, marks = annotated_texts(document(lets(x, binding), binding))
    assert marks == [(Mark("contractum"), "[x := y]")]


def test_long_terms_break_between_substitutions():
    t = lets(Plus(x, y), let("x", f("sin", y)), let("y", Num(1.0)))
    assert plain(document(t), 20) == "(x + y)\n  [x := sin(y)]\n  [y := 1]"


def test_names():
    supply = NameSupply(["x", "y′"])
    assert [supply.fresh("x") for _ in range(3)] == ["x₁", "x₂", "x₃"]
    assert supply.pair("x") == ("x₄", "x₄′")
    assert supply.pair("y") == ("y₁", "y₁′")
    assert supply.fresh("y′") == "y₂′"
    assert supply.fresh("x'") == "x₅"
    assert supply.fresh("z12₃′") == "z12′"
