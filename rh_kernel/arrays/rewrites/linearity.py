"""In which of its arguments a function symbol is linear: so zeros may be dropped, and means taken before instead of after.

``f`` is linear in argument i when ``f(…, x + y, …) = f(…, x, …) + f(…, y, …)`` with the others fixed, and jointly linear
when the same holds for all arguments at once.
"""

from collections.abc import Sequence

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.core import Primitive


def vanishes(f: Primitive, zero: Sequence[bool]) -> bool:
    """Whether ``f`` is 0 when the marked arguments are: a product also where its other factor is infinite or no number."""
    return vanishes_together(f, zero) or any(zero[i] for i in SYMBOLS[f.name].linear_in)


def vanishes_together(f: Primitive, zero: Sequence[bool]) -> bool:
    """Whether ``f`` is 0 when the marked arguments are, whatever numbers the others are."""
    return SYMBOLS[f.name].jointly_linear and all(zero)


def commutes_with_mean(f: Primitive, varying: Sequence[bool]) -> bool:
    """Whether the mean of ``f(x)`` over samples is ``f`` at the mean of x: f is affine in the marked arguments, which vary."""
    if SYMBOLS[f.name].jointly_linear:
        return True
    positions = [i for i, marked in enumerate(varying) if marked]
    return len(positions) == 1 and positions[0] in SYMBOLS[f.name].linear_in
