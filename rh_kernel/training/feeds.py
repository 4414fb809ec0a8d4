"""``Feed``: what a batched program reads, the samples of a run of batches.

In memory they are whole arrays. Otherwise they are taken in chunks of bounded size: while a chunk is computed on, a thread
reads the next one, so that reading and computing overlap. A program gets the same numbers either way.
"""

import threading
from collections.abc import Iterator, Sequence
from math import prod
from types import TracebackType
from typing import Protocol

import numpy as np

from rh_kernel.loops.ir import Integers, Precision
from rh_kernel.syntax.core import Array
from rh_kernel.training.samples import DataSet
from rh_kernel.training.sources import InMemory, Source

CHUNK = 1 << 19
"""Reals of a chunk, about."""

SHARE = 16
"""A chunk is at most this part of the memory that is allowed, if a batch is not larger."""

SLICE = 1 << 15
"""Reals that are read between two looks at whether to stop."""

SLICE_ROWS = 128
"""Samples that are read between two such looks, at most: a format may need a millisecond for each."""

WAIT = 0.05
"""Seconds after which the wait for a chunk looks for an interrupt."""


class Feed(Protocol):
    """The samples of a data set, for batches that are computed in an order known before."""

    def reals(self, unit: int) -> int:
        """Return how many reals it holds besides the data set, for batches of ``unit`` samples."""
        ...

    def most(self, reals: int) -> int:
        """Return the most samples of a batch, at least one, for which it holds at most so many reals."""
        ...

    def expect(self, rows: Integers, unit: int) -> None:
        """Say which samples will be asked for next, and in which order, in batches of ``unit``."""
        ...

    def serve(self, rows: Integers) -> Iterator[tuple[Sequence[Array], Integers]]:
        """Yield arrays of samples, and the rows of them, that together are the batches of these rows (batches × samples)."""
        ...

    def close(self) -> None:
        """Stop reading and drop what was read."""
        ...


def feed(data: DataSet, names: Sequence[str], precision: Precision, limit: int) -> Feed:
    """Return a feed of these components; ``limit`` is how many reals are allowed in memory."""
    sources = [data.sources[name] for name in names]
    arrays = [source.array for source in sources if isinstance(source, InMemory)]
    return Whole(arrays, precision) if len(arrays) == len(sources) else Chunks(sources, precision, limit)


class Whole:
    """Arrays in memory."""

    def __init__(self, arrays: Sequence[Array], precision: Precision) -> None:
        self._size = max([1, *[len(array) for array in arrays]])
        with np.errstate(over="ignore"):
            self._arrays = [np.ascontiguousarray(array, precision) for array in arrays]

    def reals(self, unit: int) -> int:
        """Nothing besides the data."""
        del unit
        return 0

    def most(self, reals: int) -> int:
        """Return the number of samples: they are there anyway."""
        del reals
        return self._size

    def expect(self, rows: Integers, unit: int) -> None:
        """Do nothing: all samples are there."""

    def serve(self, rows: Integers) -> Iterator[tuple[Sequence[Array], Integers]]:
        """Yield the arrays and all rows at once."""
        yield self._arrays, rows

    def close(self) -> None:
        """Do nothing."""


class Chunks:
    """Sources that are read in chunks, each while the one before it is computed on."""

    def __init__(self, sources: Sequence[Source], precision: Precision, limit: int) -> None:
        self._sources = sources
        self._precision: Precision = precision
        self._each = max(1, sum(prod(source.shape[1:]) for source in sources))
        self._most = min(CHUNK, max(1, limit // SHARE))
        self._rows: Integers = np.empty(0, np.intp)
        self._chunk = 1
        self._asked = self._served = 0
        self._now: list[Array] = []
        self._at = 0
        self._ahead: _Reading | None = None

    def reals(self, unit: int) -> int:
        """Two chunks, and the order of the samples."""
        return 2 * self._each * self._size(unit) + self._sources[0].shape[0]

    def most(self, reals: int) -> int:
        """Two chunks of that many samples."""
        return max(1, reals // (2 * self._each))

    def expect(self, rows: Integers, unit: int) -> None:
        """Read these samples next, as many batches of ``unit`` at a time as a chunk holds."""
        self.close()
        self._rows = rows
        self._chunk = self._size(unit)
        self._asked = self._served = 0
        self._read_ahead()

    def serve(self, rows: Integers) -> Iterator[tuple[Sequence[Array], Integers]]:
        """Yield the batches of these rows, as many at a time as there are in a chunk. Raises ``Rejected`` as the sources do."""
        count, unit = rows.shape
        if not np.array_equal(self._rows[self._served : self._served + rows.size], rows.reshape(-1)):
            self.expect(rows.reshape(-1), unit)
        while count:
            there = len(self._now[0]) - self._at if self._now else 0
            if there < unit:
                self._next(there)
                continue
            ready = min(count, there // unit)
            yield self._now, np.arange(self._at, self._at + ready * unit).reshape(ready, unit)
            self._at += ready * unit
            self._served += ready * unit
            count -= ready

    def close(self) -> None:
        """Stop the thread that reads ahead, and wait until it has ended."""
        ahead, self._ahead = self._ahead, None
        self._now, self._at = [], 0
        if ahead is not None:
            ahead.stop()

    def _size(self, unit: int) -> int:
        """How many samples a chunk has: whole batches."""
        return max(1, self._most // (self._each * unit)) * unit

    def _read_ahead(self) -> None:
        rows = self._rows[self._asked : self._asked + self._chunk]
        self._asked += len(rows)
        self._ahead = _Reading(self._sources, rows, self._precision) if len(rows) else None

    def _next(self, left: int) -> None:
        """Go on to the next chunk, after the ``left`` samples of this one that were not used."""
        if self._ahead is None:
            raise ValueError("more samples are asked for than were expected")
        found = self._ahead.result()
        if left:
            found = [np.concatenate([now[-left:], more]) for now, more in zip(self._now, found, strict=True)]
        self._now, self._at = found, 0
        self._read_ahead()


class _Reading:
    """Rows that are read in another thread; in this one, when they are asked for, if no thread can be started."""

    def __init__(self, sources: Sequence[Source], rows: Integers, precision: Precision) -> None:
        self._sources = sources
        self._rows = rows
        self._precision: Precision = precision
        self._arrays: list[Array] = []
        self._error: BaseException | None = None
        self._stopped = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = threading.Thread(target=self._run, name="rh-read-ahead", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None

    def result(self) -> list[Array]:
        """Return the rows of each source, or raise what reading them raised."""
        if self._thread is None:
            self._run()
        while not self._ended.wait(WAIT):
            pass
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        return self._arrays

    def stop(self) -> None:
        """Stop after the slice that is being read, and wait for that."""
        self._stopped = True
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        with self, np.errstate(all="ignore"):
            self._arrays += [self._read(source) for source in self._sources]

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _at: TracebackType | None) -> bool:
        self._error = error
        self._ended.set()
        return True

    def _read(self, source: Source) -> Array:
        array = np.empty((len(self._rows), *source.shape[1:]), self._precision)
        step = min(SLICE_ROWS, max(1, SLICE // max(1, prod(source.shape[1:]))))
        for start in range(0, len(self._rows), step):
            if self._stopped:
                break
            array[start : start + step] = source.take(self._rows[start : start + step])
        return array
