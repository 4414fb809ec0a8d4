"""Results of ``%%eff`` cells for a notebook: values, a table of counts, and the steps of a reduction."""

from rh_kernel.display.effects.counts import counted
from rh_kernel.display.effects.text import no_value, type_text
from rh_kernel.display.effects.values import value_doc
from rh_kernel.display.html import COLOURS, escape, to_html
from rh_kernel.display.laboratory.html import steps_html
from rh_kernel.display.markup import FAINT, MONOSPACE, box, element, span, table
from rh_kernel.session.results import Counted, ReductionShown, Returned
from rh_kernel.syntax.printing.doc import Role

WIDTH = 96


def effects_html(result: Returned | Counted | ReductionShown) -> str:
    """The result as HTML with inline styles."""
    match result:
        case Returned(_, _, printed):
            return _printed(printed) + _returned(result)
        case Counted(returned, counts):
            rows = [[escape(what), span(MONOSPACE, number)] for what, number in counted(counts)]
            return effects_html(returned) + table(rows, ["", ""], "lr")
        case ReductionShown(_, _, trace):
            return steps_html(trace.steps, [step.number for step in trace.steps]) + _printed(trace.printed)


def _printed(texts: tuple[str, ...]) -> str:
    return element("pre", "margin:0;background:none;white-space:pre-wrap", escape("\n".join(texts))) if texts else ""


def _returned(result: Returned) -> str:
    if result.value is None:
        V = span(FAINT, no_value(result.type))
    else:
        V = element("div", "display:inline-block;vertical-align:top", to_html(value_doc(result.value), WIDTH))
    A = span(f"{MONOSPACE};color:{COLOURS[Role.TYPE]}", type_text(result.type))
    return box("", V, span(FAINT, " : "), A)
