"""What each token of a program looks like, from the language's own reader: the colours never disagree with the parser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import is_directive
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.items import words_of_directive
from rh_kernel.syntax.parsing.lexer import Section, chunks, section, tokens
from rh_kernel.syntax.parsing.tokens import (
    CHECK,
    COMPILE_OPTIONS,
    DECLARATIONS,
    EFF_SECTION,
    INITIALS,
    LAMBDA_SECTION,
    TRAINING_OPTIONS,
    Kind,
    Token,
)


class Look(Enum):
    """A class of tokens that look alike; the values are the names that the page's editor has for them."""

    KEYWORD = "keyword"
    DECLARATION = "declaration"
    DIRECTIVE = "directive"
    DECLARED = "declared"
    TYPE = "type"
    FUNCTION = "function"
    NAME = "name"
    NUMBER = "number"
    PROJECTION = "projection"
    STRING = "string"
    COMMENT = "comment"
    ARROW = "arrow"
    OPERATOR = "operator"
    BINDER = "binder"
    BRACKET = "bracket"
    PUNCTUATION = "punctuation"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Marked:
    """The characters ``start <= i < end`` of a text look like this."""

    look: Look
    start: int
    end: int


TYPES = frozenset({"Real", "Loc", "Dim"})
FUNCTIONS = frozenset({*SYMBOLS, *INITIALS, "Get", "Put"})
"""What comes with the language and is applied: function symbols, initial contents, the operations on the heap."""

TRAINING_WORDS = frozenset({"for", "data", "on", *TRAINING_OPTIONS})
"""Words with a meaning inside a training item."""

GRADIENT_WORDS = frozenset({"against"})
"""Words with a meaning after ``%gradient``."""

COMPILE_WORDS = frozenset(COMPILE_OPTIONS)
"""Words with a meaning after ``%compile``."""

CHECK_WORDS = frozenset({"within"})
"""Words with a meaning in a check."""

CELL_WORDS = frozenset({"eff", "lambda", "python", "rh"})
"""What may follow ``%%``."""

SIGNS = {
    **dict.fromkeys(("←", "⇐", "→", "~>", "⇒", "⊢", "="), Look.ARROW),
    **dict.fromkeys(("+", "-", "*", "/", "//", "@", "·", "•", "×", "ᵀ"), Look.OPERATOR),
    **dict.fromkeys(("<", ">", "⟨", "⟩"), Look.BINDER),
    **dict.fromkeys(("(", ")", "[", "]", "{", "}"), Look.BRACKET),
    **dict.fromkeys(("⌊", "⌋"), Look.KEYWORD),
}
"""How the signs look, in their canonical spelling; those that are not here are punctuation. ``⌊M⌋`` is ``return M``."""

_CHECK = re.compile(rf"{CHECK}(?: +(?!in\b)[\w(\[⟨⌊]| *(?:#.*)?$)", re.MULTILINE)
_SYSTEM = re.compile(r"[ \t]*([^\s()#]+)")
_LABORATORY_SIGNS = {"\\": Look.KEYWORD, "≤": Look.ARROW}
EFFECTS_SIGNS = {
    **dict.fromkeys(("->", "<-", "<=", "=", "==", ":="), Look.ARROW),
    **dict.fromkeys(("+", "-", "*", "/", "++", "::", "@", "!"), Look.OPERATOR),
    **dict.fromkeys(("<", ">", "<|", "|>"), Look.BINDER),
    **dict.fromkeys(("(", ")", "[", "]", "{", "}"), Look.BRACKET),
    "\\": Look.KEYWORD,
}
"""How the signs of ``%%eff`` cells look, in their canonical spelling; those that are not here are punctuation."""


def looks(text: str) -> Iterator[Marked]:
    """The tokens of a program in order; what lies between them is blank."""
    for chunk in chunks(Source("cell", text)):
        inner = section(chunk)
        if inner is None:
            yield from _looks_of_item(chunk)
        else:
            yield from _looks_of_section(chunk, inner)


