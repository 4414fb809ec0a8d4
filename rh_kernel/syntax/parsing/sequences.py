"""``map (x in M) do N`` and ``scan (x in M) from s = N do P`` (LANGUAGE §9); the words are keywords only in these forms."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from rh_kernel.syntax import surface as s
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.patterns import pattern
from rh_kernel.syntax.parsing.tokens import CLOSERS, ITERATIONS, Kind, Token

_MAP = "a map is written map (x in M) do N"
_SCAN = "a scan is written scan (x in M) from s = N do P"
_NOTHING = Token(Kind.END, "", 0, 0)
_CLOSED = {"(": ")", "⟨": "⟩"}


def at_iteration(c: Cursor) -> bool:
    """Whether the current token begins a ``map`` or a ``scan``: a bracket, a pattern and ``in`` follow it.

    Raises ``Rejected`` if the brackets are missing.
    """
    if c.token.text not in ITERATIONS:
        return False
    if c.peek().kind is Kind.NAME and c.peek(2).text == "in":
        word = c.advance().text
        raise c.fail("`(` and the names of a row", _MAP if word == "map" else _SCAN)
    if c.peek().text != "(":
        return False
    i = 2
    opened: list[str] = []
    while True:
        token = c.peek(i)
        if token.text in _CLOSED:
            opened.append(_CLOSED[token.text])
        elif opened and token.text == opened[-1]:
            opened.pop()
        elif token.kind is not Kind.NAME and not (opened and token.text == ","):
            return False
        i += 1
        if not opened:
            return c.peek(i).text == "in"


def iteration_words(before: Sequence[Token]) -> Iterator[str]:
    """Yield the words with which the innermost ``map`` or ``scan`` that waits for one can go on after these tokens."""
    waiting: list[tuple[str, int]] = []
    depth = 0
    for token, following in pairwise((*before, _NOTHING)):
        depth += (token.text in CLOSERS) - (token.text in CLOSERS.values())
        if token.text in ITERATIONS and following.text == "(":
            waiting.append(("do" if token.text == "map" else "from", depth))
        elif waiting and token.text == waiting[-1][0] and depth == waiting[-1][1]:
            word, _ = waiting.pop()
            waiting += [("do", depth)] if word == "from" else []
    if waiting and waiting[-1][1] == depth:
        yield waiting[-1][0]


def iteration(c: Cursor, expression: Callable[[Cursor], s.Expr]) -> s.Expr:
    """Parse a ``map`` or a ``scan``."""
    start = c.token.start
    return _map(c, start, expression) if c.at("map") else _scan(c, start, expression)


def _map(c: Cursor, start: int, expression: Callable[[Cursor], s.Expr]) -> s.Expr:
    _word(c)
    c.open("(")
    patterns: list[s.Pattern] = []
    sources: list[s.Expr] = []
    while not patterns or c.take(","):
        patterns.append(pattern(c))
        c.need("in", _MAP)
        sources.append(expression(c))
    c.close(",")
    _expect(c, "do", "`do` and a term", _MAP)
    N = expression(c)
    return s.MapExpr(tuple(patterns), tuple(sources), N, span=c.since(start))


def _scan(c: Cursor, start: int, expression: Callable[[Cursor], s.Expr]) -> s.Expr:
    _word(c)
    c.open("(")
    x = pattern(c)
    c.need("in", _SCAN)
    M = expression(c)
    c.close()
    _expect(c, "from", "`from` and the first state", _SCAN)
    state = pattern(c)
    c.need("=", _SCAN)
    N = expression(c)
    _expect(c, "do", "`do` and a command", _SCAN)
    P = expression(c)
    return s.ScanExpr((x, state), M, N, P, span=c.since(start))


def _expect(c: Cursor, word: str, expected: str, hint: str) -> None:
    if not c.at(word):
        raise c.fail(expected, hint)
    _word(c)


def _word(c: Cursor) -> Token:
    """Consume a word that is a keyword here."""
    c.keywords.append(c.token.start)
    return c.advance()
