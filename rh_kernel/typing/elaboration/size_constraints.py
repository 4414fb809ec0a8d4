"""Constraints that the dimension variables of a declaration are not negative at its uses (LANGUAGE §2)."""

from collections.abc import Mapping

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, impossible, replace_atoms, variables
from rh_kernel.typing.errors import BadDimension
from rh_kernel.typing.unification.unify import Size, Unifier


def require_sizes(unifier: Unifier, span: Span, name: str, dims: Mapping[str, Dim], needs: tuple[Dim, ...] = ()) -> None:
    """Require that ``dims``, the values of the variables at a use of ``name``, and its ``needs`` there are 0 or more."""

    def value(v: DimVar | DimMeta) -> Dim | None:
        return dims.get(v.name) if isinstance(v, DimVar) else None

    asked = [*((v, d) for v, d in dims.items()), *((str(need), replace_atoms(need, value)) for need in needs)]
    unifier.sizes += [Size(span, name, what, d) for what, d in asked if d.constant is None or d.constant < 0]


def check_sizes(unifier: Unifier) -> tuple[Dim, ...]:
    """Check the constraints; return those on variables, which each use of the declaration must satisfy. Raises ``Rejected``."""
    needed: dict[Dim, None] = {}
    for size in unifier.sizes:
        value = unifier.dim(size.value)
        if impossible(value):
            what = f"`{size.name}` is used where `{size.what}` is {value}"
            expected = "dimensions that are whole numbers from 0 on"
            hint = f"`{size.name}` needs arrays for which `{size.what}` is at least 0."
            raise Rejected(BadDimension(span=size.span, what=what, expected=expected, hint=hint))
        if any(c < 0 for _, c in value.terms) and all(isinstance(v, DimVar) for v in variables(value)):
            needed[value] = None
    return tuple(needed)
