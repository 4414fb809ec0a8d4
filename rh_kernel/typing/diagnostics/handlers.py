"""Diagnostics about handlers: the expected types of clauses, clauses and handlers of the wrong kind, duplicate clauses."""

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.types import Type
from rh_kernel.typing.context import Context
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import Expectation
from rh_kernel.typing.diagnostics.origins import chosen, where
from rh_kernel.typing.elaboration.backward import last
from rh_kernel.typing.errors import ClauseOfOtherKind, ClauseTwice, HandlerOfOtherKind
from rh_kernel.typing.unification.unify import Unifier

ORDINARY, REVERSE = "an ordinary handler", "a reverse handler"
"""The two kinds of handlers, in words."""

RETURN_OF_REVERSE = Expectation(
    "the result of the handled command",
    "the return clause of a reverse handler gives the cotangent of the result",
    rule=TypingRule.T_RHANDLER.cited,
)
RETURN_OF_ORDINARY = Expectation(
    "the result type of the handler",
    "the return clause returns the result of the whole `handle P with H`",
    rule=TypingRule.T_HANDLER.cited,
)
"""Why a return clause is expected to have its type."""


def asked_of_forward(name: str) -> Expectation:
    """Why a forward part is expected to have its type."""
    hint = f"the forward part returns a pair: the result of `{name}`, and data for the backward part (`0` for none)"
    return Expectation(f"the result of the forward part of `{name}`", hint, rule=TypingRule.T_RHANDLER.cited)


def asked_of_backward(name: str) -> Expectation:
    """Why a backward part is expected to have its type."""
    hint = f"the backward part returns the cotangent of the input of `{name}`"
    return Expectation(f"the input of `{name}`", hint, rule=TypingRule.T_RHANDLER.cited)


def asked_of_clause(name: str) -> Expectation:
    """Why a clause of an ordinary handler is expected to have its type."""
    hint = f"the clause for `{name}` and its continuation return the same type as the return clause"
    return Expectation("the result type of the handler", hint, rule=TypingRule.T_HANDLER.cited)


def clause_twice(clause: s.Clause, name: str, first: s.Clause) -> Rejected:
    """The diagnostic for a second clause for the same operation."""
    notes = (Note(span=opening(first), text="the first one is here"),)
    hint = f"one clause covers all indices; a location can have its own clause, `{name}[w0](x)` for a declared `w0`"
    if name == "return":
        hint = "keep one of the two"
    return Rejected(ClauseTwice(span=opening(clause), name=name, notes=notes, hint=hint))


def clause_of_other_kind(clause: s.ReverseClause | s.OrdinaryClause, is_a: str, inside: str, hint: str) -> Rejected:
    """The diagnostic for a clause of the wrong kind."""
    return Rejected(ClauseOfOtherKind(span=opening(clause), is_a=is_a, inside=inside, hint=hint))


def opening(clause: s.Clause) -> Span:
    """The span of the clause before its arrow."""
    body = clause.forward if isinstance(clause, s.ReverseClause) else clause.body
    source, start = clause.span.source, clause.span.start
    text = source.text[start : body.span.start].rstrip()
    text = next((text.removesuffix(arrow) for arrow in ("->", "→", "↦") if text.endswith(arrow)), text)
    return Span(source, start, start + len(text.rstrip()))


def head_of(clause: s.ReverseClause | s.OrdinaryClause) -> str:
    """``FC[l]``"""
    return clause.head.text + (f"[{', '.join(i.span.text for i in clause.indices)}]" if clause.indices else "")


def handler_of_other_kind(cx: Context, h: s.HandlerName, construct: str, wanted: str, is_a: str, more: str = "") -> Rejected:
    """The diagnostic for a handler of the wrong kind."""
    use = "`handle P with H`" if is_a == ORDINARY else "`rev handle (M) <x>. R with H`"
    hint = f"use it in {use}{more}"
    notes = chosen(h.span, where(cx, h.name.text))
    return Rejected(
        HandlerOfOtherKind(span=h.span, construct=construct, wanted=wanted, name=h.name.text, is_a=is_a, hint=hint, notes=notes)
    )


def returned_by(unifier: Unifier, h: s.HandlerLiteral, D: Type) -> tuple[Note, ...]:
    """A note on the type of the return clause."""
    return tuple(
        Note(span=last(c.body).span, text=f"the return clause gives {unifier.show(D)[0]}")
        for c in h.clauses
        if isinstance(c, s.ReturnClause)
    )
