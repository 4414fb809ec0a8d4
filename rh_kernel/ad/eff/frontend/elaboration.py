"""Elaboration of the expressions of ``%%eff`` cells: from direct style to fine-grain call-by-value, from left to right.

``f M (N!)`` becomes ``%1 ← M; %2 ← N!; f! %1 %2``: intermediate results get silent names, each of which is used once. Lets are
not nested, except in what binds names or runs later: branches, clauses, thunks.
"""

from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.builtin_effects import READ, REFERENCES, WRITE
from rh_kernel.ad.eff.frontend import surface as s
from rh_kernel.ad.eff.frontend.elaboration_diagnostics import BRACKETS, reject_missing, with_all_arguments, wrong_number
from rh_kernel.ad.eff.frontend.elaboration_patterns import bound_names, elaborate_pattern
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.resolving import Kind, Referent, Scope, reject_duplicates, undeclared, unknown
from rh_kernel.ad.eff.machine.builtins import OPERATORS
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import ClauseTwice

_ONE_CLAUSE = "distinguish the arguments of an operation inside its clause: match x | Just y -> M | Nothing -> N"


@frozen
class _Let:
    """``x ← M;`` before the rest"""

    name: str
    bound: core.Computation
    span: Span


@frozen
class _Destructured:
    """``match V | p ->`` before the rest"""

    value: core.Value
    pattern: s.Pattern
    span: Span


_Prefix: TypeAlias = list[_Let | _Destructured]
"""The bindings before a computation, in order."""


