"""Parser of the expressions of ``%%eff`` cells.

By increasing precedence: ``M; N`` and the keyword forms, ``:=``, ``::``, comparisons, ``++``, ``+ -``, ``* /``, ``-M`` and
``<adaptor> M``, application, ``M!`` and ``M.1``, ``@M``, and atoms.
"""

from rh_kernel.ad.eff.frontend import surface as s
from rh_kernel.ad.eff.frontend.cursor import DEEPEST, Cursor
from rh_kernel.ad.eff.frontend.lexing import CLOSERS
from rh_kernel.ad.eff.frontend.parsing_patterns import atom as pattern_atom
from rh_kernel.ad.eff.frontend.parsing_patterns import begins_pattern, pattern
from rh_kernel.ad.eff.frontend.texts import unquoted
from rh_kernel.ad.eff.quick_fixes import NEGATIVE_ARGUMENT_HINT, bracket_preceding
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import Kind, Token
from rh_kernel.syntax.surface import Name

PRECEDENCE = {":=": 1, "::": 2, "<=": 3, "<": 3, "==": 3, "++": 4, "+": 5, "-": 5, "*": 6, "/": 6}
"""The precedence of each infix operator."""

_RIGHT_ASSOCIATIVE, _NON_ASSOCIATIVE = {":=", "::"}, {"<=", "<", "=="}
_AN_EXPRESSION = "an expression"
_LET = "let p = M in N"
_LET_AT_END = "a let is written let p = M in N; to define it for later, declare fun x = M and run it with x!"
_MATCH = "match M | p -> N | q -> L"
_IF = "if M then N else L"
_HANDLE = "handle M with h, or handle M with { return x -> N | <op x -> k> -> L }"
_CLAUSE = "a clause is written <op x y -> k> -> M, where k is what comes after the operation"
_ADAPTOR = "an adaptor is written <Smooth>, or <Smooth(s a b -> s b)> to say which of the last instances stay"


def expression(c: Cursor) -> s.Expr:
    """Parse an expression. In a loop, so that chains of ``M; N`` and ``let p = M in N`` may have any length."""
    c.deepen()
    spine: list[tuple[int, s.Pattern | None, s.Expr]] = []
    while True:
        start = c.token.start
        if c.take("let"):
            p = pattern(c)
            c.need("=", _LET, "<-", ":=", "==")
            M = expression(c)
            c.need("in", _LET_AT_END if c.holds(Kind.END) and not c.brackets else _LET)
            spine.append((start, p, M))
            continue
        N = _infix(c)
        if not c.take(";"):
            break
        if c.holds(Kind.END) or (c.brackets and c.at_closer()):
            raise c.fail(_AN_EXPRESSION, "remove the last `;`: the result comes last")
        spine.append((start, None, N))
    while spine:
        start, bound, M = spine.pop()
        span = c.since(start)
        N = s.Sequence(M, N, span=span) if bound is None else s.LetExpr(bound, M, N, span=span)
    c.depth -= 1
    return N


def _infix(c: Cursor) -> s.Expr:
    """Parse infix operators, by operator precedence; the span of an operand includes its parentheses."""
    operands, signs = [_placed(c)], list[str]()

    def reduce() -> None:
        (_, N, end), (start, M, _) = operands.pop(), operands.pop()
        operands.append((start, s.Infix(signs.pop(), M, N, span=Span(c.source, start, end)), end))

    while c.holds(Kind.SYMBOL) and (precedence := PRECEDENCE.get(c.token.text)):
        sign = c.token.text
        while signs and PRECEDENCE[signs[-1]] >= precedence + (sign in _RIGHT_ASSOCIATIVE):
            if sign in _NON_ASSOCIATIVE and PRECEDENCE[signs[-1]] == precedence:
                raise c.fail("the end of the comparison", "comparisons do not chain; use brackets")
            reduce()
        signs.append(c.advance().text)
        operands.append(_placed(c))
    while signs:
        reduce()
    return operands[0][1]


def _placed(c: Cursor) -> tuple[int, s.Expr, int]:
    """An operand with its start and its end."""
    start = c.token.start
    M = _operand(c)
    return start, M, c.end


