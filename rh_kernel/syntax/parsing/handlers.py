"""Handlers ``H`` written out: ``{ return x → P ; Op[i](x) → Qf | y, z → Qb ; Op[i](x), k → Q }`` (RH Def. 3.4, §2.2.1).

Clauses contain expressions and expressions contain handlers, so the expression parser is passed in: no import cycle.
"""

from collections.abc import Callable

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.errors import MissingBackward, WrongArrow
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.patterns import pattern
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.parsing.unbound_commands import check_bound, is_backward

_CLAUSE = "a clause, `return x -> P` or `Op(x) -> …`"
_OR_END = f"{_CLAUSE}, or `}}`"
_BACKWARD = "write the backward part as `| y, z -> Q`: y is the cotangent, z the data saved by the forward part"
_TWO_CLAUSES = "write Op(x) -> P | y, z -> Q in a reverse handler, Op(x), k -> Q in an ordinary one"


def handler_literal(c: Cursor, expression: Callable[[Cursor], s.Expr]) -> s.HandlerLiteral:
    """Parse ``{ … }``; clauses are separated by newlines, ``;`` or nothing."""
    # A clause uses more Python stack frames than a bracket.
    c.deepen(2)
    start = c.open("{", "write the clauses of a handler in braces").start
    clauses: list[s.Clause] = []
    while not c.at("}"):
        if not c.take(";"):
            clause = _clause(c, expression)
            check_bound(c, clause.backward if isinstance(clause, s.ReverseClause) else clause.body, _OR_END, in_braces=True)
            clauses.append(clause)
    c.close()
    c.depth -= 2
    return s.HandlerLiteral(tuple(clauses), span=c.since(start))


def _clause(c: Cursor, expression: Callable[[Cursor], s.Expr]) -> s.Clause:
    start = c.token.start
    if c.take("return"):
        x = pattern(c)
        _arrow(c)
        P = expression(c)
        if c.at("|"):
            raise c.fail(_OR_END, "a return clause has no backward part")
        return s.ReturnClause(x, P, span=c.since(start))
    if c.token.kind is not Kind.NAME:
        raise c.fail(_OR_END, "a clause begins with the name of an operation" if c.holds(Kind.KEYWORD) else "")
    op = c.name()
    indices = _indices(c, expression)
    if not c.at("("):
        raise c.fail("`(` and the name of the operation's input", _TWO_CLAUSES)
    x = pattern(c)
    if c.take(","):
        k = c.name("a name for the continuation")
        _arrow(c)
        Q = expression(c)
        return s.OrdinaryClause(op, indices, x, k, Q, span=c.since(start))
    _arrow(c)
    Qf = expression(c)
    if not is_backward(c.rest()):
        check_bound(c, Qf, "`|` and the backward part", in_braces=True)
    _expect_bar(c, op)
    y = pattern(c)
    if not c.at(","):
        raise c.fail("`,` and a name for the data saved by the forward part", _BACKWARD)
    c.advance()
    z = pattern(c)
    _arrow(c)
    Qb = expression(c)
    return s.ReverseClause(op, indices, x, Qf, y, z, Qb, span=c.since(start))


def _indices(c: Cursor, expression: Callable[[Cursor], s.Expr]) -> tuple[s.ClauseIndex, ...]:
    return c.listed("[", lambda c: _index(c, expression)) if c.at("[") else ()


def _index(c: Cursor, expression: Callable[[Cursor], s.Expr]) -> s.ClauseIndex:
    """``l``, or ``ws[0]`` for one location of a family"""
    name = c.name("a name for the index")
    if not c.at("["):
        return name
    members = c.listed("[", expression)
    return s.Family(name, members, span=c.since(name.span.start))


def _arrow(c: Cursor) -> None:
    if c.take("→"):
        return
    if c.at("=", "⇒", "←", "⇐", ":", ":=", "==", "."):
        hint = "write `->` between the pattern of a clause and its command"
        raise Rejected(WrongArrow(span=c.here(), found=c.found(), expected="`->`", hint=hint, fix=Fix(c.here(), "->")))
    raise c.fail("`->`", _TWO_CLAUSES)


def _expect_bar(c: Cursor, op: s.Name) -> None:
    if c.take("|"):
        return
    if is_backward(c.rest()):
        hint, fix = "the backward part of a clause begins with `|`", Fix(Span(c.source, c.token.start, c.token.start), "| ")
        raise Rejected(MissingBackward(span=c.here(), found=c.found(), operation=op.text, hint=hint, fix=fix))
    if c.is_misfit():
        raise c.fail("`|` and the backward part", _BACKWARD)
    hint = f"{_BACKWARD}; in an ordinary handler the clause is {op.text}(x), k -> Q"
    raise Rejected(MissingBackward(span=op.span, found=c.found(), operation=op.text, hint=hint))
