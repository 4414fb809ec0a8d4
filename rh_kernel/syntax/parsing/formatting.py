"""``rh fmt``: a text in the layout and the signs that the language is printed in (LANGUAGE §1). Words and comments stay.

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
from rh_kernel.syntax.parsing.tokens import Kind, Token

_SIGNS = {"<": "⟨", ">": "⟩", "×": "*"}


@frozen
class _Line:
    """A line of the result: code, a comment, or both; ``blank`` if an empty line stands before it."""

    code: str
    comment: str
    blank: bool


@frozen
class _Row:
    """The tokens on a line of the source."""

    tokens: list[Token]
    blank: bool

    @property
    def code(self) -> list[Token]:
        """Those that are no comment."""
        return [t for t in self.tokens if t.kind is not Kind.COMMENT]

    @property
    def comment(self) -> str:
        """The comment that ends the line."""
        last = self.tokens[-1]
        return last.text.rstrip() if last.kind is Kind.COMMENT else ""


def format_source(source: Source) -> str:
    """The text in canonical layout, ending with a line end unless it is empty. Raises ``Rejected`` for what does not parse."""
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
        read = words_of_directive(chunk)
        rows = _rows(source, end, _canonical(chunk) if read is None else read)
        lines += _chunk(source, rows) if read is None else _directive(source, rows)
        end = rows[-1].tokens[-1].end if rows else end
    text = "\n".join(_align_comments(lines))
    return f"{text}\n" if text else ""


def _verbatim(chunk: Span, *, blank: bool) -> list[_Line]:
    """The lines of what is in another language, as they are, but for blanks at their ends."""
    lines: list[_Line] = []
    for line in chunk.text.rstrip().split("\n"):
        if line.strip():
            lines.append(_Line(line.rstrip(), "", blank))
        blank = not line.strip()
    return lines


def _canonical(chunk: Span) -> list[Token]:
    """The tokens with the signs that are printed: ``⟨x⟩``, ``×`` in types and ``*`` elsewhere, ``;`` within a line alone."""
    read = tokens(chunk)
    c = Cursor(chunk)
    if c.token.kind is not Kind.END:
        item(c)
    products = frozenset(c.product_signs)
    code = [t for t in read if t.kind is not Kind.COMMENT]
    dropped = frozenset(t.start for i, t in enumerate(code) if t.text == ";" and not _separates(chunk.source, code, i))
    return [replace(t, text="×" if t.start in products else _SIGNS.get(t.text, t.text)) for t in read if t.start not in dropped]


def _separates(source: Source, code: list[Token], i: int) -> bool:
    """Whether the ``;`` at ``i`` stands between two clauses on one line."""
    before = code[i - 1]
    after = next(t for t in code[i:] if t.text != ";")
    return before.text not in {";", "{"} and after.text != "}" and "\n" not in source.text[before.end : after.start]


def _rows(source: Source, end: int, read: list[Token]) -> list[_Row]:
    """The tokens line by line, for a text whose token before them ended at ``end``."""
    rows: list[_Row] = []
    for token in read:
        lines = [line.strip() for line in source.text[end : token.start].split("\n")]
        if len(lines) > 1 or not rows:
            rows.append(_Row([], "" in lines[1:-1]))
        rows[-1].tokens.append(token)
        end = token.end
    return rows


def _chunk(source: Source, rows: list[_Row]) -> list[_Line]:
    """The lines of an item and of the comments before, in and after it."""
    code = [token for row in rows for token in row.code]
    following = {token.start: after.text for token, after in pairwise(code)}
    layout = Layout(code[0]) if code else None
    lines: list[_Line] = []
    written = 0
    for row in rows:
        if layout is None or not row.code:
            column = _comment_column(source, row, layout, code, written)
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
        lines.append(_Line(text, row.comment, row.blank))
    return lines


def _comment_column(source: Source, row: _Row, layout: Layout | None, code: list[Token], written: int) -> int:
    """Where a comment stands that has a line of its own: as the token after it, and after an item as it was, in or out."""
    if layout is None or not written:
        return 0
    if written < len(code):
        return layout.comment_indentation(code[written])
    return INDENT if _is_indented(source, row) else 0


def _directive(source: Source, rows: list[_Row]) -> list[_Line]:
    """The lines of a directive that takes words."""
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
    """The lines as text: comments beside code on neighbouring lines begin in one column."""
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
