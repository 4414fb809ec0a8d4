"""Limits of a reduction: the number of steps, the size of arrays, and where function symbols are defined (LANGUAGE §4, §7)."""

from dataclasses import dataclass
from math import prod

from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.primitives.table import require
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.runtime_errors import impossible_size, too_large
from rh_kernel.syntax.types import Real, concrete_shape, leaves

DOUBLING = "raise the limit with `%limit steps`, or look for a definition that doubles its work"
DERIVING = "by Fig. 6 each `let` under an `rd` doubles the steps, as `%evaluator compiled` does not; `%limit steps` allows more"
MANY = 8
"""If more than one step in this many unfolds an ``R``, the hint blames derivatives; other steps evaluate what R produces."""


@dataclass(frozen=True, slots=True)
class Limits:
    """``fuel`` is the maximal number of steps; ``strict`` leaves ``Ev(f, V)`` undefined where f is not smooth, as in PSmooth.

    ``reals`` is the maximal number of reals in one array.
    """

    fuel: int = 10_000_000
    strict: bool = False
    reals: int = 1 << 40

    def check(self, count: int, span: Span | None, unfolded: int = 0) -> None:
        """Raises ``Stuck`` if ``count`` steps have used up the fuel; ``unfolded`` of them were equations of Fig. 6."""
        if count >= self.fuel:
            hint = DERIVING if unfolded * MANY > count else DOUBLING
            raise Stuck(OutOfFuel(span=span, steps=count, hint=hint))

    def check_arrays(self, f: Primitive, span: Span | None) -> None:
        """Raises ``Stuck`` if f is not available, or if an argument or the result is too large or has an impossible size."""
        require(f, span)
        for A in (f.codomain, *leaves(f.domain)):
            shape = concrete_shape(A) if isinstance(A, Real) else None
            if shape is None or any(n < 0 for n in shape):
                raise impossible_size(A, span)
            if (count := prod(shape)) > self.reals:
                raise too_large(count, self.reals, f"an array of type {A}", span)
