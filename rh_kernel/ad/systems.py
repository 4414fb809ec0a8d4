"""The systems of the laboratory by their names. A system's package is imported when it is asked for."""

import difflib
from importlib import import_module

from rh_kernel.ad.errors import UnknownSystem
from rh_kernel.ad.system import System
from rh_kernel.source.diagnostic import Fix, KernelBug, Rejected
from rh_kernel.source.span import Span

ALL = "all"
"""Asks for every system."""

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
"""The systems in the order of the tables."""


def system(name: str, span: Span | None = None) -> System:
    """The system of a name. Raises ``Rejected``."""
    if name not in _HOMES:
        close = difflib.get_close_matches(name, (*NAMES, ALL), n=1)
        fix = Fix(span, close[0]) if close and span is not None else None
        expected = ", ".join((*NAMES, ALL))
        hint = f"`%ad {ALL} f(…)` runs all systems"
        raise Rejected(UnknownSystem(span=span, name=name, expected=expected, fix=fix, hint=hint))
    found: tuple[System, ...] = import_module(f"rh_kernel.ad.{_HOMES[name]}.systems").SYSTEMS
    for candidate in found:
        if candidate.name == name:
            return candidate
    raise KernelBug(f"{name} is not where it should be")
