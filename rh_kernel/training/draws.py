"""Random numbers for the samples of a training run (LANGUAGE §9): inputs of the step, beside the components of the sample."""

from collections.abc import Iterator, Sequence

import numpy as np

from rh_kernel.arrays.draws import Drawn, reals_of
from rh_kernel.loops.ir import Integers, Precision
from rh_kernel.primitives.draws import Stream
from rh_kernel.syntax.core import Array
from rh_kernel.training.feeds import CHUNK, Feed


class WithDraws:
    """A feed followed by the draws of each sample, which depend on the seed, the number of the sample, and the ``epoch``."""

    def __init__(self, feed: Feed, draws: Sequence[Drawn], seed: int, precision: Precision) -> None:
        self.epoch = 0
        self._feed = feed
        self._draws = draws
        self._stream = Stream(seed)
        self._precision: Precision = precision
        self._each = max(1, reals_of(draws))

    def reals(self, unit: int) -> int:
        """What the feed holds, and the draws of a batch or of a chunk."""
        return self._feed.reals(unit) + max(unit * self._each, min(CHUNK, 2 * unit * self._each))

    def most(self, reals: int) -> int:
        """Return the most samples of a batch, at least one, for which it holds at most so many reals."""
        return max(1, min(self._feed.most(reals // 2), reals // (4 * self._each)))

    def expect(self, rows: Integers, unit: int) -> None:
        """Tell the feed."""
        self._feed.expect(rows, unit)

    def serve(self, rows: Integers) -> Iterator[tuple[Sequence[Array], Integers]]:
        """Yield the arrays of a few batches at a time, with their draws."""
        at, unit = 0, rows.shape[1]
        together = max(1, CHUNK // (unit * self._each))
        for arrays, there in self._feed.serve(rows):
            for start in range(0, len(there), together):
                part = there[start : start + together].reshape(-1)
                samples = rows[at : at + len(part) // unit].reshape(-1)
                at += len(part) // unit
                numbers = [self._of_samples(each, samples) for each in self._draws]
                yield [*[array[part] for array in arrays], *numbers], np.arange(len(part)).reshape(-1, unit)

    def close(self) -> None:
        """Close the feed."""
        self._feed.close()

    def _of_samples(self, each: Drawn, samples: Integers) -> Array:
        found = np.empty((len(samples), *each.extent), self._precision)
        for k, i in enumerate(samples):
            found[k] = each.array(self._stream, 0, int(i), self.epoch)
        return found
