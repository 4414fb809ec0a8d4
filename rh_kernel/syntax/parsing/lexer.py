"""Lexer: text to items and tokens (LANGUAGE §1). An item begins in the first column; lines that are blank, indented, comments,
or begin with ``}`` continue it. Lexing never fails: invalid text becomes a token of a ``BAD_`` kind.
"""

import re
import unicodedata

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.tokens import KEYWORDS, PYTHON, RETURN, SECTIONS, SPELLINGS, Kind, Token


def _characters(category: str) -> str:
    """The characters of a Unicode category up to the letterlike symbols, for a character class of a regular expression."""
    return "".join(c for c in map(chr, range(0xB2, 0x2100)) if unicodedata.category(c).startswith(category))


# Unicode counts ``ᵀ`` and superscript digits as letters or digits, but they are not part of a name: ``wᵀ`` is a transpose.
_RAISED = "⁰¹²³⁴-⁹ᵀ"
_WORD = rf"[^\W{_RAISED}]"
_NAME = rf"[^\W\d{_RAISED}{_characters('No')}]{_WORD}*(?:['{_characters('M')}]{_WORD}*)*"
_DECIMAL = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"

# Tabs at the end of a line are whitespace; like the end of the text, they match END and produce no token.
_TOKEN = re.compile(
    rf"""
      [ \r\n]*
    (?:
      (?P<NAME>          {_NAME} )
    | (?P<NUMBER>        (?>{_DECIMAL})(?!{_WORD}|') )
    | (?P<PROJECTION>    \.[0-9]+ )
    | (?P<FOREIGN>       == | != | >= | && | \|\| | \*\* | := | \+= | -= | \*= | /= )
    | (?P<SYMBOL>        <- | <= | -> | => | ~> | // | \.\.\.? | \|-(?!>) | \^T(?!{_WORD})
                       | [()\[\]{{}}⟨⟩⌊⌋<>,;:=|.+\-−*/@·⋅•×←⇐→↦⇒⇝⊢ᵀ%…] )
    | (?P<STRING>        "[^"\r\n]*" )
    | (?P<COMMENT>       \#[^\r\n]* )
    | (?P<BAD_NUMBER>    [0-9](?:{_WORD}|[.'](?={_WORD}))* )
    | (?P<BAD_STRING>    "[^"\r\n]* )
    | (?P<BAD_CHARACTER> \t++(?!\r?(?:\n|\Z)) | [^\t] )
    | (?P<END>           \t+ | \Z )
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS = {number: Kind[name] for name, number in _TOKEN.groupindex.items()}
_NAMED, _SIGN, _NO_TOKEN = [_TOKEN.groupindex[kind.name] for kind in (Kind.NAME, Kind.SYMBOL, Kind.END)]
_KEYWORDS = dict.fromkeys(KEYWORDS, Kind.KEYWORD)
_ITEM = re.compile(r"^(?=[^\s}#])", re.MULTILINE)
_ITEM_OF = {line: re.compile(rf"^(?=[^\s#{signs}])", re.MULTILINE) for line, signs in SECTIONS.items()}
_SECTION = re.compile(r"^%%(\w+)[^\n]*\n?", re.MULTILINE)
_FIRST_LINE = re.compile(rf"{PYTHON}[ \t]*(?:\r?\n|\Z)")
_WORDS = re.compile(r'"[^"\r\n]*"?|[^\s#"]\S*|#[^\r\n]*')


def chunks(source: Source) -> tuple[Span, ...]:
    """Split the text where items begin. Text before the first item is a chunk too, unless it is empty.

    A line ``%%name`` starts one chunk up to the end of the text, since code in another language has no items here. For a
    language in ``SECTIONS`` the chunk ends before the next such line, or after the line ``%%rh``.
    """
    found: list[Span] = []
    start = 0
    while (section := _SECTION.search(source.text, start)) is not None:
        found += _cut(source, start, section.start())
        end = len(source.text)
        if f"%%{section[1]}" in SECTIONS:
            following = _SECTION.search(source.text, section.end())
            if following is not None:
                end = following.end() if following[1] == RETURN[2:] else following.start()
        found.append(Span(source, section.start(), end))
        start = end
    return (*found, *_cut(source, start, len(source.text)))


def _cut(source: Source, start: int, end: int, begins: re.Pattern[str] = _ITEM) -> list[Span]:
    """Split a part of the text where items begin."""
    starts = [m.start() for m in begins.finditer(source.text, start, end)]
    if not starts or starts[0] > start:
        starts.insert(0, start)
    return [Span(source, a, b) for a, b in zip(starts, [*starts[1:], end], strict=True) if a < b]


@frozen
class Section:
    """A section in another language: the marker on its first line, such as ``%%lambda``, and its items.

    ``strays`` are the texts after ``%%lambda`` and ``%%rh`` on the same line, where only a comment is allowed.
    """

    line: str
    items: tuple[Span, ...]
    strays: tuple[Span, ...] = ()


def section(chunk: Span) -> Section | None:
    """Return the section that a chunk is; ``None`` if it is not in another language with items."""
    text = chunk.source.text
    first = _SECTION.match(text, chunk.start, chunk.end)
    line = "" if first is None else f"%%{first[1]}"
    if first is None or line not in SECTIONS:
        return None
    last = _SECTION.search(text, first.end(), chunk.end)
    end = chunk.end if last is None else last.start()
    strays = tuple([Span(chunk.source, m.end(1), m.end()) for m in (first, last) if m is not None])
    return Section(line, tuple(_cut(chunk.source, first.end(), end, _ITEM_OF[line])), strays)


def python_starts(text: str) -> int | None:
    """The offset of the Python code in a ``%%python`` cell; ``None`` if the cell is in the language."""
    first = _FIRST_LINE.match(text)
    return None if first is None else first.end()


def tokens(span: Span) -> list[Token]:
    """The tokens of a span in order, with comments but without END."""
    read: list[Token] = []
    append, name, symbol = read.append, Kind.NAME, Kind.SYMBOL
    for m in _TOKEN.finditer(span.source.text, span.start, span.end):
        group = m.lastindex or _NO_TOKEN
        text, end = m[group], m.end()
        start = end - len(text)
        if group == _NAMED:
            written = text if text.isascii() else unicodedata.normalize("NFC", text)
            append(Token(_KEYWORDS.get(text, name), written, start, end))
        elif group == _SIGN:
            append(Token(symbol, SPELLINGS.get(text, text), start, end))
        elif group != _NO_TOKEN:
            append(Token(_KINDS[group], text, start, end))
    return read


def count(span: Span) -> int:
    """The number of tokens that ``tokens`` finds."""
    return sum([m.lastindex != _NO_TOKEN for m in _TOKEN.finditer(span.source.text, span.start, span.end)])


def words(span: Span) -> list[Token]:
    """The arguments of a directive that takes words: names, strings and comments."""
    read: list[Token] = []
    for m in _WORDS.finditer(span.source.text, span.start, span.end):
        kind = {'"': Kind.STRING, "#": Kind.COMMENT}.get(m[0][0], Kind.NAME)
        read.append(Token(kind, m[0], m.start(), m.end()))
    return read
