"""Reduction: Fig. 1 rule by rule, the closed forms of the chains, states that keep their type and meaning, every rule used."""

import math
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given

from rh_kernel.ad.linear_negation.binding import size, subterms
from rh_kernel.ad.linear_negation.calculus import (
    ZERO,
    App,
    Arrow,
    Bang,
    If,
    Lam,
    LinearLambda,
    Negation,
    Num,
    Pair,
    Plus,
    R,
    Term,
    Type,
    Var,
    block,
    mul,
)
from rh_kernel.ad.linear_negation.denotation import Meaning, flat, meaning
from rh_kernel.ad.linear_negation.evaluation import at, evaluate
from rh_kernel.ad.linear_negation.gradient import Problem, Run, gradient, problem
from rh_kernel.ad.linear_negation.normal_form import normalize, opened
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.rules import (
    ARITHMETIC,
    BETA_ONLY,
    EARLIEST,
    NO_ETA,
    NO_FACTORING,
    Event,
    Rule,
    S,
    Strategy,
)
from rh_kernel.ad.linear_negation.source import translate
from tests.ad.linear_negation.examples import ORACLES, Oracle, app, chain, f, fibonacci, product, source, x
from tests.ad.linear_negation.type_system import check
from tests.ad.programs import HIGHER_ORDER, Sample, programs
from tests.ad.programs import flat as flat_value
from tests.tiers import law

EACH = pytest.mark.parametrize("o", ORACLES, ids=[o.name for o in ORACLES])
_SHORT = [o for o in ORACLES if o.steps < 200]
SHORT = pytest.mark.parametrize("o", _SHORT, ids=[o.name for o in _SHORT])


def weight(t: Term) -> int:
    """``‖t‖``: the size in which variables count twice (Lemma 7)"""
    return size(t) + sum(isinstance(u, Var) for u in subterms(t))


def _differentiated(reduction: Reduction) -> Iterator[Event]:
    """The steps of an evaluation, of the calls of backpropagators and of the sum that these leave."""
    frame = reduction.state.frames[-1]
    yield from reduction.evaluate()
    yield from reduction.calls(frame)
    yield from reduction.sum(frame)


def test_figure_1_rule_by_rule():
    found = gradient(ORACLES[0].source, ORACLES[0].point)
    counted = {rule.value: n for rule, n in found.rules.items() if n}
    assert counted == {
        "(7)": 5, "(8)": 10, "(9)": 19, "(9)n": 11, "(10)": 26, "(11)": 5,
        "(12)": 1, "(14)": 6, "(16)": 4, "(17)": 1, "(23)": 3,
    }  # fmt: skip


def test_figure_1_evaluates_in_twelve_steps():
    found = evaluate(at(ORACLES[0].term, ("x", "y"), (5, 2)))
    assert {rule.value: n for rule, n in found.rules.items()} == {"(9)n": 5, "(23)": 2, "(14)": 1, "(10)": 4}


@pytest.mark.parametrize("n", range(1, 13))
def test_n1_squaring_chain(n: int):
    """Linear by S and exponential without linear factoring: the paper's claim, with exact numbers."""
    program = source(chain(n), "x")
    found = gradient(program, (1.001,))
    assert found.steps == 29 * n + 21
    assert found.rules[Rule.FACTOR] == n
    assert sum(found.rules[rule] for rule in ARITHMETIC) == 4 * n
    assert found.gradient == pytest.approx((2**n * 1.001 ** (2**n - 1),))
    assert gradient(program, (1.001,), strategy=NO_ETA).steps == 30 * n + 3
    if n <= 8:
        naive = gradient(program, (1.001,), strategy=NO_FACTORING)
        assert naive.steps == 14 * 2**n + 18 * n + 5
        assert sum(naive.rules[rule] for rule in ARITHMETIC) == 2 ** (n + 1) + n - 2
        assert gradient(program, (1.001,), strategy=BETA_ONLY).steps == 10 * 2**n + 12 * n + 1


