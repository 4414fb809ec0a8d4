"""Church lists and the recurrent network (§6), with both misprints of Prop. 17 corrected; ``D(L)`` reduced once."""

import pytest

from rh_kernel.ad.linear_negation import reverse
from rh_kernel.ad.linear_negation.binding import alike, copy, names, size
from rh_kernel.ad.linear_negation.calculus import (
    Arrow,
    Block,
    Dual,
    Fun,
    Lam,
    LinearLambda,
    Negation,
    Num,
    Open,
    Pair,
    Partial,
    Plus,
    R,
    Term,
    Times,
    Var,
    mul,
)
from rh_kernel.ad.linear_negation.evaluation import at, evaluate
from rh_kernel.ad.linear_negation.gradient import gradient, problem, reduce
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.reduction import Reduction
from rh_kernel.ad.linear_negation.rules import ARITHMETIC
from rh_kernel.ad.linear_negation.source import Source
from tests.ad.linear_negation.church import backpropagation_through_time, cell, church_list, church_numeral, network
from tests.ad.linear_negation.examples import app, let, source
from tests.ad.linear_negation.type_system import check

DR = Times(R, Negation())
DATA = [1.0, 2.0, 3.0, 0.5, -1.0, 0.25]


def rnn(n: int) -> tuple[Source, NameSupply]:
    """The network on n data."""
    supply = NameSupply(["ε", "ρ"])
    return source(network([Num(r) for r in DATA[:n]], cell(supply), supply), "ε", "ρ"), supply


def transformed(n: int, a_cell: Term) -> Term:
    """``D(N l)`` with another term for ``D(L)``: D is compositional, so the rest stays."""
    supply = NameSupply([*names(a_cell), "ε", "ρ"])
    data = [reverse.transform(Num(r), supply) for r in DATA[:n]]
    return network(data, a_cell, supply, DR, DR, reverse.transform(Num(0.0), supply))


def paper_cell() -> Term:
    """M, the normal form of ``D(L)`` in the paper."""
    body = Fun("sigmoid", (Var("μ"),))
    a, b = Var("a"), Var("b")
    pairs = [("z1", "ε"), ("e1", "x"), ("z2", "ρ"), ("e2", "h")]
    calls: Term = app(Var("z1′"), mul(Var("e1"), b))
    for head, other in (("e1′", "z1"), ("z2′", "e2"), ("e2′", "z2")):
        calls = Plus(calls, app(Var(head), mul(Var(other), b)))
    slope = mul(Fun(Partial("sigmoid", 1), (Var("μ"),)), a)
    back = LinearLambda("a", Block((Dual("b", slope),), calls))
    mu = let("μ", Plus(mul(Var("z1"), Var("e1")), mul(Var("z2"), Var("e2"))))
    stack = [Open(z, R, f"{z}′", Negation(), Var(u)) for z, u in reversed(pairs)]
    return Lam("x", DR, Lam("h", DR, Block((*stack, mu), Pair(body, back))))


@pytest.mark.parametrize("n", range(1, 7))
def test_proposition_17(n: int):
    program, _ = rnn(n)
    found = gradient(program, (0.5, -0.3))
    value, d_epsilon, d_rho = backpropagation_through_time(DATA[:n], 0.5, -0.3)
    assert found.value == pytest.approx((value,))
    assert found.gradient == pytest.approx((d_epsilon, d_rho))
    assert found.steps == 94 * n + 29
    assert sum(found.rules[rule] for rule in ARITHMETIC) == 12 * n - 2


def test_section_6_example():
    assert backpropagation_through_time([1, 2, 3], 0.5, -0.3) == pytest.approx((0.573449, 0.214823, 0.153332), rel=6e-6)


def test_the_cell_is_reduced_once():
    """|D(L)| = 67 and |M| = 50; M saves 18 steps for each datum, its form with named sums 14, and no arithmetic."""
    supply = NameSupply(["ε", "ρ"])
    D_L = reverse.transform(cell(supply), supply)
    M = paper_cell()
    assert (size(D_L), size(M)) == (67, 50)
    gamma = {"ε": DR, "ρ": DR}
    assert check(D_L, gamma) == check(M, gamma) == Arrow(DR, Arrow(DR, DR))
    reduction = Reduction(D_L, gamma)
    assert list(reduction.normalize())
    computed = reduction.term
    for n in range(1, 7):
        program, _ = rnn(n)
        terms = [transformed(n, t) for t in (D_L, M, computed)]
        found = [reduce(problem(program, (0.5, -0.3), (1.0,), transformed=t)) for t in terms]
        plain = gradient(program, (0.5, -0.3))
        assert [each.steps for each in found] == [plain.steps, plain.steps - 18 * n, plain.steps - 14 * n]
        for each in found:
            assert each.gradient == pytest.approx(plain.gradient)
            assert sum(each.rules[rule] for rule in ARITHMETIC) == 12 * n - 2


def test_d_of_a_list_is_the_list_of_the_ds():
    items = [Num(1.0), Num(2.0), Num(3.0)]
    left = reverse.transform(church_list(items, R, R, NameSupply()))
    supply = NameSupply(["q"])
    right = church_list([reverse.transform(t, supply) for t in items], DR, DR, supply)
    assert alike(copy(left, NameSupply(["q"])), copy(right, NameSupply(["q"])))


@pytest.mark.parametrize(("n", "m"), [(2, 3), (3, 2), (2, 2), (1, 4)])
def test_numerals_compose(n: int, m: int):
    """``n m`` is m to the n as a numeral."""
    supply = NameSupply(["x", "q"])
    double = Lam("q", R, Plus(Var("q"), Var("q")))
    t = app(church_numeral(n, Arrow(R, R), supply), church_numeral(m, R, supply), double, Var("x"))
    assert evaluate(at(t, ("x",), (1.0,))).numbers == (2.0 ** (m**n),)


def test_lists_fold_from_the_right():
    supply = NameSupply(["x"])
    step = Lam("a", R, Lam("s", R, Fun("sub", (Var("a"), mul(Num(2.0), Var("s"))))))
    t = app(church_list([Num(1.0), Num(2.0), Num(3.0)], R, R, supply), step, Num(0.0))
    assert evaluate(t).numbers == (1.0 - 2 * (2.0 - 2 * 3.0),)
