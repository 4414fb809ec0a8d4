"""What is in a location: its content in a heap, or the initial one of a state that has not been written yet."""

from collections.abc import Iterable, Mapping

import numpy as np

from rh_kernel.primitives.schemes import extent
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Real


def content(heap: Mapping[Location, Array], location: Location) -> Array | None:
    """Return the content of a location, a read-only array for a state; ``None`` if it has none."""
    found = heap.get(location)
    return initial_state(location) if found is None else found


def with_states(heap: Mapping[Location, Array], locations: Iterable[Location]) -> Mapping[Location, Array]:
    """Return the heap with what those of the locations that are states hold at first, if they have not been written yet."""
    first = {at: array for at in locations if at not in heap and (array := initial_state(at)) is not None}
    return {**heap, **first} if first else heap


def initial_state(location: Location) -> Array | None:
    """Return what a location beside another one holds at first, a read-only array; ``None`` for any other location."""
    if location.state is None:
        return None
    array = np.full(extent(Real(location.shape)), location.state.family.initial)
    array.setflags(write=False)
    return array
