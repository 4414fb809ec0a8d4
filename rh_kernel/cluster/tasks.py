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
from rh_kernel.loops.ir import Integers, Precision
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.batches import Batches
from rh_kernel.training.feeds import Whole
from rh_kernel.training.samples import DataSet
from rh_kernel.training.sources import InMemory

Value = TypeVar("Value")

COMPARED = ("rh_kernel", "numpy", "distributed")
"""The packages whose versions must agree, besides Python's."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Job:
    """A batched program, and the samples that it runs on: for each of ``names`` an array, samples first.

    ``samples`` is empty if those of a piece are sent with it. ``locations`` are those whose contents the program needs; their
    contents come with each piece, in that order.
    """

    program: Program
    locations: tuple[Location, ...]
    names: tuple[str, ...]
    samples: tuple[Array, ...]
    precision: Precision
    backend: str


class _Samples(Whole):
    """Samples that may be replaced by those of another piece"""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self.give(arrays)

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


def compute(job: Job, given: Sequence[Array], rows: Integers, sent: Sequence[Array]) -> list[Array]:
    """Run the samples of a piece from the contents; return the new ones, times the number of samples, in the order of writes.

    The samples are those ``rows`` of the job's, or all that are ``sent``. Raises ``LookupError`` if this machine does not have
    the back end of the job.
    """
    one_blas_thread_from_now_on()
    old = dict(zip(job.locations, [own(array) for array in given], strict=True))
    mine = _BATCHES.setdefault(job, {})
    here = threading.get_ident()
    if here not in mine:
        mine[here] = _prepared(job, old)
    batches, samples = mine[here]
    if not job.samples:
        samples.give([own(array) for array in sent])
    (found,) = batches.weighted(old, [own(rows) if job.samples else np.arange(len(rows))])
    return [found[location] for location, _ in job.program.writes]


def versions() -> dict[str, str]:
    """Return the versions on this machine that the results depend on."""
    return {"Python": platform.python_version(), **{name: _version(name) for name in COMPARED}}


def _prepared(job: Job, old: Mapping[Location, Array]) -> tuple[Batches, _Samples]:
    backend, samples = by_name(job.backend), _Samples([own(array) for array in job.samples])
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
