"""What ``%slider`` and ``%knob`` have in common: their action, and the name that they set."""

import difflib

from rh_kernel.primitives.values import to_array
from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.knobs.knob import KnobShown, Scale
from rh_kernel.session.results import Shown
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Array, Term
from rh_kernel.syntax.parsing.lexer import words
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.types import Real, Type
from rh_kernel.syntax.values import constant
from rh_kernel.typing.definitions import ConstDefinition, Declared, DimDefinition, kind_of


@frozen
class Named:
    """A constant or a dimension: its type, ``None`` for a dimension, and its current value."""

    name: str
    type: Type | None
    value: Term

    @property
    def content(self) -> Array:
        """The value as an array."""
        return to_array(self.value)


@frozen
class ShowKnob(Action):
    """``%slider`` or ``%knob``"""

    named: Named
    values: tuple[Term, ...]
    scale: Scale

    def run(self, number: int, state: State) -> Run:
        """Show the knob."""
        yield Shown(number, KnobShown(self.named.name, self.named.type is None, self.named.value, self.values, self.scale))
        return state


def argument_spans(item: items.Directive) -> tuple[Span, ...]:
    """Return the spans of the words behind the name of a directive."""
    rest = Span(item.span.source, item.name.span.end, item.span.end)
    return tuple([Span(item.span.source, t.start, t.end) for t in words(rest) if t.kind is not Kind.COMMENT])


def refusal(item: items.Directive, span: Span, wanted: str, hint: str, fix: Fix | None = None) -> Rejected:
    """Return the error for an argument."""
    return invalid_arguments(item.name.text, span, wanted, f"`{span.text}`", hint, fix)


def named(declared: Declared | None) -> Named | None:
    """Return what a knob can set: a dimension, or a constant that is an array; ``None`` for anything else."""
    match None if declared is None else declared.definition:
        case DimDefinition(name, value):
            return Named(name, None, constant(value))
        case ConstDefinition(name, Real() as A, V):
            return Named(name, A, V)
        case _:
            return None


def named_number(item: items.Directive, context: AnalysisContext) -> Named:
    """Return the constant or dimension that the first argument names. Raises ``Rejected``."""
    definitions, (name, *_) = context.definitions, item.words
    span = argument_spans(item)[0]
    found = definitions.named.get(name)
    if found is not None and name in definitions.locked:
        raise refusal(item, span, "a name that is not locked", "a name declared below `%locked` cannot be changed")
    now = named(found)
    if now is not None:
        return now
    match None if found is None else found.definition:
        case ConstDefinition(type=A):
            hint = "take it apart into constants that are numbers or arrays"
            raise refusal(item, span, f"a number or an array, and `{name}` is of type {A}", hint)
        case None:
            known = [
                other
                for other, declared in definitions.named.items()
                if isinstance(declared.definition, ConstDefinition | DimDefinition)
            ]
            near = difflib.get_close_matches(name, known, n=1)
            hint = "" if near else f"declare it first, for example `const {name if name.isidentifier() else 'alpha'} = 0.1`"
            fix = Fix(span, near[0]) if near else None
            raise refusal(item, span, "the name of a constant or of a dimension", hint, fix)
        case other:
            hint = f"`{name}` is {kind_of(other)}; name the number in it, for example `const alpha = 0.1`"
            raise refusal(item, span, "the name of a constant or of a dimension", hint)
