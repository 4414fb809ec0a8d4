"""Derivations for core trees: ``Γ ⊢ M : A`` (RH Fig. 2), ``Γ ; Δ ⊢ P : A`` and ``⊢ H : rev handler(C)`` (Fig. 3).

Each rule of a figure is one case. Every type in the core can be read off, so derivations are built bottom-up without
inference: this module checks the kernel's own passes, and is independent of elaboration. Beyond the figures, ``M + N`` and
``0`` are at every type, as Fig. 6 and 7 require; handlers may use Γ, which contains their parameters; ``handle P with H`` and
``k • M`` are typed by rule (1) of §2.2.1; the forms ``W.R_V(x. N)`` and ``RH_H^V(⟨y1, …, ym⟩. P)`` by Lemma 5.3 and 5.9.

A judgment is a generator that yields the judgments of its premises and receives their derivations, so no tree is too deep.
"""

from collections.abc import Generator
from typing import TypeAlias

from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax import core
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.sequences import is_sequence, length, lengths, of_rows, row, unstacked
from rh_kernel.syntax.types import SCALAR, Product, Real, Type, TypeMeta, factors, product
from rh_kernel.syntax.values import constant_type
from rh_kernel.typing.context import Zone
from rh_kernel.typing.derivation.derivations import (
    Assigned,
    Assumption,
    Context,
    Derivation,
    IllTyped,
    OrdinaryHandlerType,
    ReverseHandlerType,
    assumptions,
    drop_delta,
    extend,
    look_up,
)
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.derivation.signatures import check_operation, clause_types, names_bound, requirements
from rh_kernel.typing.unification.atoms import dimension_names

Judgment: TypeAlias = Descent[Derivation]


def derive_term(gamma: tuple[Type, ...], M: core.Term, names: tuple[str, ...] = ()) -> Derivation:
    """The derivation of ``Γ ⊢ M : A``; the last type of Γ is that of index 0. Raises ``IllTyped``."""
    return descend(_term(_context(gamma, (), names), M))


def derive_command(
    gamma: tuple[Type, ...], delta: tuple[Type, ...], P: core.Command, names: tuple[str, ...] = ()
) -> Derivation:
    """The derivation of ``Γ ; Δ ⊢ P : A``; Δ is inside Γ, and its last type is that of index 0. Raises ``IllTyped``."""
    return descend(_command(_context(gamma, delta, names), P))


def derive_handler(gamma: tuple[Type, ...], H: core.Handler, names: tuple[str, ...] = ()) -> Derivation:
    """The derivation of ``Γ ⊢ H : rev handler(C)`` or ``Γ ⊢ H : C ⇒ D``. Raises ``IllTyped``."""
    return descend(_handler(_context(gamma, (), names), H))


def _term(cx: Context, M: core.Term) -> Judgment:
    match M:
        case core.Bound(index, hint):
            x = look_up(cx, index)
            if x is None or x.answer is not None:
                raise IllTyped(f"{hint} is not in scope", M, M.span)
            return Derivation(TypingRule.T_VAR, cx, M, x.type, ())
        case core.Const():
            return Derivation(TypingRule.T_CONST, cx, M, constant_type(M), ())
        case core.Zero(A):
            return Derivation(TypingRule.T_CONST, cx, M, A, ())
        case core.Call(f, N):
            yield from _symbol(M)
            premise = yield _term(cx, N)
            _equal(M, f"the argument of {_name(M)}", premise.type, f.domain)
            return Derivation(TypingRule.T_FUNC, cx, M, f.codomain, (premise,))
        case core.Let(N, scope):
            bound = yield _term(cx, N)
            body = yield _term(_under(cx, scope, bound), _body(scope))
            return Derivation(TypingRule.T_LET, cx, M, body.type, (bound, body))
        case core.Plus(L, N):
            left = yield _term(cx, L)
            right = yield _term(cx, N)
            _equal(M, "the second summand", right.type, left.type)
            return Derivation(TypingRule.T_PLUS, cx, M, left.type, (left, right))
        case core.Tuple(items):
            components: list[Derivation] = []
            for N in items:
                components += ((yield _term(cx, N)),)
            if len(items) < 2:
                raise IllTyped("a tuple has at least two components", M, M.span)
            A = Product(tuple([_type(component) for component in components]))
            return Derivation(TypingRule.T_TUPLE, cx, M, A, tuple(components))
        case core.Proj(i, n, N):
            of = yield _term(cx, N)
            if not isinstance(of.type, Product) or len(of.type.factors) != n or not 1 <= i <= n:
                raise IllTyped(f"component {i} of {n} is taken of {of.type}", M, M.span)
            return Derivation(TypingRule.T_PROJ, cx, M, of.type.factors[i - 1], (of,))
        case core.Rd(W, scope, V):
            return (yield from _derivative(TypingRule.T_RD, cx, M, W, scope, V))
        case core.Map():
            return (yield from _map(cx, M))
        case core.R(W, scope, V, known):
            derivation = yield from _derivative(TypingRule.T_R, cx, M, W, scope, V)
            _, line, _ = derivation.premises
            for U in known or ():
                value = yield _term(cx, U)
                if line.rule is not TypingRule.T_LET:
                    raise IllTyped("more is known than there are lets", M, M.span)
                bound, line = line.premises
                _equal(M, "what is known of a let", value.type, bound.type)
            return derivation
        case core.If(_, _, N, L):
            operands = yield from _operands(cx, M)
            then = yield _term(cx, N)
            otherwise = yield _term(cx, L)
            _equal(M, "the branch after else", otherwise.type, then.type)
            return Derivation(TypingRule.T_IF, cx, M, then.type, (*operands, then, otherwise))


