"""Why a program that was accepted cannot be compiled (RH2xx)."""

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
        "a continuation used twice, or a function that calls another twice, doubles what stands below it; "
        "`%limit equations` allows more"
    )
