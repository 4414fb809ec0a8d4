"""The systems ``linear-negation`` and ``tape`` as ``%ad`` uses them: gradients, tangents, stages, steps, refusals."""

import pytest
from hypothesis import given

from rh_kernel.ad.language import core as c
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.types import SCALAR, Function, Product, Real
from rh_kernel.ad.language.unrolling import has_arrays, unrolled, without_arrays
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.linear_negation.source import translate
from rh_kernel.ad.linear_negation.systems import SYSTEMS
from rh_kernel.ad.system import JvpResult, Point, Stage, System, VjpResult
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.printing.doc import Mark, annotated_texts, plain
from tests.ad.linear_negation.type_system import check
from tests.ad.programs import ARRAYS, Fragment, Sample, finite_differences, flat, program, programs
from tests.tiers import law

LINEAR, TAPE = SYSTEMS
BOTH = pytest.mark.parametrize("system", SYSTEMS, ids=[s.name for s in SYSTEMS])
ALL = Fragment(functions=True, conditionals=True, arrays=True, folds=True, fuel=16)

FIGURE_1 = "fun f(x : Real, y : Real) : Real = let z <- x - y in let w <- z * z in sin(w)"
POINT_1 = (5.0, 2.0)


def reverse(system: System, f: c.Program, point: Point, cotangent: Value = 1.0) -> VjpResult:
    """The gradient by the system."""
    assert system.reverse is not None
    return system.reverse(f, point, cotangent)


def test_names():
    assert [s.name for s in SYSTEMS] == ["linear-negation", "tape"]


@BOTH
def test_figure_1(system: System):
    found = reverse(system, program(FIGURE_1), POINT_1)
    assert found.value == pytest.approx(0.412118, rel=6e-6)
    assert found.gradient == pytest.approx((-5.466782, 5.466782), rel=6e-6)
    assert (found.primal, found.derivative) == (3, 10)
    assert system.forward is not None
    pushed: JvpResult = system.forward(program(FIGURE_1), POINT_1, (1.0, 0.0))
    assert pushed.tangent == pytest.approx(-5.466782, rel=6e-6)


def test_counters():
    counters = dict(reverse(LINEAR, program(FIGURE_1), POINT_1).counters)
    assert (counters["steps"], counters["m"], counters["|G|"]) == (91, 0, 10)
    assert counters["(17)"] == 1
    assert dict(reverse(TAPE, program(FIGURE_1), POINT_1).counters) == {"m": 0, "|G|": 10, "visits": 6}


@given(programs(ALL))
@law(300)
def test_agreement(sample: Sample):
    """Both systems, in both modes, evaluation and finite differences, on the whole fragment."""
    f, point, w = sample.program, sample.point, sample.cotangent
    tally = OpCounter()
    expected = flat(run(f, point, tally))
    found = [reverse(system, f, point, w) for system in SYSTEMS]
    for each in found:
        assert flat(each.value) == pytest.approx(expected)
        assert flat(each.gradient) == pytest.approx(flat(found[0].gradient))
        assert each.primal == tally.operations <= each.derivative
    for system in SYSTEMS:
        assert system.forward is not None
        pushed = system.forward(f, point, point)
        assert flat(pushed.value) == pytest.approx(expected)
        slope = sum(a * b for a, b in zip(flat(pushed.tangent), flat(w), strict=True))
        along = sum(a * b for a, b in zip(flat(found[0].gradient), flat(point), strict=True))
        assert slope == pytest.approx(along, rel=1e-9, abs=1e-9)


@given(programs(ARRAYS))
@law(100)
def test_smooth_programs_agree_with_finite_differences(sample: Sample):
    f, point, w = sample.program, sample.point, sample.cotangent
    expected = finite_differences(f, point, w)
    for system in SYSTEMS:
        assert flat(reverse(system, f, point, w).gradient) == pytest.approx(expected, rel=1e-4, abs=1e-5)


@given(programs(ALL))
@law(100)
def test_unrolling(sample: Sample):
    """The unrolled program has no arrays, has a type, and the same values at as many operations or fewer."""
    f = unrolled(sample.program)
    assert not has_arrays(f)
    assert f.result == without_arrays(sample.program.result)
    before, after = OpCounter(), OpCounter()
    assert flat(run(f, sample.point, after)) == pytest.approx(flat(run(sample.program, sample.point, before)))
    assert after.operations == before.operations
    source = translate(f)
    assert check(source.term, dict(source.inputs)) == source.result


