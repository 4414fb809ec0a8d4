"""The interface of a back end: it stores the contents of locations in its own arrays and makes runners that update them."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from rh_kernel.loops.ir import Integers, Plan, Precision
from rh_kernel.loops.trees import Tree
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

Arrays: TypeAlias = "Tree[Array]"
"""A value as arrays: nested tuples that mirror nested product types."""


ContentArrays: TypeAlias = Mapping[Location, Any]
"""The array of each location, which runners write to; several runners may share them."""


class Memory(Mapping[Location, Any]):
    """The contents of locations, in arrays of a back end."""

    __slots__ = ()

    @abstractmethod
    def store(self, heap: Mapping[Location, Array]) -> None:
        """Overwrite the contents of these locations."""

    @abstractmethod
    def fetch(self, over: Mapping[Location, Array] | None = None) -> Mapping[Location, Array]:
        """Return the current contents as float64 NumPy arrays: new ones, or ``over`` again, which an earlier call returned."""


class Runner(Protocol):
    """A plan with its buffers, ready to run any number of times."""

    def step(self, *inputs: Array) -> None:
        """Run once. Raises ``ValueError`` if the inputs do not have the plan's precision and shapes."""
        ...

    def steps(self, inputs: Sequence[Array], rows: Integers) -> None:
        """Run once for each row of ``rows`` (runs × samples), on those samples of the inputs (samples first)."""
        ...

    def result(self) -> Arrays:
        """Return the result of the last run, as new NumPy arrays of the plan's precision."""
        ...


class Backend(Protocol):
    """Executes plans.

    If it ``prefers_gemm``, its plans are lowered to calls of a matrix-product library (BLAS). If it ``is_device``, its memory
    is that of a device, and contents are fetched as seldom as possible.
    """

    @property
    def is_device(self) -> bool:
        """Whether the contents are in device memory rather than host memory."""
        ...

    @property
    def prefers_gemm(self) -> bool:
        """Whether plans should use matrix products; see ``planning.planned``."""
        ...

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Return a memory with copies of the contents."""
        ...

    def runner(self, plan: Plan, memory: ContentArrays) -> Runner:
        """Prepare the plan to run on that memory. Raises ``Unsupported`` if the back end cannot execute one of its steps."""
        ...


class Unsupported(Exception):
    """The back end cannot execute a step of the plan; use another one."""
