"""Printing of commands and handlers (RH Def. 3.4, LANGUAGE §1, §3), and of ``RH_H^V`` as in RH Fig. 8."""

from collections.abc import Generator
from typing import TypeAlias, cast

from rh_kernel.syntax import core
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.printing.conditionals import conditional
from rh_kernel.syntax.printing.doc import LINE, Doc, Group, Line, Role, Text, concat, group, join, nest, role
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.patterns import open_scope
from rh_kernel.syntax.printing.steps import UNMARKED, Marks, PrinterState, Printing, annotate, written
from rh_kernel.syntax.printing.terms import Level, arguments, at_level, iteration, joined, link, term
from rh_kernel.syntax.signature import (
    DimKind,
    Location,
    LocationFamily,
    LocationFamilyVar,
    LocationVar,
    LocFamilyKind,
    LocKind,
    Member,
    Pattern,
    StateOf,
    ValueKind,
)
from rh_kernel.syntax.types import UNIT, show_shape
from rh_kernel.syntax.values import component

_Opening: TypeAlias = Generator[Printing, Doc, tuple[tuple[str, ...], Doc]]

_FOLDED = role(Role.FADED, "{…}")


def command(page: PrinterState, P: core.Command, marks: Marks) -> Printing:
    """``P``; commands never need brackets."""
    doc = yield written(page, P, marks, _form(page, P, marks))
    return Group(doc) if isinstance(P, core.Bind) else doc


def operation(page: PrinterState, op: core.Operation) -> Printing:
    """``FC[w0]``"""
    indices: list[Doc] = []
    for i in op.indices:
        match i:
            case Location(name) | LocationVar(name) | LocationFamily(name) | LocationFamilyVar(name):
                indices.append(role(Role.LOCATION, name))
            case Member() | StateOf():
                indices.append(role(Role.LOCATION, i.name))
            case Dim():
                indices.append(Text(str(i)))
            case V:
                value = yield term(page, V, Level.OPEN, UNMARKED)
                indices.append(value)
    if op.family.shape:
        shape = op.at[op.family.variables.index(op.family.shape)]
        indices.append(Text(str(shape) if isinstance(shape, Dim) else show_shape(shape)))
    return annotate(_applied(op.family.name, indices), op.span, UNMARKED)


def handler(page: PrinterState, H: core.Handler) -> Printing:
    """``{ return x → P ; Op[l](x) → Qf | y, z → Qb }``, ``{ return x → P ; Op[l](x), k → Q }``"""
    return (yield written(page, H, UNMARKED, _clauses(page, H)))


def _clauses(page: PrinterState, H: core.Handler) -> Printing:
    (x,), body = yield from _scope(page, H.returns, UNMARKED)
    clauses = [annotate(_arrow(page, concat(role(Role.KEYWORD, "return"), f" {x}"), body), H.returns.span, UNMARKED)]
    match H:
        case core.ReverseHandler():
            for c in H.clauses:
                doc = yield _reverse_clause(page, c)
                clauses.append(doc)
        case core.OrdinaryHandler():
            for c in H.clauses:
                doc = yield _ordinary_clause(page, c)
                clauses.append(doc)
    return group("{", nest(LINE, join(Line(" ; "), clauses)), LINE, "}")


