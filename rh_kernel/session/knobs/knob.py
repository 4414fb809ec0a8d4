"""The result of ``%slider`` and ``%knob``: a name, its current value, and the values that it can be given."""

from enum import Enum

import numpy as np

from rh_kernel.session.results import Result
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.values import constant

POSITIONS = 201
"""The values of a slider without a step."""

MAX_VALUES = 1_001
"""The most values of a slider with a step, and of a list."""

_DIGITS = 3
"""Significant digits of a value between the ends of a slider without a step."""


class Scale(Enum):
    """How the values of a knob follow one another."""

    LINEAR = "linear"
    LOG = "log"
    LIST = "list"


@frozen
class KnobShown(Result):
    """A knob: ``value`` is the current value of the name, one of the ``values`` or between them.

    All are closed terms of the type of the constant; those of a dimension are whole numbers. The name ``sgd.alpha`` is that of
    the parameter ``alpha`` of the handler ``sgd``; its value is ``None`` while each application has what is written there.
    """

    name: str
    is_dimension: bool
    value: Term | None
    values: tuple[Term, ...]
    scale: Scale


def evenly(low: float, high: float) -> tuple[Term, ...]:
    """Return the values of a slider from ``low`` to ``high`` in equal steps."""
    return _rounded(np.linspace(low, high, POSITIONS), high - low)


def logarithmically(low: float, high: float) -> tuple[Term, ...]:
    """Return the values of a slider from ``low`` to ``high``, both above 0, in equal ratios."""
    inner = [float(f"{x:.{_DIGITS}g}") for x in np.geomspace(low, high, POSITIONS)[1:-1]]
    return tuple([constant(x) for x in dict.fromkeys([low, *inner, high])])


def in_steps(low: float, high: float, step: float) -> tuple[Term, ...]:
    """Return the values ``low``, ``low + step``, … that are not above ``high``; there are at most ``MAX_VALUES``."""
    count = min(int((high - low) / step + 1e-9) + 1, MAX_VALUES)
    return _rounded(np.array([low + i * step for i in range(count)]), step)


def _rounded(numbers: np.ndarray, width: float) -> tuple[Term, ...]:
    """Return the numbers without the digits that rounding errors have left, far below ``width``."""
    places = max(0, int(np.ceil(-np.log10(width))) + 6)
    return tuple([constant(x) for x in dict.fromkeys([round(float(x), places) for x in numbers])])
