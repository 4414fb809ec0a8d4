"""The number of a round in a loop: it may only be the index of a family's location."""

from collections.abc import Set as AbstractSet

from rh_kernel.arrays.stacks import Stack, places
from rh_kernel.arrays.symbolic.rolled import NotRolledError
from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.core import Node, Repeat, Scope
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, replace_atoms
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.signature import Loc, Location, Member
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type, is_known, map_shape, map_type


def check_stacks(used: AbstractSet[Location]) -> None:
    """Raise ``NotRolledError`` if a location is used both by itself and as one of a stack."""
    if any(isinstance(location, Stack) and not used.isdisjoint(places(location)) for location in used):
        raise NotRolledError


def in_round(P: Repeat, index: str) -> Scope | None:
    """A round whose number is called ``index``; ``None`` if the number is anything but the index of a family's location."""
    uses = _Uses(P.index)
    rebuild(P.scope, 0, uses)
    return None if uses.found else specialise(P.scope, Static({P.index: dim(index)}, {}, {}))


class _Uses(Transform):
    """Searches for a dimension variable outside of ``ws[i]``, and changes nothing."""

    def __init__(self, index: str) -> None:
        self.index = index
        self.found = False

    def skips(self, node: Node, depth: int) -> bool:
        return isinstance(node, Scope) and not node.is_generic

    def type(self, A: Type) -> Type:
        map_type(A, self._atom, self._shape, lambda B: B)
        return A

    def dim(self, d: Dim) -> Dim:
        replace_atoms(d, self._atom)
        return d

    def shape(self, s: Shape) -> Shape:
        if not is_known(s):
            map_shape(s, self._atom, self._shape)
        return s

    def location(self, loc: Loc) -> Loc:
        if not isinstance(loc, Member):
            self.shape(loc.shape)
        elif loc.index != dim(self.index):
            self.dim(loc.index)
        return loc

    def _atom(self, atom: DimVar | DimMeta) -> None:
        self.found = self.found or atom == DimVar(self.index)

    def _shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return s
