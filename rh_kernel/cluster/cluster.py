"""``Cluster``: the workers that a session uses, wherever they are, connected to when they are needed."""

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from weakref import finalize

import numpy as np

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.backends import name_of
from rh_kernel.arrays.execution import contents
from rh_kernel.arrays.program import Program
from rh_kernel.cluster.errors import NoCluster, NoDistributed, NotACluster
from rh_kernel.loops.ir import Precision
from rh_kernel.source.diagnostic import KernelBug, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.samples import DataSet
from rh_kernel.training.sources import Source, located

if TYPE_CHECKING:
    from rh_kernel.cluster.connection import Connection
    from rh_kernel.cluster.local_workers import LocalWorkers
    from rh_kernel.cluster.pieces import RemotePieces

Value = TypeVar("Value")

START = 60.0
"""Seconds that local workers may take to start."""


@frozen
class Local:
    """``%cluster local 2``: so many workers on this machine, of one thread each"""

    workers: int


@frozen
class Address:
    """``%cluster tcp://host:8786``: a scheduler that runs already, with the client's own configuration for TLS"""

    url: str


@frozen
class Given:
    """``rh.cluster(…)``: the scheduler of a cluster or client of ``distributed`` that Python made, and its security"""

    url: str
    security: Any
    kind: str


Place: TypeAlias = Local | Address | Given


def given(value: object) -> Given:
    """Return where a cluster or client of ``distributed`` is. Raises ``Rejected`` for anything else."""
    made: Any = value
    url = getattr(made, "scheduler_address", None) or getattr(getattr(made, "scheduler", None), "address", None)
    if not isinstance(url, str):
        hint = "for example rh.cluster(LocalCluster()), a cluster of dask-jobqueue, or a Client"
        raise Rejected(NotACluster(given=f"a value of type {type(value).__name__}", hint=hint))
    return Given(url, getattr(made, "security", None), type(value).__name__)


@frozen
class WorkerShown:
    """A line of ``%cluster``: a worker, its threads and its memory in bytes, 0 if it has no limit"""

    address: str
    threads: int
    memory: int


