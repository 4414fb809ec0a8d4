"""The heap at every state of a trace, and arrays as records for the front end."""

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
"""Entries of larger arrays are not sent."""


class HeapHistory:
    """The contents of the locations that a trace accesses; ``changes`` maps a step to the change that it makes."""

    def __init__(self, result: TraceMade) -> None:
        used = used_locations(result.steps)
        self.start: Mapping[Location, Array] = {location: a for location, a in result.heap.items() if location in used}
        self.names = location_names(self.start)
        self.changes = heap_changes(result)
        self._puts: dict[Location, list[int]] = {location: [] for location in self.start}
        for n, change in self.changes.items():
            self._puts.setdefault(change.location, []).append(n)

    def at(self, state: int) -> list[Record]:
        """Return the content of each location after ``state`` steps, and the step that put it there."""
        found: list[Record] = []
        for location, first in self.start.items():
            puts = self._puts[location]
            last = bisect_left(puts, state) - 1
            array = first if last < 0 else self.changes[puts[last]].after
            changed_by = None if last < 0 else puts[last]
            found.append({"location": self.names[location], "content": content(array), "changed_by": changed_by})
        return found

    def opening(self) -> list[Record]:
        """Return the content of each location at the start."""
        return [
            {"location": self.names[location], "type": str(real(*array.shape)), "content": content(array)}
            for location, array in self.start.items()
        ]

    def change(self, step: int) -> Record | None:
        """Return the content before and after the change of a step, if it makes one."""
        change = self.changes.get(step)
        if change is None:
            return None
        before = None if change.before is None else content(change.before)
        return {"location": self.names[change.location], "before": before, "after": content(change.after)}


def content(array: Array) -> Record:
    """Return the record of an array: type, text, norm, shape, and its entries if there are at most ``MOST_VALUES``."""
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