def _form(page: PrinterState, P: core.Command, marks: Marks) -> Printing:
    match P:
        case core.Return(M):
            inner = yield term(page, M, Level.OPEN, marks.child(0))
            if page.brevity.notation is Notation.SOURCE:
                return group(role(Role.KEYWORD, "return"), " ", nest(inner))
            return group("⌊", nest(inner, indent=1), "⌋")
        case core.Perform(op, M):
            symbol = yield operation(page, op)
            rest = yield arguments(page, M, marks.child(0), takes_one=op.family.domain != UNIT)
            return group(symbol, rest)
        case core.Bind():
            return (yield _bind(page, P, marks))
        case core.RevHandle(M, scope, H):
            return (yield _reverse(page, M, scope, H, marks))
        case core.RH():
            return (yield _unfolding(page, P, marks))
        case core.Handle(Q, H):
            body = yield command(page, Q, marks.child(0))
            end = yield _handler_use(page, H)
            return group(role(Role.KEYWORD, "handle"), nest(LINE, body), LINE, role(Role.KEYWORD, "with"), " ", end)
        case core.Resume(index, _, M):
            inner = yield term(page, M, _resumed(page), marks.child(0))
            if page.brevity.notation is Notation.SOURCE:
                return concat(page.names[index], "(", nest(inner), ")")
            return concat(page.names[index], " • ", nest(inner))
        case core.Scan():
            return (yield _scan(page, P, marks))
        case core.Repeat():
            return (yield _repeat(page, P, marks))
        case core.IfCommand():
            return (yield from conditional(page, P, marks, at_level(Level.SUM), command))


def _reverse(page: PrinterState, M: core.Term, scope: core.Scope, H: core.Handler, marks: Marks) -> Printing:
    """``rev handle (M) ⟨x1, …, xn⟩. P with H``"""
    argument = yield arguments(page, M, marks.child(0))
    binders, body = yield from _scope(page, scope, marks.child(1))
    end = yield _handler_use(page, H)
    left, right = page.brevity.notation.value.binders
    head = concat(role(Role.KEYWORD, "rev handle"), " ", argument, f" {left}{', '.join(binders)}{right}.")
    return group(head, nest(LINE, body), LINE, role(Role.KEYWORD, "with"), " ", end)


def _resumed(page: PrinterState) -> Level:
    """The level of M in ``k • M`` and in ``k(M)``."""
    return Level.OPEN if page.brevity.notation is Notation.SOURCE else Level.NUMBER


def _scan(page: PrinterState, P: core.Scan, marks: Marks) -> Printing:
    """``scan (x in M) from s = N do P``"""
    M, inner = P.argument, marks.child(0)
    parts = [(component(M, i, 2), inner.child(i if isinstance(M, core.Tuple) else 0)) for i in range(2)]
    docs: list[Doc] = []
    for N, of in parts:
        docs += ((yield term(page, N, Level.OPEN, of if isinstance(M, core.Tuple) else UNMARKED)),)
    (x, s), body = yield from _scope(page, P.scope, marks.child(1))
    start = concat(" ", role(Role.KEYWORD, "from"), f" {s} = ", nest(docs[1]))
    return iteration("scan", x, docs[0], start, body)


def _repeat(page: PrinterState, P: core.Repeat, marks: Marks) -> Printing:
    """``repeat i < n from s = M do P``, and ``repeat k ≤ i < n from …`` once the rounds before k are done"""
    start = yield term(page, P.start, Level.OPEN, marks.child(0))
    (state,), body = yield from _scope(page, P.scope, marks.child(1))
    rounds = f"{P.first} ≤ {P.index} < {P.count}" if P.first else f"{P.index} < {P.count}"
    begins = concat(role(Role.KEYWORD, "from"), f" {state} = ", start)
    head = group(role(Role.KEYWORD, "repeat"), f" {rounds} ", begins, " ", role(Role.KEYWORD, "do"))
    return group(head, nest(LINE, body))


def _bind(page: PrinterState, P: core.Bind, marks: Marks) -> Printing:
    bound = yield command(page, P.bound, marks.child(0))
    rest = yield from link(page, P.scope, marks.child(1), page.brevity.notation.value.bound, _body)
    is_long = isinstance(P.bound, core.Bind | core.RevHandle | core.Handle | core.Repeat)
    is_long = is_long or (isinstance(P.bound, core.RH) and page.brevity.notation is Notation.SOURCE)
    return joined(rest, bound, is_long=is_long)


def _body(page: PrinterState, Q: core.Command, marks: Marks) -> Printing:
    if isinstance(Q, core.Bind):
        return (yield written(page, Q, marks, _bind(page, Q, marks)))
    return (yield command(page, Q, marks))


