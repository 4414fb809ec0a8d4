"""Random numbers as inputs of a program (LANGUAGE §9): they are drawn before it runs.

In a loop each round makes the same number of draws, so the numbers of all rounds are one array, with a row for each.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from rh_kernel.loops.ir import Extent, Precision
from rh_kernel.primitives.draws import Stream, count, draws_in, seed_in
from rh_kernel.source.records import frozen
from rh_kernel.syntax.builtin import DRAWS
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Family, Location


@frozen
class Drawn:
    """An input of a program: the numbers of one draw, or, for a draw in loops, an array of those of each round.

    Round (i₁, …, iₙ) of the loops has draw number ``first + i₁ s₁ + … + iₙ sₙ``, counted from the first draw of the run, where
    ``rounds`` has the number of rounds and the step sₖ of each loop, the outermost first.
    """

    family: Family
    shape: Extent
    first: int
    rounds: tuple[tuple[int, int], ...] = ()

    @property
    def extent(self) -> Extent:
        """The shape of the array."""
        return (*[n for n, _ in self.rounds], *self.shape)

    @property
    def name(self) -> str:
        """A name for the input."""
        return f"{self.family.name.lower()}{self.first}"

    def array(self, stream: Stream, start: int, sample: int = 0, epoch: int = 0) -> Array:
        """Return the numbers, where the first draw of the run has the number ``start``."""
        found = np.empty(self.extent)
        steps = [step for _, step in self.rounds]
        for at in product(*[range(n) for n, _ in self.rounds]):
            number = start + self.first + sum([i * step for i, step in zip(at, steps, strict=True)])
            found[at] = stream.draw(self.family, self.shape, number, sample, epoch)
        return found


def drawn(
    draws: Sequence[Drawn], heap: Mapping[Location, Array], precision: Precision, samples: int | None = None
) -> list[Array]:
    """Return the inputs of a run that follows the draws which this heap has counted; in a batch, the same for each sample."""
    stream, start = Stream(seed_in(heap)), draws_in(heap)
    found = [each.array(stream, start).astype(precision, copy=False) for each in draws]
    return found if samples is None else [np.repeat(array[None], samples, axis=0) for array in found]


def reals_of(draws: Sequence[Drawn]) -> int:
    """Return how many reals the draws of a run, or of a sample, are."""
    return sum([prod(each.extent) for each in draws])


def counted(changes: Mapping[Location, Array], heap: Mapping[Location, Array]) -> dict[Location, Array]:
    """Return the changes of a run from this heap, where a program writes how many draws it has made."""
    if DRAWS not in changes:
        return dict(changes)
    return {**changes, DRAWS: count(draws_in(heap) + int(changes[DRAWS].item()))}
