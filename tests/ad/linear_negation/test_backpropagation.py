"""First-order backpropagation: ``bp`` (Def. 10), graphs, and the numeric algorithms (§2.1–2.6) on Fig. 1."""

import pytest
from hypothesis import given

from rh_kernel.ad.linear_negation import forward, hypergraph
from rh_kernel.ad.linear_negation.binding import names, size
from rh_kernel.ad.linear_negation.calculus import Bang, Lam, Num, Open, Pair, Plus, R, Term, Times, Var, block
from rh_kernel.ad.linear_negation.evaluation import at, evaluate
from rh_kernel.ad.linear_negation.extraction import extract
from rh_kernel.ad.linear_negation.ground import bp, is_ground, let_form
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.printing import document
from rh_kernel.ad.linear_negation.source import translate
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.printing.doc import plain
from tests.ad.linear_negation.examples import ORACLES, Oracle, app, f, lam, let, lets, mul, source, sub, x, y
from tests.ad.programs import HIGHER_ORDER, Sample, flat, programs
from tests.tiers import law

BY_NAME = {o.name: o for o in ORACLES}
EACH = pytest.mark.parametrize("o", ORACLES, ids=BY_NAME)


def backward(G: Term, inputs: tuple[str, ...], *, plain_sums: bool = False) -> tuple[Term, str]:
    """``bp(G)`` as a term, and its adjoint."""
    supply = NameSupply({*names(G), *inputs})
    a = supply.fresh("a")
    return bp(let_form(G, supply), inputs, a, supply, plain=plain_sums).term(inputs), a


def test_figure_2():
    t, _ = backward(extract(BY_NAME["O1"].source).term, ("x", "y"))
    assert plain(document(t), 200) == (
        "⟨sin(z2), ⟨1 · b₁, −1 · b₁⟩[b₁ := z1 · b + z1 · b][b := cos(z2) · a]⟩[z2 := z1 · z1][z1 := x − y]"
    )
    assert size(t) == 31


def test_n6_a_dead_let_is_kept():
    t, _ = backward(lets(Plus(mul(Var("g"), x), mul(Var("h"), x)), let("g", Num(2.0)), let("h", Num(3.0))), ("x",))
    assert plain(document(t), 200) == "⟨g · x + h · x, (g · a + h · a)[b₁ := x · a][b := x · a]⟩[g := 2][h := 3]"


@pytest.mark.parametrize(("n", "short", "long"), [(2, 7, 11), (4, 15, 39), (8, 31, 143), (16, 63, 543), (32, 127, 2111)])
def test_lemma_11_needs_sums_without_zeros(n: int, short: int, long: int):
    """``bp(x1 + … + xn)`` is linear with ⊕ and quadratic with +."""
    inputs = tuple(f"x{i}" for i in range(n))
    t: Term = Var("x0")
    for name in inputs[1:]:
        t = Plus(t, Var(name))
    assert size(backward(t, inputs)[0]) == short
    assert size(backward(t, inputs, plain_sums=True)[0]) == long


@given(programs(HIGHER_ORDER, scalar=True))
@law(150)
def test_p4_p5_of_random_programs(sample: Sample):
    """Lemma 11 and Prop. 12: size and steps of ``bp(G)`` are linear in ``|G| + n``, and its value is value and gradient."""
    found = extract(translate(sample.program))
    n = len(found.inputs)
    t, a = backward(found.term, found.inputs)
    bound = 3 * (size(let_form(found.term)) + n)
    assert size(t) <= bound
    w = flat(sample.cotangent)[0]
    outcome = evaluate(at(block((Bang(a, R, Num(w)),), t), found.inputs, flat(sample.point)))
    assert outcome.steps <= bound
    memory = hypergraph.backpropagate(hypergraph.graph(found), flat(sample.point), (w,))
    value, *gradient = outcome.numbers
    assert value == pytest.approx(memory.primal[hypergraph.graph(found).outputs[0]])
    assert gradient == pytest.approx([r or 0.0 for r in memory.other[:n]])


def test_section_2_numeric_algorithms():
    """The memory of both algorithms on Fig. 1 at (5, 2)."""
    g = hypergraph.graph(extract(BY_NAME["O1"].source))
    assert g.names == ("x", "y", "z1", "z2", "")
    memory = hypergraph.forward(g, (5.0, 2.0), (1.0, 0.0))
    assert memory.primal == pytest.approx([5, 2, 3, 9, 0.412118], rel=6e-6)
    assert memory.other == pytest.approx([1, 0, 1, 6, -5.466782], rel=6e-6)
    memory = hypergraph.backpropagate(g, (5.0, 2.0), (1.0,))
    assert memory.other == pytest.approx([-5.466782, 5.466782, -5.466782, -0.911130, 1], rel=6e-6)
    assert memory.visits == 2 * len(g.edges)


