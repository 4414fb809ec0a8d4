"""``D`` (Tab. 3) and ``F``: types, sizes, clauses, compositionality, and what they refuse."""

import math
from typing import get_args

import pytest
from hypothesis import given

from rh_kernel.ad.linear_negation import forward, reverse
from rh_kernel.ad.linear_negation.binding import TERMS, alike, copy, names, size, substitute
from rh_kernel.ad.linear_negation.calculus import (
    App,
    Arrow,
    Bang,
    Binding,
    Block,
    Dual,
    Fix,
    Fun,
    If,
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
    Unit,
    Var,
    mul,
)
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.printing import document
from rh_kernel.ad.linear_negation.source import translate
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.printing.doc import plain
from tests.ad.linear_negation.examples import ORACLES, Oracle, app, f, lam, let, lets, sub, x, y
from tests.ad.linear_negation.type_system import check
from tests.ad.programs import HIGHER_ORDER, Fragment, Sample, programs
from tests.tiers import law

EACH = pytest.mark.parametrize("o", ORACLES, ids=[o.name for o in ORACLES])
WIDE = Fragment(functions=True, conditionals=True, arrays=True, folds=True)


@EACH
@pytest.mark.parametrize("d", [1, 2, 5])
def test_p1_types_of_the_oracles(o: Oracle, d: int):
    t = reverse.transform(o.term, NameSupply({*names(o.term), *o.inputs}), d)
    gamma = dict.fromkeys(o.inputs, reverse.reversed_type(R, d))
    assert check(t, gamma) == Times(R, Negation(d))


@given(programs(HIGHER_ORDER))
@law(120)
def test_p1_types_of_random_programs(sample: Sample):
    """``Γ ⊢ t : A`` gives ``D(Γ) ⊢ D(t) : D(A)``, and ``F`` likewise."""
    source = translate(sample.program)
    assert check(source.term, dict(source.inputs)) == source.result
    for d in (1, 2):
        gamma = {name: reverse.reversed_type(A, d) for name, A in source.inputs}
        t = reverse.transform(source.term, NameSupply({*names(source.term), *gamma}), d)
        assert check(t, gamma) == reverse.reversed_type(source.result, d)
    gamma = {name: forward.forward_type(A) for name, A in source.inputs}
    t = forward.transform(source.term, NameSupply({*names(source.term), *gamma}))
    assert check(t, gamma) == forward.forward_type(source.result)


@given(programs(WIDE))
@law(120)
def test_p2_size(sample: Sample):
    """Lemma 18: ``|D(t)| ≤ 11 |t|`` for symbols of at most two numbers; each number of a guard is taken apart, too."""
    t = translate(sample.program).term
    assert size(reverse.transform(t)) <= 11 * size(t)


def _grown(t: Term) -> int:
    return size(reverse.transform(t)) - size(t)


def test_lemma_18_slopes():
    """What each constructor adds for d = 1."""
    assert _grown(x) == 0
    assert _grown(Num(2.0)) == 2 * 1 + 2 - 1
    assert _grown(Plus(x, y)) == 14 - 1
    assert _grown(f("sin", x)) == 11 - 1
    assert _grown(mul(x, y)) == _grown(sub(x, y)) == 18 - 1
    assert _grown(lets(app(lam("k", Var("k")), Var("z")), let("z", Pair(x, y), Times(R, R)))) == 0


def test_zeros_have_the_length_d():
    for d in (1, 2, 5):
        assert size(reverse.transform(Num(2.0), None, d)) == 2 * d - 1 + 3


@EACH
def test_p6_substitution(o: Oracle):
    """``D(t{u/x}) = D(t){D(u)/x}`` up to the names of binders."""
    image = Plus(f("sin", Var("w")), Num(2.0))
    supply = NameSupply({*names(o.term), *o.inputs, "w"})
    left = reverse.transform(substitute(o.term, {o.inputs[0]: image}))
    right = substitute(reverse.transform(o.term, supply), {o.inputs[0]: reverse.transform(image, supply)})
    assert alike(left, copy(right, NameSupply(names(right))))
    assert not alike(left, reverse.transform(o.term))


