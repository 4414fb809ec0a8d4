"""The heap at every state of a trace, and contents as a page gets them."""

from bisect import bisect_left
from collections.abc import Mapping

from rh_kernel.display.contents import norm
from rh_kernel.display.data import Json, Record, location_names, strict_json
from rh_kernel.display.rounding import array_line
from rh_kernel.display.traces.frames import heap_changes, used_locations
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import real

MOST_VALUES = 256
"""The entries of arrays with more are not told."""


class Heaps:
    """What the locations hold that the trace reads or writes; ``changes`` tells what a step has put there."""

    def __init__(self, result: TraceMade) -> None:
        used = used_locations(result.steps)
        self.start: Mapping[Location, Array] = {location: a for location, a in result.heap.items() if location in used}
        self.names = location_names(self.start)
        self.changes = heap_changes(result)
        self._puts: dict[Location, list[int]] = {location: [] for location in self.start}
        for n, change in self.changes.items():
            self._puts.setdefault(change.location, []).append(n)

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
        entries = [strict_json(float(x)) for x in array.ravel()]
    return {
        "type": str(real(*array.shape)),
        "text": array_line(array),
        "norm": strict_json(norm(array)) if array.size else None,
        "shape": [*array.shape],
        "values": entries,
    }
