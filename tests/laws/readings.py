"""What the laws compare: values as arrays, and the end of a reduction, if it comes soon enough."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from hypothesis import reject

from rh_kernel.arrays.execution import Arrays
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.operational.trace import Result, run, steps
from rh_kernel.primitives.values import materialise, to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array, Term, Tuple
from rh_kernel.syntax.runtime_errors import ImpossibleSize, Unhandled
from rh_kernel.syntax.signature import Location

FUEL = 1500


def reached(subject: Subject, heap: Mapping[Location, Array]) -> Result:
    """Where the reduction ends.

    A program that takes too many steps is not counted (Fig. 7, read literally, can double them), nor is one that uses a
    clause at a size that it is not made for.
    """
    try:
        return run(subject, Heap(heap), Limits(fuel=FUEL))
    except Stuck as stuck:
        if isinstance(stuck.diagnostics[0], OutOfFuel | ImpossibleSize):
            reject()
        raise


def steps_of(subject: Subject, heap: Mapping[Location, Array], most: int = FUEL) -> Iterator[Step]:
    """The steps of the reduction, up to so many. Raises ``Stuck`` where there is no next step."""
    try:
        yield from steps(subject, Heap(heap), Limits(fuel=most))
    except Stuck as stuck:
        if not isinstance(stuck.diagnostics[0], OutOfFuel | ImpossibleSize):
            raise


def arrays(V: Term) -> list[Array]:
    """The arrays of a closed value from left to right, its zeros written out."""
    W = materialise(V)
    return [array for M in W.items for array in arrays(M)] if isinstance(W, Tuple) else [to_array(W)]


def outcome(subject: Subject, heap: Mapping[Location, Array]) -> Result | Unhandled:
    """Where the reduction ends: at a value, or at an operation that nobody handles."""
    try:
        return reached(subject, heap)
    except Stuck as stuck:
        match stuck.diagnostics:
            case (Unhandled() as unhandled,):
                return unhandled
            case _:
                raise


def nested(V: Term) -> Arrays:
    """A closed value as arrays, nested as its type is."""
    W = materialise(V)
    return tuple(nested(M) for M in W.items) if isinstance(W, Tuple) else to_array(W)


def assert_close(found: Sequence[Array], expected: Sequence[Array], tolerance: float = 1e-9) -> None:
    """Entry by entry, relative to the size of the numbers; ``nan`` is equal to itself."""
    for x, y in zip(found, expected, strict=True):
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def assert_same_heap(found: Mapping[Location, Array], expected: Mapping[Location, Array], tolerance: float = 1e-9) -> None:
    """Location by location."""
    assert found.keys() == expected.keys()
    for location, content in expected.items():
        assert_close([found[location]], [content], tolerance)
