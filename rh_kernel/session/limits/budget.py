"""Limits on the size of arrays, which are checked before allocation (LANGUAGE §7)."""

import os

from rh_kernel.arrays.options import CompileOptions
from rh_kernel.operational.limits import Limits
from rh_kernel.session.limits.bounds import EVERYTHING
from rh_kernel.session.settings import Settings
from rh_kernel.source.span import Span
from rh_kernel.syntax.runtime_errors import BYTES, too_large
from rh_kernel.training.reading.reader import ByteLimit


def available() -> int:
    """Return how many reals fit into half of the machine's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 // BYTES
    except (ValueError, OSError, AttributeError):
        return (4 << 30) // BYTES


def allowed(settings: Settings) -> int:
    """Return how many reals may be allocated at a time."""
    return available() if settings.bounds.bytes is None else settings.bounds.bytes // BYTES


def allowed_by(settings: Settings) -> str:
    """Return what sets that bound, as a part of an error message."""
    return "on this machine" if settings.bounds.bytes is None else "by `%limit bytes`"


def byte_limit(settings: Settings) -> ByteLimit:
    """Return the limit on the contents of a file."""
    return ByteLimit(allowed(settings), allowed_by(settings))


def limits(settings: Settings) -> Limits:
    """Return the limits of a reduction on this machine under these settings."""
    fuel = EVERYTHING if settings.bounds.steps is None else settings.bounds.steps
    return Limits(fuel=fuel, strict=settings.strict, reals=allowed(settings))


def compile_options(settings: Settings) -> CompileOptions:
    """Return the options for compiling a cell."""
    longest = EVERYTHING if settings.bounds.equations is None else settings.bounds.equations
    return CompileOptions(settings.strict, longest, checkpointing=settings.checkpointing)


def check_size(reals: int, what: str, span: Span | None, settings: Settings) -> None:
    """Raise ``Stuck`` if so many reals exceed the limit; ``what`` holds them and is at ``span``."""
    limit = allowed(settings)
    if reals > limit:
        raise too_large(reals, limit, what, span, allowed_by(settings))
