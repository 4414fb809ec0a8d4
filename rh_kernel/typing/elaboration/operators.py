"""Infix operators on terms, resolved to function symbols by the types of their operands (LANGUAGE §1)."""

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Call, Term, Tuple
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.types import SCALAR, Product, Real, Shape, ShapeMeta, ShapeVar, Type, TypeMeta
from rh_kernel.typing.context import Context
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import transpose_hint
from rh_kernel.typing.diagnostics.origins import chosen, described, operand_notes
from rh_kernel.typing.diagnostics.quick_fixes import matmul_advice, operand_advice
from rh_kernel.typing.elaboration.functions import member
from rh_kernel.typing.errors import OperandsDiffer
from rh_kernel.typing.unification.unify import Unifier

Typed = tuple[Term, Type]


def negate(unifier: Unifier, span: Span, M: Term, A: Type) -> Typed:
    """``-M``"""
    shape = unifier.fresh_shape()
    if not unifier.unify_types(A, Real(shape)):
        hint = "take the tuple apart first: `let (x, y) <- … in (-x, -y)`"
        (found,) = unifier.show(A)
        raise Rejected(OperandsDiffer(span=span, why="`-` does not apply to this", found=found, expected="an array", hint=hint))
    return _call(unifier, "neg", (shape,), span, M)


def transpose(unifier: Unifier, span: Span, M: Term, A: Type) -> Typed:
    """``Mᵀ`` of a matrix"""
    m, n = unifier.fresh_dim("m"), unifier.fresh_dim("n")
    if not unifier.unify_types(A, Real((m, n))):
        (found,) = unifier.show(A)
        hint = transpose_hint(unifier.type(A))
        why, expected = "only a matrix has a transpose", "a matrix, Real(m, n)"
        raise Rejected(OperandsDiffer(span=span, why=why, found=found, expected=expected, hint=hint))
    return _call(unifier, "transpose", (m, n), span, M)


def binary(cx: Context, unifier: Unifier, e: s.Binary, left: Typed, right: Typed) -> Typed:
    """``M op N`` for every operator except ``//``, and for ``+`` where the ``M + N`` of the calculus does not apply.

    Raises ``Rejected``.
    """
    made, expected = _function_call(unifier, e, left, right)
    if made is None:
        raise _operands_differ(cx, unifier, e, left[1], right[1], expected)
    return made


def _function_call(unifier: Unifier, e: s.Binary, left: Typed, right: Typed) -> tuple[Typed | None, str]:
    """The application of a function symbol, or ``None``; and a description of the operands that it takes."""
    span = e.span
    match e.operator:
        case s.BinaryOperator.PLUS:
            return None, "two operands of the same type"
        case s.BinaryOperator.MINUS:
            return _entrywise(unifier, "sub", span, left, right)
        case s.BinaryOperator.DOT:
            return _scale(unifier, span, left, right)
        case s.BinaryOperator.TIMES:
            if _is_scalar(unifier, left[1]):
                return _scale(unifier, span, left, right)
            return _entrywise(unifier, "mul", span, left, right)
        case s.BinaryOperator.DIVIDE:
            if _is_scalar(unifier, right[1]) and not _is_scalar(unifier, left[1]):
                inverse = _call(unifier, "recip", (SCALAR.shape,), span, right[0])
                return _scale(unifier, span, inverse, left)
            return _entrywise(unifier, "div", span, left, right)
        case s.BinaryOperator.MATMUL:
            return _matmul(unifier, span, left, right)
        case s.BinaryOperator.FLOOR:
            raise ValueError(f"{e.operator} is no sugar for a function symbol")


def _operands_differ(cx: Context, unifier: Unifier, e: s.Binary, left: Type, right: Type, expected: str) -> Rejected:
    """The diagnostic for incompatible operands, with both types and their origins."""
    operator = e.operator.value
    A, B = unifier.type(left), unifier.type(right)
    matmul = "{} @ {}".format
    advice = matmul_advice(e.span, e.left, e.right, A, B, matmul) if operator == "@" else operand_advice(e, A, B)
    found = described(unifier, A, B)
    why = f"the operands of `{operator}` are incompatible"
    notes = chosen(e.span, operand_notes(cx, unifier, e.left, A), operand_notes(cx, unifier, e.right, B))
    rule = TypingRule.T_PLUS if e.operator is s.BinaryOperator.PLUS else TypingRule.T_FUNC
    return Rejected(
        OperandsDiffer(
            span=e.span, why=why, found=found, expected=expected, hint=advice.hint, fix=advice.fix, notes=notes, rule=rule.cited
        )
    )


def _call(unifier: Unifier, name: str, at: tuple[Shape | Dim, ...], span: Span, *arguments: Term) -> Typed:
    f = member(name, 0, unifier.at(at))
    argument = arguments[0] if len(arguments) == 1 else Tuple(arguments, span=span)
    return Call(f, argument, span=span), f.codomain


def _entrywise(unifier: Unifier, name: str, span: Span, left: Typed, right: Typed) -> tuple[Typed | None, str]:
    shape = unifier.fresh_shape()
    fit = unifier.unify_types(left[1], right[1]) and unifier.unify_types(left[1], Real(shape))
    return _call(unifier, name, (shape,), span, left[0], right[0]) if fit else None, "two arrays of the same shape"


def _scale(unifier: Unifier, span: Span, left: Typed, right: Typed) -> tuple[Typed | None, str]:
    shape = unifier.fresh_shape()
    fit = unifier.unify_types(left[1], SCALAR) and unifier.unify_types(right[1], Real(shape))
    return _call(unifier, "scale", (shape,), span, left[0], right[0]) if fit else None, "a scalar and an array"


def _matmul(unifier: Unifier, span: Span, left: Typed, right: Typed) -> tuple[Typed | None, str]:
    expected = "a matrix Real(m, n) and a vector Real(n), or two matrices Real(m, k) and Real(k, n)"
    m, k, n = (unifier.fresh_dim(name) for name in "mkn")
    rank = _rank(unifier, right[1])
    if rank in (1, 2) and _rank(unifier, left[1]) == 2:
        f = member("matmul", rank - 1, (m, k) if rank == 1 else (m, k, n))
        if unifier.unify_types(Product((left[1], right[1])), f.domain):
            f = member("matmul", rank - 1, unifier.at(f.at))
            return (Call(f, Tuple((left[0], right[0]), span=span), span=span), f.codomain), expected
    return None, expected


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
