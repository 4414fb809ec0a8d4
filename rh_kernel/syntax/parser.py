"""From text to surface syntax (LANGUAGE §1, §6), item by item, so that a bad item never hides the errors of the next."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.advice import THE_END
from rh_kernel.syntax.cursor import Cursor
from rh_kernel.syntax.errors import IndentedItem
from rh_kernel.syntax.lexer import chunks, tokens
from rh_kernel.syntax.parse_expressions import expression
from rh_kernel.syntax.parse_items import directive_of_words, item
from rh_kernel.syntax.surface import Expr
from rh_kernel.syntax.surface_items import Item
from rh_kernel.syntax.tokens import CHECK, DECLARATIONS, Kind, Token

Completeness: TypeAlias = Literal["complete", "incomplete", "invalid"]

_OPENS = re.compile(r"(?:[({\[⟨⌊=|.]|->|→|<-|←|<=|⇐)$")


@dataclass(frozen=True, slots=True)
class Unparsed:
    """An item that is no item: what is wrong with it, and the name it would have declared, if one can be seen."""

    span: Span
    diagnostics: tuple[Diagnostic, ...]
    declares: str | None


def parse(source: Source) -> tuple[Item | Unparsed, ...]:
    """The items of a text in order. Raises nothing: what cannot be read is ``Unparsed``."""
    return tuple([parsed for chunk in chunks(source) if (parsed := parse_item(chunk)) is not None])


def parse_item(chunk: Span) -> Item | Unparsed | None:
    """The item in one of the chunks of a text, or ``None`` if it holds comments alone."""
    directive = directive_of_words(chunk)
    if directive is not None:
        return directive
    c = Cursor(chunk)
    if c.token.kind is Kind.END:
        return None
    try:
        if chunk.start == 0 and chunk.text[:1].isspace():
            _reject_indented(c)
        return item(c)
    except Rejected as rejected:
        last = c.rest()[-1]
        return Unparsed(Span(chunk.source, chunk.start, last.end), rejected.diagnostics, _declares(chunk))


def parse_expression(source: Source) -> Expr:
    """The term or the command that the whole text is. Raises ``Rejected``."""
    c = Cursor(Span(source, 0, len(source.text)))
    M = expression(c)
    if c.token.kind is not Kind.END:
        raise c.fail("the end of the text")
    return M


def completeness(text: str) -> tuple[Completeness, str]:
    """Whether a cell can be run as it is, needs further lines, or is wrong; and how far to indent the next line."""
    items = parse(Source("input", text))
    bad = [i for i in items if isinstance(i, Unparsed)]
    if not bad:
        return "complete", ""
    if len(bad) > 1 or bad[0] is not items[-1] or bad[0].diagnostics[0].found != THE_END:
        return "invalid", ""
    return "incomplete", _indentation(bad[0].span)


def _indentation(span: Span) -> str:
    """As far as the last line, and further if that line opens something."""
    written = [line for line in span.text.split("\n") if line.strip()][-1]
    indent = len(written) - len(written.lstrip())
    code = [t for t in tokens(span) if t.kind is not Kind.COMMENT]
    opens = bool(code) and _OPENS.search(code[-1].text) is not None
    return " " * max(indent + 2 if opens else indent, 2)


def _reject_indented(c: Cursor) -> None:
    hint = "an item begins in the first column of a line"
    raise Rejected(IndentedItem(span=c.here(), found="an indented line", expected="an item", hint=hint))


def _declares(chunk: Span) -> str | None:
    match [t for t in tokens(chunk) if t.kind is not Kind.COMMENT][:3]:
        case [Token(Kind.KEYWORD, word), Token(Kind.NAME, name), *_] if word in DECLARATIONS:
            return name
        case [Token(Kind.NAME, word), Token(Kind.NAME, name), Token(Kind.SYMBOL, "(" | "[" | ":" | "=")] if word != CHECK:
            return name
        case _:
            return None
