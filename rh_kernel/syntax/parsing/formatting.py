"""``rh fmt``: format a program in the layout and notation of the printer (LANGUAGE §1), keeping names and comments.

``parse(format(s)) == parse(s)``, and formatting twice is formatting once.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.items import item, words_of_directive
from rh_kernel.syntax.parsing.layout import INDENT, Layout
from rh_kernel.syntax.parsing.lexer import chunks, section, tokens
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.parsing.sweeps import is_sweep, sweep_parts
from rh_kernel.syntax.parsing.tokens import Kind, Token

_SIGNS = {"<": "⟨", ">": "⟩", "×": "*"}


@frozen
class _Line:
    """A formatted line: code, a comment, or both; ``blank`` if an empty line comes before it."""

    code: str
    comment: str
    blank: bool


@frozen
class _Row:
    """The tokens on one line of the source."""

    tokens: list[Token]
    blank: bool

    @property
    def code(self) -> list[Token]:
        """The tokens that are not comments."""
        return [t for t in self.tokens if t.kind is not Kind.COMMENT]

    @property
    def comment(self) -> str:
        """The comment at the end of the line, or an empty string."""
        last = self.tokens[-1]
        return last.text.rstrip() if last.kind is Kind.COMMENT else ""


def format_source(source: Source) -> str:
    """Return the text in canonical layout, with a final newline unless it is empty. Raises ``Rejected`` on a syntax error."""
    wrong = [d for parsed in parse(source) if isinstance(parsed, Unparsed) for d in parsed.diagnostics]
    if wrong:
        raise Rejected(*wrong)
    lines: list[_Line] = []
    end = 0
    for chunk in chunks(source):
        if section(chunk) is not None:
            blank = "\n\n" in source.text[end : chunk.start].replace(" ", "").replace("\t", "")
            lines += _verbatim(chunk, blank=blank)
            end = chunk.start + len(chunk.text.rstrip())
            continue
        if is_sweep(chunk):
            lines += _sweep(chunk, end)
            end = chunk.start + len(chunk.text.rstrip())
            continue
        read = words_of_directive(chunk)
        rows = _rows(source, end, _canonical(chunk) if read is None else read)
        lines += _chunk(source, rows) if read is None else _directive(source, rows)
        end = rows[-1].tokens[-1].end if rows else end
    text = "\n".join(_align_comments(lines))
    return f"{text}\n" if text else ""


def _verbatim(chunk: Span, *, blank: bool) -> list[_Line]:
    """The lines of a section in another language, unchanged except for trailing whitespace."""
    lines: list[_Line] = []
    for line in chunk.text.rstrip().split("\n"):
        if line.strip():
            lines.append(_Line(line.rstrip(), "", blank))
        blank = not line.strip()
    return lines


def _sweep(chunk: Span, end: int) -> Iterator[_Line]:
    """Format a sweep: its header, and the items below it, indented."""
    parts = sweep_parts(chunk)
    header = _chunk(chunk.source, _rows(chunk.source, end, tokens(parts.header)))
    for i, line in enumerate(header):
        # Lines that continue the header are indented further than the items.
        yield replace(line, code=" " * 2 * INDENT + line.code) if i and line.code else line
    end = parts.header.start + len(parts.header.text.rstrip())
    for part in parts.items:
        rows = _rows(chunk.source, end, _canonical(part))
        yield from _chunk(chunk.source, rows, parts.column, INDENT)
        end = part.start + len(part.text.rstrip())


def _canonical(chunk: Span) -> list[Token]:
    """The tokens in canonical notation: ``⟨x⟩``, ``×`` in types and ``*`` elsewhere, ``;`` only between clauses on one line.

    Names that are keywords where they stand become keywords.
    """
    read = tokens(chunk)
    c = Cursor(chunk)
    if c.token.kind is not Kind.END:
        item(c)
    products, keywords = frozenset(c.product_signs), frozenset(c.keywords)
    code = [t for t in read if t.kind is not Kind.COMMENT]
    dropped = frozenset(t.start for i, t in enumerate(code) if t.text == ";" and not _separates(chunk.source, code, i))
    return [
        replace(t, kind=Kind.KEYWORD)
        if t.start in keywords
        else replace(t, text="×" if t.start in products else _SIGNS.get(t.text, t.text))
        for t in read
        if t.start not in dropped
    ]


def _separates(source: Source, code: list[Token], i: int) -> bool:
    """Whether the ``;`` at ``i`` separates two clauses on one line."""
    before = code[i - 1]
    after = next(t for t in code[i:] if t.text != ";")
    return before.text not in {";", "{"} and after.text != "}" and "\n" not in source.text[before.end : after.start]


def _rows(source: Source, end: int, read: list[Token]) -> list[_Row]:
    """Group the tokens by line; the token before them ended at offset ``end``."""
    rows: list[_Row] = []
    for token in read:
        lines = [line.strip() for line in source.text[end : token.start].split("\n")]
        if len(lines) > 1 or not rows:
            rows.append(_Row([], "" in lines[1:-1]))
        rows[-1].tokens.append(token)
        end = token.end
    return rows


def _chunk(source: Source, rows: list[_Row], base: int = 0, shift: int = 0) -> list[_Line]:
    """Format an item, with the comments before, inside and after it; it began in column ``base``, and begins in ``shift``."""
    code = [token for row in rows for token in row.code]
    following = {token.start: after.text for token, after in pairwise(code)}
    layout = Layout(code[0]) if code else None
    lines: list[_Line] = []
    written = 0
    for row in rows:
        if layout is None or not row.code:
            column = _comment_column(source, row, layout, code, written, base, shift)
            lines.append(_Line("", " " * column + row.comment, row.blank))
            continue
        text = ""
        for i, token in enumerate(row.code):
            first, last = i == 0, i == len(row.code) - 1
            if written:
                text += " " * layout.indentation(token) if first else layout.space(token, following.get(token.start, ""))
                layout.write(token, len(text), first=first, last=last)
            text += token.text
            written += 1
        lines.append(_Line(" " * shift + text, row.comment, row.blank))
    return lines


def _comment_column(
    source: Source, row: _Row, layout: Layout | None, code: list[Token], written: int, base: int, shift: int
) -> int:
    """The column of a comment on its own line: that of the next token; after the item, indented or not as in the source."""
    if layout is None or not written:
        return 0
    if written < len(code):
        return layout.comment_indentation(code[written]) + shift
    start = row.tokens[0].start
    column = start - (source.text.rfind("\n", 0, start) + 1)
    return shift + (INDENT if column > base else 0) if column else 0


def _directive(source: Source, rows: list[_Row]) -> list[_Line]:
    """Format a directive whose arguments are words."""
    lines: list[_Line] = []
    for row in rows:
        words = " ".join(t.text for t in row.code)
        words = words.replace("% ", "%", 1) if row is rows[0] else words
        indent = " " * (INDENT if _is_indented(source, row) else 0)
        lines.append(_Line(indent + words, row.comment, row.blank) if words else _Line("", indent + row.comment, row.blank))
    return lines


def _is_indented(source: Source, row: _Row) -> bool:
    start = row.tokens[0].start
    return start > 0 and source.text[start - 1] != "\n"


def _align_comments(lines: list[_Line]) -> Iterator[str]:
    """Render the lines, aligning the comments after code on adjacent lines."""
    table: list[_Line] = []
    for i, line in enumerate(lines):
        if line.blank or not (line.code and line.comment):
            yield from _table(table)
            table = []
        if line.blank and i > 0:
            yield ""
        if line.code and line.comment:
            table.append(line)
        else:
            yield line.code or line.comment
    yield from _table(table)


def _table(lines: list[_Line]) -> Iterator[str]:
    width = max((len(line.code) for line in lines), default=0)
    for line in lines:
        yield f"{line.code:<{width}}  {line.comment}"
