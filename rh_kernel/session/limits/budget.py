"""How large arrays may get: what cannot be allocated is refused with the size it would need (LANGUAGE §7)."""

import os

from rh_kernel.operational.limits import Limits
from rh_kernel.session.limits.bounds import EVERYTHING
from rh_kernel.session.settings import Settings
from rh_kernel.source.span import Span
from rh_kernel.syntax.runtime_errors import BYTES, too_large
from rh_kernel.training.reading.reader import ByteLimit


def available() -> int:
    """How many reals fill half of the machine's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 // BYTES
    except (ValueError, OSError, AttributeError):
        return (4 << 30) // BYTES


def allowed(settings: Settings) -> int:
    """How many reals there may be at a time."""
    return available() if settings.bounds.bytes is None else settings.bounds.bytes // BYTES


def allowed_by(settings: Settings) -> str:
    """What sets that bound, as a message says it."""
    return "on this machine" if settings.bounds.bytes is None else "by `%limit bytes`"


def byte_limit(settings: Settings) -> ByteLimit:
    """How much of a file may be read at a time."""
    return ByteLimit(allowed(settings), allowed_by(settings))


def limits(settings: Settings) -> Limits:
    """What bounds a reduction on this machine, under these settings."""
    fuel = EVERYTHING if settings.bounds.steps is None else settings.bounds.steps
    return Limits(fuel=fuel, strict=settings.strict, reals=allowed(settings))


def longest(settings: Settings) -> int:
    """How many equations a compiled program may have."""
    return EVERYTHING if settings.bounds.equations is None else settings.bounds.equations


def check_size(reals: int, what: str, span: Span | None, settings: Settings) -> None:
    """Raises ``Stuck`` if so many reals would not fit."""
    limit = allowed(settings)
    if reals > limit:
        raise too_large(reals, limit, what, span, allowed_by(settings))
