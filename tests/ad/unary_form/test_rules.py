"""Fig 12 and the rules beyond it: what each does, that it keeps values, that each is used, and what fails without it."""

from collections import Counter

import pytest

from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.optimisation.algebra import LAWS, Known, rewrite
from rh_kernel.ad.unary_form.optimisation.gradients import gradient, inlined
from rh_kernel.ad.unary_form.optimisation.rewriting import PHASES, Rewriting, trace
from rh_kernel.ad.unary_form.optimisation.rules import ABOUT, ALL, EXTRA_ARRAY_RULES, PARTIAL_EVALUATION, Rule
from rh_kernel.ad.unary_form.systems import DIRECT, UNARY, Variant, problem, raw
from rh_kernel.ad.unary_form.terms.binding import count, subterms
from rh_kernel.ad.unary_form.terms.evaluation import run
from rh_kernel.ad.unary_form.terms.naming import Numbered
from rh_kernel.ad.unary_form.terms.printing import text
from rh_kernel.ad.unary_form.terms.terms import (
    ONE,
    ZERO,
    App,
    Const,
    Fill,
    Fold,
    Fun,
    If,
    Let,
    Map,
    Map2,
    Pack,
    Plus,
    Proj,
    Scale,
    Shift,
    Term,
    Use,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import Context, R, numbers, times
from rh_kernel.ad.unary_form.terms.typing import Checking
from rh_kernel.ad.unary_form.translation.primitives import array, index, unit, units
from tests.ad.programs import flat, program
from tests.ad.unary_form.terms import (
    WAYS,
    add,
    double,
    has_functions,
    map2_of,
    mul,
    normal_form,
    op,
    optimised,
    reduce_of,
    used,
)

GAMMA: Context = (("x", R), ("y", R), ("A", numbers(3)), ("B", numbers(3)), ("p", times(R, R)))
POINT: dict[str, Value] = {"x": 1.5, "y": -0.5, "A": (1.0, 2.0, 3.0), "B": (0.5, -1.0, 4.0), "p": (2.0, 7.0)}
x, y, A, B, p = map(Var, ("x", "y", "A", "B", "p"))
u, v = Var("u"), Var("v")
ONES, ZEROS = Fill(3, ONE), Fill(3, ZERO)
SQUARE = Fun((("u", R),), mul(u, u))

ONE_STEP: tuple[tuple[Rule, Term, str], ...] = (
    (Rule.BETA, App(Fun((("u", R), ("v", R)), mul(u, v)), (x, add(x, y))), "let u = x in let v = x+y in u*v"),
    (Rule.DEAD, Let(("u",), op("sin", x), y), "y"),
    (Rule.FORWARD, Let(("u",), x, mul(u, u)), "x*x"),
    (Rule.CONSTANT, Let(("u",), ONE, mul(u, x)), "1*x"),
    (Rule.CONSTANT, Let(("u",), ZEROS, u), "ZerosLike(3)"),
    (Rule.TIMES_ZERO, mul(ZERO, op("sin", x)), "0"),
    (Rule.PLUS_ZERO, add(ZERO, x), "x"),
    (Rule.TIMES_ONE, mul(ONE, x), "x"),
    (Rule.MAP_TIMES_ONES, map2_of("mul", A, ONES), "A"),
    (Rule.MAP_PLUS_ZEROS, map2_of("add", A, ZEROS), "A"),
    (Rule.MAP_TIMES_ZEROS, map2_of("mul", A, ZEROS), "ZerosLike(3)"),
    (Rule.MAP_IDENTITY, Map("u", u, A), "A"),
    (Rule.REDUCE_ONES, reduce_of("mul", ONE, ONES), "1"),
    (Rule.REDUCE_ZEROS, reduce_of("add", ZERO, ZEROS), "0"),
    (Rule.SHIFT_FILL, Shift("L", ONES), "OnesLike(2)"),
    (Rule.SHIFT_FILL, Shift("R", ONES), "OnesLike(2)"),
    (Rule.FUSION, Map("u", op("sin", u), map2_of("mul", A, B)), "map2 (a, b. let u = a*b in sin u) A B"),
    (Rule.TUPLE, Proj(2, Pack((x, y))), "y"),
    (Rule.LET_LET, Let(("u",), Let(("v",), mul(x, x), mul(v, v)), mul(u, u)), "let v = x*x in let u = v*v in u*u"),
    (Rule.LET_OUT, op("sin", Let(("u",), mul(x, x), u)), "let u = x*x in sin u"),
    (Rule.LET_OUT, Map("v", v, Let(("u",), A, u)), "let u = A in map (v. v) u"),
    (Rule.IF_SAME, If(x, y, mul(x, y), mul(x, y)), "x*y"),
    (Rule.IF_KNOWN, If(ZERO, ONE, x, y), "x"),
    (Rule.IF_KNOWN, If(ONE, ZERO, x, y), "y"),
    (Rule.IF_OUT, Proj(1, If(x, y, p, Pack((y, x)))), "if x ≤ y then π1 p else π1 ⟨y, x⟩"),
    (Rule.SPLIT, Let(("u", "v"), Pack((x, y)), mul(u, v)), "let u = x in let v = y in u*v"),
    (Rule.INLINE, Let(("Y",), SQUARE, App(Var("Y"), (x,))), "(fun (u) → u*u)(x)"),
    (Rule.LET_TUPLE, Let(("u",), Pack((x, mul(x, y))), Proj(2, u)), "let u1 = x*y in π2 ⟨x, u1⟩"),
    (Rule.PLUS, Plus(x, y), "x+y"),
    (Rule.PLUS, Plus(A, B), "map2 (a1, b1. a1 +̂ b1) A B"),
    (Rule.PLUS, Plus(p, p), "⟨π1 p +̂ π1 p, π2 p +̂ π2 p⟩"),
    (Rule.PLUS, Scale(A, x), "map (a1. a1 *̂ x) A"),
    (Rule.PLUS, Scale(p, x), "⟨π1 p *̂ x, π2 p *̂ x⟩"),
    (Rule.PLUS, Scale(x, y), "x*y"),
    (Rule.COMMUTED, mul(x, ONE), "x"),
    (Rule.COMMUTED, add(x, ZERO), "x"),
    (Rule.COMMUTED_ARRAYS, map2_of("mul", ONES, B), "B"),
    (Rule.COMMUTED_ARRAYS, Map2("u", "v", add(v, u), ZEROS, B), "B"),
    (Rule.COMMUTED_ARRAYS, Fold("reduce", "u", "v", mul(v, u), ONE, ONES), "1"),
    (Rule.COMMUTED_ARRAYS, Map2("u", "v", mul(v, u), A, ONES), "A"),
    (Rule.MAP2_PROJECT, Map2("u", "v", u, A, B), "A"),
    (Rule.MAP2_PROJECT, Map2("u", "v", v, A, B), "B"),
    (Rule.MAP2_CONSTANT, Map2("u", "v", ONE, A, B), "OnesLike(3)"),
    (Rule.MAP2_CONSTANT, Map("u", ZERO, A), "ZerosLike(3)"),
    (Rule.SCAN_ONES, Fold("scanr", "u", "v", mul(u, v), ONE, ONES), "OnesLike(4)"),
    (Rule.MAP2_FILL, Map2("u", "v", op("sub", u, v), A, ONES), "map (u. let v = 1 in u-v) A"),
    (Rule.MAP2_FILL, Map2("u", "v", op("sub", u, v), ONES, A), "map (v. let u = 1 in u-v) A"),
    (Rule.MAP_FILL, Map("u", op("sin", u), Fill(3, x)), "fill(3, let u = x in sin u)"),
    (Rule.UNITS, map2_of("add", Use(unit(2, 3), (x,)), Use(unit(0, 3), (y,))), "units[0, 2; 3] y x"),
    (Rule.UNITS, map2_of("add", Use(unit(2, 3), (x,)), Use(units((0, 2), 3), (y, y))), "units[0, 2; 3] y (x+y)"),
    (Rule.UNITS, map2_of("add", Use(units((0, 2), 3), (x, y)), Use(unit(1, 3), (x,))), "array x x y"),
    (Rule.ENTRY, Use(index(1), (Use(array(), (x, y, x)),)), "y"),
    (Rule.ENTRY, Use(index(1), (Use(units((0, 2), 3), (x, y)),)), "0"),
    (Rule.ENTRY, Use(index(2), (Use(units((0, 2), 3), (x, y)),)), "y"),
    (Rule.ENTRY, Use(index(1), (Fill(3, x),)), "x"),
    (Rule.PAIR_ETA, Pack((Proj(1, p), Proj(2, p))), "p"),
    (Rule.INLINE_ONCE, Let(("u",), op("sin", x), mul(u, y)), "sin x*y"),
    (Rule.LET_ETA, Let(("u",), op("sin", x), u), "sin x"),
)

NOT_A_REDEX: tuple[tuple[Rule, Term], ...] = (
    (Rule.BETA, App(Var("Y"), (x,))),
    (Rule.DEAD, Let(("u",), x, u)),
    (Rule.CONSTANT, Let(("u",), Const(2.0), u)),
    (Rule.TIMES_ONE, mul(Const(2.0), x)),
    (Rule.MAP_TIMES_ONES, map2_of("add", A, ONES)),
    (Rule.REDUCE_ONES, reduce_of("mul", Const(2.0), ONES)),
    (Rule.MAP_IDENTITY, Map("u", x, A)),
    (Rule.FUSION, Map("u", u, double(A))),
    (Rule.IF_KNOWN, If(x, ONE, x, y)),
    (Rule.IF_SAME, If(x, y, x, y)),
    (Rule.LET_OUT, Map("v", Let(("u",), v, u), A)),
    (Rule.LET_OUT, If(x, y, Let(("u",), x, u), y)),
    (Rule.INLINE_ONCE, Let(("u",), op("sin", x), Map("v", mul(u, v), A))),
    (Rule.INLINE_ONCE, Let(("u",), op("sin", x), If(x, y, u, y))),
    (Rule.INLINE_ONCE, Let(("u",), op("sin", x), mul(u, u))),
    (Rule.INLINE, Let(("Y",), SQUARE, add(App(Var("Y"), (x,)), App(Var("Y"), (y,))))),
    (Rule.UNITS, map2_of("mul", Use(unit(2, 3), (x,)), Use(unit(0, 3), (y,)))),
    (Rule.UNITS, map2_of("add", Use(unit(2, 3), (x,)), A)),
    (Rule.ENTRY, Use(index(1), (A,))),
    (Rule.PAIR_ETA, Pack((Proj(2, p), Proj(1, p)))),
    (Rule.SCAN_ONES, Fold("scanl", "u", "v", add(u, v), ONE, ONES)),
    (Rule.SHIFT_FILL, Shift("L", Fill(3, x))),
)


def _rewriting(M: Term) -> Rewriting:
    checking = Checking({**dict(GAMMA), "Y": R})
    found = Rewriting(Numbered(used(M)), checking)
    found.uses = Counter(name for name in _occurrences(M))
    return found


def _occurrences(M: Term) -> list[str]:
    return [N.name for N in subterms(M) if isinstance(N, Var)]


@pytest.mark.parametrize(("rule", "M", "expected"), ONE_STEP, ids=[f"{r.name}-{i}" for i, (r, _, _) in enumerate(ONE_STEP)])
def test_each_rule_by_itself(rule: Rule, M: Term, expected: str) -> None:
    """What it makes of a redex, and that the value is the same."""
    found = _rewriting(M).apply(rule, M)
    assert found is not None
    assert text(found) == expected
    assert run(found, POINT) == run(M, POINT)
    assert rule in ABOUT[type(M)]


def test_every_rule_has_a_test_and_a_place() -> None:
    tested = {rule for rule, _, _ in ONE_STEP}
    assert tested == ALL
    assert {rule for rules in ABOUT.values() for rule in rules} == ALL
    assert PHASES[-1] == ALL


@pytest.mark.parametrize(("rule", "M"), NOT_A_REDEX)
def test_what_is_no_redex_of_a_rule(rule: Rule, M: Term) -> None:
    assert _rewriting(M).apply(rule, M) is None


PROGRAMS = {
    "sin": "fun f(x1 : Real, x2 : Real) : Real = sin(x1 * x2)",
    "w2": "fun f(x1 : Real, x2 : Real, x3 : Real) : Real = let w1 <- x1 * x2 in let w2 <- w1 * x1 in w2",
    "prod": "fun f(A : Real(4)) : Real = reduce(a x. a * x, 1, A)",
    "sum": "fun f(A : Real(4)) : Real = reduce(a x. a + x, 0, A)",
    "dot": "fun f(A : Real(4), B : Real(4)) : Real = reduce(a x. a + x, 0, map2(a b. a * b, A, B))",
    "pairs": "fun f(x : Real, A : Real(3)) : Real = let p <- (x * x, A) in p.1 * sum(map(a. a * x, p.2))",
    "choice": "fun f(x : Real, y : Real) : Real = let p <- if x <= y then (x, y) else (y * y, x) in p.1 * p.2",
    "norm": "fun f(A : Real(3), x : Real) : Real = sum(map(c. c * x, map2(a b. a * b, A, A)))",
    "known": "fun f(x : Real) : Real = if 0 <= 1 then x * x else sin(x)",
    "first": "fun f(x : Real, y : Real) : Real = let p <- if x <= y then (x, sin(y)) else (sin(x), x) in sin(p.1)",
    "ring": "fun f(x : Real, A : Real(3)) : Real = 0 * x + 1 * x + sum(map(a. a, A))"
    " + sum(map(a. a * 2, map2(a b. a * b, A, A)))",
    "zeros": "fun f(A : Real(3)) : Real = sum(map2(a b. a + b, A, replicate[3](0)))"
    " + sum(map2(a b. a * b, A, replicate[3](0)))",
    "ones": "fun f(A : Real(3)) : Real = sum(map2(a b. a * b, A, replicate[3](1))) + reduce(a b. a * b, 1, replicate[3](1))",
    "entries": "fun f(A : Real(3)) : Real = A[0] * A[2] + [A[1], 2][1]",
    "nothing": "fun f(x : Real) : Real = x + sum(replicate[3](0))",
    "same": "fun f(x : Real, y : Real) : Real = if x <= y then y else y",
}


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.name)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rules_one_by_one_end_where_the_one_pass_does(way: Variant, name: str) -> None:
    """The value of the gradient after every step; no function is left; and both results cost the same or less."""
    f = program(PROGRAMS[name])
    e, asked = problem(way, f)
    M = raw(asked)
    point = _point(asked.context)
    with quietly():
        wanted = flat(run(M, point))
        for step in trace(e.context, M, e.names):
            assert flat(run(step.term, point)) == pytest.approx(wanted), step.rule
            M = step.term
        assert not has_functions(M)
        once = inlined(gradient(problem(way, f)[1]).body)
        assert flat(run(once, point)) == pytest.approx(wanted)


