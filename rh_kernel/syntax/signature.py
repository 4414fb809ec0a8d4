"""Σ_op (RH Def. 3.3): families of operation symbols, their static parameters and locations, and clause heads."""

from functools import lru_cache
from typing import TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.syntax.dimensions import Dim, DimVar, substitute, variables
from rh_kernel.syntax.types import Shape, ShapeVar, Type, show_shape


@frozen
class Location:
    """``ℓ : Real(shape)``, a location of the heap; each redeclaration of its name has a new ``version``.

    One that is declared beside another location knows that as its ``state``.
    """

    name: str
    shape: Shape
    version: int = 0
    state: "StateOf | None" = None

    def __hash__(self) -> int:
        return hash(self.name)


@frozen
class LocationVar:
    """``l : Loc(shape)``: a location parameter of a net or of a handler's clause."""

    name: str
    shape: Shape


@frozen
class LocationFamily:
    """``ws : Loc(shape)[length]``: the declared locations ``ws[0]``, …, ``ws[length - 1]``; ``version`` as in ``Location``.

    With ``beside`` they are the locations beside those of another family: ``velocity[ws]`` has ``velocity[ws[0]]``, ….
    """

    name: str
    shape: Shape
    length: Dim
    version: int = 0
    beside: "tuple[StateFamily, LocationFamily] | None" = None

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


@frozen
class StateFamily:
    """``velocity[l : Loc(of)] : Real(shape) = initial``: a location ``velocity[ℓ]`` beside every ℓ of that shape

    Optimisers keep their state there. ``of`` is a shape variable, or consists of distinct dimension variables; ``shape`` may
    contain them. All entries are ``initial`` at first: a heap holds such a location once it has been written.
    """

    name: str
    of: Shape
    shape: Shape
    initial: float
    version: int = 0

    def __hash__(self) -> int:
        return hash(self.name)

    def fits(self, base: Shape) -> bool:
        """Whether it has a location beside one of shape ``base``."""
        return isinstance(self.of, ShapeVar) or (
            isinstance(base, tuple) and isinstance(self.of, tuple) and len(base) == len(self.of)
        )

    def shape_at(self, base: Shape) -> Shape:
        """The shape of the location beside one of shape ``base``. Raises ``ValueError`` if that one does not fit."""
        match self.of, base:
            case ShapeVar(), _:
                return base if self.shape == self.of else self.shape
            case tuple() as of, tuple() if len(of) == len(base) and isinstance(self.shape, tuple):
                images = {v.name: d for e, d in zip(of, base, strict=True) for v in variables(e) if isinstance(v, DimVar)}
                return tuple([substitute(d, images) for d in self.shape])
            case _:
                raise ValueError(f"{self.name} has no location beside one of shape {show_shape(base)}")


@frozen
class StateOf:
    """``velocity[l]`` where l is not known yet; ``state_of`` makes all others locations."""

    family: StateFamily
    base: "Loc"

    @property
    def name(self) -> str:
        """``velocity[l]``"""
        return f"{self.family.name}[{self.base.name}]"

    @property
    def shape(self) -> Shape:
        """The shape of its content."""
        return self.family.shape_at(self.base.shape)


Loc: TypeAlias = Location | LocationVar | Member | StateOf


def state_of(family: StateFamily, base: Loc) -> Location | StateOf:
    """``velocity[ℓ]``: a location as soon as ℓ is one. Raises ``ValueError`` if ℓ has another shape than the family expects."""
    return located_state(family, base) if isinstance(base, Location) else StateOf(family, base)


def located_state(family: StateFamily, base: Location) -> Location:
    """``velocity[ℓ]``. Raises ``ValueError`` as ``state_of`` does."""
    found = StateOf(family, base)
    return Location(found.name, found.shape, family.version, found)


def within(loc: Loc) -> Location | LocationVar | Member:
    """The location, or the one beside which it is, at any depth."""
    while isinstance(loc, StateOf):
        loc = loc.base
    return loc


def member(family: LocFamily, index: Dim) -> Location | Member:
    """``ws[i]``: a location as soon as the family and the index are known and the index is in range."""
    i, n = index.constant, family.length.constant
    if isinstance(family, LocationFamilyVar) or i is None or n is None or not 0 <= i < n:
        return Member(family, index)
    return _numbered(family, i)


@lru_cache(maxsize=64)
def members(family: LocationFamily) -> tuple[Location, ...]:
    """``ws[0]``, …, ``ws[n - 1]``"""
    return tuple([_numbered(family, i) for i in range(family.length.constant or 0)])


def _numbered(family: LocationFamily, i: int) -> Location:
    if family.beside is None:
        return Location(f"{family.name}[{i}]", family.shape, family.version)
    states, other = family.beside
    return located_state(states, _numbered(other, i))


def states_of(states: StateFamily, family: LocationFamily) -> LocationFamily:
    """The family of the locations beside those of a family: ``velocity[ws]``."""
    name, shape = f"{states.name}[{family.name}]", states.shape_at(family.shape)
    return LocationFamily(name, shape, family.length, states.version, (states, family))


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

    ``variables`` are the names of the dimension (and, for built-in operations, shape) variables in order of first occurrence.
    If ``shape`` is not empty, it is the one of them whose value is written in square brackets, in place of parameters.
    """

    name: str
    parameters: tuple[Parameter, ...]
    domain: Type
    codomain: Type
    variables: tuple[str, ...]
    shape: str = ""

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def brackets(self) -> str:
        """What stands in square brackets, with them: ``[l : Loc(m, n)]``, or ``[s…]``; empty if nothing does."""
        inside = f"{self.shape}…" if self.shape else ", ".join(map(str, self.parameters))
        return f"[{inside}]" if inside else ""


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
