"""Reduction literally as in Figs. 7.4, 7.11 and 7.20 of Sigal 2024: on whole terms, with substitution and contexts as terms.

It is slow and knows nothing of environments, segments or stores; the reducer is compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.traversal import computation as substituted
from rh_kernel.ad.eff.traversal import free

Plug = Callable[[core.Computation], core.Computation]


def fits(p: core.Pattern, V: core.Value) -> dict[str, core.Value] | None:
    """The values of the variables of p, if it matches V."""
    match p, V:
        case core.AnyPattern(), _:
            return {}
        case core.NamePattern(x), _:
            return {x: V}
        case core.LiteralPattern(c), core.Literal(d):
            return {} if c == d else None
        case core.TuplePattern(inner), core.Tuple(parts):
            return _all_fit(inner, parts)
        case core.ConstructorPattern(K, inner), core.Constructed(L, parts):
            return _all_fit(inner, parts) if K == L else None
        case _:
            return None


def _all_fit(patterns: tuple[core.Pattern, ...], values: tuple[core.Value, ...]) -> dict[str, core.Value] | None:
    found: dict[str, core.Value] = {}
    for p, V in zip(patterns, values, strict=True):
        inner = fits(p, V)
        if inner is None:
            return None
        found.update(inner)
    return found


def frames(M: core.Computation) -> tuple[core.Computation, Plug] | None:
    """The term in the hole of a basic frame, and the frame."""
    match M:
        case core.Let(x, N, L):
            return N, lambda N1: core.Let(x, N1, L)
        case core.Apply(N, V):
            return N, lambda N1: core.Apply(N1, V)
        case core.Projection(i, N):
            return N, lambda N1: core.Projection(i, N1)
        case _:
            return None


def hoisted(M: core.Computation, effects: tuple[str, ...]) -> tuple[core.Perform, Plug] | None:
    """``𝓗[op V]`` for an operation of these effects; 𝓗 passes handlers of others, which the thesis' types do not have there."""
    if isinstance(M, core.Perform):
        return (M, lambda N: N) if M.effect in effects else None
    if isinstance(M, core.Handle) and isinstance(M.handler, core.Clauses):
        H = M.handler
        found = hoisted(M.body, tuple(e for e in effects if e not in H.effects))
        return None if found is None else (found[0], lambda N: core.Handle(found[1](N), H))
    inside = frames(M)
    if inside is None:
        return None
    found = hoisted(inside[0], effects)
    return None if found is None else (found[0], lambda N: inside[1](found[1](N)))


def beta(M: core.Computation) -> tuple[Rule, core.Computation] | None:
    """``M ⇝β M'``, for an M that may have free variables."""
    match M:
        case core.Let(x, core.Return(V), N):
            return Rule.LET, substituted(N, {x: V})
        case core.Force(core.Thunk(N)):
            return Rule.FORCE, N
        case core.Apply(core.Lambda(x, N), V):
            return Rule.APPLY, substituted(N, {x: V})
        case core.Projection(i, core.Pair(N, L)):
            return Rule.PROJECT, (N, L)[i - 1]
        case core.Match(core.Tuple() | core.Constructed() | core.Literal() as V, branches):
            found = next(((b, values) for b in branches if (values := fits(b.pattern, V)) is not None), None)
            return None if found is None else (Rule.MATCH, substituted(found[0].body, found[1]))
        case core.Handle(core.Return(V), core.Clauses(returns)):
            values = fits(returns.pattern, V)
            return None if values is None else (Rule.RETURN, substituted(returns.body, values))
        case core.Handle(N, core.Clauses() as H):
            return _operation(N, H)
        case core.BuiltIn(name, (core.Literal(int(m)), core.Literal(int(n)))):
            return Rule.CONSTANT, core.Return(core.Literal({"add": m + n, "sub": m - n, "mul": m * n}[name]))
        case _:
            return None


