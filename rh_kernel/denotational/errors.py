"""RH2xx: why an accepted program has no denotation that fits in memory."""

from dataclasses import dataclass
from typing import ClassVar

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class DiagramTooLarge(Diagnostic):
    """A diagram with more boxes than the limit."""

    code: ClassVar[str] = "RH232"
    title: ClassVar[str] = "The diagram is too large"
    label: ClassVar[str] = "the string diagram of this would have more than {limit} boxes"

    limit: int
    hint: str = "a continuation used twice, or a function that calls another twice, doubles everything below it"
