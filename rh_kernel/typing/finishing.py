"""The end of elaboration: unknowns are replaced by what was found, and what is left over or impossible is complained about."""

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import AnyNode, types_within
from rh_kernel.syntax.types import Real, Type, leaves
from rh_kernel.typing.errors import BadDimension, Undetermined
from rh_kernel.typing.unify import Unifier


def finished(unifier: Unifier, node: AnyNode, span: Span) -> AnyNode:
    """``node`` without unknowns. Raises ``Rejected`` if an equation is left open, or a dimension was not found."""
    open_equation = unifier.settle()
    if open_equation is not None:
        c, d = open_equation
        raise Rejected(Undetermined(span=span, what=f"whether {c} = {d}", hint="give the dimensions explicitly"))
    result = unifier.finish(node)
    if unifier.undetermined:
        hint = "give a type or an index that says how large it is"
        raise Rejected(Undetermined(span=span, what="the size of an array", hint=hint))
    return result


def finished_type(unifier: Unifier, A: Type) -> Type:
    """``A`` without unknowns."""
    return unifier.finish_type(A)


def check_dimensions(unifier: Unifier) -> None:
    """No dimension is negative where something generic is used. Raises ``Rejected`` with the place of the use."""
    for span, node in unifier.uses:
        for inner, A in types_within(unifier.finish(node)):
            for leaf in leaves(A):
                if isinstance(leaf, Real) and isinstance(leaf.shape, tuple):
                    _check(span, inner, leaf, tuple(d.constant for d in leaf.shape))


def _check(span: Span, inner: Span | None, A: Real, sizes: tuple[int | None, ...]) -> None:
    if any(size is not None and size < 0 for size in sizes):
        notes = () if inner is None or inner == span else (Note(span=inner, text="it comes from here"),)
        value = str(next(size for size in sizes if size is not None and size < 0))
        hint = "the array is smaller than what is taken from it"
        raise Rejected(BadDimension(span=span, dimension=f"one of {A}", value=value, notes=notes, hint=hint))
