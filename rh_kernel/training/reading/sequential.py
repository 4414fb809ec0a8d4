"""Readers of formats that store rows in blocks, each of which has to be decoded as a whole."""

from abc import abstractmethod
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.reader import Damaged, as_damaged, shortened
from rh_kernel.training.reading.rows import RowReader


@dataclass(slots=True)
class _Place:
    """The block that was read last, which begins with row ``start``, and those behind it."""

    start: int
    block: Array
    blocks: Generator[Array, None, None]

    @property
    def stop(self) -> int:
        """The row behind the block."""
        return self.start + len(self.block)


class SequentialReader(RowReader):
    """A reader that goes through each array block by block, and remembers where it is."""

    random_access = False

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}

    @abstractmethod
    def first_row(self, name: str, row: int) -> int:
        """Return the last row up to this one at which reading can begin."""

    @abstractmethod
    def blocks(self, name: str, row: int) -> Generator[Array, None, None]:
        """Yield the rows in blocks from this one on, at which reading can begin, in float64."""

    def close(self) -> None:
        """Close what the blocks are read from."""
        for place in self._places.values():
            place.blocks.close()
        self._places.clear()

    def rows(self, name: str, start: int, stop: int) -> Array:
        """Return these rows, decoding again only what lies before the block that was read last."""
        with as_damaged(name):
            found = np.empty((stop - start, *self.header(name).shape[1:]))
            at = start
            while at < stop:
                place = self._place(name, at)
                end = min(place.stop, stop)
                found[at - start : end - start] = place.block[at - place.start : end - place.start]
                at = end
            return found

    def _place(self, name: str, row: int) -> _Place:
        """Return a place whose block contains the row."""
        place = self._places.pop(name, None)
        begin = self.first_row(name, row)
        if place is None or row < place.start or begin > place.stop:
            if place is not None:
                place.blocks.close()
            place = _Place(begin, np.empty((0, *self.header(name).shape[1:])), self.blocks(name, begin))
        while place.stop <= row:
            place.start, place.block = place.stop, next(place.blocks, place.block[:0])
            if not len(place.block):
                raise Damaged(f"`{shortened(name)}` ends after {place.start:,} of {self.header(name).shape[0]:,} rows")
        self._places[name] = place
        return place
