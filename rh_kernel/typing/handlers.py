"""Elaboration of handlers: ``⊢ H : rev handler(C)`` (RH Fig. 3, T-RHANDLER) and ``⊢ H : C ⇒ D`` (RH §2.2.1, rule (1)).

A clause is checked once for all indices of its family: the dimension variables of the operation's declaration are rigid in it.
It is closed: of what is around it, it sees the handler's parameters (Γ) and nothing of Δ.
"""

from collections.abc import Callable
from dataclasses import replace

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, apply_handler, replace_unknowns, specialise, specialise_type
from rh_kernel.syntax.core import Command, Handler, OrdinaryClause, OrdinaryHandler, ReverseClause, ReverseHandler, Scope
from rh_kernel.syntax.dimensions import Dim, DimMeta, dim
from rh_kernel.syntax.signature import Location, Pattern
from rh_kernel.syntax.types import Product, Shape, ShapeMeta, Type, TypeMeta, map_type
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import HandlerDefinition, kind_of
from rh_kernel.typing.dimensions import unknown_name
from rh_kernel.typing.errors import (
    ClauseOfOtherKind,
    ClauseTwice,
    HandlerOfOtherKind,
    HandlerWithoutReturn,
    TypesDiffer,
    WrongKindOfName,
    WrongNumberOfArguments,
)
from rh_kernel.typing.heads import clause_head
from rh_kernel.typing.indices import CLOSED
from rh_kernel.typing.patterns import open_patterns
from rh_kernel.typing.terms import Terms
from rh_kernel.typing.unify import Unifier

ElaborateCommand = Callable[[Context, s.Expr, Type | None], tuple[Command, Type]]
_ORDINARY, _REVERSE = "an ordinary handler", "a reverse handler"


