"""UNF (Figs 6–10): the texts of the paper's examples, weakening, types, and what UNF⁻¹ makes of it."""

import pytest

from rh_kernel.ad.unary_form.systems import UNARY, problem, stages
from rh_kernel.ad.unary_form.terms.naming import Numbered
from rh_kernel.ad.unary_form.terms.terms import ONE, Fill, Fold, If, Let, Map, Map2, Op, Pack, Proj, Term, Use, Var
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, R, Times, numbers, times
from rh_kernel.ad.unary_form.terms.typing import TypeCheckError
from rh_kernel.ad.unary_form.translation.primitives import index
from rh_kernel.ad.unary_form.unary.forms import (
    BothU,
    ComposeU,
    JacobianU,
    OpU,
    PairU,
    ProjU,
    SeqU,
    TargetForm,
    Types,
    VarU,
)
from rh_kernel.ad.unary_form.unary.printing import document, text
from rh_kernel.ad.unary_form.unary.reverse import reverse
from rh_kernel.ad.unary_form.unary.to_unary import unary
from rh_kernel.syntax.printing.doc import layout
from tests.ad.programs import program
from tests.ad.unary_form.form_types import check
from tests.ad.unary_form.terms import mul, op, reduce_of, reverse_types

x1, x2 = Var("x1"), Var("x2")
TWO: Context = (("x1", R), ("x2", R))
ARRAY: Context = (("x1", R), ("A", numbers(3)))
THREE: Context = (*TWO, ("x3", R))


@pytest.mark.parametrize(
    ("context", "e", "expected"),
    [
        (
            THREE,
            Let(("w1",), mul(x1, x2), Let(("w2",), mul(Var("w1"), x1), Var("w2"))),
            "var_{G3;1}; var_{G4;2}; *_{G3;2}; proj_{G3;R,R;R}; var_{G4;4}; var_{G5;1}; *_{G4;2}; proj_{G4;R,R;R}; "
            "var_{G5;5}; proj_{G4;R;R}; proj_{G3;R;R}",
        ),
        (TWO, op("sin", mul(x1, x2)), "var_{G2;1}; var_{G3;2}; *_{G2;2}; proj_{G2;R,R;R}; sin_{G2;1}; proj_{G2;R;R}"),
        (
            (("A", numbers(4)),),
            reduce_of("mul", ONE, Var("A"), "x", "y"),
            "var_{G1;1}; reduce_{G1;x,y.x*y;1}; proj_{G1;A[R]^4;R}",
        ),
        (TWO, Pack((x1, x2)), "var_{G2;1}; var_{G3;2}; pair_{G2;R×R}"),
        (
            (("p", times(R, R)),),
            Proj(2, Var("p")),
            "var_{G1;1}; π2_{G1}; proj_{G1;(R × R);R}",
        ),
        ((), ONE, "1_{G0;0}"),
        (
            ARRAY,
            Map2("a", "b", mul(Var("a"), mul(Var("b"), x1)), Var("A"), Var("A")),
            "var_{G2;2}; var_{G3;2}; map2_{G2;a,b.a*(b*x1)}; proj_{G2;A[R]^3,A[R]^3;A[R]^3}",
        ),
        (ARRAY, Map("a", mul(Var("a"), x1), Var("A")), "var_{G2;2}; map_{G2;a.a*x1}; proj_{G2;A[R]^3;A[R]^3}"),
        (
            ARRAY,
            Fold("foldl", "s", "a", mul(Var("s"), Var("a")), x1, Var("A")),
            "var_{G2;1}; var_{G3;2}; foldl_{G2;s,a.s*a}; proj_{G2;R,A[R]^3;R}",
        ),
        (TWO, If(x1, x2, x1, mul(x1, x2)), "if_{G2;x1 ≤ x2;x1;x1*x2}"),
        (TWO, Fill(3, x2), "var_{G2;2}; fill_{G2;3}; proj_{G2;R;A[R]^3}"),
        (ARRAY, Use(index(2), (Var("A"),)), "var_{G2;2}; index[2]_{G2;1}; proj_{G2;A[R]^3;R}"),
    ],
    ids=["Example 1.1", "sin(x1*x2)", "prod", "pair", "π2", "constant", "map2", "map", "foldl", "if", "fill", "index"],
)
def test_o29_unf_as_the_paper_writes_it(context: Context, e: Term, expected: str) -> None:
    """Fig 9, with the weakening of the second argument: the slot of the first lies between Γ and what comes."""
    form = unary(context, e)
    assert text(form) == expected
    assert "".join(part for part in layout(document(form), 10**6) if isinstance(part, str)) == expected


def test_d_rho_is_one_rule() -> None:
    """Fig 8, Example 4.2: ``F(A, JᵀA)`` for every primitive, and the type of Lemma 4.3."""
    T = (R, R, R)
    cos = OpU((R, R), (R,), R, Op("cos", (Var("#1"),)), ("#1",))
    pair = PairU((R, R), R, R)
    form = SeqU((cos, pair))
    ρ = times(R, R)
    D = reverse(form, ρ)
    Y3, Y4 = Arrow(T, ρ), Arrow((*T, R), ρ)
    assert (
        SeqU(
            (
                BothU(
                    SeqU((ProjU(T, (Y3,), ()), cos)),
                    ComposeU(ProjU((), T, (Y3,)), SeqU((ProjU(T, (Y3,), ()), JacobianU(cos)))),
                ),
                BothU(
                    SeqU((ProjU((*T, R), (Y4,), ()), pair)),
                    ComposeU(ProjU((), (*T, R), (Y4,)), SeqU((ProjU((*T, R), (Y4,), ()), JacobianU(pair)))),
                ),
            )
        )
        == D
    )
    assert check(reverse_types(T, ρ), D) == reverse_types((R, R, Times((R, R))), ρ)


@pytest.mark.parametrize(
    ("types", "form", "rule"),
    [
        ((R,), VarU((R, R), 1), "var"),
        ((R,), OpU((R,), (R,), R, Op("sin", (Var("#1"),)), ("#1",)), "op"),
        ((R, times(R, R)), PairU((), R, R), "pair"),
        ((R, R), ProjU((R,), (numbers(3),), ()), "proj"),
        ((R,), SeqU((VarU((R,), 1), VarU((R,), 1))), "var"),
        ((R,), JacobianU(VarU((R,), 1)), "Jᵀ"),
        ((R,), ComposeU(VarU((R,), 1), SeqU((JacobianU(VarU((R,), 1)),))), "∘"),
        ((R, Arrow((R, R), R)), ComposeU(ProjU((), (R,), (Arrow((R, R), R),)), VarU((R,), 1)), "∘"),
    ],
)
def test_terms_of_unf_that_have_no_type(types: Types, form: TargetForm, rule: str) -> None:
    with pytest.raises(TypeCheckError) as error:
        check(types, form)
    assert error.value.rule == rule


def test_worked_example_b_the_raw_term() -> None:
    """§4.5: after ``UNF⁻¹`` every value has a name and every continuation one place (ANF)."""
    f = program("fun f(x1 : Real, x2 : Real) : Real = sin(x1 * x2)")
    _, asked = problem(UNARY, f)
    derivation = UNARY.derive(asked.context, asked.body, Numbered(("x1", "x2")))
    assert [step.value is None for _, step in derivation.before] == [False, False, False, True, False, True]
    titles = [stage.title for stage in stages(UNARY, f)]
    assert titles == ["Source", "UNF", "D_ρ(UNF)", "Target", "after partial evaluation", "optimised", "cost"]
