"""The well-formed declarations in ``%%eff`` sections."""

from collections.abc import Iterator

from rh_kernel.ad.eff.frontend import surface_items as items
from rh_kernel.ad.eff.frontend.parsing_items import item
from rh_kernel.kernel.sections.position import LONGEST
from rh_kernel.session.sections.eff_cells import declared
from rh_kernel.session.sections.eff_names import EffDeclarations
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, section
from rh_kernel.syntax.parsing.tokens import EFF_SECTION


def known(effects: EffDeclarations, parts: tuple[Span, ...]) -> EffDeclarations:
    """Return the names known after the declarations in ``parts``; those with errors are skipped."""
    for part in parts if sum([len(part.text) for part in parts]) <= LONGEST else ():
        try:
            read = item(part)
            after = None if read is None else declared(read, effects, part)
        except (Failure, RecursionError, MemoryError):
            continue
        effects = effects if after is None else after
    return effects


def includes(source: Source) -> set[str]:
    """Return the programs that the sections of a text include."""
    return {found.name.text for found in _items(source) if isinstance(found, items.IncludeItem)}


def declared_names(source: Source) -> set[str]:
    """Return the names that the sections of a text declare, including constructors and operations."""
    names: set[str] = set()
    for found in _items(source):
        match found:
            case items.DataItem(name, _, members) | items.EffectItem(name, _, members):
                names |= {name.text, *[member.name.text for member in members]}
            case items.FunItem(name) | items.HandlerItem(name):
                names.add(name.text)
            case items.FunItems(functions):
                names |= {f.name.text for f in functions}
            case items.IncludeItem() | items.RunItem() | items.DirectiveItem():
                pass
    return names


def _items(source: Source) -> Iterator[items.Item]:
    """The items that can be parsed in the sections of a text."""
    for chunk in chunks(source):
        inner = section(chunk)
        for part in inner.items if inner is not None and inner.line == EFF_SECTION else ():
            try:
                found = item(part)
            except (Failure, RecursionError):
                continue
            if found is not None:
                yield found
