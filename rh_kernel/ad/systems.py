"""The systems of automatic differentiation by their names, each in a package that is imported when the system is used.

Other distributions add theirs: entry points of the group ``rh_kernel.systems``.
"""

import difflib
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from rh_kernel.ad.errors import UnknownSystem
from rh_kernel.ad.system import System
from rh_kernel.source.diagnostic import Fix, KernelBug, Rejected
from rh_kernel.source.plugins import plugins
from rh_kernel.source.span import Span

ALL = "all"
"""Asks for every system."""

GROUP = "rh_kernel.systems"
"""The group of entry points; each is a ``System``, under its name."""

_HOMES = {
    "reverse-derivative": "reverse_handlers",
    "reverse-handler": "reverse_handlers",
    "chad": "chad",
    "chad-forward": "chad",
    "chad-combinators": "chad",
    "chad-accumulated": "chad",
    "unary": "unary_form",
    "direct": "unary_form",
    "linear-negation": "linear_negation",
    "tape": "linear_negation",
    "effects:forward": "handlers",
    "effects:stateful": "handlers",
    "effects:continuation": "handlers",
    "effects:taped": "handlers",
    "effects:second": "handlers",
    "effects:hessian": "handlers",
    "effects:checkpointed": "handlers",
    "effects:higher-order": "handlers",
    "effects:higher-order-checkpointed": "handlers",
    "finite-differences": "finite_differences",
}

NAMES: tuple[str, ...] = tuple(_HOMES)
"""The systems that come with the language, in the order of the tables."""


def names() -> tuple[str, ...]:
    """All systems, also those that other distributions add."""
    return (*NAMES, *_added())


def is_system(name: str) -> bool:
    """Whether there is a system of this name. Nothing is imported for one that comes with the language."""
    return name in _HOMES or name in _added()


@cache
def _added() -> Mapping[str, System]:
    return plugins(GROUP, System, (*NAMES, ALL))


def system(name: str, span: Span | None = None) -> System:
    """The system of a name. Raises ``Rejected``."""
    if name not in _HOMES:
        if name in _added():
            return _added()[name]
        close = difflib.get_close_matches(name, (*names(), ALL), n=1)
        fix = Fix(span, close[0]) if close and span is not None else None
        expected = ", ".join((*names(), ALL))
        hint = f"`%ad {ALL} f(…)` runs all systems"
        raise Rejected(UnknownSystem(span=span, name=name, expected=expected, fix=fix, hint=hint))
    found: tuple[System, ...] = import_module(f"rh_kernel.ad.{_HOMES[name]}.systems").SYSTEMS
    for candidate in found:
        if candidate.name == name:
            return candidate
    raise KernelBug(f"{name} is not where it should be")
