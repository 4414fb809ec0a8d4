"""How large arrays may get: what cannot be allocated is refused with the size it would need (LANGUAGE §7)."""

import os

from rh_kernel.session.errors import TooLarge
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Span

_BYTES = 8  # of a float64


def available() -> int:
    """Half of the machine's memory, in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (ValueError, OSError, AttributeError):
        return 4 << 30


def check_size(reals: int, what: str, span: Span | None) -> None:
    """Raises ``Stuck`` if so many reals would not fit."""
    limit = available()
    if reals * _BYTES > limit:
        raise Stuck(
            TooLarge(
                span=span,
                what=what,
                needed=readable(reals * _BYTES),
                expected=f"at most {readable(limit)} on this machine",
                hint="make one of the dimensions smaller",
            )
        )


def readable(size: int) -> str:
    """``8.0 TB``"""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if amount < 1000:
            return f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:.3g} EB"
