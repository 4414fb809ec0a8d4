"""The elements that a notebook shows even if it is not trusted, with inline styles; readable on light and on dark paper."""

from rh_kernel.display.html import escape

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


def details(style: str, summary: str, *content: str, is_open: bool = False) -> str:
    """``content`` that opens under ``summary``."""
    opening = f"<details{_attributes({'style': style} if style else {})}{' open' if is_open else ''}>"
    return f"{opening}<summary>{summary}</summary>{''.join(content)}</details>"


def table(rows: list[list[str]], heading: list[str], alignments: str) -> str:
    """A table of cells that are HTML already; ``alignments`` has ``l`` or ``r`` for each column."""
    align = {"l": "left", "r": "right"}
    head = [element("th", f"{_CELL};text-align:{align[a]};{FAINT}", h) for h, a in zip(heading, alignments, strict=True)]
    body = [
        element("tr", _ROW, *[element("td", f"{_CELL};text-align:{align[a]}", c) for c, a in zip(row, alignments, strict=True)])
        for row in rows
    ]
    first = element("tr", _ROW, *head) if any(heading) else ""
    return element("table", "border-collapse:collapse;margin:4px 0;border:none", first, *body)


_ROW = "background:none"
_CELL = "padding:1px 14px 1px 0;border:none;vertical-align:top"


def _attributes(attributes: dict[str, str]) -> str:
    return "".join([f' {name}="{escape(value)}"' for name, value in attributes.items()])