def _looks_of_item(chunk: Span) -> Iterator[Marked]:
    words = words_of_directive(chunk)
    is_check = _CHECK.match(chunk.source.text, chunk.start) is not None
    before: list[str] = []
    for token in tokens(chunk) if words is None else words:
        look = _look(token, before, is_check=is_check, is_word=words is not None)
        yield Marked(look, token.start, token.end)
        if token.kind is not Kind.COMMENT:
            before.append(token.text)


def _looks_of_section(chunk: Span, inner: Section) -> Iterator[Marked]:
    """A part of a text from a line like ``%%lambda`` on, with what is between it and the line that may end it."""
    text, items = chunk.source.text, inner.items
    first = text.find("\n", chunk.start, chunk.end) + 1 or chunk.end
    yield from _looks_of_item(Span(chunk.source, chunk.start, first))
    for item in items:
        yield from _looks_of_laboratory(item) if inner.line == LAMBDA_SECTION else _looks_of_effects(item)
    yield from _looks_of_item(Span(chunk.source, items[-1].end if items else first, chunk.end))


def _looks_of_laboratory(item: Span) -> Iterator[Marked]:
    """An item of a ``%%lambda`` section."""
    before: list[str] = []
    for token in _tokens_of_laboratory(item):
        if token.kind is Kind.NAME and token.text.startswith("λ") and before != ["%", "ad"]:
            yield Marked(Look.KEYWORD, token.start, token.start + 1)
            if token.end > token.start + 1:
                yield Marked(Look.NAME, token.start + 1, token.end)
        else:
            yield Marked(_look_in_laboratory(token, before), token.start, token.end)
        if token.kind is not Kind.COMMENT:
            before.append(token.text)


def _tokens_of_laboratory(item: Span) -> Iterator[Token]:
    """The tokens of an item; the name of a system, which may have hyphens in it, is one."""
    before: list[str] = []
    for token in tokens(item):
        yield token
        if token.kind is not Kind.COMMENT:
            before.append(token.text)
        if before == ["%", "ad"] and (system := _SYSTEM.match(item.source.text, token.end, item.end)) is not None:
            yield Token(Kind.NAME, system[1], system.start(1), system.end(1))
            yield from tokens(Span(item.source, system.end(), item.end))
            return


def _look_in_laboratory(token: Token, before: list[str]) -> Look:
    """How a token of a ``%%lambda`` cell looks after those before it in its item."""
    from rh_kernel.ad.registry import ALL, is_system
    from rh_kernel.highlighting.laboratory_words import LABORATORY_FUNCTIONS, LABORATORY_TYPES, LABORATORY_WORDS

    match token.kind, before:
        case Kind.NAME, ["fun"]:
            return Look.DECLARED
        case Kind.NAME, ["%"]:
            return Look.DIRECTIVE if is_directive(token.text, LAMBDA_SECTION) else Look.NAME
        case Kind.NAME, ["%", "ad"]:
            return Look.KEYWORD if token.text == ALL or is_system(token.text) else Look.NAME
        case Kind.NAME, ["%", "ad", *_] if token.text == "along" or (token.text == "trace" and before[-1] == "-"):
            return Look.KEYWORD
        case Kind.NAME, _ if token.text in LABORATORY_WORDS:
            return Look.KEYWORD
        case Kind.NAME, _ if token.text in LABORATORY_TYPES:
            return Look.TYPE
        case Kind.NAME, _:
            return Look.FUNCTION if token.text in LABORATORY_FUNCTIONS else Look.NAME
        case Kind.BAD_CHARACTER, _:
            return _LABORATORY_SIGNS.get(token.text, Look.BAD)
        case _:
            return _look(token, before, is_check=False, is_word=False)


