r"""Terms, types and items of ``%%lambda`` cells, from their tokens.

From the tightest to the loosest: ``M(N)``, ``M.1``, ``M[0]``; ``-M``; ``* /``; ``+ -``; and ``let``, ``λ``, ``case``,
``if``, which extend as far to the right as they can. What begins and ends an item is as in the cells around (LANGUAGE §1).
"""

import re

from rh_kernel.ad.language.surface import (
    Abstraction,
    AdItem,
    Applied,
    ArrayExpr,
    Binary,
    CaseExpr,
    Entry,
    EvaluationItem,
    Expr,
    Former,
    FunItem,
    IfExpr,
    InjectExpr,
    Item,
    LetExpr,
    Negate,
    Number,
    Projection,
    TupleExpr,
    Var,
)
from rh_kernel.ad.language.types import Function, Real, Sum, Type, product
from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.span import Span
from rh_kernel.syntax.cursor import DEEPEST, Cursor
from rh_kernel.syntax.parse_literals import number
from rh_kernel.syntax.parse_patterns import pattern
from rh_kernel.syntax.surface import Name, Pattern
from rh_kernel.syntax.tokens import Kind

BINDING = {"map": 1, "map2": 2, "reduce": 2, "foldl": 2, "scanl": 2, "generate": 1}
"""How many names each former binds in its first argument."""
GIVEN = {"map": 1, "map2": 2, "reduce": 2, "foldl": 2, "scanl": 2, "generate": 0, "sum": 1, "dot": 2, "replicate": 1}
"""How many arguments each former takes beside what it binds in."""
SIZED = frozenset({"generate", "replicate"})
"""The formers with a size in square brackets."""
WORDS = frozenset({"case", "of", "if", "then", "else", "inl", "inr", *GIVEN})
"""Names that have a meaning of their own in these cells."""

_SUMS = {"+": "add", "-": "sub"}
_PRODUCTS = {"*": "mul", "×": "mul", "·": "mul", "/": "div"}
_PROJECTION = re.compile(r"proj_([0-9]{1,9})")
_AD = re.compile(r"%[ \t]*ad\b[ \t]*")
_SYSTEM = re.compile(r"[^\s()]+")
_LAMBDA, _AT_MOST = "\\", {"⇐", "≤"}
_A_TERM = "a term"


def item(chunk: Span) -> Item | None:
    """The item that a piece of a ``%%lambda`` cell is; ``None`` for comments alone. Raises ``Rejected``."""
    directive = _AD.match(chunk.source.text, chunk.start, chunk.end)
    if directive is not None:
        return _ad(chunk, directive.end())
    c = Cursor(chunk)
    if c.token.kind is Kind.END:
        return None
    start = c.token.start
    found: Item
    if c.take("fun"):
        found = _fun(c, start)
    elif c.at("%"):
        raise c.fail("`fun`, a term or `%ad`", "other directives stand below a line %%rh")
    else:
        M = expression(c)
        found = EvaluationItem(M, span=c.since(start))
    _end(c)
    return found


def _end(c: Cursor) -> None:
    if c.token.kind is not Kind.END:
        raise c.fail("the end of the item")


def _fun(c: Cursor, start: int) -> FunItem:
    name = c.name("the name of the function that is declared")
    c.open("(")
    parameters: list[tuple[Name, Type]] = []
    while not c.at_closer():
        x = c.name("a parameter")
        c.need(":", "a parameter is written with its type: x : Real")
        parameters.append((x, type_expression(c)))
        if not c.take(","):
            break
    c.close(",")
    A = type_expression(c) if c.take(":") else None
    c.need("=", "a function is declared by fun f(x : Real) : Real = M", "←", ":=")
    M = expression(c)
    return FunItem(name, tuple(parameters), A, M, span=c.since(start))


def _ad(chunk: Span, start: int) -> AdItem:
    text = chunk.source.text
    word = _SYSTEM.match(text, start, chunk.end)
    c = Cursor(Span(chunk.source, start if word is None else word.end(), chunk.end))
    if word is None:
        raise c.fail("the name of a system, or `all`", "%ad chad f(0.5) differentiates f at 0.5")
    system = Name(word[0], span=Span(chunk.source, *word.span()))
    f = c.name("the name of a function", "%ad chad f(0.5) differentiates f at 0.5")
    arguments = expressions(c, "(") if c.at("(") else None
    W = expression(c) if c.take("with") else None
    V = None
    if W is None and arguments is not None and c.at("along"):
        c.advance()
        V = expression(c)
    traces = False
    if [t.text for t in c.rest()[:3]] == ["-", "-", "trace"]:
        traces = True
        for _ in range(3):
            c.advance()
    if c.token.kind is not Kind.END:
        raise c.fail("`with` and a cotangent, `along` and a tangent, `--trace`, or the end of the item")
    return AdItem(system, f, arguments, W, V, traces, span=Span(chunk.source, chunk.start, c.end))


