"""From the text of an item in a ``%%eff`` cell to its tokens. Reading never fails: what has no meaning is of a bad kind.

The words of RH are no words here (``op``, ``net`` and ``train`` are names), and some signs are that RH does not have.
"""

import re
import unicodedata

from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import Kind, Token

KEYWORDS = frozenset(
    {
        "data",
        "effect",
        "fun",
        "handler",
        "include",
        "let",
        "in",
        "match",
        "if",
        "then",
        "else",
        "handle",
        "with",
        "return",
        "and",
    }
)
"""The words of the language; everything else that looks like a name is one."""

DECLARATIONS = ("data", "effect", "fun", "handler", "include")
"""The words that begin a declaration."""

DIRECTIVES = ("trace", "count", "type")
"""The words that may follow a ``%`` at the beginning of an item."""

CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">", "<|": "|>"}
"""Each opening bracket's closing one."""

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
    """The tokens of a piece of text in order, comments among them, and no END."""
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
    """Whether a name is of a type, an effect or a constructor: these begin with a capital."""
    return name[:1].isupper()
