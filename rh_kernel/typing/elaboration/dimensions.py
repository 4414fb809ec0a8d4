"""Elaboration of dimensions and type expressions: ``Γ ⊢ A type`` (LANGUAGE §2)."""

from collections.abc import Callable, Iterable

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.dimensions import Ceil, Dim, DimMeta, DimVar, Floor, ceil, dim, floor
from rh_kernel.syntax.types import UNIT, Product, Real, Shape, ShapeMeta, ShapeVar, Type, TypeMeta
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import DimDefinition, NumberDefinition
from rh_kernel.typing.diagnostics.shared import comment_intended, no_such_thing
from rh_kernel.typing.errors import BadDimension, NotADimension

AXES = 60
"""The maximum number of axes of an array: NumPy allows 64, and a batch needs one more."""


def elaborate_type(cx: Context, A: s.TypeExpr) -> Type:
    """Elaborate a type. Raises ``Rejected``."""
    match A:
        case s.UnitType():
            return UNIT
        case s.ProductType(factors):
            return Product(tuple(elaborate_type(cx, B) for B in factors))
        case s.RealType(dims, whole):
            return Real(elaborate_shape(cx, dims, whole))


def elaborate_shape(cx: Context, dims: tuple[s.Expr, ...], whole: s.Name | None = None) -> Shape:
    """Elaborate the shape in ``Real(…)`` or ``Loc(…)``; empty brackets mean ``(1,)``. ``whole`` is the s of ``Real(s…)``.

    Raises ``Rejected``, also for a variable for a whole shape where there is none.
    """
    if whole is not None:
        return _whole(cx, whole)
    match dims:
        case ():
            return (dim(1),)
        case (s.Var(name),) if cx.shapes and name in cx.shapes:
            return cx.shapes[name]
        case _:
            return several(cx, dims)


def _whole(cx: Context, name: s.Name) -> ShapeVar:
    known = (cx.shapes or {}).get(name.text)
    if known is not None:
        return known
    if not cx.open_shapes:
        why = f"`{name.text}…` stands for a shape of any number of axes, which only operations and state beside locations have"
        raise Rejected(NotADimension(span=name.span, why=why, hint="write the axes, for example `Real(m, n)`"))
    return ShapeVar(name.text)


def several(cx: Context, dims: tuple[s.Expr, ...]) -> tuple[Dim, ...]:
    """Elaborate the axes of a shape. Raises ``Rejected``, also if there are more than ``AXES``."""
    if len(dims) > AXES:
        raise too_many_axes(len(dims), dims[0].span.to(dims[-1].span))
    return tuple([elaborate_dim(cx, d) for d in dims])


def too_many_axes(axes: int, span: Span) -> Rejected:
    """The diagnostic for an array with too many axes."""
    hint = "combine several axes into one, `Real(m * n)`; `reshape` converts between them"
    return Rejected(BadDimension(span=span, what=f"this array has {axes} axes", expected=f"at most {AXES}", hint=hint))


_OF_DIMENSIONS = frozenset({s.BinaryOperator.PLUS, s.BinaryOperator.MINUS, s.BinaryOperator.TIMES, s.BinaryOperator.FLOOR})


def elaborate_dim(cx: Context, e: s.Expr) -> Dim:
    """Elaborate a dimension. Raises ``Rejected``."""
    d = _dim(cx, e)
    if d.constant is not None and d.constant < 0:
        what = f"`{e.span.text}` is {d if e.span.text != str(d) else 'less than 0'}"
        raise Rejected(BadDimension(span=e.span, what=what, hint="a dimension is a number of entries, so it is at least 0"))
    return d


def elaborate_number(cx: Context, e: s.Expr) -> Dim:
    """Elaborate an index or a number of rounds, which is written as a dimension. Raises ``Rejected`` if it is none.

    It may be negative: the caller reports that in its own words.
    """
    return _dim(cx, e)


