"""Elaboration of surface terms: infer types, make the names of binders unique, and remove sugar.

Sums and products of arrays and tuples become operations on numbers (``arithmetic``), and calls of declared functions are
inlined. Raises ``Rejected``.
"""

from collections.abc import Mapping
from typing import TypeAlias

from rh_kernel.ad.language import core, diagnostics
from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.arithmetic import pointwise, zero
from rh_kernel.ad.language.calls import InliningBudget
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.parsing import WORDS
from rh_kernel.ad.language.parsing_types import ARROWS
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import SCALAR, UNIT, Function, Product, Real, Sum, Type, is_ground, product
from rh_kernel.ad.language.unification import Unknowns, with_solved_types
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import NamePattern, Pattern, TuplePattern
from rh_kernel.typing.diagnostics.shared import recursive
from rh_kernel.typing.errors import (
    NameTwice,
    NoSuchComponent,
    OperandsDiffer,
    TypesDiffer,
    Undetermined,
    WrongKindOfName,
)

Functions: TypeAlias = Mapping[str, core.Program]
"""The declared functions."""

Scope: TypeAlias = Mapping[str, tuple[str, Type]]
"""The name in the elaborated term of each name in the source, and its type."""

Typed: TypeAlias = tuple[core.Term, Type]

_ADDITIVE = frozenset({"add", "sub"})


def elaborate_function(item: s.FunItem, functions: Functions, elaboration: "Elaboration | None" = None) -> core.Program:
    """Elaborate ``fun f(x : A) : B = M``, by ``elaboration`` if one is given, which may record what it visits."""
    e = elaboration or Elaboration(functions)
    scope: dict[str, tuple[str, Type]] = {}
    parameters: list[tuple[str, Type]] = []
    for name, A in item.parameters:
        if name.text in scope:
            raise Rejected(NameTwice(span=name.span, name=name.text, hint="give each parameter a different name"))
        x = e.names.fresh(name.text)
        parameters.append((x, A))
        if name.text != "_":
            scope[name.text] = (x, A)
    try:
        M, B = e.term(item.body, scope, item.result)
    except Rejected as failure:
        raise recursive(failure, item.name.text) from None
    if item.result is not None:
        e.need(item.body.span, B, item.result, f"the body of `{item.name.text}`")
    return core.Program(item.name.text, tuple(parameters), e.unknowns.whole(item.result or B), with_solved_types(M, e.unknowns))


def elaborate_term(
    expression: s.Expr, functions: Functions, expected: Type | None = None, elaboration: "Elaboration | None" = None
) -> tuple[core.Term, Type]:
    """Elaborate a closed term, of the type ``expected`` if one is given; ``elaboration`` is as in ``elaborate_function``."""
    e = elaboration or Elaboration(functions)
    M, A = e.term(expression, {}, expected)
    if expected is not None:
        e.need(expression.span, A, expected)
    return with_solved_types(M, e.unknowns), e.unknowns.whole(A)


