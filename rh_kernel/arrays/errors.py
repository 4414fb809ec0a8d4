"""Diagnostics of the compiler for accepted programs (RH2xx), and of a GPU that fails (RH4xx)."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class ProgramTooLong(Diagnostic):
    """More equations than the bound allows."""

    code, title = "RH231", "The compiled program is too long"
    label = "the straight-line program would have more than {limit:,} equations"
    limit: int
    hint: str = (
        "a continuation used twice, or a function that calls another twice, doubles everything below it; "
        "raise the limit with `%limit equations`"
    )


@frozen_kw_only
class GPUFailed(Diagnostic):
    """The GPU, its driver or its compiler has failed."""

    code, title = "RH402", "GPU failure"
    label = "CUDA says: {why}"
    why: str
    hint: str = "`%device cpu` continues without it; to use the GPU again, restart the kernel"
