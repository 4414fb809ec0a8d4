"""What lies outside of the fragment, refused by name."""

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
def speaking_for(system: str) -> Generator[None]:
    """Where refusals are those of another system, which uses the same reading of programs."""
    try:
        yield
    except Rejected as rejected:
        told = [replace(d, system=system) if isinstance(d, OutsideFragment) else d for d in rejected.diagnostics]
        raise Rejected(*told) from None