def _operation(N: core.Computation, H: core.Clauses) -> tuple[Rule, core.Computation] | None:
    found = hoisted(N, H.effects)
    if found is None:
        return None
    op, plug = found
    clause = next(c for c in H.clauses if c.operation == op.operation)
    values = _all_fit(clause.patterns, op.arguments)
    assert values is not None
    # Under binders the rest may have variables of its own, and one of them may be an x.
    taken = free(core.Handle(plug(core.Return(core.Tuple(()))), H))
    x = next(name for name in ("x", *(f"x'{n}" for n in range(len(taken)))) if name not in taken)
    k = core.Thunk(core.Lambda(x, core.Handle(plug(core.Return(core.Variable(x))), H)))
    return Rule.OPERATION, substituted(clause.body, {**values, clause.continuation: k})


def decompositions(M: core.Computation) -> Iterator[tuple[Rule, core.Computation]]:
    """For every ``M = C[N]`` with ``N ⇝β N'`` the rule and ``C[N']``."""
    here = beta(M)
    if here is not None:
        yield here
    inside = frames(M)
    if isinstance(M, core.Handle):
        H = M.handler
        inside = M.body, partial(core.Handle, handler=H)
    if inside is not None:
        for rule, N in decompositions(inside[0]):
            yield rule, inside[1](N)


def anywhere(M: core.Computation) -> Iterator[core.Computation]:
    """``M ⇝cong M'``: every term that a β-step anywhere in M leads to, under binders, in thunks and in clauses too."""
    here = beta(M)
    if here is not None:
        yield here[1]
    for N, put in _inside(M):
        for N1 in anywhere(N):
            yield put(N1)


def _inside(M: core.Computation) -> Iterator[tuple[core.Computation, Plug]]:
    """The computations in M, each with its context."""
    match M:
        case core.Let(x, N, L):
            yield N, lambda N1: core.Let(x, N1, L)
            yield L, lambda L1: core.Let(x, N, L1)
        case core.Lambda(x, N):
            yield N, lambda N1: core.Lambda(x, N1)
        case core.Apply(N, V):
            yield N, lambda N1: core.Apply(N1, V)
            for L, put in _in_value(V):
                yield L, lambda L1, put=put: core.Apply(N, put(L1))
        case core.Projection(i, N):
            yield N, lambda N1: core.Projection(i, N1)
        case core.Pair(N, L):
            yield N, lambda N1: core.Pair(N1, L)
            yield L, lambda L1: core.Pair(N, L1)
        case core.Return(V):
            for L, put in _in_value(V):
                yield L, lambda L1, put=put: core.Return(put(L1))
        case core.Force(V):
            for L, put in _in_value(V):
                yield L, lambda L1, put=put: core.Force(put(L1))
        case core.Match(V, branches):
            for i, branch in enumerate(branches):
                before, after, p = branches[:i], branches[i + 1 :], branch.pattern
                yield (
                    branch.body,
                    lambda N, before=before, after=after, p=p: core.Match(V, (*before, core.Branch(p, N), *after)),
                )
        case core.Handle(N, core.Clauses(returns, clauses, effects) as H):
            yield N, lambda N1: core.Handle(N1, H)
            yield (
                returns.body,
                lambda L: core.Handle(N, core.Clauses(core.ReturnClause(returns.pattern, L), clauses, effects)),
            )
            for i, c in enumerate(clauses):
                before, after = clauses[:i], clauses[i + 1 :]

                def put_clause(
                    L: core.Computation,
                    c: core.Clause = c,
                    before: tuple[core.Clause, ...] = before,
                    after: tuple[core.Clause, ...] = after,
                ) -> core.Computation:
                    made = core.Clause(c.effect, c.operation, c.patterns, c.continuation, L)
                    return core.Handle(N, core.Clauses(returns, (*before, made, *after), effects))

                yield c.body, put_clause
        case core.Handle() | core.Perform() | core.BuiltIn() | core.Adapt():
            return


def _in_value(V: core.Value) -> Iterator[tuple[core.Computation, Callable[[core.Computation], core.Value]]]:
    match V:
        case core.Thunk(N):
            yield N, core.Thunk
        case core.Tuple(parts):
            for i, W in enumerate(parts):
                for N, put in _in_value(W):
                    before, after = parts[:i], parts[i + 1 :]
                    yield N, lambda L, put=put, before=before, after=after: core.Tuple((*before, put(L), *after))
        case _:
            return
