"""Small pieces of Markdown, as GitHub and JupyterLab both show it."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from lessons.press.links import slug as slug_of_text

_ANCHOR = re.compile(r'<a id="[^"]*"></a>')


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading: lower case, no signs but ``-`` and ``_``, hyphens for spaces."""
    return slug_of_text(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))


def anchors(page: str) -> set[str]:
    """The anchors of the headings of a page; the second of one name has ``-1`` at its end, and so on."""
    found: set[str] = set()
    for heading in headings(page):
        name, n = slug(heading), 0
        while (name if n == 0 else f"{name}-{n}") in found:
            n += 1
        found.add(name if n == 0 else f"{name}-{n}")
    return found


def anchored(page: str) -> str:
    """The page with the anchor of each section written in front of its heading.

    GitHub and the book have it anyway, but JupyterLab makes other names of headings, and goes to these all the same.
    """
    lines: list[str] = []
    is_code = follows_anchor = False
    for line in page.split("\n"):
        is_anchor = not is_code and _ANCHOR.fullmatch(line) is not None
        if is_anchor or (follows_anchor and not line):
            follows_anchor = is_anchor
            continue
        is_code ^= line.startswith("```")
        if not is_code and re.match("#{2,6} ", line):
            lines += [f'<a id="{slug(line.lstrip("#"))}"></a>', ""]
        lines.append(line)
        follows_anchor = False
    return "\n".join(lines)


def headings(page: str) -> list[str]:
    """The headings of a page, without their ``#``; what stands in blocks of code is none."""
    return [m[1] for m in re.finditer(r"^#{1,6} +(.*?) *#*$", outside_code(page), re.MULTILINE)]


def outside_code(page: str) -> str:
    """The page with the blocks of code left out."""
    return re.sub(r"^(`{3,})[^\n]*\n.*?^\1`*[ ]*$", "", page, flags=re.MULTILINE | re.DOTALL)


def link(heading: str, text: str = "", page: str = "") -> str:
    """A link to a heading, of this page if no other is named."""
    return f"[{text or heading}]({page}#{slug(heading)})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. A bar within a cell is written as HTML: not every reader of Markdown knows one with a backslash."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join([_cell(cell) for cell in line])} |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"`([^`]*\|[^`]*)`", lambda span: f"<code>{_as_html(span[1])}</code>", " ".join(text.split())).replace(
        "|", "&#124;"
    )


def _as_html(text: str) -> str:
    return escape(text, quote=False).replace("[", "&#91;").replace("]", "&#93;")


def code(text: str) -> str:
    """A text as code within a line."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def fence(text: str, info: str = "") -> str:
    """A block of code."""
    return f"```{info}\n{text.rstrip()}\n```"


def contents(page: str) -> str:
    """A list of links to the sections of a page, those headed ``##``."""
    found = re.findall(r"^## +(.*?) *#*$", outside_code(page), re.MULTILINE)
    return " · ".join([link(heading) for heading in found])