@pytest.mark.parametrize(("n", "worse"), [(5, 196), (10, 1420)])
def test_n2_the_bound_is_one_of_rule_and_order(n: int, worse: int):
    """Earliest head first, two calls of one backpropagator never meet."""
    program = source(fibonacci(n), "x", "y")
    assert gradient(program, (1.01, 0.99)).steps == 29 * n + 2
    for strategy in (EARLIEST, NO_FACTORING):
        assert gradient(program, (1.01, 0.99), strategy=strategy).steps == worse


@pytest.mark.parametrize(
    ("n", "tags", "injections"),
    [(2, 49, 60), (4, 111, 148), (8, 235, 372), (16, 483, 1012), (32, 979, 3060), (64, 1971, 10228)],
)
def test_n3_tags_and_injections(n: int, tags: int, injections: int):
    """Reading back is linear by tags; tuples cost ``(#J − 1)(n − 1)`` uses of (13) and ``n (#J − 1)`` of (12)."""
    program = source(product(n), *(f"x{i}" for i in range(n)))
    point = [1.0 + i / 100 for i in range(n)]
    by_tags, by_tuples = gradient(program, point), gradient(program, point, injections=True)
    assert by_tags.gradient == pytest.approx([math.prod(point) / r for r in point])
    assert by_tuples.gradient == pytest.approx(by_tags.gradient)
    assert (by_tags.steps, by_tuples.steps) == (tags, injections)
    assert by_tuples.rules[Rule.SUM_OF_PAIRS] == (n - 1) ** 2
    assert by_tuples.rules[Rule.SUM] == n * (n - 1)


def test_n4_what_is_not_linear_is_not_factored():
    """``g 2 + g 3`` is not ``g (2 + 3)`` for ``g : R → R``."""
    t = Plus(app(Var("g"), Num(2.0)), app(Var("g"), Num(3.0)))
    for known, expected in ((Lam("q", R, mul(Var("q"), Var("q"))), 0), (LinearLambda("a", app(Var("x′"), Var("a"))), 1)):
        A: Type = Arrow(R, R) if isinstance(known, Lam) else Negation()
        reduction = Reduction(block((Bang("g", A, known),), t), {"x′": Negation()})
        rules = Counter(event.rule for event in _differentiated(reduction))
        assert rules[Rule.FACTOR] == expected


def test_n5_zeros():
    """Z where a summand is a constant; L where it is symbolic; neither by injections."""
    by_name = {o.name: o for o in ORACLES}
    for name, z in (("O5", 1), ("O7", 2)):
        o = by_name[name]
        assert gradient(o.source, o.point).rules[Rule.ZERO] == z
        by_tuples = gradient(o.source, o.point, injections=True)
        assert by_tuples.rules[Rule.ZERO] == by_tuples.rules[Rule.DEAD] == 0
    symbolic = Counter(event.rule for event in normalize(by_name["O7"].source).events)
    assert (symbolic[Rule.DEAD], symbolic[Rule.ZERO]) == (2, 2)


def _tags_as_projections(p: Problem) -> dict[str, Meaning]:
    """A meaning for each tag: the product with a number of its own."""

    def scaled(k: float) -> Meaning:
        return lambda V: k * V if isinstance(V, float) else V

    return {tag: scaled(1.0 + 0.37 * i) for i, tag in enumerate(p.tags)}


def _states(p: Problem, strategy: Strategy = S) -> list[Term]:
    run = Run(p, strategy)
    return [run.reduction.term, *(run.reduction.term for _ in run.all())]


@SHORT
@pytest.mark.parametrize("strategy", [S, BETA_ONLY, EARLIEST], ids=["S", "β", "earliest"])
def test_p11_p12_states_keep_type_and_meaning(o: Oracle, strategy: Strategy):
    """Prop. 2 with the repair, and Prop. 8: every state of every reduction."""
    for injections in (False, True):
        p = problem(o.source, o.point, (1.0,), injections=injections)
        tags = {} if injections else _tags_as_projections(p)
        states = _states(p, strategy)
        expected = flat(meaning(states[0], tags))
        A = check(states[0], p.types)
        for state in states:
            assert check(state, p.types) == A
            assert flat(meaning(state, tags)) == pytest.approx(expected, rel=1e-9)