@EACH
def test_the_tape_finds_the_gradient(o: Oracle):
    g = hypergraph.graph(extract(o.source))
    memory = hypergraph.backpropagate(g, o.point, (1.0,))
    assert [r or 0.0 for r in memory.other[: g.inputs]] == pytest.approx(o.gradient, rel=6e-6)
    for j, slope in enumerate(o.gradient):
        tangent = [float(i == j) for i in range(g.inputs)]
        ahead = hypergraph.forward(g, o.point, tangent)
        assert ahead.other[g.outputs[0]] == pytest.approx(slope, rel=6e-6)


def test_the_graph_of_figure_1():
    g = hypergraph.graph(extract(BY_NAME["O1"].source))
    assert [g.fan_out(i) for i in range(5)] == [1, 1, 2, 1, 0]
    assert g.size == 8
    assert hypergraph.dot(g).splitlines() == [
        "digraph {",
        "  rankdir=LR;",
        '  n0 [shape=circle, label="x"];',
        '  n1 [shape=circle, label="y"];',
        '  n2 [shape=circle, label="z1"];',
        '  n3 [shape=circle, label="z2"];',
        '  n4 [shape=doublecircle, label=""];',
        '  e0 [shape=triangle, orientation=270, label="−"];',
        "  n0 -> e0;",
        "  n1 -> e0;",
        "  e0 -> n2;",
        '  e1 [shape=triangle, orientation=270, label="·"];',
        "  n2 -> e1;",
        "  n2 -> e1;",
        "  e1 -> n3;",
        '  e2 [shape=triangle, orientation=270, label="sin"];',
        "  n3 -> e2;",
        "  e2 -> n4;",
        "}",
    ]
    assert 'label="2"' in hypergraph.dot(hypergraph.graph(extract(BY_NAME["O7"].source)))


def test_the_graph_of_figure_2():
    """``x1 − x2`` is passed to four edges: two factors of the square, and two of its derivative."""
    G = extract(BY_NAME["O1"].source).term
    g = hypergraph.backward_graph(bp(let_form(G), ("x", "y"), "a", NameSupply({*names(G), "a"})), ("x", "y"), "a")
    (z1,) = [i for i, name in enumerate(g.names) if name == "z1"]
    assert g.fan_out(z1) == 4
    assert (len(g.outputs), g.inputs) == (3, 3)
    memory = hypergraph.evaluate(g, (5.0, 2.0, 1.0))
    assert [memory.primal[i] for i in g.outputs] == pytest.approx([0.412118, -5.466782, 5.466782], rel=6e-6)


def test_p17_pairs_of_no_values():
    """β alone gets stuck on them; (16) does not, and names what they are made of."""
    dead = lets(x, let("v", Pair(mul(x, y), sub(x, y)), Times(R, R)))
    found = extract(source(dead, "x", "y"))
    assert [b.name for b in found.stack if isinstance(b, Bang)] == ["v₁", "v₂"]
    assert is_ground(found.term)
    stuck = lets(mul(Var("p"), Var("q")), Open("p", R, "q", R, Var("z")), let("z", Pair(mul(x, y), x), Times(R, R)))
    assert is_ground(extract(source(stuck, "x", "y")).term)


def test_what_is_no_graph():
    for t in (lam("q", Var("q")), app(Var("g"), x), lets(x, let("z", Lam("q", R, Var("q"))))):
        assert not is_ground(t)
    for t in (lam("q", Var("q")), f("sin", Plus(x, x))):
        with pytest.raises(Rejected):
            bp(t, ("x",), "a", NameSupply())


def test_hessians_by_forward_over_bp():
    """``bp(G)`` is first-order, so F applies to it: the Hessian of ``x · y + sin x`` at (2, 3), column by column."""
    t, a = backward(extract(BY_NAME["O3"].source).term, ("x", "y"))
    ahead = forward.transform(t)
    for direction, column in (((1.0, 0.0), (-0.909297, 1.0)), ((0.0, 1.0), (1.0, 0.0))):
        seeds = {"x": (2.0, direction[0]), "y": (3.0, direction[1]), a: (1.0, 0.0)}
        stack = tuple(Bang(name, Times(R, R), Pair(Num(r), Num(s))) for name, (r, s) in seeds.items())
        numbers = evaluate(block(stack, ahead)).numbers
        assert numbers[3::2] == pytest.approx(column, rel=6e-6)
