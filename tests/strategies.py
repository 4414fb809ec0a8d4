"""Hypothesis strategies for well-typed programs, drawn by type: the judgment a strategy names holds by construction.

``types()``, ``terms(gamma, A)``, ``commands(…)``, ``programs()``; what a program may use besides its variables is a ``World``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias, TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from rh_kernel.primitives.draws import count
from rh_kernel.primitives.schemes import Scheme, Variable, arguments, instantiate, keeps_entries, size_of
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.binding import Static, specialise, specialise_type
from rh_kernel.syntax.builtin import DRAWS
from rh_kernel.syntax.conditions import Compare, Condition, Connective, Joined, Negated, Relation
from rh_kernel.syntax.core import (
    Array,
    Bound,
    Call,
    Const,
    Defined,
    Function,
    If,
    Let,
    Map,
    Plus,
    Primitive,
    Proj,
    Rd,
    RdOf,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, substitute, variables
from rh_kernel.syntax.sequences import row
from rh_kernel.syntax.signature import Loc, Location
from rh_kernel.syntax.types import (
    SCALAR,
    UNIT,
    Product,
    Real,
    Shape,
    ShapeMeta,
    ShapeVar,
    Type,
    TypeMeta,
    concrete_shape,
    leaves,
)
from rh_kernel.typing.context import Zone
from rh_kernel.typing.definitions import FunDefinition
from rh_kernel.typing.derivation.derivations import Assumption
from rh_kernel.typing.unification.unify import Unifier
from tests.declarations import FUNCTIONS, LOCATIONS

# -- what there is -------------------------------------------------------------------------------------------------------------

# Not smooth, and so not comparable with differences; JUMPING are those that turn a rounding error into another number.
ROUGH = frozenset(name for name, row in SYMBOLS.items() if row.nonsmooth is not None)
# Values that leave the moderate range, or lose their digits, when they are nested.
WILD = frozenset({"exp", "log", "sqrt", "recip", "div", "square"})
JUMPING = ROUGH - WILD
BOUNDS = (0.31371, -0.41293, 1.07331)
"""Numbers that sums and products of ``NUMBERS`` rarely come close to."""
NUMBERS = (0.0, 0.5, -0.5, 1.0, -1.0, 0.25, 1.5, -0.75)


@dataclass(frozen=True)
class World:
    """The variables, locations and symbols in scope at a place of a program.

    ``context`` holds the variables, the last one at index 0, with ``None`` for an inaccessible one; ``dims`` are the sizes of
    new types; ``operations`` are the handled families. Functions named in ``without`` are not used. With ``written``, programs
    can be printed and parsed again: no ``0``, whose type depends on its context, no array without entries but the unit, no
    shape variable of a clause of ``Get``, no dimension of a clause that shadows another. Only with ``chooses`` are there
    conditional commands. ``shapes`` are the shape variables of the enclosing clauses.
    """

    context: tuple[Assumption | None, ...] = ()
    dims: tuple[Dim, ...] = (dim(2), dim(3), dim(1))
    locations: tuple[Loc, ...] = LOCATIONS
    operations: frozenset[str] = frozenset()
    without: frozenset[str] = JUMPING | WILD
    written: bool = False
    chooses: bool = True
    shapes: frozenset[str] = frozenset()

    def bind(self, *assumptions: Assumption) -> "World":
        """Return the world with more variables, the last at index 0."""
        return replace(self, context=(*self.context, *assumptions))

    def delta(self, *types: Type) -> "World":
        """Return the world with more variables in Δ."""
        return self.bind(*(Assumption("xyzuv"[len(self.context) % 5], A, Zone.DELTA) for A in types))

    @property
    def gamma(self) -> "World":
        """Return the world with the variables of Γ alone, at the same indices."""
        return replace(self, context=tuple(x if x is not None and x.zone is Zone.GAMMA else None for x in self.context))


def gamma_of(types: Sequence[Type]) -> tuple[Assumption, ...]:
    """``x1 : A1, …, xn : An``, in Γ."""
    return tuple(Assumption(f"x{i + 1}", A, Zone.GAMMA) for i, A in enumerate(types))


# -- choices -------------------------------------------------------------------------------------------------------------------

T = TypeVar("T")
Dice: TypeAlias = Callable[[int], int]
"""``n ↦ a number below n``: from hypothesis, which shrinks, or from ``Random(seed).randrange``, which is fast."""


def dice_of(draw: DrawFn) -> Dice:
    """Draw choices by hypothesis."""
    return lambda n: draw(_below(n))


@lru_cache(maxsize=64)
def _below(n: int) -> SearchStrategy[int]:
    return st.integers(0, n - 1)


def choose(dice: Dice, options: Sequence[T]) -> T:
    """Draw one of the options; failing examples shrink to the first."""
    return options[0] if len(options) == 1 else options[dice(len(options))]


def chance(dice: Dice, one_in: int) -> bool:
    """True once in so many times."""
    return dice(one_in) == one_in - 1


# -- types ---------------------------------------------------------------------------------------------------------------------


def draw_type(dice: Dice, w: World, depth: int = 1) -> Type:
    """A type over the sizes of ``w``."""
    kinds = ("vector", "vector", "vector", "scalar", "matrix", "image") + (("product", "product", "unit") if depth else ())
    match choose(dice, kinds):
        case "vector":
            return Real((choose(dice, w.dims),))
        case "scalar":
            return SCALAR
        case "matrix":
            return Real(tuple(choose(dice, w.dims) for _ in range(2)))
        case "image":
            return Real(tuple(choose(dice, w.dims) for _ in range(3)))
        case "unit":
            return UNIT
        case _:
            return Product(tuple(draw_type(dice, w, depth - 1) for _ in range(2 + chance(dice, 4))))


@st.composite
def types(draw: DrawFn, w: World | None = None, depth: int = 1) -> Type:
    """A type ``A``"""
    return draw_type(dice_of(draw), w or World(), depth)


def contexts(most: int = 3) -> SearchStrategy[tuple[Type, ...]]:
    """Draw the types of Γ or Δ, the last one for index 0."""
    return st.lists(types(), max_size=most).map(tuple)


def values(A: Type) -> SearchStrategy[Term]:
    """A closed value ``V : A``, without zeros."""
    return _below(2**20).map(lambda seed: value_of(A, seed))


def value_of(A: Type, seed: int) -> Term:
    """A closed value ``V : A``, the same for the same seed."""
    return _value(np.random.default_rng(seed), A)


def _value(rng: np.random.Generator, A: Type) -> Term:
    match A:
        case Product(many):
            return Tuple(tuple(_value(rng, B) for B in many))
        case Real() | TypeMeta():
            assert isinstance(A, Real)
            return Const(rng.choice(NUMBERS, concrete_shape(A) or ()))


# -- terms ---------------------------------------------------------------------------------------------------------------------


@st.composite
def terms(draw: DrawFn, gamma: Sequence[Type], A: Type, fuel: int = 4, w: World | None = None) -> Term:
    """M with ``Γ ⊢ M : A``; the last type of Γ is that of index 0."""
    return draw_term(dice_of(draw), (w or World()).bind(*gamma_of(gamma)), A, fuel)


def draw_term(dice: Dice, w: World, A: Type, fuel: int) -> Term:
    """M with ``Γ, Δ ⊢ M : A``, of a height of about ``fuel``."""
    if fuel <= 0 or chance(dice, 6):
        return _leaf(dice, w, A)
    less = fuel - 1 - chance(dice, 3)
    kinds = ("call", "call", "call", "plus", "let", "proj", "rd", "derivative", "if", "map")
    match choose(dice, ("tuple", *kinds) if isinstance(A, Product) else kinds):
        case "plus":
            return Plus(draw_term(dice, w, A, less), draw_term(dice, w, A, less))
        case "let":
            B = draw_type(dice, w)
            return Let(draw_term(dice, w, B, less), Scope(("x",), draw_term(dice, w.delta(B), A, less)))
        case "proj":
            n, B = 2 + chance(dice, 4), draw_type(dice, w, 0)
            i = dice(n)
            return Proj(i + 1, n, draw_term(dice, w, Product((B,) * i + (A,) + (B,) * (n - 1 - i)), less))
        case "rd":
            B = draw_type(dice, w)
            N = draw_term(dice, w.delta(A), B, less)
            return Rd(draw_term(dice, w, B, less - 1), Scope(("x",), N), draw_term(dice, w, A, less - 1))
        case "if":
            condition, operands = draw_condition(dice, w, less - 1)
            return If(condition, operands, draw_term(dice, w, A, less), draw_term(dice, w, A, less))
        case "map" if isinstance(A, Real) and isinstance(A.shape, tuple) and len(A.shape) > 1:
            source = draw_sequence(dice, w, A.shape[0])
            N = draw_term(dice, w.delta(row(source)), Real(A.shape[1:]), less)
            return Map(draw_term(dice, w, source, less), Scope(("x",), N), source, A)
        case "derivative":
            f = _function(dice, w, A, into=False)
            return _leaf(dice, w, A) if f is None else Call(RdOf(f), _derivative_argument(dice, w, f, less))
        case "call" if not isinstance(A, Product):
            f = _function(dice, w, A, into=True)
            return _leaf(dice, w, A) if f is None else Call(f, _argument(dice, w, f, less))
        case _:
            return Tuple(tuple(draw_term(dice, w, B, less) for B in A.factors)) if isinstance(A, Product) else _leaf(dice, w, A)


def _argument(dice: Dice, w: World, f: Function, fuel: int) -> Term:
    """An argument of f; numbers of rows are drawn from those at which f is defined."""
    numbers = SYMBOLS[f.name].row_numbers if isinstance(f, Primitive) else None
    if numbers is None or not isinstance(f, Primitive):
        return draw_term(dice, w, f.domain, fuel)
    types = arguments(f)
    parts = [
        _row_numbers(dice, w, A, numbers.count(f).constant or 1) if i == numbers.argument else draw_term(dice, w, A, fuel)
        for i, A in enumerate(types)
    ]
    return parts[0] if len(parts) == 1 else Tuple(tuple(parts))


def _row_numbers(dice: Dice, w: World, A: Type, n: int) -> Term:
    """An array of numbers of n rows."""
    sizes = concrete_shape(A) if isinstance(A, Real) else None
    if sizes is not None:
        array = np.random.default_rng(dice(2**20)).integers(0, n, sizes).astype(np.float64)
        array.setflags(write=False)
        return Const(array)
    assert isinstance(A, Real)
    return Call(_member("fill", 0, (A.shape,)), _row_numbers(dice, w, SCALAR, n))


def _derivative_argument(dice: Dice, w: World, f: Function, fuel: int) -> Term:
    """A cotangent and a point of f."""
    if isinstance(f, Primitive) and SYMBOLS[f.name].row_numbers is not None:
        return Tuple((draw_term(dice, w, f.codomain, fuel), _argument(dice, w, f, fuel)))
    return draw_term(dice, w, RdOf(f).domain, fuel)


def draw_condition(dice: Dice, w: World, fuel: int) -> tuple[Condition, Tuple]:
    """A condition and its operands. No comparison has equal sides, or almost: rounding must not decide which branch runs."""
    condition: Condition
    condition, operands = draw_comparison(dice, w, fuel)
    if chance(dice, 3):
        other, more = draw_comparison(dice, w, fuel - 1)
        moved = replace(other, place=len(operands.items))
        negated: Condition = Negated(moved) if chance(dice, 2) else moved
        condition = Joined(choose(dice, (*Connective,)), condition, negated)
        operands = Tuple((*operands.items, *more.items))
    return (Negated(condition) if chance(dice, 4) else condition), operands


def draw_comparison(dice: Dice, w: World, fuel: int) -> tuple[Compare, Tuple]:
    """``M < c`` or ``M > c``"""
    bound = Const(np.array([choose(dice, BOUNDS)]))
    return Compare(choose(dice, (*Relation,)), 0), Tuple((draw_term(dice, w, SCALAR, fuel), bound))


def draw_sequence(dice: Dice, w: World, n: Dim) -> Type:
    """A type of sequences of n rows."""
    arrays = [Real((n, *[choose(dice, w.dims) for _ in range(dice(3))])) for _ in range(1 + chance(dice, 4))]
    return arrays[0] if len(arrays) == 1 else Product(tuple(arrays))


def _leaf(dice: Dice, w: World, A: Type) -> Term:
    here = [
        path
        for i, x in enumerate(reversed(w.context))
        if x is not None and not x.answer
        for path in _paths(Bound(i), x.type, A)
    ]
    if here and not chance(dice, 4):
        return choose(dice, here)
    if isinstance(A, Product):
        return Zero(A) if not w.written and chance(dice, 5) else Tuple(tuple(_leaf(dice, w, B) for B in A.factors))
    return draw_constant(dice, w, A)


def _paths(M: Term, B: Type, A: Type) -> list[Term]:
    """Return the projections of ``M : B`` of type A."""
    if B == A:
        return [M]
    if not isinstance(B, Product):
        return []
    n = len(B.factors)
    return [path for i, C in enumerate(B.factors) for path in _paths(Proj(i + 1, n, M), C, A)]


def draw_constant(dice: Dice, w: World, A: Type) -> Term:
    """A closed term of base type A, a constant where the shape is known."""
    sizes = concrete_shape(A) if isinstance(A, Real) else None
    if sizes is None:
        assert isinstance(A, Real)
        return (
            Zero(A)
            if not w.written and chance(dice, 2)
            else Call(_member("fill", 0, (A.shape,)), draw_constant(dice, w, SCALAR))
        )
    if not w.written and chance(dice, 6):
        return Zero(A)
    return Const(draw_array(dice, sizes))


def draw_array(dice: Dice, sizes: tuple[int, ...]) -> Array:
    """Draw an array of small dyadic rationals."""
    array = np.array(np.random.default_rng(dice(2**20)).choice(NUMBERS, sizes))
    array.setflags(write=False)
    return array


def _member(name: str, number: int, at: tuple[Shape | Dim, ...]) -> Primitive:
    return instantiate(name, SYMBOLS[name].schemes[number], at)


# -- function symbols ----------------------------------------------------------------------------------------------------------


def _function(dice: Dice, w: World, A: Type, *, into: bool) -> Function | None:
    """A function symbol whose codomain (or, unless ``into``, whose domain) is A."""
    families = [name for name in _families(A, into) if name not in w.without]
    if not families or (w.written and _is_empty(A)):
        return None
    name = choose(dice, families)
    for d in FUNCTIONS:
        if d.name == name:
            return _defined(d, A, into)
    fitting = [scheme for scheme in SYMBOLS[name].schemes if _fits(scheme, A, into)]
    return _completed(dice, w, name, choose(dice, fitting), A, into)


@lru_cache(maxsize=1024)
def _families(A: Type, into: bool) -> tuple[str, ...]:
    own = [d.name for d in FUNCTIONS if _defined(d, A, into) is not None]
    return (*own, *(name for name, row in SYMBOLS.items() if any(_fits(scheme, A, into) for scheme in row.schemes)))


def _defined(d: FunDefinition, A: Type, into: bool) -> Defined | None:
    base = A.factors[0] if isinstance(A, Product) else A
    if not isinstance(base, Real) or not isinstance(base.shape, tuple) or len(base.shape) != 1:
        return None
    static = Static(dict.fromkeys(d.variables, base.shape[0]), {}, {})
    B, C = specialise_type(d.domain, static), specialise_type(d.codomain, static)
    if (C if into else B) != A:
        return None
    return Defined(d.name, B, C, specialise(d.body, static), None if d.own is None else specialise(d.own, static))


def _fits(scheme: Scheme, A: Type, into: bool) -> bool:
    unifier = Unifier()
    _, general = _opened(scheme, unifier, into)
    return unifier.unify_types(general, A)


def _opened(scheme: Scheme, unifier: Unifier, into: bool) -> tuple[Static, Type]:
    dims = {v.name: unifier.fresh_dim() for v in scheme.variables if isinstance(v, DimVar)}
    shapes = {v.name: unifier.fresh_shape() for v in scheme.variables if isinstance(v, ShapeVar)}
    static = Static(dims, shapes, {})
    return static, specialise_type(scheme.codomain if into else scheme.domain, static)


def _completed(dice: Dice, w: World, name: str, scheme: Scheme, A: Type, into: bool) -> Primitive | None:
    """Draw a member of the family that fits A, with random types where A determines none, or ``None`` if the draw fails."""
    unifier = Unifier()
    static, general = _opened(scheme, unifier, into)
    unifier.unify_types(general, A)
    # The order of axes consists of numbers, whatever the dimensions here are.
    left = [*range(len(scheme.order))]
    for v in scheme.order:
        unifier.unify_dims(static.dims[v.name], dim(left.pop(dice(len(left)))))
    # The variables that are said first at a use are drawn first: the others may follow from them.
    ordered: list[Variable] = [*scheme.explicit, *(v for v in scheme.variables if v not in scheme.explicit)]
    for v in ordered:
        match v:
            case DimVar(d):
                if is_open(unifier.type(Real((static.dims[d],)))):
                    unifier.unify_dims(static.dims[d], choose(dice, w.dims))
            case ShapeVar(x):
                if is_open(unifier.type(Real(static.shapes[x]))):
                    unifier.unify_shapes(static.shapes[x], _shape(dice, w, scheme, unifier, static))
    at = tuple(
        unifier.dim(static.dims[v.name]) if isinstance(v, DimVar) else unifier.shape(static.shapes[v.name])
        for v in scheme.variables
    )
    if unifier.unsolved_equation() is not None:
        return None
    try:
        f = instantiate(name, scheme, at)
    except ValueError:
        return None
    if w.written and _is_read_otherwise(f, scheme):
        return None
    numbers = SYMBOLS[name].row_numbers
    if numbers is not None and not _is_natural(numbers.count(f) - dim(1)):
        # There may be no row: for some dimensions no number at which it is defined.
        return None
    meets_sides = keeps_entries(scheme, at) and _has_what_it_needs(scheme, at) and (f.codomain if into else f.domain) == A
    if not meets_sides or (w.written and (_is_empty(f.domain) or _is_empty(f.codomain))):
        return None
    return f if _sensible(f.domain) and _sensible(f.codomain) and not (is_open(f.domain) or is_open(f.codomain)) else None


def _is_read_otherwise(f: Primitive, scheme: Scheme) -> bool:
    """Whether an earlier scheme fits what the function is applied to: ``take(w, i)`` with ``i : Real(1)`` is one row."""
    schemes = SYMBOLS[f.name].schemes
    return any(_fits(other, f.domain, into=False) for other in schemes[: schemes.index(scheme)])


def _has_what_it_needs(scheme: Scheme, at: tuple[Shape | Dim, ...]) -> bool:
    """Whether inequalities such as ``lo ≤ hi`` hold for all values of the variables."""
    images = {v.name: a for v, a in zip(scheme.variables, at, strict=True) if isinstance(a, Dim)}
    return all(_is_natural(substitute(n.larger - n.smaller, images)) for n in scheme.needs)


def _is_natural(d: Dim) -> bool:
    """Whether d is nonnegative for all values of the variables."""
    return all(coefficient > 0 for _, coefficient in d.terms)


def _shape(dice: Dice, w: World, scheme: Scheme, unifier: Unifier, static: Static) -> Shape:
    """Draw a shape for a shape variable, with as many entries as another one if the scheme requires that."""
    if scheme.same_size is not None:
        known = [unifier.shape(static.shapes[x.name]) for x in scheme.same_size if isinstance(x, ShapeVar)]
        sizes = [n for n in map(size_of, known) if n is not None]
        if sizes:
            return choose(dice, ((sizes[0],), (dim(1), sizes[0]), (sizes[0], dim(1))))
    return choose(dice, ((choose(dice, w.dims),), (choose(dice, w.dims), choose(dice, w.dims))))


def is_open(A: Type) -> bool:
    """Whether A contains a metavariable."""
    return any(
        not isinstance(B, Real) or isinstance(B.shape, ShapeMeta) or any(isinstance(v, DimMeta) for v in _variables(B.shape))
        for B in leaves(A)
    )


def _variables(shape: Shape) -> list[DimVar | DimMeta]:
    return [v for d in shape for v in variables(d)] if isinstance(shape, tuple) else []


def _is_empty(A: Type) -> bool:
    return any(isinstance(B, Real) and 0 in (concrete_shape(B) or ()) for B in leaves(A))


def _sensible(A: Type) -> bool:
    match A:
        case Product(many):
            return all(_sensible(B) for B in many)
        case Real(tuple() as dims):
            return all(_is_natural(d) and (d.constant is None or d.constant <= 9) for d in dims)
        case Real() | TypeMeta():
            return True


# -- heaps ---------------------------------------------------------------------------------------------------------------------


def heap_of(seed: int) -> dict[Location, Array]:
    """Draw a content for every declared location, and the number of draws made."""
    rng = np.random.default_rng(seed)
    return {l: rng.choice(NUMBERS, concrete_shape(Real(l.shape)) or ()) for l in LOCATIONS} | {DRAWS: count(seed % 3)}


def heaps() -> SearchStrategy[dict[Location, Array]]:
    """Draw a content for every declared location."""
    return _below(2**20).map(heap_of)
