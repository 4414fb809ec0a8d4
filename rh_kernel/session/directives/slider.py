"""``%slider name from to [log|step]``: a slider in the page for one number: a constant, a dimension or a parameter."""

import math
import re

from rh_kernel.session.actions import AnalysisContext
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.knobs.knob import MAX_VALUES, Scale, evenly, in_steps, logarithmically
from rh_kernel.session.knobs.show import Named, ShowKnob, argument_spans, named_number, refusal
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Term

_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WANTED = "a name, where the slider begins and ends, and perhaps `log` or a step"
_EXAMPLE = "for example `%slider alpha 0.01 1 log`, `%slider alpha 0 1 0.05`, or `%slider sgd.alpha 0.01 1 log`"


def _analyze(item: items.Directive, context: AnalysisContext) -> ShowKnob:
    if len(item.words) not in (3, 4):
        found = f"`{' '.join(item.words)}`" if item.words else "nothing"
        raise invalid_arguments("slider", item.span, _WANTED, found, _EXAMPLE)
    named = named_number(item, context)
    span, *spans = argument_spans(item)
    if not named.is_number:
        hint = "`%knob` chooses among arrays, for example `%knob t [[0.5], [1]]`"
        raise refusal(item, span, f"a name of one number, and `{named.name}` is of type {named.type}", hint)
    numbers = [_number(item, one) for one in spans[:2]]
    low, high = numbers
    if low >= high:
        hint = "the smaller number comes first"
        raise refusal(item, spans[0].to(spans[1]), "a number, and then a larger one", hint)
    is_dimension = named.type is None
    if is_dimension:
        for number, one in zip(numbers, spans, strict=False):
            if number != int(number) or number < 0:
                raise refusal(item, one, "whole numbers from 0 on for a dimension", f"`{named.name}` is a dimension")
    return ShowKnob(named, *_values(item, named, low, high, spans))


def _values(item: items.Directive, named: Named, low: float, high: float, spans: list[Span]) -> tuple[tuple[Term, ...], Scale]:
    """Return the values of the slider and how they follow one another. Raises ``Rejected``."""
    is_dimension = named.type is None
    match spans:
        case [_, _, last] if last.text == "log" and is_dimension:
            raise refusal(item, last, "a whole number as the step of a dimension", "leave `log` out")
        case [first, _, last] if last.text == "log":
            if low <= 0:
                raise refusal(item, first, "two numbers above 0 before `log`", "for example `%slider alpha 0.001 1 log`")
            return logarithmically(low, high), Scale.LOG
        case [_, _, last]:
            step = _number(item, last, "`log`, or the step, a number")
            if step <= 0 or (is_dimension and step != int(step)):
                wanted = "a whole number from 1 on as the step of a dimension" if is_dimension else "a step above 0"
                raise refusal(item, last, wanted, _EXAMPLE)
            if (high - low) / step >= MAX_VALUES:
                hint = f"a slider has at most {MAX_VALUES:,} values; choose a larger step"
                raise refusal(item, last, f"a step of at least {(high - low) / (MAX_VALUES - 1):.3g} here", hint)
            return in_steps(low, high, step), Scale.LINEAR
        case _ if is_dimension:
            return in_steps(low, high, math.ceil((high - low + 1) / MAX_VALUES)), Scale.LINEAR
        case _:
            return evenly(low, high), Scale.LINEAR


def _number(item: items.Directive, span: Span, wanted: str = "a number here") -> float:
    number = float(span.text) if _NUMBER.fullmatch(span.text) else math.inf
    if not math.isfinite(number):
        raise refusal(item, span, wanted, _EXAMPLE)
    return number


DIRECTIVE = Directive(
    "slider",
    "name from to [log|step]",
    "a slider for a constant, a dimension or a handler's parameter; what depends on it runs again as it is dragged",
    _analyze,
    order=250,
    example="""
const alpha = 0.1
%slider alpha 0.01 1 log
""",
    details="""
`%slider sgd.alpha 0.01 1 log` is a slider for the parameter `alpha` of the handler `sgd`, in all its applications.
See [Knobs](#knobs).
""",
)
