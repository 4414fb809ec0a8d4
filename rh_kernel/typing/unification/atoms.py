"""The variables and metavariables in a type, for dimensions, shapes and types (LANGUAGE §2)."""

from rh_kernel.syntax.dimensions import DimMeta, DimVar, variables
from rh_kernel.syntax.types import Product, Real, ShapeVar, Type, TypeMeta, leaves


def dimension_names(A: Type) -> set[str]:
    """The names of the dimension and shape variables in A."""
    shapes = [leaf.shape for leaf in leaves(A) if isinstance(leaf, Real)]
    atoms = [v for s in shapes if isinstance(s, tuple) for d in s for v in variables(d)]
    return {v.name for v in (*atoms, *shapes) if isinstance(v, DimVar | ShapeVar)}


def unknowns(A: Type) -> set[int]:
    """The numbers of the dimension metavariables in A."""
    shapes = [leaf.shape for leaf in leaves(A) if isinstance(leaf, Real)]
    return {v.number for s in shapes if isinstance(s, tuple) for d in s for v in variables(d) if isinstance(v, DimMeta)}


def occurs(number: int, A: Type) -> bool:
    """Occurs check: whether the type metavariable ``number`` is A or a part of it."""
    match A:
        case TypeMeta(n):
            return n == number
        case Product(many):
            return any(occurs(number, B) for B in many)
        case Real():
            return False
