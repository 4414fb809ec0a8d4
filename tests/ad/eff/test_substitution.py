"""Substitution M[V/x], free variables, and stores."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.core import Apply, Force, Lambda, Let, Return, Thunk, Tuple, Variable
from rh_kernel.ad.eff.reduction.store import Vector, vector
from rh_kernel.ad.eff.traversal import computation, free, occurring
from tests.ad.eff.programs import Program, plain
from tests.tiers import law

X, Y, Z = Variable("x"), Variable("y"), Variable("z")


def test_a_binder_that_would_capture_is_renamed() -> None:
    """``(λy. (x, y))[y/x]`` is ``λy1. (y, y1)``, and so for let, patterns and clauses."""
    pair = Return(Tuple((X, Y)))
    renamed = Return(Tuple((Y, Variable("y1"))))
    assert computation(Lambda("y", pair), {"x": Y}) == Lambda("y1", renamed)
    assert computation(Let("y", Return(X), pair), {"x": Y}) == Let("y1", Return(Y), renamed)
    branch = core.Branch(core.TuplePattern((core.NamePattern("y"), core.AnyPattern())), pair)
    matched = computation(core.Match(Z, (branch,)), {"x": Y})
    assert matched == core.Match(Z, (core.Branch(core.TuplePattern((core.NamePattern("y1"), core.AnyPattern())), renamed),))
    clause = core.Clause("E", "op", (), "y", pair)
    H = core.Clauses(core.ReturnClause(core.NamePattern("y"), pair), (clause,), ("E",))
    handled = computation(core.Handle(Return(X), H), {"x": Y})
    assert isinstance(handled, core.Handle)
    assert isinstance(handled.handler, core.Clauses)
    assert handled.handler.returns == core.ReturnClause(core.NamePattern("y1"), renamed)
    assert handled.handler.clauses == (core.Clause("E", "op", (), "y1", renamed),)


def test_a_bound_name_is_not_substituted() -> None:
    """``(x ← x; x)[2/x]`` is ``x ← 2; x``"""
    two = core.Literal(2)
    assert computation(Let("x", Return(X), Return(X)), {"x": two}) == Let("x", Return(two), Return(X))
    assert computation(Lambda("x", Return(X)), {"x": two}) == Lambda("x", Return(X))


def test_occurrences_of_free_variables() -> None:
    """In ``{λx. x y} (y, z)`` y occurs twice and z once."""
    M = Apply(Force(Thunk(Lambda("x", Apply(Force(X), Y)))), Tuple((Y, Z)))
    assert occurring(M) == {"y": 2, "z": 1}
    assert free(M) == {"y", "z"}


@law(100)
@given(plain(ground=False, forwards=True))
def test_closed_terms_stay_as_they_are(program: Program) -> None:
    """A program has no free variables, so substitution returns the same object."""
    assert not free(program.term)
    assert computation(program.term, {"x1": core.Literal(7)}) == program.term


def test_a_long_sequence_of_lets_does_not_use_the_python_stack() -> None:
    """20,000 lets in a row."""
    M: core.Computation = Return(X)
    for n in range(20_000):
        M = Let(f"y{n}", Return(X), M)
    assert free(M) == {"x"}
    N = computation(M, {"x": core.Literal(1)})
    assert not free(N)


Action = tuple[int, int]


@law(100)
@given(st.lists(st.integers(), max_size=1100), st.lists(st.tuples(st.integers(0, 1200), st.integers()), max_size=40))
def test_a_vector_is_a_persistent_list(start: list[int], actions: list[Action]) -> None:
    """Items are replaced or appended, and older vectors do not change."""
    items, made = list(start), vector(start)
    for place, item in actions:
        before, older = list(items), made
        if place < len(items):
            items[place] = item
            made = made.with_item(place, item)
        else:
            items.append(item)
            made = made.appended(item)
        assert list(older) == before
    assert list(made) == items
    assert len(made) == len(items)


def test_a_vector_grows_through_all_its_levels() -> None:
    """Appending items one by one gives the same vector as all at once."""
    made: Vector[int] = Vector()
    for n in range(33_000):
        made = made.appended(n)
    assert list(made) == list(range(33_000)) == list(vector(range(33_000)))
