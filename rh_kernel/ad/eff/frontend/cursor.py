"""Cursor over the tokens of one item of a ``%%eff`` cell, and the diagnostics for an unexpected token."""

import math
import re
from collections.abc import Callable
from typing import TypeVar

from rh_kernel.ad.eff.frontend.lexing import CLOSERS, DECLARATIONS, is_upper, tokens
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.errors import (
    ForeignSyntax,
    NotAName,
    UnclosedBracket,
    Unexpected,
    UnexpectedEnd,
    UnknownCharacter,
    UnterminatedString,
)
from rh_kernel.syntax.parsing.hints import CHARACTERS
from rh_kernel.syntax.parsing.token_cursor import TokenCursor
from rh_kernel.syntax.parsing.tokens import Kind, Token
from rh_kernel.syntax.surface import Name

T = TypeVar("T")

DEEPEST = 80
"""Maximum nesting depth of an expression. Chains of ``let``, of ``;`` and of infix operators do not count."""

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


class Cursor(TokenCursor):
    """Cursor over the tokens of one item of a ``%%eff`` cell."""

    __slots__ = ()
    closers = CLOSERS
    deepest = DEEPEST

    def __init__(self, span: Span) -> None:
        super().__init__(span, tokens(span))

    def close(self, separator: str = "", hint: str = "") -> Token:
        """Consume the closing bracket of the innermost open bracket."""
        closer = CLOSERS[self.brackets[-1].text]
        if not self.at(closer):
            raise self.fail(f"`{separator}` or `{closer}`" if separator else f"`{closer}`", hint)
        self.brackets.pop()
        return self.advance()

    def separated(self, separator: str, parse: Callable[["Cursor"], T]) -> tuple[T, ...]:
        """Parse one or more parts with a separator between them."""
        found = [parse(self)]
        while self.take(separator):
            found.append(parse(self))
        return tuple(found)

    def listed(self, opening: str, parse: Callable[["Cursor"], T]) -> tuple[T, ...]:
        """Parse any number of parts with commas between them, in brackets."""
        self.open(opening)
        found = () if self.at_closer() else self.separated(",", parse)
        self.close(",")
        return found

    def name(self, expected: str, hint: str = "", *, upper: bool | None = False) -> Name:
        """Consume a name with a lower-case initial, with a capital one if ``upper``, or with either if that is ``None``."""
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
        """Consume a number, which is an ``int`` if it has no decimal point."""
        text = self.token.text
        if len(text) > _LONGEST_NUMBER:
            raise self.malformed(self.here(), f"a number has at most {_LONGEST_NUMBER} characters")
        value: float | int = int(text) if text.isdecimal() else float(text)
        if isinstance(value, float) and math.isinf(value):
            raise self.malformed(self.here(), "the largest number is about 1.8e308")
        self.advance()
        return -value if negative else value

    def fail(self, expected: str, hint: str = "", fix: Fix | None = None) -> Rejected:
        """The diagnostic that the current token is not what was ``expected``."""
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
                return self.malformed(here, "names begin with a letter, and products are written with *")
            case Kind.FOREIGN:
                what, advice = _FOREIGN.get(token.text, _ASSIGNMENT)
                return Rejected(ForeignSyntax(span=here, found=f"{what} as `{token.text}`", hint=advice))
            case Kind.END if self.brackets:
                return self._unclosed(expected, self._unindented())
            case Kind.END:
                hint = "; ".join([advice for advice in (self._unindented(), hint) if advice])
                return Rejected(UnexpectedEnd(span=here, found=found, expected=expected, hint=hint, fix=self._indented()))
            case Kind.SYMBOL if token.text in {")", "]", "}", "|>"} and self._mismatches():
                return self.mismatched(expected)
            case _:
                hint = hint or _HINTS.get(token.text, _POINT if token.kind is Kind.PROJECTION else "")
                return Rejected(Unexpected(span=here, found=found, expected=expected, hint=hint, fix=fix))

    def _mismatches(self) -> bool:
        return not self.brackets or CLOSERS[self.brackets[-1].text] != self.token.text

    def _unclosed(self, expected: str, hint: str) -> Rejected:
        opening = self.brackets[-1]
        closer = CLOSERS[opening.text]
        return Rejected(
            UnclosedBracket(
                span=self.here(),
                found=self.found(),
                expected=expected if f"`{closer}`" in expected else f"{expected} or `{closer}`",
                opening=opening.text,
                hint=hint,
                notes=(self.opened_here(),),
                fix=self._indented(),
            )
        )

    def _unindented(self) -> str:
        """A hint for an item that ends too early, if a line in the first column follows it."""
        following = self.source.text[self.token.end :].lstrip()
        if not following or following.startswith("%%"):
            return ""
        return "a line that begins in the first column starts a new item; indent the lines that continue this one"

    def _indented(self) -> Fix | None:
        """A quick fix that indents the line after an item that ends too early, so that it continues this item."""
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
