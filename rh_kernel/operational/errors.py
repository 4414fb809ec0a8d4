"""RH2xx: why a reduction has no next step (RH §5)."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class NoContent(Diagnostic):
    """``Get`` or ``Put`` at a location that the heap does not hold."""

    code, title = "RH202", "No such location in the heap"
    label = "the heap has no location {location}"
    location: str


@frozen_kw_only
class OutOfFuel(Diagnostic):
    """The limit on the number of steps was reached."""

    code, title = "RH204", "Step limit reached"
    label = "the reduction was stopped after {steps:,} steps"
    steps: int
