"""Instances of every row at several shapes, points to try them at, and inner products of values."""

from itertools import product

import numpy as np

from rh_kernel.primitives.schemes import Scheme, instantiate, size_of
from rh_kernel.primitives.table import ROWS
from rh_kernel.primitives.values import materialise
from rh_kernel.syntax.core import Array, Const, Primitive, Term, Tuple
from rh_kernel.syntax.dimensions import Dim, DimVar, dim
from rh_kernel.syntax.types import Product, Real, Shape, ShapeVar, Type, TypeMeta, concrete_shape

SHAPES: tuple[Shape, ...] = tuple(tuple(dim(d) for d in shape) for shape in ((1,), (4,), (2, 3), (3, 2), (6,), (2, 1, 3)))
DIMS = (dim(1), dim(2), dim(3))


CHOSEN: dict[str, tuple[tuple[int, ...], ...]] = {
    "concat": ((1, 3), (2, 1), (2, 3, 2), (1, 1, 3), (1, 2, 3, 2), (2, 1, 1, 2, 2)),
    "slice": ((0, 4, 4), (1, 3, 4), (3, 4, 4), (1, 2, 3, 2), (0, 2, 2, 3), (1, 3, 3, 2, 2), (0, 1, 2, 1, 2, 2)),
    "conv1d": ((1, 4, 1, 2), (2, 5, 3, 2), (3, 3, 2, 3), (2, 4, 1, 1)),
    "windows1d": ((2, 1, 4), (1, 2, 3), (3, 2, 5), (4, 1, 4)),
    "overlap_add1d": ((1, 2, 3), (2, 1, 3), (2, 3, 3), (1, 4, 1)),
    "maxpool1d": ((2, 1, 4), (2, 3, 5), (3, 2, 7), (5, 2, 3), (1, 2, 3)),
    "first_max1d": ((2, 1, 4), (2, 3, 5), (3, 2, 7), (5, 2, 3), (1, 2, 3)),
    "sumpool1d": ((2, 1, 4), (2, 3, 5), (3, 2, 7), (5, 2, 3), (1, 2, 3)),
    "spread1d": ((2, 4, 1), (2, 5, 3), (3, 7, 2), (5, 3, 2), (1, 3, 2)),
    "pad1d": ((4, 1, 4), (5, 2, 4), (6, 2, 3), (7, 1, 3)),
    "crop1d": ((4, 1, 4), (4, 2, 5), (3, 2, 6), (3, 1, 7)),
    "upscale1d": ((4, 1, 4), (5, 2, 3), (6, 1, 2), (2, 2, 5), (1, 1, 4)),
    "downsum1d": ((4, 1, 4), (3, 2, 5), (2, 1, 6), (5, 2, 2), (4, 1, 1)),
    "conv2d": ((1, 3, 4, 1, 2, 2), (2, 3, 3, 3, 2, 1), (2, 2, 3, 2, 2, 3), (1, 2, 2, 2, 1, 1)),
    "windows2d": ((2, 2, 1, 3, 4), (1, 2, 2, 2, 3), (2, 3, 2, 2, 3)),
    "overlap_add2d": ((1, 2, 2, 2, 3), (2, 1, 2, 2, 2), (2, 2, 3, 1, 1)),
    "maxpool2d": ((2, 1, 4, 2), (2, 2, 3, 5), (3, 1, 4, 2), (1, 2, 2, 3)),
    "first_max2d": ((2, 1, 4, 2), (2, 2, 3, 5), (3, 1, 4, 2), (1, 2, 2, 3)),
    "avgpool2d": ((2, 1, 4, 2), (2, 2, 3, 5), (3, 1, 4, 2), (1, 2, 2, 3)),
    "sumpool2d": ((2, 1, 4, 2), (2, 2, 3, 5), (3, 1, 4, 2), (1, 2, 2, 3)),
    "spread2d": ((2, 4, 2, 1), (2, 3, 5, 2), (3, 4, 2, 1), (1, 2, 3, 2)),
}
"""The sizes at which families of many variables are tried: the edges of what they allow, and blocks that are not whole."""


def member(name: str, sizes: tuple[int, ...]) -> Primitive:
    """The member of a family of dimensions only at these sizes."""
    scheme = next(scheme for scheme in ROWS[name].schemes if len(scheme.variables) == len(sizes))
    return instantiate(name, scheme, tuple(dim(d) for d in sizes))


def sizes_of(f: Primitive) -> tuple[int, ...]:
    """The values of the variables of a family of dimensions only."""
    found = [d.constant for d in f.at if isinstance(d, Dim)]
    return tuple(n for n in found if n is not None)


def instances_of(name: str, scheme: Scheme) -> list[Primitive]:
    """Members of one family, at every choice of a few dimensions and shapes that is allowed, or at those ``CHOSEN``."""
    if name in CHOSEN:
        return [member(name, sizes) for sizes in CHOSEN[name] if len(sizes) == len(scheme.variables)]
    choices: list[tuple[Shape | Dim, ...]] = [DIMS if isinstance(v, DimVar) else SHAPES for v in scheme.variables]
    return [instantiate(name, scheme, at) for at in product(*choices) if allowed(scheme, at)]


def allowed(scheme: Scheme, at: tuple[Shape | Dim, ...]) -> bool:
    """Whether the side condition on sizes holds."""
    if scheme.same_size is None:
        return True
    sizes = {v: None if isinstance(value, Dim) else size_of(value) for v, value in zip(scheme.variables, at, strict=True)}
    left, right = (sizes[s] for s in scheme.same_size if isinstance(s, ShapeVar))
    return left == right


INSTANCES = [f for name, row in ROWS.items() for scheme in row.schemes for f in instances_of(name, scheme)]

FAMILIES = list({(f.name, len(f.at)): f for f in INSTANCES}.values())


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


def draw(rng: np.random.Generator, A: Type) -> Term:
    """A closed value of type A."""
    match A:
        case Product(factors):
            return Tuple(tuple(draw(rng, B) for B in factors))
        case Real() | TypeMeta():
            return Const(rng.normal(size=shapes(A)[0]))


def smooth_point(rng: np.random.Generator, f: Primitive) -> Term:
    """A point that keeps away from the kinks and poles of f."""
    x = draw(rng, f.domain)
    match f.name, x:
        case (("log" | "sqrt"), Const(array)):
            return Const(0.3 + np.abs(array))
        case (("recip" | "abs" | "sign" | "relu" | "step"), Const(array)):
            return Const(array + 0.2 * np.copysign(1, array))
        case "round", Const(array):
            return Const(np.rint(array) + 0.3 * np.tanh(array))
        case "div", Tuple((numerator, Const(array))):
            return Tuple((numerator, Const(array + 0.3 * np.copysign(1, array))))
        case (("maximum" | "minimum"), Tuple((Const(one), Const(other)))):
            return Tuple((Const(one + 0.2 * np.copysign(1, one - other)), Const(other)))
        case (("maxpool1d" | "first_max1d" | "maxpool2d" | "first_max2d"), Const(array)):
            return Const((rng.permutation(array.size) + 0.3 * rng.random(array.size)).reshape(array.shape))
        case _:
            return x


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