FORMERS = """
fun f(xs : Real(3), ys : Real(2), z : Real) : Real =
  let a <- map(x. sin(x) * z, xs) in
  let b <- map2(x y. x * y, a, xs) in
  let c <- scanl(s x. s * x + z, 1, ys) in
  let d <- generate[3](i. i * z) in
  let e <- foldl(p x. (p.2 * x, p.1 + z), (z, 2), ys) in
  dot(b, c) + sum(d) + reduce(s x. s + x, 0, replicate[4](z)) + [z, xs[0]][1] + e.1 * e.2 + sum(map(x. x, [z]))
"""


@BOTH
def test_every_former(system: System):
    f = program(FORMERS)
    point = ((0.3, -0.2, 0.7), (1.1, 0.4), 0.6)
    found = reverse(system, f, point)
    assert flat(found.gradient) == pytest.approx(finite_differences(f, point, 1.0), rel=1e-6)
    assert isinstance(found.gradient[0], tuple)


@BOTH
def test_results_may_be_tuples(system: System):
    f = program("fun f(p : Real * (Real * Real)) : Real * Real * Real = (p.1 * p.2.1, p.2.2, sin(p.1))")
    point = ((0.5, (2.0, 3.0)),)
    found = reverse(system, f, point, (1.0, 2.0, 0.0))
    assert found.value == pytest.approx((1.0, 3.0, 0.479426), rel=6e-6)
    assert found.gradient == ((2.0, (0.5, 2.0)),)


@BOTH
def test_long_arrays_are_refused(system: System):
    f = program("fun f(xs : Real(301)) : Real = sum(xs)")
    with pytest.raises(Rejected, match="arrays of more than 300 entries"):
        reverse(system, f, ((1.0,) * 301,))
    h = program("fun f(x : Real) : Real = sum(replicate[301](x))")
    with pytest.raises(Rejected, match="arrays of more than 300 entries"):
        reverse(system, h, (1.0,))
    g = program("fun f(xs : Real(300)) : Real = sum(xs)")
    assert reverse(system, g, ((1.0,) * 300,)).gradient == ((1.0,) * 300,)


@BOTH
def test_arrays_without_entries(system: System):
    f = program("fun f(xs : Real(0), y : Real) : Real(0) = map(x. x * y, xs)")
    found = reverse(system, f, ((), 2.0), ())
    assert (found.value, found.gradient) == ((), ((), 0.0))


@pytest.mark.slow
@BOTH
def test_a_thousand_lets(system: System):
    M: c.Term = c.Variable("z1000")
    for i in reversed(range(1000)):
        z = c.Variable(f"z{i}")
        M = c.Let(f"z{i + 1}", c.Apply("sin", (c.mul(z, z),)) if i % 2 else c.Apply("tanh", (c.add(z, z),)), M)
    found = reverse(system, c.Program("f", (("z0", SCALAR),), SCALAR, M), (0.7,))
    assert found.derivative <= 4 * found.primal
    assert found.primal == 2000
    assert system.stages is not None
    assert all(stage.doc for stage in system.stages(c.Program("f", (("z0", SCALAR),), SCALAR, M)))


def test_steps_of_figure_1():
    """The start and 91 steps; every step marks what it made, but for those that only take away."""
    assert LINEAR.steps is not None
    steps = list(LINEAR.steps(program(FIGURE_1), POINT_1, 1.0))
    assert len(steps) == 92
    assert steps[0].rule == ""
    assert plain(steps[-1].term) == "y₂′(5.466781571308061) + x₂′(−5.466781571308061)"
    for step in steps[1:]:
        _, marks = annotated_texts(step.term)
        assert [m for m, _ in marks] == ([] if step.rule in ("(10)", "Z", "L") else [Mark("contractum")] * len(marks))
        assert bool(marks) or step.rule in ("(10)", "(11)", "Z", "L")
    (factored,) = [step for step in steps if step.rule == "(17)"]
    _, marks = annotated_texts(factored.term)
    assert [text for _, text in marks] == ["z₄′(z₂ · −0.9111302618846769 + z₁ · −0.9111302618846769)"]


