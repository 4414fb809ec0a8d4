"""The result of ``%data``: the components of a data set, with their types, ranges and first samples."""

from rh_kernel.session.results import Result
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array


@frozen
class Component:
    """A component of a data set: its type for one sample, how its numbers are stored, and the least and the greatest of them.

    ``counts`` is the number of samples of each class if it is one-hot. ``first`` are the first samples, (n, d1, …, dk).
    """

    name: str
    type: str
    stored: str
    in_memory: bool
    low: float
    high: float
    counts: tuple[int, ...] | None
    first: Array


@frozen
class DataShown(Result):
    """A data set of so many samples, ``data("name")``, with its components."""

    name: str
    samples: int
    components: tuple[Component, ...]
