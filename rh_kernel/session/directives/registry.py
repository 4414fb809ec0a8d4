"""The directives by name, in the order of ``%help``. Plugins add theirs as entry points (group ``rh_kernel.directives``).

A module, which has a tuple ``DIRECTIVES``, is imported when its directive is used or when all help texts are shown. Directives
of plugins cannot belong to a section, since the parsers of sections know their directives by name.
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
"""The group of entry points; the value of each is a ``Directive`` of the same name."""

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
    EFF_SECTION: {"trace": "eff", "count": "eff", "type": "eff"},
}
"""The module of each directive, by section."""


@cache
def names(section: str = "") -> tuple[str, ...]:
    """Return the names of the directives of a section, including those of plugins."""
    return (*_MODULES[section], *(() if section else _of_plugins()))


def is_directive(name: str, section: str = "") -> bool:
    """Whether there is a directive of this name. Imports no module for a built-in one."""
    return name in _MODULES[section] or (not section and name in _of_plugins())


def find(name: str, section: str = "") -> Directive[Any] | None:
    """Return the directive of this name in a section, or ``None``."""
    if not is_directive(name, section):
        return None
    if name not in _MODULES[section]:
        return _of_plugins()[name]
    for directive in import_module(f"{__package__}.{_MODULES[section][name]}").DIRECTIVES:
        if directive.name == name and directive.section == section:
            return directive
    raise KernelBug(f"%{name} is not in its module")


@cache
def directives(section: str = "") -> Mapping[str, Directive[Any]]:
    """Return the directives of a section by name, including those of plugins."""
    return MappingProxyType({name: found for name in names(section) if (found := find(name, section)) is not None})


@cache
def all_directives() -> Mapping[str, Directive[Any]]:
    """Return the directives of all sections by name; those outside sections take precedence."""
    found = dict(directives())
    for section in (LAMBDA_SECTION, EFF_SECTION):
        found.update({name: directive for name, directive in directives(section).items() if name not in found})
    return MappingProxyType(found)


@cache
def _of_plugins() -> Mapping[str, Directive[Any]]:
    """Return the directives of plugins."""
    record: type[Directive[Any]] = Directive
    return plugins(GROUP, record, _MODULES[""])