class Cluster:
    """Workers at a place. They are connected to, or started, by ``open``, which every use does first.

    Workers that were started here end when the cluster is closed or dropped, or the process ends.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._connection: Connection | None = None
        self._local: LocalWorkers | None = None
        self._end: finalize[Any, Any] | None = None

    @property
    def name(self) -> str:
        """The cluster as it is written after ``%cluster``."""
        match self.place:
            case Local(workers):
                return f"local {workers}"
            case Address(url):
                return url
            case Given(url, _, kind):
                return f"{kind} at {url}"

    @property
    def workers(self) -> tuple[WorkerShown, ...]:
        """The workers that are there now."""
        found = [] if self._connection is None else [*self._connection.workers.values()]
        return tuple([WorkerShown(w.address, w.threads, w.memory) for w in found if not w.dismissed])

    @property
    def dashboard(self) -> str:
        """The address of the dashboard, or an empty text if there is none."""
        # A scheduler without Bokeh names an address where there is only the advice to install it.
        is_missing = isinstance(self.place, Local) and find_spec("bokeh") is None
        return "" if self._connection is None or is_missing else self._connection.dashboard

    @property
    def pid(self) -> int | None:
        """The number of the process group of local workers, while there are some."""
        return None if self._local is None else self._local.pid

    def open(self) -> Generator[None]:
        """Connect, if there is no connection; yield while that takes time, and start local workers for it.

        Raises ``Rejected`` if the library is missing, there is no scheduler, or a worker has other versions.
        """
        if self._connection is not None:
            if self._connection.is_alive:
                return
            self.close()
        if find_spec("distributed") is None:
            raise Rejected(NoDistributed())
        from rh_kernel.cluster.connection import Connection

        connection, local = Connection(), None
        try:
            url, security = "", None
            match self.place:
                case Local(workers):
                    from rh_kernel.cluster.local_workers import LocalWorkers

                    local = LocalWorkers(workers)
                    url, security = yield from _started(local)
                case Address(url):
                    pass
                case Given(url, security, _):
                    pass
            yield from _finished(connection, connection.connect(url, security))
            yield from _finished(connection, connection.check_all())
        except (OSError, ValueError) as error:
            _close(connection, local)
            why = str(error) or type(error).__name__
            raise Rejected(NoCluster(what=self.name, why=why.splitlines()[0], hint=_HINTS[type(self.place)])) from None
        except BaseException:
            _close(connection, local)
            raise
        self._connection, self._local = connection, local
        self._end = finalize(self, _close, connection, local)

    def pool(self, limit: float | None = None) -> "PiecesOnCluster":
        """Return what computes the pieces of batches. The cluster must be open.

        A worker has ``limit`` seconds for a piece; by default as many as follow from the slowest piece so far.
        """
        return PiecesOnCluster(self, limit)

    def job(
        self,
        program: Program,
        names: Sequence[str],
        data: DataSet,
        heap: Mapping[Location, Array],
        precision: Precision,
        backend: Backend,
        estimate: float,
        limit: float | None,
    ) -> "RemotePieces":
        """Return what computes pieces of a batched program on these samples. The cluster must be open."""
        from rh_kernel.cluster.pieces import RemotePieces
        from rh_kernel.cluster.tasks import Job

        samples: tuple[Array, ...] = ()
        sources: list[Source] = []
        if data.is_in_memory:
            with np.errstate(over="ignore"):
                samples = tuple([np.ascontiguousarray(data.arrays[name], precision) for name in names])
        else:
            sources = [data.sources[name] for name in names]
        found = [there[0] for source in sources if (there := located(source, np.empty(0, np.intp))) is not None]
        places = tuple(found) if len(found) == len(sources) else ()
        job = Job(program, tuple(contents((program,), heap)), tuple(names), samples, places, precision, name_of(backend))
        return RemotePieces(self._open_connection, self.name, job, sources, estimate, limit)

    def submit(
        self, function: Callable[..., Value], *arguments: Any, told: Callable[[str], None] = lambda _: None
    ) -> "Future[Value]":
        """Call a function of a module of this package on a worker that has a free thread, and return its future result.

        The arguments and the result are pickled. If the worker dies or leaves, the call is repeated on another, so the function
        must be pure; ``told`` gets a sentence about each repetition, in another thread. ``cancel`` of the future takes the call
        back, and restarts a worker that does not stop. The future raises the ``Failure`` that the function raises, and
        ``Stuck`` for its other exceptions (``WorkerFailed``) or if no worker is left (``NoWorkers``). The cluster must be open.
        """
        if not function.__module__.startswith("rh_kernel.") or "<" in function.__qualname__:
            raise KernelBug(f"{function.__qualname__} is not a function of a module of rh_kernel")
        from rh_kernel.cluster.calls import Calls

        async def same(_: object) -> Sequence[Any]:
            return arguments

        connection = self._open_connection
        return connection.start(Calls(connection, self.name, told).call(function, same))

    def close(self) -> None:
        """Disconnect, and end the workers that were started here. The next ``open`` connects again."""
        if self._end is not None:
            self._end()
        self._connection = self._local = self._end = None

    @property
    def _open_connection(self) -> "Connection":
        if self._connection is None:
            raise KernelBug("the cluster is not open")
        return self._connection


@frozen
class PiecesOnCluster:
    """The ``Pool`` of a training run: pieces on the workers of an open cluster"""

    cluster: Cluster
    limit: float | None

    def pieces(
        self,
        program: Program,
        names: Sequence[str],
        data: DataSet,
        heap: Mapping[Location, Array],
        precision: Precision,
        backend: Backend,
        estimate: float,
    ) -> "RemotePieces":
        """Return the pieces of a batched program on these samples, of which each takes about ``estimate`` seconds."""
        return self.cluster.job(program, names, data, heap, precision, backend, estimate, self.limit)


_HINTS: Mapping[type[Place], str] = {
    Local: "the processes did not start; `%cluster off` goes on without them",
    Address: "is a scheduler there? `dask scheduler` starts one, and `dask worker ADDRESS` its workers",
    Given: "make the cluster again in Python, and give it to `rh.cluster`",
}


def _started(local: "LocalWorkers") -> Generator[None, None, tuple[str, Any]]:
    waited = 0.0
    while (found := local.scheduler(0.05)) is None:
        waited += 0.05
        if waited > START:
            raise OSError(f"it did not start within {START:g} s")
        yield
    return found


def _finished(connection: "Connection", coroutine: Any) -> Generator[None]:
    for value in connection.wait(coroutine):
        if value is None:
            yield


def _close(connection: "Connection", local: "LocalWorkers | None") -> None:
    connection.stop()
    if local is not None:
        local.close()
