"""Unification (LANGUAGE §2): what is solved holds afterwards, what has a solution is not refused, trying changes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rh_kernel.syntax.dimensions import Dim, DimMeta, dim
from rh_kernel.syntax.types import Product, Real, Shape, ShapeMeta, Type, TypeMeta, map_type
from rh_kernel.typing.unification.unify import Unifier
from tests.strategies import Dice, World, chance, choose, dice_of, draw_type
from tests.tiers import law

KNOWN = World(dims=(dim(2), dim(3), dim("n"), dim("n") + dim(1), dim("m") * dim("n")))


@dataclass(frozen=True)
class Problem:
    """Two types with unknowns in them that one assignment of closed types makes equal, and that assignment."""

    unifier: Unifier
    left: Type
    right: Type
    dims: Mapping[int, Dim]
    shapes: Mapping[int, Shape]
    types: Mapping[int, Type]

    def solved(self, A: Type) -> Type:
        """A under the assignment."""
        return map_type(
            A,
            lambda a: self.dims[a.number] if isinstance(a, DimMeta) else dim(a),
            lambda s: self.shapes[s.number] if isinstance(s, ShapeMeta) else s,
            lambda meta: self.types[meta.number],
        )

    @property
    def known(self) -> list[Type]:
        """What is known of each unknown."""
        unknowns: list[Type] = [Real((dim(DimMeta(n)),)) for n in self.dims]
        unknowns += [Real(ShapeMeta(n)) for n in self.shapes]
        unknowns += [TypeMeta(n) for n in self.types]
        return [self.unifier.type(A) for A in unknowns]


@st.composite
def problems(draw: DrawFn) -> Problem:
    """A type, and two ways to leave parts of it open."""
    dice = dice_of(draw)
    A = draw_type(dice, KNOWN, 2)
    unifier = Unifier()
    hidden = Hidden(dice, unifier)
    return Problem(unifier, hidden.type(A), hidden.type(A), hidden.dims, hidden.shapes, hidden.types)


class Hidden:
    """Types with parts of them replaced by unknowns; a part that occurs twice may be hidden by one unknown."""

    def __init__(self, dice: Dice, unifier: Unifier) -> None:
        self.dice, self.unifier = dice, unifier
        self.dims: dict[int, Dim] = {}
        self.shapes: dict[int, Shape] = {}
        self.types: dict[int, Type] = {}

    def type(self, A: Type) -> Type:
        """A with some parts hidden."""
        if chance(self.dice, 6):
            found = self.unifier.fresh_type()
            self.types[found.number] = A
            return found
        match A:
            case Product(many):
                return Product(tuple(self.type(B) for B in many))
            case Real(shape) if chance(self.dice, 6):
                hidden = self.unifier.fresh_shape()
                self.shapes[hidden.number] = shape
                return Real(hidden)
            case Real(tuple() as dims):
                return Real(tuple(self.dim(d) for d in dims))
            case Real() | TypeMeta():
                return A

    def dim(self, d: Dim) -> Dim:
        """``d`` itself, ``?n``, ``?n + c`` or ``c - ?n``."""
        if chance(self.dice, 2):
            return d
        old = [n for n, e in self.dims.items() if e == d]
        if old and chance(self.dice, 2):
            return dim(DimMeta(choose(self.dice, old)))
        meta, c = self.unifier.fresh_dim(), dim(self.dice(3))
        (number,) = [a.number for a in meta.atoms if isinstance(a, DimMeta)]
        minus = chance(self.dice, 4)
        self.dims[number] = c - d if minus else d - c
        return c - meta if minus else meta + c


@law(200)
@given(problems())
def test_an_equation_that_has_a_solution_is_solved_and_holds(p: Problem) -> None:
    assert p.solved(p.left) == p.solved(p.right)
    assert p.unifier.unify_types(p.left, p.right)
    assert p.unifier.unsolved_equation() is None
    assert p.unifier.type(p.left) == p.unifier.type(p.right)


@law(200)
@given(problems())
def test_what_is_found_is_no_more_than_what_follows(p: Problem) -> None:
    """The solution that is found is a most general one: every other one is an instance of it."""
    assert p.unifier.unify_types(p.left, p.right)
    assert p.solved(p.unifier.type(p.left)) == p.solved(p.left)


@law(200)
@given(problems(), problems())
def test_an_equation_that_was_accepted_holds(p: Problem, q: Problem) -> None:
    assume(p.solved(p.left) != q.solved(q.left))
    closed = q.solved(q.left)
    if p.unifier.unify_types(p.left, closed) and p.unifier.unsolved_equation() is None:
        assert p.unifier.type(p.left) == closed


@law(200)
@given(problems(), problems())
def test_trying_changes_nothing(p: Problem, q: Problem) -> None:
    before = p.known
    fits = p.unifier.is_unifiable(p.left, q.solved(q.left))
    assert p.known == before
    assert p.unifier.unsolved_equation() is None
    assert p.unifier.is_unifiable(p.left, q.solved(q.left)) == fits
    assert p.unifier.unify_types(p.left, p.right)


@law(200)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=4), st.integers(-6, 6))
def test_a_linear_equation_in_several_unknowns_is_settled_by_the_last_of_them(
    terms: list[tuple[int, int]], constant: int
) -> None:
    unifier = Unifier()
    unknowns = [unifier.fresh_dim() for _ in range(3)]
    values = [2, 3, 5]
    total = sum((dim(c) * unknowns[i] for c, i in terms), dim(constant))
    assert unifier.unify_dims(total, dim(sum(c * values[i] for c, i in terms) + constant))
    for unknown, value in zip(unknowns, values, strict=True):
        assert unifier.unify_dims(unknown, dim(value))
    assert unifier.unsolved_equation() is None
    assert unifier.dim(total).constant == sum(c * values[i] for c, i in terms) + constant
