"""Instances of every row at several shapes, points to try them at, and inner products of values."""

from itertools import product

import numpy as np

from rh_kernel.primitives.schemes import Scheme, instantiate, size_of
from rh_kernel.primitives.smoothness import row_count
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.values import materialise
from rh_kernel.syntax.core import Array, Const, Primitive, Term, Tuple, Zero
from rh_kernel.syntax.dimensions import Dim, DimVar, dim
from rh_kernel.syntax.types import Product, Real, Shape, ShapeVar, Type, TypeMeta, concrete_shape
from rh_kernel.syntax.values import constant_type

SHAPES: tuple[Shape, ...] = tuple(tuple(dim(d) for d in shape) for shape in ((1,), (4,), (2, 3), (3, 2), (6,), (2, 1, 3)))
DIMS = (dim(1), dim(2), dim(3))


def member(name: str, sizes: tuple[int, ...]) -> Primitive:
    """The member of a family of dimensions only at these sizes."""
    scheme = next(scheme for scheme in SYMBOLS[name].schemes if len(scheme.variables) == len(sizes))
    return instantiate(name, scheme, tuple(dim(d) for d in sizes))


def sizes_of(f: Primitive) -> tuple[int, ...]:
    """The values of the variables of a family of dimensions only."""
    found = [d.constant for d in f.at if isinstance(d, Dim)]
    return tuple(n for n in found if n is not None)


def instances_of(name: str, scheme: Scheme) -> list[Primitive]:
    """Members of one family, at every choice of a few dimensions and shapes that is allowed, or at those of its record."""
    if SYMBOLS[name].test_sizes:
        fitting = [sizes for sizes in SYMBOLS[name].test_sizes if len(sizes) == len(scheme.variables)]
        return [instantiate(name, scheme, tuple(map(dim, sizes))) for sizes in fitting]
    choices: list[tuple[Shape | Dim, ...]] = [DIMS if isinstance(v, DimVar) else SHAPES for v in scheme.variables]
    return [instantiate(name, scheme, at) for at in product(*choices) if allowed(scheme, at)]


def allowed(scheme: Scheme, at: tuple[Shape | Dim, ...]) -> bool:
    """Whether the side condition on sizes holds."""
    if scheme.same_size is None:
        return True
    sizes = {v: None if isinstance(value, Dim) else size_of(value) for v, value in zip(scheme.variables, at, strict=True)}
    left, right = (sizes[s] for s in scheme.same_size if isinstance(s, ShapeVar))
    return left == right


INSTANCES = [f for name, row in SYMBOLS.items() for scheme in row.schemes for f in instances_of(name, scheme)]


def value_type(V: Term) -> Type:
    """The type of a closed value."""
    match V:
        case Const():
            return constant_type(V)
        case Zero(A):
            return A
        case Tuple(items):
            return Product(tuple(value_type(W) for W in items))
        case _:
            raise AssertionError(f"{V} is not a closed value")


def label(f: Primitive) -> str:
    """``swish:3`` as a name for a case."""
    return f"{f.name}:{f.domain}->{f.codomain}".replace(" ", "")


def shapes(A: Type) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arguments of a function of domain A."""
    match A:
        case Product(factors):
            return tuple(shape for B in factors for shape in shapes(B))
        case Real():
            shape = concrete_shape(A)
            assert shape is not None
            return (shape,)
        case TypeMeta():
            raise AssertionError(A)


FAMILIES = list({(f.name, len(f.at), tuple(map(len, shapes(f.domain)))): f for f in INSTANCES}.values())


def draw(rng: np.random.Generator, A: Type) -> Term:
    """A closed value of type A."""
    match A:
        case Product(factors):
            return Tuple(tuple(draw(rng, B) for B in factors))
        case Real() | TypeMeta():
            return Const(rng.normal(size=shapes(A)[0]))


def smooth_point(rng: np.random.Generator, f: Primitive) -> Term:
    """A point that keeps away from the kinks and poles of f, and where f is defined."""
    x, away = draw(rng, f.domain), SYMBOLS[f.name].test_point
    numbers = SYMBOLS[f.name].row_numbers
    if numbers is not None:
        values = list(arrays(x))
        n = row_count(f)
        assert n is not None
        values[numbers.argument] = rng.integers(0, n, size=values[numbers.argument].shape).astype(np.float64)
        return Const(values[0]) if len(values) == 1 else Tuple(tuple(map(Const, values)))
    if away is None:
        return x
    found = away(*arrays(x))
    return Const(found[0]) if len(found) == 1 else Tuple(tuple(map(Const, found)))


def arrays(V: Term) -> tuple[Array, ...]:
    """The arrays of a closed value, from left to right, with its zeros written out."""
    match materialise(V):
        case Const(array):
            return (array,)
        case Tuple(items):
            return tuple(array for W in items for array in arrays(W))
        case other:
            raise AssertionError(other)


def inner(V: Term, W: Term) -> float:
    """``⟨V, W⟩`` over all their entries."""
    return sum(float(np.sum(x * y)) for x, y in zip(arrays(V), arrays(W), strict=True))


def along(V: Term, h: float, D: Term) -> Term:
    """``V + h D``"""
    match V, D:
        case Const(x), Const(d):
            return Const(x + h * d)
        case Tuple(items), Tuple(directions):
            return Tuple(tuple(along(W, h, E) for W, E in zip(items, directions, strict=True)))
        case _:
            raise AssertionError(V)
