"""Elaboration of terms: ``Γ, Δ ⊢ M : A`` (RH Fig. 2) from what was written, in two modes: ``infer`` finds A, ``check`` is given it.

The core has neither patterns nor infix operators: those are sugar, resolved here (RH Def. 3.4, LANGUAGE §1).
"""

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Bound, Call, Let, Plus, Proj, Rd, Term, Tuple, Zero
from rh_kernel.syntax.types import SCALAR, UNIT, Product, Type, TypeMeta
from rh_kernel.syntax.values import UNIT_VALUE, constant_type
from rh_kernel.typing import operators
from rh_kernel.typing.arrays import array_literal, number
from rh_kernel.typing.context import Context, Zone
from rh_kernel.typing.definitions import (
    ConstDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
    kind_of,
)
from rh_kernel.typing.dimensions import unknown_name
from rh_kernel.typing.errors import (
    CommandInTerm,
    NoSuchComponent,
    NotADimension,
    OutOfReach,
    TypesDiffer,
    WrongKindOfName,
)
from rh_kernel.typing.functions import check_size, function_names, resolve_function
from rh_kernel.typing.patterns import Opened, open_patterns
from rh_kernel.typing.unify import Unifier


class Terms:
    """The two modes of elaboration, over one set of unknowns."""

    def __init__(self, unifier: Unifier) -> None:
        self.unifier = unifier

    def check(self, cx: Context, e: s.Expr, A: Type) -> Term:
        """M with ``Γ, Δ ⊢ M : A``. Raises ``Rejected``."""
        match e, self.unifier.head(A):
            case s.Number("0"), _:
                return Zero(A, span=e.span)
            case s.TupleExpr(items), Product(factors) if len(items) == len(factors):
                checked = tuple(self.check(cx, item, B) for item, B in zip(items, factors, strict=True))
                return Tuple(checked, span=e.span)
            case s.LetExpr(arrow=s.Arrow.TERM), _:
                return self._let(cx, e, A)[0]
            case _:
                M, B = self.infer(cx, e)
                self.same(B, A, e)
                return M

    def infer(self, cx: Context, e: s.Expr) -> tuple[Term, Type]:
        """M and A with ``Γ, Δ ⊢ M : A``. Raises ``Rejected``."""
        match e:
            case s.Var(name):
                return self._variable(cx, name, e.span)
            case s.Number("0"):
                A = self.unifier.fresh_type()
                return Zero(A, span=e.span), A
            case s.Number() | s.Negate(s.Number()):
                return number(e), SCALAR
            case s.ArrayLiteral():
                c = array_literal(e)
                return c, constant_type(c)
            case s.Unit():
                return UNIT_VALUE, UNIT
            case s.TupleExpr(items):
                inferred = [self.infer(cx, item) for item in items]
                return Tuple(tuple(M for M, _ in inferred), span=e.span), Product(tuple(A for _, A in inferred))
            case s.Apply():
                return self._apply(cx, e)
            case s.Negate(operand):
                M, A = self.infer(cx, operand)
                return operators.negate(self.unifier, e.span, M, A)
            case s.Binary():
                return self._binary(cx, e)
            case s.Transpose(operand):
                M, A = self.infer(cx, operand)
                return operators.transpose(self.unifier, e.span, M, A)
            case s.Projection(index, operand):
                return self._projection(cx, e, index, operand)
            case s.ReverseDerivative():
                return self._reverse_derivative(cx, e)
            case s.LetExpr(arrow=s.Arrow.TERM):
                return self._let(cx, e, None)
            case s.LetExpr():
                hint = "a pure `let` is written `let x <- M in N`; to use a command here, bind it outside with `let x <= P in …`"
                raise Rejected(CommandInTerm(span=e.span, what="`let … ⇐ …`", hint=hint))
            case s.ReturnExpr():
                raise Rejected(CommandInTerm(span=e.span, what="`return`", hint="inside a term, leave `return` out"))
            case s.RevHandleExpr() | s.HandleExpr():
                hint = "bind its result first: `let x <= rev handle … in …`"
                raise Rejected(CommandInTerm(span=e.span, what="handling", hint=hint))
            case s.ResumeExpr():
                hint = "bind its result first: `let y <= k • M in …`"
                raise Rejected(CommandInTerm(span=e.span, what="a continuation's use", hint=hint))
            case s.Family(head):
                raise unknown_name(cx, head.text, e.span, hint="give it an argument in round brackets")

    def same(self, found: Type, expected: Type, e: s.Expr, what: str = "") -> None:
        """Make the type that was found the type that is asked for. Raises ``Rejected``."""
        if self.unifier.same_type(found, expected):
            return
        text = e.span.text
        what = what or (f"`{text}`" if len(text) <= 40 and "\n" not in text else "this")
        A, B = self.unifier.type(found), self.unifier.type(expected)
        raise Rejected(TypesDiffer(span=e.span, what=what, found=str(A), expected=str(B), hint=operators.mismatch_hint(A, B)))

    def _variable(self, cx: Context, name: str, span: Span) -> tuple[Term, Type]:
        found = cx.look_up(name)
        if found is not None:
            index, entry = found
            if entry.barred:
                raise Rejected(OutOfReach(span=span, name=name, where=entry.barred, hint=_way_in(entry.barred)))
            if entry.zone is Zone.CONTINUATION:
                hint = f"apply it: `{name} • M`"
                raise Rejected(WrongKindOfName(span=span, name=name, is_a="a continuation", wanted="a term", hint=hint))
            return Bound(index, name, span=span), entry.type
        if name in (cx.dims or {}) or name in (cx.locations or {}):
            is_a = "a dimension" if name in (cx.dims or {}) else "a location"
            hint = "a location's content is read with `let w <= Get[…]() in …`" if is_a == "a location" else ""
            raise Rejected(WrongKindOfName(span=span, name=name, is_a=is_a, wanted="a term", hint=hint))
        match cx.definitions.get(name):
            case ConstDefinition(_, A, M):
                return M, A
            case LocDefinition() as d:
                hint = f"a location's content is read with `let w <= Get[{name}]() in …`"
                raise Rejected(WrongKindOfName(span=span, name=name, is_a=kind_of(d), wanted="a term", hint=hint))
            case None:
                if name in function_names():
                    hint = f"give it an argument: `{name}(x)`"
                    raise Rejected(WrongKindOfName(span=span, name=name, is_a="a function", wanted="a term", hint=hint))
                raise unknown_name(cx, name, span)
            case other:
                raise Rejected(WrongKindOfName(span=span, name=name, is_a=kind_of(other), wanted="a term"))

    def _apply(self, cx: Context, e: s.Apply) -> tuple[Term, Type]:
        name = e.head.text
        local = cx.look_up(name)
        if local is not None:
            is_a = "a continuation" if local[1].zone is Zone.CONTINUATION else "a variable"
            if is_a == "a continuation":
                raise Rejected(CommandInTerm(span=e.span, what="a continuation's use", hint="bind it: `let y <= k • M in …`"))
            raise Rejected(WrongKindOfName(span=e.head.span, name=name, is_a=is_a, wanted="a function"))
        match cx.definitions.get(name):
            case OpDefinition() | NetDefinition() as d:
                hint = f"bind its result first: `let y <= {name}… in …`"
                raise Rejected(CommandInTerm(span=e.span, what=f"`{name}`, {kind_of(d)},", hint=hint))
            case None | FunDefinition():
                return self._call(cx, e)
            case HandlerDefinition() as d:
                hint = f"a handler is used in `rev handle (M) <x>. R with {name}`"
                raise Rejected(WrongKindOfName(span=e.head.span, name=name, is_a=kind_of(d), wanted="a function", hint=hint))
            case other:
                raise Rejected(WrongKindOfName(span=e.head.span, name=name, is_a=kind_of(other), wanted="a function"))

    def _call(self, cx: Context, e: s.Apply) -> tuple[Term, Type]:
        argument = s.Unit(span=e.span) if not e.arguments else e.arguments[0]
        if len(e.arguments) > 1:
            argument = s.TupleExpr(e.arguments, span=e.arguments[0].span.to(e.arguments[-1].span))
        candidate = resolve_function(cx, self.unifier, e, lambda: self.infer(cx, argument)[1])
        f = candidate.function
        M = self._argument(cx, e, argument, f.domain)
        check_size(self.unifier, candidate, e.span)
        call = Call(f, M, span=e.span)
        self.unifier.uses.append((e.span, call))
        return call, f.codomain

    def _argument(self, cx: Context, e: s.Apply, argument: s.Expr, A: Type) -> Term:
        wanted = self.unifier.head(A)
        if isinstance(argument, s.TupleExpr) and len(e.arguments) > 1:
            count = len(wanted.factors) if isinstance(wanted, Product) else 1
            if count != len(argument.items) and not isinstance(wanted, TypeMeta):
                raise operators.wrong_arguments(e, count, len(argument.items))
        elif not e.arguments and wanted != UNIT and not isinstance(wanted, TypeMeta):
            raise operators.wrong_arguments(e, len(wanted.factors) if isinstance(wanted, Product) else 1, 0)
        return self.check(cx, argument, A)

    def _binary(self, cx: Context, e: s.Binary) -> tuple[Term, Type]:
        if e.operator is s.BinaryOperator.FLOOR:
            hint = "`//` belongs to dimensions; reals are divided with `/`"
            raise Rejected(NotADimension(span=e.span, found="a term", expected="a dimension", hint=hint))
        (M, A), (N, B) = self.infer(cx, e.left), self.infer(cx, e.right)
        if e.operator is s.BinaryOperator.PLUS:
            if not self.unifier.same_type(A, B):
                raise operators.operands_differ(self.unifier, e.span, "+", A, B)
            return Plus(M, N, span=e.span), A
        return operators.binary(self.unifier, e.operator, e.span, (M, A), (N, B))

    def _projection(self, cx: Context, e: s.Expr, index: int, operand: s.Expr) -> tuple[Term, Type]:
        M, A = self.infer(cx, operand)
        match self.unifier.head(A):
            case Product(factors) if 1 <= index <= len(factors):
                return Proj(index, len(factors), M, span=e.span), factors[index - 1]
            case other:
                found = str(self.unifier.type(other))
                expected = f"a product of at least {max(index, 2)} types" if index else "a component from 1 on"
                raise Rejected(NoSuchComponent(span=e.span, index=index, found=found, expected=expected))

    def _reverse_derivative(self, cx: Context, e: s.ReverseDerivative) -> tuple[Term, Type]:
        V, A = self.infer(cx, e.point)
        opened = open_patterns(cx, self.unifier, ((e.variable, A),), Zone.DELTA)
        N, B = self.infer(opened.context, e.body)
        W = self.check(cx, e.cotangent, B)
        return Rd(W, opened.term_scope(N), V, span=e.span), A

    def _let(self, cx: Context, e: s.LetExpr, A: Type | None) -> tuple[Term, Type]:
        """A whole spine of lets in a loop, so that long programs need no deep recursion."""
        spine: list[tuple[s.LetExpr, Term, Opened]] = []
        body: s.Expr = e
        while isinstance(body, s.LetExpr) and body.arrow is s.Arrow.TERM:
            M, B = self.infer(cx, body.bound)
            opened = open_patterns(cx, self.unifier, ((body.pattern, B),), Zone.DELTA)
            spine.append((body, M, opened))
            cx, body = opened.context, body.body
        N, C = self.infer(cx, body) if A is None else (self.check(cx, body, A), A)
        for written, M, opened in reversed(spine):
            N = Let(M, opened.term_scope(N), span=written.span)
        return N, C


def _way_in(where: str) -> str:
    if "rev handle" in where:
        return "hand it in: `rev handle (M, x) <u, x>. … with H` binds it inside"
    return "give the handler a parameter for it, or pass it through the auxiliary data"

