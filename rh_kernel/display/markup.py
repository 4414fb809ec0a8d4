"""The elements that a notebook shows even if it is not trusted, with inline styles; readable on light and on dark paper."""

import base64

from rh_kernel.display.html import COLOURS, escape
from rh_kernel.syntax.printing.doc import Role

MONOSPACE = "font-family:monospace"
FAINT = "opacity:0.65"


def element(name: str, style: str, *content: str, **attributes: str) -> str:
    """An element around ``content``, which is HTML already; the attributes are text."""
    shown = {**({"style": style} if style else {}), **attributes}
    return f"<{name}{_attributes(shown)}>{''.join(content)}</{name}>"


def box(style: str, *content: str) -> str:
    """A block."""
    return element("div", style, *content)


def span(style: str, text: str) -> str:
    """Some text that looks different."""
    return element("span", style, escape(text))


def code(text: str, role: Role | None = None, style: str = "") -> str:
    """Some text of a program, in the colour of its role; ``style`` is added."""
    parts = [MONOSPACE, *([style] if style else []), *([f"color:{COLOURS[role]}"] if role else [])]
    return span(";".join(parts), text)


def svg_source(svg: str) -> str:
    """The ``src`` of an image."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def details(style: str, summary: str, *content: str, is_open: bool = False) -> str:
    """``content`` that opens under ``summary``."""
    opening = f"<details{_attributes({'style': style} if style else {})}{' open' if is_open else ''}>"
    return f"{opening}<summary>{summary}</summary>{''.join(content)}</details>"


def table(rows: list[list[str]], heading: list[str], columns: str) -> str:
    """A table of cells that are HTML already; each column is ``l``, left, ``r``, right, or ``w``, left and not on one line."""
    head = [element("th", f"{_CELL};{_COLUMN[c]};{_HEAD}", cell) for cell, c in zip(heading, columns, strict=True)]
    body = [[element("td", f"{_CELL};{_COLUMN[c]}", cell) for cell, c in zip(row, columns, strict=True)] for row in rows]
    shown = [head, *body] if any(heading) else body
    return element("table", _TABLE, *[element("tr", "background:none", *cells) for cells in shown])


_TABLE = "border-collapse:collapse;margin:4px 0;border:none"
_CELL = "padding:1px 14px 1px 0;border:none;vertical-align:top"
_COLUMN = {"l": "text-align:left;white-space:nowrap", "r": "text-align:right;white-space:nowrap", "w": "text-align:left"}
_HEAD = f"font-weight:normal;font-size:85%;{FAINT}"


def _attributes(attributes: dict[str, str]) -> str:
    return "".join([f' {name}="{escape(value)}"' for name, value in attributes.items()])
