"""The programs of the library, for ``include``: the files ``rh_kernel/ad/handlers/NAME.eff``."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from rh_kernel.ad.eff.frontend import surface_items as s
from rh_kernel.ad.eff.frontend.parsing_items import items
from rh_kernel.source.span import Source
from rh_kernel.syntax.surface import Name

_FOLDER, _ENDING = "rh_kernel.ad.handlers", ".eff"


@cache
def names() -> tuple[str, ...]:
    """The names of all programs."""
    found = [file.name for file in files(_FOLDER).iterdir()]
    return tuple(sorted(name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING)))


@cache
def source(name: str) -> Source:
    """The source of one of the programs."""
    file = f"{name}{_ENDING}"
    return Source(file, files(_FOLDER).joinpath(file).read_text(encoding="utf-8"))


@cache
def declaring_programs() -> Mapping[str, str]:
    """The first program that declares each name."""
    found: dict[str, str] = {}
    for program in names():
        for item in items(source(program)):
            for name in _declared(item):
                found.setdefault(name.text, program)
    return found


def _declared(item: s.Item) -> tuple[Name, ...]:
    """The names that an item declares."""
    match item:
        case s.DataItem(name, _, constructors):
            return (name, *[k.name for k in constructors])
        case s.EffectItem(name, _, operations):
            return (name, *[o.name for o in operations])
        case s.FunItem(name) | s.HandlerItem(name):
            return (name,)
        case s.FunItems(functions):
            return tuple([f.name for f in functions])
        case s.IncludeItem() | s.RunItem() | s.DirectiveItem():
            return ()


def prelude() -> Source:
    """The source of the prelude, the declarations that every program has."""
    return Source("prelude.eff", files("rh_kernel.ad.eff").joinpath("prelude.eff").read_text(encoding="utf-8"))
