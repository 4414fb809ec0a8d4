"""Documents as HTML that notebooks show even if they are not trusted: elements with inline styles.

Colours have about the same contrast on white and on the background of a dark theme, and marks have translucent backgrounds, so
one rendering serves both themes. All text is escaped.
"""

import html as stdlib_html

from rh_kernel.display.palette import BACKGROUNDS, COLOURS
from rh_kernel.display.text import Style, runs, visible
from rh_kernel.syntax.printing.doc import Doc, Role

_BOLD = {Role.RULE, Role.ERROR, Role.WARNING}


def escape(text: str) -> str:
    """Escape ``text`` for the content of an element or for an attribute in double quotes."""
    return stdlib_html.escape(visible(text), quote=True)


def spans(doc: Doc, width: float = 100) -> str:
    """Render ``doc`` as text and ``<span>`` elements, for an element that keeps white space."""
    return "".join(_span(run.text, run.style) for run in runs(doc, width))


def to_html(doc: Doc, width: float = 100) -> str:
    """Render ``doc`` as a ``<pre>``."""
    return f'<pre style="margin:0;overflow:auto">{spans(doc, width)}</pre>'


def _span(text: str, style: Style) -> str:
    styles: list[str] = []
    if style.role is not None:
        if style.mark is None:  # on a mark the ink of the page is easier to read
            styles.append(f"color:{COLOURS[style.role]}")
        if style.role in _BOLD:
            styles.append("font-weight:bold")
    if style.mark is not None:
        styles.append(f"background-color:{BACKGROUNDS[style.mark]}")
    attributes = f' style="{";".join(styles)}"' if styles else ""
    if style.hover:
        attributes += f' title="{escape(style.hover)}"'
    return f"<span{attributes}>{escape(text)}</span>" if attributes else escape(text)
