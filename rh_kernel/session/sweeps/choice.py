"""The choice of the executor of a sweep."""

import sys

from rh_kernel.arrays.threads import cores
from rh_kernel.session.sweeps.executors import Executor
from rh_kernel.session.sweeps.in_process import InProcess
from rh_kernel.session.sweeps.jobs import Job, packed


def executor_for(job: Job, runs: int) -> Executor:
    """Return an executor for so many runs: processes, as many as there are cores; this process where there can be none.

    With ``%cluster`` they are its workers; the cluster must be open. Which executor it is changes no result.
    """
    cluster = job.settings.cluster
    if sys.platform in {"emscripten", "wasi"}:
        return InProcess(job)
    try:
        data = packed(job)
    except RecursionError:
        return InProcess(job)
    if cluster is not None:
        from rh_kernel.session.sweeps.on_cluster import OnCluster

        return OnCluster(cluster, data)
    from rh_kernel.session.sweeps.processes import Processes

    return Processes(data, min(runs, cores()))
