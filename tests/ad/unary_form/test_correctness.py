"""§6: what is proved of the transformations, on random well-typed programs."""

import math
from collections import Counter

import pytest
from hypothesis import given

from rh_kernel.ad.language.evaluation import run as run_common
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.unary_form.direct.expansion import applied, transformed
from rh_kernel.ad.unary_form.optimisation.gradients import gradient, inlined, pulled
from rh_kernel.ad.unary_form.optimisation.residual import Residual
from rh_kernel.ad.unary_form.optimisation.rules import ALL, PARTIAL_EVALUATION
from rh_kernel.ad.unary_form.systems import DIRECT, SYSTEMS, UNARY, problem, raw
from rh_kernel.ad.unary_form.terms.binding import count, subterms
from rh_kernel.ad.unary_form.terms.evaluation import run
from rh_kernel.ad.unary_form.terms.terms import App, Let, Var
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, R, is_ground, times
from rh_kernel.ad.unary_form.terms.typing import Language, check
from rh_kernel.ad.unary_form.translation.from_core import nested
from rh_kernel.ad.unary_form.unary.reverse import reverse
from rh_kernel.ad.unary_form.unary.to_unary import unary
from tests.ad.programs import ARRAYS, FIRST_ORDER, HIGHER_ORDER, Fragment, Sample, finite_differences, flat, programs
from tests.ad.unary_form.alpha import alpha_equal
from tests.ad.unary_form.form_types import check as check_form
from tests.ad.unary_form.interpretation import interpret
from tests.ad.unary_form.terms import WAYS, asked, has_functions, normal_form, op, reverse_types
from tests.tiers import law

FOLDS = Fragment(arrays=True, folds=True)
SMALL = Fragment(arrays=True, folds=True, fuel=6)
"""For the terms before partial evaluation, in which every gradient of a body is written out."""


