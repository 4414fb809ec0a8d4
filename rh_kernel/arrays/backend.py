"""What a back end is: it keeps the contents of locations in its own arrays, and makes runners that work on them in place."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from rh_kernel.loops.ir import Integers, Plan, Precision
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

Arrays: TypeAlias = "Array | tuple[Arrays, ...]"
"""A value as arrays: nested tuples, as its type is nested products."""


Places: TypeAlias = Mapping[Location, Any]
"""The array that each location has, on which runners write. Several runners may share them."""


class Memory(Mapping[Location, Any]):
    """The contents of locations as arrays of a back end."""

    __slots__ = ()

    @abstractmethod
    def store(self, heap: Mapping[Location, Array]) -> None:
        """Overwrites what is at those locations."""

    @abstractmethod
    def fetch(self, over: Mapping[Location, Array] | None = None) -> Mapping[Location, Array]:
        """The contents as they are now, in NumPy arrays of float64: new ones, or those that an earlier call has given."""


class Runner(Protocol):
    """A plan with its buffers, ready to run any number of times."""

    def step(self, *inputs: Array) -> None:
        """One run on arrays of the plan's precision and shapes. Raises ``ValueError`` if one is not."""
        ...

    def steps(self, inputs: Sequence[Array], rows: Integers) -> None:
        """A run for each row of ``rows`` (runs × samples), on those samples of the inputs, whose first axis counts samples."""
        ...

    def result(self) -> Arrays:
        """The result of the last run, as new NumPy arrays of the plan's precision."""
        ...


class Backend(Protocol):
    """A place where plans run.

    If it ``wants_matrices``, its plans are made for a library that multiplies matrices. If it is ``far``, what it holds is
    fetched no more often than need be.
    """

    @property
    def far(self) -> bool:
        """Whether the contents are in another memory than the processor's."""
        ...

    @property
    def wants_matrices(self) -> bool:
        """See ``planning.planned``."""
        ...

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Copies of the contents, in the back end's arrays."""
        ...

    def runner(self, plan: Plan, memory: Places) -> Runner:
        """The plan on that memory. Raises ``Unsupported`` if this back end has no loop for one of its steps."""
        ...


class Unsupported(Exception):
    """A plan has a step that the back end cannot do; another one has to be taken."""
