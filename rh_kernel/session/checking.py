"""``check M == N``: both sides are evaluated from the heap as it is, and what they change there is dropped."""

from collections.abc import Generator, Mapping
from functools import partial

import numpy as np

from rh_kernel.primitives.values import to_array
from rh_kernel.session.errors import CheckFailed, NothingCompared
from rh_kernel.session.evaluating import evaluate
from rh_kernel.session.results import Working
from rh_kernel.session.settings import Lock, Settings
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


def check(
    equation: Equation, heap: Mapping[Location, Array], settings: Settings, span: Span
) -> Generator[Working, None, tuple[str, ...]]:
    """What there is to say of two sides that are equal. Raises ``Stuck`` if they are not.

    Below ``%locked`` it also raises it if a side is infinite or has no entries, unless that is allowed there.
    """
    left = (yield from evaluate(equation.left, heap, settings)).value
    right = (yield from evaluate(equation.right, heap, settings)).value
    pairs = list(zip(_leaves(left), _leaves(right), strict=True))
    found_worst = [when_large(a.size, partial(_worst, a, b, equation.within)) for a, b in pairs]
    worst = [(i, *one) for i, one in enumerate(found_worst, start=1)]
    unequal = [(i, place, difference) for i, place, difference in worst if place is not None]
    if not unequal:
        return _told(pairs, settings.locked, span)
    i, place, difference = unequal[0]
    where = f": component {i} of the tuples differs" if len(pairs) > 1 else ""
    a, b = pairs[i - 1]
    at = f" at entry {_entry(place)}" if a.size > 1 else ""
    both = f" ({_number(a[place])}, expected {_number(b[place])})" if at else ""
    hint = f"the largest difference is {difference:.3g}{at}{both}; allowed is {equation.within:g}, `within` sets it"
    if np.isnan(difference):
        hint = f"there is a nan{at}, which is not equal to anything: a function was applied outside its domain"
    found, expected = (show(V, width=10**6, abridge=_SHOWN) for V in (left, right))
    raise Stuck(CheckFailed(span=span, where=where, found=found, expected=expected, hint=hint))


def _told(pairs: list[tuple[Array, Array]], lock: Lock | None, span: Span) -> tuple[str, ...]:
    """The remarks about equal sides: what is compared although it says little. Raises ``Stuck`` where that is locked out."""
    said: list[str] = []
    for i, (a, b) in enumerate(pairs, start=1):
        where = f" in component {i} of the tuples" if len(pairs) > 1 else ""
        if a.size == 0:
            said.append(f"there are no entries to compare{where}")
            if lock is not None and not lock.empty:
                raise _refused(said[-1], "empty", span)
        elif not (np.isfinite(a).all() and np.isfinite(b).all()):
            said.append(f"both sides are infinite{_place_of_infinity(a)}{where}")
            if lock is not None and not lock.infinite:
                raise _refused(said[-1], "infinite", span)
    return tuple(said)


def _place_of_infinity(a: Array) -> str:
    place = tuple(int(i) for i in np.argwhere(~np.isfinite(a))[0])
    return f" at entry {_entry(place)}" if a.size > 1 else ""


def _refused(why: str, word: str, span: Span) -> Stuck:
    return Stuck(NothingCompared(span=span, why=why, hint=f"`%locked {word}` allows it"))


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
    """Where two arrays of the same shape differ the most, if that is more than is allowed, and by how much."""
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