def _dim(cx: Context, e: s.Expr) -> Dim:
    match e:
        case s.Number(text) if text.isdecimal():
            return dim(int(text))
        case s.Var(name):
            return _variable(cx, name, e.span)
        case s.Negate(operand):
            return -_dim(cx, operand)
        case s.Binary(operator) if operator in _OF_DIMENSIONS:
            return _joined(cx, e)
        case s.Apply(s.Name("ceil"), (), (s.Binary(s.BinaryOperator.DIVIDE, left, right),)):
            return _divided(e, ceil, _dim(cx, left), _dim(cx, right))
        case s.Binary(s.BinaryOperator.DIVIDE):
            hint = "use `ceil(a / b)` to round up, or `a // b` to round down"
            raise Rejected(
                NotADimension(span=e.span, why=f"`{e.span.text}` is not a dimension", expected="a whole number", hint=hint)
            )
        case _:
            raise _no_dimension(e)


def _joined(cx: Context, e: s.Binary) -> Dim:
    """A chain of operators is processed in a loop."""
    spine = s.spine(e, _OF_DIMENSIONS)
    d = _dim(cx, spine[0].left)
    for written in spine:
        comment = None if cx.open_dims or written.operator is not s.BinaryOperator.FLOOR else comment_intended(cx, written)
        if comment is not None:
            raise comment
        other = _dim(cx, written.right)
        match written.operator:
            case s.BinaryOperator.PLUS:
                d = d + other
            case s.BinaryOperator.MINUS:
                d = d - other
            case s.BinaryOperator.TIMES:
                d = d * other
            case s.BinaryOperator.FLOOR:
                d = _divided(written, floor, d, other)
            case s.BinaryOperator.DIVIDE | s.BinaryOperator.MATMUL | s.BinaryOperator.DOT:
                raise _no_dimension(written)
    return d


def _no_dimension(e: s.Expr) -> Rejected:
    hint = "dimensions are built from whole numbers and names with + - * // and ceil(a / b)"
    return Rejected(NotADimension(span=e.span, why=f"`{e.span.text}` is not a dimension", expected="a dimension", hint=hint))


def _divided(e: s.Expr, divide: Callable[[Dim, Dim], Dim], n: Dim, d: Dim) -> Dim:
    if d.constant == 0:
        hint = "divide by a number from 1 on"
        raise Rejected(BadDimension(span=e.span, what=f"`{e.span.text}` divides by 0", hint=hint))
    return divide(n, d)


def _variable(cx: Context, name: str, span: Span) -> Dim:
    if cx.dims and name in cx.dims:
        return cx.dims[name]
    if name == "_":
        raise Rejected(NotADimension(span=span, why="`_` is not a dimension", hint="give it a name, for example `n`"))
    match cx.definitions.get(name):
        case DimDefinition(_, value):
            return dim(value)
        case NumberDefinition(_, value) as number:
            if number.whole is None:
                why = f"`{name}` is {value:g} in this run of the sweep"
                hint = f"give `{name}` whole numbers only, or name the size by another number"
                raise Rejected(NotADimension(span=span, why=why, expected="a whole number from 0 on", hint=hint))
            return dim(number.whole)
        case None if cx.open_dims and not name[:1].isupper() and name not in cx.definitions.failed:
            return dim(DimVar(name))
        case definition if cx.open_dims and definition is not None and name[:1].islower():
            return dim(DimVar(name))
        case _:
            names = [*(cx.dims or {}), *cx.declared(DimDefinition, NumberDefinition)]
            raise no_such_thing(cx, name, span, "a dimension", names, f"declare it: `dim {name} = 3`")


def dimension_variables(types: Iterable[Type | Shape]) -> tuple[str, ...]:
    """The names of the dimension and shape variables in ``types``, in order of first occurrence."""
    found: dict[str, None] = {}
    for A in types:
        for name in _names(A):
            found.setdefault(name)
    return tuple(found)


def _names(A: Type | Shape) -> list[str]:
    match A:
        case Real(shape):
            return _names(shape)
        case Product(factors):
            return [n for B in factors for n in _names(B)]
        case ShapeVar(name):
            return [name]
        case tuple():
            return [n for d in A for n in _dim_names(d)]
        case TypeMeta() | ShapeMeta():
            return []


def _dim_names(d: Dim) -> list[str]:
    names: list[str] = []
    for monomial, _ in d.terms:
        for atom, _ in monomial:
            match atom:
                case DimVar(name):
                    names.append(name)
                case Ceil(n, m) | Floor(n, m):
                    names += _dim_names(n) + _dim_names(m)
                case DimMeta():
                    pass
    return names
