"""``%whos``: the names of a session, and which of them were made from something that has changed since."""

from collections.abc import Mapping

from rh_kernel.session.describing import type_text
from rh_kernel.session.results import NameShown
from rh_kernel.source.span import Span
from rh_kernel.typing.definitions import Definition, Definitions, kind_of


def names_shown(definitions: Definitions) -> tuple[NameShown, ...]:
    """What ``%whos`` lists."""
    outdated = definitions.outdated()
    declared = sorted(definitions.named.values(), key=lambda d: d.number)
    return tuple([_name_shown(d.definition, d.span, outdated) for d in declared if d.span is not None])


def _name_shown(definition: Definition, span: Span, outdated: Mapping[str, tuple[str, ...]]) -> NameShown:
    name = definition.name
    place = f"{span.source.name}, line {span.position[0]}"
    return NameShown(name, kind_of(definition), type_text(definition), place, outdated.get(name, ()))
