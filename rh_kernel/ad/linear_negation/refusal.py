"""Refusal of programs outside of the calculus."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from rh_kernel.ad.errors import OutsideFragment
from rh_kernel.source.diagnostic import Rejected

NAME = "linear-negation"


def outside(construct: str, hint: str = "") -> Rejected:
    """The refusal of a construct, to be raised."""
    return Rejected(OutsideFragment(system=NAME, construct=construct, hint=hint))


@contextmanager
def refusing_as(system: str) -> Generator[None]:
    """Name ``system`` in refusals: ``tape`` uses the translation of ``linear-negation``."""
    try:
        yield
    except Rejected as rejected:
        diagnostics = [replace(d, system=system) if isinstance(d, OutsideFragment) else d for d in rejected.diagnostics]
        raise Rejected(*diagnostics) from None
