"""The language for Pygments (``pygmentize -l rh``, nbconvert, Sphinx): the tokens are those of the language's own reader."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

if TYPE_CHECKING:
    from rh_kernel.highlighting.looks import Look


class RHLexer(Lexer):
    """Programs of the language; in a cell that begins with ``%%python`` what follows is Python."""

    name = "RH"
    aliases: ClassVar = ["rh", "rh_kernel"]
    filenames: ClassVar = ["*.rh"]
    mimetypes: ClassVar = ["text/x-rh"]
    url = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """The offset, the type and the characters of each piece; joined they are the text, whatever it is."""
        # Read here, so that whoever only lists the lexers does not load the language.
        from rh_kernel.highlighting.looks import looks
        from rh_kernel.syntax.parsing.lexer import python_starts

        python = python_starts(text)
        if python is not None:
            yield from _python_cell(text, python)
            return
        end = 0
        for marked in looks(text):
            if end < marked.start:
                yield end, Whitespace, text[end : marked.start]
            yield marked.start, types()[marked.look], text[marked.start : marked.end]
            end = marked.end
        if end < len(text):
            yield end, Whitespace, text[end:]


@cache
def types() -> Mapping["Look", Any]:
    """What Pygments calls each look."""
    from rh_kernel.highlighting.looks import Look

    return {
        Look.KEYWORD: Keyword,
        Look.DECLARATION: Keyword.Declaration,
        Look.DIRECTIVE: Name.Decorator,
        Look.DECLARED: Name.Variable,
        Look.TYPE: Name.Class,
        Look.FUNCTION: Name.Builtin,
        Look.NAME: Name,
        Look.NUMBER: Number,
        Look.PROJECTION: Number.Integer,
        Look.STRING: String,
        Look.COMMENT: Comment,
        Look.ARROW: Operator,
        Look.OPERATOR: Operator,
        Look.BINDER: Punctuation.Marker,
        Look.BRACKET: Punctuation,
        Look.PUNCTUATION: Punctuation,
        Look.BAD: Error,
    }


def _python_cell(text: str, start: int) -> Iterator[tuple[int, Any, str]]:
    """A cell whose first line is ``%%python``, whose Python begins at ``start``."""
    from pygments.lexers.python import PythonLexer

    first = text[:start].rstrip()
    yield 0, Name.Decorator, first
    if len(first) < start:
        yield len(first), Whitespace, text[len(first) : start]
    for at, type, value in PythonLexer().get_tokens_unprocessed(text[start:]):
        yield start + at, type, value
