"""The directives by their names, in the order of ``%help``; other distributions add theirs (group ``rh_kernel.directives``).

A module is imported when its directive is used, or when the texts of all are shown. It has a tuple ``DIRECTIVES``. What other
distributions add belongs to no section: a section's own parser knows which directives it has.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

from rh_kernel.session.directives.directive import Directive
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.plugins import plugins
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION

GROUP = "rh_kernel.directives"
"""The group of entry points; each is a ``Directive``, under its name."""

_MODULES: Mapping[str, Mapping[str, str]] = {
    "": {
        "trace": "trace",
        "type": "type",
        "derivation": "derivation",
        "diagram": "diagram",
        "gradient": "gradient",
        "compile": "compile",
        "heap": "heap",
        "reset": "heap",
        "save": "save",
        "load": "save",
        "whos": "whos",
        "undo": "undo",
        "limit": "limit",
        "locked": "settings",
        "strict": "settings",
        "evaluator": "settings",
        "device": "settings",
        "dtype": "settings",
        "help": "help",
        "lsmagic": "help",
    },
    LAMBDA_SECTION: {"ad": "ad"},
    EFF_SECTION: {"trace": "effects", "count": "effects", "type": "effects"},
}
"""By section, the module of each directive."""


@cache
def names(section: str = "") -> tuple[str, ...]:
    """The names of the directives of a section, also of those that other distributions add."""
    return (*_MODULES[section], *(() if section else _added()))


def is_directive(name: str, section: str = "") -> bool:
    """Whether there is a directive of this name. No module is imported for one that comes with the language."""
    return name in _MODULES[section] or (not section and name in _added())


def find(name: str, section: str = "") -> Directive[Any] | None:
    """The directive of this name in a section, if there is one."""
    if not is_directive(name, section):
        return None
    if name not in _MODULES[section]:
        return _added()[name]
    for directive in import_module(f"{__package__}.{_MODULES[section][name]}").DIRECTIVES:
        if directive.name == name and directive.section == section:
            return directive
    raise KernelBug(f"%{name} is not in its module")


@cache
def directives(section: str = "") -> Mapping[str, Directive[Any]]:
    """The directives of a section by their names, with those that other distributions add."""
    return MappingProxyType({name: found for name in names(section) if (found := find(name, section)) is not None})


@cache
def all_directives() -> Mapping[str, Directive[Any]]:
    """The directives of all sections; of two with the same name the one that needs no section."""
    found = dict(directives())
    for section in (LAMBDA_SECTION, EFF_SECTION):
        found.update({name: directive for name, directive in directives(section).items() if name not in found})
    return MappingProxyType(found)


@cache
def _added() -> Mapping[str, Directive[Any]]:
    """The directives of other distributions."""
    record: type[Directive[Any]] = Directive
    return plugins(GROUP, record, _MODULES[""])
