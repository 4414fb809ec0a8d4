"""RH programs as highlighted HTML, with the CSS classes of Pygments."""

from html import escape

from pygments.token import STANDARD_TYPES

from rh_kernel.exporters.static_pages import Notebook
from rh_kernel.highlighting.lexer import RHLexer

LANGUAGE = "rh"


def highlighted(text: str) -> str:
    """Return the program as one ``<pre>``, keeping every character."""
    pieces: list[str] = []
    for _, type, value in RHLexer().get_tokens_unprocessed(text):
        name = STANDARD_TYPES[type]
        shown = escape(value, quote=False)
        pieces.append(f'<span class="{name}">{shown}</span>' if name and not value.isspace() else shown)
    return f'<div class="highlight"><pre>{"".join(pieces)}</pre></div>'


def cell_html(cell: Notebook, notebook: Notebook) -> str:
    """Highlight an RH code cell, in an RH notebook or under ``%%rh``; return "" for another language."""
    metadata = notebook.metadata
    names = {metadata.get("language_info", {}).get("name"), metadata.get("kernelspec", {}).get("language")}
    is_ours = LANGUAGE in names or cell.source.split("\n")[0].split()[:1] == [f"%%{LANGUAGE}"]
    return highlighted(cell.source) if is_ours else ""
