"""RH2xx: why a reduction has no next step (RH §5)."""

from dataclasses import dataclass
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class NoContent(Diagnostic):
    """``Get`` or ``Put`` at a location that the heap does not hold."""

    code: ClassVar[str] = "RH202"
    title: ClassVar[str] = "No such location in the heap"
    label: ClassVar[str] = "the heap has no location {location}"

    location: str


@dataclass(frozen=True, kw_only=True)
class OutOfFuel(Diagnostic):
    """The limit on the number of steps was reached."""

    code: ClassVar[str] = "RH204"
    title: ClassVar[str] = "Step limit reached"
    label: ClassVar[str] = "the reduction was stopped after {steps:,} steps"

    steps: int
