"""Primitive function symbols: the members of the built-in families of Σ_fun (RH Def. 3.1)."""

from dataclasses import field

from rh_kernel.source.records import frozen
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import Shape, Type


@frozen
class Primitive:
    """``swish : Real(3) → Real(3)``: one member of a built-in family.

    ``at`` holds the shapes and dimensions at which the family's type scheme is instantiated, in the scheme's order.
    """

    name: str
    at: tuple[Shape | Dim, ...]
    domain: Type
    codomain: Type
    _hash: int = field(init=False, compare=False, repr=False, default=0)

    def __hash__(self) -> int:
        if not self._hash:
            object.__setattr__(self, "_hash", hash((self.name, self.at)))
        return self._hash
