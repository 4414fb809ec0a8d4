"""Bidirectional elaboration of terms: ``Γ, Δ ⊢ M : A`` (RH Fig. 2), with ``infer`` to find A and ``check`` for a given A.

Patterns and infix operators are sugar, which the core lacks; they are resolved here (RH Def. 3.4, LANGUAGE §1).
"""

from dataclasses import replace

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Bound, Call, If, Let, Plus, Primitive, Proj, Rd, Term, Tuple, Zero
from rh_kernel.syntax.runtime_errors import COMPONENTS, too_many_components
from rh_kernel.syntax.types import SCALAR, UNIT, Product, Real, Type, TypeMeta
from rh_kernel.syntax.values import UNIT_VALUE, constant, constant_type
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import (
    ConstDefinition,
    FunDefinition,
    NetDefinition,
    NumberDefinition,
    OpDefinition,
    kind_of,
)
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import NO_EXPECTATION, Expectation
from rh_kernel.typing.diagnostics.layers import bind_first, command_in_term
from rh_kernel.typing.diagnostics.origins import chosen, names_of, operand_notes, origins
from rh_kernel.typing.diagnostics.quick_fixes import sign, type_mismatch_advice
from rh_kernel.typing.diagnostics.shared import (
    argument_expectation,
    comment_intended,
    in_scope,
    no_such_thing,
    out_of_reach,
    quoted,
    types_differ,
    wrong_arguments,
    wrong_kind,
)
from rh_kernel.typing.elaboration import operators
from rh_kernel.typing.elaboration.arrays import array_literal, number
from rh_kernel.typing.elaboration.conditionals import elaborate_conditional
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.functions import (
    argument_of,
    arguments_span,
    check_needs,
    check_size,
    function_names,
    resolve_function,
)
from rh_kernel.typing.elaboration.patterns import Opened, open_name, open_patterns
from rh_kernel.typing.elaboration.sequences import elaborate_map
from rh_kernel.typing.errors import CommandInTerm, NoSuchComponent, NotADimension, PatternDoesNotFit
from rh_kernel.typing.unification.unify import Unifier

_INFIX = frozenset(s.BinaryOperator) - {s.BinaryOperator.FLOOR}