class Elaboration:
    """The elaboration of one item: its supply of names and its type variables."""

    def __init__(self, functions: Functions) -> None:
        self.functions, self.budget = functions, InliningBudget()
        # No variable has the name of a symbol, so that printed terms are unambiguous.
        self.names = Names((*SYMBOLS, *WORDS))
        self.unknowns = Unknowns()

    def need(self, span: Span, found: Type, wanted: Type, what: str = "this") -> None:
        """Unify ``found`` with ``wanted``. Raises ``Rejected`` if they have no common instance."""
        if not self.unknowns.unify(found, wanted):
            A, B = self.unknowns.shown(found), self.unknowns.shown(wanted)
            hint = ARROWS if any("→" in shown for shown in (A, B)) else ""
            raise Rejected(TypesDiffer(span=span, what=what, found=A, expected=B, hint=hint))

    def of(self, expression: s.Expr, scope: Scope, wanted: Type, what: str = "this") -> core.Term:
        """Elaborate a term of the type ``wanted``."""
        M, A = self.term(expression, scope, wanted)
        self.need(expression.span, A, wanted, what)
        return M

    def term(self, expression: s.Expr, scope: Scope, hint: Type | None = None) -> Typed:
        """Elaborate a term and infer its type; ``hint`` is the expected type, at which ``0`` is the zero."""
        match expression:
            case s.Number(value):
                A = None if hint is None else self.unknowns.known(hint)
                return (zero(A), A) if value == 0 and A is not None and is_ground(A) else (core.Constant(value), SCALAR)
            case s.Var(name):
                return self._name(name, expression.span, scope)
            case s.TupleExpr(items):
                hinted = None if hint is None else self.unknowns.known(hint)
                wanted = hinted.factors if isinstance(hinted, Product) and len(hinted.factors) == len(items) else None
                each = [self.term(M, scope, wanted[i] if wanted else None) for i, M in enumerate(items)]
                return core.Tuple(tuple(M for M, _ in each)), Product(tuple(A for _, A in each))
            case s.ArrayExpr(items):
                return core.Array(tuple(self.of(M, scope, SCALAR, "an entry") for M in items)), Real(len(items))
            case s.Negate(s.Number(value)) if value != 0:
                return core.Constant(-value), SCALAR
            case s.Negate(s.Number() as zero_):
                return self.term(zero_, scope, hint)
            case s.Negate() | s.Binary():
                return self._arithmetic(expression, scope, hint)
            case s.Projection(index, M):
                return self._projection(expression.span, index, *self.term(M, scope))
            case s.Entry(M, index):
                return self._entry(expression.span, index, M, scope)
            case s.Applied():
                return self._applied(expression, scope)
            case s.Abstraction(x, A, body):
                name = self.names.fresh(x.text)
                N, B = self.term(body, {**scope, x.text: (name, A)})
                return core.Lambda(name, A, N), Function(A, B)
            case s.LetExpr():
                return self._lets(expression, scope, hint)
            case s.InjectExpr(side, M):
                return self._inject(side, M, scope, hint)
            case s.CaseExpr():
                return self._case(expression, scope, hint)
            case s.IfExpr(smaller, larger, then, otherwise):
                L, R = self.of(smaller, scope, SCALAR), self.of(larger, scope, SCALAR)
                N, A = self.term(then, scope, hint)
                return core.If(L, R, N, self.of(otherwise, scope, A)), A
            case s.Former():
                return self._former(expression, scope, hint)

    def _name(self, name: str, span: Span, scope: Scope) -> Typed:
        if name in scope:
            x, A = scope[name]
            return core.Variable(x), A
        if name in self.functions:
            f = self.functions[name]
            x = self.names.fresh("x")
            body = self.budget.inline(f, core.Variable(x), self.names, span)
            return core.Lambda(x, f.domain, body), Function(f.domain, f.result)
        if name in SYMBOLS:
            k = SYMBOLS[name]
            A = product(*[SCALAR] * k)
            x = self.names.fresh("x")
            arguments = tuple(core.Projection(i + 1, core.Variable(x)) for i in range(k)) if k > 1 else (core.Variable(x),)
            return core.Lambda(x, A, core.Apply(name, arguments)), Function(A, SCALAR)
        raise diagnostics.unknown_name(name, span, (*(x for x in scope if x != "_"), *self.functions, *SYMBOLS, *WORDS))

    def _arithmetic(self, expression: s.Negate | s.Binary, scope: Scope, hint: Type | None) -> Typed:
        spine: list[s.Binary] = []
        first: s.Expr = expression
        while isinstance(first, s.Binary):
            spine.append(first)
            first = first.left
        if isinstance(first, s.Negate) and not isinstance(first.operand, s.Number):
            N, A = self.term(first.operand, scope, hint)
            M, A = pointwise("neg", self._ground(first.span, "-", self.unknowns.numeric(A)), (N,), self.names), A
        else:
            M, A = self.term(first, scope, hint if all(b.symbol in _ADDITIVE for b in spine) else None)
        for b in reversed(spine):
            M, A = self._binary(b, M, A, scope)
        return M, A

    def _binary(self, b: s.Binary, M: core.Term, A: Type, scope: Scope) -> Typed:
        additive = b.symbol in _ADDITIVE
        N, B = self.term(b.right, scope, A if additive else None)
        if additive and not (isinstance(b.left, s.Number) and b.left.value == 0):
            self.unknowns.unify(A, B)
        A, B = self.unknowns.numeric(A), self.unknowns.numeric(B)
        if additive and isinstance(b.left, s.Number) and b.left.value == 0 and is_ground(B):
            M, A = zero(B), B
        if b.symbol == "mul" and A == SCALAR and isinstance(B, Real) and B != SCALAR:
            x = self.names.fresh("x")
            if isinstance(M, core.Constant | core.Variable):
                return core.Map(x, core.Apply("mul", (M, core.Variable(x))), N), B
            a = self.names.fresh("a")
            return core.Let(a, M, core.Map(x, core.Apply("mul", (core.Variable(a), core.Variable(x))), N)), B
        self._ground(b.left.span, b.sign, A)
        if A != B or (not additive and not isinstance(A, Real)):
            raise diagnostics.operands_differ(b, A, B)
        return pointwise(b.symbol, A, (M, N), self.names), A

    def _ground(self, span: Span, sign: str, A: Type) -> Type:
        if not is_ground(A):
            raise diagnostics.not_ground(span, sign, A)
        return A

    def _projection(self, span: Span, index: int, M: core.Term, A: Type) -> Typed:
        match self.unknowns.known(A):
            case Product(factors) if index <= len(factors):
                return core.Projection(index, M), factors[index - 1]
            case _:
                hint = "A tuple `(M, N)` has components, `p.1` and `p.2`; an array has entries, `xs[0]`."
                raise Rejected(
                    NoSuchComponent(span=span, index=index, found=self.unknowns.shown(A), expected="a tuple", hint=hint)
                )

    def _entry(self, span: Span, index: int, operand: s.Expr, scope: Scope) -> Typed:
        M, n = self._array(operand, scope)
        if index >= n:
            expected = f"an index from 0 to {n - 1}" if n else "an array with an entry"
            found, hint = str(Real(n)), "entries are numbered from 0"
            raise Rejected(NoSuchComponent(span=span, index=index, found=found, expected=expected, hint=hint))
        return core.Index(M, index), SCALAR

    def _array(self, expression: s.Expr, scope: Scope) -> tuple[core.Term, int]:
        M, A = self.term(expression, scope)
        match self.unknowns.known(A):
            case Real(n):
                return M, n
            case None:
                hint = "declare the parameter that it depends on with a size, `xs : Real(3)`"
                raise Rejected(Undetermined(span=expression.span, what="how many entries this has", hint=hint))
            case _:
                found, hint = self.unknowns.shown(A), "An array is written `[1, 2]`; a component of a tuple is `p.1`."
                raise Rejected(TypesDiffer(span=expression.span, found=found, expected="an array Real(n)", hint=hint))

    def _applied(self, e: s.Applied, scope: Scope) -> Typed:
        head = e.function
        if isinstance(head, s.Var) and head.name not in scope:
            if head.name in self.functions:
                return self._call(self.functions[head.name], e, scope)
            if head.name in SYMBOLS:
                return self._symbol(head.name, e, scope)
        f, A = self.term(head, scope)
        match self.unknowns.known(A):
            case Function(B, C):
                argument = e.arguments[0] if len(e.arguments) == 1 else s.TupleExpr(e.arguments, span=e.span)
                return core.Call(f, self.of(argument, scope, B, "the argument")), C
            case _:
                name = head.span.text
                is_a = f"of type {self.unknowns.shown(A)}"
                hint = "a product needs its operator: x * y" if isinstance(A, Real) else ""
                raise Rejected(WrongKindOfName(span=head.span, name=name, is_a=is_a, wanted="a function", hint=hint))

    def _call(self, f: core.Program, e: s.Applied, scope: Scope) -> Typed:
        if len(e.arguments) == len(f.parameters):
            arguments = [self.of(M, scope, A, f"`{x}`") for M, (x, A) in zip(e.arguments, f.parameters, strict=True)]
            argument = arguments[0] if len(arguments) == 1 else core.Tuple(tuple(arguments))
        elif len(e.arguments) == 1:
            argument = self.of(e.arguments[0], scope, f.domain, "the argument")
        else:
            raise diagnostics.wrong_number(f, e.arguments, e.span)
        return self.budget.inline(f, argument, self.names, e.span), f.result

    def _symbol(self, name: str, e: s.Applied, scope: Scope) -> Typed:
        k = SYMBOLS[name]
        if len(e.arguments) != k:
            raise diagnostics.wrong_number_of(e.span, name, k, len(e.arguments))
        arguments: list[core.Term] = []
        for M in e.arguments:
            N, A = self.term(M, scope)
            if not self.unknowns.unify(A, SCALAR):
                hint = f"entry by entry it is map(x. {name}(x), …)" if k == 1 else ""
                raise Rejected(
                    TypesDiffer(span=M.span, what=f"`{name}`", found=self.unknowns.shown(A), expected=str(SCALAR), hint=hint)
                )
            arguments.append(N)
        return core.Apply(name, tuple(arguments)), SCALAR

    def _lets(self, e: s.Expr, scope: Scope, hint: Type | None) -> Typed:
        spine: list[tuple[str, core.Term]] = []
        inner = dict(scope)
        while isinstance(e, s.LetExpr):
            M, A = self.term(e.bound, inner)
            self._bind(e.pattern, M, A, inner, spine)
            e = e.body
        N, B = self.term(e, inner, hint)
        return core.lets(spine, N), B

    def _bind(
        self, p: Pattern, M: core.Term, A: Type, scope: dict[str, tuple[str, Type]], spine: list[tuple[str, core.Term]]
    ) -> None:
        """Bind the names of a pattern to M: extend ``scope`` and the lets of ``spine``."""
        match p:
            case NamePattern(name):
                x = self.names.fresh(name)
                spine.append((x, M))
                if name != "_":
                    scope[name] = (x, A)
            case TuplePattern(items):
                known = self.unknowns.known(A)
                if not isinstance(known, Product) or len(known.factors) != len(items):
                    found = self.unknowns.shown(A)
                    raise diagnostics.no_tuple(p.span, len(items), found, known)
                names = [q.name for q in _names(p) if q.name != "_"]
                if len(set(names)) < len(names):
                    twice = next(q for q in _names(p) if names.count(q.name) > 1)
                    raise Rejected(NameTwice(span=twice.span, name=twice.name, hint="give each part a different name, or `_`"))
                if isinstance(M, core.Tuple):
                    for q, N, B in zip(items, M.components, known.factors, strict=True):
                        self._bind(q, N, B, scope, spine)
                    return
                x = self.names.fresh("p")
                spine.append((x, M))
                for i, (q, B) in enumerate(zip(items, known.factors, strict=True), start=1):
                    self._bind(q, core.Projection(i, core.Variable(x)), B, scope, spine)

    def _inject(self, side: int, operand: s.Expr, scope: Scope, hint: Type | None) -> Typed:
        known = None if hint is None else self.unknowns.known(hint)
        halves = (known.left, known.right) if isinstance(known, Sum) else (None, None)
        M, A = self.term(operand, scope, halves[side - 1])
        other = self.unknowns.fresh()
        B = Sum(A, other) if side == 1 else Sum(other, A)
        return core.Inject(side, B, M), B

    def _case(self, e: s.CaseExpr, scope: Scope, hint: Type | None) -> Typed:
        M, A = self.term(e.operand, scope)
        known = self.unknowns.known(A)
        if not isinstance(known, Sum):
            made = "A sum is made by `inl(M)` and `inr(M)`."
            raise Rejected(TypesDiffer(span=e.operand.span, found=self.unknowns.shown(A), expected="a sum A + B", hint=made))
        x, y = self.names.fresh(e.left_name.text), self.names.fresh(e.right_name.text)
        N, B = self.term(e.left, {**scope, e.left_name.text: (x, known.left)}, hint)
        L = self.of(e.right, {**scope, e.right_name.text: (y, known.right)}, B)
        return core.Case(M, x, N, y, L), B

    def _former(self, e: s.Former, scope: Scope, hint: Type | None) -> Typed:
        n, size = e.size or 0, 0
        arrays: list[core.Term] = []
        for argument in e.arguments[-2:] if e.head.text in {"map2", "dot"} else e.arguments[-1:]:
            if e.head.text == "replicate":
                break
            M, found = self._array(argument, scope)
            if arrays and found != size:
                why = f"`{e.head.text}` takes arrays of the same size"
                sizes = f"{Real(size)} and {Real(found)}"
                pairs = "entry i of one belongs to entry i of the other"
                raise Rejected(OperandsDiffer(span=e.span, why=why, found=sizes, expected="two of one size", hint=pairs))
            arrays.append(M)
            size = found
        names = [self.names.fresh(x.text) for x in e.names]
        within = {**scope, **{x.text: (y, SCALAR) for x, y in zip(e.names, names, strict=True)}}
        match e.head.text, e.body:
            case "sum", _:
                return core.Total(arrays[0]), SCALAR
            case "dot", _:
                return core.Dot(arrays[0], arrays[1]), SCALAR
            case "replicate", _:
                return core.Replicate(n, self.of(e.arguments[0], scope, SCALAR)), Real(n)
            case "generate", body if body is not None:
                return core.Generate(n, names[0], self.of(body, within, SCALAR, "the entry")), Real(n)
            case "map", body if body is not None:
                return core.Map(names[0], self.of(body, within, SCALAR, "the entry"), arrays[0]), Real(size)
            case "map2", body if body is not None:
                N = self.of(body, within, SCALAR, "the entry")
                return core.Map2(names[0], names[1], N, arrays[0], arrays[1]), Real(size)
            case former, body if body is not None:
                M, A = self.term(e.arguments[0], scope, hint if former == "foldl" else None)
                if former != "foldl":
                    self.need(e.arguments[0].span, A, SCALAR, "the start")
                N = self.of(body, {**within, e.names[0].text: (names[0], A)}, A, "the next accumulator")
                if former == "scanl":
                    return core.Scanl(names[0], names[1], N, M, arrays[0]), Real(size + 1)
                return (core.Reduce if former == "reduce" else core.Foldl)(names[0], names[1], N, M, arrays[0]), A
            case _:
                return core.Tuple(()), UNIT


def _names(p: Pattern) -> list[NamePattern]:
    """The names in a pattern."""
    return [p] if isinstance(p, NamePattern) else [q for part in p.items for q in _names(part)]
