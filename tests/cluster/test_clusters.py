"""``%cluster`` and ``rh.cluster``: schedulers that run already, clusters from Python, what is refused, and what ends a cell."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.cluster import calls, tasks
from rh_kernel.cluster.cluster import Address, Cluster, Local, WorkerShown, given
from rh_kernel.cluster.pieces import RemotePieces
from rh_kernel.display.registry import bundle, records
from rh_kernel.loops.ir import Integers
from rh_kernel.session.results import ClusterShown
from rh_kernel.source.diagnostic import KernelBug, Rejected, Stuck
from rh_kernel.source.trampoline import exhaust
from rh_kernel.training.data import split
from rh_kernel.training.files import read
from rh_kernel.training.reading.npy import NPY
from rh_kernel.training.reading.reader import ByteLimit
from rh_kernel.training.samples import DataSet, data_set
from rh_kernel.training.sources import FilePlace, InMemory, Source, View, located
from rh_kernel.workspace.errors import Wrong
from rh_kernel.workspace.workspace import Workspace
from tests.cluster.runs import events, net, opened, processes, result, same, wait_until
from tests.training.programs import Run

TRAINED = """
loc w : Real(2, 2) = [[1, 2], [3, 4]]
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
"""
TRAIN = """train rev handle (x) <u>. FC[w](u) with sgd(0.1, x) for x in data("xor") epochs 5 batch 4 pieces 2"""


def exhausted(running: Iterator[object]) -> None:
    for _ in running:
        pass


@contextmanager
def scheduler(folder: Path, *more: str) -> Generator[str]:
    """Start a scheduler as a program, and yield its address."""
    file = folder / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0", "--scheduler-file", f"{file}"]
    with program("dask_scheduler", *options, *more):
        wait_until(lambda: file.exists() and bool(file.read_text()), "the scheduler is there")
        yield json.loads(file.read_text())["address"]


@contextmanager
def program(name: str, *options: str) -> Generator[int]:
    """Run a program of the library, and yield its number."""
    command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{name}", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=Path.cwd()) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def worker(address: str, *options: str) -> AbstractContextManager[int]:
    """Run a worker of one thread, without a nanny, which would restart it."""
    return program("dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", *options)


def written(workspace: Workspace) -> dict[str, bytes]:
    """The contents of a heap, to the bit."""
    return {name: content.tobytes() for name, content in workspace.heap.items()}


@pytest.mark.parametrize("words", ["local", "local 0", "local x", "local 2 3", "nowhere", "tcp://", "limit", "limit 0", "on"])
def test_other_arguments_are_refused(words: str) -> None:
    with pytest.raises(Wrong) as wrong:
        Workspace().run(f"%cluster {words}")
    assert [diagnostic.code for diagnostic in wrong.value.diagnostics] == ["RH042"]


def test_without_the_library_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Wrong, match="RH351") as wrong:
        Workspace().run("%cluster local 2")
    assert "pip install 'rh_kernel[cluster]'" in wrong.value.diagnostics[0].hint


@pytest.mark.parametrize("value", [3, "tcp://here", None, object()])
def test_a_value_that_is_no_cluster_is_refused(value: object) -> None:
    with pytest.raises(Rejected, match="RH357"):
        given(value)


def test_the_library_is_not_imported_before_it_is_used() -> None:
    code = """