class Terms:
    """The judgment for terms, over one set of metavariables."""

    def __init__(self, unifier: Unifier) -> None:
        self.unifier = unifier
        # Cache of built-in symbols applied to variables of known types, so that each is resolved once.
        self._met: dict[tuple[str, tuple[Type, ...]], Primitive] = {}

    def check(self, cx: Context, e: s.Expr, A: Type, asked: Expectation = NO_EXPECTATION) -> Term:
        """Return M with ``Γ, Δ ⊢ M : A``; ``asked`` explains A. Raises ``Rejected``."""
        match e, self.unifier.head(A):
            case s.Number("0"), _:
                return Zero(A, span=e.span)
            case s.TupleExpr(items), Product(factors) if len(items) == len(factors):
                siblings, parts = ErrorCollector(self.unifier), list[Term]()
                for i, (item, B) in enumerate(zip(items, factors, strict=True), start=1):
                    with siblings:
                        parts.append(self.check(cx, item, B, asked.part(i)))
                siblings.raise_errors()
                return Tuple(tuple(parts), span=e.span)
            case s.LetExpr(arrow=s.Arrow.TERM), _:
                return self._let(cx, e, A, asked)[0]
            case s.IfExpr(), _:
                return self._conditional(cx, e, A, asked)[0]
            case _:
                M, B = self.infer(cx, e)
                self.same(cx, B, A, e, asked)
                return M

    def infer(self, cx: Context, e: s.Expr) -> tuple[Term, Type]:
        """Return M and A with ``Γ, Δ ⊢ M : A``. Raises ``Rejected``."""
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
                return self._tuple(cx, items, e.span)
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
                return self._let(cx, e, None, NO_EXPECTATION)
            case s.IfExpr():
                return self._conditional(cx, e, None, NO_EXPECTATION)
            case s.MapExpr():
                return elaborate_map(cx, self.unifier, e, self.infer)
            case (
                s.LetExpr()
                | s.ReturnExpr()
                | s.RevHandleExpr()
                | s.HandleExpr()
                | s.ResumeExpr()
                | s.ScanExpr()
                | s.RepeatExpr()
            ):
                raise command_in_term(e)
            case s.Family(head):
                names = function_names(cx)
                raise no_such_thing(cx, head.text, e.span, "a term", names, "give it an argument in round brackets")

    def same(self, cx: Context, found: Type, expected: Type, e: s.Expr, asked: Expectation = NO_EXPECTATION) -> None:
        """Unify the inferred type with the expected one. Raises ``Rejected``."""
        if not self.unifier.unify_types(found, expected):
            story = origins(cx, self.unifier, e)
            advice = type_mismatch_advice(e, self.unifier.type(found), self.unifier.type(expected))
            asked = replace(asked, hint=advice.hint or asked.hint)
            raise types_differ(self.unifier, e.span, quoted(e.span), found, expected, asked, story, advice.fix)

    def _variable(self, cx: Context, name: str, span: Span) -> tuple[Term, Type]:
        found = cx.look_up(name)
        if found is not None:
            index, entry = found
            if entry.barred:
                raise out_of_reach(entry, span)
            if entry.zone is Zone.CONTINUATION:
                raise wrong_kind(cx, name, span, "a continuation", "a term")
            if self.unifier.is_poison(entry.type):
                raise Rejected
            return Bound(index, name, span=span), entry.type
        match cx.definitions.get(name):
            case ConstDefinition(_, A, M) if not (name in (cx.dims or {}) or name in (cx.locations or {})):
                return M, A
            case NumberDefinition(_, value) if not (name in (cx.dims or {}) or name in (cx.locations or {})):
                return constant(value), SCALAR
            case _:
                names = [*cx.variables(), *cx.declared(ConstDefinition, NumberDefinition)]
                raise no_such_thing(cx, name, span, "a term", names, in_scope(cx, name))

    def _apply(self, cx: Context, e: s.Apply) -> tuple[Term, Type]:
        name = e.head.text
        local = cx.look_up(name)
        if local is not None:
            if local[1].zone is Zone.CONTINUATION:
                raise Rejected(CommandInTerm(span=e.span, what="applying a continuation", hint=bind_first(e)))
            raise wrong_kind(cx, name, e.head.span, "a variable", "a function")
        match cx.definitions.get(name):
            case OpDefinition() | NetDefinition() as d:
                raise Rejected(CommandInTerm(span=e.span, what=f"`{name}`, {kind_of(d)},", hint=bind_first(e)))
            case None | FunDefinition():
                return self._call(cx, e)
            case _ as d:
                raise wrong_kind(cx, name, e.head.span, kind_of(d), "a function")

    def _call(self, cx: Context, e: s.Apply) -> tuple[Term, Type]:
        variables = self._variables(cx, e.arguments) if not e.indices else None
        if variables is None:
            return self._symbol(cx, e)
        key = e.head.text, tuple([A for _, A in variables])
        f = self._met.get(key)
        if f is None:
            M, B = self._symbol(cx, e)
            if isinstance(M, Call) and isinstance(M.function, Primitive) and M.function.domain.is_concrete and B.is_concrete:
                self._met[key] = M.function
            return M, B
        parts = tuple([x for x, _ in variables])
        M = Call(f, parts[0] if len(parts) == 1 else Tuple(parts, span=arguments_span(e)), span=e.span)
        self.unifier.uses.append((e.span, M))
        return M, f.codomain

    def _variables(self, cx: Context, arguments: tuple[s.Expr, ...]) -> list[tuple[Bound, Type]] | None:
        """The arguments if all are accessible variables of known types, with these types; ``None`` otherwise."""
        found: list[tuple[Bound, Type]] = []
        for e in arguments:
            place = cx.look_up(e.name) if isinstance(e, s.Var) else None
            if place is None or place[1].barred or place[1].zone is Zone.CONTINUATION:
                return None
            A = self.unifier.head(place[1].type)
            if not A.is_concrete:
                return None
            found.append((Bound(place[0], place[1].name, span=e.span), A))
        return found or None

    def _symbol(self, cx: Context, e: s.Apply) -> tuple[Term, Type]:
        candidate, argument = resolve_function(cx, self.unifier, e, lambda: self.infer(cx, argument_of(e)))
        f = candidate.function
        check_needs(cx, self.unifier, f, e)
        M = self.arguments(cx, e, f.domain) if argument is None else argument
        check_size(cx, self.unifier, candidate, e)
        f = self.unifier.function(f)
        call = Call(f, M, span=e.span)
        self.unifier.uses.append((e.span, call))
        return call, f.codomain

    def arguments(self, cx: Context, e: s.Apply, A: Type) -> Term:
        """The arguments of a function, operation or net with input type A, as one term. Raises ``Rejected``."""
        wanted = self.unifier.head(A)
        count = len(wanted.factors) if isinstance(wanted, Product) else 0 if wanted == UNIT else 1
        match e.arguments:
            case ():
                if count and not isinstance(wanted, TypeMeta):
                    raise wrong_arguments(cx, self.unifier, e, A, count)
                return self.check(cx, s.Unit(span=e.span), A)
            case (s.Var(name) as one,) if count == 1:
                M, B = self._variable(cx, name, one.span)
                if not self.unifier.unify_types(B, A):
                    self.same(cx, B, A, one, argument_expectation(cx, self.unifier, e, 0))
                return M
            case (one,):
                if count != 1 and not isinstance(one, s.TupleExpr | s.LetExpr | s.Unit) and one != s.Number("0", span=e.span):
                    M, B = self.infer(cx, one)
                    if isinstance(self.unifier.head(B), Real) and not self.unifier.is_unifiable(B, A):
                        raise wrong_arguments(cx, self.unifier, e, A, count)
                    self.same(cx, B, A, one, argument_expectation(cx, self.unifier, e, 0))
                    return M
                return self.check(cx, one, A, argument_expectation(cx, self.unifier, e, 0))
            case many:
                span = arguments_span(e)
                if isinstance(wanted, TypeMeta):
                    return self.check(cx, s.TupleExpr(many, span=span), A)
                if count != len(many) or not isinstance(wanted, Product):
                    raise wrong_arguments(cx, self.unifier, e, A, count)
                siblings, parts = ErrorCollector(self.unifier), list[Term]()
                for i, (item, B) in enumerate(zip(many, wanted.factors, strict=True), start=1):
                    with siblings:
                        parts.append(self.check(cx, item, B, argument_expectation(cx, self.unifier, e, i)))
                siblings.raise_errors()
                return Tuple(tuple(parts), span=span)

    def _tuple(self, cx: Context, items: tuple[s.Expr, ...], span: Span) -> tuple[Term, Type]:
        siblings, inferred = ErrorCollector(self.unifier), list[tuple[Term, Type]]()
        for item in items:
            with siblings:
                inferred.append(self.infer(cx, item))
        siblings.raise_errors()
        A = Product(tuple([self.unifier.head(A) for _, A in inferred]))
        if A.leaves > COMPONENTS:
            raise too_many_components(A.leaves, span)
        return Tuple(tuple([M for M, _ in inferred]), span=span), A

    def _binary(self, cx: Context, e: s.Binary) -> tuple[Term, Type]:
        if e.operator is s.BinaryOperator.FLOOR:
            comment = comment_intended(cx, e)
            if comment is not None:
                raise comment
            why = "`//` divides dimensions, not terms"
            fix = sign(e.left.span, e.right.span, "//", "/")
            raise Rejected(NotADimension(span=e.span, why=why, hint="divide terms with `/`", fix=fix))
        spine = [(each, ErrorCollector(self.unifier)) for each in s.spine(e, _INFIX)]
        for _, siblings in reversed(spine):
            siblings.open()
        left: tuple[Term, Type] | Rejected
        try:
            left = self.infer(cx, spine[0][0].left)
        except Rejected as failure:
            left = failure
        for each, siblings in spine:
            try:
                left = self._combined(cx, each, siblings, left)
            except Rejected as failure:
                left = failure
        if isinstance(left, Rejected):
            raise left
        return left

    def _combined(
        self, cx: Context, e: s.Binary, siblings: ErrorCollector, left: tuple[Term, Type] | Rejected
    ) -> tuple[Term, Type]:
        """Elaborate ``e``, given its elaborated left operand or the error in it."""
        siblings.close(left if isinstance(left, Rejected) else None)
        right: list[tuple[Term, Type]] = []
        with siblings:
            right.append(self.infer(cx, e.right))
        siblings.raise_errors()
        if isinstance(left, Rejected):
            raise left
        (M, A), (N, B) = left, right[0]
        if e.operator is s.BinaryOperator.PLUS and self.unifier.unify_types(A, B):
            return Plus(M, N, span=e.span), A
        return operators.binary(cx, self.unifier, e, (M, A), (N, B))

    def _projection(self, cx: Context, e: s.Expr, index: int, operand: s.Expr) -> tuple[Term, Type]:
        M, A = self.infer(cx, operand)
        match self.unifier.head(A):
            case Product(factors) if 1 <= index <= len(factors):
                return Proj(index, len(factors), M, span=e.span), factors[index - 1]
            case other:
                (found,) = self.unifier.show(other)
                expected = f"a product of at least {max(index, 2)} types" if index else "a component from 1 on"
                hint = "" if isinstance(other, Product) else "only tuples have components, not arrays"
                notes = chosen(e.span, operand_notes(cx, self.unifier, operand, A))
                raise Rejected(
                    NoSuchComponent(
                        span=e.span,
                        index=index,
                        found=found,
                        expected=expected,
                        hint=hint,
                        notes=notes,
                        rule=TypingRule.T_PROJ.cited,
                    )
                )

    def _reverse_derivative(self, cx: Context, e: s.ReverseDerivative) -> tuple[Term, Type]:
        V, A = self.infer(cx, e.point)
        opened = open_patterns(cx, self.unifier, ((e.variable, A),), Zone.DELTA)
        N, B = self.infer(opened.context, e.body)
        by, hint = "the type of N in `W.rd(x. N)(V)`", "the cotangent W has the type of the result"
        story = operand_notes(opened.context, self.unifier, e.body, B)
        W = self.check(cx, e.cotangent, B, Expectation(by, hint, lambda: story, TypingRule.T_RD.cited))
        return Rd(W, opened.term_scope(N), V, span=e.span), A

    def _let(self, cx: Context, e: s.LetExpr, A: Type | None, asked: Expectation) -> tuple[Term, Type]:
        """Elaborate a spine of lets in a loop, so that long programs need no deep recursion."""
        spine: list[tuple[s.LetExpr, Term, Opened]] = []
        siblings = ErrorCollector(self.unifier)
        body: s.Expr = e
        while isinstance(body, s.LetExpr) and body.arrow is s.Arrow.TERM:
            found: tuple[Term, Type] | None = None
            with siblings:
                found = self.infer(cx, body.bound)
            M, B = found or wrong(self.unifier)
            opened = open_let_pattern(cx, self.unifier, siblings, body, B)
            spine.append((body, M, opened))
            cx, body = opened.context, body.body
        head: list[tuple[Term, Type]] = []
        with siblings:
            head.append(self.infer(cx, body) if A is None else (self.check(cx, body, A, asked), A))
        siblings.raise_errors()
        ((N, C),) = head
        for written, M, opened in reversed(spine):
            N = Let(M, opened.term_scope(N), span=written.span)
        return N, C

    def _conditional(self, cx: Context, e: s.IfExpr, A: Type | None, asked: Expectation) -> tuple[Term, Type]:
        def branch(e: s.Expr, A: Type | None, asked: Expectation) -> tuple[Term, Type]:
            return self.infer(cx, e) if A is None else (self.check(cx, e, A, asked), A)

        found = elaborate_conditional(self.unifier, cx, e, A, asked, self.check, branch)
        return If(found.condition, found.operands, found.then, found.otherwise, span=e.span), found.type


def wrong(unifier: Unifier) -> tuple[Term, Type]:
    """A placeholder for a term with an error, until all errors are collected."""
    A = unifier.poison()
    return Zero(A), A


def open_let_pattern(cx: Context, unifier: Unifier, siblings: ErrorCollector, e: s.LetExpr, A: Type) -> Opened:
    """Open the pattern of a let for a value of type A; if it does not match, bind its names as erroneous."""
    if isinstance(e.pattern, s.NamePattern):
        return open_name(cx, e.pattern, A, Zone.DELTA)
    with siblings:
        try:
            return open_patterns(cx, unifier, ((e.pattern, A),), Zone.DELTA)
        except Rejected as failure:
            notes = chosen(e.pattern.span, operand_notes(cx, unifier, e.bound, A))
            amended = (replace(d, notes=notes) if isinstance(d, PatternDoesNotFit) else d for d in failure.diagnostics)
            raise Rejected(*amended) from None
    poisoned = (Entry(x.name, unifier.poison(), Zone.DELTA, span=x.span) for x in names_of(e.pattern))
    return Opened((), (), cx.bind(*poisoned))