def _unfolding(page: PrinterState, P: core.RH, marks: Marks) -> Printing:
    """``RH^⟨V1, …, Vm⟩_H(⟨y1, …, ym⟩. P)``, or the ``rev handle`` that it unfolds."""
    if page.brevity.notation is Notation.SOURCE:
        return (yield _reverse(page, P.values, P.scope, P.handler, marks))
    values = marks.child(0)
    match P.values:
        case core.Tuple():
            raised = yield term(page, P.values, Level.POSTFIX, values)
        case core.Const(value) if not P.scope.arity and value.shape == (0,):
            raised = annotate(Text("⟨⟩"), P.values.span, values)
        case V if P.scope.arity == 1:
            raised = yield term(page, V, Level.OPEN, values)
            raised = concat("⟨", raised, "⟩")
        case V:
            raised = yield term(page, V, Level.NUMBER, values)
    binders, body = yield from _scope(page, P.scope, marks.child(1))
    named = _FOLDED if not P.handler.name else role(Role.HANDLER, P.handler.name)
    head = concat(role(Role.KEYWORD, "RH"), "^", raised, "_", named)
    return group(head, f"(⟨{', '.join(binders)}⟩.", nest(LINE, body, ")"))


def _handler_use(page: PrinterState, H: core.Handler) -> Printing:
    if H.name:
        return role(Role.HANDLER, H.name)
    if page.brevity.folds:
        return _FOLDED
    return (yield handler(page, H))


def _reverse_clause(page: PrinterState, c: core.ReverseClause) -> Printing:
    head, values = _head(page, c.pattern, c.forward.loose | c.backward.loose)
    (*_, x), forward = yield from _scope(page, c.forward, UNMARKED, values)
    (*_, y, z), backward = yield from _scope(page, c.backward, UNMARKED, values)
    back = _arrow(page, Text(f"| {y}, {z}"), backward)
    return annotate(group(_arrow(page, concat(head, f"({x})"), forward), nest(LINE, back)), c.span, UNMARKED)


def _ordinary_clause(page: PrinterState, c: core.OrdinaryClause) -> Printing:
    head, values = _head(page, c.pattern, c.scope.loose)
    (*_, x, k), body = yield from _scope(page, c.scope, UNMARKED, values)
    return annotate(_arrow(page, concat(head, f"({x}), {k}"), body), c.span, UNMARKED)


def _head(page: PrinterState, pattern: Pattern, loose: int) -> tuple[Doc, tuple[str, ...]]:
    """``Op[l, a]``, and the names of the value parameters among its indices."""
    taken: set[str] = set()
    values: list[str] = []
    indices: list[Doc] = []
    for i, parameter in zip(pattern.indices, pattern.family.parameters, strict=True):
        match i, parameter.kind:
            case Location(name) | LocationFamily(name), _:
                indices.append(role(Role.LOCATION, name))
            case str(), ValueKind():
                values.append(page.names.fresh(i, loose, taken))
                indices.append(Text(values[-1]))
            case str(), LocKind() | LocFamilyKind():
                indices.append(role(Role.LOCATION, i))
            case str(), DimKind():
                indices.append(Text(i))
    if pattern.family.shape:
        indices.append(Text(pattern.variables[pattern.family.variables.index(pattern.family.shape)]))
    return _applied(pattern.family.name, indices), tuple(values)


def _scope(page: PrinterState, scope: core.Scope, marks: Marks, given: tuple[str, ...] = ()) -> _Opening:
    opened = open_scope(page.names, scope, marks, given, page.brevity.notation)
    body = yield command(page, cast(core.Command, opened.body), opened.marks)
    page.names.pop(opened.pushed)
    return opened.binders, body


def _arrow(page: PrinterState, head: Doc, body: Doc) -> Doc:
    return group(head, " ", role(Role.KEYWORD, page.brevity.notation.value.clause), nest(LINE, body))


def _applied(name: str, indices: list[Doc]) -> Doc:
    symbol = role(Role.OPERATION, name)
    return concat(symbol, "[", join(Text(", "), indices), "]") if indices else symbol
