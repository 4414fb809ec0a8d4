"""The views of declarations, values, types, checks and notices."""

from rh_kernel.display.data import Record, contents, value
from rh_kernel.display.heaps import by_name
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, span
from rh_kernel.display.palette import COLOURS
from rh_kernel.display.registry import Output, ResultView, as_html
from rh_kernel.display.values import changes_html, changes_text, value_html, value_text
from rh_kernel.session.results import Change, CheckPassed, DeclarationMade, Notice, TypeShown, ValueFound
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.printing.doc import Role
from rh_kernel.syntax.types import Type

PASSED = "✓"


def computed_text(A: Type, V: Term, changes: tuple[Change, ...]) -> str:
    """A value with its type, and below it the changes of the heap."""
    return "\n".join([part for part in (f"{value_text(V)} : {A}", changes_text(by_name(changes))) if part])


def computed_html(A: Type, V: Term, changes: tuple[Change, ...]) -> str:
    """``computed_text`` as HTML."""
    shown = box("display:inline-block;vertical-align:middle", value_html(V))
    return box("", f"{shown} {span(FAINT, ':')} {code(str(A), Role.TYPE)}") + changes_html(by_name(changes))


def _typed_html(subject: str, type_text: str, kind: str = "", remarks: tuple[str, ...] = ()) -> str:
    word = span(f"display:inline-block;min-width:7em;margin-right:0.5em;{FAINT};font-size:85%", kind) if kind else ""
    return box("", f"{word}{code(subject)} {span(FAINT, ':')} {code(type_text, Role.TYPE)}") + _remarks_html(remarks)


def _check_html(result: CheckPassed) -> str:
    sign = span(f"color:{COLOURS[Role.TYPE]};font-weight:bold", PASSED)
    return box("", f"{sign} {code(result.text)}") + _remarks_html(result.remarks)


def _remarks_html(remarks: tuple[str, ...]) -> str:
    return "".join([box(FAINT, escape(remark)) for remark in remarks])


def _remarks(remarks: tuple[str, ...]) -> Record:
    return {"remarks": [*remarks]} if remarks else {}


def _declaration(d: DeclarationMade) -> Record:
    heap: Record = {"heap": contents(d.changes)} if d.changes else {}
    return {"kind": "declaration", "name": d.name, "type": d.type, **heap}


def _value(v: ValueFound) -> Record:
    return {"kind": "value", "type": str(v.type), "value": value(v.value), "heap": contents(v.changes)}


DECLARATION = ResultView(
    DeclarationMade,
    text=lambda d: f"{d.name} : {d.type}",
    rich=as_html(lambda d: _typed_html(d.name, d.type, d.kind)),
    records=lambda d: (_declaration(d),),
    output=Output.LINE,
)
VALUE = ResultView(
    ValueFound,
    text=lambda v: computed_text(v.type, v.value, v.changes),
    rich=as_html(lambda v: computed_html(v.type, v.value, v.changes)),
    records=lambda v: (_value(v),),
    output=Output.VALUE,
)
TYPE = ResultView(
    TypeShown,
    text=lambda t: "\n".join([f"{t.subject} : {t.type}", *t.remarks]),
    rich=as_html(lambda t: _typed_html(t.subject, t.type, remarks=t.remarks)),
    records=lambda t: ({"kind": "type", "subject": t.subject, "type": t.type, **_remarks(t.remarks)},),
)
CHECK = ResultView(
    CheckPassed,
    text=lambda c: "\n".join([f"{PASSED} {c.text}", *[f"  {remark}" for remark in c.remarks]]),
    rich=as_html(_check_html),
    records=lambda c: ({"kind": "check", "text": c.text, "type": c.type, **_remarks(c.remarks)},),
    output=Output.LINE,
)
NOTICE = ResultView(
    Notice,
    text=lambda n: n.text,
    # JupyterLab breaks plain text within words.
    rich=as_html(lambda n: box(f"{MONOSPACE};white-space:pre-wrap", escape(n.text))),
    records=lambda n: ({"kind": "notice", "text": n.text},),
)
