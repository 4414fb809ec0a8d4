"""The views of values, counts and reductions in ``%%eff`` cells."""

from collections.abc import Iterator

from rh_kernel.ad.eff.types import Function
from rh_kernel.display.bounded import excerpt
from rh_kernel.display.data import Json, Record
from rh_kernel.display.eff_cells.counts import counted, counts_record
from rh_kernel.display.eff_cells.values import type_text, value, value_doc
from rh_kernel.display.html import escape, to_html
from rh_kernel.display.lambda_cells.steps import WIDTH, one_line, steps_html, steps_text
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import FAINT, box, code, span, table
from rh_kernel.display.registry import Output, ResultView, as_html, preformatted
from rh_kernel.display.tables import columns
from rh_kernel.session.results import Counted, ReductionShown, Returned
from rh_kernel.syntax.printing.doc import Role, plain


def _value_text(result: Returned) -> str:
    """Return the printed lines and ``2.5 : Float``; a function or a pair of computations, not being values, shows its type."""
    V = _no_value(result) if result.value is None else plain(value_doc(result.value))
    return "\n".join([*result.printed, f"{V} : {type_text(result.type)}"])


def _value_html(result: Returned) -> str:
    if result.value is None:
        V = span(FAINT, _no_value(result))
    else:
        V = box("display:inline-block;vertical-align:top", to_html(value_doc(result.value), WIDTH))
    return _printed_html(result.printed) + box("", V, span(FAINT, " : "), code(type_text(result.type), Role.TYPE))


def _no_value(result: Returned) -> str:
    return "a function" if isinstance(result.type, Function) else "a pair of computations"


def _printed_html(lines: tuple[str, ...]) -> str:
    return preformatted("\n".join(lines)) if lines else ""


def _value(result: Returned) -> Record:
    printed: list[Json] = [*result.printed]
    V = None if result.value is None else value(result.value)
    return {"type": type_text(result.type), "value": V, "printed": printed}


def _counts_html(result: Counted) -> str:
    rows = [[escape(what), code(number)] for what, number in counted(result.counts)]
    return _value_html(result.returned) + table(rows, ["", ""], "lr")


def _reduction_text(result: ReductionShown) -> str:
    trace = result.trace
    return "\n".join([steps_text(trace.steps, [step.number for step in trace.steps]), *_printed(result)])


def _reduction_html(result: ReductionShown) -> str:
    trace = result.trace
    return steps_html(trace.steps, [step.number for step in trace.steps]) + _printed_html(trace.printed)


def _printed(result: ReductionShown) -> list[str]:
    return [f"printed: {text}" for text in result.trace.printed]


def reduction_blocks(result: ReductionShown) -> Iterator[str]:
    """Yield every step as text, then the printed lines and the value."""
    trace = result.trace
    for step in trace.steps:
        yield steps_text([step], [step.number])
    yield from _printed(result)
    if trace.value is not None:
        yield _value_text(Returned(result.type, trace.value))


def _reduction(result: ReductionShown) -> Record:
    steps: list[Json] = [{"step": step.number, "rule": step.rule, "term": one_line(step.term)} for step in result.trace.steps]
    subject, ending = result.subject, _value(_ending(result))
    return {"kind": "reduction", "subject": subject, "type": ending["type"], "steps": steps, **ending}


def _ending(result: ReductionShown) -> Returned:
    """Return the result of a reduction, without a value if it was cut off."""
    return Returned(result.type, result.trace.value, result.trace.printed)


def reduction_records(result: ReductionShown, *, full: bool = False) -> Iterator[Record]:
    """Yield a record for each step and one for the result; terms are truncated unless ``full``."""
    trace = result.trace
    for step in trace.steps:
        text = one_line(step.term) if full else excerpt(step.term, "contractum").text
        yield {"step": step.number, "rule": step.rule, "term": text}
    if trace.value is not None:
        yield {"steps": trace.steps[-1].number, **_value(_ending(result))}


def _live(result: ReductionShown) -> View:
    from rh_kernel.display.live.rewriting import Rewriting

    return Rewriting(result)


VALUE = ResultView(
    Returned,
    text=_value_text,
    rich=as_html(_value_html),
    records=lambda result: ({"kind": "value", **_value(result)},),
    output=Output.VALUE,
)
COUNTS = ResultView(
    Counted,
    text=lambda result: "\n".join([_value_text(result.returned), *columns(counted(result.counts), "lr")]),
    rich=as_html(_counts_html),
    records=lambda result: ({"kind": "counts", **_value(result.returned), "counts": counts_record(result.counts)},),
)
REDUCTION = ResultView(
    ReductionShown,
    text=_reduction_text,
    rich=as_html(_reduction_html),
    records=lambda result: (_reduction(result),),
    live=_live,
)