def _point(context: Context) -> dict[str, Value]:
    out: dict[str, Value] = {}
    for i, (name, A) in enumerate(context):
        n = getattr(A, "size", None)
        out[name] = 0.7 + i / 3 if n is None else tuple(0.3 + i + k / 7 for k in range(n))
    return out


def test_every_rule_of_the_figure_fires_somewhere() -> None:
    """The traces of the programs above and of their gradients use every rule."""
    fired: Counter[Rule] = Counter()
    for name in PROGRAMS:
        for way in WAYS:
            e, asked = problem(way, program(PROGRAMS[name]))
            fired.update(normal_form(e.context, raw(asked), e.names)[1])
            fired.update(normal_form(e.context, e.body, e.names)[1])
        if fired.keys() >= ALL:
            return
    raise AssertionError(ALL - fired.keys())


@pytest.mark.parametrize("way", range(2), ids=["unary", "direct"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("w2", "⟨x1*x2+x2*x1, x1*x1, 0⟩"),
        ("sin", "let w3 = cos (x1*x2) in ⟨x2*w3, x1*w3⟩"),
        ("prod", "map2 * (shift1R (scanl * 1 A)) (scanr * 1 (shift1L A))"),
        ("sum", "OnesLike(4)"),
        ("dot", "⟨B, A⟩"),
    ],
)
def test_examples_1_1_and_5_5_the_headline_gradients(way: int, name: str, expected: str) -> None:
    """``∇prod``, ``∇sum``, ``∇dot`` as published; the two arrays of ∇prod stand in the order of ``map2 (a, b. a*z*b) A2 A3``"""
    assert text(inlined(optimised(program(PROGRAMS[name]), way).body)) == expected


