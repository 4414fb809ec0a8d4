"""Whether a training run diverges: contents or measures that are not finite, and contents that have grown very large."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rh_kernel.arrays.arena import Contents
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.events import Diverged, Grown

GROWN = 1e4
"""How many times as large as at the start, or as 1, the largest entry of a location has to be for it to have diverged."""


class Watch:
    """Reports what has diverged since the ``start``, each location and measure once."""

    def __init__(self, start: Mapping[Location, Array]) -> None:
        self._start = start
        self._reported: set[Location | int] = {loc for loc, array in start.items() if not np.isfinite(array).all()}

    def events(
        self, epoch: int, found: Mapping[Location, Array], curves: Sequence[Sequence[float]], texts: Sequence[str]
    ) -> Iterator[Diverged | Grown]:
        """Yield what has diverged by this epoch: contents after it, and measures with these texts."""
        locations = self._infinite(found)
        measures = [i for i, curve in enumerate(curves) if i not in self._reported and not np.isfinite(curve[-1])]
        if locations or measures:
            self._reported.update(locations, measures)
            yield Diverged(epoch, _names(locations), tuple([texts[i] for i in measures]))
        if grown := self._grown(found):
            self._reported.update(grown)
            yield Grown(epoch, _names(grown), _largest(self._start[grown[0]]), _largest(found[grown[0]]))

    def has_diverged(self, found: Mapping[Location, Array]) -> bool:
        """Whether contents have diverged that have not been reported yet."""
        return bool(self._infinite(found) or self._grown(found))

    def _infinite(self, found: Mapping[Location, Array]) -> list[Location]:
        if isinstance(found, Contents) and np.isfinite(found.whole).all():
            return []
        return [loc for loc in self._left() if not np.isfinite(found[loc]).all()]

    def _grown(self, found: Mapping[Location, Array]) -> list[Location]:
        """The locations that have become very large, those with the largest entries first."""
        if isinstance(found, Contents) and _largest(found.whole) <= GROWN:
            return []
        # A single number may well count the steps.
        arrays = {loc: _largest(found[loc]) for loc in self._left() if found[loc].size > 1}
        grown = [loc for loc, now in arrays.items() if GROWN * max(1.0, _largest(self._start[loc])) < now < math.inf]
        return sorted(grown, key=lambda loc: -arrays[loc])

    def _left(self) -> list[Location]:
        return [loc for loc in self._start if loc not in self._reported]


def _names(locations: Sequence[Location]) -> tuple[str, ...]:
    return tuple([loc.name for loc in locations])


def _largest(array: Array) -> float:
    """The largest absolute value, nan if there is one."""
    return float(max(array.max(), -array.min())) if array.size else 0.0
