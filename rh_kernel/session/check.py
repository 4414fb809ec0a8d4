"""``check M == N``: evaluate both sides from the current heap, drop their changes to it, and compare the values."""

from collections.abc import Generator, Mapping
from functools import partial

import numpy as np

from rh_kernel.primitives.values import to_array
from rh_kernel.session.actions import Action, Run, State, type_summary
from rh_kernel.session.errors import CheckFailed, NothingCompared
from rh_kernel.session.evaluate import evaluate
from rh_kernel.session.results import CheckPassed, Result, Shown, Working
from rh_kernel.session.settings import Lock, Settings
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.interruptible import when_large
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Term, Tuple, Zero
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product
from rh_kernel.syntax.values import constant
from rh_kernel.typing.elaboration.checks import Equation

_MAX_ENTRIES_SHOWN = 12
"""Error messages abridge arrays with more entries."""


@frozen
class Compare(Action):
    """``check M == N``; ``remarks`` are about its names"""

    equation: Equation
    span: Span
    remarks: tuple[str, ...] = ()

    def summary(self, text: str) -> Result:
        """Return the type of both sides."""
        return type_summary(self.span.text, self.equation.left.type)

    def run(self, number: int, state: State) -> Run:
        """Evaluate and compare both sides. Raises ``Failure`` if they differ."""
        remarks = yield from compare(self.equation, state.heap, state.settings, self.span)
        yield Shown(number, CheckPassed(self.span.text, str(self.equation.left.type), (*self.remarks, *remarks)))
        return state


def compare(
    equation: Equation, heap: Mapping[Location, Array], settings: Settings, span: Span
) -> Generator[Working, None, tuple[str, ...]]:
    """Return the remarks about two equal sides. Raises ``Stuck`` if they are not equal.

    Under ``%locked`` it also raises ``Stuck`` if a side is infinite or has no entries, unless the lock allows it.
    """
    left = (yield from evaluate(equation.left, heap, settings)).value
    right = (yield from evaluate(equation.right, heap, settings)).value
    pairs = list(zip(_leaves(left), _leaves(right), strict=True))
    differences = (when_large(a.size, partial(_largest_difference, a, b, equation.within)) for a, b in pairs)
    i, (place, difference) = next((found for found in enumerate(differences) if found[1][0] is not None), (0, (None, 0.0)))
    if place is None:
        return _remarks(pairs, settings.locked, span)
    a, b = pairs[i]
    where = f": component {i + 1} of the tuples differs" if len(pairs) > 1 else ""
    at = f" at entry {_entry(place)}" if a.size > 1 else ""
    both = f" ({_number(a[place])}, expected {_number(b[place])})" if at else ""
    hint = f"the largest difference is {difference:.3g}{at}{both}; allowed is {equation.within:g}, `within` sets it"
    if np.isnan(difference):
        hint = f"there is a nan{at}, which is not equal to anything: a function was applied outside its domain"
    found, expected = (show(V, width=10**6, abridge=_MAX_ENTRIES_SHOWN) for V in (left, right))
    raise Stuck(CheckFailed(span=span, where=where, found=found, expected=expected, hint=hint))


def _remarks(pairs: list[tuple[Array, Array]], lock: Lock | None, span: Span) -> tuple[str, ...]:
    """Return remarks about equal sides that are empty or infinite. Raises ``Stuck`` if the lock does not allow them."""
    remarks: list[str] = []
    for i, (a, b) in enumerate(pairs, start=1):
        where = f" in component {i} of the tuples" if len(pairs) > 1 else ""
        if a.size == 0:
            remarks.append(f"there are no entries to compare{where}")
            if lock is not None and not lock.empty:
                raise _refused(remarks[-1], "empty", span)
        elif not (np.isfinite(a).all() and np.isfinite(b).all()):
            place = tuple(int(i) for i in np.argwhere(~np.isfinite(a))[0])
            at = f" at entry {_entry(place)}" if a.size > 1 else ""
            remarks.append(f"both sides are infinite{at}{where}")
            if lock is not None and not lock.infinite:
                raise _refused(remarks[-1], "infinite", span)
    return tuple(remarks)


def _refused(why: str, word: str, span: Span) -> Stuck:
    return Stuck(NothingCompared(span=span, why=why, hint=f"`%locked {word}` allows it"))


def _leaves(V: Term) -> list[Array]:
    """Return the arrays of a closed value, from left to right."""
    match V:
        case Tuple(items):
            return [array for W in items for array in _leaves(W)]
        case Zero(Product(factors)):
            return [array for A in factors for array in _leaves(Zero(A))]
        case _:
            return [to_array(V)]


def _largest_difference(a: Array, b: Array, within: float) -> tuple[tuple[int, ...] | None, float]:
    """Return the place and size of the largest difference that exceeds the tolerance, or ``(None, 0.0)``."""
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
    """Return an index as text; entries are counted from 1, as components are."""
    numbers = ", ".join([str(i + 1) for i in place])
    return f"({numbers})" if len(place) > 1 else numbers
