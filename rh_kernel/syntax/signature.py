"""Σ_op (RH Def. 3.3): families of operation symbols, their static parameters and locations, and clause heads."""

from functools import lru_cache
from typing import TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import Shape, Type, show_shape


@frozen
class Location:
    """``ℓ : Real(shape)``, a location of the heap; each redeclaration of its name has a new ``version``."""

    name: str
    shape: Shape
    version: int = 0

    def __hash__(self) -> int:
        return hash(self.name)


@frozen
class LocationVar:
    """``l : Loc(shape)``: a location parameter of a net or of a handler's clause."""

    name: str
    shape: Shape


@frozen
class LocationFamily:
    """``ws : Loc(shape)[length]``: the declared locations ``ws[0]``, …, ``ws[length - 1]``; ``version`` as in ``Location``."""

    name: str
    shape: Shape
    length: Dim
    version: int = 0

    def __hash__(self) -> int:
        return hash(self.name)


@frozen
class LocationFamilyVar:
    """``ws : Loc(shape)[length]``: a parameter of a net, an operation or a clause that stands for a family of locations."""

    name: str
    shape: Shape
    length: Dim


LocFamily: TypeAlias = LocationFamily | LocationFamilyVar

DeclaredLocations: TypeAlias = Location | LocationFamily
"""A declared location or family: in the head of a clause it restricts the clause to the operations at it."""


@frozen
class Member:
    """``ws[i]`` where the family or i is not known yet, or i is not in the family; ``member`` makes all others locations."""

    family: LocFamily
    index: Dim

    @property
    def name(self) -> str:
        """``ws[i]``"""
        return f"{self.family.name}[{self.index}]"

    @property
    def shape(self) -> Shape:
        """The shape of every member."""
        return self.family.shape


Loc: TypeAlias = Location | LocationVar | Member


def member(family: LocFamily, index: Dim) -> Location | Member:
    """``ws[i]``: a location as soon as the family and the index are known and the index is in range."""
    i, n = index.constant, family.length.constant
    if isinstance(family, LocationFamilyVar) or i is None or n is None or not 0 <= i < n:
        return Member(family, index)
    return Location(f"{family.name}[{i}]", family.shape, family.version)


@lru_cache(maxsize=64)
def members(family: LocationFamily) -> tuple[Location, ...]:
    """``ws[0]``, …, ``ws[n - 1]``"""
    return tuple([Location(f"{family.name}[{i}]", family.shape, family.version) for i in range(family.length.constant or 0)])


@frozen
class LocKind:
    """``l : Loc(shape)``"""

    shape: Shape


@frozen
class DimKind:
    """``p : Dim``"""


@frozen
class ValueKind:
    """``a : A``, a closed value"""

    type: Type


@frozen
class LocFamilyKind:
    """``ws : Loc(shape)[length]``"""

    shape: Shape
    length: Dim


Kind: TypeAlias = LocKind | DimKind | ValueKind | LocFamilyKind


@frozen
class Parameter:
    """A static parameter, in square brackets."""

    name: str
    kind: Kind

    def __str__(self) -> str:
        match self.kind:
            case LocKind(shape):
                return f"{self.name} : Loc({show_shape(shape)})"
            case DimKind():
                return f"{self.name} : Dim"
            case ValueKind(A):
                return f"{self.name} : {A}"
            case LocFamilyKind(shape, length):
                return f"{self.name} : Loc({show_shape(shape)})[{length}]"


@frozen
class Family:
    """``op Op[parameters] : domain → codomain``: a family of operation symbols, generic in its parameters and ``variables``.

    ``variables`` are the names of the dimension (and, for ``Get`` and ``Put``, shape) variables in order of first occurrence.
    """

    name: str
    parameters: tuple[Parameter, ...]
    domain: Type
    codomain: Type
    variables: tuple[str, ...]

    def __hash__(self) -> int:
        return hash(self.name)


@frozen
class Pattern:
    """The head of a clause: ``FC[l]`` covers a family of operations, ``FC[w0]`` those at one location or family of locations.

    Each entry of ``indices`` is the clause's name for a parameter of the family, or declared. ``variables`` are the clause's
    names for the ``variables`` of the family: the same names, unless an enclosing clause has already bound them.
    """

    family: Family
    indices: tuple[str | DeclaredLocations, ...]
    variables: tuple[str, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """The names bound to closed values; they are the outermost variables of the clause's scopes, in this order."""
        return tuple(
            name
            for name, parameter in zip(self.indices, self.family.parameters, strict=True)
            if isinstance(name, str) and isinstance(parameter.kind, ValueKind)
        )
