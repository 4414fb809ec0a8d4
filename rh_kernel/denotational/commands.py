"""``⟦Γ ; Δ ⊢ P : A⟧ ∈ 𝒜_Σ(⟦Δ⟧, ⟦A⟧)`` (RH Def. 7.13), after substituting values for the variables of Γ.

``⟦let x ⇐ P in Q⟧ = η(δ) ;^μ st(⟦P⟧) ;^μ ⟦Q⟧``, so a sequence of lets is one row of boxes. ``⟦rev handle (M) ⟨xs⟩. R with H⟧``
is ``η(⟦M⟧) ;^μ ⟦H⟧(⟦R⟧)``. Tuples, projections and lets of values are wiring; all other pure terms become boxes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import cast

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Pure, Row
from rh_kernel.denotational.environment import Binding, Continuation, Environment, bind, enclose, find, names, wires
from rh_kernel.denotational.ordinary_handlers import Clause, handled
from rh_kernel.denotational.reverse import Clauses, homomorphism
from rh_kernel.denotational.rounds import Interpreting, Rounds, performs
from rh_kernel.denotational.smooth import Draft, without_unused_inputs
from rh_kernel.denotational.tail_clauses import Replacement, goes_on_at_once, with_clauses_in_rounds
from rh_kernel.denotational.terms import Interpretation, term
from rh_kernel.denotational.wiring import Builder, Wires, flat, like, nested, part, rewire, side_by_side
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.trampoline import descend
from rh_kernel.syntax import core
from rh_kernel.syntax.clauses import ordinary_clause, reverse_clause
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Type, leaves


def interpret(delta: tuple[Type, ...], scope: core.Scope, rounds: Rounds = Rounds.EACH) -> Arrow:
    """``⟦◇ ; y₁ : B₁, …, yₙ : Bₙ ⊢ P : A⟧`` for the closed scope ``y₁, …, yₙ. P``."""
    b: Row = Builder([leaf for B in delta for leaf in leaves(B)])
    return b.close(flat(descend(_Interpreter(rounds).block(scope, side_by_side(delta, b.inputs), None, b))))


def reverse_clauses(H: core.ReverseHandler) -> Clauses:
    """``Op ↦ ⟦Q^f_Op⟧, ⟦Q^b_Op⟧``"""
    return _Interpreter(Rounds.EACH).reverse_clauses(H)


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """Adds commands to rows, with ``rounds`` as boxes of their own; ``by_number`` is that of ``Interpreting``."""

    rounds: Rounds
    by_number: bool = True

    def block(self, scope: core.Scope, values: tuple[Wires, ...], rho: Environment, b: Row) -> Interpretation:
        """Return the wires of the command in a scope, with values for its variables."""
        for name, value in zip(scope.hints, values, strict=True):
            b.name(value, name)
        return self.command(cast(core.Command, scope.body), bind(scope.hints, values, rho), b)

    def command(self, P: core.Command, rho: Environment, b: Row) -> Interpretation:
        """Add a command to the end of a row, and return the wires of its result."""
        while isinstance(P, core.Bind):
            V = yield self.command(P.bound, rho, b)
            b.name(V, P.scope.hints[0])
            rho = bind(P.scope.hints, (V,), rho)
            if _is_call(P):
                saved = b.place, b.calls
                b.enter(_net_name(P))
                result = yield self.command(cast(core.Command, P.scope.body), rho, b)
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
                return (yield self._reverse_handled(M, scope, H, rho, b))
            case core.Handle(Q, H):
                return (yield self._handled(Q, H, rho, b))
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
            case core.Scan():
                return (yield self._interpreting().scan(P, rho, b))
            case core.Repeat():
                return (yield self._interpreting().repeat(P, rho, b))
            case core.IfCommand():
                return (yield self._choose(P, rho, b))

    def _interpreting(self) -> Interpreting:
        return Interpreting(self.rounds, self.block, _pure, self.by_number)

    def _inside(self, H: core.ReverseHandler | core.OrdinaryHandler) -> "_Interpreter":
        """Return the interpreter of what H handles. A clause of one location is for some rounds of a ``repeat`` only."""
        names_location = any(isinstance(i, Location) for c in H.clauses for i in c.pattern.indices)
        return replace(self, by_number=False) if names_location else self

    def _reverse_handled(
        self, M: core.Term, scope: core.Scope, H: core.ReverseHandler, rho: Environment, b: Row
    ) -> Interpretation:
        V = yield _pure(M, rho, b)
        inner: Row = Builder([b.types[wire] for wire in flat(V)])
        X = like(V, inner.inputs)
        C = yield self._inside(H).block(scope, tuple([part(X, i, scope.arity) for i in range(scope.arity)]), None, inner)
        p: Row = Builder([inner.types[wire] for wire in flat(C)])
        returned = yield self.block(H.returns, (like(C, p.inputs),), None, p)
        a = homomorphism(self.reverse_clauses(H), p.close(flat(returned)), inner.close(flat(C)), H.name)
        return like(V, b.graft(a, flat(V)))

    def _handled(self, Q: core.Command, H: core.OrdinaryHandler, rho: Environment, b: Row) -> Interpretation:
        inside = enclose(rho, Q.loose)

        interpreter, clauses = self._inside(H), self._ordinary_clauses(H)
        row: Row = Builder(inside.types(b))
        C = yield interpreter.command(Q, inside.environment, row)
        a = row.close(flat(C))
        if performs(a, lambda op: ordinary_clause(H, op) is not None):
            if all(goes_on_at_once(c.scope) for c in H.clauses):
                a = with_clauses_in_rounds(a, self._tail_clauses(H), H.name)
            else:
                # A clause has the rest of the rounds as its continuation.
                row = Builder(inside.types(b))
                C = yield replace(interpreter, rounds=Rounds.EACH).command(Q, inside.environment, row)
                a = row.close(flat(C))

        def returns(b: Row, result: tuple[int, ...]) -> Interpretation:
            return self.block(H.returns, (like(C, result),), None, b)

        handled_arrow = yield from handled(a, clauses, returns, H.target, H.name)
        return nested(H.target, b.graft(handled_arrow, inside.outer))

    def _choose(self, P: core.IfCommand, rho: Environment, b: Row) -> Interpretation:
        """``η(⟨⟦Ls⟧, id⟩) ;^μ [B ? ⟦P⟧ : ⟦Q⟧]``"""
        u = flat((yield _pure(P.operands, rho, b)))
        inside = enclose(rho, P.then.loose | P.otherwise.loose)
        made: list[tuple[Wires, Arrow]] = []
        for branch in (P.then, P.otherwise):
            row: Row = Builder(inside.types(b))
            V = yield self.command(branch, inside.environment, row)
            made += ((V, row.close(flat(V))),)
        (V, a), (_, c) = made
        box = Choose(P.condition, a, c, P, names(rho, P.loose))
        return like(V, b.add(box, (*u, *inside.outer), a.results))

    def reverse_clauses(self, H: core.ReverseHandler) -> Clauses:
        """``Op ↦ ⟦Q^f_Op⟧, ⟦Q^b_Op⟧``"""

        def clauses(op: Operation) -> tuple[Arrow, Arrow]:
            forward, backward = reverse_clause(H, op)
            f: Row = Builder(leaves(op.domain))
            result = descend(self.block(forward, (nested(op.domain, f.inputs),), None, f))
            y, z = part(result, 0, 2), part(result, 1, 2)
            b: Row = Builder([f.types[wire] for wire in (*flat(y), *flat(z))])
            n = len(flat(y))
            cotangent = descend(self.block(backward, (like(y, b.inputs[:n]), like(z, b.inputs[n:])), None, b))
            return f.close((*flat(y), *flat(z))), b.close(flat(cotangent))

        return clauses

    def _tail_clauses(self, H: core.OrdinaryHandler) -> Replacement:
        """``Op ↦ ⟦x, k. Q_Op⟧`` with the identity for k"""

        @cache
        def replacement(op: Operation) -> Arrow | None:
            found = self._ordinary_clauses(H)(op)
            if found is None:
                return None
            B = leaves(op.codomain)
            row: Row = Builder(leaves(op.domain))
            k = Continuation(rewire(B, range(len(B))), (), op.codomain)
            return row.close(flat(descend(found(row, row.inputs, k))))

        return replacement

    def _ordinary_clauses(self, H: core.OrdinaryHandler) -> Callable[[Operation], Clause | None]:
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
                return self.command(cast(core.Command, scope.body), rho, b)

            return answer

        return clause


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