class Handlers:
    """The judgment for handlers, over one set of unknowns."""

    def __init__(self, unifier: Unifier, terms: Terms, command: ElaborateCommand) -> None:
        self.unifier = unifier
        self.terms = terms
        self.command = command

    def reverse(self, cx: Context, h: s.HandlerExpr, C: Type) -> ReverseHandler:
        """H with ``⊢ H : rev handler(C)``. Raises ``Rejected``."""
        match h:
            case s.HandlerLiteral():
                return self.reverse_literal(cx, h, C)
            case s.HandlerName():
                H = self._named(cx, h)
                if not isinstance(H, ReverseHandler):
                    raise _other_kind(h, "`rev handle`", _REVERSE, _ORDINARY)
                self._fits(h, H.type, C, "the result of the handled command")
                return H

    def ordinary(self, cx: Context, h: s.HandlerExpr, C: Type, D: Type | None) -> OrdinaryHandler:
        """H with ``⊢ H : C ⇒ D``; where D is not given it is found. Raises ``Rejected``."""
        match h:
            case s.HandlerLiteral():
                return self.ordinary_literal(cx, h, C, D)
            case s.HandlerName():
                H = self._named(cx, h)
                if not isinstance(H, OrdinaryHandler):
                    raise _other_kind(h, "`handle`", _ORDINARY, _REVERSE)
                self._fits(h, H.source, C, "the result of the handled command")
                if D is not None:
                    self._fits(h, H.target, D, "what is asked for here")
                return H

    def _named(self, cx: Context, h: s.HandlerName) -> Handler:
        name = h.name.text
        match cx.definitions.get(name):
            case HandlerDefinition() as d:
                return self._applied(cx, h, d)
            case None:
                raise unknown_name(cx, name, h.name.span)
            case other:
                raise Rejected(WrongKindOfName(span=h.name.span, name=name, is_a=kind_of(other), wanted="a handler"))

    def _applied(self, cx: Context, h: s.HandlerName, d: HandlerDefinition) -> Handler:
        if len(h.arguments) != len(d.parameters):
            wanted = f"{len(d.parameters)} argument{'s' if len(d.parameters) != 1 else ''}"
            given = str(len(h.arguments)) if h.arguments else "none"
            raise Rejected(WrongNumberOfArguments(span=h.span, name=d.name, wanted=wanted, given=given))
        fresh = _Fresh(self.unifier)
        static = Static({v: self.unifier.fresh_dim() for v in d.variables}, {}, {})
        closed = cx.bar(CLOSED, "in a handler's argument, which has to be closed")
        arguments = tuple(
            self.terms.check(closed, e, fresh.type(specialise_type(A, static)))
            for e, (_, A) in zip(h.arguments, d.parameters, strict=True)
        )
        H = fresh.node(specialise(d.handler, static))
        self.unifier.uses.append((h.span, H))
        written = " ".join(h.span.text.split())
        match H:
            case ReverseHandler():
                return replace(apply_handler(H, arguments), name=written)
            case OrdinaryHandler():
                return replace(apply_handler(H, arguments), name=written)

    def _fits(self, h: s.HandlerName, found: Type, expected: Type, what: str) -> None:
        if not self.unifier.same_type(found, expected):
            A, B = self.unifier.type(found), self.unifier.type(expected)
            label = f"`{h.name.text}` handles results of another type: it"
            raise Rejected(TypesDiffer(span=h.span, what=label, found=str(A), expected=f"{B}, {what}"))

    def reverse_literal(self, cx: Context, h: s.HandlerLiteral, C: Type) -> ReverseHandler:
        """``{x ↦ P} ∪ {(x ↦ Q^f | y, z ↦ Q^b)}`` at C."""
        cx = cx.bar(CLOSED, "inside a handler's clause, which is closed")
        returns = self._returns(cx, h, C, C)[0]
        clauses: list[ReverseClause] = []
        for clause in h.clauses:
            match clause:
                case s.ReverseClause():
                    elaborated = self._reverse_clause(cx, clause)
                    _once([c.pattern for c in clauses], elaborated.pattern, clause)
                    clauses.append(elaborated)
                case s.OrdinaryClause():
                    raise Rejected(
                        ClauseOfOtherKind(
                            span=clause.span,
                            is_a=_ORDINARY,
                            inside=_REVERSE,
                            hint=f"give it a forward and a backward part: `{clause.head.text}(x) -> … | y, z -> …`",
                        )
                    )
                case s.ReturnClause():
                    continue
        return ReverseHandler(C, returns, tuple(clauses), span=h.span)

    def _reverse_clause(self, cx: Context, clause: s.ReverseClause) -> ReverseClause:
        head = clause_head(cx, clause)
        values = tuple(e.name for e in head.values)
        D = self.unifier.fresh_type()
        x = open_patterns(head.context, self.unifier, ((clause.variable, head.coarity),), Zone.DELTA)
        Qf, _ = self.command(x.context, clause.forward, Product((head.arity, D)))
        yz = ((clause.cotangent, head.arity), (clause.auxiliary, D))
        back = open_patterns(head.context, self.unifier, yz, Zone.DELTA)
        Qb, _ = self.command(back.context, clause.backward, head.coarity)
        forward, backward = _under(values, x.command_scope(Qf)), _under(values, back.command_scope(Qb))
        return ReverseClause(head.pattern, forward, D, backward, span=clause.span)

    def ordinary_literal(self, cx: Context, h: s.HandlerLiteral, C: Type, D: Type | None) -> OrdinaryHandler:
        """``{x ↦ P} ∪ {Op, k ; x ↦ Q}`` from C to D."""
        cx = cx.bar(CLOSED, "inside a handler's clause, which is closed")
        returns, target = self._returns(cx, h, C, D)
        clauses: list[OrdinaryClause] = []
        for clause in h.clauses:
            match clause:
                case s.OrdinaryClause():
                    elaborated = self._ordinary_clause(cx, clause, target)
                    _once([c.pattern for c in clauses], elaborated.pattern, clause)
                    clauses.append(elaborated)
                case s.ReverseClause():
                    hint = f"give it the continuation: `{clause.head.text}(x), k -> …`"
                    raise Rejected(ClauseOfOtherKind(span=clause.span, is_a=_REVERSE, inside=_ORDINARY, hint=hint))
                case s.ReturnClause():
                    continue
        return OrdinaryHandler(C, target, returns, tuple(clauses), span=h.span)

    def _ordinary_clause(self, cx: Context, clause: s.OrdinaryClause, D: Type) -> OrdinaryClause:
        head = clause_head(cx, clause)
        k = Entry(clause.continuation.text, head.arity, Zone.CONTINUATION, answer=D)
        opened = open_patterns(head.context, self.unifier, ((clause.variable, head.coarity),), Zone.DELTA, after=(k,))
        Q, _ = self.command(opened.context, clause.body, D)
        scope = _under(tuple(e.name for e in head.values), opened.command_scope(Q))
        return OrdinaryClause(head.pattern, scope, span=clause.span)

    def _returns(self, cx: Context, h: s.HandlerLiteral, C: Type, D: Type | None) -> tuple[Scope, Type]:
        found = [c for c in h.clauses if isinstance(c, s.ReturnClause)]
        if not found:
            hint = "add `return x -> return x`, or what is to become of the result"
            raise Rejected(HandlerWithoutReturn(span=h.span, hint=hint))
        if len(found) > 1:
            raise Rejected(ClauseTwice(span=found[1].span, name="return", notes=(_first(found[0].span),)))
        opened = open_patterns(cx, self.unifier, ((found[0].variable, C),), Zone.DELTA)
        P, A = self.command(opened.context, found[0].body, D)
        return opened.command_scope(P), A


