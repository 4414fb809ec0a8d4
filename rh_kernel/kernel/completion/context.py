"""The syntactic context of a partial word: its item, the tokens before it, open brackets, quotes, directives."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, tokens, words
from rh_kernel.syntax.parsing.sweeps import is_sweep, pieces
from rh_kernel.syntax.parsing.tokens import (
    CHECK,
    CLOSERS,
    DECLARATIONS,
    DIRECTIVE_NAME,
    EXPRESSION_DIRECTIVES,
    INCLUDE,
    SWEEP,
    Kind,
    Token,
    ends_expression,
)

_NAME = re.compile(r"%{1,2}\w*(?:-[a-z]*)?$")
_DIRECTIVE = re.compile(rf"%({DIRECTIVE_NAME})\s")

# ``<`` is left out, as it may be the start of an arrow.
_OPENERS = frozenset(CLOSERS) - {"<"}
_CLOSING = frozenset(CLOSERS.values()) - {">"}
_TYPE_ENDS = frozenset({",", "=", "{", "|", ";"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a program. ``before`` holds the tokens of its item up to it, without comments or the directive's name.

    ``opened`` are the indices in ``before`` of the open brackets; ``directive`` is the item's directive, if it is one.
    """

    start: int
    text: str
    before: tuple[Token, ...]
    opened: tuple[int, ...]
    directive: str = ""
    begins_line: bool = False

    @property
    def head(self) -> str:
        """The keyword that opens the item: a declaration, ``train``, ``check`` or ``sweep``; otherwise empty."""
        first = self.before[0].text if self.before else ""
        return first if first in {*DECLARATIONS, "train", CHECK, SWEEP} and not self.directive else ""

    @property
    def last(self) -> str:
        """The preceding token."""
        return self.before[-1].text if self.before else ""

    @property
    def is_first(self) -> bool:
        """Whether the word is the first of its item."""
        return not self.before and not self.directive

    @property
    def follows_expression(self) -> bool:
        """Whether the tokens before may form a complete expression, so that a keyword of the item may follow."""
        return bool(self.before) and not self.opened and ends_expression(self.before[-1])

    @property
    def begins_clause(self) -> bool:
        """Whether a clause of a handler may begin here."""
        if not self.opened or self.before[self.opened[-1]].text != "{":
            return False
        return self.last in {"{", ";"} or (self.begins_line and ends_expression(self.before[-1]))

    @property
    def follows_cotangent(self) -> bool:
        """Whether it directly follows the dot in ``W.rd(x. N)(V)``, and not a dot that ends a binder."""
        if len(self.before) < 2 or self.last != "." or self.before[-1].end != self.start:
            return False
        return self.before[-2].text not in {">", "⟩"} and not (self.opened and self.before[self.opened[-1] - 1].text == "rd")

    @property
    def in_type(self) -> bool:
        """Whether it is part of a type: after the ``:`` of a declaration or the ``⊢`` of a check, or in brackets there."""
        return bool(self.head) and type_begins(self.before) is not None


@dataclass(frozen=True, slots=True)
class Quoted:
    """The inside of a string literal: its text so far, and the word before it or its bracket: ``include``, ``data``."""

    start: int
    text: str
    head: str


@dataclass(frozen=True, slots=True)
class DirectiveName:
    """The name of a directive: ``%tra``."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a directive, after the arguments ``given``; ``quoted`` if it follows an open quote."""

    start: int
    text: str
    directive: str
    given: tuple[str, ...]
    quoted: bool


CompletionContext: TypeAlias = Word | Quoted | DirectiveName | Argument


def context_at_end(before: str) -> CompletionContext | None:
    """Return the context at the end of ``before``; ``None`` in a comment or number, or after a closing quote."""
    chunk = _item(before)
    if chunk.text.startswith("%"):
        if _NAME.match(chunk.text):
            return DirectiveName(chunk.start, chunk.text)
        directive = _DIRECTIVE.match(chunk.text)
        if directive is not None and directive[1] not in EXPRESSION_DIRECTIVES:
            return _argument(Span(chunk.source, chunk.start + directive.end(1), chunk.end), directive[1])
        if directive is not None:
            return _word(Span(chunk.source, chunk.start + directive.end(1), chunk.end), directive[1])
    return _word(chunk, "")


