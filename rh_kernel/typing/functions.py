"""Function symbols at a use: which member of which family ``f``, ``reshape[3, 2]`` or ``rd[rd[f]]`` is (RH Def. 3.2)."""

from collections.abc import Callable
from dataclasses import dataclass

from rh_kernel.primitives.schemes import Scheme, instantiate, size_of
from rh_kernel.primitives.table import ROWS
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, specialise, specialise_type
from rh_kernel.syntax.core import Defined, Function, Primitive, RdOf
from rh_kernel.syntax.dimensions import Dim, DimVar
from rh_kernel.syntax.types import Product, Shape, ShapeMeta, ShapeVar, Type
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import FunDefinition, kind_of
from rh_kernel.typing.dimensions import elaborate_dim, unknown_name
from rh_kernel.typing.errors import NotDifferentiated, OperandsDiffer, WrongKindOfName, WrongNumberOfIndices
from rh_kernel.typing.unify import Unifier


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member of a family with unknowns in it, and the two shapes that must hold equally many entries, if any."""

    function: Function
    same_size: tuple[Shape, Shape] | None


def function_names() -> list[str]:
    """The names of the function symbols that come with the language."""
    return [*ROWS, "rd"]


def member(name: str, number: int, at: tuple[Shape | Dim, ...]) -> Primitive:
    """The member of family ``name`` that its scheme ``number`` has at ``at``."""
    return instantiate(name, ROWS[name].schemes[number], at)


def resolve_function(cx: Context, unifier: Unifier, e: s.Apply, argument_type: Callable[[], Type]) -> Candidate:
    """The function symbol that ``e`` applies. The argument's type is asked for only where a name has several schemes."""
    candidates = _candidates(cx, unifier, e.head, e.indices, e.span)
    if len(candidates) == 1:
        return candidates[0]
    A = argument_type()
    fitting = [c for c in candidates if unifier.would_fit(A, c.function.domain)]
    if fitting:
        return fitting[0]
    wanted = " or ".join(_readable(c.function.domain) for c in candidates)
    raise Rejected(OperandsDiffer(span=e.span, operator=e.head.text, found=str(unifier.type(A)), expected=wanted))


def check_size(unifier: Unifier, candidate: Candidate, span: Span) -> None:
    """The side condition of ``reshape``: as many entries after as before. Raises ``Rejected``."""
    if candidate.same_size is None:
        return
    left, right = (size_of(unifier.shape(shape)) for shape in candidate.same_size)
    if left is not None and right is not None and not unifier.same_dim(left, right):
        found, expected = unifier.dim(left), unifier.dim(right)
        hint = "a reshape keeps the number of entries"
        raise Rejected(
            OperandsDiffer(span=span, operator="reshape", found=f"{found} entries", expected=f"{expected} entries", hint=hint)
        )


def instance(unifier: Unifier, d: FunDefinition) -> Defined:
    """A user's function with fresh unknowns for its dimension variables."""
    static = Static({v: unifier.fresh_dim() for v in d.variables}, {}, {})
    own = None if d.own is None else specialise(d.own, static)
    A, B = specialise_type(d.domain, static), specialise_type(d.codomain, static)
    return Defined(d.name, A, B, specialise(d.body, static), own)


def _candidates(
    cx: Context, unifier: Unifier, head: s.Name, indices: tuple[s.Expr, ...], span: Span
) -> list[Candidate]:
    name = head.text
    definition = cx.definitions.get(name)
    if isinstance(definition, FunDefinition):
        if indices:
            raise Rejected(WrongNumberOfIndices(span=span, name=name, wanted="none", given=str(len(indices))))
        return [Candidate(instance(unifier, definition), None)]
    if definition is not None:
        raise Rejected(WrongKindOfName(span=head.span, name=name, is_a=kind_of(definition), wanted="a function"))
    if name == "rd":
        return _derivative(cx, unifier, indices, span)
    row = ROWS.get(name)
    if row is None:
        raise unknown_name(cx, name, head.span, others=ROWS)
    return [_at(cx, unifier, name, scheme, indices, span) for scheme in row.schemes]


def _derivative(cx: Context, unifier: Unifier, indices: tuple[s.Expr, ...], span: Span) -> list[Candidate]:
    match indices:
        case (s.Var(name),):
            inner = _candidates(cx, unifier, s.Name(name, span=indices[0].span), (), indices[0].span)
        case (s.Family(head, further),):
            inner = _candidates(cx, unifier, head, further, indices[0].span)
        case (other,):
            raise Rejected(NotDifferentiated(span=other.span, found=f"`{other.span.text}`", expected="a function's name"))
        case _:
            given = str(len(indices)) if indices else "none"
            hint = "write `rd[f](w, v)`: the cotangent first, the point second"
            raise Rejected(WrongNumberOfIndices(span=span, name="rd", wanted="one function", given=given, hint=hint))
    return [Candidate(RdOf(c.function), c.same_size) for c in inner]


def _at(
    cx: Context, unifier: Unifier, name: str, scheme: Scheme, indices: tuple[s.Expr, ...], span: Span
) -> Candidate:
    given: dict[str, Shape | Dim] = {}
    match scheme.explicit:
        case (ShapeVar(variable),) if indices:
            given[variable] = tuple(elaborate_dim(cx, i) for i in indices)
        case explicit if len(explicit) == len(indices) and not any(isinstance(v, ShapeVar) for v in explicit):
            given = {v.name: elaborate_dim(cx, i) for v, i in zip(explicit, indices, strict=True)}
        case explicit:
            wanted = ", ".join(v.name for v in explicit) or "nothing"
            count = str(len(indices)) if indices else "none"
            raise Rejected(WrongNumberOfIndices(span=span, name=name, wanted=wanted, given=count))
    at = tuple(given.get(v.name) or _unknown(unifier, v) for v in scheme.variables)
    found = {v.name: a for v, a in zip(scheme.variables, at, strict=True)}
    condition = None
    if scheme.same_size is not None:
        static = Static(
            {k: a for k, a in found.items() if isinstance(a, Dim)},
            {k: a for k, a in found.items() if not isinstance(a, Dim)},
            {},
        )
        left, right = (_shape(static, shape) for shape in scheme.same_size)
        condition = (left, right)
    return Candidate(instantiate(name, scheme, at), condition)


def _shape(static: Static, shape: Shape) -> Shape:
    match shape:
        case ShapeVar(name):
            return static.shapes.get(name, shape)
        case ShapeMeta() | tuple():
            return shape


def _unknown(unifier: Unifier, v: DimVar | ShapeVar) -> Dim | Shape:
    match v:
        case DimVar():
            return unifier.fresh_dim()
        case ShapeVar():
            return unifier.fresh_shape()


def _readable(A: Type) -> str:
    return f"({A})" if isinstance(A, Product) else str(A)
