"""``%whos``: the names of a session, and which of them were made from something that has changed since.

The functions of the laboratory and the declarations of ``%%eff`` cells come last: they are put in place where they are used, so
none is ever outdated.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rh_kernel.session.describing import type_text
from rh_kernel.session.results import NameShown
from rh_kernel.source.span import Span
from rh_kernel.typing.definitions import Definition, Definitions, kind_of

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.eff_names import Effects

FUNCTION = "a function"
"""What kind of thing a function of a ``%%lambda`` cell is."""


def names_shown(
    definitions: Definitions, functions: "Mapping[str, Program]", effects: "Effects | None" = None
) -> tuple[NameShown, ...]:
    """What ``%whos`` lists."""
    outdated = definitions.outdated()
    declared = sorted(definitions.named.values(), key=lambda d: d.number)
    names = [_name_shown(d.definition, d.span, outdated) for d in declared if d.span is not None]
    names += [NameShown(name, FUNCTION, arrow(f), "%%lambda", ()) for name, f in functions.items()]
    return (*names, *(() if effects is None else effects.names))


def declarations(effects: "Effects | None") -> Mapping[str, object]:
    """What ``%%eff`` cells have declared, by its names; what was included is one."""
    return {} if effects is None else effects.items


def same_declarations(one: "Effects | None", other: "Effects | None") -> bool:
    """Whether all of ``%%eff`` cells is the same, wherever it was declared last."""
    return one is other or (one is not None and other is not None and one.definitions is other.definitions)


def arrow(f: "Program") -> str:
    """The type of a function of the laboratory as it is shown, and can be written: ``(Real -> Real) -> Real``."""
    from rh_kernel.ad.language.types import Function

    return str(Function(f.domain, f.result)).replace("→", "->")


def _name_shown(definition: Definition, span: Span, outdated: Mapping[str, tuple[str, ...]]) -> NameShown:
    name = definition.name
    place = f"{span.source.name}, line {span.position[0]}"
    return NameShown(name, kind_of(definition), type_text(definition), place, outdated.get(name, ()))
