"""``%whos``: the declared names, each with the names that it depends on and that were redeclared since.

Functions of ``%%lambda`` cells and declarations of ``%%eff`` cells come last. They are inlined or linked where they are used,
so they are never outdated.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rh_kernel.session.results import NameShown
from rh_kernel.session.signatures import type_text
from rh_kernel.typing.definitions import Definitions, kind_of

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.eff_names import EffDeclarations

FUNCTION = "a function"
"""The kind of a function of a ``%%lambda`` cell."""


def names_shown(
    definitions: Definitions, functions: "Mapping[str, Program]", effects: "EffDeclarations | None" = None
) -> tuple[NameShown, ...]:
    """Return the lines of ``%whos``."""
    outdated = definitions.outdated()
    names: list[NameShown] = []
    for declared in sorted(definitions.named.values(), key=lambda d: d.number):
        if declared.span is not None:
            definition, place = declared.definition, f"{declared.span.source.name}, line {declared.span.position[0]}"
            newer = outdated.get(definition.name, ())
            names.append(NameShown(definition.name, kind_of(definition), type_text(definition), place, newer))
    names += [NameShown(name, FUNCTION, arrow(f), "%%lambda", ()) for name, f in functions.items()]
    return (*names, *(() if effects is None else effects.names))


def arrow(f: "Program") -> str:
    """Return the type of a function of a ``%%lambda`` cell in concrete syntax: ``(Real -> Real) -> Real``."""
    from rh_kernel.ad.language.types import Function

    return str(Function(f.domain, f.result)).replace("→", "->")