import sys
from rh_kernel.workspace.workspace import Workspace
Workspace().run("%cluster\\n%cluster off")
print("distributed" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_only_functions_of_this_package_are_submitted() -> None:
    with pytest.raises(KernelBug):
        Cluster(Local(1)).submit(lambda: 3)


def test_what_is_shown_is_escaped() -> None:
    evil = "<script>alert(1)</script>"
    found = ClusterShown(evil, (WorkerShown(evil, 1, 0),), f"javascript:{evil}", None)
    html = bundle(found)["text/html"]
    assert "<script" not in html
    assert "href" not in html
    assert records(1, found)[0]["name"] == evil


@pytest.mark.slow
def test_a_scheduler_that_runs_already(tmp_path: Path) -> None:
    with scheduler(tmp_path) as address, worker(address), worker(address):
        cluster = Cluster(Address(address))
        wait_until(lambda: exhaust(cluster.open()) is None and len(cluster.workers) == 2, "two workers")
        run = net()
        same(result([*events(run, cluster)]), result([*events(run)]))
        assert cluster.submit(tasks.versions).result(20) == tasks.versions()
        cluster.close()


@pytest.mark.slow
def test_a_scheduler_with_certificates_is_found_with_those_of_the_users_configuration(tmp_path: Path) -> None:
    from dask import config
    from distributed.security import Security

    made = Security.temporary()
    files = {name: tmp_path / f"{name}.pem" for name in ("tls_ca_file", "tls_client_cert", "tls_client_key")}
    for name, file in files.items():
        file.write_text(getattr(made, name))
    ca, cert, key = files.values()
    certificates = ["--tls-ca-file", f"{ca}", "--tls-cert", f"{cert}", "--tls-key", f"{key}"]
    with scheduler(tmp_path, "--protocol", "tls", *certificates) as address, worker(address, *certificates):
        assert address.startswith("tls://")
        workspace = Workspace()
        workspace.run(TRAINED)
        before = written(workspace)
        with pytest.raises(Wrong, match="no certificates for TLS"):
            workspace.run(f"%cluster {address}\n{TRAIN}")
        assert written(workspace) == before
        names = {"ca-file": ca, "client.cert": cert, "client.key": key}
        with config.set({f"distributed.comm.tls.{name}": f"{file}" for name, file in names.items()}):
            workspace.run(f"%cluster {address}\n{TRAIN}\n%cluster off")
    alone = Workspace()
    alone.run(TRAINED + TRAIN)
    assert written(workspace) == written(alone) != before


@pytest.mark.slow
def test_a_worker_with_another_version_is_refused_by_name(tmp_path: Path) -> None:
    patched = tmp_path / "patched.py"
    patched.write_text(
        textwrap.dedent("""
            from importlib.metadata import version
            from rh_kernel.cluster import tasks
            tasks._version = lambda name: "1.0" if name == "numpy" else version(name)
        """)
    )
    with scheduler(tmp_path) as address, worker(address, "--preload", f"{patched}"):
        session = Workspace()

        def refused() -> bool:
            try:
                session.run(f"%cluster {address}\n{TRAINED}\n{TRAIN}")
            except Wrong as wrong:
                (found,) = wrong.diagnostics
                if found.code == "RH353":
                    assert f"has numpy 1.0, this kernel has {np.__version__}" in found.message
                    assert "tcp://127.0.0.1" in found.message
                    return True
            return False

        wait_until(refused, "the worker is refused")
        assert not session.heap


@pytest.mark.slow
def test_no_worker_left_is_an_error_and_the_heap_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "PATIENCE", 1.0)
    with scheduler(tmp_path) as address, worker(address) as pid:
        cluster = Cluster(Address(address))
        wait_until(lambda: exhaust(cluster.open()) is None and len(cluster.workers) == 1, "a worker")
        run = net(64, 8, "epochs 100000 batch 16 pieces 2")
        running = events(run, cluster)
        for _ in range(3):
            next(running)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(Stuck, match="RH354"):
            exhausted(running)
        session = Workspace()
        session.run(TRAINED)
        before = session.heap["w"].copy()
        with pytest.raises(Wrong, match="RH354") as wrong:
            session.run(f"let w <= Get[w]() in Put[w](w + w)\n%cluster {address}\n{TRAIN}")
        assert "%cluster off" in wrong.value.diagnostics[0].hint
        np.testing.assert_array_equal(session.heap["w"], before)
        cluster.close()


