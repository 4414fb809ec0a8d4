"""Why a program that was accepted cannot be compiled (RH2xx), or a graphics card does not do it (RH4xx)."""

from dataclasses import dataclass
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class ProgramTooLong(Diagnostic):
    """More equations than there is memory or patience for."""

    code: ClassVar[str] = "RH231"
    title: ClassVar[str] = "The compiled program is too long"
    label: ClassVar[str] = "the straight-line program would have more than {limit:,} equations"

    limit: int
    hint: str = (
        "a continuation used twice, or a function that calls another twice, doubles everything below it; "
        "raise the limit with `%limit equations`"
    )


@dataclass(frozen=True, kw_only=True)
class CardFailed(Diagnostic):
    """The graphics card, its driver or the compiler for it has given up."""

    code: ClassVar[str] = "RH402"
    title: ClassVar[str] = "GPU failure"
    label: ClassVar[str] = "CUDA says: {why}"

    why: str
    hint: str = "`%device cpu` continues without it; to use the GPU again, restart the kernel"