def _operands(cx: Context, M: core.If | core.IfCommand) -> Generator[Judgment, Derivation, list[Derivation]]:
    """``Γ ⊢ L : Real`` for the terms that the condition compares"""
    if not isinstance(M.operands, core.Tuple) or len(M.operands.items) != operand_count(M.condition):
        raise IllTyped("a condition compares other terms", M, M.span)
    premise = yield _term(cx, M.operands)
    _equal(M, "what is compared", premise.type, Product((SCALAR,) * len(M.operands.items)))
    return [premise]


def _derivative(rule: TypingRule, cx: Context, M: core.Term, W: core.Term, scope: core.Scope, V: core.Term) -> Judgment:
    """``Γ ⊢ W : B`` and ``Γ, x : A ⊢ N : B`` and ``Γ ⊢ V : A`` give A: T-RD, and likewise Lemma 5.3."""
    cotangent = yield _term(cx, W)
    point = yield _term(cx, V)
    body = yield _term(_under(cx, scope, point), _body(scope))
    _equal(M, "the cotangent", cotangent.type, body.type)
    return Derivation(rule, cx, M, point.type, (cotangent, body, point))


def _symbol(M: core.Call) -> Generator[Judgment, Derivation, None]:
    """``f ∈ Σ_fun``"""
    try:
        for required in requirements(M.function):
            bound = zip(required.scope.hints, required.domains, strict=True)
            found = yield _term(extend(None, [Assumption(x, A, Zone.DELTA) for x, A in bound]), _body(required.scope))
            _equal(M, f"the definition of {_name(M)}", found.type, required.codomain)
    except ValueError as error:
        raise IllTyped(str(error), M, M.span) from error


def _command(cx: Context, P: core.Command) -> Judgment:
    match P:
        case core.Return(M):
            premise = yield _term(cx, M)
            return Derivation(TypingRule.T_PURE, cx, P, premise.type, (premise,))
        case core.Perform(op, M):
            for index, A in check_operation(op):
                found = yield _term(drop_delta(cx), index)
                _equal(op, f"an index of {op.family.name}", found.type, A)
            premise = yield _term(cx, M)
            _equal(P, f"the argument of {op.family.name}", premise.type, op.domain)
            return Derivation(TypingRule.T_OP, cx, P, op.codomain, (premise,))
        case core.Bind(Q, scope):
            bound = yield _command(cx, Q)
            body = yield _command(_under(cx, scope, bound), _block(scope))
            return Derivation(TypingRule.T_CLET, cx, P, body.type, (bound, body))
        case core.RevHandle(M, scope, H):
            return (yield from _reverse_handling(TypingRule.T_RHANDLE, cx, P, M, scope, H))
        case core.RH(V, scope, H):
            return (yield from _reverse_handling(TypingRule.T_RH, cx, P, V, scope, H))
        case core.Handle(Q, H):
            body = yield _command(cx, Q)
            handler = yield _handler(cx, H)
            _equal(P, "the handled command", body.type, H.source)
            return Derivation(TypingRule.T_HANDLE, cx, P, H.target, (body, handler))
        case core.Resume(index, hint, M):
            k = look_up(cx, index)
            if k is None or k.answer is None:
                raise IllTyped(f"no continuation {hint} is in scope", P, P.span)
            premise = yield _term(cx, M)
            _equal(P, f"the argument of {hint}", premise.type, k.type)
            return Derivation(TypingRule.T_RESUME, cx, P, k.answer, (premise,))
        case core.Scan():
            return (yield from _scan(cx, P))
        case core.Repeat(index, _, _, M, scope):
            start = yield _term(cx, M)
            body = yield _command(_under(cx, scope, start), _block(scope))
            _equal(P, "a round", body.type, start.type)
            around = [x.type for x in assumptions(cx) if x is not None]
            if index in {name for A in (*around, _type(start)) for name in dimension_names(A)}:
                raise IllTyped(f"the type of what a round of {index} is given depends on {index}", P, P.span)
            return Derivation(TypingRule.T_REPEAT, cx, P, start.type, (start, body))
        case core.IfCommand(_, _, Q, N):
            operands = yield from _operands(cx, P)
            then = yield _command(cx, Q)
            otherwise = yield _command(cx, N)
            _equal(P, "the branch after else", otherwise.type, then.type)
            return Derivation(TypingRule.T_CIF, cx, P, then.type, (*operands, then, otherwise))


