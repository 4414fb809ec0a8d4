"""Linearity of function symbols in their arguments, which allows dropping zeros and commuting with means.

``f`` is linear in argument i when ``f(…, x + y, …) = f(…, x, …) + f(…, y, …)`` with the others fixed, and jointly linear
when the same holds for all arguments at once.
"""

from collections.abc import Sequence

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.core import Primitive


def vanishes(f: Primitive, zero: Sequence[bool]) -> bool:
    """Whether ``f`` is 0 if the marked arguments are 0; for a product, even if the other factor is infinite or nan."""
    return vanishes_together(f, zero) or any(zero[i] for i in SYMBOLS[f.name].linear_in)


def vanishes_together(f: Primitive, zero: Sequence[bool]) -> bool:
    """Whether ``f`` is 0 if the marked arguments are 0, for all values of the others."""
    return SYMBOLS[f.name].jointly_linear and all(zero)


def commutes_with_mean(f: Primitive, varying: Sequence[bool]) -> bool:
    """Whether the mean of ``f(x)`` over samples is ``f`` at the mean of x, where only the marked arguments vary."""
    if SYMBOLS[f.name].jointly_linear:
        return True
    positions = [i for i, marked in enumerate(varying) if marked]
    return len(positions) == 1 and positions[0] in SYMBOLS[f.name].linear_in
