"""Expressions of ``%%eff`` cells to core: direct style to named results, from left to right.

``f M (N!)`` is ``%1 ← M; %2 ← N!; f! %1 %2``: what nobody has given a name has a silent one, which is used once. Lets stand in
one row where they can: only what binds names itself, or runs elsewhere, has lets of its own.
"""

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.reading import surface as s
from rh_kernel.ad.eff.reading.complaints_of_elaboration import BRACKETS, reject_missing, with_all_arguments, wrong_number
from rh_kernel.ad.eff.reading.elaboration_adaptors import elaborate_adaptor
from rh_kernel.ad.eff.reading.elaboration_patterns import bound_names, elaborate_pattern
from rh_kernel.ad.eff.reading.lexing import is_upper
from rh_kernel.ad.eff.reading.resolving import Found, Kind, Scope, reject_twice, undeclared
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import ClauseTwice

OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "<=": "lesseq",
    "<": "less",
    "==": "equal",
    "++": "append",
}
"""The built-in function of each infix sign."""

REFERENCES, READ, WRITE = "RefState", "read", "write"
"""The effect whose operations ``@`` and ``:=`` are."""

_ONE_CLAUSE = "distinguish the arguments of an operation inside its clause: match x | Just y -> M | Nothing -> N"


@frozen
class _Let:
    """``x ← M`` in front of the rest"""

    name: str
    bound: core.Computation
    span: Span


@frozen
class _Taken:
    """``match V | p ->`` in front of the rest"""

    value: core.Value
    pattern: s.Pattern
    span: Span


