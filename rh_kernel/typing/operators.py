"""Infix operators on terms, resolved by type to function symbols (LANGUAGE §1)."""

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Call, Term, Tuple
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import SCALAR, Product, Real, Shape, ShapeMeta, ShapeVar, Type, TypeMeta
from rh_kernel.typing.errors import OperandsDiffer
from rh_kernel.typing.functions import member
from rh_kernel.typing.hints import no_matrix, no_product, other_operand, written
from rh_kernel.typing.unify import Unifier

Typed = tuple[Term, Type]


def negate(unifier: Unifier, span: Span, M: Term, A: Type) -> Typed:
    """``-M``"""
    shape = unifier.fresh_shape()
    if not unifier.same_type(A, Real(shape)):
        hint = "a tuple is taken apart first: `let (x, y) <- … in (-x, -y)`"
        (found,) = unifier.show(A)
        raise Rejected(OperandsDiffer(span=span, why="`-` does not apply to this", found=found, expected="an array", hint=hint))
    return _call("neg", (shape,), span, M)


def transpose(unifier: Unifier, span: Span, M: Term, A: Type) -> Typed:
    """``Mᵀ`` of a matrix"""
    m, n = unifier.fresh_dim("m"), unifier.fresh_dim("n")
    if not unifier.same_type(A, Real((m, n))):
        (found,) = unifier.show(A)
        hint = no_matrix(unifier.type(A))
        why, expected = "only a matrix has a transpose", "a matrix, Real(m, n)"
        raise Rejected(OperandsDiffer(span=span, why=why, found=found, expected=expected, hint=hint))
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


def operands_differ(unifier: Unifier, span: Span, operator: str, left: Typed, right: Typed, expected: str) -> Rejected:
    """The complaint that two operands do not go together."""
    A, B = unifier.type(left[1]), unifier.type(right[1])
    M, N = written(left[0].span, "M"), written(right[0].span, "N")
    hint = no_product(A, B, M, N) if operator == "@" else other_operand(operator, A, B, M, N)
    found = " and ".join(unifier.show(A, B))
    why = f"the operands of `{operator}` do not fit together"
    return Rejected(OperandsDiffer(span=span, why=why, found=found, expected=expected, hint=hint))


def _call(name: str, at: tuple[Shape | Dim, ...], span: Span, *arguments: Term) -> Typed:
    f = member(name, 0, at)
    argument = arguments[0] if len(arguments) == 1 else Tuple(arguments, span=span)
    return Call(f, argument, span=span), f.codomain


def _entrywise(unifier: Unifier, name: str, operator: str, span: Span, left: Typed, right: Typed) -> Typed:
    shape = unifier.fresh_shape()
    if not (unifier.same_type(left[1], right[1]) and unifier.same_type(left[1], Real(shape))):
        raise operands_differ(unifier, span, operator, left, right, "two arrays of one shape")
    return _call(name, (shape,), span, left[0], right[0])


def _scale(unifier: Unifier, operator: str, span: Span, left: Typed, right: Typed) -> Typed:
    shape = unifier.fresh_shape()
    if not (unifier.same_type(left[1], SCALAR) and unifier.same_type(right[1], Real(shape))):
        raise operands_differ(unifier, span, operator, left, right, "a scalar and an array")
    return _call("scale", (shape,), span, left[0], right[0])


def _matmul(unifier: Unifier, span: Span, left: Typed, right: Typed) -> Typed:
    m, k, n = (unifier.fresh_dim(name) for name in "mkn")
    rank = _rank(unifier, right[1])
    if rank in (1, 2) and _rank(unifier, left[1]) == 2:
        f = member("matmul", rank - 1, (m, k) if rank == 1 else (m, k, n))
        if unifier.same_type(Product((left[1], right[1])), f.domain):
            return Call(f, Tuple((left[0], right[0]), span=span), span=span), f.codomain
    expected = "a matrix Real(m, n) and a vector Real(n), or two matrices Real(m, k) and Real(k, n)"
    raise operands_differ(unifier, span, "@", left, right, expected)


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