@given(programs(HIGHER_ORDER, scalar=True))
@law(40)
def test_p11_p12_of_random_programs(sample: Sample):
    p = problem(translate(sample.program), flat_value(sample.point), flat_value(sample.cotangent))
    tags = _tags_as_projections(p)
    states = _states(p)
    expected = flat(meaning(states[0], tags))
    for state in states:
        assert check(state, p.types) == R
        assert flat(meaning(state, tags)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@EACH
def test_p16_no_leak(o: Oracle):
    """Every backpropagator is expanded once at most, so there are as many calls as names of the type R⊥, or fewer."""
    p = problem(o.source, o.point, (1.0,))
    run = Run(p)
    for _ in run.forward():
        pass
    waiting = [cell.binding for cell in run.reduction.state.frames[0].cells]
    nodes = sum(isinstance(b, Bang) and isinstance(b.bound, LinearLambda) for b in waiting)
    calls = sum(event.rule is Rule.BETA for event in run.backward())
    assert calls <= nodes


def test_lemma_7_each_rule_makes_terms_smaller():
    """P3: (9)n, (10), (12), (14) and (23) shrink ``‖t‖``; (13) keeps the symbols and has one pair less."""
    shrinking = {Rule.COPY_NUMERAL, Rule.COLLECT, Rule.SUM, Rule.PRODUCT, Rule.FUNCTION}
    seen: set[Rule] = set()
    for o in ORACLES:
        reduction = Reduction(at(o.term, o.inputs, o.point), {})
        before = reduction.term
        for part in (reduction.evaluate(), reduction.collect()):
            for event in part:
                after = reduction.term
                if event.rule in shrinking:
                    seen.add(event.rule)
                    assert weight(after) < weight(before)
                before = after
    assert seen == shrinking
    reduction = Reduction(Plus(Pair(Num(1.0), Num(2.0)), Pair(Num(3.0), Num(4.0))), {})
    before = reduction.term
    assert next(reduction.evaluate()).rule is Rule.SUM_OF_PAIRS
    assert size(reduction.term) == size(before)


def test_every_rule_is_used():
    """All rules but (15), which S has no use for."""
    rules: Counter[Rule] = Counter()
    for o in ORACLES[:8]:
        rules += gradient(o.source, o.point).rules + gradient(o.source, o.point, injections=True).rules
        rules += Counter(event.rule for event in normalize(o.source).events)
    rules += evaluate(If(Num(1.0), Num(2.0), Num(3.0), Num(4.0))).rules
    assert {rule for rule in Rule if rules[rule]} == set(Rule) - {Rule.ETA}


def _fired(strategy: Strategy) -> set[Rule]:
    """The rules that are used on some of the oracles, by all ways of reducing them."""
    fired: set[Rule] = set()
    for o in ORACLES[:8]:
        for injections in (False, True):
            p = problem(o.source, o.point, (1.0,), injections=injections)
            reduction = Reduction(p.term, p.types, strategy)
            fired |= {event.rule for part in (_differentiated(reduction), reduction.collect()) for event in part}
        start = opened(o.source)
        fired |= {event.rule for event in Reduction(start.term, start.types, strategy).normalize()}
    return fired | {event.rule for event in Reduction(If(ZERO, ZERO, ZERO, ZERO), {}, strategy).evaluate()}


@pytest.mark.parametrize("rule", [rule for rule in Rule if rule is not Rule.ETA], ids=lambda rule: rule.name)
def test_every_rule_can_be_switched_off(rule: Rule):
    assert rule in _fired(S)
    assert rule not in _fired(Strategy(off=frozenset({rule})))


def test_a_dead_linear_substitution_is_dropped():
    reduction = Reduction(App(LinearLambda("c", ZERO), mul(Var("r"), Num(2.0))), {"r": R})
    assert [event.rule for event in reduction.evaluate()] == [Rule.BETA, Rule.DEAD]
    assert reduction.term == ZERO


@pytest.mark.parametrize(("r", "value"), [(1.0, 3.0), (2.0, 3.0), (2.5, 4.0)])
def test_a_conditional_takes_a_branch(r: float, value: float):
    t = If(Plus(x, Num(0.0)), Num(2.0), Num(3.0), f("sqrt", Num(16.0)))
    assert evaluate(at(t, ("x",), (r,))).numbers == (value,)
