"""``⟦Γ ; Δ ⊢ P : A⟧ ∈ 𝒜_Σ(⟦Δ⟧, ⟦A⟧)`` (RH Def. 7.13), after substituting values for the variables of Γ.

``⟦let x ⇐ P in Q⟧ = η(δ) ;^μ st(⟦P⟧) ;^μ ⟦Q⟧``, so a sequence of lets is one row of boxes. ``⟦rev handle (M) ⟨xs⟩. R with H⟧``
is ``η(⟦M⟧) ;^μ ⟦H⟧(⟦R⟧)``. Tuples, projections and lets of values are wiring; all other pure terms become boxes.
"""

from collections.abc import Callable
from typing import cast

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Pure, Row
from rh_kernel.denotational.environment import Binding, Continuation, Environment, bind, enclose, find, names, wires
from rh_kernel.denotational.errors import DiagramTooLarge, UnknownRounds
from rh_kernel.denotational.ordinary_handlers import Clause, handled
from rh_kernel.denotational.reverse import Clauses, homomorphism
from rh_kernel.denotational.sequences import row_of, stacked_rows
from rh_kernel.denotational.smooth import Draft, without_unused_inputs
from rh_kernel.denotational.terms import Interpretation, term
from rh_kernel.denotational.wiring import MOST, Builder, Wires, flat, like, nested, part, side_by_side
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.trampoline import descend
from rh_kernel.syntax import core
from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.clauses import ordinary_clause, reverse_clause
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.sequences import rounds
from rh_kernel.syntax.types import Type, leaves


def interpret(delta: tuple[Type, ...], scope: core.Scope) -> Arrow:
    """``⟦◇ ; y₁ : B₁, …, yₙ : Bₙ ⊢ P : A⟧`` for the closed scope ``y₁, …, yₙ. P``."""
    b: Row = Builder([leaf for B in delta for leaf in leaves(B)])
    return b.close(flat(descend(_block(scope, side_by_side(delta, b.inputs), None, b))))


def _block(scope: core.Scope, values: tuple[Wires, ...], rho: Environment, b: Row) -> Interpretation:
    """Return the wires of the command in a scope, with values for its variables."""
    for name, value in zip(scope.hints, values, strict=True):
        b.name(value, name)
    return _command(cast(core.Command, scope.body), bind(scope.hints, values, rho), b)


def _command(P: core.Command, rho: Environment, b: Row) -> Interpretation:
    while isinstance(P, core.Bind):
        V = yield _command(P.bound, rho, b)
        b.name(V, P.scope.hints[0])
        rho = bind(P.scope.hints, (V,), rho)
        if _is_call(P):
            saved = b.place, b.calls
            b.enter(_net_name(P))
            result = yield _command(cast(core.Command, P.scope.body), rho, b)
            b.place, b.calls = saved
            return result
        P = cast(core.Command, P.scope.body)
    match P:
        case core.Return(M):
            return (yield _pure(M, rho, b))
        case core.Perform(op, M):
            V = yield _pure(M, rho, b)
            return nested(op.codomain, b.add(Effect(op), flat(V), leaves(op.codomain)))
        case core.RevHandle(M, scope, H) | core.RH(M, scope, H):
            V = yield _pure(M, rho, b)
            inner: Row = Builder([b.types[wire] for wire in flat(V)])
            X = like(V, inner.inputs)
            C = yield _block(scope, tuple([part(X, i, scope.arity) for i in range(scope.arity)]), None, inner)
            p: Row = Builder([inner.types[wire] for wire in flat(C)])
            returned = yield _block(H.returns, (like(C, p.inputs),), None, p)
            a = homomorphism(reverse_clauses(H), p.close(flat(returned)), inner.close(flat(C)), H.name)
            return like(V, b.graft(a, flat(V)))
        case core.Handle(Q, H):
            inside = enclose(rho, Q.loose)
            row: Row = Builder(inside.types(b))
            C = yield _command(Q, inside.environment, row)

            def returns(b: Row, result: tuple[int, ...]) -> Interpretation:
                return _block(H.returns, (like(C, result),), None, b)

            a = yield from handled(row.close(flat(C)), _ordinary_clauses(H), returns, H.target, H.name)
            return nested(H.target, b.graft(a, inside.outer))
        case core.Resume(index, _, M):
            k = find(rho, index)
            if not isinstance(k, Continuation):
                raise KernelBug("a value is no continuation")
            V = yield _pure(M, rho, b)
            clause = b.place, b.calls
            b.place, b.calls = (), ()
            result = b.graft(k.rest, (*flat(V), *k.captured))
            b.place, b.calls = clause
            return nested(k.answer, result)
        case core.Scan(M, scope, source, emitted):
            V = yield _pure(M, rho, b)
            sequence, state = part(V, 0, 2), part(V, 1, 2)
            rows: list[Wires] = []
            for i in range(rounds(source)):
                x = yield _pure(row_of(source, i), bind(("m",), (sequence,), None), b)
                result = yield _command(cast(core.Command, scope.body), bind(scope.hints, (x, state), rho), b)
                rows += (part(result, 0, 2),)
                state = part(result, 1, 2)
            hints, stacked = stacked_rows(len(rows), emitted)
            return (yield _pure(stacked, bind(hints, rows, None), b)), state
        case core.Repeat():
            return (yield _rounds(P, rho, b))
        case core.IfCommand():
            return (yield _choose(P, rho, b))


