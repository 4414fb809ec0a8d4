"""The heap at every state of a trace, and contents as a page gets them."""

import math
from bisect import bisect_left
from collections.abc import Mapping

import numpy as np

from rh_kernel.display.data import Json, Record
from rh_kernel.display.rounding import array_line
from rh_kernel.paper import Rule
from rh_kernel.session.results import Change, TraceMade
from rh_kernel.syntax.core import Array, Perform
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import real

MOST_VALUES = 256
"""The entries of arrays with more are not told."""


class Heaps:
    """What the locations hold that the trace reads or writes; ``changes`` tells what a step has put there."""

    def __init__(self, result: TraceMade) -> None:
        used: set[Location] = set()
        for step in [step for step in result.steps if step.rule in (Rule.GET, Rule.PUT)]:
            match step.redex:
                case Perform(op, _):
                    used |= {i for i in op.indices if isinstance(i, Location)}
                case _:
                    pass
        self.start: Mapping[Location, Array] = {location: a for location, a in result.heap.items() if location in used}
        self.names = _names(self.start)
        self.changes: dict[int, Change] = {}
        self._puts: dict[Location, list[int]] = {location: [] for location in self.start}
        now = dict(self.start)
        for n, step in enumerate(result.steps):
            if step.change is not None:
                location, after = step.change.location, step.change.content
                self.changes[n] = Change(location, now.get(location), after)
                self._puts.setdefault(location, []).append(n)
                now[location] = after

    def at(self, state: int) -> list[Record]:
        """Each location after so many steps, and the step that has put there what it holds."""
        found: list[Record] = []
        for location, first in self.start.items():
            puts = self._puts[location]
            last = bisect_left(puts, state) - 1
            array = first if last < 0 else self.changes[puts[last]].after
            changed_by = None if last < 0 else puts[last]
            found.append({"location": self.names[location], "content": content(array), "changed_by": changed_by})
        return found

    def opening(self) -> list[Record]:
        """Each location at the start."""
        return [
            {"location": self.names[location], "type": str(real(*array.shape)), "content": content(array)}
            for location, array in self.start.items()
        ]

    def change(self, step: int) -> Record | None:
        """What the step has put in the place of what."""
        change = self.changes.get(step)
        if change is None:
            return None
        before = None if change.before is None else content(change.before)
        return {"location": self.names[change.location], "before": before, "after": content(change.after)}


def content(array: Array) -> Record:
    """An array: its type, how it is written, its length as a vector, and its entries if there are not too many."""
    entries: list[Json] | None = None
    if array.size <= MOST_VALUES:
        entries = [number(float(x)) for x in array.ravel()]
    return {
        "type": str(real(*array.shape)),
        "text": array_line(array),
        "norm": _norm(array),
        "shape": [*array.shape],
        "values": entries,
    }


def number(x: float) -> Json:
    """A number as data: what is not finite is ``nan``, ``inf`` or ``-inf``."""
    return x if math.isfinite(x) else str(x)


def _norm(array: Array) -> Json:
    if not array.size:
        return None
    entries = np.abs(array.astype(np.float64).ravel())
    scale = float(entries.max())
    if not math.isfinite(scale) or not scale:
        return number(scale)
    return number(scale * float(np.linalg.norm(entries / scale)))


def _names(heap: Mapping[Location, Array]) -> dict[Location, str]:
    """A location that a later declaration hides has its version behind its name."""
    newest: dict[str, int] = {}
    for location in heap:
        newest[location.name] = max(newest.get(location.name, 0), location.version)
    return {
        location: location.name if location.version == newest[location.name] else f"{location.name}#{location.version}"
        for location in heap
    }
