"""Parser from text to surface syntax (LANGUAGE §1, §6), item by item, so that one bad item does not hide errors in the next."""

import re
from contextlib import suppress
from dataclasses import replace
from typing import Literal, TypeAlias

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import CodeMissing, IndentedItem, InvalidSweep, MissingBackward, MissingIn, MissingWith, Unexpected
from rh_kernel.syntax.parsing.conditionals import IF
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.expressions import expression
from rh_kernel.syntax.parsing.hints import CLAUSE, THE_END, shorten
from rh_kernel.syntax.parsing.items import directive_of_words, item
from rh_kernel.syntax.parsing.layout import INDENT, Layout
from rh_kernel.syntax.parsing.lexer import chunks, section, tokens
from rh_kernel.syntax.parsing.sweeps import is_sweep, sweep_parts
from rh_kernel.syntax.parsing.tokens import CHECK, DECLARATIONS, STUB, Kind, Token
from rh_kernel.syntax.surface import Expr
from rh_kernel.syntax.surface_items import Directive, IncludeItem, Item, SectionItem, SweepItem, SweptItem

Completeness: TypeAlias = Literal["complete", "incomplete", "invalid"]

_PIECE = re.compile(r'"(?:[^"\\\r\n]|\\.)*"?|#[^\r\n]*|[^\s"#]+')
"""A string, a comment or a word of a text in another language."""

_UNDECLARING = {CHECK, IF}
"""Words that begin an item as the word of a declaration does, and declare nothing."""

_IMPORT = re.compile(r"(?:import|from)\s")
_ATTRIBUTE = re.compile(r"[^\W\d]\w*\.(?!rd\b)[^\W\d]")

_ANGLES = {"<": "⟨", ">": "⟩"}
_CLOSER = re.compile("`,` or `(.)`")


@frozen
class Unparsed:
    """An item with a syntax error: its diagnostics, and the name it would have declared, if that is known."""

    span: Span
    diagnostics: tuple[Diagnostic, ...]
    declares: str | None

    @property
    def is_cut_off(self) -> bool:
        """Whether it ends too early and is followed by a line in the first column that was probably meant to continue it."""
        fixes = [(d, d.fix) for d in self.diagnostics if d.fix is not None]
        return any(
            fix.text.isspace() or (isinstance(d, MissingIn) and fix.span.end == self.span.end > fix.span.start)
            for d, fix in fixes
        )

    @property
    def is_import(self) -> bool:
        """Whether it is a Python import."""
        return _IMPORT.match(self.span.text) is not None

    @property
    def has_attributes(self) -> bool:
        """Whether it accesses an attribute as Python does, such as ``np.pi``."""
        return _ATTRIBUTE.search(self.span.text) is not None

    @property
    def is_clause(self) -> bool:
        """Whether it looks like a clause of a handler that starts in the first column."""
        return CLAUSE.match(self.span.text) is not None


@gc_paused()
def parse(source: Source) -> tuple[Item | Unparsed, ...]:
    """Parse the items of a text, in order. Never raises: an item with a syntax error is ``Unparsed``."""
    found: list[Item | Unparsed] = []
    for chunk in chunks(source):
        inner = section(chunk)
        if inner is not None:
            parts: list[Item | Unparsed] = [_stray(code) for part in inner.strays if (code := _code(part)) is not None]
            parts += [SectionItem(inner.line, span=code) for part in inner.items if (code := _code(part)) is not None]
            found += sorted(parts, key=lambda part: part.span.start)
        elif (parsed := parse_item(chunk)) is not None:
            found.append(parsed)
    return tuple(found)


def _stray(words: Span) -> Unparsed:
    """The diagnostic for text after ``%%lambda`` on its line."""
    hint = "start the contents of the section on the next line"
    found = f"`{shorten(words.text)}`"
    return Unparsed(words, (Unexpected(span=words, found=found, expected="the end of the line", hint=hint),), None)


def _code(chunk: Span) -> Span | None:
    """The part of a section without whitespace and comments at its ends; ``None`` if nothing is left."""
    code = [m.span() for m in _PIECE.finditer(chunk.source.text, chunk.start, chunk.end) if m[0][0] != "#"]
    return Span(chunk.source, code[0][0], code[-1][1]) if code else None


def parse_item(chunk: Span) -> Item | Unparsed | None:
    """Parse the item in one chunk of a text; ``None`` if it contains only comments."""
    directive = directive_of_words(chunk)
    if directive is not None:
        return directive
    if is_sweep(chunk):
        return _sweep(chunk)
    c = Cursor(chunk)
    if c.token.kind is Kind.END:
        return None
    try:
        if chunk.start == 0 and chunk.text[:1].isspace():
            _reject_indented(c)
        reject_stub(c, chunk)
        return item(c)
    except Rejected as rejected:
        last = c.rest()[-1]
        return Unparsed(Span(chunk.source, chunk.start, last.end), rejected.diagnostics, _declares(chunk))


def _sweep(chunk: Span) -> SweepItem | Unparsed:
    """Parse a sweep and the items below it."""
    last = [t for t in tokens(chunk) if t.kind is not Kind.COMMENT][-1]
    span = Span(chunk.source, chunk.start, last.end)
    try:
        parts = sweep_parts(chunk)
        if not parts.items:
            raise parts.cursor.fail("an indented item", "indent what the sweep runs, and write it below")
    except Rejected as rejected:
        return Unparsed(span, rejected.diagnostics, None)
    found = [parsed for part in parts.items if (parsed := parse_item(part)) is not None]
    swept = [item for item in found if isinstance(item, SweptItem)]
    wrong = [d for item in found if not isinstance(item, SweptItem) for d in _not_swept(item)]
    return Unparsed(span, tuple(wrong), None) if wrong else SweepItem(parts.parameters, tuple(swept), span=span)


