"""What each token of a program looks like, from the language's own reader: the colours never disagree with the parser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from rh_kernel.primitives.table import ROWS
from rh_kernel.session.directives import DIRECTIVES
from rh_kernel.source.span import Source
from rh_kernel.syntax.lexer import chunks, tokens
from rh_kernel.syntax.parse_items import words_of_directive
from rh_kernel.syntax.tokens import CHECK, COMPILE_OPTIONS, DECLARATIONS, INITIALS, TRAINING_OPTIONS, Kind, Token


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
FUNCTIONS = frozenset({*ROWS, *INITIALS, "Get", "Put"})
"""What comes with the language and is applied: function symbols, initial contents, the operations on the heap."""

TRAINING_WORDS = frozenset({"for", "data", "on", *TRAINING_OPTIONS})
"""Words with a meaning inside a training item."""

GRADIENT_WORDS = frozenset({"against"})
"""Words with a meaning after ``%gradient``."""

COMPILE_WORDS = frozenset(COMPILE_OPTIONS)
"""Words with a meaning after ``%compile``."""

CHECK_WORDS = frozenset({"within"})
"""Words with a meaning in a check."""

CELL_WORDS = frozenset({"python", "rh"})
"""What may follow ``%%``."""

SIGNS = {
    **dict.fromkeys(("←", "⇐", "→", "~>", "⇒", "⊢", "="), Look.ARROW),
    **dict.fromkeys(("+", "-", "*", "/", "//", "@", "·", "•", "×", "ᵀ"), Look.OPERATOR),
    **dict.fromkeys(("<", ">", "⟨", "⟩"), Look.BINDER),
    **dict.fromkeys(("(", ")", "[", "]", "{", "}"), Look.BRACKET),
    **dict.fromkeys(("⌊", "⌋"), Look.KEYWORD),
}
"""How the signs look, in their canonical spelling; those that are not here are punctuation. ``⌊M⌋`` is ``return M``."""

_CHECK = re.compile(rf"{CHECK} +(?!in\b)[\w(\[⟨⌊]")


def looks(text: str) -> Iterator[Marked]:
    """The tokens of a program in order; what lies between them is blank."""
    for chunk in chunks(Source("cell", text)):
        words = words_of_directive(chunk)
        is_check = _CHECK.match(text, chunk.start) is not None
        before: list[str] = []
        for token in tokens(chunk) if words is None else words:
            look = _look(token, before, is_check=is_check, is_word=words is not None)
            yield Marked(look, token.start, token.end)
            if token.kind is not Kind.COMMENT:
                before.append(token.text)


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
        case ["%"] if name in DIRECTIVES:
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