def test_alpha_equivalence_distinguishes_signed_zeros():
    """Zeros have signs, and nan is the same term as nan."""
    assert alike(lam("x", Num(-0.0)), lam("y", Num(-0.0)))
    assert not alike(lam("x", Num(0.0)), lam("y", Num(-0.0)))
    assert alike(lam("x", Num(math.nan)), lam("y", Num(float("nan"))))


def test_alpha_equivalence_compares_substitutions():
    """Their kinds and the types in them, not only what they bind."""
    assert alike(Block((Bang("x", R, Num(1.0)),), Var("x")), Block((Bang("y", R, Num(1.0)),), Var("y")))
    assert not alike(Block((Bang("x", R, Num(1.0)),), Var("x")), Block((Dual("x", Num(1.0)),), Var("x")))
    assert not alike(Block((Bang("x", R, Nil()),), Var("x")), Block((Bang("x", Unit(), Nil()),), Var("x")))


def test_every_clause_is_used():
    """By the oracles and two extensions; ``D`` is not defined on linear negation."""
    terms = [o.term for o in ORACLES]
    terms += [Nil(), If(x, y, x, y), Fix("k", Arrow(R, R), lam("q", app(Var("k"), Var("q"))))]
    assert all(reverse.transform(t) for t in terms)
    used = {type(node) for t in terms for node in TERMS.nodes(t)}
    assert used == {*get_args(Term), *get_args(Binding)} - {LinearLambda, Dual}


def test_the_display_of_section_3():
    """D of the program of Fig. 1, before simplification; the argument of the product is taken apart twice."""
    assert plain(document(reverse.transform(ORACLES[0].term)), 120) == (
        "⟨sin(z2₁), λ°a₂. z2₁′(cos(z2₁) · a₂)⟩\n"
        "  [⟨z2₁, z2₁′⟩ := z2]\n"
        "  [z2 :=\n"
        "    ⟨z1₁ · z1₂, λ°a₁. z1₁′(z1₂ · a₁) + z1₂′(z1₁ · a₁)⟩\n"
        "      [⟨z1₁, z1₁′⟩ := z1]\n"
        "      [⟨z1₂, z1₂′⟩ := z1]\n"
        "      [z1 := ⟨x₁ − y₁, λ°a. x₁′(1 · a) + y₁′(−1 · a)⟩[⟨x₁, x₁′⟩ := x][⟨y₁, y₁′⟩ := y]]]"
    )


@pytest.mark.parametrize(
    ("t", "named"),
    [
        (LinearLambda("a", Var("a")), "linear abstractions"),
        (lets(Var("w"), Dual("w", x)), "linear substitutions"),
        (Fun(Partial("tanh", 1), (x,)), "no derivative of its own"),
    ],
)
def test_d_is_not_iterated(t: Term, named: str):
    with pytest.raises(Rejected, match=named):
        reverse.transform(t)


def test_d_of_d_is_refused():
    with pytest.raises(Rejected, match="not defined on its own results"):
        reverse.transform(reverse.transform(f("sin", x)))
    with pytest.raises(Rejected, match="linear negation"):
        reverse.reversed_type(Negation())


def test_f_refuses_linear_terms():
    for t in (LinearLambda("a", Var("a")), lets(Var("w"), Dual("w", x))):
        with pytest.raises(Rejected):
            forward.transform(t)
    with pytest.raises(Rejected):
        forward.forward_type(Negation())


def test_types_of_the_extensions():
    A = Times(Unit(), Arrow(R, R))
    assert reverse.reversed_type(A, 3) == Times(Unit(), Arrow(Times(R, Negation(3)), Times(R, Negation(3))))
    assert forward.forward_type(A) == Times(Unit(), Arrow(Times(R, R), Times(R, R)))
    assert reverse.transform(Nil()) == Nil()
    t = lets(App(Var("k"), x), Open("u", Unit(), "k", Arrow(R, R), Var("p")))
    assert check(reverse.transform(t), {"p": reverse.reversed_type(A), "x": reverse.reversed_type(R)}) == Times(R, Negation())
