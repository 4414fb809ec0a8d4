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
    """Whether ``repeat i <`` follows, or ``<=`` for ``<``: no other form begins so."""
    if c.token.text != REPEAT or c.peek().kind is not Kind.NAME:
        return False
    following = c.rest()
    return len(following) > 2 and following[2].text in {"<", "⇐"}


def repeat(c: Cursor, expression: Callable[[Cursor], s.Expr]) -> s.RepeatExpr:
    """Parse a ``repeat`` at the word itself. Raises ``Rejected``."""
    start = c.token.start
    c.keyword(REPEAT, _FORM)
    i = c.name("the index of the rounds")
    c.keywords.append(c.need("<", _FORM, "⇐").start)
    n = expression(c)
    c.keyword("from", f"the state begins as a term: {_FORM}")
    x = pattern(c)
    c.need("=", _FORM)
    M = expression(c)
    c.keyword("do", f"the rounds are a command: {_FORM}")
    P = expression(c)
    return s.RepeatExpr(i, n, x, M, P, span=c.since(start))


def repeat_keywords(read: Sequence[Token], text: str) -> frozenset[int]:
    """The offsets in ``text`` of the contextual keywords of repetitions, for highlighting; it may contain errors.

    Editors read line by line, so that ``repeat i <`` is only found on one line.
    """
    found: list[int] = []
    awaited: list[str] = []
    for i, token in enumerate(read):
        if token.kind is not Kind.NAME:
            continue
        following = read[i + 1 : i + 3]
        if token.text == REPEAT and _begins_rounds(following) and "\n" not in text[token.start : following[1].start]:
            awaited.append("from")
        elif awaited and token.text == awaited[-1]:
            awaited[-1:] = ["do"] if token.text == "from" else []
        else:
            continue
        found.append(token.start)
    return frozenset(found)


def _begins_rounds(following: Sequence[Token]) -> bool:
    return len(following) == 2 and following[0].kind is Kind.NAME and following[1].text == "<"
