"""Documents as HTML that every notebook shows, also one that is not trusted: elements with inline styles, and text.

Every colour is about as far from white as from the black of a dark theme, and what is marked has a translucent background,
so there is one rendering for both themes. All text goes through ``escape``.
"""

import html as stdlib_html

from rh_kernel.display.palette import LETTERS, WASHES
from rh_kernel.display.text import Look, runs, visible
from rh_kernel.syntax.printing.doc import Doc, Role

COLOURS, BACKGROUNDS = LETTERS, WASHES
"""What words and marks look like."""

_BOLD = {Role.RULE, Role.ERROR}


def escape(text: str) -> str:
    """``text`` as the content of an element or of an attribute between double quotes."""
    return stdlib_html.escape(visible(text), quote=True)


def spans(doc: Doc, width: float = 100) -> str:
    """``doc`` as text with ``<span>``, to stand inside an element that keeps white space."""
    return "".join(_span(run.text, run.look) for run in runs(doc, width))


def to_html(doc: Doc, width: float = 100) -> str:
    """``doc`` as a ``<pre>``."""
    return f'<pre style="margin:0;overflow:auto">{spans(doc, width)}</pre>'


def _span(text: str, look: Look) -> str:
    styles: list[str] = []
    if look.role is not None:
        styles.append(f"color:{COLOURS[look.role]}")
        if look.role in _BOLD:
            styles.append("font-weight:bold")
    if look.mark is not None:
        styles.append(f"background-color:{BACKGROUNDS[look.mark]}")
    attributes = f' style="{";".join(styles)}"' if styles else ""
    if look.hover:
        attributes += f' title="{escape(look.hover)}"'
    return f"<span{attributes}>{escape(text)}</span>" if attributes else escape(text)