def near(found: tuple[float, ...], wanted: tuple[float, ...], tolerance: float) -> bool:
    """Whether all numbers are the same, to so many digits."""
    return all(
        abs(a - b) <= tolerance * (1 + abs(b)) or (math.isnan(a) and math.isnan(b)) for a, b in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize("fragment", [FIRST_ORDER, HIGHER_ORDER, ARRAYS, FOLDS], ids=["first", "higher", "arrays", "folds"])
def test_theorem_6_15_the_gradient_is_the_gradient(fragment: Fragment) -> None:
    """``⟦∇_Γ e⟧ = ∇_Γ⟦e⟧``: both systems and central differences agree, for a cotangent of any ground type."""

    @law(300 if fragment is FOLDS else 60)
    @given(programs(fragment))
    def holds(s: Sample) -> None:
        with quietly():
            found = [system.reverse(s.program, s.point, s.cotangent) for system in SYSTEMS if system.reverse is not None]
            assert near(flat(found[0].gradient), flat(found[1].gradient), 1e-9)
            for pulled_back in found:
                assert near(flat(pulled_back.value), flat(run_common(s.program, s.point)), 1e-9)
                assert near(flat(pulled_back.gradient), finite_differences(s.program, s.point, s.cotangent), 2e-4)

    holds()


@law(60)
@given(programs(FOLDS))
def test_lemmas_3_2_4_3_4_4_4_5_every_stage_is_well_typed(s: Sample) -> None:
    """``UNF(e) : T_Γ → T_Γ, B``; ``D_ρ`` adds one slot, a continuation; ``D_{Γ;Y}(e) : B × (Γ × B → ρ)``."""
    e, asked = problem(UNARY, s.program, is_unit=False)
    assert check(e.context, e.body, Language.SOURCE) == e.result
    T = tuple(A for _, A in e.context)
    form = unary(e.context, e.body)
    assert check_form(T, form) == (*T, e.result)
    ρ = times(*T)
    after = check_form(reverse_types(T, ρ), reverse(form, ρ))
    assert after == reverse_types((*T, e.result), ρ)
    for way in WAYS:
        derivation = way.derive(asked.context, asked.body, asked.names)
        D = transformed(derivation, "Y", asked.names)
        assert check((*e.context, ("Y", Arrow(T, ρ))), D) == times(e.result, Arrow((*T, e.result), ρ))


@law(60)
@given(programs(SMALL))
def test_lemma_5_1_every_continuation_is_used_once(s: Sample) -> None:
    for way in WAYS:
        _, asked = problem(way, s.program, is_unit=False)
        M = raw(asked)
        bound = [x for N in subterms(M) if isinstance(N, Let) for x in N.names if x.startswith("Y")]
        assert bound
        occurring = Counter(N.name for N in subterms(M) if isinstance(N, Var))
        assert all(occurring[Y] == 1 for Y in bound)


@law(60)
@given(programs(SMALL))
def test_lemma_5_3_partial_evaluation_leaves_no_function(s: Sample) -> None:
    """And the optimised program has the type of a gradient, in the context alone."""
    for way in WAYS:
        _, asked = problem(way, s.program, is_unit=False)
        context = (*asked.context, *asked.outside)
        assert has_functions(raw(asked))
        for rules in (PARTIAL_EVALUATION, ALL):
            _, asked = problem(way, s.program, is_unit=False)
            M = gradient(asked, rules).body
            assert not has_functions(M)
            assert check(context, M) == times(*(A for _, A in asked.context))
            assert check(context, inlined(M)) == times(*(A for _, A in asked.context))
            assert all(is_ground(A) for _, A in context)


@law(60)
@given(programs(FOLDS))
def test_proposition_6_7_unf_returns_its_context_and_the_value(s: Sample) -> None:
    e, _ = problem(UNARY, s.program)
    values = tuple(nested(A, V) for (_, A), V in zip(s.program.parameters, s.point, strict=True))
    with quietly():
        *context, value = interpret(unary(e.context, e.body), values)
        assert tuple(context) == values
        assert near(flat(value), flat(run_common(s.program, s.point)), 1e-12)


@law(60)
@given(programs(Fragment(arrays=True), scalar=True), programs(FIRST_ORDER))
def test_proposition_6_13_the_continuation_is_the_transposed_jacobian_of_the_pair_with_the_identity(
    s: Sample, other: Sample
) -> None:
    """``π2(D(e))(y⃗, z) = y⃗ + z·∇f``, for the raw terms of both ways."""
    z = flat(other.cotangent)[0] if flat(other.cotangent) else 0.5
    with quietly():
        for way in WAYS:
            e, asked = problem(way, s.program, is_unit=False)
            ((w, _),) = asked.outside
            M = raw(asked)
            values = {x: nested(A, V) for (x, A), V in zip(s.program.parameters, s.point, strict=True)}
            unit = flat(run(M, {**values, w: 1.0}))
            assert near(flat(run(M, {**values, w: z})), tuple(z * g for g in unit), 1e-9)
            # In the place of 0_Γ: the cotangents of the context are added to.
            derivation = way.derive(asked.context, asked.body, asked.names)
            wanted = tuple(x for x, _ in e.context)
            M = applied(derivation, e.context, wanted, Var(w), asked.names)
            ys = {f"y_{x}": V for x, V in values.items()}
            assert isinstance(M, App)
            found = flat(run(App(M.function, (*map(Var, ys), Var(w))), {**values, **ys, w: z}))
            start = tuple(a for V in values.values() for a in flat(V))
            assert near(found, tuple(a + z * g for a, g in zip(start, unit, strict=True)), 1e-9)


@law(100)
@given(programs(ARRAYS))
def test_proposition_6_14_both_ways_have_one_normal_form(s: Sample) -> None:
    """The direct macro and the way through UNF: optimised, they are one term up to α and the order of `let`s."""
    results = [gradient(problem(way, s.program, is_unit=False)[1]).body for way in WAYS]
    assert alpha_equal(*results)


@law(25)
@given(programs(Fragment(arrays=True, folds=True, fuel=4)))
def test_the_rules_one_by_one_come_to_the_same_values_as_the_one_pass(s: Sample) -> None:
    """The raw term, the rewritten one, the one-pass residual of the raw term, and the fused transformation agree."""
    with quietly():
        for way in WAYS:
            e, asked = problem(way, s.program, is_unit=False)
            context = (*asked.context, *asked.outside)
            values = {x: nested(A, V) for (x, A), V in zip(s.program.parameters, s.point, strict=True)}
            values |= {x: nested(s.program.result, s.cotangent) for x, _ in asked.outside}
            M = raw(asked)
            wanted = flat(run(M, values))
            rewritten, _ = normal_form(context, M, e.names)
            assert not has_functions(rewritten)
            assert near(flat(run(rewritten, values)), wanted, 1e-9)
            once = Residual(context, e.names).block(M, {})
            assert near(flat(run(once, values)), wanted, 1e-9)
            assert count(once) <= count(M)


@law(100)
@given(programs(FOLDS, scalar=True))
def test_a_subset_of_the_gradient_is_that_part_of_it(s: Sample) -> None:
    """§3.3: for a continuation that keeps ρ ⊂ Γ the components ρ come out."""
    with quietly():
        for way in WAYS:
            e, asked = problem(way, s.program)
            values = {x: nested(A, V) for (x, A), V in zip(s.program.parameters, s.point, strict=True)}
            whole = run(raw(asked), values)
            for i, (x, _) in enumerate(e.context):
                derivation = way.derive(asked.context, asked.body, asked.names)
                M = applied(derivation, asked.context, (x,), asked.seed, asked.names)
                part = run(M, values)
                assert near(flat(part), flat(whole[i] if len(e.context) > 1 and isinstance(whole, tuple) else whole), 1e-9)


@law(100)
@given(programs(FOLDS))
def test_value_and_gradient_together_are_each_alone(s: Sample) -> None:
    with quietly():
        values = {x: nested(A, V) for (x, A), V in zip(s.program.parameters, s.point, strict=True)}
        for way in (UNARY, DIRECT):
            _, asked = problem(way, s.program, is_unit=False)
            values |= {x: nested(s.program.result, s.cotangent) for x, _ in asked.outside}
            together = run(pulled(asked).body, values)
            alone = run(gradient(problem(way, s.program, is_unit=False)[1]).body, values)
            assert isinstance(together, tuple)
            assert near(flat(together[1:]), flat(alone), 1e-12)


def test_second_order_by_differentiating_the_gradient() -> None:
    """Without arrays the optimised gradient is a term of Source again; ``exp(cos x)`` at 0.7 (§6.1)."""
    for way in range(2):
        context: Context = (("x", R),)
        M = op("exp", op("cos", Var("x")))
        for _ in range(2):
            M = gradient(asked(context, M, way)).body
            assert check(context, M, Language.CORE) == R
        assert run(M, {"x": 0.7}) == pytest.approx(-0.7516549575597682, rel=1e-14)
