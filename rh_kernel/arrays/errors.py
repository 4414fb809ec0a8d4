"""Diagnostics of the compiler for accepted programs (RH2xx), and of a GPU that fails (RH4xx)."""

from dataclasses import dataclass
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class ProgramTooLong(Diagnostic):
    """More equations than the bound allows."""

    code: ClassVar[str] = "RH231"
    title: ClassVar[str] = "The compiled program is too long"
    label: ClassVar[str] = "the straight-line program would have more than {limit:,} equations"

    limit: int
    hint: str = (
        "a continuation used twice, or a function that calls another twice, doubles everything below it; "
        "raise the limit with `%limit equations`"
    )


@dataclass(frozen=True, kw_only=True)
class GPUFailed(Diagnostic):
    """The GPU, its driver or its compiler has failed."""

    code: ClassVar[str] = "RH402"
    title: ClassVar[str] = "GPU failure"
    label: ClassVar[str] = "CUDA says: {why}"

    why: str
    hint: str = "`%device cpu` continues without it; to use the GPU again, restart the kernel"
