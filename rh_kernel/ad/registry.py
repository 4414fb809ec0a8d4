"""The registry of systems of automatic differentiation; the package of a system is imported when the system is used.

Other distributions add systems by entry points in the group ``rh_kernel.systems``.
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
"""The name that stands for all systems."""

GROUP = "rh_kernel.systems"
"""The group of entry points; each is a ``System`` under its name."""

_PACKAGES = {
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

NAMES: tuple[str, ...] = tuple(_PACKAGES)
"""The built-in systems in the order of the tables."""


def names() -> tuple[str, ...]:
    """Return all systems, including those that other distributions add."""
    return (*NAMES, *_added())


def is_system(name: str) -> bool:
    """Whether there is a system of this name; does not import built-in systems."""
    return name in _PACKAGES or name in _added()


@cache
def _added() -> Mapping[str, System]:
    return plugins(GROUP, System, (*NAMES, ALL))


def system(name: str, span: Span | None = None) -> System:
    """Return the system of this name. Raises ``Rejected``."""
    if name not in _PACKAGES:
        if name in _added():
            return _added()[name]
        close = difflib.get_close_matches(name, (*names(), ALL), n=1)
        fix = Fix(span, close[0]) if close and span is not None else None
        expected = ", ".join((*names(), ALL))
        hint = f"`%ad {ALL} f(…)` runs all systems"
        raise Rejected(UnknownSystem(span=span, name=name, expected=expected, fix=fix, hint=hint))
    systems: tuple[System, ...] = import_module(f"rh_kernel.ad.{_PACKAGES[name]}.systems").SYSTEMS
    for candidate in systems:
        if candidate.name == name:
            return candidate
    raise KernelBug(f"rh_kernel.ad.{_PACKAGES[name]} has no system {name}")
