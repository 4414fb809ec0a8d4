"""The number i of a round in a loop: it may only be in the index ``a i + b`` of a family's location."""

from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.core import Node, Repeat, Scope
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, replace_atoms
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.signature import Loc, Member
from rh_kernel.syntax.types import Shape, ShapeMeta, ShapeVar, Type, is_known, map_shape, map_type


def affine(index: Dim, name: str) -> tuple[int, int] | None:
    """``(a, b)`` if the index is ``a i + b`` with numbers a > 0 and b, where i has that name."""
    terms = dict(index.terms)
    step, start = terms.pop(((DimVar(name), 1),), 0), terms.pop((), 0)
    return (step, start) if step > 0 and not terms else None


def in_round(P: Repeat, index: str) -> Scope | None:
    """A round whose number is called ``index``; ``None`` if the number is anywhere but in the index of a family's location."""
    uses = _Uses(P.index)
    rebuild(P.scope, 0, uses)
    return None if uses.found else specialise(P.scope, Static({P.index: dim(index)}, {}, {}))


class _Uses(Transform):
    """Searches for a dimension variable i outside of ``ws[a i + b]``, and changes nothing."""

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
        elif affine(loc.index, self.index) is None:
            self.dim(loc.index)
        return loc

    def _atom(self, atom: DimVar | DimMeta) -> None:
        self.found = self.found or atom == DimVar(self.index)

    def _shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        return s
