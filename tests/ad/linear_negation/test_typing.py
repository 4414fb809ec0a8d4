"""The type system (Tab. 1) with its repair: what it accepts, what it rejects, and that every rule is used."""

import pytest

from rh_kernel.ad.linear_negation.calculus import (
    App,
    Arrow,
    Block,
    Dual,
    Fix,
    If,
    Lam,
    LinearLambda,
    Negation,
    Nil,
    Num,
    Open,
    Pair,
    Plus,
    R,
    Term,
    Times,
    Type,
    Unit,
    Var,
    mul,
)
from tests.ad.linear_negation.examples import app, f, lam, let, lets, sub
from tests.ad.linear_negation.type_system import Rule, TypeCheckError, check, exponential, infer

GAMMA: dict[str, Type] = {"f": Negation(), "f2": Negation(2), "g": Arrow(R, R), "x": R, "p": Times(R, Arrow(R, R)), "u": Unit()}
a, b, c, w, z, x, y1 = map(Var, ("a", "b", "c", "w", "z", "x", "y1"))
ONE = Num(1.0)


def colam(t: Term) -> LinearLambda:
    """``λ°z. t``"""
    return LinearLambda("z", t)


ACCEPTED: dict[str, tuple[Term, Type]] = {
    "λ°z. 0": (colam(Num(0.0)), Negation()),
    "λ°z. ⟨0, 0⟩": (colam(Pair(Num(0.0), Num(0.0))), Negation(2)),
    "λ°z. z·3 + 2·z": (colam(Plus(mul(z, Num(3.0)), mul(Num(2.0), z))), Negation()),
    "λ°z. f z": (colam(App(Var("f"), z)), Negation()),
    "λ°z. f2 (z·x)": (colam(App(Var("f2"), mul(z, x))), Negation(2)),
    "λ°z. ⟨z, 0⟩": (colam(Pair(z, Num(0.0))), Negation(2)),
    "λ°z. (w + w)[w° := z]": (colam(lets(Plus(w, w), Dual("w", z))), Negation()),
    "λ°z. (z·y)[y := x·x]": (colam(lets(mul(z, Var("y")), let("y", mul(x, x)))), Negation()),
    "(w + 1)[w° := 2]": (lets(Plus(w, ONE), Dual("w", Num(2.0))), R),
    "λ°a. (f a + f b)[b° := 2·a]": (
        LinearLambda("a", lets(Plus(App(Var("f"), a), App(Var("f"), b)), Dual("b", mul(Num(2.0), a)))),
        Negation(),
    ),
    "λ°a. (f(x·a) + f(y·b + y·b))[b° := x·a][y := x]": (
        LinearLambda(
            "a",
            lets(
                Plus(App(Var("f"), mul(x, a)), App(Var("f"), Plus(mul(Var("y"), b), mul(Var("y"), b)))),
                Dual("b", mul(x, a)),
                let("y", x),
            ),
        ),
        Negation(),
    ),
    "λy. g y": (lam("y", App(Var("g"), Var("y"))), Arrow(R, R)),
    "k 2 [⟨y, k⟩ := p]": (lets(app(Var("k"), Num(2.0)), Open("y", R, "k", Arrow(R, R), Var("p"))), R),
    "fma(x, x, 1)": (f("fma", x, x, ONE), R),
    "⟨⟩": (Nil(), Unit()),
    "if x ≤ 1 then x else 1": (If(x, ONE, x, ONE), R),
    "fix k. λy. k y": (Fix("k", Arrow(R, R), lam("y", app(Var("k"), Var("y")))), Arrow(R, R)),
}

REJECTED: dict[str, Term] = {
    "λ°z. z·z": colam(mul(z, z)),
    "λ°z. sin z": colam(f("sin", z)),
    "λ°z. z + 1": colam(Plus(z, ONE)),
    "λ°z. 1": colam(ONE),
    "λ°z. g z": colam(App(Var("g"), z)),
    "λ°z. ⟨z, 1⟩": colam(Pair(z, ONE)),
    "λ°z. λ°w. w": colam(LinearLambda("w", w)),
    "λ°z. λ°w. z": colam(LinearLambda("w", z)),
    "λ°z. w[w := z]": colam(lets(w, let("w", z))),
    "λ°z. z − z": colam(sub(z, z)),
    "λ°z. λy. z": colam(Lam("y", R, z)),
    "λ°z. ⟨z, g⟩": colam(Pair(z, Var("g"))),
    "λ°z. (f z + w)[w° := 2]": colam(lets(Plus(App(Var("f"), z), w), Dual("w", Num(2.0)))),
    "λ°z. if z ≤ 1 then z else z": colam(If(z, ONE, z, z)),
    "x x": App(x, x),
    "g g": App(Var("g"), Var("g")),
    "f g": App(Var("f"), Var("g")),
    "g + g": Plus(Var("g"), Var("g")),
    "x + ⟨x, x⟩": Plus(x, Pair(x, x)),
    "x · g": mul(x, Var("g")),
    "sin(x, x)": f("sin", x, x),
    "sin(g)": f("sin", Var("g")),
    "unknown": Var("unknown"),
    "y[y : R := g]": lets(Var("y"), let("y", Var("g"))),
    "y[⟨y, y1⟩ := x]": lets(Var("y"), Open("y", R, "y1", R, x)),
    "w[w° := g]": lets(w, Dual("w", Var("g"))),
    "if g ≤ 1 then x else x": If(Var("g"), ONE, x, x),
    "if x ≤ 1 then x else g": If(x, ONE, x, Var("g")),
    "fix k. x at R → R": Fix("k", Arrow(R, R), x),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str):
    t, A = ACCEPTED[name]
    assert check(t, GAMMA) == A


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name: str):
    with pytest.raises(TypeCheckError):
        check(REJECTED[name], GAMMA)


def test_a_linear_term_is_no_closed_term():
    with pytest.raises(TypeCheckError):
        check(Block((Dual("w", mul(Num(2.0), Var("unknown"))),), w), GAMMA)


def test_every_rule_is_used():
    fired: set[Rule] = set()
    for t, _ in ACCEPTED.values():
        infer(t, exponential(GAMMA), fired)
    assert fired == set(Rule)


def test_equal_terms_have_equal_types():
    """Both sides of (19) in the repaired system: the literal rule types the first alone."""
    call = App(Var("f"), a)
    inner = Plus(call, lets(App(Var("f"), b), Dual("b", mul(Num(2.0), a))))
    outer = lets(Plus(call, App(Var("f"), b)), Dual("b", mul(Num(2.0), a)))
    assert check(LinearLambda("a", inner), GAMMA) == check(LinearLambda("a", outer), GAMMA) == Negation()