class Terms:
    """Elaborates the expressions of one item."""

    def __init__(self, scope: Scope, handler: tuple[str, str] | None = None, arity: int = 0) -> None:
        self.scope = scope
        self._handler = handler
        self._arity = arity
        self._silent = 0

    def fresh(self) -> str:
        """A silent name."""
        self._silent += 1
        return f"{core.SILENT}{self._silent}"

    def block(self, M: s.Expr) -> core.Computation:
        """A computation with lets of its own. In a loop along ``let`` and ``;``."""
        front: list[_Let | _Taken] = []
        entered: list[str] = []
        while True:
            match M:
                case s.LetExpr(s.NamePattern(name), bound, rest):
                    C = self._tail(bound, front)
                    front.append(_Let(name, C, M.span))
                    self._enter(entered, [name])
                case s.LetExpr(s.AnyPattern(), bound, rest) | s.Sequence(bound, rest):
                    C = self._tail(bound, front)
                    front.append(_Let("_", C, M.span))
                case s.LetExpr(p, bound, rest):
                    front.append(_Taken(self._value(bound, front), p, M.span))
                    names = bound_names(p)
                    reject_twice(names, "bind each name only once in a pattern")
                    self._enter(entered, [x.text for x in names])
                case _:
                    break
            M = rest
        C = self._tail(M, front)
        self.scope.leave(entered)
        for part in reversed(front):
            match part:
                case _Let(name, bound_to, span):
                    C = core.Let(name, bound_to, C, span=span)
                case _Taken(V, p, span):
                    C = core.Match(V, (core.Branch(elaborate_pattern(p, self.scope), C, span=span),), span=span)
        return C

    def abstraction(self, parameters: tuple[s.Pattern, ...], body: s.Expr, span: Span) -> core.Computation:
        """``λp…. M``: a pattern takes apart a parameter that has a silent name."""
        names = [x for p in parameters for x in bound_names(p)]
        reject_twice(names, "give each parameter a different name")
        lambdas: list[str] = []
        taken: list[tuple[str, s.Pattern]] = []
        for p in parameters:
            match p:
                case s.NamePattern(x):
                    lambdas.append(x)
                case s.AnyPattern():
                    lambdas.append("_")
                case _:
                    lambdas.append(self.fresh())
                    taken.append((lambdas[-1], p))
        self.scope.enter([x.text for x in names])
        M = self.block(body)
        self.scope.leave([x.text for x in names])
        for x, p in reversed(taken):
            branch = core.Branch(elaborate_pattern(p, self.scope), M, span=span)
            M = core.Match(core.Variable(x, span=p.span), (branch,), span=span)
        for x in reversed(lambdas):
            M = core.Lambda(x, M, span=span)
        return M

    def handler(self, H: s.HandlerName | s.Clauses, front: list[_Let | _Taken]) -> core.Handler:
        """A handler where a computation is handled."""
        if isinstance(H, s.Clauses):
            return self.clauses(H)
        key = self._handler_key(H.name)
        wanted = self._arity if self._handler is not None and key == self._handler[1] else self._arity_of(key)
        if len(H.arguments) != wanted:
            hint = "give a handler all its arguments; its result can be a function: (handle M with h) N"
            raise wrong_number(H.name, wanted, len(H.arguments), hint)
        return core.Named(key, tuple([self._value(M, front) for M in H.arguments]), span=H.span)

    def clauses(self, H: s.Clauses) -> core.Clauses:
        """The clauses of a handler: of each effect that has one all operations. Without a return clause it is the identity."""
        returns: core.ReturnClause | None = None
        clauses: list[core.Clause] = []
        for written in H.clauses:
            match written:
                case s.ReturnClause(p, body):
                    if returns is not None:
                        raise Rejected(ClauseTwice(span=written.span, name="return", hint=_ONE_CLAUSE))
                    (q,), M = self._under([p], None, body)
                    returns = core.ReturnClause(q, M, span=written.span)
                case s.OperationClause():
                    clauses.append(self._clause(written))
                    if any(clause.operation == clauses[-1].operation for clause in clauses[:-1]):
                        raise Rejected(ClauseTwice(span=written.operation.span, name=written.operation.text, hint=_ONE_CLAUSE))
        if returns is None:
            x = self.fresh()
            identity = core.Return(core.Variable(x, span=H.span), span=H.span)
            returns = core.ReturnClause(core.NamePattern(x, span=H.span), identity, span=H.span)
        effects = tuple(dict.fromkeys([clause.effect for clause in clauses]))
        for effect in effects:
            reject_missing(H.span, self.scope.definitions.effect(effect), {clause.operation for clause in clauses})
        return core.Clauses(returns, tuple(clauses), effects, span=H.span)

    def _clause(self, written: s.OperationClause) -> core.Clause:
        name, k = written.operation, written.continuation
        effect, operation = self.scope.operation(name)
        if len(written.patterns) != len(operation.domain):
            raise wrong_number(name, len(operation.domain), len(written.patterns), BRACKETS)
        patterns, M = self._under(list(written.patterns), k, written.body)
        return core.Clause(effect, operation.name, patterns, k.text, M, span=written.span)

    def _under(
        self, patterns: list[s.Pattern], k: Name | None, body: s.Expr
    ) -> tuple[tuple[core.Pattern, ...], core.Computation]:
        """Patterns, and what stands under them and a continuation."""
        names = [x for p in patterns for x in bound_names(p)]
        names += [] if k is None or k.text == "_" else [k]
        reject_twice(names, "bind each name only once in a pattern or a clause")
        elaborated = tuple([elaborate_pattern(p, self.scope) for p in patterns])
        self.scope.enter([x.text for x in names])
        M = self.block(body)
        self.scope.leave([x.text for x in names])
        return elaborated, M

    def _arity_of(self, key: str) -> int:
        return len(self.scope.definitions.handler(key).definition.parameters)

    def _handler_key(self, name: Name) -> str:
        handlers = self.scope.definitions.handlers
        if self._handler is not None and name.text == self._handler[0]:
            return self._handler[1]
        if name.text not in handlers:
            own = () if self._handler is None else (self._handler[0],)
            hint = "a handler is declared by handler h = return x -> M | <op x -> k> -> N"
            if name.text in self.scope.definitions.functions:
                hint = f"{name.text} is a function, not a handler; {hint}"
            raise undeclared(name, [*handlers, *own], hint)
        return handlers[name.text]

    def _enter(self, entered: list[str], names: list[str]) -> None:
        self.scope.enter(names)
        entered += names

    def _value(self, M: s.Expr, front: list[_Let | _Taken]) -> core.Value:
        """The value of M; where M is no value form, what computes it is put in front of the rest."""
        C = self._tail(M, front)
        if isinstance(C, core.Return):
            return C.value
        x = self.fresh()
        front.append(_Let(x, C, M.span))
        return core.Variable(x, span=M.span)

    def _tail(self, M: s.Expr, front: list[_Let | _Taken]) -> core.Computation:
        """M as the last of the computations that it puts in front of the rest."""
        span = M.span
        match M:
            case s.Var(x):
                return self._named(Name(x, span=span), (), span, front)
            case s.Literal(value):
                return core.Return(core.Literal(value, span=span), span=span)
            case s.TupleExpr(items):
                return core.Return(core.Tuple(tuple([self._value(N, front) for N in items]), span=span), span=span)
            case s.ListExpr(items):
                return core.Return(
                    self._list([self._value(N, front) for N in items], core.Constructed("Nil", (), span=span)), span=span
                )
            case s.ThunkExpr((), body):
                return core.Return(core.Thunk(self.block(body), span=span), span=span)
            case s.ThunkExpr(parameters, body):
                return core.Return(core.Thunk(self.abstraction(parameters, body, span), span=span), span=span)
            case s.LambdaExpr(parameters, body):
                return self.abstraction(parameters, body, span)
            case s.PairExpr(left, right):
                return core.Pair(self.block(left), self.block(right), span=span)
            case s.Applied(s.Var(x) as head, arguments):
                return self._named(Name(x, span=head.span), arguments, span, front)
            case s.Applied(head, arguments):
                values = [self._value(N, front) for N in arguments]
                return self._applied(self._head(head, front), values, span)
            case s.Forced(s.Var() as operand) if (op := self._nullary(operand)) is not None:
                return core.Perform(op.effect, op.key, (), span=span)
            case s.Forced(operand):
                return core.Force(self._value(operand, front), span=span)
            case s.Projected(index, operand):
                return core.Projection(index, self._head(operand, front), span=span)
            case s.Read(operand):
                return core.Perform(REFERENCES, READ, (self._value(operand, front),), span=span)
            case s.Negated(operand):
                return core.BuiltIn("negate", (self._value(operand, front),), span=span)
            case s.Infix():
                return self._infix(M, front)
            case _:
                return self._control(M, front)

    def _control(self, M: s.Expr, front: list[_Let | _Taken]) -> core.Computation:
        """The forms in which something runs later, or under a handler."""
        span = M.span
        match M:
            case s.Adapted(adaptors, body):
                return core.Adapt(tuple([elaborate_adaptor(a, self.scope) for a in adaptors]), self.block(body), span=span)
            case s.MatchExpr(operand, branches):
                V = self._value(operand, front)
                return core.Match(V, tuple([self._branch(branch) for branch in branches]), span=span)
            case s.IfExpr(condition, then, otherwise):
                V = self._value(condition, front)
                return self._if(V, then, otherwise, span)
            case s.HandleExpr(body, H):
                N = self.block(body)
                return core.Handle(N, self.handler(H, front), span=span)
            case s.LetExpr() | s.Sequence():
                return self.block(M)
            case _:
                return self._tail(M, front)

    def _head(self, M: s.Expr, front: list[_Let | _Taken]) -> core.Computation:
        """M where a computation of function type stands, or a pair: a value form is forced, all else is as it is."""
        match M:
            case s.Forced():
                return self._tail(M, front)
            case s.Var():
                return self._forced(self._tail(M, front))
            case _:
                return self._forced(self.block(M))

    @staticmethod
    def _forced(C: core.Computation) -> core.Computation:
        return core.Force(C.value, span=C.span) if isinstance(C, core.Return) else C

    def _applied(self, head: core.Computation, values: list[core.Value], span: Span) -> core.Computation:
        for V in values:
            head = core.Apply(head, V, span=span)
        return head

    def _named(self, name: Name, arguments: tuple[s.Expr, ...], span: Span, front: list[_Let | _Taken]) -> core.Computation:
        """``x M…`` by what x stands for."""
        if is_upper(name.text):
            constructor = self.scope.constructor(name)
            fields = tuple([self._value(N, front) for N in arguments])
            if len(fields) != len(constructor.fields):
                hint = "give a constructor all its fields; as an argument it needs brackets: f (Just x)"
                raise wrong_number(name, len(constructor.fields), len(fields), hint)
            return core.Return(core.Constructed(constructor.name, fields, span=span), span=span)
        found = self.scope.find(name)
        values = [self._value(N, front) for N in arguments]
        match found.kind:
            case Kind.VARIABLE | Kind.FUNCTION:
                V = (
                    core.Variable(found.key, span=name.span)
                    if found.kind is Kind.VARIABLE
                    else core.Global(found.key, span=name.span)
                )
                return self._applied(core.Force(V, span=name.span), values, span) if values else core.Return(V, span=span)
            case Kind.OPERATION | Kind.BUILT_IN:
                if len(values) != found.arity:
                    raise wrong_number(name, found.arity, len(values), with_all_arguments(name, found, len(values)))
                if found.kind is Kind.BUILT_IN:
                    return core.BuiltIn(found.key, tuple(values), span=span)
                return core.Perform(found.effect, found.key, tuple(values), span=span)

    def _nullary(self, operand: s.Var) -> Found | None:
        """The operation without arguments that is performed by ``op!``."""
        if is_upper(operand.name):
            return None
        found = self.scope.find(Name(operand.name, span=operand.span))
        return found if found.kind is Kind.OPERATION and found.arity == 0 else None

    def _infix(self, M: s.Infix, front: list[_Let | _Taken]) -> core.Computation:
        """Infix signs in a row, in a loop: ``M + N + …`` and ``M :: N :: …``."""
        if M.sign == ":=":
            r, V = self._value(M.left, front), self._value(M.right, front)
            return core.Perform(REFERENCES, WRITE, (r, V), span=M.span)
        if M.sign == "::":
            firsts: list[core.Value] = []
            rest: s.Expr = M
            while isinstance(rest, s.Infix) and rest.sign == "::":
                firsts.append(self._value(rest.left, front))
                rest = rest.right
            return core.Return(self._list(firsts, self._value(rest, front)), span=M.span)
        spine = [M]
        while isinstance(left := spine[-1].left, s.Infix) and left.sign in OPERATORS:
            spine.append(left)
        V = self._value(spine[-1].left, front)
        while True:
            node = spine.pop()
            C = core.BuiltIn(OPERATORS[node.sign], (V, self._value(node.right, front)), span=node.span)
            if not spine:
                return C
            x = self.fresh()
            front.append(_Let(x, C, node.span))
            V = core.Variable(x, span=node.span)

    @staticmethod
    def _list(firsts: list[core.Value], rest: core.Value) -> core.Value:
        end = rest.span
        for V in reversed(firsts):
            span = V.span if V.span is None or end is None else V.span.to(end)
            rest = core.Constructed("Cons", (V, rest), span=span)
        return rest

    def _branch(self, branch: s.Branch) -> core.Branch:
        (p,), M = self._under([branch.pattern], None, branch.body)
        return core.Branch(p, M, span=branch.span)

    def _if(self, V: core.Value, then: s.Expr, otherwise: s.Expr, span: Span) -> core.Computation:
        sides = (("True", then), ("False", otherwise))
        branches = [core.Branch(core.ConstructorPattern(K, (), span=M.span), self.block(M), span=M.span) for K, M in sides]
        return core.Match(V, tuple(branches), span=span)
