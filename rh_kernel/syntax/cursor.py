"""A place in the tokens of one item, and what to say when the next token does not fit."""

import unicodedata

from rh_kernel.source.diagnostic import Diagnostic, Note, Rejected
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
from rh_kernel.syntax.lexer import tokens
from rh_kernel.syntax.surface import Name
from rh_kernel.syntax.tokens import CLOSERS, Kind, Token, ends_expression

DEEPEST = 200
"""How many levels, and how many operators in a row, an expression may have. The bodies of lets do not count."""

THE_END = "the end of the item"

# Where a bracket should close, these cannot be inside it: the bracket was forgotten.
_OUTSIDE = frozenset({"in", "with", "=", "→", "←", "⇐", "⇒", "|", ";"})

_FOREIGN = {
    "==": ("comparison", "equal labels are counted with same_argmax(x, y); a declaration has one `=`"),
    "!=": ("comparison", "terms are differentiable; step(x), sign(x) and same_argmax(x, y) are the nearest there is"),
    ">=": ("comparison", "terms are differentiable; step(x) and maximum(x, y) are the nearest there is"),
    "&&": ("truth values", "terms are differentiable; step(x) is 0 or 1"),
    "||": ("truth values", "the backward part of a clause begins with a single `|`"),
    "**": ("powers", "write x * x or square(x)"),
}
_ASSIGNMENT = ("assignment", "a let binds a name, `let x <- M in N`; a location is changed by Put[l](M)")

_CHARACTERS = {
    "\t": "indent with spaces",
    "\u00a0": "it looks like a space and came in with a copied text; type a space",
    "'": 'strings stand in double quotes: "xor"',
    "“": 'strings stand in straight quotes: "xor"',
    "”": 'strings stand in straight quotes: "xor"',
    "²": "write square(x) or x * x",
    "^": "a transpose is w^T or wᵀ; a power is x * x or square(x)",
    "≤": "the arrow of a command's let is <= or ⇐",
    "⟵": "the arrow of a let is <- or ←",
    "\\": "there are no function values: declare a function with fun f(x : A) = M",
}


