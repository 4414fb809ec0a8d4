"""``%knob name [value, …]``: a choice in the page among values of a constant, a dimension or a handler's parameter."""

from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import run
from rh_kernel.primitives.values import to_array
from rh_kernel.session.actions import AnalysisContext
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.knobs.knob import MAX_VALUES, Scale
from rh_kernel.session.knobs.show import Named, ShowKnob, argument_spans, named_number, refusal
from rh_kernel.session.limits.budget import limits
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.types import SCALAR, real
from rh_kernel.syntax.values import constant
from rh_kernel.typing.definitions import ConstDefinition, Definitions
from rh_kernel.typing.elaboration.declarations import declare

_EXAMPLE = "for example `%knob t [[0.5], [1]]`, or `%knob alpha [0.01, 0.1, 1]`"


def _analyze(item: items.Directive, context: AnalysisContext) -> ShowKnob:
    if len(item.words) < 2:
        found = f"`{item.words[0]}`" if item.words else "nothing"
        raise invalid_arguments("knob", item.span, "a name, and the list of its values", found, _EXAMPLE)
    named = named_number(item, context)
    _, first, *others = argument_spans(item)
    span = first.to(others[-1]) if others else first
    return ShowKnob(named, tuple([constant(entry) for entry in _choices(item, named, span, context)]), Scale.LIST)


def _choices(item: items.Directive, named: Named, span: Span, context: AnalysisContext) -> list[Array]:
    """Return the values in the list at ``span``, each of the shape of the constant. Raises ``Rejected``."""
    whole = _array(context.definitions, span, context)
    if whole is None or not span.text.startswith("["):
        raise refusal(item, span, "a name, and the list of its values", _EXAMPLE)
    rows = whole.reshape(*whole.shape, 1) if whole.ndim == 1 and named.is_number else whole
    if not named.takes(rows.shape[1:]):
        found = f"have the type {real(*rows.shape[1:])}" if rows.ndim > 1 else "are numbers"
        hint = f"`{named.name}` has the type {SCALAR if named.type is None else named.type}, and the values in the list {found}"
        raise refusal(item, span, f"values of the type of `{named.name}`", hint)
    if len(rows) > MAX_VALUES:
        raise refusal(item, span, f"at most {MAX_VALUES:,} values", _EXAMPLE)
    if named.type is None and not all(x >= 0 and x == int(x) for x in rows.flat):
        raise refusal(item, span, "whole numbers from 0 on for a dimension", f"`{named.name}` is a dimension")
    return [*rows]


def _array(definitions: Definitions, span: Span, context: AnalysisContext) -> Array | None:
    """Return the array written at ``span``, or ``None`` if there is none."""
    match parse(Source("the list", f"const values = {span.text}")):
        case (items.ConstDeclaration() as written,):
            try:
                definition = declare(definitions, written)
                if isinstance(definition, ConstDefinition):
                    return to_array(run(definition.term, Heap(), limits(context.settings)).value)
            except (Failure, Rejected):
                return None
        case _:
            pass
    return None


DIRECTIVE = Directive(
    "knob",
    "name [value, …]",
    "a choice among values of a constant, a dimension or a handler's parameter; what depends on it runs again",
    _analyze,
    order=251,
    example="""
const t = [0.5, 1]
%knob t [[0.5, 1], [1, 0]]
""",
    details="""
The name may be that of a handler's parameter, as in `%knob sgd.alpha [0.1, 1]`. See [Knobs](#knobs).
""",
)
