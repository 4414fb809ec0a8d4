"""Parser of the terms of ``%%lambda`` cells.

Precedence, from the tightest: ``M(N)``, ``M.1``, ``M[0]``; ``-M``; ``* /``; ``+ -``; and ``let``, ``λ``, ``case``,
``if``, which extend as far to the right as they can.
"""

import re

from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.parsing_types import size, type_expression
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.errors import NotAName
from rh_kernel.syntax.parsing.cursor import DEEPEST, Cursor
from rh_kernel.syntax.parsing.literals import number
from rh_kernel.syntax.parsing.patterns import pattern
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface import Name, NamePattern, Pattern, TuplePattern

BINDING = {"map": 1, "map2": 2, "reduce": 2, "foldl": 2, "scanl": 2, "generate": 1}
"""The number of names that each former binds in its first argument."""
GIVEN = {"map": 1, "map2": 2, "reduce": 2, "foldl": 2, "scanl": 2, "generate": 0, "sum": 1, "dot": 2, "replicate": 1}
"""The number of arguments of each former, without the one in which it binds names."""
SIZED = frozenset({"generate", "replicate"})
"""The formers that take a size in square brackets."""
WORDS = frozenset({"case", "of", "if", "then", "else", "inl", "inr", *GIVEN})
"""The keywords of these cells, which cannot be bound."""

_SUMS = {"+": "add", "-": "sub"}
_PRODUCTS = {"*": "mul", "×": "mul", "·": "mul", "/": "div"}
_PROJECTION = re.compile(r"proj_([0-9]{1,9})")
_LAMBDA, _AT_MOST = "\\", {"⇐", "≤"}
_A_TERM = "a term"
_FORMS = {
    "map": "map(x. M, xs)",
    "map2": "map2(x y. M, xs, ys)",
    "reduce": "reduce(a x. M, z, xs)",
    "foldl": "foldl(a x. M, z, xs)",
    "scanl": "scanl(a x. M, z, xs)",
    "generate": "generate[n](i. M)",
    "replicate": "replicate[n](M)",
    "sum": "sum(xs)",
    "dot": "dot(xs, ys)",
}


def expression(c: Cursor) -> s.Expr:
    """Parse a term."""
    c.deepen()
    start = c.token.start
    M = _product(c)
    while c.token.text in _SUMS:
        sign = c.advance().text
        N = _product(c)
        M = s.Binary(_SUMS[sign], sign, M, N, span=c.since(start))
    c.depth -= 1
    return M


def _product(c: Cursor) -> s.Expr:
    start = c.token.start
    M = _operand(c)
    while c.token.text in _PRODUCTS:
        sign = c.advance().text
        N = _operand(c)
        M = s.Binary(_PRODUCTS[sign], sign, M, N, span=c.since(start))
    return M


def expressions(c: Cursor, opening: str) -> tuple[s.Expr, ...]:
    """Parse ``M1, …, Mn``, n ≥ 0, between the brackets that ``opening`` opens."""
    c.open(opening)
    items: list[s.Expr] = []
    if not c.at_closer():
        items.append(expression(c))
        while c.take(","):
            items.append(expression(c))
    c.close(",")
    return tuple(items)


def _tuple(c: Cursor, opening: str, start: int) -> s.Expr:
    """``(M1, …, Mn)``; a single M in brackets is M."""
    items = expressions(c, opening)
    return items[0] if len(items) == 1 else s.TupleExpr(items, span=c.since(start))


def _operand(c: Cursor) -> s.Expr:
    minuses: list[int] = []
    while c.at("-"):
        minuses.append(c.advance().start)
    if len(minuses) > DEEPEST:
        raise c.too_deep()
    M = _postfix(c)
    for start in reversed(minuses):
        M = s.Negate(M, span=c.since(start))
    return M


def _postfix(c: Cursor) -> s.Expr:
    """An atom and any number of ``M(N)``, ``M.1``, ``M[0]`` after it."""
    start = c.token.start
    extends = c.at("let", "case", "if", _LAMBDA) or (c.holds(Kind.NAME) and c.token.text.startswith("λ"))
    M = _atom(c)
    if extends or isinstance(M, s.Number):
        return M
    for _ in range(DEEPEST + 1):
        if c.holds(Kind.PROJECTION):
            if int(c.token.text[1:10]) == 0:
                raise c.fail("a component", "components are counted from 1")
            M = s.Projection(int(c.advance().text[1:10]), M, span=c.since(start))
        elif c.at("("):
            N = expressions(c, "(")
            M = s.Applied(M, N, span=c.since(start))
        elif c.at("["):
            c.open("[")
            i = size(c, "which entry, from 0")
            c.close()
            M = s.Entry(M, i, span=c.since(start))
        else:
            return M
    raise c.too_deep()


def _atom(c: Cursor) -> s.Expr:
    token = c.token
    start = token.start
    if token.kind is Kind.NUMBER:
        return s.Number(float(number(c).text), span=c.since(start))
    if c.at("(", "⟨"):
        return _tuple(c, token.text, start)
    if c.at("["):
        items = expressions(c, "[")
        return s.ArrayExpr(items, span=c.since(start))
    if c.at("let"):
        return _lets(c)
    if c.at(_LAMBDA) or (token.kind is Kind.NAME and token.text.startswith("λ")):
        return _abstraction(c)
    if token.kind is Kind.NAME:
        return _named(c)
    raise c.fail(_A_TERM)


