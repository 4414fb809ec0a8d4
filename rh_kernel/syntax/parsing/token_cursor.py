"""What the cursors of all languages share: moving over the tokens of one item, brackets, nesting and spans."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import ClassVar, Self

from rh_kernel.source.diagnostic import Fix, Note, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import MalformedNumber, MismatchedBracket, TooDeep
from rh_kernel.syntax.parsing.hints import shorten, show
from rh_kernel.syntax.parsing.tokens import Kind, Token

# Looking up an enum member is slow in Python, and this one is compared for every token.
_END = Kind.END


class TokenCursor(ABC):
    """Cursor over the tokens of one item, without comments. Raises ``Rejected`` at the first unexpected token.

    ``brackets`` are the open brackets, ``depth`` is the nesting depth, ``end`` the end of the last consumed token. ``closers``
    is the closing bracket for each opening one, and ``deepest`` the maximum nesting depth.
    """

    __slots__ = ("_tokens", "_upcoming", "brackets", "depth", "end", "source", "token")
    closers: ClassVar[Mapping[str, str]]
    deepest: ClassVar[int]

    def __init__(self, span: Span, tokens: list[Token]) -> None:
        comment = Kind.COMMENT
        self.source: Source = span.source
        self._tokens = [t for t in tokens if t.kind is not comment]
        self.end: int = self._tokens[0].start if self._tokens else span.start
        last = self._tokens[-1].end if self._tokens else span.start
        self._tokens.append(Token(Kind.END, "", last, last))
        self._upcoming = 1
        self.token: Token = self._tokens[0]
        self.brackets: list[Token] = []
        self.depth: int = 0

    def advance(self) -> Token:
        """Consume and return the current token."""
        passed = self.token
        self.end = passed.end
        if passed.kind is not _END:
            self.token = self._tokens[self._upcoming]
            self._upcoming += 1
        return passed

    def reach(self, parse: Callable[[Self], object]) -> int:
        """Return the offset of the token at which ``parse`` stops or fails, and move back."""
        before = self._upcoming, self.token, self.end, list(self.brackets), self.depth
        with suppress(Rejected):
            parse(self)
        reached = self.token.start
        self._upcoming, self.token, self.end, self.brackets, self.depth = before
        return reached

    def peek(self, count: int = 1) -> Token:
        """The token ``count`` places after the current one, or else ``END``."""
        return self._tokens[min(self._upcoming + count, len(self._tokens)) - 1]

    def rest(self) -> list[Token]:
        """The current token and all that follow it."""
        return self._tokens[self._upcoming - 1 :]

    def at(self, *texts: str) -> bool:
        """Whether the current token is one of ``texts``."""
        return self.token.text in texts

    def holds(self, *kinds: Kind) -> bool:
        """Whether the current token is of one of ``kinds``."""
        return self.token.kind in kinds

    def take(self, text: str) -> bool:
        """Consume the current token if it is ``text``; return whether it was."""
        if self.token.text != text:
            return False
        self.advance()
        return True

    def need(self, text: str, hint: str = "", *instead: str) -> Token:
        """Consume ``text``. Raises ``Rejected`` otherwise, with a quick fix if the token is one of ``instead``."""
        if self.token.text != text:
            raise self.fail(f"`{text}`", hint, Fix(self.here(), text) if self.at(*instead) else None)
        return self.advance()

    def open(self, text: str, hint: str = "") -> Token:
        """Consume the opening bracket ``text``."""
        self.brackets.append(self.need(text, hint))
        return self.brackets[-1]

    def at_closer(self) -> bool:
        """Whether the current token closes the innermost open bracket."""
        return self.token.text == self.closers[self.brackets[-1].text]

    def deepen(self, levels: int = 1) -> None:
        """Increase the nesting depth; after an error it is not decreased again. Raises ``Rejected`` beyond ``deepest``."""
        self.depth += levels
        if self.depth > self.deepest:
            raise self.too_deep()

    def span(self, token: Token) -> Span:
        """The span of ``token``."""
        return Span(self.source, token.start, token.end)

    def since(self, start: int) -> Span:
        """The span from ``start`` to the end of the last consumed token."""
        return Span(self.source, start, self.end)

    def here(self) -> Span:
        """The span of the current token; at the end of the item, that of its last token."""
        if self.token.kind is Kind.END and len(self._tokens) > 1:
            return self.span(self._tokens[-2])
        return self.span(self.token)

    def found(self) -> str:
        """How a message names the current token: its source text, on one line."""
        return show(self.token, self.source.text[self.token.start : self.token.end])

    @abstractmethod
    def fail(self, expected: str, hint: str = "", fix: Fix | None = None) -> Rejected:
        """The diagnostic that the current token is not what was ``expected``."""

    def malformed(self, span: Span, hint: str, fix: Fix | None = None) -> Rejected:
        """The diagnostic for a malformed number."""
        return Rejected(MalformedNumber(span=span, found=f"`{shorten(span.text)}`", hint=hint, fix=fix))

    def too_deep(self) -> Rejected:
        """The diagnostic for an expression that is nested too deeply."""
        return Rejected(TooDeep(span=self.here(), limit=self.deepest, hint="give parts of it names, with let or fun"))

    def mismatched(self, expected: str, hint: str = "no bracket is open here") -> Rejected:
        """The diagnostic for a closing bracket that does not match; the ``hint`` is used if no bracket is open."""
        here, found = self.here(), self.found()
        if not self.brackets:
            return Rejected(MismatchedBracket(span=here, found=found, expected=expected, hint=hint))
        opening = self.brackets[-1].text
        closer = self.closers[opening]
        fix, hint = Fix(here, closer), f"`{opening}` is closed by `{closer}`."
        notes = (self.opened_here(),)
        return Rejected(MismatchedBracket(span=here, found=found, expected=f"`{closer}`", notes=notes, hint=hint, fix=fix))

    def opened_here(self) -> Note:
        """The note at the innermost open bracket."""
        opening = self.brackets[-1]
        return Note(span=self.span(opening), text=f"`{opening.text}` was opened here")