def _operand(c: Cursor) -> s.Expr:
    """Parse ``-M`` and ``<adaptor> M``, any number of them before an application or a keyword form."""
    prefixes: list[tuple[int, tuple[s.AdaptorExpr, ...]]] = []
    while c.at("-", "<"):
        if c.at("-") and c.peek().kind is Kind.NUMBER and not _goes_on(c.peek(2)):
            break
        prefixes.append((c.token.start, () if c.at("-") else _adaptors(c)))
        if not prefixes[-1][1]:
            c.advance()
        if len(prefixes) > DEEPEST:
            raise c.too_deep()
    start = c.token.start
    if c.take("-"):
        M: s.Expr = s.Literal(c.number(negative=True), span=c.since(start))
    elif c.at("let"):
        M = expression(c)
    elif c.at("match"):
        M = _match(c)
    elif c.at("if"):
        M = _if(c)
    elif c.at("handle"):
        M = _handle(c)
    elif c.at("\\"):
        M = _lambda(c)
    else:
        M = _application(c)
    for start, adaptors in reversed(prefixes):
        M = s.Adapted(adaptors, M, span=c.since(start)) if adaptors else s.Negated(M, span=c.since(start))
    return M


def _goes_on(token: Token) -> bool:
    return token.kind is Kind.PROJECTION or token.text == "!"


def _adaptors(c: Cursor) -> tuple[s.AdaptorExpr, ...]:
    """``<L, …>``"""
    c.open("<")
    found = c.separated(",", _adaptor)
    c.close(",", _ADAPTOR)
    return found


def _adaptor(c: Cursor) -> s.AdaptorExpr:
    effect = c.name("an effect", _ADAPTOR, upper=True)
    around: tuple[Name, ...] | None = None
    inside: tuple[Name, ...] = ()
    if c.at("("):
        c.open("(")
        rest, *taken = _names(c)
        around = tuple(taken)
        c.need("->", _ADAPTOR)
        if not c.at(rest.text):
            raise c.fail(f"`{rest.text}`", _ADAPTOR)
        _, *kept = _names(c)
        inside = tuple(kept)
        c.close(hint=_ADAPTOR)
    return s.AdaptorExpr(effect, around, inside, span=c.since(effect.span.start))


def _names(c: Cursor) -> list[Name]:
    names = [c.name("a name for the instances further out", _ADAPTOR)]
    while c.holds(Kind.NAME):
        names.append(c.name("a name of an instance", _ADAPTOR))
    return names


def begins_atom(c: Cursor) -> bool:
    """Whether an atom begins here."""
    return c.holds(Kind.NAME, Kind.NUMBER, Kind.STRING) or c.at("(", "[", "{", "@", "<|")


def _application(c: Cursor) -> s.Expr:
    """``M N…``, or one operand"""
    start = c.token.start
    head = _postfix(c)
    if not begins_atom(c):
        return head
    if isinstance(head, s.Literal) and head.span.end == c.end:
        fix = bracket_preceding(head.span)
        product = "concatenate texts with ++" if isinstance(head.value, str) else "a product is written with *"
        raise c.fail("an operator or the end", product if fix is None else NEGATIVE_ARGUMENT_HINT, fix)
    return s.Applied(head, _arguments(c), span=c.since(start))


def _arguments(c: Cursor) -> tuple[s.Expr, ...]:
    found: list[s.Expr] = []
    while begins_atom(c):
        found.append(_postfix(c))
    return tuple(found)


def _postfix(c: Cursor) -> s.Expr:
    """``M!`` and ``M.1``, any number of them after an atom"""
    start = c.token.start
    M = _atom(c)
    for _ in range(DEEPEST):
        if c.take("!"):
            M = s.Forced(M, span=c.since(start))
        elif c.holds(Kind.PROJECTION):
            if c.token.text not in {".1", ".2"}:
                raise c.fail("`.1` or `.2`", "a computation pair has two sides; a tuple is taken apart by let (x, y) = M in N")
            M = s.Projected(int(c.advance().text[1:]), M, span=c.since(start))
        else:
            return M
    raise c.too_deep()


def _atom(c: Cursor) -> s.Expr:
    """``@M``, any number of ``@`` before an atom"""
    start = c.token.start
    reads: list[int] = []
    while c.at("@"):
        reads.append(c.advance().start)
    if len(reads) > DEEPEST:
        raise c.too_deep()
    M = _bare(c, c.token.start)
    for start in reversed(reads):
        M = s.Read(M, span=c.since(start))
    return M


def _bare(c: Cursor, start: int) -> s.Expr:
    if c.holds(Kind.NAME) and not c.at("_"):
        return s.Var(c.advance().text, span=c.since(start))
    if c.holds(Kind.NUMBER):
        return s.Literal(c.number(), span=c.since(start))
    if c.holds(Kind.STRING):
        return s.Literal(unquoted(c.advance().text), span=c.since(start))
    if c.at("("):
        items = c.listed("(", expression)
        return items[0] if len(items) == 1 else s.TupleExpr(items, span=c.since(start))
    if c.at("["):
        return s.ListExpr(c.listed("[", expression), span=c.since(start))
    if c.at("{"):
        return _thunk(c, start)
    if c.at("<|"):
        c.open("<|")
        M = expression(c)
        c.need(",", "a computation pair has two sides: <| M, N |>")
        N = expression(c)
        c.close()
        return s.PairExpr(M, N, span=c.since(start))
    if c.at("let", "match", "if", "handle", "\\", "-", "<"):
        raise c.fail(_AN_EXPRESSION, "put this part in brackets")
    raise c.fail(_AN_EXPRESSION)