def _named(c: Cursor) -> s.Expr:
    token = c.token
    start = token.start
    match token.text:
        case "inl" | "inr":
            c.advance()
            M = _tuple(c, "(", start)
            return s.InjectExpr(1 if token.text == "inl" else 2, M, span=c.since(start))
        case "case":
            return _case(c)
        case "if":
            return _if(c)
        case "of" | "then" | "else":
            raise c.fail(_A_TERM)
        case text if text in GIVEN:
            return _former(c)
        case _:
            x = c.name()
    projection = _PROJECTION.fullmatch(x.text)
    if projection is not None and c.at("("):
        if int(projection[1]) == 0:
            raise c.fail("a component", "components are counted from 1")
        M = _tuple(c, "(", start)
        return s.Projection(int(projection[1]), M, span=c.since(start))
    return s.Var(x.text, span=x.span)


def name(c: Cursor, expected: str, hint: str = "") -> Name:
    """Parse a name that is bound or declared. Raises ``Rejected`` for a keyword of these cells."""
    if c.holds(Kind.NAME) and c.token.text in WORDS:
        hint = f"`{c.token.text}` is a keyword here; choose another name"
        raise Rejected(NotAName(span=c.here(), found=c.found(), expected=expected, hint=hint))
    return c.name(expected, hint)


def _pattern(c: Cursor) -> Pattern:
    """Parse a pattern. Raises ``Rejected`` if it binds a keyword of these cells."""
    p = pattern(c)
    pending = [p]
    while pending:
        match pending.pop():
            case NamePattern(x) as bound if x in WORDS:
                hint = f"`{x}` is a keyword here; choose another name"
                raise Rejected(NotAName(span=bound.span, found=f"`{x}`", expected="a name", hint=hint))
            case TuplePattern(items):
                pending += items
            case NamePattern():
                pass
    return p


def _former(c: Cursor) -> s.Former:
    head = c.name()
    n: int | None = None
    form = f"it is written {_FORMS[head.text]}"
    if head.text in SIZED:
        c.open("[", form)
        n = size(c, "how many entries")
        c.close()
    c.open("(", form)
    names: list[Name] = []
    body: s.Expr | None = None
    if head.text in BINDING:
        names = [name(c, "the name of an entry", form) for _ in range(BINDING[head.text])]
        _dot(c, form)
        body = expression(c)
    arguments: list[s.Expr] = []
    for i in range(GIVEN[head.text]):
        if i > 0 or body is not None:
            c.need(",", form)
        arguments.append(expression(c))
    c.close(",", form)
    return s.Former(head, n, tuple(names), body, tuple(arguments), span=c.since(head.span.start))


def _dot(c: Cursor, hint: str) -> None:
    if c.holds(Kind.PROJECTION):
        raise c.fail("`.`", "write a space after the dot", Fix(c.here(), f". {c.token.text[1:]}"))
    c.need(".", hint)


def _abstraction(c: Cursor) -> s.Abstraction:
    start = c.token.start
    if c.at(_LAMBDA, "λ"):
        c.advance()
        x = name(c, "the name that the function binds", "a function is written λx : A. M")
    else:
        token = c.advance()
        x = Name(token.text[1:], span=Span(c.source, token.start + 1, token.end))
    c.need(":", "write a function with the type of its argument: λx : Real. M")
    A = type_expression(c)
    _dot(c, "a function is written λx : A. M")
    M = expression(c)
    return s.Abstraction(x, A, M, span=c.since(start))


def _lets(c: Cursor) -> s.Expr:
    """``let p1 ← M1 in … let pn ← Mn in N``: a loop, so that n is not limited by the depth of recursion."""
    spine: list[tuple[int, Pattern, s.Expr]] = []
    while c.at("let"):
        start = c.advance().start
        p = _pattern(c)
        c.need("←", "let x <- M in N", "=", ":=", "⇐")
        M = expression(c)
        c.need("in", "let x <- M in N")
        spine.append((start, p, M))
    body = expression(c)
    for start, p, M in reversed(spine):
        body = s.LetExpr(p, M, body, span=c.since(start))
    return body


def _case(c: Cursor) -> s.CaseExpr:
    start = c.advance().start
    form = "case M of inl x -> N | inr y -> L"
    M = expression(c)
    c.need("of", form)
    c.need("inl", form)
    x = name(c, "a name", form)
    c.need("→", form)
    N = expression(c)
    c.need("|", form)
    c.need("inr", form)
    y = name(c, "a name", form)
    c.need("→", form)
    L = expression(c)
    return s.CaseExpr(M, x, N, y, L, span=c.since(start))


def _if(c: Cursor) -> s.IfExpr:
    start = c.advance().start
    form = "if M <= N then L else K"
    M = expression(c)
    if c.token.text not in _AT_MOST:
        raise c.fail("`<=`", f"the only comparison is <=: {form}")
    c.advance()
    N = expression(c)
    c.need("then", form)
    L = expression(c)
    c.need("else", form)
    K = expression(c)
    return s.IfExpr(M, N, L, K, span=c.since(start))
