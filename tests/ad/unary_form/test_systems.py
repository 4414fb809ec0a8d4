"""``unary`` and ``direct`` as systems of ``%ad``: accepted and refused programs, stages, traces, long programs."""

import pytest
from hypothesis import given

from rh_kernel.ad.errors import OutsideFragment
from rh_kernel.ad.language import core as c
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import SCALAR, Real
from rh_kernel.ad.system import System
from rh_kernel.ad.unary_form.optimisation.rules import Rule
from rh_kernel.ad.unary_form.systems import DIRECT, SYSTEMS, UNARY
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.syntax.printing.doc import Doc, Mark, Newline, Open, layout
from tests.ad.programs import EVERYTHING, Sample, finite_differences, flat, program, programs
from tests.tiers import law

each = pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)


def read(doc: Doc) -> str:
    """A document on one line."""
    out = (event if isinstance(event, str) else " " * isinstance(event, Newline) for event in layout(doc, 10**6))
    return " ".join("".join(out).split())


def test_their_names() -> None:
    assert [system.name for system in SYSTEMS] == ["unary", "direct"] == [UNARY.name, DIRECT.name]
    assert all(system.forward is None for system in SYSTEMS)


@each
@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("fun f(g : Real -> Real) : Real = g(1)", "a parameter of type Real → Real"),
        ("fun f(x : Real) : Real -> Real = \\y : Real. x * y", "a result of type Real → Real"),
        ("fun f(s : Real + Real) : Real = case s of inl x -> x | inr y -> 2 * y", "a parameter of type Real + Real"),
        ("fun f(x : Real) : Real = let u <- () in x", None),
        ("fun f(x : Real * (Real -> Real)) : Real = x.1", "a parameter of type Real × (Real → Real)"),
        (
            "fun f(x : Real, A : Real(2)) : Real = foldl(g a. \\y : Real. g(y * a), \\y : Real. y, A)(x)",
            "a function that is known only at run time",
        ),
    ],
)
def test_what_is_refused_is_named(system: System, text: str, construct: str | None) -> None:
    assert system.reverse is not None
    f = program(text)
    if construct is None:
        construct = "the unit `()`"
    with pytest.raises(Rejected) as error:
        system.reverse(f, (1.0,) * len(f.parameters), 1.0)
    (found,) = error.value.diagnostics
    assert isinstance(found, OutsideFragment)
    assert (found.system, found.construct) == (system.name, construct)


@each
@pytest.mark.parametrize(
    ("text", "point", "gradient"),
    [
        ("fun f(x : Real) : Real = let g <- \\h : Real -> Real. h(h(x)) in g(\\t : Real. t * t)", (2.0,), (32.0,)),
        (
            "fun f(x : Real, y : Real) : Real = (if x <= y then \\t : Real. t * x else \\t : Real. t + y)(y)",
            (1.0, 3.0),
            (3.0, 1.0),
        ),
        (
            "fun f(x : Real, y : Real) : Real = (if x <= y then \\t : Real. t * x else \\t : Real. t + y)(y)",
            (3.0, 1.0),
            (0.0, 2.0),
        ),
        (
            "fun f(x : Real, y : Real) : Real ="
            " case (if x <= y then inl(x * x) else inr((x, y))) of inl t -> t | inr p -> p.1 * p.2",
            (3.0, 2.0),
            (2.0, 3.0),
        ),
        ("fun f(x : Real) : Real = let u <- (x, \\t : Real. t * x) in u.2(u.1)", (3.0,), (6.0,)),
    ],
)
def test_higher_order_by_partial_evaluation_to_source(
    system: System, text: str, point: tuple[float, ...], gradient: tuple[float, ...]
) -> None:
    """§8, O26: without recursion every function is known, or one of two."""
    assert system.reverse is not None
    f = program(text)
    assert flat(system.reverse(f, point, 1.0).gradient) == gradient
    assert finite_differences(f, point, 1.0) == pytest.approx(gradient, rel=1e-5)


@each
def test_results_and_parameters_of_products_come_back_in_their_own_shape(system: System) -> None:
    """Products are nested to pairs inside."""
    f = program("fun f(p : Real * Real * Real(2), x : Real) : Real * Real(2) * Real = (p.1 * x, p.3, p.2 * p.1)")
    assert system.reverse is not None
    found = system.reverse(f, ((2.0, 3.0, (5.0, 7.0)), 11.0), (1.0, (10.0, 20.0), 100.0))
    assert found.value == (22.0, (5.0, 7.0), 6.0)
    assert found.gradient == ((11.0 + 300.0, 200.0, (10.0, 20.0)), 2.0)


