"""Workers as SLURM jobs, for as long as this program runs: ``python slurm.py JOBS``, on a login node.

It needs ``pip install dask-jobqueue`` beside ``rh_kernel[cluster]``, in an environment that the compute nodes see too. Queue,
memory and time are those of your site.
"""

import signal
import sys
from contextlib import closing, suppress

from dask_jobqueue.slurm import SLURMCluster


def cluster() -> SLURMCluster:
    """A scheduler here; each job is a node of eight workers with one thread each."""
    return SLURMCluster(
        queue="compute",
        cores=8,
        processes=8,
        memory="16GB",
        walltime="02:00:00",
        job_script_prologue=["export OMP_NUM_THREADS=1"],
        scheduler_options={"dashboard_address": ":0"},
    )


def main(jobs: int) -> None:
    """Submit the jobs, print what to write in a notebook, and cancel them on Ctrl+C."""
    with closing(cluster()) as nodes:
        nodes.scale(jobs=jobs)
        print(f"%cluster {nodes.scheduler_address}", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main(int(sys.argv[1]))
