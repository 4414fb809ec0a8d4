"""Types ``A B C`` (RH Def. 3.1), kinds of static parameters, and parameter lists, in the syntax of LANGUAGE §2 and §3."""

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.syntax.errors import Unexpected
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.expressions import expressions
from rh_kernel.syntax.surface import DimKind, Expr, Kind, LocKind, Name, ProductType, RealType, TypeExpr, UnitType
from rh_kernel.syntax.surface_items import HandlerType, StaticParameter, TypedParameter

_TYPE = "a type: Real, Real(n, …), 1 or a product A * B"


def type_expression(c: Cursor) -> TypeExpr:
    """``A * B * C`` or ``A × B × C``"""
    c.deepen()
    start = c.token.start
    factors = [_factor(c)]
    while c.at("*", "×"):
        c.product_signs.append(c.advance().start)
        factors.append(_factor(c))
    c.depth -= 1
    match factors:
        case [A]:
            return A
        case _:
            return ProductType(tuple(factors), span=c.since(start))


def _factor(c: Cursor) -> TypeExpr:
    start = c.token.start
    match c.token.text:
        case "Real":
            c.advance()
            whole = _whole_shape(c)
            dims = expressions(c, "(") if whole is None and c.at("(") else ()
            return RealType(dims, whole, span=c.since(start))
        case "1":
            c.advance()
            return UnitType(span=c.since(start))
        case "(":
            c.open("(")
            if c.at(")"):
                raise c.fail(_TYPE, "the unit type is written 1")
            A = type_expression(c)
            c.close(hint="a product type is written A * B")
            return A
        case "Loc" | "Dim":
            raise c.fail(_TYPE, "locations and dimensions are static parameters: write them in square brackets")
        case "real" | "R" | "ℝ" | "Float" | "float":
            raise c.fail(_TYPE, "write Real for the type of reals, and Real(n) for n of them", Fix(c.here(), "Real"))
        case _:
            raise c.fail(_TYPE)


def _whole_shape(c: Cursor) -> Name | None:
    """``(s…)``, a variable for a whole shape, or nothing."""
    if not (c.at("(") and c.peek(2).text == "…"):
        return None
    c.open("(")
    name = c.name("the name of a shape")
    c.need("…")
    c.close()
    return name


def _kind(c: Cursor) -> Kind:
    start = c.token.start
    match c.token.text:
        case "Loc":
            c.advance()
            whole = _whole_shape(c)
            dims = expressions(c, "(") if whole is None and c.at("(") else ()
            if whole is None and not dims:
                raise c.fail("the shape of the location", "write Loc(n) or Loc(m, n)")
            return LocKind(dims, family_length(c), whole, span=c.since(start))
        case "Dim":
            c.advance()
            return DimKind(span=c.since(start))
        case _:
            return type_expression(c)


def family_length(c: Cursor) -> Expr | None:
    """``[n]``, the length of a family of locations, or nothing."""
    if not c.at("["):
        return None
    opening = c.token.start
    length, *others = expressions(c, "[")
    if others:
        hint = "a family has one length; the shape of its locations goes in round brackets"
        span = c.since(opening)
        raise Rejected(Unexpected(span=span, found=f"`{span.text}`", expected="one length", hint=hint))
    return length


def location_parameter(c: Cursor) -> StaticParameter | None:
    """``[l : Loc(s…)]``, the location beside which another one is, or nothing."""
    if not (c.at("[") and c.peek(2).text == ":"):
        return None
    first, *others = static_parameters(c)
    hint = "`loc velocity[l : Loc(s…)] : Real(s…) = zeros` is beside every location"
    for span in [other.span for other in others]:
        raise Rejected(Unexpected(span=span, found=f"`{span.text}`", expected="`]`", hint=hint))
    if not isinstance(first.kind, LocKind) or first.kind.length is not None:
        span = first.kind.span
        raise Rejected(Unexpected(span=span, found=f"`{span.text}`", expected="`Loc(s…)` or `Loc(m, n)`", hint=hint))
    return first


def static_parameters(c: Cursor) -> tuple[StaticParameter, ...]:
    """``[l : Loc(m, n), p : Dim, a : Real]``, or nothing."""
    return c.listed("[", _static_parameter) if c.at("[") else ()


def _static_parameter(c: Cursor) -> StaticParameter:
    start = c.token.start
    name = c.name("the name of a parameter")
    c.need(":", "say what it is: l : Loc(m, n), p : Dim or a : Real")
    kind = _kind(c)
    return StaticParameter(name, kind, span=c.since(start))


def typed_parameters(c: Cursor) -> tuple[TypedParameter, ...]:
    """``(x : A, y : B)``"""
    return c.listed("(", _typed_parameter, "write the input in brackets with its type: (x : Real(n))", may_be_empty=True)


def _typed_parameter(c: Cursor) -> TypedParameter:
    start = c.token.start
    name = c.name("the name of a parameter")
    c.need(":", f"give its type: {name.text} : Real(n)")
    A = type_expression(c)
    return TypedParameter(name, A, span=c.since(start))


def result_type(c: Cursor) -> TypeExpr | None:
    """``: A``, or nothing."""
    return type_expression(c) if c.take(":") else None


def handler_type(c: Cursor) -> HandlerType | None:
    """``: rev handler(C)`` or ``: C ⇒ D``, or nothing."""
    return type_of_handler(c) if c.take(":") else None


def type_of_handler(c: Cursor) -> HandlerType:
    """``rev handler(C)`` or ``C ⇒ D``"""
    start = c.token.start
    if c.take("rev"):
        c.need("handler")
        c.open("(", "the type of a reverse handler is rev handler(C)")
        C = type_expression(c)
        c.close()
        return HandlerType(C, None, span=c.since(start))
    if c.at("handler"):
        raise c.fail("`rev handler(C)` or `C => D`", "a reverse handler has the type rev handler(C), an ordinary one C => D")
    C = type_expression(c)
    c.need("⇒", "a reverse handler has the type rev handler(C), an ordinary one C => D")
    D = type_expression(c)
    return HandlerType(C, D, span=c.since(start))
