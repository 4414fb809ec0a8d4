"""Stops of a training run between two batches, at numbers of batches that somebody else chooses while it runs."""

from typing import Protocol


class Stops(Protocol):
    """Somebody who wants a ``Reached`` after certain numbers of batches."""

    @property
    def due(self) -> int:
        """The number of batches after which to stop next; it changes while the event is handled."""
        ...


class BatchCount:
    """Counts the batches that have run, and says how many may run before the next stop. Without ``stops`` there is none."""

    def __init__(self, stops: Stops | None) -> None:
        self.done = 0
        self._stops = stops

    @property
    def is_due(self) -> bool:
        """Whether to stop now."""
        return self._stops is not None and self._stops.due == self.done

    def at_most(self, batches: int) -> int:
        """Return how many batches of so many may run in one call."""
        return batches if self._stops is None or self._stops.due <= self.done else min(batches, self._stops.due - self.done)

    def at_most_epochs(self, epochs: int, batches: int) -> int:
        """Return how many epochs of so many ``batches`` may run in one call, at least one."""
        if self._stops is None or self._stops.due < self.done:
            return epochs
        return max(1, min(epochs, (self._stops.due - self.done) // batches))
