"""The files of the page about many machines: they are well-formed, agree with one another, and their commands run."""

import ast
import json
import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "lessons" / "appendix" / "cluster"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]


def test_each_service_runs_the_image_of_the_repository() -> None:
    for service in SERVICES.values():
        context = (FOLDER / service["build"]["context"]).resolve()
        assert context == ROOT
        assert (context / service["build"]["dockerfile"]).is_file()
        assert service["image"] == COMPOSE["name"] + "_kernel"
        assert all(isinstance(word, str) for word in service["command"])
        assert {*service.get("depends_on", ())} <= {*SERVICES}


def test_there_are_two_workers_and_ports_are_open_on_this_machine_only() -> None:
    assert SERVICES["worker"]["deploy"]["replicas"] == 2
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_image_has_extras_that_there_are() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (line,) = [line for line in (FOLDER / "Dockerfile").read_text(encoding="utf-8").splitlines() if "pip install" in line]
    asked = line.partition("[")[2].partition("]")[0].split(",")
    assert {"cluster", "data"} <= {*asked} <= {*extras}


def test_the_scheduler_of_kubernetes_is_found_by_its_service() -> None:
    cluster = yaml.safe_load((FOLDER / "kubernetes.yaml").read_text(encoding="utf-8"))
    assert (cluster["apiVersion"], cluster["kind"]) == ("kubernetes.dask.org/v1", "DaskCluster")
    scheduler, worker = cluster["spec"]["scheduler"], cluster["spec"]["worker"]
    assert scheduler["service"]["selector"] == {
        "dask.org/cluster-name": cluster["metadata"]["name"],
        "dask.org/component": "scheduler",
    }
    (container,) = scheduler["spec"]["containers"]
    there = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {port["targetPort"]: port["port"] for port in scheduler["service"]["ports"]} == there
    assert there["tcp-comm"] == 8786
    assert worker["replicas"] == 2
    assert [part["image"] for part in worker["spec"]["containers"]] == [container["image"]]


@pytest.mark.parametrize("name", ["slurm.sh"])
def test_a_script_is_a_program_of_bash(name: str) -> None:
    done = subprocess.run(["bash", "-n", str(FOLDER / name)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    wrong = subprocess.run(["bash", "-n"], input="if true; then", capture_output=True, text=True, check=False)
    assert wrong.returncode != 0


def test_slurm_gets_a_script_that_starts_workers_with_one_thread() -> None:
    ast.parse((FOLDER / "slurm.py").read_text(encoding="utf-8"))
    code = "import slurm\nwith slurm.cluster() as nodes:\n    print(nodes.job_script())"
    done = subprocess.run([sys.executable, "-c", code], cwd=FOLDER, capture_output=True, text=True, check=True, timeout=60)
    assert "#SBATCH -p compute" in done.stdout
    assert "--nthreads 1 " in done.stdout
    assert "--nworkers 8 " in done.stdout
    checked = subprocess.run(["bash", "-n"], input=done.stdout, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def here(service: str, port: int) -> list[str]:
    """The command of a service, with the addresses of this machine in the place of those of its network."""
    places = {"tcp://scheduler:8786": f"tcp://127.0.0.1:{port}", "8786": str(port), "0.0.0.0": "127.0.0.1", ":8787": ":0"}
    words: list[str] = SERVICES[service]["command"]
    return [places.get(word, word) for word in words]


@contextmanager
def compose(folder: Path) -> Generator[str]:
    """The address of a scheduler with two workers, started by the commands of the services."""
    port = free_port()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    with (folder / "log").open("w") as log, ExitStack() as stack:
        for service in ("scheduler", *["worker"] * SERVICES["worker"]["deploy"]["replicas"]):
            process = subprocess.Popen(here(service, port), cwd=folder, env=environment, stdout=log, stderr=log)
            stack.callback(process.wait, 30)
            stack.callback(process.terminate)
        yield f"tcp://127.0.0.1:{port}"


PROGRAM = """
loc w : Real(10, 64) = glorot(seed=1)
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (softmax(x) - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
train rev handle (x) <u>. FC[w](u) with sgd(0.1, t) for (x, t) in data("digits") epochs 2 batch 256 pieces 2
Get[w]()
"""


def ran(program: str) -> list[dict[str, Any]]:
    """What ``rh run --json`` prints for a program."""
    command = [sys.executable, "-m", "rh_kernel", "run", "--json", "-"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, input=program, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_the_commands_of_compose_make_a_cluster_that_trains_to_the_same_weights(tmp_path: Path) -> None:
    from distributed import Client

    client: Any
    with compose(tmp_path) as address, Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        workers = [*client.scheduler_info(n_workers=-1)["workers"].values()]
        assert [(worker["nthreads"], worker["memory_limit"]) for worker in workers] == [(1, 2 << 30)] * 2
        there = ran(f"%cluster {address}\n{PROGRAM}")
    alone = ran(PROGRAM)
    assert there[-1] == {**alone[-1], "item": alone[-1]["item"] + 1}
    assert there[0]["kind"] != alone[0]["kind"]
