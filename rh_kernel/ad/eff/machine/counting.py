"""Cost counters of a run: operations, clauses, cells and frames, in place of the running times of Sigal 2024, ch. 6."""

from collections import Counter
from collections.abc import Callable

from rh_kernel.ad.eff.machine.values import LiveCounter
from rh_kernel.source.records import frozen


class LiveFrame:
    """An object in the environment of a frame, which counts the frame as long as it is alive."""

    __slots__ = ("counter",)

    def __init__(self, counter: LiveCounter) -> None:
        self.counter = counter
        counter.made += 1
        counter.alive += 1
        if counter.alive > counter.peak:
            counter.peak = counter.alive

    def __del__(self) -> None:
        self.counter.alive -= 1


class OpCounter:
    """The counters of a program; ``clauses`` are by handler and operation, ``captured`` are the continuations."""

    __slots__ = ("captured", "cells", "clauses", "frames", "performed")

    def __init__(self) -> None:
        self.performed: Counter[tuple[str, str]] = Counter()
        self.clauses: Counter[tuple[str, str]] = Counter()
        self.captured = 0
        self.cells = LiveCounter()
        self.frames = LiveCounter()

    def clear(self) -> None:
        """Reset all counters."""
        self.performed.clear()
        self.clauses.clear()
        self.captured = 0
        for counter in (self.cells, self.frames):
            counter.made = counter.alive = counter.peak = 0

    def counter(self, effect: str, operation: str, handler: str, *, captured: bool) -> Callable[[], None]:
        """A function that counts a run of the clause of a handler for an operation, with a continuation or without."""

        def count() -> None:
            self.performed[effect, operation] += 1
            self.clauses[handler, operation] += 1
            self.captured += captured

        return count

    def counts(self, steps: int) -> "Counts":
        """The counters after so many steps of the machine."""
        return Counts(
            steps=steps,
            performed=tuple((effect, operation, n) for (effect, operation), n in self.performed.items()),
            handled=tuple((handler, operation, n) for (handler, operation), n in self.clauses.items()),
            captured=self.captured,
            cells=self.cells.made,
            cells_alive=self.cells.peak,
            frames=self.frames.peak,
        )


@frozen
class Counts:
    """The counters at the end of a run.

    ``performed`` counts operations by effect and name, ``handled`` clauses that ran by handler ("" for one without a name) and
    operation, ``captured`` those of them for which a continuation was made. ``cells`` are the references and arrays that were
    made, ``cells_alive`` and ``frames`` the most cells and frames that were alive at once.
    """

    steps: int
    performed: tuple[tuple[str, str, int], ...]
    handled: tuple[tuple[str, str, int], ...]
    captured: int
    cells: int
    cells_alive: int
    frames: int

    def handled_by(self, handler: str, *operations: str) -> int:
        """The number of clauses of a handler that ran, for all operations or for these."""
        return sum(n for name, op, n in self.handled if name == handler and (not operations or op in operations))
