"""P12 and the golden outputs of the digest (§3.6): simplified derivatives are equal, not slower, and those of the paper."""

from collections import Counter

import pytest
from hypothesis import given

from rh_kernel.ad.chad.execution import derivative, derivative_by_combinators, jvp, vjp
from rh_kernel.ad.chad.simplification.contraction import Simplification
from rh_kernel.ad.chad.simplification.simplifier import simplify
from rh_kernel.ad.chad.target.printing import document
from rh_kernel.ad.chad.target.terms import Term
from rh_kernel.ad.chad.target.traversal import count
from rh_kernel.ad.chad.target.types import Mode, primal
from rh_kernel.ad.language.binding import binders
from rh_kernel.ad.language.core import Case, Inject, Program, Variable
from rh_kernel.ad.language.types import SCALAR, Sum
from rh_kernel.syntax.printing.doc import plain
from tests.ad.chad.oracles import ORACLES
from tests.ad.chad.target_typing import cartesian_type
from tests.ad.chad.test_oracles import close
from tests.ad.programs import EVERYTHING, Sample, flat, program, programs
from tests.tiers import law


def simple(t: Term, f: Program, used: Counter[Simplification] | None = None) -> Term:
    """Return the derivative of f, simplified."""
    return simplify(t, tuple(x for x, _ in f.parameters), frozenset(binders(f.body)), used)


FIG_1A = "fun f(x : Real) : (Real * Real) * Real = let y <- 2*x in let z <- x*y in let w <- cos(z) in ((y, z), w)"
FIG_1B = (
    "fun f(x1 : Real, x2 : Real, x3 : Real, x4 : Real) : Real ="
    " let y <- x1*x4 + 2*x2 in let z <- y*x3 in let w <- z + x4 in sin(w)"
)
FIG_2B = "fun f(x1 : Real, x2 : Real(3)) : Real = let f <- λu : Real. x1*u in let ys <- map(u. f(u), x2) in sum(ys)"

GOLDEN = {
    "Fig. 1(c)": (
        Mode.FORWARD,
        FIG_1A,
        "let y = 2 * x in let z = x * y in ⟨⟨⟨y, z⟩, cos(z)⟩,"
        " λ̲v. let v1 = 2 * v.1 in let v2 = y * v.1 + x * v1 in ⟨⟨v1, v2⟩, neg(sin(z)) * v2⟩⟩",
    ),
    "Fig. 1(d)": (
        Mode.REVERSE,
        FIG_1B,
        "let y = x1 * x4 + 2 * x2 in let w = y * x3 + x4 in ⟨sin(w),"
        " λ̲v. let v1 = cos(w) * v in let v2 = x3 * v1 in ⟨x4 * v2, 2 * v2, y * v1, v1 + x1 * v2⟩⟩",
    ),
    "Fig. 2(d)": (
        Mode.REVERSE,
        FIG_2B,
        "⟨sum(map(x. x1 * x, x2)), λ̲v. let v1 = replicate_3 v in"
        " ⟨sum zipWith(x3 v2. x3 * v2, x2, v1), zipWith(x4 v3. x1 * v3, x2, v1)⟩⟩",
    ),
    "a square": (Mode.REVERSE, "fun f(x : Real) : Real = x * x", "⟨x * x, λ̲v. ⟨x * v + x * v⟩⟩"),
    "a function": (
        Mode.REVERSE,
        "fun f(c : Real, x : Real) : Real = let f <- λy : Real. c * y in f(x)",
        "⟨c * x, λ̲v. ⟨x * v, c * v⟩⟩",
    ),
}


@pytest.mark.parametrize(("mode", "text", "expected"), GOLDEN.values(), ids=GOLDEN.keys())
def test_golden_outputs(mode: Mode, text: str, expected: str) -> None:
    """§3.6: the derivatives of the figures; a context of one entry is printed as a tuple."""
    f = program(text)
    assert " ".join(plain(document(simple(derivative("chad", f, mode), f))).split()) == expected


@pytest.mark.parametrize("name", ["O2", "O6", "O7", "O8", "O29"])
def test_the_simplified_combinators_are_as_long_as_the_simplified_terms(name: str) -> None:
    """P10 on code: simplification removes what combinators add to first-order terms."""
    (f,) = [oracle.program for oracle in ORACLES if oracle.name == name]
    one, other = (simple(t("chad", f, Mode.REVERSE), f) for t in (derivative, derivative_by_combinators))
    assert count(other) == count(one)


@law(60)
@given(programs(EVERYTHING))
def test_p12_simplification_keeps_values_types_and_cost(sample: Sample) -> None:
    """P12: simplification keeps the type and the numbers, and adds no operations."""
    f = sample.program
    for mode in Mode:
        t = derivative("chad", f, mode)
        s = simple(t, f)
        values = {x: primal(A, mode) for x, A in f.parameters}
        assert cartesian_type(values, s) == cartesian_type(values, t)
        if mode is Mode.REVERSE:
            one, other = (vjp(f, sample.point, sample.cotangent, u) for u in (t, s))
            assert close(flat(other.gradient), flat(one.gradient), 1e-9)
        else:
            one, other = (jvp(f, sample.point, sample.point, u) for u in (t, s))
            assert close(flat(other.tangent), flat(one.tangent), 1e-9)
        assert flat(other.value) == flat(one.value)
        assert other.derivative <= one.derivative


def test_every_rule_of_table_1_is_used() -> None:
    """The programs of the digest and a case of an injection use every rule."""
    used = Counter[Simplification]()
    injected = Inject(1, Sum(SCALAR, SCALAR), Variable("x"))
    case = Program("f", (("x", SCALAR),), SCALAR, Case(injected, "a", Variable("a"), "b", Variable("x")))
    for f in (case, *(oracle.program for oracle in ORACLES)):
        for mode in Mode:
            t = derivative("chad", f, mode)
            assert count(simple(t, f, used)) <= count(t) + len(f.parameters)
    assert set(Simplification) == set(used)
