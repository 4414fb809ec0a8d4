"""Families of locations in loops: the contents of the locations are one array, of which each round is given a row."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import combinations

from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location, LocationFamily, members


@frozen
class Stack(Location):
    """So many locations of a family, from ``start`` on in steps of ``step``; the content is theirs, stacked"""

    family: LocationFamily = field(kw_only=True)
    count: int = field(kw_only=True)
    start: int = field(kw_only=True)
    step: int = field(kw_only=True)

    def __hash__(self) -> int:
        return hash(self.name)


@frozen
class Row(Location):
    """The location of a stack that a round is at, whose number is called ``index``"""

    stack: Stack = field(kw_only=True)
    index: str = field(kw_only=True)

    def __hash__(self) -> int:
        return hash(self.name)


def stack(family: LocationFamily, count: int, start: int = 0, step: int = 1) -> Stack:
    """So many locations of the family. Raises ``IndexError`` if it does not have them."""
    if not isinstance(family.shape, tuple):
        raise KernelBug(f"the shape of {family.name} is not known")
    last = start + (count - 1) * step
    if not (step > 0 and 0 <= start <= last < (family.length.constant or 0)):
        raise IndexError(f"{family.name} has no location {start} or {last}")
    shown = f"[{start}, {start + step}, …, {last}]" if (start, step, dim(count)) != (0, 1, family.length) else ""
    shape = (dim(count), *family.shape)
    return Stack(family.name + shown, shape, family.version, family=family, count=count, start=start, step=step)


def row(at: Stack, index: str) -> Row:
    """The location of the stack in the round with this number."""
    return Row(f"{at.name}[{index}]", at.family.shape, at.version, stack=at, index=index)


def places(location: Location) -> tuple[Location, ...]:
    """The locations whose contents the program finds at this one: itself, or those that are stacked."""
    if not isinstance(location, Stack):
        return (location,)
    found = members(location.family)[location.start :: location.step]
    return found[: location.count]


def overlap(locations: Iterable[Location]) -> bool:
    """Whether a stack has a location of another one, or one that is used by itself."""
    used = {*locations}
    stacks = [location for location in used if isinstance(location, Stack)]
    return any(not used.isdisjoint(places(at)) for at in stacks) or any(
        at.family == other.family and not {*places(at)}.isdisjoint(places(other)) for at, other in combinations(stacks, 2)
    )


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