@pytest.mark.slow
def test_a_cluster_given_from_python() -> None:
    from distributed import LocalCluster

    alone = Workspace()
    alone.run(f"{TRAINED}\n{TRAIN}")
    made: Any
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as made:
        session = Workspace()
        session.cluster(made)
        session.run(f"{TRAINED}\n{TRAIN}")
        np.testing.assert_array_equal(session.heap["w"], alone.heap["w"])
        session.run("%cluster off")
        assert len(made.scheduler_info["workers"]) == 2


@pytest.mark.slow
def test_samples_that_are_not_in_memory_are_sent() -> None:
    """A view of a source stands for a file: it is not in memory for a data set."""
    run = net()
    order = np.arange(run.data.size)
    views = {name: View(InMemory(array), order) for name, array in run.data.arrays.items()}
    elsewhere = type(run)(run.run, {run.run.data: DataSet(run.data.name, views)}, run.locations)
    assert not elsewhere.data.is_in_memory
    with opened() as cluster:
        same(result([*events(elsewhere, cluster)]), result([*events(run)]))


def in_files(run: Run, folder: Path) -> Run:
    """The same run on four fifths of its samples, which stay in a file for each array."""
    sources: dict[str, Source] = {}
    for name, array in run.data.arrays.items():
        file = folder / f"{name}.npy"
        np.save(file, array)
        (sources[name],) = exhaust(read(file, NPY, f"{name}.npy", ByteLimit(array.shape[1]))).sources.values()
    part = exhaust(split(DataSet(run.data.name, sources), ".train"))
    assert not part.held
    return type(run)(run.run, {run.run.data: part}, run.locations)


def in_memory(run: Run) -> Run:
    """The same run on arrays."""
    return type(run)(run.run, {run.run.data: data_set(run.data.name, run.data.arrays)}, run.locations)


@pytest.mark.slow
def test_workers_read_the_files_that_they_can_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read here, and the samples of a split are those of the file."""
    run = in_files(net(), tmp_path)
    alone = result([*events(in_memory(run))])

    def taken(self: RemotePieces, rows: object) -> list[object]:
        raise AssertionError("samples were read here")

    monkeypatch.setattr(RemotePieces, "_taken", taken)
    with opened() as cluster:
        same(result([*events(run, cluster)]), alone)


@pytest.mark.slow
def test_samples_of_files_that_workers_cannot_reach_are_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of another time or size at that path is another file."""
    run = in_files(net(), tmp_path)
    alone = result([*events(in_memory(run))])

    def changed(source: Source, rows: Integers) -> tuple[FilePlace, Integers] | None:
        found = located(source, rows)
        return None if found is None else (replace(found[0], stamp=(0, 0)), found[1])

    monkeypatch.setattr("rh_kernel.cluster.cluster.located", changed)
    with opened() as cluster:
        same(result([*events(run, cluster)]), alone)


@pytest.mark.slow
def test_a_cluster_that_is_closed_or_dropped_leaves_no_process() -> None:
    session = Workspace()
    session.run(f"%cluster local 1\n{TRAINED}\n{TRAIN}")
    cluster = session.session.settings.cluster
    assert cluster is not None
    assert cluster.pid is not None
    group = cluster.pid
    assert processes(group)
    session.run("%cluster off")
    assert not processes(group)
    session.run("%cluster local 1")
    other = session.session.settings.cluster
    assert other is not None
    assert other.pid is not None
    group = other.pid
    del other, session, cluster
    wait_until(lambda: not processes(group), "the processes have ended")


@pytest.mark.slow
def test_a_submitted_call_is_repeated_when_its_worker_dies() -> None:
    with opened(Local(1)) as cluster:
        told: list[str] = []
        group = cluster.pid
        assert group is not None
        (pid,) = [pid for pid, command in processes(group).items() if "spawn_main" in command]
        os.kill(pid, signal.SIGKILL)
        assert cluster.submit(tasks.versions, told=told.append).result(30) == tasks.versions()
