"""From text to items and tokens (LANGUAGE §1): an item begins in the first column; lines that are blank, indented, comments,
or begin with ``}`` continue it. Reading never fails: what has no meaning becomes a token of a bad kind.
"""

import re
import unicodedata

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.tokens import KEYWORDS, PYTHON, SPELLINGS, Kind, Token


def _characters(category: str) -> str:
    """The characters of a category up to the letterlike symbols, for use in a character class."""
    return "".join(c for c in map(chr, range(0xB2, 0x2100)) if unicodedata.category(c).startswith(category))


# ``ᵀ`` and raised digits are letters or digits to Unicode, but no part of a name: ``wᵀ`` is a transpose.
_RAISED = "⁰¹²³⁴-⁹ᵀ"
_WORD = rf"[^\W{_RAISED}]"
_NAME = rf"[^\W\d{_RAISED}{_characters('No')}](?:{_WORD}|['{_characters('M')}])*"
_DECIMAL = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"

_TOKEN = re.compile(
    rf"""
      (?P<BLANK>         (?: [ \r\n] | \t++(?=\r?(?:\n|\Z)) )+ )
    | (?P<NAME>          {_NAME} )
    | (?P<NUMBER>        (?>{_DECIMAL})(?!{_WORD}|') )
    | (?P<PROJECTION>    \.[0-9]+ )
    | (?P<FOREIGN>       == | != | >= | && | \|\| | \*\* | := | \+= | -= | \*= | /= )
    | (?P<SYMBOL>        <- | <= | -> | => | ~> | // | \|-(?!>) | \^T(?!{_WORD})
                       | [()\[\]{{}}⟨⟩⌊⌋<>,;:=|.+\-−*/@·⋅•×←⇐→↦⇒⇝⊢ᵀ%] )
    | (?P<STRING>        "[^"\r\n]*" )
    | (?P<COMMENT>       \#[^\r\n]* )
    | (?P<BAD_NUMBER>    [0-9](?:{_WORD}|[.'](?={_WORD}))* )
    | (?P<BAD_STRING>    "[^"\r\n]* )
    | (?P<BAD_CHARACTER> \t+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS = {kind.name: kind for kind in Kind}
_ITEM = re.compile(r"^(?=[^\s}#])", re.MULTILINE)
_FOREIGN_CELL = re.compile(r"^%%\w", re.MULTILINE)
_FIRST_LINE = re.compile(rf"{PYTHON}[ \t]*(?:\r?\n|\Z)")
_WORDS = re.compile(r'"[^"\r\n]*"?|[^\s#"]\S*|#[^\r\n]*')


def chunks(source: Source) -> tuple[Span, ...]:
    """The text cut where items begin. What stands before the first item is a chunk too, if it is not empty.

    From a line ``%%python`` on there is one chunk, and so from any other ``%%name``: what is in another language has no items.
    """
    starts = [m.start() for m in _ITEM.finditer(source.text)]
    foreign = _FOREIGN_CELL.search(source.text)
    if foreign is not None:
        starts = [start for start in starts if start <= foreign.start()]
    if not starts or starts[0] > 0:
        starts.insert(0, 0)
    ends = [*starts[1:], len(source.text)]
    return tuple(Span(source, start, end) for start, end in zip(starts, ends, strict=True) if start < end)


def python_starts(text: str) -> int | None:
    """Where the Python of a cell begins, after its first line ``%%python``; ``None`` if the cell is in the language."""
    first = _FIRST_LINE.match(text)
    return None if first is None else first.end()


def tokens(span: Span) -> list[Token]:
    """The tokens of a piece of text in order, comments among them, and no END."""
    read: list[Token] = []
    for m in _TOKEN.finditer(span.source.text, span.start, span.end):
        group = m.lastgroup or ""
        if group == "BLANK":
            continue
        text = m[0]
        kind = _KINDS[group]
        if kind is Kind.NAME:
            if text in KEYWORDS:
                kind = Kind.KEYWORD
            elif not text.isascii():
                text = unicodedata.normalize("NFC", text)
        elif kind is Kind.SYMBOL:
            text = SPELLINGS.get(text, text)
        read.append(Token(kind, text, m.start(), m.end()))
    return read


def count(span: Span) -> int:
    """How many tokens ``tokens`` finds."""
    return sum(m.lastgroup != "BLANK" for m in _TOKEN.finditer(span.source.text, span.start, span.end))


def words(span: Span) -> list[Token]:
    """What follows a directive that takes words: names, strings and comments."""
    read: list[Token] = []
    for m in _WORDS.finditer(span.source.text, span.start, span.end):
        kind = {'"': Kind.STRING, "#": Kind.COMMENT}.get(m[0][0], Kind.NAME)
        read.append(Token(kind, m[0], m.start(), m.end()))
    return read
