"""What a run is counted by: operations, clauses, cells, and frames that wait; what Sigal 2024, ch. 6, measures with a clock."""

from collections import Counter
from collections.abc import Callable

from rh_kernel.ad.eff.machine.values import Census
from rh_kernel.source.records import frozen


class Frame:
    """Is alive as long as the frame that it is put into."""

    __slots__ = ("census",)

    def __init__(self, census: Census) -> None:
        self.census = census
        census.made += 1
        census.alive += 1
        if census.alive > census.most:
            census.most = census.alive

    def __del__(self) -> None:
        self.census.alive -= 1


class OpCounter:
    """Counts that a program keeps while it runs."""

    __slots__ = ("captured", "cells", "clauses", "frames", "performed")

    def __init__(self) -> None:
        self.performed: Counter[tuple[str, str]] = Counter()
        self.clauses: Counter[tuple[str, str]] = Counter()
        self.captured = 0
        self.cells = Census()
        self.frames = Census()

    def clear(self) -> None:
        """Forget all counts, before the program runs again."""
        self.performed.clear()
        self.clauses.clear()
        self.captured = 0
        for census in (self.cells, self.frames):
            census.made = census.alive = census.most = 0

    def counter(self, effect: str, operation: str, handler: str, *, captured: bool) -> Callable[[], None]:
        """What counts the clauses for an operation of a handler that are run, with or without a continuation."""

        def count() -> None:
            self.performed[effect, operation] += 1
            self.clauses[handler, operation] += 1
            self.captured += captured

        return count


@frozen
class Counts:
    """What a run came to.

    ``performed`` are the operations by effect and name, ``handled`` the clauses that were run, by handler ("" for one without a
    name) and operation; ``captured`` says for how many of these a continuation was made. ``cells`` are the references and
    arrays that were made, ``cells_alive`` the most that were at once, and ``frames`` the most frames that waited at once.
    """

    steps: int
    performed: tuple[tuple[str, str, int], ...]
    handled: tuple[tuple[str, str, int], ...]
    captured: int
    cells: int
    cells_alive: int
    frames: int

    def handled_by(self, handler: str, *operations: str) -> int:
        """How many clauses of a handler were run: of all its operations, or of these."""
        return sum(n for name, op, n in self.handled if name == handler and (not operations or op in operations))


def counts(tally: OpCounter, steps: int) -> Counts:
    """What has been counted."""
    return Counts(
        steps=steps,
        performed=tuple((effect, operation, n) for (effect, operation), n in tally.performed.items()),
        handled=tuple((handler, operation, n) for (handler, operation), n in tally.clauses.items()),
        captured=tally.captured,
        cells=tally.cells.made,
        cells_alive=tally.cells.most,
        frames=tally.frames.most,
    )
