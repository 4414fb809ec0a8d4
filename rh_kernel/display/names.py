"""``%whos`` as a table: what each name is, its type, where it was declared, and what has changed since it was made."""

from collections.abc import Sequence

from rh_kernel.display.html import COLOURS
from rh_kernel.display.markup import FAINT, MONOSPACE, box, span, table
from rh_kernel.display.text import visible
from rh_kernel.session.results import NameShown
from rh_kernel.syntax.printing.doc import Role, cells

EMPTY = "nothing has been declared"

_WIDEST = 60


def names_text(names: Sequence[NameShown]) -> str:
    """A line for each name; what is older than what it was made from says so below."""
    if not names:
        return EMPTY
    rows = [[visible(part) for part in (n.name, _kind(n), n.type, n.place)] for n in names]
    widths = [min(max(cells(row[i]) for row in rows), _WIDEST) for i in range(3)]
    lines: list[str] = []
    for row, name in zip(rows, names, strict=True):
        padded = [part + " " * (width - cells(part)) for part, width in zip(row, [*widths, 0], strict=True)]
        lines.append("  ".join(padded))
        lines += [visible(f"  older than {_newer(name)}: to renew it, run again what it is declared in")] if name.newer else []
    return "\n".join(lines)


def names_html(names: Sequence[NameShown]) -> str:
    """A table with a row for each name."""
    if not names:
        return box(FAINT, EMPTY)
    is_older = any(n.newer for n in names)
    rows = [
        [
            span(MONOSPACE, n.name),
            span(FAINT, _kind(n)),
            span(f"{MONOSPACE};color:{COLOURS[Role.TYPE]}", n.type),
            span(FAINT, n.place),
            span(f"color:{COLOURS[Role.ERROR]}", f"older than {_newer(n)}") if n.newer else "",
        ]
        for n in names
    ]
    return table(rows, ["", "", "", "declared in", "run that again" if is_older else ""], "llwll")


def _kind(n: NameShown) -> str:
    return n.kind.removeprefix("a ").removeprefix("an ")


def _newer(n: NameShown) -> str:
    return ", ".join(n.newer)