@pytest.mark.parametrize("way", range(2), ids=["unary", "direct"])
def test_the_ssa_of_a_product(way: int) -> None:
    """§4.7: twelve products for a six-fold one, one operation on atoms a line, no function, one tuple"""
    text_ = "fun f(a : Real, b : Real, c : Real, d : Real, e : Real, g : Real) : Real = a * b * c * d * e * g"
    M = optimised(program(text_), way).body
    assert run(M, dict(zip("abcdeg", map(float, range(1, 7)), strict=True))) == (720, 360, 240, 180, 144, 120)
    products = 0
    while isinstance(M, Let):
        assert isinstance(M.bound, type(mul(x, x)))
        assert all(isinstance(N, Var) for N in M.bound.arguments)
        products += 1
        M = M.body
    assert products == 12
    assert isinstance(M, Pack)


def test_ablation_what_the_headline_gradients_need_beyond_the_figure() -> None:
    """§4.2: without the three array rules ∇prod, ∇sum and ∇dot stop early; each rule brings its own one through."""
    without = ALL - EXTRA_ARRAY_RULES - {Rule.MAP2_FILL, Rule.MAP_FILL}

    def result(name: str, rules: frozenset[Rule]) -> str:
        return text(inlined(optimised(program(PROGRAMS[name]), 1, rules).body))

    assert " ".join(result("prod", without).translate({ord(c): None for c in "0123456789"}).split()) == (
        "let w = shiftR (scanl * A) in map * (map (a, x. a) w A) (scanr * (shiftL (map (a, x. x) w A)))"
    )
    projected = without | {Rule.MAP2_PROJECT}
    assert result("prod", projected) == "map2 * (shift1R (scanl * 1 A)) (scanr * 1 (shift1L A))"
    constant = projected | {Rule.MAP2_CONSTANT}
    assert result("sum", constant) == "scanr * 1 OnesLike(3)"
    assert result("sum", constant | {Rule.SCAN_ONES}) == "OnesLike(4)"
    assert result("dot", constant | {Rule.SCAN_ONES}) == "⟨B, A⟩"