def type_begins(before: tuple[Token, ...]) -> int | None:
    """The index of the ``:`` or ``⊢`` whose type extends to the end of ``before``, if any."""
    depth = 0
    for n in reversed(range(len(before))):
        text = before[n].text
        if text in _CLOSING:
            depth += 1
        elif text in _OPENERS:
            depth = max(depth - 1, 0)
        elif depth == 0 and text in {":", "⊢"}:
            return n
        elif depth == 0 and (text in _TYPE_ENDS - {","} or (text == "," and not _in_type_brackets(before, n))):
            return None
    return None


def _in_type_brackets(before: tuple[Token, ...], comma: int) -> bool:
    """Whether the comma separates dimensions, that is, the enclosing bracket belongs to a type."""
    depth = 0
    for n in reversed(range(comma)):
        if before[n].text in _CLOSING:
            depth += 1
        elif before[n].text in _OPENERS:
            if depth == 0:
                return before[n - 1].text in {"Real", "Loc"}
            depth -= 1
    return False


def _item(before: str) -> Span:
    """The item at the end of a text. An item begins in the first column, below a sweep in that of the first item."""
    source = Source("cell", before)
    found, nothing = chunks(source), Span(source, len(before), len(before))
    if not found or before.endswith("\n"):
        return nothing
    if not is_sweep(found[-1]):
        return found[-1]
    *above, last = pieces(found[-1])
    line = before[before.rfind("\n") + 1 :]
    column = last.start - (before.rfind("\n", 0, last.start) + 1)
    is_new = not line.strip() and ((above and len(line) <= column) or not (above or last.text.rstrip().endswith(",")))
    return nothing if is_new else last


def _argument(span: Span, directive: str) -> Argument | None:
    read = words(span)
    last = Token(Kind.NAME, "", span.end, span.end)
    if read and read[-1].end == span.end:
        last = read.pop()
    if last.kind is Kind.COMMENT or (last.kind is Kind.STRING and len(last.text) > 1 and last.text.endswith('"')):
        return None
    quoted = last.kind is Kind.STRING
    given = tuple([token.text for token in read if token.kind is not Kind.COMMENT])
    return Argument(last.start + quoted, last.text[quoted:], directive, given, quoted)


def _word(span: Span, directive: str) -> Word | Quoted | None:
    read = tokens(span)
    last = read[-1] if read and read[-1].end == span.end else None
    start = span.end
    if last is not None:
        match last.kind:
            case Kind.NAME | Kind.KEYWORD:
                start = last.start
                read.pop()
            case Kind.BAD_STRING:
                earlier = [token for token in read[:-1] if token.kind is not Kind.COMMENT]
                # Other strings before it in the same brackets: data("x.npy", "t.np
                while len(earlier) > 1 and earlier[-1].text == "," and earlier[-2].kind is Kind.STRING:
                    del earlier[-2:]
                is_include = len(earlier) == 1 and earlier[0].text == INCLUDE
                head = INCLUDE if is_include else earlier[-2].text if len(earlier) > 1 and earlier[-1].text == "(" else ""
                return Quoted(last.start + 1, last.text[1:], head)
            case Kind.COMMENT | Kind.STRING | Kind.NUMBER | Kind.BAD_NUMBER | Kind.PROJECTION:
                return None
            case Kind.SYMBOL | Kind.END | Kind.FOREIGN | Kind.BAD_CHARACTER:
                pass
    before = tuple([token for token in read if token.kind is not Kind.COMMENT])
    text = span.source.text
    begins_line = bool(before) and "\n" in text[before[-1].end : start]
    return Word(start, text[start : span.end], before, _opened(before), directive, begins_line)


def _opened(before: tuple[Token, ...]) -> tuple[int, ...]:
    opened: list[int] = []
    for n, token in enumerate(before):
        if token.text in _OPENERS:
            opened.append(n)
        elif token.text in _CLOSING and opened:
            opened.pop()
    return tuple(opened)
