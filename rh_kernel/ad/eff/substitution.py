"""Substitution ``M[V1/x1, …, Vn/xn]`` of values in the terms of EFF, and the free variables of terms.

Declared names are no variables. Values that are substituted are closed in a reduction; where they are not, bound names that
would capture a variable of theirs are renamed. Lets in the body of lets are followed in a loop.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
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
from rh_kernel.source.records import frozen

Node: TypeAlias = Computation | Value | Clauses | Named


def bound(p: Pattern) -> Iterator[str]:
    """The variables of a pattern, from left to right."""
    match p:
        case NamePattern(x):
            yield x
        case TuplePattern(inner) | ConstructorPattern(_, inner):
            for q in inner:
                yield from bound(q)
        case AnyPattern() | LiteralPattern():
            return


def parts(M: Node) -> Iterator[tuple[tuple[str, ...], Node]]:
    """The values, computations and handlers that M is made of, each with the variables that M binds in it."""
    match M:
        case Variable() | Global() | Literal() | Reference():
            return
        case Tuple(values) | Constructed(_, values) | Perform(_, _, values) | BuiltIn(_, values) | Named(_, values):
            yield from (((), V) for V in values)
        case Thunk(N) | Projection(_, N) | Adapt(_, N):
            yield (), N
        case Return(V) | Force(V):
            yield (), V
        case Let(x, N, L):
            yield (), N
            yield (x,), L
        case Lambda(x, N):
            yield (x,), N
        case Apply(N, V):
            yield (), N
            yield (), V
        case Match(V, branches):
            yield (), V
            yield from ((tuple(bound(branch.pattern)), branch.body) for branch in branches)
        case Pair(N, L):
            yield (), N
            yield (), L
        case Handle(N, H):
            yield (), N
            yield (), H
        case Clauses(returns, clauses):
            yield tuple(bound(returns.pattern)), returns.body
            for clause in clauses:
                yield (*(x for p in clause.patterns for x in bound(p)), clause.continuation), clause.body


def free(M: Node) -> frozenset[str]:
    """The variables that are free in M."""
    return frozenset(occurring(M))


def occurring(M: Node) -> Counter[str]:
    """The variables that are free in M, and how often each occurs."""
    found: Counter[str] = Counter()
    scope: Counter[str] = Counter()
    pending: list[tuple[tuple[str, ...], Node | None]] = [((), M)]
    while pending:
        names, N = pending.pop()
        if N is None:
            scope.subtract(names)
            continue
        if names:
            scope.update(names)
            pending.append((names, None))
        if not isinstance(N, Variable):
            pending += parts(N)
        elif not scope[N.name]:
            found[N.name] += 1
    return found


def value(V: Value, values: Mapping[str, Value], *, closed: bool = False) -> Value:
    """``V[values]``; ``closed`` says that the values have no free variables."""
    return _value(V, _substitution(values, closed=closed)) if values else V


def computation(M: Computation, values: Mapping[str, Value], *, closed: bool = False) -> Computation:
    """``M[values]``; it is M itself where nothing is put in."""
    return _computation(M, _substitution(values, closed=closed)) if values else M


def handler(H: Handler, values: Mapping[str, Value], *, closed: bool = False) -> Handler:
    """``H[values]``"""
    return _handler(H, _substitution(values, closed=closed)) if values else H


_NOTHING: frozenset[str] = frozenset()


@frozen
class _Substitution:
    """Values for variables, and the free variables of those values that have any."""

    of: Mapping[str, Value]
    free: Mapping[str, frozenset[str]]

    def without(self, names: Iterable[str]) -> "_Substitution":
        """Nothing for these names, which are bound."""
        hidden = {x for x in names if x in self.of}
        return _Substitution({x: V for x, V in self.of.items() if x not in hidden}, self.free) if hidden else self


def _substitution(values: Mapping[str, Value], *, closed: bool) -> _Substitution:
    return _Substitution(values, {} if closed else {x: names for x, V in values.items() if (names := free(V))})


def _value(V: Value, values: "_Substitution") -> Value:
    match V:
        case Variable(x):
            return values.of.get(x, V)
        case Tuple(components):
            made = _values(components, values)
            return V if made is components else replace(V, components=made)
        case Constructed(_, fields):
            made = _values(fields, values)
            return V if made is fields else replace(V, fields=made)
        case Thunk(M):
            N = _computation(M, values)
            return V if N is M else replace(V, body=N)
        case Global() | Literal() | Reference():
            return V


def _computation(M: Computation, values: "_Substitution") -> Computation:
    spine: list[tuple[Let, str, Computation]] = []
    is_same = True
    while isinstance(M, Let) and values.of:
        N = _computation(M.bound, values)
        x, inner, rename = _under((M.name,), M.body, values)
        spine.append((M, x[0], N))
        is_same = is_same and N is M.bound and not rename
        M, values = M.body, inner
    result = _within(M, values) if values.of else M
    for let, x, N in reversed(spine):
        is_kept = result is let.body and N is let.bound and x == let.name
        result = let if is_kept else Let(x, N, result, span=let.span)
    return result


def _handler(H: Handler, values: "_Substitution") -> Handler:
    match H:
        case Named(_, arguments):
            made = _values(arguments, values)
            return H if made is arguments else replace(H, arguments=made)
        case Clauses(returns, clauses):
            p, M = _scope((returns.pattern,), returns.body, values)
            given = ReturnClause(p[0], M, span=returns.span)
            return replace(H, returns=given, clauses=tuple(_clause(clause, values) for clause in clauses))


def _clause(clause: Clause, values: "_Substitution") -> Clause:
    *patterns, k = (*clause.patterns, NamePattern(clause.continuation))
    (*made, continuation), M = _scope((*patterns, k), clause.body, values)
    assert isinstance(continuation, NamePattern)
    return replace(clause, patterns=tuple(made), continuation=continuation.name, body=M)


def _within(M: Computation, values: "_Substitution") -> Computation:
    match M:
        case Return(V) | Force(V):
            W = _value(V, values)
            return M if W is V else replace(M, value=W)
        case Let():
            return _computation(M, values)
        case Lambda(x, N):
            names, inner, rename = _under((x,), N, values)
            L = _computation(N, inner)
            return M if L is N and not rename else Lambda(names[0], L, span=M.span)
        case Apply(N, V):
            L, W = _computation(N, values), _value(V, values)
            return M if L is N and W is V else Apply(L, W, span=M.span)
        case Match(V, branches):
            made = tuple([_branch(branch, values) for branch in branches])
            W = _value(V, values)
            is_same = W is V and all(new is old for new, old in zip(made, branches, strict=True))
            return M if is_same else Match(W, made, span=M.span)
        case Pair(N, L):
            N1, L1 = _computation(N, values), _computation(L, values)
            return M if N1 is N and L1 is L else Pair(N1, L1, span=M.span)
        case Projection(i, N):
            L = _computation(N, values)
            return M if L is N else Projection(i, L, span=M.span)
        case Perform(_, _, arguments) | BuiltIn(_, arguments):
            made_arguments = _values(arguments, values)
            return M if made_arguments is arguments else replace(M, arguments=made_arguments)
        case Handle(N, H):
            return Handle(_computation(N, values), _handler(H, values), span=M.span)
        case Adapt(adaptors, N):
            L = _computation(N, values)
            return M if L is N else Adapt(adaptors, L, span=M.span)


def _branch(branch: Branch, values: "_Substitution") -> Branch:
    p, M = _scope((branch.pattern,), branch.body, values)
    return branch if M is branch.body and p[0] is branch.pattern else Branch(p[0], M, span=branch.span)


def _values(values: tuple[Value, ...], substituted: "_Substitution") -> tuple[Value, ...]:
    made = tuple([_value(V, substituted) for V in values])
    return values if all(new is old for new, old in zip(made, values, strict=True)) else made


def _scope(
    patterns: tuple[Pattern, ...], body: Computation, values: "_Substitution"
) -> tuple[tuple[Pattern, ...], Computation]:
    names = tuple(x for p in patterns for x in bound(p))
    fresh, inner, rename = _under(names, body, values)
    renamed = dict(zip(names, fresh, strict=True)) if rename else {}
    return tuple(_renamed(p, renamed) for p in patterns) if rename else patterns, _computation(body, inner)


def _under(names: tuple[str, ...], body: Computation, values: "_Substitution") -> tuple[tuple[str, ...], "_Substitution", bool]:
    """What the names are called that bind in the body, what is to be substituted in it, and whether one has a new name."""
    inner = values.without(names)
    if not any(inner.free.get(x, _NOTHING).intersection(names) for x in inner.of):
        return names, inner, False
    inside = free(body)
    wanted = {y for x in inner.of if x in inside for y in inner.free.get(x, _NOTHING)}
    if not wanted.intersection(names):
        return names, inner, False
    taken = wanted | inside | set(names)
    fresh: dict[str, str] = {}
    for x in names:
        if x in wanted:
            fresh[x] = _fresh(x, taken)
            taken.add(fresh[x])
    renaming = {x: Variable(y) for x, y in fresh.items()}
    renamed_free = {x: frozenset({y}) for x, y in fresh.items()}
    now = _Substitution({**inner.of, **renaming}, {**inner.free, **renamed_free})
    return tuple(fresh.get(x, x) for x in names), now, True


def _fresh(x: str, taken: Iterable[str]) -> str:
    n = 1
    while (found := f"{x}{n}") in taken:
        n += 1
    return found


def _renamed(p: Pattern, names: Mapping[str, str]) -> Pattern:
    match p:
        case NamePattern(x):
            return replace(p, name=names.get(x, x))
        case TuplePattern(inner):
            return replace(p, components=tuple(_renamed(q, names) for q in inner))
        case ConstructorPattern(_, inner):
            return replace(p, fields=tuple(_renamed(q, names) for q in inner))
        case AnyPattern() | LiteralPattern():
            return p