def test_steps_are_lazy():
    assert LINEAR.steps is not None
    f = program("fun f(x : Real) : Real = foldl(a y. a * y, x, replicate[200](x))")
    steps = LINEAR.steps(f, (1.0,), 1.0)
    assert [next(steps).rule for _ in range(3)] == ["", "(16)", "(8)"]


def _titles(stages: tuple[Stage, ...]) -> list[str]:
    return [stage.title for stage in stages]


def test_stages():
    f, arrays = program(FIGURE_1), program("fun f(xs : Real(2)) : Real = sum(xs)")
    assert LINEAR.stages is not None
    assert TAPE.stages is not None
    assert _titles(LINEAR.stages(f)) == ["source", "transformed", "simplified"]
    assert _titles(LINEAR.stages(arrays)) == ["unrolled", "source", "transformed", "simplified"]
    assert _titles(TAPE.stages(f)) == ["source", "ground", "graph", "transformed", "graph of the transformed"]
    assert _titles(TAPE.stages(program("fun f(x : Real) : Real * Real = (x, x)"))) == ["source", "ground", "graph"]
    assert plain(LINEAR.stages(arrays)[0].doc) == "fun f(xs : Real × Real) : Real = xs.1 + xs.2"
    assert plain(TAPE.stages(f)[0].doc) == "x : R, y : R ⊢ sin(w)[w := z · z][z := x − y] : R"
    assert plain(LINEAR.stages(program("fun f(x : Real) : Real = 2 * x"))[1].doc, 200) == (
        "x : R × R⊥ ⊢ ⟨z · x₁, λ°a₁. z′(x₁ · a₁) + x₁′(z · a₁)⟩[⟨z, z′⟩ := ⟨2, λ°a. 0⟩][⟨x₁, x₁′⟩ := x] : R × R⊥"
    )


def test_higher_order_inside():
    f = program(
        "fun f(x : Real, y : Real) : Real = let g <- λh : Real -> Real. h(h(x)) in g(λq : Real. q * y) + g(λq : Real. q + y)"
    )
    point = (0.7, 1.3)
    for system in SYSTEMS:
        assert flat(reverse(system, f, point).gradient) == pytest.approx(finite_differences(f, point, 1.0))


@pytest.mark.parametrize(
    ("f", "named"),
    [
        (c.Program("f", (("g", Function(SCALAR, SCALAR)),), SCALAR, c.Constant(1.0)), "functions as parameters"),
        (
            c.Program("f", (("x", SCALAR),), Function(SCALAR, SCALAR), c.Lambda("y", SCALAR, c.Variable("x"))),
            "functions as parameters or as the result",
        ),
        (program("fun f(x : Real + Real) : Real = case x of inl y -> y | inr z -> 2 * z"), "sums"),
        (
            program("fun f(x : Real) : Real = let s <- if x <= 0 then inl(x) else inr(x) in case s of inl y -> y | inr z -> z"),
            "sums",
        ),
    ],
    ids=["function parameter", "function result", "sum parameter", "sum inside"],
)
@BOTH
def test_refusals(system: System, f: c.Program, named: str):
    with pytest.raises(Rejected) as refused:
        reverse(system, f, (1.0,), 1.0)
    assert f"{system.name} does not differentiate" in str(refused.value)
    assert named in str(refused.value)
    assert system.forward is not None
    with pytest.raises(Rejected, match=named):
        system.forward(f, (1.0,), (1.0,))


def test_a_tape_needs_a_point_for_conditionals():
    f = program("fun f(x : Real) : Real = if x <= 1 then x * x else 2 * x")
    assert TAPE.stages is not None
    with pytest.raises(Rejected, match="tape does not differentiate a conditional without a point"):
        TAPE.stages(f)
    for system in SYSTEMS:
        assert reverse(system, f, (0.5,)).gradient == (1.0,)
        assert reverse(system, f, (1.5,)).gradient == (2.0,)


def test_conditionals_that_wait_are_shown():
    f = program("fun f(x : Real) : Real = if x <= 1 then x * x else 2 * x")
    assert LINEAR.stages is not None
    text = plain(LINEAR.stages(f)[1].doc)
    assert "if x₁ ≤ z\n" in text


def test_unrolled_types():
    assert without_arrays(Product((Real(3), SCALAR))) == Product((Product((SCALAR,) * 3), SCALAR))
    assert without_arrays(Function(Real(0), Real(2))) == Function(Product(()), Product((SCALAR, SCALAR)))
