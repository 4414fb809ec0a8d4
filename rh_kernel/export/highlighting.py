"""Programs of the language as HTML in colours, from the tokens that its own reader makes; the classes are those of Pygments."""

from html import escape

from rh_kernel.export.pages import Notebook
from rh_kernel.primitives.table import ROWS
from rh_kernel.source.span import Source
from rh_kernel.syntax.lexer import chunks, tokens
from rh_kernel.syntax.tokens import INITIALS, TRAINING_OPTIONS, Kind, Token

LANGUAGE = "rh"
_TYPES = frozenset({"Real", "Loc", "Dim", "Get", "Put"})


def highlighted(text: str) -> str:
    """The program, every character of it, as one ``<pre>``."""
    source = Source("cell", text)
    pieces: list[str] = []
    end = 0
    for chunk in chunks(source):
        found = tokens(chunk)
        for n, token in enumerate(found):
            name = _class(token, found[:n])
            shown = escape(text[token.start : token.end], quote=False)
            pieces.append(escape(text[end : token.start], quote=False))
            pieces.append(f'<span class="{name}">{shown}</span>' if name else shown)
            end = token.end
    pieces.append(escape(text[end:], quote=False))
    return f'<div class="highlight"><pre>{"".join(pieces)}</pre></div>'


def cell_html(cell: Notebook, notebook: Notebook) -> str:
    """A code cell in this language, by itself or under ``%%rh``; nothing for one in another language."""
    metadata = notebook.metadata
    names = {metadata.get("language_info", {}).get("name"), metadata.get("kernelspec", {}).get("language")}
    is_ours = LANGUAGE in names or cell.source.split("\n")[0].split()[:1] == [f"%%{LANGUAGE}"]
    return highlighted(cell.source) if is_ours else ""


def _class(token: Token, before: list[Token]) -> str:
    """How a token is shown, after those before it in its item."""
    match token.kind:
        case Kind.KEYWORD:
            return "k"
        case Kind.NAME:
            return _class_of_name(token.text, before)
        case Kind.NUMBER | Kind.PROJECTION:
            return "mf"
        case Kind.STRING | Kind.BAD_STRING:
            return "s"
        case Kind.COMMENT:
            return "c"
        case Kind.SYMBOL:
            return "k" if token.text == "%" and all(t.text == "%" for t in before) else ""
        case Kind.END | Kind.FOREIGN | Kind.BAD_NUMBER | Kind.BAD_CHARACTER:
            return ""


def _class_of_name(name: str, before: list[Token]) -> str:
    if before and all(t.text == "%" for t in before):
        return "k"
    if before and before[0].text == "train" and name in {"for", "data", "on", *TRAINING_OPTIONS}:
        return "k"
    return "nb" if name in ROWS or name in INITIALS or name in _TYPES else ""
