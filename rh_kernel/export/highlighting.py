"""Programs of the language as HTML in colours, with the classes that Pygments has for them."""

from html import escape

from pygments.token import STANDARD_TYPES

from rh_kernel.export.pages import Notebook
from rh_kernel.highlighting.lexer import RHLexer

LANGUAGE = "rh"


def highlighted(text: str) -> str:
    """The program, every character of it, as one ``<pre>``."""
    pieces: list[str] = []
    for _, type, value in RHLexer().get_tokens_unprocessed(text):
        name = STANDARD_TYPES[type]
        shown = escape(value, quote=False)
        pieces.append(f'<span class="{name}">{shown}</span>' if name and not value.isspace() else shown)
    return f'<div class="highlight"><pre>{"".join(pieces)}</pre></div>'


def cell_html(cell: Notebook, notebook: Notebook) -> str:
    """A code cell in this language, by itself or under ``%%rh``; nothing for one in another language."""
    metadata = notebook.metadata
    names = {metadata.get("language_info", {}).get("name"), metadata.get("kernelspec", {}).get("language")}
    is_ours = LANGUAGE in names or cell.source.split("\n")[0].split()[:1] == [f"%%{LANGUAGE}"]
    return highlighted(cell.source) if is_ours else ""