def type_expression(c: Cursor) -> Type:
    """``A -> B``, then ``A + B``, then ``A * B``, from the loosest"""
    c.deepen()
    A = _sum_type(c)
    if c.take("→"):
        A = Function(A, type_expression(c))
    c.depth -= 1
    return A


def _sum_type(c: Cursor) -> Type:
    A = _product_type(c)
    while c.take("+"):
        A = Sum(A, _product_type(c))
    return A


def _product_type(c: Cursor) -> Type:
    factors = [_factor(c)]
    while c.at("*", "×"):
        c.advance()
        factors.append(_factor(c))
    return product(*factors)


def _factor(c: Cursor) -> Type:
    match c.token.text:
        case "Real":
            c.advance()
            if not c.at("("):
                return Real()
            c.open("(")
            n = _size(c, "how many entries the array has")
            c.close()
            return Real(n)
        case "1":
            c.advance()
            return product()
        case "(":
            c.open("(")
            A = type_expression(c)
            c.close(hint="a product type is written A * B")
            return A
        case _:
            raise c.fail("a type: Real, Real(n), 1, A * B, A + B or A -> B")


def _size(c: Cursor, expected: str) -> int:
    if not c.holds(Kind.NUMBER) or not c.token.text.isdecimal() or len(c.token.text) > 9:
        raise c.fail(expected, "a whole number stands here, as it is")
    return int(c.advance().text)


def expression(c: Cursor) -> Expr:
    """A term."""
    c.deepen()
    start = c.token.start
    M = _product(c)
    while c.token.text in _SUMS:
        sign = c.advance().text
        N = _product(c)
        M = Binary(_SUMS[sign], sign, M, N, span=c.since(start))
    c.depth -= 1
    return M


def _product(c: Cursor) -> Expr:
    start = c.token.start
    M = _operand(c)
    while c.token.text in _PRODUCTS:
        sign = c.advance().text
        N = _operand(c)
        M = Binary(_PRODUCTS[sign], sign, M, N, span=c.since(start))
    return M


def expressions(c: Cursor, opening: str) -> tuple[Expr, ...]:
    """``(M1, …, Mn)`` between any brackets, n ≥ 0."""
    c.open(opening)
    items: list[Expr] = []
    if not c.at_closer():
        items.append(expression(c))
        while c.take(","):
            items.append(expression(c))
    c.close(",")
    return tuple(items)


def _operand(c: Cursor) -> Expr:
    minuses: list[int] = []
    while c.at("-"):
        minuses.append(c.advance().start)
    if len(minuses) > DEEPEST:
        raise c.too_deep()
    M = _postfix(c)
    for start in reversed(minuses):
        M = Negate(M, span=c.since(start))
    return M


def _postfix(c: Cursor) -> Expr:
    """``M(N)``, ``M.1``, ``M[0]``, any number of them."""
    start = c.token.start
    extends = c.at("let", "case", "if", _LAMBDA) or (c.holds(Kind.NAME) and c.token.text.startswith("λ"))
    M = _atom(c)
    if extends or isinstance(M, Number):
        return M
    for _ in range(DEEPEST + 1):
        if c.holds(Kind.PROJECTION):
            if int(c.token.text[1:10]) == 0:
                raise c.fail("a component", "components are counted from 1")
            M = Projection(int(c.advance().text[1:10]), M, span=c.since(start))
        elif c.at("("):
            N = expressions(c, "(")
            M = Applied(M, N, span=c.since(start))
        elif c.at("["):
            c.open("[")
            i = _size(c, "which entry, from 0")
            c.close()
            M = Entry(M, i, span=c.since(start))
        else:
            return M
    raise c.too_deep()


