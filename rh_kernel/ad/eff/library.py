"""The programs that ``include`` knows: the files ``rh_kernel/ad/handlers/NAME.eff``."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from rh_kernel.ad.eff.frontend.parsing_items import items
from rh_kernel.ad.eff.frontend.surface_items import (
    DataItem,
    DirectiveItem,
    EffectItem,
    FunItem,
    FunItems,
    HandlerItem,
    IncludeItem,
    Item,
    RunItem,
)
from rh_kernel.source.span import Source
from rh_kernel.syntax.surface import Name

_FOLDER, _ENDING = "rh_kernel.ad.handlers", ".eff"


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The names of all programs."""
    found = [file.name for file in files(_FOLDER).iterdir()]
    return tuple(sorted(name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING)))


@lru_cache(maxsize=128)
def included(name: str) -> Source:
    """The text of a program that is one of ``names``."""
    file = f"{name}{_ENDING}"
    return Source(file, files(_FOLDER).joinpath(file).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def homes() -> Mapping[str, str]:
    """Which program declares a name, the first one in their order."""
    found: dict[str, str] = {}
    for program in names():
        for item in items(included(program)):
            for name in _declared(item):
                found.setdefault(name.text, program)
    return found


def _declared(item: Item) -> tuple[Name, ...]:
    """The names that an item declares."""
    match item:
        case DataItem(name, _, constructors):
            return (name, *[k.name for k in constructors])
        case EffectItem(name, _, operations):
            return (name, *[o.name for o in operations])
        case FunItem(name) | HandlerItem(name):
            return (name,)
        case FunItems(functions):
            return tuple([f.name for f in functions])
        case IncludeItem() | RunItem() | DirectiveItem():
            return ()


def prelude() -> Source:
    """The text of what every program has."""
    return Source("prelude.eff", files("rh_kernel.ad.eff").joinpath("prelude.eff").read_text(encoding="utf-8"))
