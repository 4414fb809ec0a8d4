"""Infix operators on terms, resolved by type to function symbols (LANGUAGE §1)."""

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Call, Term, Tuple
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import SCALAR, Product, Real, Shape, ShapeMeta, ShapeVar, Type, TypeMeta
from rh_kernel.typing.errors import OperandsDiffer, WrongNumberOfArguments
from rh_kernel.typing.functions import member
from rh_kernel.typing.unify import Unifier

Typed = tuple[Term, Type]


def negate(unifier: Unifier, span: Span, M: Term, A: Type) -> Typed:
    """``-M``"""
    shape = unifier.fresh_shape()
    if not unifier.same_type(A, Real(shape)):
        raise Rejected(OperandsDiffer(span=span, operator="-", found=str(unifier.type(A)), expected="an array"))
    return _call("neg", (shape,), span, M)


def transpose(unifier: Unifier, span: Span, M: Term, A: Type) -> Typed:
    """``Mᵀ`` of a matrix"""
    m, n = unifier.fresh_dim(), unifier.fresh_dim()
    if not unifier.same_type(A, Real((m, n))):
        found = str(unifier.type(A))
        hint = "`outer(y, x)` is the matrix y xᵀ of two vectors" if _rank(unifier, A) == 1 else ""
        raise Rejected(OperandsDiffer(span=span, operator="ᵀ", found=found, expected="a matrix, Real(m, n)", hint=hint))
    return _call("transpose", (m, n), span, M)


def binary(unifier: Unifier, operator: s.BinaryOperator, span: Span, left: Typed, right: Typed) -> Typed:
    """``M op N`` for every operator but ``+``, which is a form of the calculus, and ``//``. Raises ``Rejected``."""
    match operator:
        case s.BinaryOperator.MINUS:
            return _entrywise(unifier, "sub", "-", span, left, right)
        case s.BinaryOperator.DOT:
            return _scale(unifier, "·", span, left, right)
        case s.BinaryOperator.TIMES:
            if _is_scalar(unifier, left[1]):
                return _scale(unifier, "*", span, left, right)
            return _entrywise(unifier, "mul", "*", span, left, right)
        case s.BinaryOperator.DIVIDE:
            if _is_scalar(unifier, right[1]) and not _is_scalar(unifier, left[1]):
                inverse = _call("recip", (SCALAR.shape,), span, right[0])
                return _scale(unifier, "/", span, inverse, left)
            return _entrywise(unifier, "div", "/", span, left, right)
        case s.BinaryOperator.MATMUL:
            return _matmul(unifier, span, left, right)
        case s.BinaryOperator.PLUS | s.BinaryOperator.FLOOR:
            raise ValueError(f"{operator} is no sugar for a function symbol")


def operands_differ(unifier: Unifier, span: Span, operator: str, A: Type, B: Type, expected: str = "") -> Rejected:
    """The complaint that two operands do not go together."""
    A, B = unifier.type(A), unifier.type(B)
    expected = expected or "two operands of one type"
    hint = ""
    if operator in ("*", "-", "+", "/") and SCALAR in (A, B) and A != B:
        hint = "a scalar goes on the left of `*`: `a * x`" if operator == "*" else "make an array of it: `fill[n](a)`"
    elif operator == "*" and _rank(unifier, A) == 2:
        hint = "the product of a matrix and a vector is written `w @ x`"
    return Rejected(OperandsDiffer(span=span, operator=operator, found=f"{A} and {B}", expected=expected, hint=hint))


def wrong_arguments(e: s.Apply, wanted: int, given: int) -> Rejected:
    """The complaint about the number of arguments of a call."""
    words = f"{wanted} argument{'s' if wanted != 1 else ''}"
    name = e.head.text
    return Rejected(WrongNumberOfArguments(span=e.span, name=name, wanted=words, given=str(given) if given else "none"))


def mismatch_hint(A: Type, B: Type) -> str:
    """What to do about a found type A where B is asked for, if the two are telling."""
    match A, B:
        case Real((m, n)), Real((p, q)) if (m, n) == (q, p):
            return "the two axes are exchanged: try the transpose, `wᵀ`"
        case Product(), Real():
            return "take a component of the tuple, `p.1`, or take it apart with `let (x, y) <- …`"
        case Real(), Product((_, _)):
            return "a pair `(M, N)` is asked for"
        case _:
            return ""


def _call(name: str, at: tuple[Shape | Dim, ...], span: Span, *arguments: Term) -> Typed:
    f = member(name, 0, at)
    argument = arguments[0] if len(arguments) == 1 else Tuple(arguments, span=span)
    return Call(f, argument, span=span), f.codomain


def _entrywise(unifier: Unifier, name: str, operator: str, span: Span, left: Typed, right: Typed) -> Typed:
    shape = unifier.fresh_shape()
    if not (unifier.same_type(left[1], right[1]) and unifier.same_type(left[1], Real(shape))):
        raise operands_differ(unifier, span, operator, left[1], right[1], "two arrays of one shape")
    return _call(name, (shape,), span, left[0], right[0])


def _scale(unifier: Unifier, operator: str, span: Span, left: Typed, right: Typed) -> Typed:
    shape = unifier.fresh_shape()
    if not (unifier.same_type(left[1], SCALAR) and unifier.same_type(right[1], Real(shape))):
        raise operands_differ(unifier, span, operator, left[1], right[1], "a scalar and an array")
    return _call("scale", (shape,), span, left[0], right[0])


def _matmul(unifier: Unifier, span: Span, left: Typed, right: Typed) -> Typed:
    m, k = unifier.fresh_dim(), unifier.fresh_dim()
    expected = "a matrix Real(m, n) and a vector Real(n), or two matrices Real(m, k), Real(k, n)"
    ranks = _rank(unifier, left[1]), _rank(unifier, right[1])
    if ranks[0] != 2 or ranks[1] not in (1, 2):
        raise operands_differ(unifier, span, "@", left[1], right[1], expected)
    at = (m, k) if ranks[1] == 1 else (m, k, unifier.fresh_dim())
    f = member("matmul", ranks[1] - 1, at)
    if not unifier.same_type(Product((left[1], right[1])), f.domain):
        raise operands_differ(unifier, span, "@", left[1], right[1], expected)
    return Call(f, Tuple((left[0], right[0]), span=span), span=span), f.codomain


def _is_scalar(unifier: Unifier, A: Type) -> bool:
    return unifier.type(A) == SCALAR or isinstance(unifier.head(A), TypeMeta)


def _rank(unifier: Unifier, A: Type) -> int | None:
    match unifier.type(A):
        case Real(shape):
            match shape:
                case ShapeVar() | ShapeMeta():
                    return None
                case dims:
                    return len(dims)
        case Product() | TypeMeta():
            return None
