"""Lexer of ``%%eff`` cells. It never fails: invalid text becomes tokens of the ``BAD`` kinds.

The keywords of RH are names here (``op``, ``net``, ``train``), and there are more symbols than in RH.
"""

import re
import unicodedata

from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import Kind, Token

DECLARATIONS = ("data", "effect", "fun", "handler", "include")
"""The keywords that begin a declaration."""

KEYWORDS = frozenset((*DECLARATIONS, "let", "in", "match", "if", "then", "else", "handle", "with", "return", "and"))
"""The keywords of the language."""

DIRECTIVES = ("trace", "count", "type")
"""The directives of EFF, which follow ``%`` at the beginning of an item."""

CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">", "<|": "|>"}
"""The closing bracket for each opening bracket."""

SPELLINGS = {
    "→": "->",
    "↦": "->",
    "←": "<-",
    "λ": "\\",
    "⟨|": "<|",
    "|⟩": "|>",
    "⟨": "<",
    "⟩": ">",
    "≤": "<=",
    "−": "-",
    "×": "*",
}
"""The canonical spelling of each symbol that has several."""

_TOKEN = re.compile(
    r"""
      [ \r\n]* (?: \t++(?=\r?(?:\n|\Z)) [ \r\n]* )*
    (?:
      (?P<NAME>          (?!λ) [^\W\d] [\w']* )
    | (?P<NUMBER>        (?> [0-9]+ (?:\.[0-9]+)? (?:[eE][+-]?[0-9]+)? ) (?![\w']) )
    | (?P<PROJECTION>    \.[0-9]+ )
    | (?P<FOREIGN>       != | >= | && | \|\| | \*\* | \+= | -= | \*= | => | // )
    | (?P<SYMBOL>        -> | <- (?=\s|\Z) | <= | == | := | :: | \+\+ | <\| | \|> | ⟨\| | \|⟩
                       | [()\[\]{}<>⟨⟩,;:=|.+\-−*×/@!%\\λ→↦←≤] )
    | (?P<STRING>        " (?: [^"\\\r\n] | \\[nrt"\\] )* " )
    | (?P<COMMENT>       \#[^\r\n]* )
    | (?P<BAD_NUMBER>    [0-9] (?: \w | [.'](?=\w) )* )
    | (?P<BAD_STRING>    "[^\r\n]* )
    | (?P<BAD_CHARACTER> \t+ | . )
    | (?P<END>           \Z )
    )
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(span: Span) -> list[Token]:
    """The tokens of a piece of text, with comments and without ``END``."""
    read: list[Token] = []
    for m in _TOKEN.finditer(span.source.text, span.start, span.end):
        kind = Kind[str(m.lastgroup)]
        if kind is Kind.END:
            break
        start, end = m.span(str(m.lastgroup))
        text = m[str(m.lastgroup)]
        if kind is Kind.NAME:
            text = unicodedata.normalize("NFC", text)
            kind = Kind.KEYWORD if text in KEYWORDS else kind
        elif kind is Kind.SYMBOL:
            text = SPELLINGS.get(text, text)
        read.append(Token(kind, text, start, end))
    return read


def is_upper(name: str) -> bool:
    """Whether a name begins with a capital letter, as those of types, effects and constructors do."""
    return name[:1].isupper()