def _looks_of_effects(item: Span) -> Iterator[Marked]:
    """An item of a ``%%eff`` section."""
    from rh_kernel.ad.eff.frontend.lexing import tokens as tokens_of_effects

    before: list[str] = []
    for token in tokens_of_effects(item):
        yield Marked(_look_in_effects(token, before), token.start, token.end)
        if token.kind is not Kind.COMMENT:
            before.append(token.text)


def _look_in_effects(token: Token, before: list[str]) -> Look:
    """How a token of a ``%%eff`` cell looks after those before it in its item."""
    from rh_kernel.ad.eff.frontend.lexing import DECLARATIONS as EFFECTS_DECLARATIONS
    from rh_kernel.highlighting.effects_words import EFFECTS_FUNCTIONS

    is_word = token.kind in {Kind.NAME, Kind.KEYWORD}
    match before:
        case ["%"] if is_word:
            return Look.DIRECTIVE if is_directive(token.text, EFF_SECTION) else Look.NAME
        case [] if is_word and token.text in EFFECTS_DECLARATIONS:
            return Look.DECLARATION
        case [first] if is_word and first in EFFECTS_DECLARATIONS:
            return Look.DECLARED
        case _ if token.kind is Kind.KEYWORD:
            return Look.KEYWORD
        case _ if token.kind is Kind.SYMBOL and token.text == "%" and all(text == "%" for text in before):
            return Look.DIRECTIVE
        case _ if token.kind is Kind.SYMBOL:
            return EFFECTS_SIGNS.get(token.text, Look.PUNCTUATION)
        case _ if token.kind is Kind.NAME and token.text[0].isupper():
            return Look.TYPE
        case _ if token.kind is Kind.NAME:
            return Look.FUNCTION if token.text in EFFECTS_FUNCTIONS else Look.NAME
        case _:
            return _look(token, before, is_check=False, is_word=False)


def _look(token: Token, before: list[str], *, is_check: bool, is_word: bool) -> Look:
    """How a token looks after those before it in its item; ``is_word`` if that is a directive that takes words."""
    match token.kind:
        case Kind.KEYWORD:
            return Look.DECLARATION if token.text in DECLARATIONS else Look.KEYWORD
        case Kind.NAME:
            return _look_in_place(token.text, before, is_check=is_check) or (
                Look.NAME if is_word else _look_of_name(token.text)
            )
        case Kind.NUMBER:
            return Look.NUMBER
        case Kind.PROJECTION:
            return Look.PROJECTION
        case Kind.STRING | Kind.BAD_STRING:
            return Look.STRING
        case Kind.COMMENT:
            return Look.COMMENT
        case Kind.SYMBOL:
            is_directive = token.text == "%" and all(text == "%" for text in before)
            return Look.DIRECTIVE if is_directive else SIGNS.get(token.text, Look.PUNCTUATION)
        case Kind.FOREIGN if is_check and token.text == "==":
            return Look.ARROW
        case Kind.END | Kind.FOREIGN | Kind.BAD_NUMBER | Kind.BAD_CHARACTER:
            return Look.BAD


def _look_in_place(name: str, before: list[str], *, is_check: bool) -> Look | None:
    """How a name looks that means something where it stands, and might mean something else in another place."""
    match before:
        case [] if is_check:
            return Look.KEYWORD
        case ["%"] if is_directive(name):
            return Look.DIRECTIVE
        case ["%", "%"] if name in CELL_WORDS:
            return Look.DIRECTIVE
        case [first] if first in DECLARATIONS:
            return Look.DECLARED
        case ["train", *_] if name in TRAINING_WORDS:
            return Look.KEYWORD
        case ["%", "gradient", *_] if name in GRADIENT_WORDS:
            return Look.KEYWORD
        case ["%", "compile", *_] if name in COMPILE_WORDS:
            return Look.KEYWORD
        case [*_] if is_check and name in CHECK_WORDS:
            return Look.KEYWORD
        case _:
            return None


def _look_of_name(name: str) -> Look:
    if name in TYPES:
        return Look.TYPE
    return Look.FUNCTION if name in FUNCTIONS else Look.NAME
