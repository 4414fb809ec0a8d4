"""Types ``A B C D`` (RH Def. 3.1): ``Real(d1, …, dk)`` and products, with the metavariables of type inference."""

import math
from collections.abc import Callable, Iterable
from dataclasses import field
from operator import is_
from typing import ClassVar, TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, replace_atoms


@frozen
class ShapeVar:
    """``s``: a shape variable, for any number of axes; only built-in declarations have them."""

    name: str


@frozen
class ShapeMeta:
    """A shape metavariable of type inference."""

    number: int


Shape: TypeAlias = tuple[Dim, ...] | ShapeVar | ShapeMeta


def is_known(shape: Shape) -> bool:
    """Whether every axis of the shape is a number."""
    return isinstance(shape, tuple) and None not in [d.constant for d in shape]


@frozen
class Real:
    """``Real(d1, …, dk)``: arrays of that shape, k ≥ 1. ``Real(1)`` is the type of scalars, ``Real(0)`` the unit.

    ``is_concrete``: the type contains no variables and no metavariables.
    """

    shape: Shape
    is_concrete: bool = field(init=False, compare=False, repr=False, default=False)

    def __post_init__(self) -> None:
        if is_known(self.shape):
            object.__setattr__(self, "is_concrete", True)

    def __str__(self) -> str:
        return f"Real({show_shape(self.shape)})"


@frozen
class Product:
    """``A₁ × … × Aₙ``, n ≥ 2; ``leaves`` is the number of base types in it."""

    factors: tuple["Type", ...]
    is_concrete: bool = field(init=False, compare=False, repr=False, default=False)
    leaves: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        if all(A.is_concrete for A in self.factors):
            object.__setattr__(self, "is_concrete", True)
        object.__setattr__(self, "leaves", sum([A.leaves if isinstance(A, Product) else 1 for A in self.factors]))

    def __str__(self) -> str:
        return " × ".join(f"({f})" if isinstance(f, Product) else str(f) for f in self.factors)


@frozen
class TypeMeta:
    """A type metavariable of type inference."""

    is_concrete: ClassVar[bool] = False
    number: int

    def __str__(self) -> str:
        return "_"


Type: TypeAlias = Real | Product | TypeMeta

UNIT = Real((dim(0),))
SCALAR = Real((dim(1),))


def real(*dims: int | str | Dim) -> Real:
    """``Real(d1, …, dk)`` from integers, names of variables, or dimensions."""
    return Real(tuple(d if isinstance(d, Dim) else dim(d) for d in dims))


def product(factors: Iterable[Type]) -> Type:
    """The product of any number of types: of none the unit, of one that type."""
    match tuple(factors):
        case ():
            return UNIT
        case (A,):
            return A
        case many:
            return Product(many)


def factors(A: Type, n: int) -> tuple[Type, ...]:
    """The ``n`` factors of a type built by ``product`` from ``n`` types."""
    match A:
        case Product(many) if len(many) == n:
            return many
        case _ if n == 1:
            return (A,)
        case _ if n == 0:
            return ()
        case Real() | Product() | TypeMeta():
            raise ValueError(f"{A} is no product of {n}")


def concrete_shape(A: Real) -> tuple[int, ...] | None:
    """The shape as integers, or ``None`` if it depends on a variable."""
    if not isinstance(A.shape, tuple):
        return None
    sizes = [d.constant for d in A.shape]
    return None if None in sizes else tuple([size or 0 for size in sizes])


def leaves(A: Type) -> tuple[Type, ...]:
    """The base types in ``A`` from left to right."""
    match A:
        case Product(many):
            return tuple(leaf for factor in many for leaf in leaves(factor))
        case Real() | TypeMeta():
            return (A,)


def size(A: Type) -> int:
    """The number of reals in a value of the concrete type ``A``."""
    return sum(math.prod(concrete_shape(leaf) or ()) for leaf in leaves(A) if isinstance(leaf, Real))


def map_type(
    A: Type,
    on_dim: Callable[[DimVar | DimMeta], Dim | None],
    on_shape: Callable[[ShapeVar | ShapeMeta], Shape],
    on_type: Callable[[TypeMeta], Type],
) -> Type:
    """Replace the variables and metavariables in ``A``; returns ``A`` itself if nothing changes."""
    if A.is_concrete:
        return A
    match A:
        case Real(shape):
            new = map_shape(shape, on_dim, on_shape)
            return A if new is shape else Real(new)
        case Product(many):
            images = tuple([map_type(B, on_dim, on_shape, on_type) for B in many])
            return A if all(map(is_, images, many)) else Product(images)
        case TypeMeta():
            return on_type(A)


def map_shape(
    shape: Shape,
    on_dim: Callable[[DimVar | DimMeta], Dim | None],
    on_shape: Callable[[ShapeVar | ShapeMeta], Shape],
) -> Shape:
    """Replace the variables and metavariables in ``shape``; returns ``shape`` itself if nothing changes."""
    match shape:
        case ShapeVar() | ShapeMeta():
            return on_shape(shape)
        case dims:
            images = tuple([replace_atoms(d, on_dim) for d in dims])
            return shape if all(map(is_, images, dims)) else images


def show_shape(shape: Shape) -> str:
    """The text between the brackets of ``Real(…)``."""
    match shape:
        case ShapeVar(name):
            return f"{name}…"
        case ShapeMeta():
            return "_…"
        case dims:
            return ", ".join([str(d) for d in dims])
