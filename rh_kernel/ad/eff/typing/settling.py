"""Literals of a typed term, made what they are: ``2`` is the float ``2.0`` where a ``Float`` is.

The types are taken in the order in which ``inference`` meets the literals.
"""

from collections.abc import Iterable
from typing import TypeAlias

from rh_kernel.ad.eff.core import (
    Adapt,
    AnyPattern,
    Apply,
    Branch,
    BuiltIn,
    Clause,
    Clauses,
    Computation,
    Constructed,
    ConstructorPattern,
    Force,
    Global,
    Handle,
    Handler,
    Lambda,
    Let,
    Literal,
    LiteralPattern,
    Match,
    Named,
    NamePattern,
    Pair,
    Pattern,
    Perform,
    Projection,
    Reference,
    Return,
    ReturnClause,
    Thunk,
    Tuple,
    TuplePattern,
    Value,
    Variable,
)
from rh_kernel.ad.eff.types import FLOAT, ValueType

_Settled: TypeAlias = tuple[Let, Computation] | tuple[Match, Value, Pattern]
"""``x ← M`` or ``match V | p ->`` of which all but the last part is settled."""


class Settling:
    """A walk over a term of which the types of the literals are known."""

    __slots__ = ("_types",)

    def __init__(self, types: Iterable[ValueType]) -> None:
        self._types = iter(types)

    def _number(self, value: int) -> float | int:
        return float(value) if next(self._types) == FLOAT else value

    def value(self, V: Value) -> Value:
        """V with its literals settled. A list is a value inside a value, as often as it has entries."""
        around: list[tuple[Constructed, tuple[Value, ...]]] = []
        while isinstance(V, Constructed) and V.fields:
            around.append((V, tuple(map(self.value, V.fields[:-1]))))
            V = V.fields[-1]
        found = self._value(V)
        for made, fields in reversed(around):
            found = Constructed(made.constructor, (*fields, found), span=made.span)
        return found

    def _value(self, V: Value) -> Value:
        match V:
            case Literal(int(value)):
                return Literal(self._number(value), span=V.span)
            case Variable() | Global() | Reference() | Constructed() | Literal():
                return V
            case Tuple(components):
                return Tuple(tuple(map(self.value, components)), span=V.span)
            case Thunk():
                return self.thunk(V)

    def thunk(self, V: Thunk) -> Thunk:
        """``{M}`` with its literals settled."""
        return Thunk(self.computation(V.body), span=V.span)

    def _pattern(self, p: Pattern) -> Pattern:
        match p:
            case LiteralPattern(int(value)):
                return LiteralPattern(self._number(value), span=p.span)
            case AnyPattern() | NamePattern() | LiteralPattern():
                return p
            case TuplePattern(components):
                return TuplePattern(tuple(map(self._pattern, components)), span=p.span)
            case ConstructorPattern(constructor, fields):
                return ConstructorPattern(constructor, tuple(map(self._pattern, fields)), span=p.span)

    def computation(self, M: Computation) -> Computation:
        """M with its literals settled. A long program is ``x ← M; N`` inside of another as often as it has lines."""
        waiting: list[Let | _Settled] = []
        while True:
            while isinstance(M, Let) or (isinstance(M, Match) and len(M.branches) == 1):
                if isinstance(M, Let):
                    waiting.append(M)
                    M = M.bound
                else:
                    V, branch = self.value(M.value), M.branches[0]
                    waiting.append((M, V, self._pattern(branch.pattern)))
                    M = branch.body
            found = self._simple(M)
            while waiting and not isinstance(last := waiting[-1], Let):
                waiting.pop()
                found = _around(last, found)
            if not waiting:
                return found
            let = waiting.pop()
            assert isinstance(let, Let)
            waiting.append((let, found))
            M = let.body

    def _simple(self, M: Computation) -> Computation:
        match M:
            case Return(V):
                return Return(self.value(V), span=M.span)
            case Let():
                return self.computation(M)
            case Force(V):
                return Force(self.value(V), span=M.span)
            case Lambda(name, body):
                return Lambda(name, self.computation(body), span=M.span)
            case Apply():
                return self._application(M)
            case Match(V, branches):
                V = self.value(V)
                found = tuple(Branch(self._pattern(b.pattern), self.computation(b.body), span=b.span) for b in branches)
                return Match(V, found, span=M.span)
            case Pair(M1, M2):
                return Pair(self.computation(M1), self.computation(M2), span=M.span)
            case Projection(index, operand):
                return Projection(index, self.computation(operand), span=M.span)
            case Perform(effect, operation, arguments):
                return Perform(effect, operation, tuple(map(self.value, arguments)), span=M.span)
            case Handle(body, handler):
                settled = self._handler(handler)
                return Handle(self.computation(body), settled, span=M.span)
            case Adapt(adaptors, body):
                return Adapt(adaptors, self.computation(body), span=M.span)
            case BuiltIn(name, arguments):
                return BuiltIn(name, tuple(map(self.value, arguments)), span=M.span)

    def _application(self, M: Computation) -> Computation:
        applications: list[Apply] = []
        while isinstance(M, Apply):
            applications.append(M)
            M = M.function
        found = self.computation(M)
        for application in reversed(applications):
            found = Apply(found, self.value(application.argument), span=application.span)
        return found

    def _handler(self, H: Handler) -> Handler:
        match H:
            case Clauses():
                return self.clauses(H)
            case Named(name, arguments):
                return Named(name, tuple(map(self.value, arguments)), span=H.span)

    def clauses(self, H: Clauses) -> Clauses:
        """A handler with the literals of its clauses settled."""
        pattern = self._pattern(H.returns.pattern)
        returns = ReturnClause(pattern, self.computation(H.returns.body), span=H.returns.span)
        return Clauses(returns, tuple(map(self._clause, H.clauses)), H.effects, span=H.span)

    def _clause(self, c: Clause) -> Clause:
        patterns = tuple(map(self._pattern, c.patterns))
        return Clause(c.effect, c.operation, patterns, c.continuation, self.computation(c.body), span=c.span)


def _around(settled: _Settled, body: Computation) -> Computation:
    """What stands in front of its last part, which is settled now too."""
    match settled:
        case let, bound:
            return Let(let.name, bound, body, span=let.span)
        case match, V, pattern:
            return Match(V, (Branch(pattern, body, span=match.branches[0].span),), span=match.span)
