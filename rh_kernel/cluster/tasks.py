"""What a worker does: functions of this module are named in tasks, and all they need comes as data.

Arrays that come by the wire may be unaligned, and their dtype objects are not NumPy's own, so they are copied into arrays of
this process first.
"""

import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from rh_kernel.arrays.backends import by_name
from rh_kernel.arrays.blas_threads import one_blas_thread_from_now_on
from rh_kernel.arrays.execution import contents
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.threads import limit_threads
from rh_kernel.loops.ir import Integers, Precision
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.batches import Batches
from rh_kernel.training.feeds import Whole
from rh_kernel.training.files import open_at
from rh_kernel.training.samples import DataSet
from rh_kernel.training.sources import FilePlace, InMemory

Value = TypeVar("Value")

COMPARED = ("rh_kernel", "numpy", "distributed")
"""The packages whose versions must agree, besides Python's."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Job:
    """A batched program, and the samples that it runs on: for each of ``names`` an array, samples first.

    ``samples`` is empty if they are not in memory: a worker reads those of a piece from ``places``, one for each name, or they
    are sent with it. ``locations`` are those whose contents the program needs; their contents come with each piece, in that
    order.
    """

    program: Program
    locations: tuple[Location, ...]
    names: tuple[str, ...]
    samples: tuple[Array, ...]
    places: tuple[FilePlace, ...]
    precision: Precision
    backend: str


class _Samples(Whole):
    """The samples of a job; those of a piece, if they are not in memory"""

    def __init__(self, job: Job) -> None:
        self.give([own(array) for array in job.samples])
        found = [open_at(place) for place in job.places]
        self._sources = [source for source in found if source is not None]
        self.can_read = len(self._sources) == len(job.names)
        self._precision = job.precision

    def read(self, rows: Sequence[Integers]) -> None:
        """Serve these rows of the places. Raises ``Rejected`` if a file can no longer be read."""
        with np.errstate(over="ignore"):
            arrays = [source.take(own(numbers)) for source, numbers in zip(self._sources, rows, strict=True)]
            self.give([np.ascontiguousarray(array, self._precision) for array in arrays])

    def give(self, arrays: Sequence[Array]) -> None:
        """Serve these arrays, which have the precision of the job."""
        self._arrays = [*arrays]
        self._size = max([1, *[len(array) for array in arrays]])


_BATCHES: "WeakKeyDictionary[Job, dict[int, tuple[Batches, _Samples]]]" = WeakKeyDictionary()
"""The buffers of each job, for each thread; a worker that forgets a job drops them."""

_RUNNING: set[str] = set()
"""The tokens of the calls that this worker is working on."""


def called(token: str, function: Callable[..., Value], *arguments: Any) -> Value:
    """Call a function; meanwhile ``is_running(token)``."""
    _RUNNING.add(token)
    try:
        return function(*arguments)
    finally:
        _RUNNING.discard(token)


def is_running(token: str) -> bool:
    """Whether this worker is still working on a call, even if nobody waits for it any more."""
    return token in _RUNNING


def compute(
    job: Job, given: Sequence[Array], rows: Integers, sent: Sequence[Array], there: Sequence[Integers]
) -> list[Array] | None:
    """Run the samples of a piece from the contents; return the new ones, times the number of samples, in the order of writes.

    The samples are those ``rows`` of the job's; if it has none, all that are ``sent``, or of each place the rows that are
    ``there``. Returns ``None`` if these places cannot be read here. Raises ``LookupError`` if this machine does not have the
    back end of the job, ``Rejected`` if a file has changed.
    """
    one_blas_thread_from_now_on()
    limit_threads(1)
    old = dict(zip(job.locations, [own(array) for array in given], strict=True))
    mine = _BATCHES.setdefault(job, {})
    here = threading.get_ident()
    if here not in mine:
        mine[here] = _prepared(job, old)
    batches, samples = mine[here]
    if there:
        if not samples.can_read:
            return None
        samples.read(there)
    elif not job.samples:
        samples.give([own(array) for array in sent])
    (found,) = batches.weighted(old, [own(rows) if job.samples else np.arange(len(rows))])
    return [found[location] for location, _ in job.program.writes]


def versions() -> dict[str, str]:
    """Return the versions on this machine that the results depend on."""
    return {"Python": platform.python_version(), **{name: _version(name) for name in COMPARED}}


def _prepared(job: Job, old: Mapping[Location, Array]) -> tuple[Batches, _Samples]:
    backend, samples = by_name(job.backend), _Samples(job)
    data = DataSet("sent", {name: InMemory(np.empty((1, 1))) for name in job.names})
    memory = backend.memory(contents((job.program,), old), job.precision)
    return Batches(job.program, job.names, data, memory, job.precision, backend, source=samples), samples


def own(array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return an aligned copy in row-major order, with NumPy's own dtype object."""
    return np.array(array, dtype=np.dtype(array.dtype.str), order="C")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