def _map(cx: Context, M: core.Map) -> Judgment:
    """``Γ ⊢ M : Real(n, d…)`` and ``Γ, x : Real(d…) ⊢ N : Real(e…)`` give ``Real(n, e…)``: T-MAP."""
    sequence = yield _term(cx, M.of)
    _equal(M, "the sequence of a map", sequence.type, M.source)
    body = yield _term(extend(cx, [Assumption(M.scope.hints[0], _row(M, M.source), Zone.DELTA)]), _body(M.scope))
    _equal(M, "the body of a map", body.type, _unstacked(M))
    return Derivation(TypingRule.T_MAP, cx, M, M.target, (sequence, body))


def _scan(cx: Context, P: core.Scan) -> Judgment:
    """``Γ, Δ ⊢ M : Real(n, d…)``, ``Γ, Δ ⊢ N : S`` and ``Γ ; Δ, x : Real(d…), s : S ⊢ P : B × S`` give T-SCAN's type."""
    argument = yield _term(cx, P.argument)
    source, state = _variable_types(P, argument, 2)
    _equal(P, "the sequence of a scan", source, P.source)
    binders = zip(P.scope.hints, (_row(P, source), state), strict=True)
    body = yield _command(extend(cx, [Assumption(x, A, Zone.DELTA) for x, A in binders]), _block(P.scope))
    _equal(P, "the body of a scan", body.type, Product((_unstacked(P), state)))
    return Derivation(TypingRule.T_SCAN, cx, P, Product((P.target, state)), (argument, body))


def _unstacked(node: core.Map | core.Scan) -> Type:
    _equal(node, "the stacked rows", node.target, of_rows(length(node.source), node.target))
    return unstacked(node.target)


def _row(node: core.Node, A: Type) -> Type:
    if not is_sequence(A) or len(set(lengths(A))) != 1:
        raise IllTyped(f"{A} is no type of sequences of one length", node, node.span)
    return row(A)


def _reverse_handling(
    rule: TypingRule, cx: Context, P: core.Command, M: core.Term, scope: core.Scope, H: core.ReverseHandler
) -> Judgment:
    """``Γ, Δ ⊢ M : ∏ Aᵢ`` and ``Γ ; x1 : A1, …, xn : An ⊢ R : C`` and ``⊢ H : rev handler(C)`` give ``∏ Aᵢ``."""
    argument = yield _term(cx, M)
    types = _variable_types(P, argument, scope.arity)
    inner = extend(drop_delta(cx), [Assumption(x, A, Zone.DELTA) for x, A in zip(scope.hints, types, strict=True)])
    body = yield _command(inner, _block(scope))
    handler = yield _handler(cx, H)
    _equal(P, "the handled command", body.type, H.type)
    return Derivation(rule, cx, P, argument.type, (argument, body, handler))


def _handler(cx: Context, H: core.Handler) -> Judgment:
    gamma = drop_delta(cx)
    match H:
        case core.ReverseHandler(C, returns, clauses):
            premises = [(yield _clause(gamma, H, returns, (C,), (), C))]
            for c in clauses:
                premises += yield from _reverse_clause(gamma, c)
            return Derivation(TypingRule.T_RHANDLER, gamma, H, ReverseHandlerType(C), tuple(premises))
        case core.OrdinaryHandler(C, D, returns, clauses):
            premises = [(yield _clause(gamma, H, returns, (C,), (), D))]
            for c in clauses:
                premises += ((yield _ordinary_clause(gamma, c, D)),)
            return Derivation(TypingRule.T_HANDLER, gamma, H, OrdinaryHandlerType(C, D), tuple(premises))