def _rounds(P: core.Repeat, rho: Environment, b: Row) -> Interpretation:
    """``⟦repeat i < n from s = M do P⟧ = η(⟦M⟧) ;^μ ⟦P[0/i]⟧ ;^μ … ;^μ ⟦P[n-1/i]⟧``: an n-fold composition"""
    n = P.count.constant
    if n is None:
        raise Stuck(UnknownRounds(span=P.span, count=str(P.count)))
    if n - P.first > MOST:
        raise Stuck(DiagramTooLarge(span=P.span, limit=MOST, hint="`repeat` has a box for each operation of each round"))
    V = yield _pure(P.start, rho, b)
    for k in range(P.first, n):
        round_k = specialise(P.scope, Static({P.index: dim(k)}, {}, {}))
        V = yield _block(round_k, (V,), rho, b)
    return V


def _choose(P: core.IfCommand, rho: Environment, b: Row) -> Interpretation:
    """``η(⟨⟦Ls⟧, id⟩) ;^μ [B ? ⟦P⟧ : ⟦Q⟧]``"""
    u = flat((yield _pure(P.operands, rho, b)))
    inside = enclose(rho, P.then.loose | P.otherwise.loose)
    made: list[tuple[Wires, Arrow]] = []
    for branch in (P.then, P.otherwise):
        row: Row = Builder(inside.types(b))
        V = yield _command(branch, inside.environment, row)
        made += ((V, row.close(flat(V))),)
    (V, a), (_, c) = made
    box = Choose(P.condition, a, c, P, names(rho, P.loose))
    return like(V, b.add(box, (*u, *inside.outer), a.results))


def _is_call(P: core.Bind) -> bool:
    """Whether this is a use of a declared net: its argument is bound in its body, and both have the span of the use."""
    return P.span is not None and isinstance(P.bound, core.Return) and P.bound.span == P.span


def _net_name(P: core.Bind) -> str:
    """``block[w0]`` of ``block[w0](x)``"""
    text = "" if P.span is None else " ".join(P.span.text.split())
    depth = 0
    for i, c in enumerate(text):
        if c == "(" and not depth:
            return text[:i].rstrip()
        depth += (c in "([") - (c in ")]")
    return text


def _pure(M: core.Term, rho: Environment, b: Row) -> Interpretation:
    """Return the wires of ``η(⟦M⟧)``: tuples and projections are wiring, computations are boxes."""
    match M:
        case core.Bound(index):
            return wires(rho, index)
        case core.Let(N, scope):
            V = yield _pure(N, rho, b)
            b.name(V, scope.hints[0])
            return (yield _pure(cast(core.Term, scope.body), bind(scope.hints, (V,), rho), b))
        case core.Tuple(items):
            parts: list[Wires] = []
            for N in items:
                parts += ((yield _pure(N, rho, b)),)
            return tuple(parts)
        case core.Proj(i, n, N):
            return part((yield _pure(N, rho, b)), i - 1, n)
        case _:
            inside = enclose(rho, M.loose)
            draft: Draft = Builder(inside.types(b))
            V = yield term(M, inside.environment, draft)
            f, kept = without_unused_inputs(draft.close(flat(V)))
            box = Pure(f, M, names(rho, M.loose))
            return like(V, b.add(box, [inside.outer[i] for i in kept], f.results))


def reverse_clauses(H: core.ReverseHandler) -> Clauses:
    """``Op ↦ ⟦Q^f_Op⟧, ⟦Q^b_Op⟧``"""

    def clauses(op: Operation) -> tuple[Arrow, Arrow]:
        forward, backward = reverse_clause(H, op)
        f: Row = Builder(leaves(op.domain))
        result = descend(_block(forward, (nested(op.domain, f.inputs),), None, f))
        y, z = part(result, 0, 2), part(result, 1, 2)
        b: Row = Builder([f.types[wire] for wire in (*flat(y), *flat(z))])
        n = len(flat(y))
        cotangent = descend(_block(backward, (like(y, b.inputs[:n]), like(z, b.inputs[n:])), None, b))
        return f.close((*flat(y), *flat(z))), b.close(flat(cotangent))

    return clauses


def _ordinary_clauses(H: core.OrdinaryHandler) -> Callable[[Operation], Clause | None]:
    """``Op ↦ ⟦x, k. Q_Op⟧``, for the operations that have a clause in H."""

    def clause(op: Operation) -> Clause | None:
        scope = ordinary_clause(H, op)
        if scope is None:
            return None

        def answer(b: Row, argument: tuple[int, ...], k: Continuation) -> Interpretation:
            x_name, k_name = scope.hints
            V = nested(op.domain, argument)
            b.name(V, x_name)
            rho = Binding(k_name, k, Binding(x_name, V, None))
            return _command(cast(core.Command, scope.body), rho, b)

        return answer

    return clause
