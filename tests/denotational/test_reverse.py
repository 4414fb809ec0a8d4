"""``(⟨𝒜⟩, α)`` is an 𝒜-algebra and ``⟦H⟧`` the homomorphism into it (RH Def. 6.4, 7.7–7.13, Lemma 6.5)."""

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.arrows import Arrow, Effect, perform, unit
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.provenance import Leg
from rh_kernel.denotational.reverse import algebra, homomorphism
from rh_kernel.denotational.terms import interpret_term, reverse_derivative
from rh_kernel.denotational.wiring import beside, rewire, then
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Operation, Scope
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, leaves
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation
from tests.declarations import declared
from tests.denotational.arrows import Handled, arrows, behave_alike, handled
from tests.strategies import terms, types
from tests.tiers import law

SEEDS = st.integers(0, 99)


@law(60)
@given(handled())
def test_the_algebra_has_a_unit(h: Handled) -> None:
    """``α(η(id), k) = k``"""
    k = homomorphism(h.clauses, h.p, h.b)
    assert algebra(h.clauses, rewire(k.domain, range(len(k.domain))), k) == k


@law(60)
@given(handled(), SEEDS)
def test_the_algebra_respects_composition(h: Handled, seed: int) -> None:
    """``α(a ; b, k) = α(a, α(b, k))``"""
    behave_alike(
        algebra(h.clauses, then(h.a, h.b), h.p),
        algebra(h.clauses, h.a, algebra(h.clauses, h.b, h.p)),
        seed,
    )


@law(60)
@given(handled(), SEEDS)
def test_a_handler_is_a_homomorphism(h: Handled, seed: int) -> None:
    """``⟦H⟧(a ; b) = α(a, ⟦H⟧(b))``"""
    behave_alike(
        homomorphism(h.clauses, h.p, then(h.a, h.b)),
        algebra(h.clauses, h.a, homomorphism(h.clauses, h.p, h.b)),
        seed,
    )


@law(60)
@given(handled(), st.data(), SEEDS)
def test_on_pure_maps_a_handler_is_phi(h: Handled, data: st.DataObject, seed: int) -> None:
    """``⟦H⟧(η(f)) = φ(f) = η(⟨f, id⟩) ; st_X(p) ; η(R'[f])``"""
    A = data.draw(types())
    C = data.draw(types())
    f = interpret_term((A,), Scope(("x",), data.draw(terms((A,), C, 4))))
    p = data.draw(arrows(C, C))
    n = len(f.domain)
    keeping: Arrow = then(rewire(f.domain, (*range(n), *range(n))), beside(unit(f), f.domain))
    phi = then(then(keeping, beside(p, f.domain)), unit(reverse_derivative(f)))
    behave_alike(homomorphism(h.clauses, p, unit(f)), phi, seed)


@law(60)
@given(handled(), st.data(), SEEDS)
def test_an_operation_sandwiches_what_follows(h: Handled, data: st.DataObject, seed: int) -> None:
    """``α(st_Z(Op), k) = (q^f × Z) ; (D aside) ; k ; (q^b × Z)`` for each operation of an arrow"""
    Z = data.draw(types())
    for op in {box.content.operation for box in h.a.boxes if isinstance(box.content, Effect)}:
        forward, backward = h.clauses(op)
        Y, aside = leaves(op.codomain), leaves(Z)
        D = forward.results[len(Y) :]
        k = data.draw(arrows(Product((op.codomain, Z)), Product((op.codomain, Z))))
        y, d, z = len(Y), len(D), len(aside)
        onto: Arrow = rewire((*Y, *D, *aside), (*range(y), *range(y + d, y + d + z), *range(y, y + d)))
        back: Arrow = rewire((*Y, *aside, *D), (*range(y), *range(y + z, y + z + d), *range(y, y + z)))
        forth = then(beside(forward, aside), onto)
        expected = then(then(then(forth, beside(k, D)), back), beside(backward, aside))
        behave_alike(algebra(h.clauses, beside(perform(op), aside), k), expected, seed)


def test_the_order_of_get_and_put_in_the_sandwich() -> None:
    """Two layers: the forward parts read outermost first, the backward parts write innermost first (RH Fig. 8)."""
    definitions = declared(
        """
        op FC[l : Loc(m, n)] : Real(n) -> Real(m)
        loc w0 : Real(3, 2) = zeros
        loc w1 : Real(1, 3) = zeros
        """.replace("        ", "")
    )
    text = """rev handle ([1, 2]) <x>. let z <= FC[w0](x) in FC[w1](z) with {
      return x -> return x
      FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x)) | y, z -> let (w, x) <- z in let _ <= Put[l](w) in return w^T @ y
    }"""
    found = elaborate_evaluation(definitions, parse_expression(Source("test", text)))
    assert isinstance(found, ClosedCommand)
    a = interpret((), Scope((), found.command))
    assert [show_operation(box.content.operation) for box in a.boxes if isinstance(box.content, Effect)] == [
        "Get[w0]",
        "Get[w1]",
        "Put[w1]",
        "Put[w0]",
    ]
    legs = [box.place[0].leg for box in a.boxes if isinstance(box.content, Effect)]
    assert legs == [Leg.FORWARD, Leg.FORWARD, Leg.BACKWARD, Leg.BACKWARD]


def show_operation(op: Operation) -> str:
    """``Get[w0]``"""
    (location,) = op.indices
    return f"{op.family.name}[{cast(Location, location).name}]"
