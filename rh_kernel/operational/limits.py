"""What bounds a reduction: how many steps it may take, and where function symbols are defined (LANGUAGE §4, §7)."""

from dataclasses import dataclass

from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Span


@dataclass(frozen=True, slots=True)
class Limits:
    """``fuel`` is the number of steps; ``strict`` leaves ``Ev(f, V)`` undefined where f is not smooth, as in PSmooth."""

    fuel: int = 10_000_000
    strict: bool = False

    def check(self, count: int, span: Span | None) -> None:
        """Raises ``Stuck`` if ``count`` steps were all that is allowed."""
        if count >= self.fuel:
            hint = "raise the limit, or look for a definition that doubles its work"
            raise Stuck(OutOfFuel(span=span, steps=count, hint=hint))