@pytest.mark.parametrize("rule", list(Rule), ids=[rule.name for rule in Rule])
def test_every_rule_can_be_switched_off(rule: Rule) -> None:
    """The gradient is the same without it, if perhaps in more operations; and the rule does not fire."""
    for name in ("pairs", "norm"):
        for way in range(2):
            point = _point(problem(UNARY, program(PROGRAMS[name]))[0].context)
            found = optimised(program(PROGRAMS[name]), way, ALL - {rule})
            if rule not in PARTIAL_EVALUATION:
                assert rule not in found.fired
            whole = optimised(program(PROGRAMS[name]), way)
            assert flat(run(found.body, point)) == pytest.approx(flat(run(whole.body, point)))


def test_the_laws_are_those_of_numbers_and_arrays() -> None:
    """All of Fig 12 that is not about names: by ``rewrite`` without anything known."""
    known = Known({}, Checking(dict(GAMMA)).of)
    assert {rule for rule in LAWS if any(rewrite(rule, M, known) is not None for r, M, _ in ONE_STEP if r is rule)} == set(LAWS)


def test_partial_evaluation_of_the_direct_macro_and_of_unf_count() -> None:
    """§4.5: Example 1.1 has the same normal form both ways, and UNF is the longer way to it."""
    sizes: dict[str, tuple[int, int]] = {}
    for way in (UNARY, DIRECT):
        e, asked = problem(way, program(PROGRAMS["w2"]))
        M = raw(asked)
        sizes[way.name] = count(M), count(normal_form(e.context, M, e.names)[0])
    assert sizes["unary"][0] > sizes["direct"][0] > sizes["direct"][1] == sizes["unary"][1]