def _atom(c: Cursor) -> Expr:
    token = c.token
    start = token.start
    if token.kind is Kind.NUMBER:
        return Number(float(number(c).text), span=c.since(start))
    if c.at("(", "⟨"):
        items = expressions(c, token.text)
        return items[0] if len(items) == 1 else TupleExpr(items, span=c.since(start))
    if c.at("["):
        items = expressions(c, "[")
        return ArrayExpr(items, span=c.since(start))
    if c.at("let"):
        return _lets(c)
    if c.at(_LAMBDA) or (token.kind is Kind.NAME and token.text.startswith("λ")):
        return _abstraction(c)
    if token.kind is Kind.NAME:
        return _named(c)
    raise c.fail(_A_TERM)


def _named(c: Cursor) -> Expr:
    token = c.token
    start = token.start
    match token.text:
        case "inl" | "inr":
            c.advance()
            items = expressions(c, "(")
            M = items[0] if len(items) == 1 else TupleExpr(items, span=c.since(start))
            return InjectExpr(1 if token.text == "inl" else 2, M, span=c.since(start))
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
        items = expressions(c, "(")
        M = items[0] if len(items) == 1 else TupleExpr(items, span=c.since(start))
        return Projection(int(projection[1]), M, span=c.since(start))
    return Var(x.text, span=x.span)


def _former(c: Cursor) -> Former:
    head = c.name()
    size: int | None = None
    form = _form(head.text)
    if head.text in SIZED:
        c.open("[", form)
        size = _size(c, "how many entries")
        c.close()
    c.open("(", form)
    names: list[Name] = []
    body: Expr | None = None
    if head.text in BINDING:
        names = [c.name("the name of an entry", form) for _ in range(BINDING[head.text])]
        _dot(c, form)
        body = expression(c)
    arguments: list[Expr] = []
    for i in range(GIVEN[head.text]):
        if i > 0 or body is not None:
            c.need(",", form)
        arguments.append(expression(c))
    c.close(",", form)
    return Former(head, size, tuple(names), body, tuple(arguments), span=c.since(head.span.start))


def _form(head: str) -> str:
    """How a former is written, as a hint."""
    forms = {
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
    return f"it is written {forms[head]}"


def _dot(c: Cursor, hint: str) -> None:
    if c.holds(Kind.PROJECTION):
        raise c.fail("`.`", "a space stands after the dot", Fix(c.here(), f". {c.token.text[1:]}"))
    c.need(".", hint)


def _abstraction(c: Cursor) -> Abstraction:
    start = c.token.start
    if c.at(_LAMBDA, "λ"):
        c.advance()
        x = c.name("the name that the function binds", "a function is written λx : A. M")
    else:
        token = c.advance()
        x = Name(token.text[1:], span=Span(c.source, token.start + 1, token.end))
    c.need(":", "a function is written with the type of its argument: λx : Real. M")
    A = type_expression(c)
    _dot(c, "a function is written λx : A. M")
    M = expression(c)
    return Abstraction(x, A, M, span=c.since(start))


def _lets(c: Cursor) -> Expr:
    """``let p1 ← M1 in … let pn ← Mn in N``: in a loop, so that n is bounded by nothing."""
    spine: list[tuple[int, Pattern, Expr]] = []
    while c.at("let"):
        start = c.advance().start
        p = pattern(c)
        c.need("←", "let x <- M in N", "=", ":=", "⇐")
        M = expression(c)
        c.need("in", "let x <- M in N")
        spine.append((start, p, M))
    body = expression(c)
    for start, p, M in reversed(spine):
        body = LetExpr(p, M, body, span=c.since(start))
    return body


def _case(c: Cursor) -> CaseExpr:
    start = c.advance().start
    form = "case M of inl x -> N | inr y -> L"
    M = expression(c)
    c.need("of", form)
    c.need("inl", form)
    x = c.name("a name", form)
    c.need("→", form)
    N = expression(c)
    c.need("|", form)
    c.need("inr", form)
    y = c.name("a name", form)
    c.need("→", form)
    L = expression(c)
    return CaseExpr(M, x, N, y, L, span=c.since(start))


def _if(c: Cursor) -> IfExpr:
    start = c.advance().start
    form = "if M <= N then L else K"
    M = expression(c)
    if c.token.text not in _AT_MOST:
        raise c.fail("`<=`", f"numbers are compared by <= alone: {form}")
    c.advance()
    N = expression(c)
    c.need("then", form)
    L = expression(c)
    c.need("else", form)
    K = expression(c)
    return IfExpr(M, N, L, K, span=c.since(start))
