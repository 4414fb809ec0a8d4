"""Terms ``L M N``, commands ``P Q R`` and handlers ``H`` (RH Def. 3.4) in the syntax of LANGUAGE §1 and §3.

Precedence, from tightest to loosest: ``M.1``, ``W.rd(x. N)(V)``, ``wᵀ``; ``-M``; ``* · @ / //``; ``+ -``; and ``let``,
``if``, ``return``, ``k •``, ``handle``, ``rev handle``, ``map``, ``scan`` and ``repeat``, which extend as far right as
they can.
"""

import re

from rh_kernel.source.diagnostic import Fix, Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.errors import MissingIn, MissingWith, Unexpected, WrongArrow
from rh_kernel.syntax.parsing.conditionals import IF, begins, conditional
from rh_kernel.syntax.parsing.cursor import DEEPEST, Cursor
from rh_kernel.syntax.parsing.foreign import SLICES, attribute, entry
from rh_kernel.syntax.parsing.handlers import handler_literal
from rh_kernel.syntax.parsing.hints import shorten
from rh_kernel.syntax.parsing.literals import array, number
from rh_kernel.syntax.parsing.patterns import dot, pattern, patterns
from rh_kernel.syntax.parsing.repeats import is_repeat, repeat
from rh_kernel.syntax.parsing.sequences import at_iteration, iteration
from rh_kernel.syntax.parsing.tokens import ITERATIONS, REPEAT, Kind, Token

_NAME, _NUMBER = Kind.NAME, Kind.NUMBER
_OPERATORS = {o.value: o for o in s.BinaryOperator} | {"×": s.BinaryOperator.TIMES}
_POSTFIXES = frozenset({"ᵀ", "."})
_SUMS = frozenset({s.BinaryOperator.PLUS, s.BinaryOperator.MINUS})
_PROJECTION = re.compile(r"proj_([0-9]{1,9})")

_EXPRESSION = "a term or a command"
_A_HANDLER = "end it with a handler: with sgd(0.1, t), or with { return x -> P … }"
_TWO_LETS = "`let x <- M in N` for a term M, `let x <= P in Q` for a command P"


# One level of nesting uses at most three Python stack frames: ``expression``, ``_operand``, and ``expressions`` for a bracket.
# Hence the one long function here; forms that need more frames count as two levels.


def expression(c: Cursor) -> s.Expr:
    """Parse a term or a command."""
    c.deepen()
    if c.token.text == "let":
        M = _lets(c)
        c.depth -= 1
        return M
    start = factor = c.token.start
    pending: tuple[s.BinaryOperator, s.Expr] | None = None
    M = _operand(c)
    while (operator := _OPERATORS.get(c.token.text)) is not None:
        if operator in _SUMS:
            M = _add(pending, M, c.since(start))
            c.advance()
            pending, factor = (operator, M), c.token.start
            M = _operand(c)
        else:
            c.advance()
            N = _operand(c)
            M = s.Binary(operator, M, N, span=c.since(factor))
    c.depth -= 1
    return M if pending is None else _add(pending, M, c.since(start))


def _add(pending: tuple[s.BinaryOperator, s.Expr] | None, N: s.Expr, span: Span) -> s.Expr:
    if pending is None:
        return N
    operator, M = pending
    return s.Binary(operator, M, N, span=span)


def expressions(c: Cursor, opening: str) -> tuple[s.Expr, ...]:
    """``(M1, …, Mn)`` in any kind of bracket; n ≥ 1 in square brackets, n ≥ 0 in others."""
    c.open(opening)
    items: list[s.Expr] = []
    if opening == "[" or not c.at_closer():
        items.append(expression(c))
        while c.take(","):
            items.append(expression(c))
    if opening == "[" and c.at(":"):
        raise c.fail("`,` or `]`", SLICES)
    c.close(",")
    return tuple(items)


def _tuple(items: tuple[s.Expr, ...], span: Span) -> s.Expr:
    match items:
        case ():
            return s.Unit(span=span)
        case (M,):
            return M
        case many:
            return s.TupleExpr(many, span=span)


