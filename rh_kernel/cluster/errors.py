"""Diagnostics about clusters (RH35x)."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class NoDistributed(Diagnostic):
    """``%cluster local 2`` without the library ``distributed``"""

    code, title = "RH351", "Cluster library not installed"
    label = "a cluster needs the library distributed, which is not installed"
    hint: str = "install it and restart the kernel: pip install 'rh_kernel[cluster]'"


@frozen_kw_only
class NoCluster(Diagnostic):
    """``%cluster tcp://nowhere:8786``"""

    code, title = "RH352", "Cluster cannot be reached"
    label = "there is no connection to {what}: {why}"
    what: str
    why: str


@frozen_kw_only
class OtherVersion(Diagnostic):
    """A worker with another version of NumPy than the kernel"""

    code, title = "RH353", "Worker has another version"
    label = "the worker {worker} has {package} {theirs}, this kernel has {ours}"
    hint: str = "give the workers the same environment; different versions may compute different digits"
    worker: str
    package: str
    theirs: str
    ours: str


@frozen_kw_only
class NoWorkers(Diagnostic):
    """All workers of a cluster are gone, and none came within the time that is waited for one"""

    code, title = "RH354", "No worker left"
    label = "the cluster {what} has had no worker for {seconds:g} s"
    hint: str = "`%cluster` shows the workers; start some, or go on without them: `%cluster off`"
    what: str
    seconds: float


@frozen_kw_only
class PieceGivenUp(Diagnostic):
    """A piece that failed on one worker after the other"""

    code, title = "RH355", "Piece given up"
    label = "a call of a worker was tried {tries} times; at last {why}"
    hint: str = "if the workers need more time, raise `%cluster limit`; if they have too little memory, use more pieces"
    tries: int
    why: str


@frozen_kw_only
class WorkerFailed(Diagnostic):
    """A worker without the C compiler that the kernel has"""

    code, title = "RH356", "Worker cannot compute"
    label = "the worker {worker} failed: {why}"
    hint: str = "give the workers the same environment as the kernel, with its C compiler; more pieces need less memory"
    worker: str
    why: str


@frozen_kw_only
class NotACluster(Diagnostic):
    """``rh.cluster(3)``"""

    code, title = "RH357", "Not a cluster"
    label = "{given} is not a cluster or client of the library distributed"
    given: str
