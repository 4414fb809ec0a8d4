"""Classification of the tokens of a program for highlighting, by the language's own lexers, so that it matches the parser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import is_directive
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.builtin import BUILT_IN_FAMILIES
from rh_kernel.syntax.parsing.conditionals import IF, WORDS
from rh_kernel.syntax.parsing.items import words_of_directive
from rh_kernel.syntax.parsing.lexer import Section, chunks, section, tokens
from rh_kernel.syntax.parsing.repeats import repeat_keywords
from rh_kernel.syntax.parsing.sweeps import is_sweep, pieces
from rh_kernel.syntax.parsing.tokens import (
    CHECK,
    DECLARATIONS,
    DIRECTIVE_OPTIONS,
    EFF_SECTION,
    INITIALS,
    ITERATION_WORDS,
    ITERATIONS,
    KEYWORDS,
    LAMBDA_SECTION,
    SAMPLE_DIRECTIVES,
    SWEEP,
    TRAINING_OPTIONS,
    Kind,
    Token,
)


class TokenClass(Enum):
    """A class of tokens; the values are the names of the editor in the page."""

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
class ClassifiedToken:
    """The class of the characters ``start <= i < end`` of a text."""

    kind: TokenClass
    start: int
    end: int


TYPES = frozenset({"Real", "Loc", "Dim"})
FUNCTIONS = frozenset({*SYMBOLS, *INITIALS, *[family.name for family in BUILT_IN_FAMILIES]})
"""Built-in names that are applied: function symbols, initial contents, and operations."""

TRAINING_WORDS = frozenset({"for", "data", "on", "as", *TRAINING_OPTIONS})
"""Contextual keywords of a training item."""

GRADIENT_WORDS = frozenset({"against"})
"""Contextual keywords of ``%gradient``."""

SAMPLE_WORDS = frozenset({"for", "data", "samples"})
"""Contextual keywords of directives that take a command for each sample; ``samples`` is one of ``%sees``."""

OPTION_WORDS = {directive: frozenset(options) for directive, options in DIRECTIVE_OPTIONS.items()}
"""Contextual keywords of directives that take options."""

CONDITIONAL_WORDS = frozenset(WORDS)
"""Contextual keywords of an item: ``if``, and after it the others."""

CHECK_WORDS = frozenset({"within"})
"""Contextual keywords of a check."""

CELL_WORDS = frozenset({"eff", "lambda", "python", "rh"})
"""The words after ``%%``."""

SIGNS = {
    **dict.fromkeys(("←", "⇐", "→", "~>", "⇒", "⊢", "="), TokenClass.ARROW),
    **dict.fromkeys(("+", "-", "*", "/", "//", "@", "·", "•", "×", "ᵀ"), TokenClass.OPERATOR),
    **dict.fromkeys(("<", ">", "⟨", "⟩"), TokenClass.BINDER),
    **dict.fromkeys(("(", ")", "[", "]", "{", "}"), TokenClass.BRACKET),
    **dict.fromkeys(("⌊", "⌋"), TokenClass.KEYWORD),
}
"""The classes of symbols, in their canonical spelling; all others are punctuation. ``⌊M⌋`` is ``return M``."""

_CHECK = re.compile(rf"{CHECK}(?: +(?!in\b)[\w(\[⟨⌊]| *(?:#.*)?$)", re.MULTILINE)
_NAMES = r"(?:[\w', \t]|[(⟨][\w', \t]*[)⟩])*"
_ROWS = re.compile(rf"[ \t]*\([ \t]*(?:[\w']+[ \t]+|[(⟨]{_NAMES}[)⟩][ \t]*)in(?![\w'])")
_ENDS = re.compile(r"[\w')\]}⟩⌋ᵀ]$")
_SYSTEM = re.compile(r"[ \t]*([^\s()#]+)")
_LAMBDA_SIGNS = {"\\": TokenClass.KEYWORD, "≤": TokenClass.ARROW}
EFF_SIGNS = {
    **dict.fromkeys(("->", "<-", "<=", "=", "==", ":="), TokenClass.ARROW),
    **dict.fromkeys(("+", "-", "*", "/", "++", "::", "@", "!"), TokenClass.OPERATOR),
    **dict.fromkeys(("<", ">", "<|", "|>"), TokenClass.BINDER),
    **dict.fromkeys(("(", ")", "[", "]", "{", "}"), TokenClass.BRACKET),
    "\\": TokenClass.KEYWORD,
}
"""The classes of symbols of ``%%eff`` cells, in their canonical spelling; all others are punctuation."""


def classify(text: str) -> Iterator[ClassifiedToken]:
    """Yield the classified tokens of a program in order; between them is only white space."""
    for chunk in chunks(Source("cell", text)):
        inner = section(chunk)
        if inner is None:
            yield from _classify_sweep(chunk) if is_sweep(chunk) else _classify_item(chunk)
        else:
            yield from _classify_section(chunk, inner)


def _classify_sweep(chunk: Span) -> Iterator[ClassifiedToken]:
    """Classify a sweep: its header, and the items below it."""
    header, *swept = pieces(chunk)
    for token in tokens(header):
        kind = _class_of(token, [SWEEP], is_check=False, is_word=False)
        if token.kind is Kind.NAME:
            kind = TokenClass.KEYWORD if token.start == chunk.start else TokenClass.DECLARED
        yield ClassifiedToken(kind, token.start, token.end)
    for item in swept:
        yield from _classify_item(item)


def _classify_item(chunk: Span) -> Iterator[ClassifiedToken]:
    words = words_of_directive(chunk)
    is_check = _CHECK.match(chunk.source.text, chunk.start) is not None
    iterates = False
    before: list[str] = []
    read = [*tokens(chunk)] if words is None else words
    keywords = repeat_keywords(read, chunk.source.text) if words is None else frozenset[int]()
    for token in read:
        kind = _class_of(token, before, is_check=is_check, is_word=words is not None)
        kind = TokenClass.KEYWORD if token.start in keywords else kind
        if words is None and token.kind is Kind.NAME and kind is TokenClass.NAME:
            begins = token.text in ITERATIONS and _ROWS.match(chunk.source.text, token.end, chunk.end) is not None
            iterates = iterates or begins
            if begins or (iterates and _goes_on(token.text, before)):
                kind = TokenClass.KEYWORD
        yield ClassifiedToken(kind, token.start, token.end)
        if token.kind is not Kind.COMMENT:
            before.append(token.text)


def _goes_on(word: str, before: list[str]) -> bool:
    """Whether a word goes on with a map or a scan: it follows an expression, as no name does."""
    return word in ITERATION_WORDS and bool(before) and before[-1] not in KEYWORDS and _ENDS.search(before[-1]) is not None


def _classify_section(chunk: Span, inner: Section) -> Iterator[ClassifiedToken]:
    """Classify a section: a line like ``%%lambda``, its items, and the line that ends it, if any."""
    text, items = chunk.source.text, inner.items
    first = text.find("\n", chunk.start, chunk.end) + 1 or chunk.end
    yield from _classify_item(Span(chunk.source, chunk.start, first))
    for item in items:
        yield from _classify_lambda_item(item) if inner.line == LAMBDA_SECTION else _classify_eff_item(item)
    yield from _classify_item(Span(chunk.source, items[-1].end if items else first, chunk.end))


def _classify_lambda_item(item: Span) -> Iterator[ClassifiedToken]:
    """Classify an item of a ``%%lambda`` section."""
    before: list[str] = []
    for token in _lambda_tokens(item):
        if token.kind is Kind.NAME and token.text.startswith("λ") and before != ["%", "ad"]:
            yield ClassifiedToken(TokenClass.KEYWORD, token.start, token.start + 1)
            if token.end > token.start + 1:
                yield ClassifiedToken(TokenClass.NAME, token.start + 1, token.end)
        else:
            yield ClassifiedToken(_lambda_class(token, before), token.start, token.end)
        if token.kind is not Kind.COMMENT:
            before.append(token.text)


def _lambda_tokens(item: Span) -> Iterator[Token]:
    """Yield the tokens of an item; the name of a system, which may contain hyphens, is one token."""
    before: list[str] = []
    for token in tokens(item):
        yield token
        if token.kind is not Kind.COMMENT:
            before.append(token.text)
        if before == ["%", "ad"] and (system := _SYSTEM.match(item.source.text, token.end, item.end)) is not None:
            yield Token(Kind.NAME, system[1], system.start(1), system.end(1))
            yield from tokens(Span(item.source, system.end(), item.end))
            return


def _lambda_class(token: Token, before: list[str]) -> TokenClass:
    """Return the class of a token of a ``%%lambda`` cell, given those before it in its item."""
    from rh_kernel.ad.registry import ALL, is_system
    from rh_kernel.highlighting.lambda_words import LAMBDA_FUNCTIONS, LAMBDA_TYPES, LAMBDA_WORDS

    match token.kind, before:
        case Kind.NAME, ["fun"]:
            return TokenClass.DECLARED
        case Kind.NAME, ["%"]:
            return TokenClass.DIRECTIVE if is_directive(token.text, LAMBDA_SECTION) else TokenClass.NAME
        case Kind.NAME, ["%", "ad"]:
            return TokenClass.KEYWORD if token.text == ALL or is_system(token.text) else TokenClass.NAME
        case Kind.NAME, ["%", "ad", *_] if token.text == "along" or (token.text == "trace" and before[-1] == "-"):
            return TokenClass.KEYWORD
        case Kind.NAME, _ if token.text in LAMBDA_WORDS:
            return TokenClass.KEYWORD
        case Kind.NAME, _ if token.text in LAMBDA_TYPES:
            return TokenClass.TYPE
        case Kind.NAME, _:
            return TokenClass.FUNCTION if token.text in LAMBDA_FUNCTIONS else TokenClass.NAME
        case Kind.BAD_CHARACTER, _:
            return _LAMBDA_SIGNS.get(token.text, TokenClass.BAD)
        case _:
            return _class_of(token, before, is_check=False, is_word=False)


def _classify_eff_item(item: Span) -> Iterator[ClassifiedToken]:
    """Classify an item of an ``%%eff`` section."""
    from rh_kernel.ad.eff.frontend.lexing import tokens as eff_tokens

    before: list[str] = []
    for token in eff_tokens(item):
        yield ClassifiedToken(_eff_class(token, before), token.start, token.end)
        if token.kind is not Kind.COMMENT:
            before.append(token.text)


def _eff_class(token: Token, before: list[str]) -> TokenClass:
    """Return the class of a token of an ``%%eff`` cell, given those before it in its item."""
    from rh_kernel.ad.eff.frontend.lexing import DECLARATIONS as EFF_DECLARATIONS
    from rh_kernel.highlighting.eff_words import EFF_FUNCTIONS

    is_word = token.kind in {Kind.NAME, Kind.KEYWORD}
    match before:
        case ["%"] if is_word:
            return TokenClass.DIRECTIVE if is_directive(token.text, EFF_SECTION) else TokenClass.NAME
        case [] if is_word and token.text in EFF_DECLARATIONS:
            return TokenClass.DECLARATION
        case [first] if is_word and first in EFF_DECLARATIONS:
            return TokenClass.DECLARED
        case _ if token.kind is Kind.KEYWORD:
            return TokenClass.KEYWORD
        case _ if token.kind is Kind.SYMBOL and token.text == "%" and all(text == "%" for text in before):
            return TokenClass.DIRECTIVE
        case _ if token.kind is Kind.SYMBOL:
            return EFF_SIGNS.get(token.text, TokenClass.PUNCTUATION)
        case _ if token.kind is Kind.NAME and token.text[0].isupper():
            return TokenClass.TYPE
        case _ if token.kind is Kind.NAME:
            return TokenClass.FUNCTION if token.text in EFF_FUNCTIONS else TokenClass.NAME
        case _:
            return _class_of(token, before, is_check=False, is_word=False)


def _class_of(token: Token, before: list[str], *, is_check: bool, is_word: bool) -> TokenClass:
    """Return the class of a token, given those before it in its item; ``is_word`` in a directive whose arguments are words."""
    match token.kind:
        case Kind.KEYWORD:
            return TokenClass.DECLARATION if token.text in DECLARATIONS else TokenClass.KEYWORD
        case Kind.NAME:
            return _class_in_context(token.text, before, is_check=is_check) or (
                TokenClass.NAME if is_word else _class_of_name(token.text, before)
            )
        case Kind.NUMBER:
            return TokenClass.NUMBER
        case Kind.PROJECTION:
            return TokenClass.PROJECTION
        case Kind.STRING | Kind.BAD_STRING:
            return TokenClass.STRING
        case Kind.COMMENT:
            return TokenClass.COMMENT
        case Kind.SYMBOL:
            is_directive = token.text == "%" and all(text == "%" for text in before)
            return TokenClass.DIRECTIVE if is_directive else SIGNS.get(token.text, TokenClass.PUNCTUATION)
        case Kind.FOREIGN if is_check and token.text == "==":
            return TokenClass.ARROW
        case Kind.END | Kind.FOREIGN | Kind.BAD_NUMBER | Kind.BAD_CHARACTER:
            return TokenClass.BAD


def _class_in_context(name: str, before: list[str], *, is_check: bool) -> TokenClass | None:
    """Return the class of a contextual keyword or a declared name; ``None`` for a name without a special meaning here."""
    match before:
        case [] if is_check:
            return TokenClass.KEYWORD
        case ["%"] if is_directive(name):
            return TokenClass.DIRECTIVE
        case ["%", "%"] if name in CELL_WORDS:
            return TokenClass.DIRECTIVE
        case [first] if first in DECLARATIONS:
            return TokenClass.DECLARED
        case ["train", *_] if name in TRAINING_WORDS:
            return TokenClass.KEYWORD
        case ["%", "gradient", *_] if name in GRADIENT_WORDS:
            return TokenClass.KEYWORD
        case ["%", directive, *_] if directive in SAMPLE_DIRECTIVES and name in SAMPLE_WORDS:
            return TokenClass.KEYWORD
        case ["%", directive, *_] if name in OPTION_WORDS.get(directive, ()):
            return TokenClass.KEYWORD
        case [*_] if is_check and name in CHECK_WORDS:
            return TokenClass.KEYWORD
        case _:
            return None


def _class_of_name(name: str, before: list[str]) -> TokenClass:
    if name in CONDITIONAL_WORDS and (name == IF or IF in before):
        return TokenClass.KEYWORD
    if name in TYPES:
        return TokenClass.TYPE
    return TokenClass.FUNCTION if name in FUNCTIONS else TokenClass.NAME