def _operand(c: Cursor) -> s.Expr:
    """Parse an expression without infix operators."""
    minuses = _minuses(c) if c.token.text == "-" else ()
    token = c.token
    start = token.start
    if token.text in ITERATIONS and at_iteration(c):
        c.deepen()
        M = iteration(c, expression)
        c.depth -= 1
    elif token.text == REPEAT and is_repeat(c):
        c.deepen(2)
        M = repeat(c, expression)
        c.depth -= 2
    elif token.text == IF and begins(c, expression):
        M = conditional(c, expression)
    elif token.kind is _NAME or (token.text == "rd" and c.peek().text == "["):
        c.advance()
        f = s.Name(token.text, span=c.since(start))
        indices = expressions(c, "[") if c.token.text == "[" else ()
        arguments = expressions(c, "(") if c.token.text == "(" else None
        M = _postfix(c, _applied(c, f, indices, arguments), start)
    elif token.kind is _NUMBER:
        M = _postfix(c, number(c), start)
    elif token.text in {"(", "⟨"}:
        items = expressions(c, token.text)
        M = _postfix(c, _tuple(items, c.since(start)), start)
    elif token.text == "[":
        M = _postfix(c, array(c), start)
    else:
        c.deepen()
        M = _extended(c)
        c.depth -= 1
    for minus in reversed(minuses):
        M = s.Negate(M, span=c.since(minus.start))
    return M


def _minuses(c: Cursor) -> list[Token]:
    minuses: list[Token] = []
    while c.at("-"):
        minuses.append(c.advance())
    if len(minuses) > DEEPEST:
        raise c.too_deep()
    return minuses


def _postfix(c: Cursor, M: s.Expr, start: int) -> s.Expr:
    """Parse any number of postfixes ``M.1``, ``Mᵀ``, ``M.rd(x. N)(V)``."""
    if c.token.text not in _POSTFIXES and c.token.kind is not Kind.PROJECTION:
        return M
    for _ in range(DEEPEST + 1):
        if c.holds(Kind.PROJECTION):
            M = s.Projection(_component(c, M, start), M, span=c.since(start))
        elif c.at("ᵀ"):
            c.advance()
            M = s.Transpose(M, span=c.since(start))
        elif c.at("."):
            M = _reverse_derivative(c, M, start)
        else:
            return M
    raise c.too_deep()


def _component(c: Cursor, M: s.Expr, start: int) -> int:
    digits = c.token.text[1:]
    if isinstance(M, s.Number) and M.span.end == c.token.start:
        raise c.malformed(Span(c.source, start, c.token.end), "a number has one decimal point")
    if len(digits) > 9 or int(digits) == 0:
        raise c.fail("a component", "components are counted from 1")
    c.advance()
    return int(digits)


def _reverse_derivative(c: Cursor, W: s.Expr, start: int) -> s.Expr:
    dot_token = c.advance()
    if not c.at("rd"):
        if isinstance(W, s.Number) and W.span.end == dot_token.start:
            whole = Span(c.source, start, dot_token.end)
            is_whole = W.text.isdecimal()
            hint = "write digits on both sides of the point" if is_whole else "a number has one decimal point"
            raise c.malformed(whole, hint, Fix(whole, f"{W.text}.0" if is_whole else W.text))
        foreign = attribute(W, c.rest(), c.source)
        if foreign is not None:
            raise foreign
        hint = "a transpose is written w^T or wᵀ" if c.at("T") else ""
        if isinstance(W, s.Var) and W.name[0] == "λ":
            hint = "there are no function values: declare a function with fun f(x : A) = M"
        raise c.fail("a component, `.1`, or a reverse derivative, `.rd(x. N)(V)`", hint)
    c.advance()
    c.deepen()
    c.open("(")
    x = pattern(c)
    dot(c)
    N = expression(c)
    c.close()
    point = c.token.start
    items = expressions(c, "(")
    c.depth -= 1
    V = _tuple(items, c.since(point))
    return s.ReverseDerivative(W, x, N, V, span=c.since(start))


