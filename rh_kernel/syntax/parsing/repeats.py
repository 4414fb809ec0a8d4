"""``repeat i < n from s = M do P`` (LANGUAGE §9). ``repeat``, ``from`` and ``do`` are keywords only here, elsewhere names.

The expression parser is passed in: no import cycle.
"""

from collections.abc import Callable, Sequence

from rh_kernel.syntax import surface as s
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.patterns import pattern
from rh_kernel.syntax.parsing.tokens import REPEAT, Kind, Token

_FORM = "write repeat i < n from s = M do P"


def is_repeat(c: Cursor) -> bool:
    """Whether ``repeat i <`` follows, which no other form begins with."""
    if c.token.text != REPEAT or c.peek().kind is not Kind.NAME:
        return False
    following = c.rest()
    return len(following) > 2 and following[2].text == "<"


def repeat(c: Cursor, expression: Callable[[Cursor], s.Expr]) -> s.RepeatExpr:
    """Parse a ``repeat`` at the word itself. Raises ``Rejected``."""
    start = c.token.start
    c.keyword(REPEAT, _FORM)
    i = c.name("the index of the rounds")
    c.keyword("<", _FORM)
    n = expression(c)
    c.keyword("from", f"the state begins as a term: {_FORM}")
    x = pattern(c)
    c.need("=", _FORM)
    M = expression(c)
    c.keyword("do", f"the rounds are a command: {_FORM}")
    P = expression(c)
    return s.RepeatExpr(i, n, x, M, P, span=c.since(start))


def repeat_keywords(read: Sequence[Token]) -> frozenset[int]:
    """The offsets of the contextual keywords of repetitions, for highlighting; the text may contain errors."""
    found: list[int] = []
    awaited: list[str] = []
    for i, token in enumerate(read):
        if token.kind is not Kind.NAME:
            continue
        following = [t.text for t in read[i + 1 : i + 3]]
        if token.text == REPEAT and len(following) == 2 and following[1] == "<" and read[i + 1].kind is Kind.NAME:
            awaited.append("from")
        elif awaited and token.text == awaited[-1]:
            awaited[-1:] = ["do"] if token.text == "from" else []
        else:
            continue
        found.append(token.start)
    return frozenset(found)