def _thunk(c: Cursor, start: int) -> s.Expr:
    has_parameters = _has_parameters(c)
    c.open("{")
    parameters: list[s.Pattern] = []
    while has_parameters and not c.at("->"):
        parameters.append(pattern_atom(c))
    if has_parameters:
        c.need("->")
    M = expression(c)
    c.close()
    return s.ThunkExpr(tuple(parameters), M, span=c.since(start))


def _has_parameters(c: Cursor) -> bool:
    """Whether patterns and ``->`` follow the current ``{``."""
    place, open_brackets = 1, list[str]()
    while (token := c.peek(place)).kind is not Kind.END:
        if open_brackets:
            if token.kind is Kind.SYMBOL and token.text in {"(", "["}:
                open_brackets.append(CLOSERS[token.text])
            elif token.text == open_brackets[-1]:
                open_brackets.pop()
        elif token.text == "->":
            return place > 1
        elif token.kind is Kind.SYMBOL and token.text in {"(", "["}:
            open_brackets.append(CLOSERS[token.text])
        elif token.kind not in {Kind.NAME, Kind.NUMBER, Kind.STRING} and token.text != "-":
            return False
        place += 1
    return False


def _lambda(c: Cursor) -> s.Expr:
    start = c.advance().start
    parameters = [pattern_atom(c)]
    while begins_pattern(c):
        parameters.append(pattern_atom(c))
    c.need("->", "a function is written \\x y -> M, and as a value {x y -> M}", ".", "=")
    M = expression(c)
    return s.LambdaExpr(tuple(parameters), M, span=c.since(start))


def _match(c: Cursor) -> s.Expr:
    start = c.advance().start
    M = expression(c)
    branches: list[s.Branch] = []
    if not c.at("|"):
        raise c.fail("`|` and a branch", _MATCH)
    # A `|` before `<` or `return` begins a clause of a handler around the match.
    while c.at("|") and c.peek().text not in {"<", "return"}:
        c.advance()
        p = pattern(c)
        c.need("->", _MATCH, "=")
        N = expression(c)
        branches.append(s.Branch(p, N, span=c.since(p.span.start)))
    return s.MatchExpr(M, tuple(branches), span=c.since(start))


def _if(c: Cursor) -> s.Expr:
    start = c.advance().start
    M = expression(c)
    c.need("then", _IF)
    N = expression(c)
    c.need("else", _IF)
    c.deepen()
    L = _infix(c)
    c.depth -= 1
    return s.IfExpr(M, N, L, span=c.since(start))


def _handle(c: Cursor) -> s.Expr:
    start = c.advance().start
    M = expression(c)
    c.need("with", _HANDLE)
    if c.at("{"):
        c.open("{")
        H: s.HandlerName | s.Clauses = clauses(c)
        c.close("|")
        return s.HandleExpr(M, H, span=c.since(start))
    name = c.name("the name of a handler", _HANDLE)
    return s.HandleExpr(M, s.HandlerName(name, _arguments(c), span=c.since(name.span.start)), span=c.since(start))


def clauses(c: Cursor) -> s.Clauses:
    """``return p -> M | <op p… -> k> -> N | …``"""
    c.take("|")
    start = c.token.start
    return s.Clauses(c.separated("|", _clause), span=c.since(start))


def _clause(c: Cursor) -> s.Clause:
    start = c.token.start
    if c.take("return"):
        p = pattern(c)
        c.need("->", "a return clause is written return x -> M", "=")
        M = expression(c)
        return s.ReturnClause(p, M, span=c.since(start))
    c.open("<", "a clause is written return x -> M or <op x -> k> -> M")
    operation = c.name("an operation", _CLAUSE)
    patterns: list[s.Pattern] = []
    while begins_pattern(c):
        patterns.append(pattern_atom(c))
    c.need("->", _CLAUSE)
    if c.at("_"):
        token = c.advance()
        k = Name("_", span=c.span(token))
    else:
        k = c.name("the name of the continuation", _CLAUSE)
    c.close(hint=_CLAUSE)
    c.need("->", _CLAUSE, "=")
    M = expression(c)
    return s.OperationClause(operation, tuple(patterns), k, M, span=c.since(start))
