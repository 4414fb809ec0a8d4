"""A place in the tokens of one item of a ``%%eff`` cell, and what to say when the next token does not fit."""

import math
import re

from rh_kernel.ad.eff.frontend.lexing import CLOSERS, DECLARATIONS, is_upper, tokens
from rh_kernel.source.diagnostic import Fix, Note, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import (
    ForeignSyntax,
    MalformedNumber,
    MismatchedBracket,
    NotAName,
    TooDeep,
    UnclosedBracket,
    Unexpected,
    UnexpectedEnd,
    UnknownCharacter,
    UnterminatedString,
)
from rh_kernel.syntax.parsing.hints import CHARACTERS, shorten, show
from rh_kernel.syntax.parsing.tokens import Kind, Token
from rh_kernel.syntax.surface import Name

DEEPEST = 80
"""How many levels an expression may have; what follows a ``let`` or a ``;`` does not count, nor do infix operators in a row."""

_LONGEST_NUMBER = 100
_ESCAPE = re.compile(r"""(?:[^\\]|\\[nrt"\\])*?(\\[^nrt"\\])(?:[^"\\]|\\.)*+\"""")
_POINT = "write digits on both sides of the point, as in 1.0"
_OWN_ITEM = re.compile(rf"(?:#|%|(?:{'|'.join(DECLARATIONS)})\b)")
_FOREIGN = {
    "!=": ("such comparison", "numbers are compared by <=, < and =="),
    ">=": ("such comparison", "write it the other way round: y <= x"),
    "&&": ("such sign", "write if M then N else False"),
    "||": ("such sign", "write if M then True else N"),
    "**": ("powers", "write x * x"),
    "=>": ("such arrow", "clauses and branches are written with ->"),
    "//": ("such sign", "a comment begins with #"),
}
_ASSIGNMENT = ("such assignment", "update a reference with r := @r + x")
_HINTS = {
    ".": _POINT,
    "<-": "a let is written let x = M in N",
    "=": "bind a name with let x = M in N; assign a reference with r := M",
    ":=": "bind a name with let x = M in N; assign a reference with r := M",
    ">": "numbers are compared by <=, < and ==; write y < x",
    "->": "a function value is written {x -> M}",
    "return": "`return` only begins a clause of a handler; the result of a computation is its last value",
}


