"""Builders for the HTML elements that a notebook shows even if it is not trusted, with inline styles for both themes."""

import base64

from rh_kernel.display.html import escape
from rh_kernel.display.palette import COLOURS
from rh_kernel.syntax.printing.doc import Role

MONOSPACE = "font-family:monospace"
FAINT = "opacity:0.65"


def element(name: str, style: str, *content: str, **attributes: str) -> str:
    """An element. ``content`` is HTML; the attributes are text and are escaped."""
    shown = {**({"style": style} if style else {}), **attributes}
    return f"<{name}{_attributes(shown)}>{''.join(content)}</{name}>"


def box(style: str, *content: str) -> str:
    """A ``<div>`` around HTML."""
    return element("div", style, *content)


def span(style: str, text: str) -> str:
    """Text in a ``<span>`` with a style."""
    return element("span", style, escape(text))


def code(text: str, role: Role | None = None, style: str = "") -> str:
    """Program text in monospace, in the colour of its role, with additional ``style``."""
    parts = [MONOSPACE, *([style] if style else []), *([f"color:{COLOURS[role]}"] if role else [])]
    return span(";".join(parts), text)


def svg_source(svg: str) -> str:
    """The ``data:`` URL of an SVG image."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def details(style: str, summary: str, *content: str, is_open: bool = False) -> str:
    """A ``<details>`` element around HTML."""
    opening = f"<details{_attributes({'style': style} if style else {})}{' open' if is_open else ''}>"
    return f"{opening}<summary>{summary}</summary>{''.join(content)}</details>"


def table(rows: list[list[str]], heading: list[str], columns: str) -> str:
    """A table of HTML cells. A column is ``l`` (left), ``r`` (right) or ``w`` (left, and its text may wrap)."""
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
