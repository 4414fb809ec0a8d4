"""The Pygments lexer of the language (``pygmentize -l rh``, nbconvert, Sphinx), based on the language's own lexer."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

if TYPE_CHECKING:
    from rh_kernel.highlighting.token_classes import TokenClass


class RHLexer(Lexer):
    """Lexer of programs, and of Python cells that begin with ``%%python``."""

    name = "RH"
    aliases: ClassVar = ["rh", "rh_kernel"]
    filenames: ClassVar = ["*.rh"]
    mimetypes: ClassVar = ["text/x-rh"]
    url = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Yield offset, token type and text of each piece; joined they are the whole text, for any text."""
        # Imported here, so that listing the lexers does not import the language.
        from rh_kernel.highlighting.token_classes import classify
        from rh_kernel.syntax.parsing.lexer import python_starts

        python = python_starts(text)
        if python is not None:
            yield from _python_cell(text, python)
            return
        end = 0
        for marked in classify(text):
            if end < marked.start:
                yield end, Whitespace, text[end : marked.start]
            yield marked.start, types()[marked.kind], text[marked.start : marked.end]
            end = marked.end
        if end < len(text):
            yield end, Whitespace, text[end:]


@cache
def types() -> Mapping["TokenClass", Any]:
    """The token type of Pygments for each token class."""
    from rh_kernel.highlighting.token_classes import TokenClass

    return {
        TokenClass.KEYWORD: Keyword,
        TokenClass.DECLARATION: Keyword.Declaration,
        TokenClass.DIRECTIVE: Name.Decorator,
        TokenClass.DECLARED: Name.Variable,
        TokenClass.TYPE: Name.Class,
        TokenClass.FUNCTION: Name.Builtin,
        TokenClass.NAME: Name,
        TokenClass.NUMBER: Number,
        TokenClass.PROJECTION: Number.Integer,
        TokenClass.STRING: String,
        TokenClass.COMMENT: Comment,
        TokenClass.ARROW: Operator,
        TokenClass.OPERATOR: Operator,
        TokenClass.BINDER: Punctuation.Marker,
        TokenClass.BRACKET: Punctuation,
        TokenClass.PUNCTUATION: Punctuation,
        TokenClass.BAD: Error,
    }


def _python_cell(text: str, start: int) -> Iterator[tuple[int, Any, str]]:
    """Yield the pieces of a cell whose first line is ``%%python`` and whose Python begins at ``start``."""
    from pygments.lexers.python import PythonLexer

    first = text[:start].rstrip()
    yield 0, Name.Decorator, first
    if len(first) < start:
        yield len(first), Whitespace, text[len(first) : start]
    for at, type, value in PythonLexer().get_tokens_unprocessed(text[start:]):
        yield start + at, type, value