class ExpressionElaborator:
    """Elaborates the expressions of one item.

    ``handler`` are the name and the key of the handler that the item declares, and ``arity`` is its number of parameters.
    """

    def __init__(self, scope: Scope, handler: tuple[str, str] | None = None, arity: int = 0) -> None:
        self.scope = scope
        self._handler = handler
        self._arity = arity
        self._silent = 0

    def fresh(self) -> str:
        """A fresh silent name."""
        self._silent += 1
        return f"{core.SILENT}{self._silent}"

    def block(self, M: s.Expr) -> core.Computation:
        """Elaborate an expression with lets of its own. In a loop over ``let`` and ``;``."""
        prefix: _Prefix = []
        entered: list[str] = []
        while True:
            match M:
                case s.LetExpr(s.NamePattern(name), bound, rest):
                    C = self._tail(bound, prefix)
                    prefix.append(_Let(name, C, M.span))
                    self._enter(entered, [name])
                case s.LetExpr(s.AnyPattern(), bound, rest) | s.Sequence(bound, rest):
                    C = self._tail(bound, prefix)
                    prefix.append(_Let("_", C, M.span))
                case s.LetExpr(p, bound, rest):
                    prefix.append(_Destructured(self._value(bound, prefix), p, M.span))
                    names = bound_names(p)
                    reject_duplicates(names, "bind each name only once in a pattern")
                    self._enter(entered, [x.text for x in names])
                case _:
                    break
            M = rest
        C = self._tail(M, prefix)
        self.scope.leave(entered)
        for part in reversed(prefix):
            match part:
                case _Let(name, bound_to, span):
                    C = core.Let(name, bound_to, C, span=span)
                case _Destructured(V, p, span):
                    C = core.Match(V, (core.Branch(elaborate_pattern(p, self.scope), C, span=span),), span=span)
        return C

    def abstraction(self, parameters: tuple[s.Pattern, ...], body: s.Expr, span: Span) -> core.Computation:
        """Elaborate ``λp…. M``; a parameter that is a pattern gets a silent name and a ``match``."""
        names = [x for p in parameters for x in bound_names(p)]
        reject_duplicates(names, "give each parameter a different name")
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

    def handler(self, H: s.HandlerName | s.Clauses, prefix: _Prefix) -> core.Handler:
        """Elaborate the handler of ``handle M with H``."""
        if isinstance(H, s.Clauses):
            return self.clauses(H)
        key = self._handler_key(H.name)
        wanted = self._arity if self._handler is not None and key == self._handler[1] else self._arity_of(key)
        if len(H.arguments) != wanted:
            hint = "give a handler all its arguments; its result can be a function: (handle M with h) N"
            raise wrong_number(H.name, wanted, len(H.arguments), hint)
        return core.Named(key, tuple([self._value(M, prefix) for M in H.arguments]), span=H.span)

    def clauses(self, H: s.Clauses) -> core.Clauses:
        """Elaborate clauses, which must be all of each effect; a missing return clause is the identity."""
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
        """Elaborate patterns, and the body in which they and the continuation ``k`` are bound."""
        names = [x for p in patterns for x in bound_names(p)]
        names += [] if k is None or k.text == "_" else [k]
        reject_duplicates(names, "bind each name only once in a pattern or a clause")
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

    def _value(self, M: s.Expr, prefix: _Prefix) -> core.Value:
        """The value of M; if M is a computation, it is added to the prefix."""
        C = self._tail(M, prefix)
        if isinstance(C, core.Return):
            return C.value
        x = self.fresh()
        prefix.append(_Let(x, C, M.span))
        return core.Variable(x, span=M.span)

    def _tail(self, M: s.Expr, prefix: _Prefix) -> core.Computation:
        """Elaborate M; the computations before its last one are added to the prefix."""
        span = M.span
        match M:
            case s.Var(x):
                return self._named(Name(x, span=span), (), span, prefix)
            case s.Literal(value):
                return core.Return(core.Literal(value, span=span), span=span)
            case s.TupleExpr(items):
                return core.Return(core.Tuple(tuple([self._value(N, prefix) for N in items]), span=span), span=span)
            case s.ListExpr(items):
                return core.Return(
                    self._list([self._value(N, prefix) for N in items], core.Constructed("Nil", (), span=span)), span=span
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
                return self._named(Name(x, span=head.span), arguments, span, prefix)
            case s.Applied(head, arguments):
                values = [self._value(N, prefix) for N in arguments]
                return self._applied(self._head(head, prefix), values, span)
            case s.Forced(s.Var() as operand) if (op := self._nullary(operand)) is not None:
                return core.Perform(op.effect, op.key, (), span=span)
            case s.Forced(operand):
                return core.Force(self._value(operand, prefix), span=span)
            case s.Projected(index, operand):
                return core.Projection(index, self._head(operand, prefix), span=span)
            case s.Read(operand):
                return core.Perform(REFERENCES, READ, (self._value(operand, prefix),), span=span)
            case s.Negated(operand):
                return core.BuiltIn("negate", (self._value(operand, prefix),), span=span)
            case s.Infix():
                return self._infix(M, prefix)
            case _:
                return self._control(M, prefix)

    def _control(self, M: s.Expr, prefix: _Prefix) -> core.Computation:
        """The forms whose parts are blocks."""
        span = M.span
        match M:
            case s.Adapted(adaptors, body):
                return core.Adapt(tuple([self._adaptor(a) for a in adaptors]), self.block(body), span=span)
            case s.MatchExpr(operand, branches):
                V = self._value(operand, prefix)
                return core.Match(V, tuple([self._branch(branch) for branch in branches]), span=span)
            case s.IfExpr(condition, then, otherwise):
                V = self._value(condition, prefix)
                return self._if(V, then, otherwise, span)
            case s.HandleExpr(body, H):
                N = self.block(body)
                return core.Handle(N, self.handler(H, prefix), span=span)
            case s.LetExpr() | s.Sequence():
                return self.block(M)
            case _:
                return self._tail(M, prefix)

    def _adaptor(self, adaptor: s.AdaptorExpr) -> core.Adaptor:
        """Replace the names of instances by indices from the innermost one."""
        effect = self.scope.effect(adaptor.effect)
        if adaptor.around is None:
            return core.Adaptor(effect, span=adaptor.span)
        reject_duplicates(adaptor.around, "give each instance a different name")
        places = {name.text: i for i, name in enumerate(reversed(adaptor.around))}
        for name in reversed(adaptor.inside):
            if name.text not in places:
                raise unknown(name, places, "name the instances on the left of the arrow")
        kept = tuple([places[name.text] for name in reversed(adaptor.inside)])
        return core.Adaptor(effect, len(adaptor.around), kept, span=adaptor.span)

    def _head(self, M: s.Expr, prefix: _Prefix) -> core.Computation:
        """Elaborate the function of an application or the pair of a projection; a value is forced."""
        match M:
            case s.Forced():
                return self._tail(M, prefix)
            case s.Var():
                return self._forced(self._tail(M, prefix))
            case _:
                return self._forced(self.block(M))

    @staticmethod
    def _forced(C: core.Computation) -> core.Computation:
        return core.Force(C.value, span=C.span) if isinstance(C, core.Return) else C

    def _applied(self, head: core.Computation, values: list[core.Value], span: Span) -> core.Computation:
        for V in values:
            head = core.Apply(head, V, span=span)
        return head

    def _named(self, name: Name, arguments: tuple[s.Expr, ...], span: Span, prefix: _Prefix) -> core.Computation:
        """Elaborate ``x M…``, according to what x refers to."""
        if is_upper(name.text):
            constructor = self.scope.constructor(name)
            fields = tuple([self._value(N, prefix) for N in arguments])
            if len(fields) != len(constructor.fields):
                hint = "give a constructor all its fields; as an argument it needs brackets: f (Just x)"
                raise wrong_number(name, len(constructor.fields), len(fields), hint)
            return core.Return(core.Constructed(constructor.name, fields, span=span), span=span)
        found = self.scope.resolve(name)
        values = [self._value(N, prefix) for N in arguments]
        match found.kind:
            case Kind.VARIABLE | Kind.FUNCTION:
                reference = core.Variable if found.kind is Kind.VARIABLE else core.Global
                V = reference(found.key, span=name.span)
                return self._applied(core.Force(V, span=name.span), values, span) if values else core.Return(V, span=span)
            case Kind.OPERATION | Kind.BUILT_IN:
                if len(values) != found.arity:
                    raise wrong_number(name, found.arity, len(values), with_all_arguments(name, found, len(values)))
                if found.kind is Kind.BUILT_IN:
                    return core.BuiltIn(found.key, tuple(values), span=span)
                return core.Perform(found.effect, found.key, tuple(values), span=span)

    def _nullary(self, operand: s.Var) -> Referent | None:
        """The operation that ``op!`` performs, if it is one without arguments."""
        if is_upper(operand.name):
            return None
        found = self.scope.resolve(Name(operand.name, span=operand.span))
        return found if found.kind is Kind.OPERATION and found.arity == 0 else None

    def _infix(self, M: s.Infix, prefix: _Prefix) -> core.Computation:
        """Elaborate an infix operator. In a loop over ``M + N + …`` and ``M :: N :: …``."""
        if M.sign == ":=":
            r, V = self._value(M.left, prefix), self._value(M.right, prefix)
            return core.Perform(REFERENCES, WRITE, (r, V), span=M.span)
        if M.sign == "::":
            firsts: list[core.Value] = []
            rest: s.Expr = M
            while isinstance(rest, s.Infix) and rest.sign == "::":
                firsts.append(self._value(rest.left, prefix))
                rest = rest.right
            return core.Return(self._list(firsts, self._value(rest, prefix)), span=M.span)
        spine = [M]
        while isinstance(left := spine[-1].left, s.Infix) and left.sign in OPERATORS:
            spine.append(left)
        V = self._value(spine[-1].left, prefix)
        while True:
            node = spine.pop()
            C = core.BuiltIn(OPERATORS[node.sign], (V, self._value(node.right, prefix)), span=node.span)
            if not spine:
                return C
            x = self.fresh()
            prefix.append(_Let(x, C, node.span))
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