class Cursor:
    """The tokens of one item without its comments, read from left to right. Raises ``Rejected`` at the first that does not fit.

    ``brackets`` are those open here, ``depth`` how deep the expression is, ``end`` where the last passed token ended.
    """

    __slots__ = ("_place", "_tokens", "brackets", "depth", "end", "source", "token")

    def __init__(self, span: Span) -> None:
        self.source: Source = span.source
        self._tokens = [t for t in tokens(span) if t.kind is not Kind.COMMENT]
        last = self._tokens[-1].end if self._tokens else span.start
        self._tokens.append(Token(Kind.END, "", last, last))
        self._place = 0
        self.token: Token = self._tokens[0]
        self.end: int = self.token.start
        self.brackets: list[Token] = []
        self.depth: int = 0

    def advance(self) -> Token:
        """The current token, passed."""
        passed = self.token
        self.end = passed.end
        if passed.kind is not Kind.END:
            self._place += 1
            self.token = self._tokens[self._place]
        return passed

    def ahead(self, count: int = 1) -> Token:
        """The token so many after the current one; at the end it is the last, which is ``END``."""
        return self._tokens[min(self._place + count, len(self._tokens) - 1)]

    def rest(self) -> list[Token]:
        """The current token and all that follow."""
        return self._tokens[self._place :]

    def at(self, *texts: str) -> bool:
        """Whether one of these signs or words comes next."""
        return self.token.text in texts and self.token.kind is not Kind.STRING

    def holds(self, *kinds: Kind) -> bool:
        """Whether a token of one of ``kinds`` comes next."""
        return self.token.kind in kinds

    def take(self, text: str) -> bool:
        """Whether ``text`` comes next; if so it is passed."""
        if not self.at(text):
            return False
        self.advance()
        return True

    def need(self, text: str, hint: str = "", *instead: str) -> Token:
        """Pass ``text``; where one of ``instead`` stands, it is meant."""
        if not self.at(text):
            raise self.fail(f"`{text}`", hint, Fix(self.here(), text) if self.at(*instead) else None)
        return self.advance()

    def open(self, text: str, hint: str = "") -> Token:
        """Pass the opening bracket ``text``."""
        self.brackets.append(self.need(text, hint))
        return self.brackets[-1]

    def close(self, separator: str = "", hint: str = "") -> Token:
        """Pass the closing bracket of the innermost open one."""
        closer = CLOSERS[self.brackets[-1].text]
        if not self.at(closer):
            raise self.fail(f"`{separator}` or `{closer}`" if separator else f"`{closer}`", hint)
        self.brackets.pop()
        return self.advance()

    def at_closer(self) -> bool:
        """Whether the innermost open bracket closes here."""
        return self.at(CLOSERS[self.brackets[-1].text])

    def name(self, expected: str, hint: str = "", *, upper: bool | None = False) -> Name:
        """Pass a name that begins with a lower-case letter, with a capital if ``upper``, or with either if that is ``None``."""
        token = self.token
        if token.kind is Kind.NAME:
            if upper is not None and is_upper(token.text) != upper:
                what = "a capital" if upper else "a lower-case letter"
                hint = f"{expected} begins with {what}"
                raise Rejected(NotAName(span=self.here(), found=self.found(), expected=expected, hint=hint))
            if token.text == "_":
                hint = hint or "`_` is not a name: nothing can refer to it"
                raise Rejected(NotAName(span=self.here(), found=self.found(), expected=expected, hint=hint))
            self.advance()
            return Name(token.text, span=self.span(token))
        if token.kind is Kind.KEYWORD:
            hint = f"`{token.text}` is a keyword; choose another name"
            raise Rejected(NotAName(span=self.here(), found=self.found(), expected=expected, hint=hint))
        raise self.fail(expected, hint)

    def number(self, *, negative: bool = False) -> float | int:
        """Pass a number: an ``int`` if it is written without a point."""
        text = self.token.text
        if len(text) > _LONGEST_NUMBER:
            raise self.malformed(f"a number has at most {_LONGEST_NUMBER} characters")
        value: float | int = int(text) if text.isdecimal() else float(text)
        if isinstance(value, float) and math.isinf(value):
            raise self.malformed("the largest number is about 1.8e308")
        self.advance()
        return -value if negative else value

    def deepen(self) -> None:
        """Go one level down. What is given up with an error never comes up again."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.too_deep()

    def too_deep(self) -> Rejected:
        """The complaint about nesting."""
        return Rejected(TooDeep(span=self.here(), limit=DEEPEST, hint="give parts of it names, with let or fun"))

    def span(self, token: Token) -> Span:
        """Where ``token`` stands."""
        return Span(self.source, token.start, token.end)

    def since(self, start: int) -> Span:
        """From ``start`` to the end of the last token that was passed."""
        return Span(self.source, start, self.end)

    def here(self) -> Span:
        """Where the current token stands; at the end of the item, the last token of it."""
        is_end = self.token.kind is Kind.END and self._place > 0
        return self.span(self._tokens[self._place - 1] if is_end else self.token)

    def found(self) -> str:
        """How a message names the current token: as it was written, on one line."""
        return show(self.token, self.source.text[self.token.start : self.token.end])

    def malformed(self, hint: str) -> Rejected:
        """The complaint about a number."""
        return Rejected(MalformedNumber(span=self.here(), found=f"`{shorten(self.here().text)}`", hint=hint))

    def fail(self, expected: str, hint: str = "", fix: Fix | None = None) -> Rejected:
        """The complaint that the current token is not ``expected``."""
        token, found, here = self.token, self.found(), self.here()
        match token.kind:
            case Kind.BAD_CHARACTER:
                return Rejected(
                    UnknownCharacter(span=here, found=found, expected=expected, hint=_ADVICE.get(token.text[0], ""))
                )
            case Kind.BAD_STRING if (escape := _ESCAPE.match(token.text)) is not None:
                place = Span(self.source, token.start + escape.start(1), token.start + escape.end(1))
                hint, fix = "write a backslash twice", Fix(place, f"\\{place.text}")
                expected = r"`\n`, `\t`, `\"` or `\\`"
                return Rejected(Unexpected(span=place, found=f"`{place.text}`", expected=expected, hint=hint, fix=fix))
            case Kind.BAD_STRING:
                hint = r'a text ends with " on its line; within it are only the signs \n \t \" and \\'
                return Rejected(UnterminatedString(span=here, hint=hint))
            case Kind.BAD_NUMBER:
                return self.malformed("names begin with a letter, and products are written with *")
            case Kind.FOREIGN:
                what, advice = _FOREIGN.get(token.text, _ASSIGNMENT)
                return Rejected(ForeignSyntax(span=here, found=f"{what} as `{token.text}`", hint=advice))
            case Kind.END if self.brackets:
                return self._unclosed(expected, self._unindented())
            case Kind.END:
                hint = "; ".join([advice for advice in (self._unindented(), hint) if advice])
                return Rejected(UnexpectedEnd(span=here, found=found, expected=expected, hint=hint, fix=self._indented()))
            case Kind.SYMBOL if token.text in {")", "]", "}", "|>"} and self._mismatches():
                return self._mismatched(expected)
            case _:
                hint = hint or _HINTS.get(token.text, _POINT if token.kind is Kind.PROJECTION else "")
                return Rejected(Unexpected(span=here, found=found, expected=expected, hint=hint, fix=fix))

    def _mismatches(self) -> bool:
        return not self.brackets or CLOSERS[self.brackets[-1].text] != self.token.text

    def _mismatched(self, expected: str) -> Rejected:
        here, found = self.here(), self.found()
        if not self.brackets:
            hint = "no bracket is open here"
            return Rejected(MismatchedBracket(span=here, found=found, expected=expected, hint=hint))
        opening = self.brackets[-1]
        note = Note(span=self.span(opening), text=f"`{opening.text}` was opened here")
        closer = CLOSERS[opening.text]
        fix = Fix(here, closer)
        hint = f"`{opening.text}` is closed by `{closer}`."
        return Rejected(MismatchedBracket(span=here, found=found, expected=f"`{closer}`", notes=(note,), hint=hint, fix=fix))

    def _unclosed(self, expected: str, hint: str) -> Rejected:
        opening = self.brackets[-1]
        note = Note(span=self.span(opening), text=f"`{opening.text}` was opened here")
        closer = CLOSERS[opening.text]
        return Rejected(
            UnclosedBracket(
                span=self.here(),
                found=self.found(),
                expected=expected if f"`{closer}`" in expected else f"{expected} or `{closer}`",
                opening=opening.text,
                hint=hint,
                notes=(note,),
                fix=self._indented(),
            )
        )

    def _unindented(self) -> str:
        """A hint for an item that ends too early, if there is text in the first column after it."""
        following = self.source.text[self.token.end :].lstrip()
        if not following or following.startswith("%%"):
            return ""
        return "a line that begins in the first column starts a new item; indent the lines that continue this one"

    def _indented(self) -> Fix | None:
        """The text after an item that ends too early, moved to the right so that it continues this one."""
        rest = self.source.text[self.token.end :].lstrip()
        if not self._unindented() or _OWN_ITEM.match(rest):
            return None
        start = len(self.source.text) - len(rest)
        return Fix(Span(self.source, start, start), "  ")


_ADVICE = CHARACTERS | {
    "'": 'texts have double quotes: "text"',
    "“": 'texts have straight quotes: "text"',
    "”": 'texts have straight quotes: "text"',
    "⟵": "a let is written let x = M in N",
    "^": "a power is written x * x",
    "²": "a square is written x * x",
    "&": "write if M then N else False",
}
