"""Families of locations in loops: their contents are one array, of which each round is given a row."""

from collections.abc import Mapping
from dataclasses import field

from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location, LocationFamily, members


@frozen
class Stack(Location):
    """All locations of a family; the content is theirs, stacked"""

    family: LocationFamily = field(kw_only=True)

    def __hash__(self) -> int:
        return hash(self.name)


@frozen
class Row(Location):
    """The location of a family that a round is at, whose number is called ``index``"""

    family: LocationFamily = field(kw_only=True)
    index: str = field(kw_only=True)

    def __hash__(self) -> int:
        return hash(self.name)


def stack(family: LocationFamily) -> Stack:
    """All locations of the family."""
    if not isinstance(family.shape, tuple):
        raise KernelBug(f"the shape of {family.name} is not known")
    return Stack(family.name, (family.length, *family.shape), family.version, family=family)


def row(family: LocationFamily, index: str) -> Row:
    """The location of the family in the round with this number."""
    return Row(f"{family.name}[{index}]", family.shape, family.version, family=family, index=index)


def places(location: Location) -> tuple[Location, ...]:
    """The locations whose contents the program finds at this one: itself, or those that are stacked."""
    return members(location.family) if isinstance(location, Stack) else (location,)


def unstacked(heap: Mapping[Location, Array]) -> dict[Location, Array]:
    """Return the heap with the contents of stacked locations one by one, as parts of the same arrays."""
    found: dict[Location, Array] = {}
    for location, content in heap.items():
        if isinstance(location, Stack):
            found.update(zip(places(location), [*content], strict=True))
        else:
            found[location] = content
    return found


def without_members(heap: Mapping[Location, Array]) -> dict[Location, Array]:
    """Return the heap without the locations that are in one of its stacks."""
    stacked = {place for location in heap if isinstance(location, Stack) for place in places(location)}
    return {location: content for location, content in heap.items() if location not in stacked} if stacked else {**heap}
