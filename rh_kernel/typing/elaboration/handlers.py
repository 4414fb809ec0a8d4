"""Elaboration of handlers: ``⊢ H : rev handler(C)`` (RH Fig. 3, T-RHANDLER) and ``⊢ H : C ⇒ D`` (RH §2.2.1, rule (1)).

A clause is checked once for all indices of its family: the dimension variables of the operation's declaration are rigid in it.
It is closed: it may use the handler's parameters (Γ), but nothing of the enclosing Δ.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import cast

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, apply_handler, solutions, specialise, specialise_type
from rh_kernel.syntax.core import Command, Handler, OrdinaryClause, OrdinaryHandler, ReverseClause, ReverseHandler, Scope, Term
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.printing.constants import array_doc
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.signature import DeclaredLocations, Pattern
from rh_kernel.syntax.types import Product, Shape, Type
from rh_kernel.syntax.values import constant_type
from rh_kernel.typing.context import ARGUMENT, CLAUSE, Context, Entry, Zone
from rh_kernel.typing.definitions import HandlerDefinition
from rh_kernel.typing.diagnostics import handlers as diagnostics
from rh_kernel.typing.diagnostics.hints import NO_EXPECTATION, Expectation
from rh_kernel.typing.diagnostics.origins import chosen, origins, where
from rh_kernel.typing.diagnostics.shared import count_of, no_such_thing, quoted, types_differ
from rh_kernel.typing.elaboration.backward import backpropagation, explain_auxiliary_data, last, resumed
from rh_kernel.typing.elaboration.clause_heads import Head, clause_head, enclosing_variables
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.indices import CLOSED
from rh_kernel.typing.elaboration.patterns import open_patterns
from rh_kernel.typing.elaboration.size_constraints import require_sizes
from rh_kernel.typing.elaboration.terms import Terms
from rh_kernel.typing.errors import AnswerDepends, HandlerWithoutReturn, WrongNumberOfArguments
from rh_kernel.typing.unification.atoms import dimension_names
from rh_kernel.typing.unification.unify import Unifier

_GIVEN_ENTRIES = 16
"""The most entries of a given value that are written out in the name of a handler."""

ElaborateCommand = Callable[[Context, s.Expr, Type | None, Expectation], tuple[Command, Type]]


class Handlers:
    """The judgment for handlers, over one set of metavariables."""

    def __init__(self, unifier: Unifier, terms: Terms, command: ElaborateCommand) -> None:
        self.unifier = unifier
        self.terms = terms
        self.command = command

    def reverse(self, cx: Context, h: s.HandlerExpr, C: Type, handled: Expectation = NO_EXPECTATION) -> ReverseHandler:
        """Return H with ``⊢ H : rev handler(C)``; ``handled`` explains C. Raises ``Rejected``."""
        match h:
            case s.HandlerLiteral():
                return self.reverse_literal(cx, h, C, handled)
            case s.HandlerName():
                H = self._named(cx, h)
                if not isinstance(H, ReverseHandler):
                    raise diagnostics.handler_of_other_kind(cx, h, "`rev handle`", diagnostics.REVERSE, diagnostics.ORDINARY)
                self._check_handled(cx, h, H.type, C, handled)
                return H

    def ordinary(
        self,
        cx: Context,
        h: s.HandlerExpr,
        C: Type,
        D: Type | None,
        asked: Expectation = NO_EXPECTATION,
        handled: Expectation = NO_EXPECTATION,
    ) -> OrdinaryHandler:
        """Return H with ``⊢ H : C ⇒ D``; D is inferred if not given, and ``asked`` explains it. Raises ``Rejected``."""
        match h:
            case s.HandlerLiteral():
                return self.ordinary_literal(cx, h, C, D, asked)
            case s.HandlerName():
                H = self._named(cx, h)
                if not isinstance(H, OrdinaryHandler):
                    alone = (
                        "" if H.clauses else f"; with no other clauses, an ordinary one is declared `{h.name.text} : A => B`"
                    )
                    raise diagnostics.handler_of_other_kind(cx, h, "`handle`", diagnostics.ORDINARY, diagnostics.REVERSE, alone)
                self._check_handled(cx, h, H.source, C, handled)
                if D is not None and not self.unifier.unify_types(H.target, D):
                    what = f"the result of {quoted(h.span)}"
                    raise types_differ(self.unifier, h.span, what, H.target, D, asked, where(cx, h.name.text))
                return H

    def _named(self, cx: Context, h: s.HandlerName) -> Handler:
        name = h.name.text
        match cx.definitions.get(name):
            case HandlerDefinition() as d:
                return self._applied(cx, h, d)
            case _:
                names = cx.declared(HandlerDefinition)
                hint = f"declare it: `handler {name} = {{ return x -> return x … }}`"
                raise no_such_thing(cx, name, h.name.span, "a handler", names, hint)

    def _applied(self, cx: Context, h: s.HandlerName, d: HandlerDefinition) -> Handler:
        if len(h.arguments) != len(d.parameters):
            given = str(len(h.arguments)) if h.arguments else "none"
            expected = (
                f"`{d.name}({', '.join(f'{name} : {A}' for name, A in d.parameters)})`" if d.parameters else f"`{d.name}`"
            )
            wanted = count_of(len(d.parameters), "argument")
            notes = chosen(h.span, where(cx, h.name.text))
            hint = "give a handler its arguments where it is used: `… with sgd(0.1, t)`"
            hint = hint if d.parameters else "use a handler without parameters by its name alone"
            raise Rejected(
                WrongNumberOfArguments(
                    span=h.span, name=d.name, wanted=wanted, given=given, expected=expected, notes=notes, hint=hint
                )
            )
        self.unifier.unfold(d.nodes, cx.definitions.nodes, h.span)
        fresh = _fresh_copy(self.unifier)
        avoid = frozenset(enclosing_variables(cx))
        static = Static({v: self.unifier.fresh_dim(v) for v in d.variables}, {}, {}, avoid=avoid)
        require_sizes(self.unifier, h.span, d.name, static.dims, d.needs)
        closed = cx.bar(CLOSED, ARGUMENT)
        siblings, arguments = ErrorCollector(self.unifier), list[Term]()
        for e, (name, A) in zip(h.arguments, d.parameters, strict=True):
            asked = Expectation(f"the parameter `{name}` of `{d.name}`", story=lambda: where(cx, h.name.text))
            with siblings:
                B = specialise_type(fresh.type(A), static)
                M = self.terms.check(closed, e, B, asked)
                V = d.given.get(name)
                if V is not None and not self.unifier.unify_types(constant_type(V), B):
                    what = f"the value of `{d.name}.{name}`"
                    raise types_differ(self.unifier, e.span, what, constant_type(V), B, asked)
                arguments.append(M if V is None else V)
        siblings.raise_errors()
        H = specialise(cast(Handler, rebuild(d.handler, 0, fresh)), static)
        self.unifier.uses.append((h.span, H))
        written = _written(h, d)
        match H:
            case ReverseHandler():
                return replace(apply_handler(H, tuple(arguments)), name=written)
            case OrdinaryHandler():
                return replace(apply_handler(H, tuple(arguments)), name=written)

    def _check_handled(self, cx: Context, h: s.HandlerName, found: Type, C: Type, handled: Expectation) -> None:
        if not self.unifier.unify_types(found, C):
            what = f"the result handled by {quoted(h.span)}"
            story = [*(note for e in h.arguments for note in origins(cx, self.unifier, e)), *where(cx, h.name.text)]
            raise types_differ(self.unifier, h.span, what, found, C, handled, story)

    def reverse_literal(
        self, cx: Context, h: s.HandlerLiteral, C: Type, handled: Expectation = NO_EXPECTATION
    ) -> ReverseHandler:
        """``{x ↦ P} ∪ {(x ↦ Q^f | y, z ↦ Q^b)}`` at C, where ``handled`` explains C."""
        cx = cx.bar(CLOSED, replace(CLAUSE, span=_brace(h)))
        siblings = ErrorCollector(self.unifier)
        returns: list[Scope] = []
        with siblings:
            returns.append(self._returns(cx, h, C, C, replace(diagnostics.RETURN_OF_REVERSE, story=handled.story))[0])
        clauses: list[ReverseClause] = []
        earlier: list[tuple[Pattern, s.Clause]] = []
        for clause in h.clauses:
            with siblings:
                match clause:
                    case s.ReverseClause():
                        elaborated = self._reverse_clause(cx, clause)
                        _check_unique(earlier, elaborated.pattern, clause)
                        clauses.append(elaborated)
                    case s.OrdinaryClause():
                        hint = f"give it a forward and a backward part: `{diagnostics.head_of(clause)}(x) -> … | y, z -> …`"
                        raise diagnostics.clause_of_other_kind(clause, diagnostics.ORDINARY, diagnostics.REVERSE, hint)
                    case s.ReturnClause():
                        continue
        siblings.raise_errors()
        return ReverseHandler(C, returns[0], tuple(clauses), span=h.span)

    def _reverse_clause(self, cx: Context, clause: s.ReverseClause) -> ReverseClause:
        head = clause_head(cx, clause)
        name, values = head.pattern.family.name, tuple(e.name for e in head.values)
        siblings, scopes = ErrorCollector(self.unifier), list[Scope]()
        D: Type = self.unifier.poison()
        with siblings:
            kept = self.unifier.fresh_type("D")
            x = open_patterns(head.context, self.unifier, ((clause.variable, head.coarity),), Zone.DELTA)
            asked = replace(diagnostics.asked_of_forward(name), story=lambda: where(cx, clause.head.text))
            Qf, _ = self.command(x.context, clause.forward, Product((head.arity, kept)), asked)
            scopes.append(_bind_values(values, x.command_scope(Qf)))
            D = kept
        with siblings:
            scopes.append(_bind_values(values, self._backward(cx, head, clause, D)))
        siblings.raise_errors()
        return ReverseClause(head.pattern, scopes[0], D, scopes[1], span=clause.span)

    def _backward(self, cx: Context, head: Head, clause: s.ReverseClause, D: Type) -> Scope:
        """``y, z. Q^b``"""
        yz = ((clause.cotangent, head.arity), (clause.auxiliary, D))
        asked = replace(diagnostics.asked_of_backward(head.pattern.family.name), story=lambda: where(cx, clause.head.text))
        try:
            opened = open_patterns(head.context, self.unifier, yz, Zone.DELTA)
            Qb, _ = self.command(opened.context, clause.backward, head.coarity, asked)
        except Rejected as failure:
            raise explain_auxiliary_data(self.unifier, failure, clause, D) from None
        return opened.command_scope(Qb)

    def ordinary_literal(
        self, cx: Context, h: s.HandlerLiteral, C: Type, D: Type | None, asked: Expectation = NO_EXPECTATION
    ) -> OrdinaryHandler:
        """``{x ↦ P} ∪ {Op, k ; x ↦ Q}`` from C to D, where ``asked`` explains D if it is given."""
        cx = cx.bar(CLOSED, replace(CLAUSE, span=_brace(h), rule="T-HANDLER"))
        siblings = ErrorCollector(self.unifier)
        returns: list[Scope] = []
        target = self.unifier.poison() if D is None else D
        with siblings:
            scope, target = self._returns(cx, h, C, D, replace(diagnostics.RETURN_OF_ORDINARY, story=asked.story))
            returns.append(scope)
        story = asked.story if D is not None else lambda: diagnostics.returned_by(self.unifier, h, target)
        clauses: list[OrdinaryClause] = []
        earlier: list[tuple[Pattern, s.Clause]] = []
        for clause in h.clauses:
            with siblings:
                match clause:
                    case s.OrdinaryClause():
                        elaborated = self._ordinary_clause(cx, clause, target, story)
                        _check_unique(earlier, elaborated.pattern, clause)
                        clauses.append(elaborated)
                    case s.ReverseClause():
                        hint = f"give it the continuation: `{diagnostics.head_of(clause)}(x), k -> …`"
                        raise diagnostics.clause_of_other_kind(clause, diagnostics.REVERSE, diagnostics.ORDINARY, hint)
                    case s.ReturnClause():
                        continue
        siblings.raise_errors()
        return OrdinaryHandler(C, target, returns[0], tuple(clauses), span=h.span)

    def _ordinary_clause(
        self, cx: Context, clause: s.OrdinaryClause, D: Type, story: Callable[[], Iterable[Note]]
    ) -> OrdinaryClause:
        head = clause_head(cx, clause)
        mark = self.unifier.mark()
        try:
            Q = self._clause_scope(
                head, clause, D, D, replace(diagnostics.asked_of_clause(head.pattern.family.name), story=story)
            )
            self._check_escape(head, clause, D)
        except Rejected as failure:
            self.unifier.back(mark)
            if self._is_backpropagation(head, clause):
                self.unifier.back(mark)
                raise backpropagation(self.unifier, head, clause, D) from None
            raise failure from None
        return OrdinaryClause(head.pattern, _bind_values(tuple(e.name for e in head.values), Q), span=clause.span)

    def _clause_scope(self, head: Head, clause: s.OrdinaryClause, answer: Type, D: Type, asked: Expectation) -> Scope:
        """``x, k. Q`` of type D, with ``k : B ⇝ answer``; rule (1) of §2.2.1 requires the two to be equal."""
        k = Entry(clause.continuation.text, head.arity, Zone.CONTINUATION, answer=answer, span=clause.continuation.span)
        opened = open_patterns(head.context, self.unifier, ((clause.variable, head.coarity),), Zone.DELTA, after=(k,))
        Q, _ = self.command(opened.context, clause.body, D, asked)
        return opened.command_scope(Q)

    def _is_backpropagation(self, head: Head, clause: s.OrdinaryClause) -> bool:
        """Whether the clause has the typing that §2.2.2 would like: ``k`` is used at ``B ⇝ B``, and the clause has type A."""
        if resumed(clause.body, clause.continuation.text) is None:
            return False
        try:
            self._clause_scope(head, clause, head.arity, head.coarity, NO_EXPECTATION)
        except Rejected:
            return False
        return True

    def _check_escape(self, head: Head, clause: s.OrdinaryClause, D: Type) -> None:
        """All clauses share one type D, so D must not mention the dimension variables of one clause. Raises ``Rejected``."""
        own = {*head.pattern.variables, *(i for i in head.pattern.indices if isinstance(i, str))}
        if own & dimension_names(self.unifier.type(D)):
            (found,) = self.unifier.show(D)
            hint = "return one type, for example the `sum(…)`"
            name = head.pattern.family.name
            span = last(clause.body).span
            notes = chosen(span, where(head.context, name))
            raise Rejected(AnswerDepends(span=span, found=found, operation=name, hint=hint, notes=notes))

    def _returns(self, cx: Context, h: s.HandlerLiteral, C: Type, D: Type | None, asked: Expectation) -> tuple[Scope, Type]:
        found = [c for c in h.clauses if isinstance(c, s.ReturnClause)]
        if not found:
            hint = "add `return x -> return x`, or another return clause"
            raise Rejected(HandlerWithoutReturn(span=_brace(h), hint=hint))
        if len(found) > 1:
            raise diagnostics.clause_twice(found[1], "return", found[0])
        opened = open_patterns(cx, self.unifier, ((found[0].variable, C),), Zone.DELTA)
        P, A = self.command(opened.context, found[0].body, D, asked)
        return opened.command_scope(P), A


def _fresh_copy(unifier: Unifier) -> Transform:
    """Renew the metavariables that a declaration left open, once for each use of the declaration."""
    dims: dict[int, Dim] = {}
    shapes: dict[int, Shape] = {}
    types: dict[int, Type] = {}
    return solutions(
        lambda d: dims.setdefault(d.number, unifier.fresh_dim()),
        lambda x: shapes.setdefault(x.number, unifier.fresh_shape()),
        lambda A: types.setdefault(A.number, unifier.fresh_type()),
    )


def _written(h: s.HandlerName, d: HandlerDefinition) -> str:
    """The application as it is written, on one line, with the values that are given in the place of arguments."""
    if not d.given:
        return " ".join(h.span.text.split())
    texts = [
        " ".join(e.span.text.split()) if (V := d.given.get(name)) is None else plain(array_doc(V.value, abridge=_GIVEN_ENTRIES))
        for e, (name, _) in zip(h.arguments, d.parameters, strict=True)
    ]
    return f"{d.name}({', '.join(texts)})"


def _brace(h: s.HandlerLiteral) -> Span:
    return replace(h.span, end=h.span.start + 1)


def _bind_values(values: tuple[str, ...], scope: Scope) -> Scope:
    """Bind the ``a`` as well: ``a…, x. Q`` from ``x. Q`` in which they are the free variables just outside."""
    return Scope((*values, *scope.hints), scope.body, span=scope.span)


def _check_unique(earlier: list[tuple[Pattern, s.Clause]], pattern: Pattern, clause: s.Clause) -> None:
    for other, first in earlier:
        if other.family == pattern.family and _locations(other) == _locations(pattern):
            raise diagnostics.clause_twice(clause, pattern.family.name, first)
    earlier.append((pattern, clause))


def _locations(pattern: Pattern) -> tuple[DeclaredLocations | None, ...]:
    return tuple(i if isinstance(i, DeclaredLocations) else None for i in pattern.indices)
