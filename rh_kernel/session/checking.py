"""``check M == N``: both sides are evaluated from the heap as it is, and what they change there is dropped."""

from collections.abc import Generator, Mapping
from functools import partial

import numpy as np

from rh_kernel.primitives.values import to_array
from rh_kernel.session.errors import CheckFailed
from rh_kernel.session.evaluating import evaluate
from rh_kernel.session.results import Working
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.interruptible import when_large
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Term, Tuple, Zero
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product
from rh_kernel.syntax.values import constant
from rh_kernel.typing.elaboration.checks import Equation

_SHOWN = 12
"""A complaint shows an array of more entries in short."""


def check(equation: Equation, heap: Mapping[Location, Array], settings: Settings, span: Span) -> Generator[Working, None, None]:
    """Raises ``Stuck`` unless the two sides are equal."""
    left = (yield from evaluate(equation.left, heap, settings)).value
    right = (yield from evaluate(equation.right, heap, settings)).value
    pairs = list(zip(_leaves(left), _leaves(right), strict=True))
    found_worst = [when_large(a.size, partial(_worst, a, b, equation.within)) for a, b in pairs]
    worst = [(i, *one) for i, one in enumerate(found_worst, start=1)]
    unequal = [(i, place, difference) for i, place, difference in worst if place is not None]
    if not unequal:
        return
    i, place, difference = unequal[0]
    where = f": component {i} of the tuples differs" if len(pairs) > 1 else ""
    a, b = pairs[i - 1]
    at = f" at entry {_entry(place)}" if a.size > 1 else ""
    both = f" ({_number(a[place])}, expected {_number(b[place])})" if at else ""
    hint = f"the largest difference is {difference:.3g}{at}{both}; allowed is {equation.within:g}, `within` sets it"
    if np.isnan(difference):
        hint = f"there is nan{at}, which is not equal to anything: a function was used where it has no value"
    found, expected = (show(V, width=10**6, abridge=_SHOWN) for V in (left, right))
    raise Stuck(CheckFailed(span=span, where=where, found=found, expected=expected, hint=hint))


def _leaves(V: Term) -> list[Array]:
    """The arrays of a closed value."""
    match V:
        case Tuple(items):
            return [array for W in items for array in _leaves(W)]
        case Zero(Product(factors)):
            return [array for A in factors for array in _leaves(Zero(A))]
        case _:
            return [to_array(V)]


def _worst(a: Array, b: Array, within: float) -> tuple[tuple[int, ...] | None, float]:
    """Where two arrays of one shape differ the most, if that is more than is allowed, and by how much."""
    with np.errstate(all="ignore"):
        difference = np.where(a == b, 0.0, np.abs(a - b))
        allowed = (difference <= within * np.maximum(1.0, np.abs(b))) & np.isfinite(difference)
        excess = np.where(allowed, 0.0, difference)
    excess = np.where(np.isnan(excess), np.inf, excess)
    if not excess.any():
        return None, 0.0
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(excess)), excess.shape))
    return place, float(difference[place])


def _number(entry: np.floating) -> str:
    return show(constant(float(entry)))


def _entry(place: tuple[int, ...]) -> str:
    """Entries are counted from 1, as components are."""
    numbers = ", ".join([str(i + 1) for i in place])
    return f"({numbers})" if len(place) > 1 else numbers
