"""Results of ``%%eff`` cells as plain data: values nested as they are, the counts by name, and the steps of a reduction."""

import math
from collections.abc import Iterator

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.printing.terms import value as printed
from rh_kernel.ad.eff.reduction.traces import Shown as Step
from rh_kernel.display.bounded import excerpt
from rh_kernel.display.data import Json, Record
from rh_kernel.display.effects.counts import counts_record
from rh_kernel.display.effects.text import type_text
from rh_kernel.session.results import Counted, ReductionShown, Returned
from rh_kernel.syntax.printing.doc import Doc, plain

DEEPEST = 100
"""What is nested more deeply in a value is a text: deep data can be neither written nor read."""


def effects_record(result: Returned | Counted | ReductionShown) -> Record:
    """The object of a result, without the number of its item."""
    match result:
        case Returned():
            return {"kind": "value", **_returned(result)}
        case Counted(returned, counts):
            return {"kind": "counts", **_returned(returned), "counts": counts_record(counts)}
        case ReductionShown(subject, A, trace):
            steps: list[Json] = [_step(one) for one in trace.steps]
            V = None if trace.value is None else value(trace.value)
            texts: list[Json] = [*trace.printed]
            return {
                "kind": "reduction",
                "subject": subject,
                "type": type_text(A),
                "steps": steps,
                "value": V,
                "printed": texts,
            }


def reduction_records(result: ReductionShown, *, full: bool = False) -> Iterator[Record]:
    """The same, an object a step, and one at the end; terms are cut to a bounded size, or in ``full``."""
    trace = result.trace
    for step in trace.steps:
        text = _line(step.term) if full else excerpt(step.term, "contractum").text
        yield {"step": step.number, "rule": step.rule, "term": text}
    if trace.value is not None:
        texts: list[Json] = [*trace.printed]
        V = value(trace.value)
        yield {"steps": trace.steps[-1].number, "type": type_text(result.type), "value": V, "printed": texts}


def _step(step: Step) -> Record:
    return {"step": step.number, "rule": step.rule, "term": _line(step.term)}


def _returned(result: Returned) -> Record:
    texts: list[Json] = [*result.printed]
    V = None if result.value is None else value(result.value)
    return {"type": type_text(result.type), "value": V, "printed": texts}


def value(V: core.Value, depth: int = 0) -> Json:
    """A value: a number, a text, a truth value, a list for lists and tensors, ``{"tuple": […]}``, ``{"Paired": […]}``.

    What else there is, and what is deeper, is a text.
    """
    match V:
        case _ if depth > DEEPEST:
            return _line(printed(V))
        case core.Literal(found):
            return _entries(found.array.tolist() if isinstance(found, Tensor) else found)
        case core.Tuple(components):
            return {"tuple": [value(W, depth + 1) for W in components]}
        case core.Constructed("True" | "False" as truth):
            return truth == "True"
        case core.Constructed("Cons" | "Nil"):
            return _list(V, depth + 1)
        case core.Constructed(constructor, fields):
            return {shown(constructor): [value(W, depth + 1) for W in fields]}
        case core.Variable() | core.Global() | core.Thunk() | core.Reference():
            return _line(printed(V))


def _entries(found: "float | str | list[float]") -> Json:
    """Numbers, or lists of them inside each other, with texts for those that are not finite."""
    match found:
        case float() if not math.isfinite(found):
            return str(found)
        case float() | int() | str():
            return found
        case _:
            return [_entries(one) for one in found]


def _list(V: core.Value, depth: int) -> Json:
    found: list[Json] = []
    while isinstance(V, core.Constructed) and V.constructor == "Cons":
        first, V = V.fields
        found.append(value(first, depth))
    return found


def _line(doc: Doc) -> str:
    return " ".join(plain(doc, math.inf).split())
