"""The view of ``%whos``: kind, type and place of declaration of each name, and which names it uses are newer."""

from rh_kernel.display.data import Record
from rh_kernel.display.markup import FAINT, box, code, span, table
from rh_kernel.display.palette import COLOURS
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.display.text import visible
from rh_kernel.session.results import NameShown, NamesShown
from rh_kernel.syntax.printing.doc import Role

EMPTY = "nothing has been declared"

_WIDEST = 60


def _text(shown: NamesShown) -> str:
    """A line for each name, and one more if it uses a name that was redeclared later."""
    if not shown.names:
        return EMPTY
    rows = [[visible(part) for part in (n.name, _kind(n), n.type, n.place)] for n in shown.names]
    lines: list[str] = []
    for line, name in zip(columns(rows, "llll", _WIDEST), shown.names, strict=True):
        lines.append(line)
        lines += [f"  older than {_newer(name)}: to renew it, run again what it is declared in"] if name.newer else []
    return "\n".join(lines)


def _html(shown: NamesShown) -> str:
    """A table with a row for each name."""
    if not shown.names:
        return box(FAINT, EMPTY)
    is_older = any(n.newer for n in shown.names)
    rows = [
        [
            code(n.name),
            span(FAINT, _kind(n)),
            code(n.type, Role.TYPE),
            span(FAINT, n.place),
            span(f"color:{COLOURS[Role.ERROR]}", f"older than {_newer(n)}") if n.newer else "",
        ]
        for n in shown.names
    ]
    return table(rows, ["", "", "", "declared in", "run that again" if is_older else ""], "llwll")


def _kind(n: NameShown) -> str:
    return n.kind.removeprefix("a ").removeprefix("an ")


def _newer(n: NameShown) -> str:
    return ", ".join(n.newer)


def _record(n: NameShown) -> Record:
    older: Record = {"older_than": [*n.newer]} if n.newer else {}
    return {"name": n.name, "is": n.kind, "type": n.type, "place": n.place, **older}


NAMES = ResultView(
    NamesShown,
    text=_text,
    rich=as_html(_html),
    records=lambda shown: ({"kind": "names", "names": [_record(n) for n in shown.names]},),
)
