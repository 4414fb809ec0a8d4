"""Terms up to α-equivalence and the associativity of lets.

``canonical`` gives two terms that differ in these alone the same form: ``x ← (y ← M; N); L`` is ``y ← M; x ← N; L``.
"""

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


def _let(x: str, bound: Computation, body: Computation) -> Computation:
    """``x ← M; N``, where M is not a let."""
    front: list[Let] = []
    while isinstance(bound, Let):
        front.append(bound)
        bound = bound.body
    found: Computation = Let(x, bound, body)
    for let in reversed(front):
        found = Let(let.name, let.bound, found)
    return found


class _Renaming:
    def __init__(self) -> None:
        self._count = 0

    def bind(self, x: str, env: dict[str, str]) -> tuple[str, dict[str, str]]:
        self._count += 1
        new = "_" if x == "_" else f"n{self._count}"
        return new, {**env, x: new}

    def computation(self, M: Computation, env: dict[str, str]) -> Computation:
        match M:
            case Return(V):
                return Return(self.value(V, env))
            case Force(V):
                return Force(self.value(V, env))
            case Let(x, bound, body):
                first = self.computation(bound, env)
                y, inner = self.bind(x, env)
                return _let(y, first, self.computation(body, inner))
            case Lambda(x, body):
                y, inner = self.bind(x, env)
                return Lambda(y, self.computation(body, inner))
            case Apply(N, V):
                return Apply(self.computation(N, env), self.value(V, env))
            case Match(V, branches):
                return Match(self.value(V, env), tuple([self.branch(b, env) for b in branches]))
            case Pair(left, right):
                return Pair(self.computation(left, env), self.computation(right, env))
            case Projection(i, N):
                return Projection(i, self.computation(N, env))
            case Perform(effect, op, arguments):
                return Perform(effect, op, tuple([self.value(V, env) for V in arguments]))
            case BuiltIn(g, arguments):
                return BuiltIn(g, tuple([self.value(V, env) for V in arguments]))
            case Adapt(adaptors, N):
                return Adapt(adaptors, self.computation(N, env))
            case Handle(N, H):
                return Handle(self.computation(N, env), self.handler(H, env))

    def handler(self, H: Handler, env: dict[str, str]) -> Handler:
        match H:
            case Named(h, arguments):
                return Named(h, tuple([self.value(V, env) for V in arguments]))
            case Clauses(ReturnClause(p, body), clauses, effects):
                q, inner = self.pattern(p, env)
                returns = ReturnClause(q, self.computation(body, inner))
                return Clauses(returns, tuple([self.clause(c, env) for c in clauses]), effects)

    def clause(self, c: Clause, env: dict[str, str]) -> Clause:
        patterns: list[Pattern] = []
        for p in c.patterns:
            q, env = self.pattern(p, env)
            patterns.append(q)
        k, env = self.bind(c.continuation, env)
        return Clause(c.effect, c.operation, tuple(patterns), k, self.computation(c.body, env))

    def branch(self, b: Branch, env: dict[str, str]) -> Branch:
        p, inner = self.pattern(b.pattern, env)
        return Branch(p, self.computation(b.body, inner))

    def pattern(self, p: Pattern, env: dict[str, str]) -> tuple[Pattern, dict[str, str]]:
        match p:
            case NamePattern(x):
                y, env = self.bind(x, env)
                return NamePattern(y), env
            case TuplePattern(items):
                found, env = self._patterns(items, env)
                return TuplePattern(found), env
            case ConstructorPattern(K, items):
                found, env = self._patterns(items, env)
                return ConstructorPattern(K, found), env
            case AnyPattern() | LiteralPattern():
                return p, env

    def _patterns(self, items: tuple[Pattern, ...], env: dict[str, str]) -> tuple[tuple[Pattern, ...], dict[str, str]]:
        found: list[Pattern] = []
        for item in items:
            p, env = self.pattern(item, env)
            found.append(p)
        return tuple(found), env

    def value(self, V: Value, env: dict[str, str]) -> Value:
        match V:
            case Variable(x):
                return Variable(env.get(x, x))
            case Tuple(items):
                return Tuple(tuple([self.value(W, env) for W in items]))
            case Constructed(K, items):
                return Constructed(K, tuple([self.value(W, env) for W in items]))
            case Thunk(M):
                return Thunk(self.computation(M, env))
            case Global() | Literal() | Reference():
                return V


def canonical(M: Computation) -> Computation:
    """The same term with canonical names for its binders."""
    return _Renaming().computation(M, {})
