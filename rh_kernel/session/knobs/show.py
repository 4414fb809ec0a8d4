"""What ``%slider`` and ``%knob`` have in common: their action, and the name that they set."""

import difflib
from collections.abc import Iterator

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.knobs.knob import KnobShown, Scale
from rh_kernel.session.knobs.turning import declared_name, parameter_name
from rh_kernel.session.results import Shown
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.parsing.lexer import words
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.types import SCALAR, Real, Type
from rh_kernel.syntax.values import constant
from rh_kernel.typing.definitions import ConstDefinition, Definitions, DimDefinition, HandlerDefinition, kind_of


@frozen
class Named:
    """A constant, a dimension or a parameter of a handler, ``sgd.alpha``.

    ``type`` is ``None`` for a dimension, ``value`` for a parameter: each application of the handler has its own.
    """

    name: str
    type: Real | None
    value: Term | None

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape of the value, with ``None`` for what follows from each application; a dimension is one number."""
        dims = (SCALAR if self.type is None else self.type).shape
        return tuple([d.constant for d in dims]) if isinstance(dims, tuple) else ()

    @property
    def is_number(self) -> bool:
        """Whether the value is one number."""
        return self.shape == (1,)

    def takes(self, shape: tuple[int, ...]) -> bool:
        """Whether an array of this shape can be the value."""
        return len(shape) == len(self.shape) and all(m in (None, n) for m, n in zip(self.shape, shape, strict=True))


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


def named(definitions: Definitions, name: str) -> Named | None:
    """Return what a knob of this name sets; ``None`` if it is no dimension, and no constant or parameter that is an array."""
    owner, parameter = declared_name(name), parameter_name(name)
    match definitions.get(owner):
        case DimDefinition(_, value) if not parameter:
            return Named(name, None, constant(value))
        case ConstDefinition(_, Real() as A, V) if not parameter:
            return Named(name, A, V)
        case HandlerDefinition(parameters=parameters):
            A = dict(parameters).get(parameter)
            return Named(name, A, None) if isinstance(A, Real) else None
        case _:
            return None


def named_number(item: items.Directive, context: AnalysisContext) -> Named:
    """Return what the first argument names. Raises ``Rejected``."""
    definitions, (name, *_) = context.definitions, item.words
    span = argument_spans(item)[0]
    owner = declared_name(name)
    if owner in definitions.named and owner in definitions.locked:
        raise refusal(item, span, "a name that is not locked", "a name declared below `%locked` cannot be changed")
    now = named(definitions, name)
    if now is not None:
        return now
    match definitions.get(owner):
        case HandlerDefinition(parameters=parameters):
            raise _no_parameter(item, span, name, parameters)
        case ConstDefinition(type=A) if owner == name:
            hint = "take it apart into constants that are numbers or arrays"
            raise refusal(item, span, f"a number or an array, and `{name}` is of type {A}", hint)
        case None:
            known = [*_settable(definitions)]
            near = difflib.get_close_matches(name, known, n=1)
            hint = "" if near else f"declare it first, for example `const {name if name.isidentifier() else 'alpha'} = 0.1`"
            fix = Fix(span, near[0]) if near else None
            raise refusal(item, span, WANTED, hint, fix)
        case other if owner != name:
            hint = f"`{owner}` is {kind_of(other)}; only a handler has parameters that can be set"
            raise refusal(item, span, WANTED, hint)
        case other:
            hint = f"`{name}` is {kind_of(other)}; name the number in it, for example `const alpha = 0.1`"
            raise refusal(item, span, WANTED, hint)


WANTED = "the name of a constant, of a dimension, or of a handler's parameter such as `sgd.alpha`"


def _no_parameter(item: items.Directive, span: Span, name: str, parameters: tuple[tuple[str, Type], ...]) -> Rejected:
    """Return the error for a name that begins with that of a handler, and names no parameter that is an array."""
    owner, parameter = declared_name(name), parameter_name(name)
    found = dict(parameters)
    if parameter in found:
        wanted = f"a number or an array, and `{name}` is of type {found[parameter]}"
        return refusal(item, span, wanted, "set a parameter that is one array")
    if not found:
        return refusal(item, span, WANTED, f"`{owner}` is a handler without parameters; give the number in it one")
    listed = ", ".join([f"`{owner}.{one}`" for one in found])
    near = difflib.get_close_matches(parameter, found, n=1) if parameter else [*found][:1] if len(found) == 1 else []
    fix = Fix(span, f"{owner}.{near[0]}") if near else None
    return refusal(item, span, WANTED, f"`{owner}` is a handler; its parameters are {listed}", fix)


def _settable(definitions: Definitions) -> Iterator[str]:
    """Yield the names that a knob can have."""
    for name, declared in definitions.named.items():
        match declared.definition:
            case ConstDefinition() | DimDefinition():
                yield name
            case HandlerDefinition(parameters=parameters):
                yield from [f"{name}.{parameter}" for parameter, _ in parameters]
            case _:
                pass
