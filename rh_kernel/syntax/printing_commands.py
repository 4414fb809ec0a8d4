"""Commands and handlers as they are written (RH Def. 3.4, LANGUAGE §1, §3), and ``RH_H^V`` as in RH Fig. 8."""

from typing import cast

from rh_kernel.source.span import Span
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Command,
    Const,
    Handle,
    Handler,
    Location,
    LocationVar,
    Operation,
    OrdinaryHandler,
    Pattern,
    Perform,
    Resume,
    Return,
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scope,
    Tuple,
    ValueKind,
)
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.doc import EMPTY, LINE, Doc, Line, Role, Text, concat, group, join, nest, role
from rh_kernel.syntax.printing_patterns import open_scope
from rh_kernel.syntax.printing_steps import UNMARKED, Marks, Page, Printing, annotate
from rh_kernel.syntax.printing_terms import Level, arguments, chain, link, term

_FOLDED = role(Role.FADED, "{…}")


def command(page: Page, P: Command, marks: Marks) -> Printing:
    """``P``; no command needs brackets."""
    if isinstance(P, Bind):
        return (yield _binds(page, P, marks))
    doc = yield _form(page, P, marks)
    return annotate(doc, P.span, marks)


def operation(page: Page, op: Operation) -> Printing:
    """``FC[w0]``"""
    indices: list[Doc] = []
    for i in op.indices:
        match i:
            case Location(name) | LocationVar(name):
                indices.append(role(Role.LOCATION, name))
            case Dim():
                indices.append(Text(str(i)))
            case V:
                value = yield term(page, V, Level.OPEN, UNMARKED)
                indices.append(value)
    return annotate(_applied(op.family.name, indices), op.span, UNMARKED)


def handler(page: Page, H: Handler) -> Printing:
    """``{ return x → P ; Op[l](x) → Qf | y, z → Qb }``, ``{ return x → P ; Op[l](x), k → Q }``"""
    head = concat(role(Role.KEYWORD, "return"), " ")
    clause = yield _clause(page, head, H.returns, "", "")
    clauses: list[Doc] = [annotate(clause, H.returns.span, UNMARKED)]
    match H:
        case ReverseHandler():
            for c in H.clauses:
                clause = yield _reverse_clause(page, c)
                clauses.append(annotate(clause, c.span, UNMARKED))
        case OrdinaryHandler():
            for c in H.clauses:
                taken, head = _head(page, c.pattern, c.scope.loose)
                clause = yield _clause(page, concat(head, "("), c.scope, ")", "", taken)
                clauses.append(annotate(clause, c.span, UNMARKED))
    return group("{", nest(LINE, join(Line(" ; "), clauses)), LINE, "}")


def _form(page: Page, P: Command, marks: Marks) -> Printing:
    match P:
        case Return(M):
            inner = yield term(page, M, Level.OPEN, marks.child(0))
            return group("⌊", nest(inner, indent=1), "⌋")
        case Perform(op, M):
            symbol = yield operation(page, op)
            rest = yield arguments(page, M, marks.child(0))
            return group(symbol, rest)
        case Bind():
            return (yield _binds(page, P, marks))
        case RevHandle(M, scope, H):
            argument = yield arguments(page, M, marks.child(0))
            head = concat(role(Role.KEYWORD, "rev handle"), " ", argument, " ")
            binders, body = yield from _command_scope(page, scope, marks.child(1))
            end = yield _handler_use(page, H)
            return group(head, f"⟨{binders}⟩.", nest(LINE, body), LINE, role(Role.KEYWORD, "with"), " ", end)
        case RH():
            return (yield _unfolding(page, P, marks))
        case Handle(Q, H):
            body = yield command(page, Q, marks.child(0))
            end = yield _handler_use(page, H)
            return group(role(Role.KEYWORD, "handle"), nest(LINE, body), LINE, role(Role.KEYWORD, "with"), " ", end)
        case Resume(index, _, M):
            inner = yield term(page, M, Level.NUMBER, marks.child(0))
            return concat(page.names[index], " • ", nest(inner))
