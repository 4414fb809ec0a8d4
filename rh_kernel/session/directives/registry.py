"""The directives by name. A module of this package is the directive of its file name, and is found without a list.
In the name of a directive, a hyphen stands for the underscore in that of its module.

The modules of ``lambda_section`` and ``eff_section`` are the directives of ``%%lambda`` and ``%%eff`` cells. A module is
imported when its directive is used, or when all help texts are shown: the names alone come from the file names. Plugins add
directives as entry points (group ``rh_kernel.directives``); they cannot belong to a section, since the parsers of sections
know their directives by name.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from rh_kernel.session.directives.directive import Directive
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.plugins import plugins
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION

GROUP = "rh_kernel.directives"
"""The group of entry points; the value of each is a ``Directive`` of the same name."""

_HERE = "rh_kernel.session.directives"
_PACKAGES = {"": _HERE, LAMBDA_SECTION: f"{_HERE}.lambda_section", EFF_SECTION: f"{_HERE}.eff_section"}
"""The package of the directives of each section."""

_SHARED = frozenset({"arguments", "directive", "lines", "registry"})
"""The modules of this package that are not directives."""


@cache
def built_in(section: str = "") -> tuple[str, ...]:
    """Return the names of the directives of a section that come with the language, in alphabetical order."""
    modules = [found.name for found in iter_modules(import_module(_PACKAGES[section]).__path__) if not found.ispkg]
    return tuple(sorted([name.replace("_", "-") for name in modules if name not in _SHARED]))


@cache
def names(section: str = "") -> tuple[str, ...]:
    """Return the names of the directives of a section, those of plugins last."""
    return (*built_in(section), *(() if section else _of_plugins()))


def is_directive(name: str, section: str = "") -> bool:
    """Whether there is a directive of this name. Imports no module for a built-in one."""
    return name in built_in(section) or (not section and name in _of_plugins())


def find(name: str, section: str = "") -> Directive[Any] | None:
    """Return the directive of this name in a section, or ``None``."""
    if not is_directive(name, section):
        return None
    if name not in built_in(section):
        return _of_plugins()[name]
    module = f"{_PACKAGES[section]}.{name.replace('-', '_')}"
    directive: Directive[Any] = import_module(module).DIRECTIVE
    if (directive.name, directive.section) != (name, section):
        raise KernelBug(f"{module} has the directive %{directive.name}{directive.section and f' of {directive.section}'}")
    return directive


@cache
def directives(section: str = "") -> Mapping[str, Directive[Any]]:
    """Return the directives of a section by name, including those of plugins, in the order of ``%help``."""
    found = [directive for name in names(section) if (directive := find(name, section)) is not None]
    return MappingProxyType({d.name: d for d in sorted(found, key=lambda d: (d.order, d.name))})


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
    return plugins(GROUP, record, built_in())