def _reverse_clause(gamma: Context, clause: core.ReverseClause) -> Generator[Judgment, Derivation, list[Derivation]]:
    """``Γ ; x : A ⊢ Q^f : B × D`` and ``Γ ; y : B, z : D ⊢ Q^b : A``"""
    op, D = clause_types(clause.pattern, clause), clause.auxiliary
    _check_fresh(gamma, clause, ())
    values = tuple([A for _, A in op.values])
    forward = yield _clause(gamma, clause, clause.forward, (op.coarity,), values, Product((op.arity, D)))
    backward = yield _clause(gamma, clause, clause.backward, (op.arity, D), values, op.coarity)
    return [forward, backward]


def _ordinary_clause(gamma: Context, clause: core.OrdinaryClause, D: Type) -> Judgment:
    """``Γ ; x : A, k : B ⇝ D ⊢ Q : D``"""
    op = clause_types(clause.pattern, clause)
    _check_fresh(gamma, clause, (D,))
    values = tuple([A for _, A in op.values])
    return _clause(gamma, clause, clause.scope, (op.coarity,), values, D, (op.arity, D))


def _clause(
    gamma: Context,
    node: core.Node,
    scope: core.Scope,
    delta: tuple[Type, ...],
    values: tuple[Type, ...],
    expected: Type,
    continuation: tuple[Type, Type] | None = None,
) -> Judgment:
    """``Γ, a… ; x… ⊢ Q : expected`` for the scope ``a…, x…. Q``, with ``k`` the last of its variables if there is one."""
    binders = [(A, Zone.GAMMA, None) for A in values] + [(A, Zone.DELTA, None) for A in delta]
    if continuation is not None:
        B, D = continuation
        binders = [*binders, (B, Zone.CONTINUATION, D)]
    if len(binders) != scope.arity:
        raise IllTyped(f"a clause binds {scope.arity} variables in place of {len(binders)}", node, node.span)
    named = [Assumption(x, A, zone, D) for x, (A, zone, D) in zip(scope.hints, binders, strict=True)]
    Q = yield _command(extend(gamma, named), _block(scope))
    _equal(node, "a clause", Q.type, expected)
    return Q


def _check_fresh(gamma: Context, clause: core.ReverseClause | core.OrdinaryClause, types: tuple[Type, ...]) -> None:
    """Raise ``IllTyped`` if a dimension variable bound by the clause occurs in Γ or in ``types``."""
    around = [x.type for x in assumptions(gamma) if x is not None]
    captured = names_bound(clause.pattern) & {name for A in (*around, *types) for name in dimension_names(A)}
    if captured:
        raise IllTyped(f"a clause binds {', '.join(sorted(captured))} once more", clause, clause.span)


def _context(gamma: tuple[Type, ...], delta: tuple[Type, ...], names: tuple[str, ...]) -> Context:
    hints = names or tuple(f"x{i + 1}" for i in range(len(gamma) + len(delta)))
    zones = (Zone.GAMMA,) * len(gamma) + (Zone.DELTA,) * len(delta)
    return extend(None, [Assumption(x, A, z) for x, A, z in zip(hints, gamma + delta, zones, strict=True)])


def _under(cx: Context, scope: core.Scope, bound: Derivation) -> Context:
    """``Γ ; Δ, x : A`` for the scope ``x. …``, where ``bound`` derives the type A."""
    if scope.arity != 1:
        raise IllTyped(f"a scope binds {scope.arity} variables in place of one", scope, scope.span)
    return extend(cx, [Assumption(scope.hints[0], _type(bound), Zone.DELTA)])


def _body(scope: core.Scope) -> core.Term:
    if isinstance(scope.body, core.Term):
        return scope.body
    raise IllTyped("a command is used as a term", scope.body, scope.body.span)


def _block(scope: core.Scope) -> core.Command:
    if isinstance(scope.body, core.Command):
        return scope.body
    raise IllTyped("a term is used as a command", scope.body, scope.body.span)


def _variable_types(P: core.Command, argument: Derivation, n: int) -> tuple[Type, ...]:
    A = _type(argument)
    try:
        types = factors(A, n)
    except ValueError as error:
        raise IllTyped(str(error), P, P.span) from error
    _equal(P, "the argument that is bound to the variables", product(types), A)
    return types


def _type(derivation: Derivation) -> Type:
    match derivation.type:
        case Real() | Product() | TypeMeta() as A:
            return A
        case ReverseHandlerType() | OrdinaryHandlerType():
            raise IllTyped("a handler is used as a term", derivation.subject, derivation.subject.span)


def _equal(node: core.Node, what: str, found: Assigned, expected: Assigned) -> None:
    if found != expected:
        raise IllTyped(f"{what} has type {found}, not {expected}", node, node.span)


def _name(M: core.Call) -> str:
    f, nested = M.function, ""
    while isinstance(f, core.RdOf):
        f, nested = f.of, nested + "]"
    return "rd[" * len(nested) + f.name + nested
