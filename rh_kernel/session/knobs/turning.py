"""A session in which a constant, a dimension or a parameter of a handler has another value.

What is declared with it is declared again.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from rh_kernel.primitives.values import to_array
from rh_kernel.session.actions import Refuse
from rh_kernel.session.analyze import analyze_at_once
from rh_kernel.session.declare import Declare, with_contents
from rh_kernel.session.reachable import dependents, unreachable
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import KernelBug, Rejected
from rh_kernel.source.span import Source
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array, Term
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.surface_items import Item
from rh_kernel.syntax.values import constant
from rh_kernel.typing.definitions import ConstDefinition, Declared, Definitions, DimDefinition, HandlerDefinition


def turned(session: Session, name: str, value: Term) -> Session:
    """Return the session in which the constant or dimension ``name`` has this value, a closed term of its type.

    For the name ``sgd.alpha`` each application of the handler ``sgd`` gets the value, a constant, for its parameter ``alpha``.
    What is declared with the name, directly or not, is declared again with the same text; locations among these get their
    initial content, and all others keep theirs. Raises ``Rejected`` if one of these declarations has an error with this value,
    and ``Stuck`` if an initial content has no value.
    """
    owner, parameter = declared_name(name), parameter_name(name)
    declared = session.definitions.named[owner]
    to_renew = [session.definitions.named[found] for found in dependents(session.definitions, owner)]
    definitions = _with_value(session.definitions, declared, parameter, value)
    after = replace(session, definitions=definitions)
    for old in to_renew:
        after = _renewed(after, old)
    gone = unreachable(after.heap, after.definitions) if after.heap is not session.heap else frozenset[Location]()
    return replace(after, heap=_without(after.heap, gone), initial=_without(after.initial, gone)) if gone else after


def declared_name(name: str) -> str:
    """Return the name of the declaration that a knob sets: for ``sgd.alpha`` that of the handler."""
    return name.partition(".")[0]


def parameter_name(name: str) -> str:
    """Return the parameter in ``sgd.alpha``; it is empty for the name of a constant or dimension."""
    return name.partition(".")[2]


def _with_value(definitions: Definitions, declared: Declared, parameter: str, value: Term) -> Definitions:
    name, content = declared.definition.name, to_array(value)
    match declared.definition:
        case HandlerDefinition() as H:
            definition = replace(H, given=MappingProxyType({**H.given, parameter: constant(content)}))
            return definitions.with_(definition, declared.span, declared.cell, (), declared.text)
        case DimDefinition():
            definition = DimDefinition(name, int(content.item()))
        case ConstDefinition(type=A):
            definition = ConstDefinition(name, A, value)
        case other:
            raise KernelBug(f"`{other.name}` is no number")
    return definitions.with_(definition, declared.span, declared.cell, (), f"{name} = {content.tolist()}")


def _renewed(session: Session, old: Declared) -> Session:
    """Return the session after the text of a declaration has been run again."""
    item = _item_of(old)
    if item is None:
        return session
    context, action = analyze_at_once(item, replace(session.context, cell=old.cell))
    if isinstance(action, Refuse):
        raise Rejected(*action.diagnostics)
    state = session.state
    if isinstance(action, Declare):
        state = with_contents(state, exhaust(action.contents(state)))
    return replace(session, definitions=context.definitions, heap=state.heap, initial=state.initial)


def _item_of(declared: Declared) -> Item | None:
    """Return the item of a declaration, or ``None`` if it was not declared by a text."""
    span = declared.span
    if span is None:
        return None
    for item in _items(span.source):
        if not isinstance(item, Unparsed) and item.span.start <= span.start and span.end <= item.span.end:
            return item
    return None


@lru_cache(64)
def _items(source: Source) -> tuple[Item | Unparsed, ...]:
    return tuple(parse(source))


def _without(arrays: Mapping[Location, Array], gone: frozenset[Location]) -> Mapping[Location, Array]:
    return MappingProxyType({location: array for location, array in arrays.items() if location not in gone})
