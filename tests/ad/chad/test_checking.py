"""P1 and P2: derivatives are well typed, with one linear variable; ill-formed linear terms are not (§8.1)."""

import pytest
from hypothesis import given

from rh_kernel.ad.chad.context import Context
from rh_kernel.ad.chad.execution import derivative, derivative_by_combinators
from rh_kernel.ad.chad.operations import scalar
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import (
    NUMBER,
    Copower,
    Function,
    LinearMap,
    Mode,
    Product,
    linear_map,
    primal,
    tangent,
)
from tests.ad.chad.oracles import ORACLES, Oracle
from tests.ad.chad.target_typing import TypeCheckError, cartesian_type, linear_type
from tests.ad.programs import EVERYTHING, Sample, programs
from tests.tiers import law

PAIR = Product((NUMBER, NUMBER))
V, X, F, G = to.LinearVariable("v"), to.Variable("x"), to.Variable("f"), to.Variable("g")
GAMMA = {"x": NUMBER, "f": LinearMap(NUMBER, NUMBER), "g": Function(NUMBER, NUMBER)}


def check(mode: Mode, sample: Sample | Oracle) -> None:
    """``D(Γ)_1 ⊢ D(M) : D(A)_1 × (D(A)_2 ⊸ D(Γ)_2)``, also by combinators."""
    program = sample.program
    gamma = Context.of(mode, program.parameters)
    values = {x: primal(A, mode) for x, A in program.parameters}
    linear = linear_map(gamma.tangents, tangent(program.result, mode), mode)
    expected = Product((primal(program.result, mode), linear))
    assert cartesian_type(values, derivative("chad", program, mode)) == expected
    assert cartesian_type(values, derivative_by_combinators("chad-combinators", program, mode)) == expected


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
@pytest.mark.parametrize("mode", Mode)
def test_p1_derivatives_of_the_oracles_are_well_typed(mode: Mode, oracle: Oracle) -> None:
    """P1, on every program of the digest."""
    check(mode, oracle)


@law(150)
@given(programs(EVERYTHING))
def test_p1_derivatives_are_well_typed(sample: Sample) -> None:
    """P1, on random programs of the whole language."""
    for mode in Mode:
        check(mode, sample)


REJECTED = {
    "the body of a case uses the outer variable": to.Fold(
        NUMBER, to.Single(to.Apply(scalar("sin"), (X,)), V), to.Scope(("y", "w"), V)
    ),
    "a linear variable as a key": to.Single(V, V),
    "a Cartesian variable as a linear result": X,
    "an argument of another type": to.LinearCall(F, to.Tuple((V, V))),
    "a linear variable as an argument that is not linear": to.Differential(
        Mode.FORWARD, scalar("mul"), (V, to.Apply(scalar("sin"), (X,))), to.Tuple((V, V))
    ),
    "a function over a linear variable": to.Lambda(NUMBER, to.Scope(("y",), to.Apply(scalar("sin"), (V,)))),
    "a sum of different types": to.Plus(V, to.Tuple((V, V))),
    "a linear function inside of a linear term": to.LinearLambda(NUMBER, to.Scope(("w",), to.LinearVariable("w"))),
    "an argument of a power that is linear": to.Call(to.Lambda(NUMBER, to.Scope(("y",), V)), V),
    "a linear variable that a let has replaced": to.LetLinear(V, to.Scope(("w",), to.Plus(V, to.LinearVariable("w")))),
    "a factor that is linear": to.Scale(V, V),
    "an operation on a linear variable": to.Apply(scalar("sin"), (V,)),
    "a zero that is no monoid": to.Zero(LinearMap(NUMBER, NUMBER)),
    "a tuple with a Cartesian component": to.Tuple((V, X)),
    "a component that is not there": to.Projection(3, to.Tuple((V, V))),
}


@pytest.mark.parametrize("t", REJECTED.values(), ids=REJECTED.keys())
def test_p2_ill_formed_linear_terms_are_rejected(t: to.Term) -> None:
    """The examples of §8.1 and the like have no type."""
    with pytest.raises(TypeCheckError):
        linear_type(GAMMA, "v", NUMBER, t)


CARTESIAN_REJECTED = {
    "a linear variable without a linear function": V,
    "a linear application": to.LinearCall(F, X),
    "a variable that is not bound": to.Variable("z"),
    "a name that is bound twice": to.Let(X, to.Scope(("x",), X)),
    "an argument outside of the domain": to.Call(G, to.Tuple((X, X))),
    "an operation on a tuple": to.Apply(scalar("sin"), (to.Tuple((X, X)),)),
    "a map whose body is applied to an array": to.Map(2, to.Scope(("y",), X), (X,)),
    "branches of different types": to.Case(to.Sign(X, X), to.Scope(("a",), X), to.Scope(("b",), to.Tuple(()))),
}


@pytest.mark.parametrize("t", CARTESIAN_REJECTED.values(), ids=CARTESIAN_REJECTED.keys())
def test_p2_ill_formed_cartesian_terms_are_rejected(t: to.Term) -> None:
    """The rules of Fig. 3 and those for functions between linear types."""
    with pytest.raises(TypeCheckError):
        cartesian_type(GAMMA, t)


def test_p2_their_well_formed_neighbours_are_accepted() -> None:
    """A linear variable may occur several times; a power takes a Cartesian argument; ``let`` may keep the variable."""
    both = to.Plus(V, to.LinearVariable("w"))
    assert linear_type(GAMMA, "v", NUMBER, to.Plus(V, V)) == NUMBER
    assert linear_type(GAMMA, "v", NUMBER, to.Tuple((V, V))) == PAIR
    assert linear_type(GAMMA, "v", NUMBER, to.LetLinear(V, to.Scope(("w",), both), keeps=True)) == NUMBER
    assert linear_type(GAMMA, "v", NUMBER, to.Single(X, V)) == Copower(NUMBER, NUMBER)
    assert linear_type(GAMMA, "v", NUMBER, to.Call(to.Lambda(NUMBER, to.Scope(("y",), V)), X)) == NUMBER
    assert linear_type(GAMMA, "v", NUMBER, to.Scale(X, V)) == NUMBER
    assert cartesian_type(GAMMA, to.LinearLambda(NUMBER, to.Scope(("v",), to.LinearCall(F, V)))) == LinearMap(NUMBER, NUMBER)
