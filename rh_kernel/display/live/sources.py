"""Where what a page shows was written: in the text of which declaration, and the lines of the source around it."""

from collections.abc import Mapping

from rh_kernel.display.live.lines import units
from rh_kernel.display.record import Json, Record
from rh_kernel.display.text import visible
from rh_kernel.source.span import Source, Span
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
)

MOST_LINES = 6
"""Of a source so many lines are shown."""

MOST_CHARACTERS = 400
"""Of a line of a source so many characters are shown."""


class Origins:
    """The declarations by numbers from 1 on, in the order of their names; 0 is none of them."""

    def __init__(self, declared: Mapping[str, Span]) -> None:
        self.names = ("", *sorted(declared))
        self._texts: dict[Source, list[tuple[int, int, int]]] = {}
        for number, name in enumerate(self.names[1:], start=1):
            span = declared[name]
            self._texts.setdefault(span.source, []).append((span.end - span.start, span.start, number))
        for texts in self._texts.values():
            texts.sort()

    def of(self, span: Span) -> int:
        """The number of the least declaration that the span lies in."""
        for length, start, number in self._texts.get(span.source, ()):
            if start <= span.start and span.end <= start + length:
                return number
        return 0


def declared_texts(definitions: Definitions) -> Mapping[str, Span]:
    """Where the bodies of nets, functions and handlers were written, as far as that is known."""
    found: dict[str, Span] = {}
    for name, declared in definitions.named.items():
        match declared.definition:
            case NetDefinition(body=body):
                spans = [body.body.span]
            case FunDefinition(body=body, own=own):
                spans = [body.body.span, None if own is None else own.body.span]
            case HandlerDefinition(handler=H):
                spans = [H.span]
            case DimDefinition() | ConstDefinition() | LocDefinition() | OpDefinition():
                spans = []
        known = [span for span in spans if span is not None]
        for span in known:
            found[name] = found.get(name, span).to(span)
    return found


def excerpt(span: Span | None) -> Record | None:
    """The lines that hold the span, or its first ones; lines and columns of ``from`` and ``to`` count from 0 in these lines."""
    if span is None:
        return None
    line, column, end_line, end_column = span.position
    shown = span.source.text.split("\n")[line - 1 : min(end_line, line - 1 + MOST_LINES)]
    is_cut = end_line > line - 1 + len(shown)
    texts: list[Json] = [visible(text[:MOST_CHARACTERS]) for text in shown]
    last = len(shown[-1]) if is_cut else end_column - 1
    return {
        "cell": span.source.name,
        "line": line,
        "column": column,
        "lines": texts,
        "from": [0, units(shown[0][: min(column - 1, MOST_CHARACTERS)])],
        "to": [len(shown) - 1, units(shown[-1][: min(last, MOST_CHARACTERS)])],
    }