class _Fresh:
    """New unknowns for those that a declaration left open: each use of the declaration has its own."""

    def __init__(self, unifier: Unifier) -> None:
        self._unifier = unifier
        self._dims: dict[int, Dim] = {}
        self._shapes: dict[int, Shape] = {}
        self._types: dict[int, Type] = {}

    def type(self, A: Type) -> Type:
        return map_type(
            A,
            lambda a: self._dim(a.number) if isinstance(a, DimMeta) else dim(a),
            lambda x: self._shape(x) if isinstance(x, ShapeMeta) else x,
            self._type,
        )

    def node(self, H: Handler) -> Handler:
        return replace_unknowns(H, lambda d: self._dim(d.number), self._shape, self._type)

    def _dim(self, number: int) -> Dim:
        return self._dims.setdefault(number, self._unifier.fresh_dim())

    def _shape(self, s: ShapeMeta) -> Shape:
        return self._shapes.setdefault(s.number, self._unifier.fresh_shape())

    def _type(self, A: TypeMeta) -> Type:
        return self._types.setdefault(A.number, self._unifier.fresh_type())


def _under(values: tuple[str, ...], scope: Scope) -> Scope:
    """``a…, x. Q`` from ``x. Q`` whose body already counts the ``a`` as the variables just outside."""
    return Scope((*values, *scope.hints), scope.body, span=scope.span)


def _once(patterns: list[Pattern], pattern: Pattern, clause: s.Clause) -> None:
    for other in patterns:
        if other.family == pattern.family and _locations(other) == _locations(pattern):
            raise Rejected(ClauseTwice(span=clause.span, name=pattern.family.name))


def _locations(pattern: Pattern) -> tuple[Location | None, ...]:
    return tuple(i if isinstance(i, Location) else None for i in pattern.indices)


def _first(span: Span) -> Note:
    return Note(span=span, text="the first one stands here")


def _other_kind(h: s.HandlerName, construct: str, wanted: str, is_a: str) -> Rejected:
    hint = "`handle P with H`" if is_a == _ORDINARY else "`rev handle (M) <x>. R with H`"
    return Rejected(
        HandlerOfOtherKind(
            span=h.span, construct=construct, wanted=wanted, name=h.name.text, is_a=is_a, hint=f"it is used in {hint}"
        )
    )