def _not_swept(item: IncludeItem | Directive | SectionItem | SweepItem | Unparsed) -> tuple[Diagnostic, ...]:
    """The diagnostics of an item that cannot stand below a sweep."""
    match item:
        case Unparsed(_, diagnostics):
            return diagnostics
        case SweepItem(span=span, parameters=parameters):
            hint = "one sweep runs all combinations: `sweep a in [0.1, 0.2], b in [1, 2]`"
            span = Span(span.source, span.start, parameters[-1].span.end)
            return (InvalidSweep(span=span, why="a sweep cannot stand in another one", hint=hint),)
        case IncludeItem() | Directive() | SectionItem():
            hint = "write it above the sweep; it then holds in each run"
            why = "a sweep runs declarations, training items, terms, commands and checks"
            return (InvalidSweep(span=item.span, why=why, hint=hint),)


def parse_expression(source: Source) -> Expr:
    """Parse the whole text as one term or command. Raises ``Rejected``."""
    c = Cursor(Span(source, 0, len(source.text)))
    M = expression(c)
    if c.token.kind is not Kind.END:
        raise c.fail("the end of the text")
    return M


def completeness(text: str) -> tuple[Completeness, str]:
    """Whether a cell is complete, incomplete or invalid, and the indentation of its next line."""
    items = parse(Source("input", text))
    bad = [i for i in items if isinstance(i, Unparsed)]
    if not bad:
        return "complete", ""
    if len(bad) > 1 or bad[0] is not items[-1] or bad[0].diagnostics[0].found != THE_END:
        return "invalid", ""
    return "incomplete", _indentation(bad[0])


def _indentation(unfinished: Unparsed) -> str:
    """The indentation that ``Layout`` gives to the expected token; in a sweep, of its last item, which it indents further."""
    span = unfinished.span
    if is_sweep(span):
        try:
            parts = sweep_parts(span)
        except Rejected:
            return " " * 2 * INDENT
        if not parts.items:
            return " " * INDENT
        return " " * parts.column + _indentation_in(parts.items[-1], parts.column, unfinished.diagnostics[0])
    return _indentation_in(span, 0, unfinished.diagnostics[0])


def _indentation_in(span: Span, base: int, diagnostic: Diagnostic) -> str:
    """The indentation, beyond the column ``base`` in which the item begins, of the token that has to follow."""
    written = [t for t in tokens(span) if t.kind is not Kind.COMMENT]
    keywords = _contextual_keywords(span)
    code = [
        replace(t, kind=Kind.KEYWORD) if t.start in keywords else replace(t, text=_ANGLES.get(t.text, t.text)) for t in written
    ]
    if not code:
        return " " * INDENT
    layout = Layout(code[0])
    text = span.source.text
    for before, token, after in zip(code, code[1:], [*code[2:], None], strict=False):
        first = "\n" in text[before.end : token.start]
        last = after is None or "\n" in text[token.end : after.start]
        layout.write(token, token.start - (text.rfind("\n", 0, token.start) + 1) - base, first=first, last=last)
    return " " * layout.indentation(_expected_token(diagnostic))


def _contextual_keywords(span: Span) -> frozenset[int]:
    """The offsets of the contextual keywords, as far as an item can be parsed."""
    c = Cursor(span)
    with suppress(Rejected):
        item(c)
    return frozenset(c.keywords)


def _expected_token(diagnostic: Diagnostic) -> Token:
    """The token that has to follow, according to the diagnostic; by default a name."""
    match diagnostic:
        case MissingBackward():
            return Token(Kind.SYMBOL, "|", 0, 0)
        case MissingIn():
            return Token(Kind.KEYWORD, "in", 0, 0)
        case MissingWith():
            return Token(Kind.KEYWORD, "with", 0, 0)
        case Diagnostic(expected="`then`" | "`else`" as word):
            return Token(Kind.KEYWORD, word.strip("`"), 0, 0)
        case _:
            closer = _CLOSER.fullmatch(diagnostic.expected)
            return Token(Kind.NAME, "x", 0, 0) if closer is None else Token(Kind.SYMBOL, closer[1], 0, 0)


def _reject_indented(c: Cursor) -> None:
    hint = "start an item in the first column of a line"
    raise Rejected(IndentedItem(span=c.here(), found="an indented line", expected="an item", hint=hint))


def reject_stub(c: Cursor, chunk: Span) -> None:
    """Raise ``Rejected`` if the chunk still contains ``YOUR_CODE_HERE``. The cursor is at the beginning of the chunk."""
    hint = f"write it in place of `{STUB}`, and run the cell again"
    stubs = [t for t in (c.rest() if STUB in chunk.text else ()) if t.kind is Kind.NAME and t.text == STUB]
    if stubs:
        raise Rejected(*[CodeMissing(span=Span(c.source, t.start, t.end), hint=hint) for t in stubs])


def _declares(chunk: Span) -> str | None:
    match [t for t in tokens(chunk) if t.kind is not Kind.COMMENT][:3]:
        case [Token(text=word), *_] if word in _UNDECLARING:
            return None
        case [Token(Kind.KEYWORD, word), Token(Kind.NAME, name), *_] if word in DECLARATIONS:
            return name
        case [Token(Kind.NAME), Token(Kind.NAME, name), Token(Kind.SYMBOL, "(" | "[" | ":" | "=")]:
            return name
        case _:
            return None