@each
def test_o29_the_stages_of_a_product(system: System) -> None:
    """Seven printouts (five of the direct macro); only the first of them and the last have no function."""
    assert system.stages is not None
    stages = {
        stage.title: read(stage.doc) for stage in system.stages(program("fun f(x1 : Real, x2 : Real) : Real = sin(x1 * x2)"))
    }
    unf = ["UNF", "D_ρ(UNF)"] if system.name == "unary" else []
    assert list(stages) == ["Source", *unf, "Target", "after partial evaluation", "optimised", "cost"]
    assert stages["Source"] == "sin (x1*x2)"
    assert "fun (" in stages["Target"]
    assert "fun (" not in stages["after partial evaluation"]
    assert stages["after partial evaluation"].startswith(
        "let w1 = x1*x2 in let w2 = sin w1 in let y1 = 0 in let y2 = 0 in let y3 = 1"
    )
    assert stages["optimised"] == "let w3 = cos (x1*x2) in ⟨x2*w3, x1*w3⟩"
    assert stages["cost"] == "(7, 0, 1, 1) → (24, 0, 3, 1) (moves, +, *, other)"
    if unf:
        assert stages["D_ρ(UNF)"].startswith(
            "F(var_{G2;1}, Jᵀ…); F(var_{G3;2}, Jᵀ…); F(*_{G2;2}, Jᵀ…); F(proj_{G2;R,R;R}, Jᵀ…);"
        )


@each
def test_a_trace_names_its_rules_and_marks_what_they_made(system: System) -> None:
    assert system.steps is not None
    f = program("fun f(x : Real, y : Real) : Real = let w <- x * y in w * w")
    first, *steps = system.steps(f, (1.0, 2.0), 1.0)
    assert first.rule == ""
    assert {step.rule for step in steps} <= {rule.value for rule in Rule}
    assert {"β", "inline the continuation", "let of a pair", "forward substitution"} <= {step.rule for step in steps}
    for step in steps:
        marks = [e for e in layout(step.term, 100) if isinstance(e, Open) and isinstance(e.annotation, Mark)]
        assert [m.annotation for m in marks] == [Mark("contractum")]
    assert "fun (" not in read(steps[-1].term)


@each
def test_a_trace_is_lazy(system: System) -> None:
    """Its first steps come without the others being made."""
    assert system.steps is not None
    steps = system.steps(_chain(60), (1.1,), 1.0)
    assert next(steps).rule == ""
    assert next(steps).rule == "let in an argument"


def _chain(n: int) -> Program:
    """``let v1 <- sin(x * x) in let v2 <- sin(v1 * x) in …``"""
    body: c.Term = c.Variable(f"v{n}")
    for i in range(n, 0, -1):
        before = c.Variable(f"v{i - 1}" if i > 1 else "x")
        body = c.Let(f"v{i}", c.Apply("sin", (c.mul(before, c.Variable("x")),)), body)
    return Program("f", (("x", SCALAR),), SCALAR, body)


@each
def test_a_thousand_lets_in_operations_in_proportion(system: System) -> None:
    """No recursion is as deep as a program is long; the work is linear in it."""
    assert system.reverse is not None
    short, long = (system.reverse(_chain(n), (1.1,), 1.0) for n in (100, 1000))
    assert (long.primal, long.derivative) == (2000, 6999)
    assert long.derivative <= 3.5 * long.primal
    assert 9.9 * short.size <= long.size <= 10.1 * short.size
    assert short.gradient[0] == pytest.approx(finite_differences(_chain(100), (1.1,), 1.0)[0], rel=1e-4)


@each
def test_the_stages_of_a_long_program_say_when_they_are_too_long(system: System) -> None:
    assert system.stages is not None
    stages = {stage.title: read(stage.doc) for stage in system.stages(_chain(150))}
    assert stages["Target"].startswith("‹its continuations have ")


@law(100)
@given(programs(EVERYTHING))
def test_the_whole_language_is_taken_or_refused_by_name(s: Sample) -> None:
    """And where both take it they find the same."""
    found: list[tuple[float, ...]] = []
    refused: list[Diagnostic] = []
    for system in SYSTEMS:
        assert system.reverse is not None
        try:
            found.append(flat(system.reverse(s.program, s.point, s.cotangent).gradient))
        except Rejected as refusal:
            refused += refusal.diagnostics
    assert all(isinstance(d, OutsideFragment) for d in refused)
    assert len(found) in (0, 2)
    if found:
        assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-9, nan_ok=True)


@each
def test_an_array_of_one_entry_is_a_number(system: System) -> None:
    """``Real`` is ``Real(1)`` in the common language: all that goes through arrays goes through one entry too."""
    assert system.reverse is not None
    parts = (
        "map(a. a * x, x)",
        "map2(a b. a * b, x, x)",
        "reduce(a b. a + b, 0, x)",
        "foldl(a b. a * b, x, x)",
        "sum(x)",
        "dot(x, x)",
        "x[0]",
        "[x]",
        "replicate[1](x)",
        "generate[1](i. x + i)",
        "sum(scanl(a b. a * b, x, x))",
        "scanl(a b. a * b, x, [])",
        "sum(scanl(a b. a * b * x, x, generate[2](i. x + i)))",
    )
    f = program(f"fun f(x : Real) : Real = {' + '.join(parts)}")
    assert system.reverse(f, (1.3,), 1.0).gradient == pytest.approx(finite_differences(f, (1.3,), 1.0), rel=1e-6)
    assert Real(1) == SCALAR
