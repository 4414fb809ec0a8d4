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


@dataclass(frozen=True, kw_only=True)
class UnknownRounds(Diagnostic):
    """``%diagram`` of a net, generic in the number of rounds, whose types in a round depend on the number of the round."""

    code: ClassVar[str] = "RH233"
    title: ClassVar[str] = "Number of rounds not known"
    label: ClassVar[str] = "this repeats {count} rounds, which is not a number here"

    count: str
    hint: str = "ask about a use of the net, with a family and an input"