def _applied(c: Cursor, f: s.Name, indices: tuple[s.Expr, ...], arguments: tuple[s.Expr, ...] | None) -> s.Expr:
    """Build ``x``, ``k • M``, ``f[i, …](M, …)``, ``proj_1(M)``, or ``f[i, …]`` as an index or as the subject of a check."""
    if arguments is None and not indices:
        if not c.take("•"):
            return s.Var(f.text, span=f.span)
        M = expression(c)
        return s.ResumeExpr(f, M, span=c.since(f.span.start))
    span = c.since(f.span.start)
    if arguments is None:
        is_index = bool(c.brackets) and c.brackets[-1].text == "[" and c.at(",", "]")
        if not is_index and not c.at("⊢"):
            by_number = entry(f.span, indices, span)
            if by_number is not None:
                raise by_number
            hint = f"it is applied to its input: {shorten(f.text)}[…](x)"
            if all(isinstance(i, s.Number | s.Negate) for i in indices):
                inside = shorten(c.source.text[f.span.end : c.end].strip())
                hint = f"sizes and locations go in square brackets, the input in round ones: {shorten(f.text)}({inside})"
            raise c.fail("`(` and the arguments", hint)
        return s.Family(f, indices, span=span)
    projection = _PROJECTION.fullmatch(f.text)
    if projection is None or indices:
        return s.Apply(f, indices, arguments, span=span)
    if int(projection[1]) == 0:
        hint = "components are counted from 1"
        raise Rejected(Unexpected(span=f.span, found=f"`{f.text}`", expected="`proj_1`, `proj_2`, …", hint=hint))
    return s.Projection(int(projection[1]), _tuple(arguments, Span(c.source, f.span.end, span.end)), span=span)


def _extended(c: Cursor) -> s.Expr:
    """Parse an expression that starts with a keyword, or ``⌊M⌋``."""
    start = c.token.start
    match c.token.text:
        case "let":
            return _lets(c)
        case "return":
            c.advance()
            M = expression(c)
            return s.ReturnExpr(M, span=c.since(start))
        case "⌊":
            c.open("⌊")
            M = expression(c)
            c.close()
            return s.ReturnExpr(M, span=c.since(start))
        case "handle":
            handle = c.advance()
            P = expression(c)
            H = _handled_with(c, handle)
            return s.HandleExpr(P, H, span=c.since(start))
        case "rev":
            return _rev_handle(c)
        case text:
            raise _no_expression(c, text)


def _no_expression(c: Cursor, text: str) -> Rejected:
    if c.holds(Kind.PROJECTION):
        return c.malformed(c.here(), "write digits on both sides of the point", Fix(c.here(), f"0{text}"))
    if c.holds(Kind.STRING):
        return c.fail(_EXPRESSION, 'strings are only used for files and data sets: load("w.npy"), data("xor")')
    if text == "rd":
        if c.peek().kind is Kind.END:
            c.advance()
            return c.fail("`[` and a function")
        return c.fail(_EXPRESSION, "a derivative is written W.rd(x. N)(V), or rd[f](w, v) for a function f")
    return c.fail(_EXPRESSION)


def _lets(c: Cursor) -> s.Expr:
    """Parse ``let p1 ← M1 in … let pn ← Mn in N`` in a loop, so that n is unbounded."""
    spine: list[tuple[int, s.Pattern, s.Arrow, s.Expr]] = []
    while c.at("let"):
        let = c.advance()
        p = pattern(c)
        arrow = _arrow(c)
        bound = expression(c)
        _expect_in(c, let)
        spine.append((let.start, p, arrow, bound))
    body = expression(c)
    for start, p, arrow, bound in reversed(spine):
        body = s.LetExpr(p, arrow, bound, body, span=c.since(start))
    return body