class Cursor:
    """The tokens of one item without its comments, read from left to right. Raises ``Rejected`` at the first that does not fit.

    ``brackets`` are those open here, ``depth`` how deep the expression is, ``end`` where the last passed token ended, and
    ``product_signs`` where a ``*`` or ``×`` of a type stood.
    """

    __slots__ = ("_tokens", "_upcoming", "brackets", "depth", "end", "product_signs", "source", "token")

    def __init__(self, span: Span) -> None:
        self.source: Source = span.source
        self._tokens = [t for t in tokens(span) if t.kind is not Kind.COMMENT]
        self.end: int = self._tokens[0].start if self._tokens else span.start
        last = self._tokens[-1].end if self._tokens else span.start
        self._tokens.append(Token(Kind.END, "", last, last))
        self._upcoming = 1
        self.token: Token = self._tokens[0]
        self.brackets: list[Token] = []
        self.depth: int = 0
        self.product_signs: list[int] = []

    # -- moving ------------------------------------------------------------------------------------

    def advance(self) -> Token:
        """The current token, passed."""
        passed = self.token
        self.end = passed.end
        if passed.kind is not Kind.END:
            self.token = self._tokens[self._upcoming]
            self._upcoming += 1
        return passed

    def peek(self) -> Token:
        """The token after the current one."""
        return self._tokens[min(self._upcoming, len(self._tokens) - 1)]

    def rest(self) -> list[Token]:
        """The current token and all that follow."""
        return self._tokens[self._upcoming - 1 :]

    def take(self, text: str) -> bool:
        """Whether ``text`` comes next; if so it is passed."""
        if self.token.text != text:
            return False
        self.advance()
        return True

    def need(self, text: str, hint: str = "") -> Token:
        """Pass ``text``."""
        if self.token.text != text:
            raise self.fail(f"`{text}`", hint)
        return self.advance()

    def open(self, text: str) -> Token:
        """Pass the opening bracket ``text``."""
        self.brackets.append(self.need(text))
        return self.brackets[-1]

    def close(self, separator: str = "", hint: str = "") -> Token:
        """Pass the closing bracket of the innermost open one."""
        opening = self.brackets[-1]
        closer = CLOSERS[opening.text]
        if self.token.text != closer:
            expected = f"`{separator}` or `{closer}`" if separator else f"`{closer}`"
            raise self._unclosed(opening, expected) if self.token.text in _OUTSIDE else self.fail(expected, hint)
        self.brackets.pop()
        return self.advance()

    def at_closer(self) -> bool:
        """Whether the innermost open bracket closes here."""
        return self.token.text == CLOSERS[self.brackets[-1].text]

    def name(self, expected: str = "a name", hint: str = "") -> Name:
        """Pass a name."""
        token = self.token
        if token.kind is Kind.NAME:
            self.advance()
            return Name(token.text, span=self.span(token))
        if token.kind is Kind.KEYWORD:
            hint = hint or f"`{token.text}` is a word of the language; choose another name"
            raise Rejected(NotAName(span=self.span(token), found=show(token), expected=expected, hint=hint))
        if token.kind is Kind.NUMBER:
            hint = hint or "a name begins with a letter"
            raise Rejected(NotAName(span=self.span(token), found=show(token), expected=expected, hint=hint))
        raise self.fail(expected, hint)

    def deepen(self, levels: int = 1) -> None:
        """Go some levels down. What is given up with an error never comes up again."""
        self.depth += levels
        if self.depth > DEEPEST:
            raise self.too_deep()

    # -- places ------------------------------------------------------------------------------------

    def span(self, token: Token) -> Span:
        """Where ``token`` stands."""
        return Span(self.source, token.start, token.end)

    def since(self, start: int) -> Span:
        """From ``start`` to the end of the last token that was passed."""
        return Span(self.source, start, self.end)

    def here(self) -> Span:
        """Where the current token stands; at the end of the item, the last token of it."""
        if self.token.kind is Kind.END and len(self._tokens) > 1:
            return self.span(self._tokens[-2])
        return self.span(self.token)

    def begins_line(self) -> bool:
        """Whether the current token is the first on its line."""
        return "\n" in self.source.text[self.end : self.token.start]

    def is_misfit(self) -> bool:
        """Whether the current token is wrong in itself, rather than a sign that a word before it is missing."""
        match self.token.kind:
            case Kind.SYMBOL:
                return self.token.text not in {")", "]", "}", "⟩", "|", ";", "%"}
            case Kind.KEYWORD | Kind.END:
                return False
            case Kind.NAME | Kind.NUMBER:
                return not self.begins_line()
            case Kind.STRING | Kind.PROJECTION | Kind.COMMENT | Kind.FOREIGN:
                return True
            case Kind.BAD_NUMBER | Kind.BAD_STRING | Kind.BAD_CHARACTER:
                return True

    # -- complaints --------------------------------------------------------------------------------

    def fail(self, expected: str, hint: str = "") -> Rejected:
        """The complaint that the current token is not ``expected``."""
        token = self.token
        found = show(token)
        here = self.here()
        match token.kind:
            case Kind.BAD_CHARACTER:
                return Rejected(UnknownCharacter(span=here, found=found, hint=_CHARACTERS.get(token.text, "")))
            case Kind.BAD_STRING:
                return Rejected(UnterminatedString(span=here, hint=f"end it with \": {_shorten(token.text.strip())}\""))
            case Kind.BAD_NUMBER:
                return self.malformed(here, "a name begins with a letter, and a product is written 2 * x")
            case Kind.FOREIGN:
                what, advice = _FOREIGN.get(token.text, _ASSIGNMENT)
                return Rejected(ForeignSyntax(span=here, found=f"{what} `{token.text}`", hint=advice))
            case Kind.END if self.brackets:
                return self._unclosed(self.brackets[-1], expected)
            case Kind.END:
                return Rejected(UnexpectedEnd(span=here, found=found, expected=expected, hint=hint))
            case Kind.SYMBOL if token.text in CLOSERS.values() and self._mismatches(token):
                return self._mismatched(expected)
            case Kind.SYMBOL | Kind.NAME | Kind.KEYWORD | Kind.NUMBER | Kind.STRING | Kind.PROJECTION | Kind.COMMENT:
                hint = hint or self._advice()
                return Rejected(Unexpected(span=here, found=found, expected=expected, hint=hint))

    def malformed(self, span: Span, hint: str) -> Rejected:
        """The complaint about a number."""
        return Rejected(MalformedNumber(span=span, found=f"`{_shorten(span.text)}`", hint=hint))

    def too_deep(self) -> Rejected:
        """The complaint about nesting."""
        return Rejected(TooDeep(span=self.here(), limit=DEEPEST, hint="give parts of it names, with let or fun"))

    def _mismatches(self, closer: Token) -> bool:
        return not self.brackets or CLOSERS[self.brackets[-1].text] != closer.text

    def _mismatched(self, expected: str) -> Rejected:
        here, found = self.here(), show(self.token)
        if not self.brackets:
            hint = "a line that continues an item is indented" if self.end == here.start else "no bracket is open here"
            return Rejected(MismatchedBracket(span=here, found=found, expected=expected, hint=hint))
        opening = self.brackets[-1]
        note = Note(span=self.span(opening), text=f"`{opening.text}` was opened here")
        closer = CLOSERS[opening.text]
        return Rejected(MismatchedBracket(span=here, found=found, expected=f"`{closer}`", notes=(note,)))

    def _unclosed(self, opening: Token, expected: str) -> Rejected:
        note = Note(span=self.span(opening), text=f"`{opening.text}` was opened here")
        following = self.source.text[self.token.end :].lstrip()
        hint = f"close it with `{CLOSERS[opening.text]}`"
        if self.token.kind is Kind.END and following.startswith(CLOSERS[opening.text]):
            hint = "indent the line that closes it: in the first column a new item begins"
        return Rejected(
            UnclosedBracket(
                span=self.here(),
                found=show(self.token),
                expected=expected,
                opening=opening.text,
                hint=hint,
                notes=(note,),
            )
        )

    def _advice(self) -> str:
        token = self.token
        before = self._tokens[self._upcoming - 2] if self._upcoming > 1 else None
        if before is None:
            return "a line that continues an item is indented" if token.text in _OUTSIDE else ""
        if token.text == "=":
            return "a let is written `let x <- M in N` or `let x <= P in Q`; a declaration begins with its word, e.g. const"
        if token.text in {"<", ">"}:
            return "there is no comparison; a tuple is written (x, y) or ⟨x, y⟩"
        if not ends_expression(before) or self.begins_line():
            return ""
        if before.kind is Kind.NAME and before.text in {"lambda", "λ", "fn"}:
            return "there are no function values: declare a function with fun f(x : A) = M"
        if before.kind is Kind.NAME and token.kind in {Kind.NAME, Kind.NUMBER}:
            return f"arguments stand in brackets, {_shorten(before.text)}({_shorten(token.text)}), and a product is written with *"
        return ""


def show(token: Token) -> str:
    """How a message names a token, on one line."""
    text = _shorten(token.text)
    match token.kind:
        case Kind.END:
            return THE_END
        case Kind.KEYWORD:
            return f"the word `{text}`"
        case Kind.NAME:
            return f"the name `{text}`"
        case Kind.NUMBER:
            return f"the number {text}"
        case Kind.STRING:
            return f"the string {text}"
        case Kind.BAD_CHARACTER:
            return _show_character(token.text)
        case Kind.PROJECTION | Kind.SYMBOL | Kind.COMMENT | Kind.FOREIGN | Kind.BAD_NUMBER | Kind.BAD_STRING:
            return f"`{text}`"


def _show_character(character: str) -> str:
    number = f"U+{ord(character):04X}"
    if character == "\t":
        return "a tab"
    if character.isprintable() and not character.isspace():
        return f"`{character}`" if character.isascii() else f"`{character}` ({number})"
    return f"{unicodedata.name(character, 'an invisible character').lower()} ({number})"


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
