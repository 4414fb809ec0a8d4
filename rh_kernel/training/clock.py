"""The clock of a training run."""

import time


class Clock:
    """Measures seconds of work; stopped while the caller has control."""

    def __init__(self) -> None:
        self._before = 0.0
        self._since = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds of work so far."""
        return self._before + self.turn

    @property
    def turn(self) -> float:
        """Seconds since the caller last had control."""
        return time.perf_counter() - self._since

    def stop(self) -> None:
        """Stop: the caller gets control."""
        self._before = self.seconds

    def go(self) -> None:
        """Go on: the caller has given control back."""
        self._since = time.perf_counter()
