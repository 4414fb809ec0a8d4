"""Results of ``%%eff`` cells for a terminal: values, counts, and the steps of a reduction."""

from collections.abc import Iterator

from rh_kernel.ad.eff.printing import cropping
from rh_kernel.ad.eff.types import ComputationType, Function, Returner
from rh_kernel.display.effects.counts import counted
from rh_kernel.display.effects.values import value_doc
from rh_kernel.display.laboratory.text import steps_text
from rh_kernel.session.results import Counted, ReductionShown, Returned
from rh_kernel.syntax.printing.doc import plain


def effects_text(result: Returned | Counted | ReductionShown) -> str:
    """The result as text."""
    match result:
        case Returned(printed=printed):
            return "\n".join([*printed, returned_text(result)])
        case Counted(returned, counts):
            lines = counted(counts)
            width = max(len(what) for what, _ in lines)
            digits = max(len(number) for _, number in lines)
            table = [f"{what:<{width}}  {number:>{digits}}" for what, number in lines]
            return "\n".join([effects_text(returned), *table])
        case ReductionShown(_, _, trace):
            return "\n".join([steps_text(trace.steps, [step.number for step in trace.steps]), *_printed(result)])


def reduction_blocks(result: ReductionShown) -> Iterator[str]:
    """Every step, and at last what they print and what they end in."""
    trace = result.trace
    for step in trace.steps:
        yield steps_text([step], [step.number])
    yield from _printed(result)
    if trace.value is not None:
        yield returned_text(Returned(result.type, trace.value))


def _printed(result: ReductionShown) -> list[str]:
    return [f"printed: {text}" for text in result.trace.printed]


def returned_text(result: Returned) -> str:
    """``2.5 : Float``; of a function or a pair of computations, which are no values, the type."""
    V = no_value(result.type) if result.value is None else plain(value_doc(result.value))
    return f"{V} : {type_text(result.type)}"


def no_value(C: ComputationType) -> str:
    """What stands where there is no value."""
    return "a function" if isinstance(C, Function) else "a pair of computations"


def type_text(C: ComputationType) -> str:
    """The type of what is returned, or of the function."""
    return cropping.value(C.value) if isinstance(C, Returner) else cropping.computation(C)