def _arrow(c: Cursor) -> s.Arrow:
    if c.take("←"):
        return s.Arrow.TERM
    if c.take("⇐"):
        return s.Arrow.COMMAND
    expected = "`<-` or `<=`"
    match c.token.text:
        case "=" | ":=" | "→" | "⇒" | "==" | "<":
            meant = _intended_arrow(c)
            fix = None if meant is None else Fix(c.here(), meant)
            raise Rejected(WrongArrow(span=c.here(), found=c.found(), expected=expected, hint=_TWO_LETS, fix=fix))
        case ":":
            raise c.fail(expected, "a let has no type: it is inferred")
        case "(":
            raise c.fail(expected, "a let binds a name or a tuple; a function is declared with fun f(x : A) = M")
        case ",":
            raise c.fail(expected, "write a tuple of names in brackets: let (x, y) <- M in N")
        case _:
            raise c.fail(expected, _TWO_LETS)


def _intended_arrow(c: Cursor) -> str | None:
    """The arrow that was meant, if the tokens after it determine it; a call can be a term or a command, so it does not."""
    _, following, *rest = c.rest()
    if following.text in {"return", "rev", "handle", "⌊"}:
        return "<="
    if following.kind is Kind.NUMBER or following.text in {"[", "-"}:
        return "<-"
    if following.kind is Kind.NAME and rest and rest[0].text not in {"(", "[", "•"}:
        return "<-"
    return None


def _expect_in(c: Cursor, let: Token) -> None:
    if c.take("in"):
        return
    if c.is_misfit():
        raise c.fail("`in`")
    note = Note(span=c.span(let), text="this `let`")
    fix = c.indented("in") if c.token.kind is Kind.END else c.insert(" in")
    if c.at(";"):
        fix = c.spaced("in", c.peek() if c.peek().text == "in" else c.token)
    raise Rejected(MissingIn(span=c.here(), found=c.found(), hint=c.unindented() or _TWO_LETS, notes=(note,), fix=fix))


def _rev_handle(c: Cursor) -> s.Expr:
    """``rev handle (M) ⟨x1, …, xn⟩. R with H``"""
    rev = c.advance()
    if c.at("handler"):
        raise c.fail(
            "`handle`", "`rev handler(C)` is the type of a handler; to handle a command write rev handle (M) <x>. P with H"
        )
    c.need("handle")
    if not c.at("(", "⟨"):
        raise _unbracketed(c)
    opening = c.token
    items = expressions(c, opening.text)
    M = _tuple(items, c.since(opening.start))
    if not c.at("<", "⟨"):
        raise c.fail("`<` and the variables for the input", "write rev handle (M) <x1, …, xn>. P with H")
    variables = patterns(c, c.token.text)
    dot(c)
    R = expression(c)
    H = _handled_with(c, rev)
    return s.RevHandleExpr(M, variables, R, H, span=c.since(rev.start))


def _unbracketed(c: Cursor) -> Rejected:
    """The diagnostic about the input of ``rev handle`` without brackets, with a fix if the variables follow it."""
    tokens = c.rest()
    count = next((n for n, token in enumerate(tokens) if token.text in {"<", "⟨"}), 0)
    if not count:
        return c.fail("`(` and the input", "write rev handle (M) <x1, …, xn>. P with H")
    span = Span(c.source, tokens[0].start, tokens[count - 1].end)
    return c.fail("`(` and the input", "put the input in round brackets", Fix(span, f"({span.text})"))


def _handled_with(c: Cursor, word: Token) -> s.HandlerExpr:
    if not c.at("with"):
        if c.is_misfit():
            raise c.fail("`with` and a handler")
        note = Note(span=c.span(word), text=f"this `{word.text}`")
        hint, fix = c.unindented() or _A_HANDLER, c.indented("with")
        raise Rejected(MissingWith(span=c.here(), found=c.found(), hint=hint, notes=(note,), fix=fix))
    c.advance()
    return handler(c)


def handler(c: Cursor) -> s.HandlerExpr:
    """A handler: its name with arguments, or a literal."""
    if c.at("{"):
        return handler_literal(c, expression)
    start = c.token.start
    name = c.name("a handler: its name, or { … }")
    arguments = expressions(c, "(") if c.at("(") else ()
    return s.HandlerName(name, arguments, span=c.since(start))
