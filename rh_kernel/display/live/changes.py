"""What a player asks to run its pass with other numbers, and the record of the numbers that it may change."""

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from rh_kernel.display.data import Json, Record, location_names
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.session.knobs.what_if import Offered
from rh_kernel.session.results import GradientMade
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

LARGEST = 1e6
"""The largest number that a page may give, in absolute value."""


class Changes(Protocol):
    """The item behind a player, which can run again."""

    def offered(self) -> Offered:
        """Return what can be changed, with what it was."""
        ...

    def run(self, point: Array | None, contents: Mapping[Location, Array]) -> GradientMade:
        """Return the pass with these numbers, which has no effect. Raises ``Unanswerable``."""
        ...


def offered_record(found: Offered) -> Record:
    """Return the input and the contents that a page may change: their names, types and numbers."""
    names = location_names(found.contents)
    arrays: list[Json] = [] if found.point is None else [_entry("", "input", found.point)]
    arrays += [_entry(names[location], names[location], array) for location, array in found.contents.items()]
    return {"arrays": arrays}


def changes_of(question: Record, found: Offered) -> tuple[Array | None, dict[Location, Array]]:
    """Return the input and the contents that a page gives. Raises ``Unanswerable``."""
    given = question.get("arrays")
    if not isinstance(given, dict):
        raise Unanswerable("`arrays` has lists of numbers by name")
    names = {name: location for location, name in location_names(found.contents).items()}
    contents: dict[Location, Array] = {}
    point: Array | None = None
    for name, numbers in given.items():
        if name == "" and found.point is not None:
            point = _array(numbers, found.point)
        elif name in names:
            contents[names[name]] = _array(numbers, found.contents[names[name]])
        else:
            raise Unanswerable("there is nothing of this name to change")
    return point, contents


def _entry(name: str, title: str, array: Array) -> Record:
    numbers: list[Json] = [float(x) for x in array.ravel()]
    return {"name": name, "title": title, "shape": [*array.shape], "numbers": numbers}


def _array(numbers: Json, like: Array) -> Array:
    """Return the numbers as a read-only array of the same shape. Raises ``Unanswerable``."""
    found = numbers if isinstance(numbers, list) else []
    checked = [x for x in found if isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)]
    if len(checked) != like.size or len(checked) != len(found) or any(abs(x) > LARGEST for x in checked):
        raise Unanswerable(f"this array has {like.size} numbers of at most {LARGEST:,.0f}")
    array = np.array(checked, dtype=np.float64).reshape(like.shape)
    array.setflags(write=False)
    return array
