"""The numbers that ``Normal`` and ``Uniform`` draw (LANGUAGE §9).

The generator is counter-based (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), so a draw depends on its
number alone and not on the draws before it: all evaluators and back ends, pieces and orders of samples agree.
"""

from collections.abc import Mapping

import numpy as np

from rh_kernel.loops.ir import Extent
from rh_kernel.syntax.builtin import DRAWS, NORMAL, SEED
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Family, Location

MOST_DRAWS = 1 << 53
"""A seed and a number of draws are below this, since a location holds a float."""


class Stream:
    """The draws for one seed."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.Philox(key=[seed, 0])
        self._generator = np.random.Generator(self._bits)
        # Setting the counter is four times as fast as making a generator.
        self._state = self._bits.state

    def draw(self, family: Family, shape: Extent, number: int, sample: int = 0, epoch: int = 0) -> Array:
        """Return draw number ``number``: standard normal numbers, or numbers uniform on [0, 1).

        In a training run, ``number`` counts the draws of one sample in one epoch.
        """
        self._state["state"]["counter"][:] = (0, number, sample, epoch)
        self._bits.state = self._state
        return self._generator.standard_normal(shape) if family == NORMAL else self._generator.random(shape)


def seed_in(heap: Mapping[Location, Array]) -> int:
    """Return the seed in a heap."""
    return _whole(heap, SEED)


def draws_in(heap: Mapping[Location, Array]) -> int:
    """Return the number of draws made, according to a heap."""
    return _whole(heap, DRAWS)


def count(number: int) -> Array:
    """Return the content of ``DRAWS`` or ``SEED`` for a number."""
    array = np.array([float(number)])
    array.setflags(write=False)
    return array


def _whole(heap: Mapping[Location, Array], location: Location) -> int:
    return int(heap[location].item()) if location in heap else 0
