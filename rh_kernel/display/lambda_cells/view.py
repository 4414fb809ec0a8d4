"""The views of values, of the stages of a transformation, and of traces in ``%%lambda`` cells."""

from rh_kernel.display.data import Json, Record
from rh_kernel.display.html import escape, to_html
from rh_kernel.display.lambda_cells.comparison import heading
from rh_kernel.display.lambda_cells.steps import WIDTH, one_line, steps_html, steps_text
from rh_kernel.display.lambda_cells.values import value, value_text
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import FAINT, box, code, span
from rh_kernel.display.registry import Output, ResultView, as_html
from rh_kernel.session.results import Computed, FormsShown, RewritingShown
from rh_kernel.syntax.printing.doc import Role, plain


def _value_html(found: Computed) -> str:
    return box("", code(value_text(found.type, found.value)), span(FAINT, " : "), code(str(found.type), Role.TYPE))


def _value(found: Computed) -> Record:
    return {"kind": "value", "type": str(found.type), "value": value(found.type, found.value), "heap": {}}


def _forms_html(shown: FormsShown) -> str:
    forms = [box("margin:6px 0", box(FAINT, escape(form.title)), to_html(form.doc, WIDTH)) for form in shown.stages]
    return heading(shown.system.title, shown.system.source) + "".join(forms)


def _forms(shown: FormsShown) -> Record:
    forms: list[Json] = [{"title": form.title, "text": plain(form.doc)} for form in shown.stages]
    return {"kind": "ad", "system": shown.system.name, "name": shown.program.name, "forms": forms}


def _steps(shown: RewritingShown) -> Record:
    steps: list[Json] = [{"step": i, "rule": step.rule, "term": one_line(step.term)} for i, step in enumerate(shown.steps)]
    return {"kind": "ad", "system": shown.system.name, "name": shown.program.name, "steps": steps}


def _live(shown: RewritingShown) -> View:
    from rh_kernel.display.live.rewriting import Rewriting

    return Rewriting(shown)


VALUE = ResultView(
    Computed,
    text=lambda found: f"{value_text(found.type, found.value)} : {found.type}",
    rich=as_html(_value_html),
    records=lambda found: (_value(found),),
    output=Output.VALUE,
)
FORMS = ResultView(
    FormsShown,
    text=lambda shown: "\n\n".join([f"{form.title}:\n{plain(form.doc)}" for form in shown.stages]),
    rich=as_html(_forms_html),
    records=lambda shown: (_forms(shown),),
)
REWRITING = ResultView(
    RewritingShown,
    text=lambda shown: steps_text(shown.steps),
    rich=as_html(lambda shown: heading(shown.system.title, shown.system.source) + steps_html(shown.steps)),
    records=lambda shown: (_steps(shown),),
    live=_live,
)
