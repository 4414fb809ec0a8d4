"""``%cluster`` in a real kernel: interrupts, and no process left however the kernel ends."""

import os
import signal
import time

import psutil
import pytest
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from tests.cluster.runs import wait_until
from tests.kernel.conftest import Client, Start, has_trained

NET = """%cluster local 2
loc w : Real(400, 64) = normal(0.1, seed=1)
loc v : Real(10, 400) = normal(0.1, seed=2)
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
net mlp(x : Real(64)) : Real(10) = let z <= FC[w](x) in let h <= return swish(z) in FC[v](h)
"""
TRAIN = """train rev handle (x) <u>. mlp(u) with sgd(0.01, t) for (x, t) in data("digits") epochs 100000 batch 1700 pieces 2"""
VALUE = "let a <= Get[w]() in return dot(reshape[25600](a), reshape[25600](a))"

pytestmark = pytest.mark.slow


def process(kernel: Client) -> psutil.Process:
    """Return the process of the kernel."""
    assert isinstance(kernel.manager.provisioner, LocalProvisioner)
    return psutil.Process(kernel.manager.provisioner.pid)


def family(kernel: Client) -> list[psutil.Process]:
    """Return the processes that the kernel has started, and those that these have."""
    return process(kernel).children(recursive=True)


def are_gone(processes: list[psutil.Process]) -> bool:
    """Whether the processes have ended."""
    return not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes)


def with_cluster(start: Start) -> tuple[Client, list[psutil.Process]]:
    """Start a kernel with two workers, and return it with the processes of the cluster."""
    kernel = start(measured=False)
    ran = kernel.run(NET)
    assert ran.reply["status"] == "ok", ran.reply
    found = family(kernel)
    assert len(found) >= 3
    return kernel, found


def test_an_interrupt_keeps_the_last_batch_and_the_cluster(start: Start) -> None:
    kernel, found = with_cluster(start)
    other, others = with_cluster(start)
    assert not {*found} & {*others}
    before = kernel.run(VALUE).texts
    ran = kernel.run(TRAIN, once=has_trained, interrupt_after=1)
    assert (ran.reply["status"], ran.reply["ename"]) == ("error", "Interrupted")
    assert "kept" in ran.reply["evalue"]
    after = kernel.run(VALUE).texts
    assert after != before
    assert kernel.run(TRAIN.replace("100000", "2")).reply["status"] == "ok"
    assert kernel.run("%cluster off").reply["status"] == "ok"
    wait_until(lambda: are_gone(found), "the workers have ended")
    assert not are_gone(others)
    other.manager.shutdown_kernel()
    wait_until(lambda: are_gone(others), "the workers of the other kernel have ended")


@pytest.mark.parametrize("stopped", [False, True])
def test_a_kernel_that_is_killed_leaves_no_process(start: Start, stopped: bool) -> None:
    kernel, found = with_cluster(start)
    request = kernel.client.execute(TRAIN)
    assert request
    time.sleep(1)
    if stopped:
        os.kill(found[-1].pid, signal.SIGSTOP)
    process(kernel).kill()
    wait_until(lambda: are_gone(found), "no process is left")


def test_a_cell_tells_of_a_worker_that_is_killed(start: Start) -> None:
    kernel, found = with_cluster(start)
    request = kernel.client.execute(TRAIN.replace("100000", "60"))
    time.sleep(2)
    # Stopped, it gets a piece in the next step and keeps it.
    os.kill(found[-1].pid, signal.SIGSTOP)
    time.sleep(1)
    os.kill(found[-1].pid, signal.SIGKILL)
    ran = kernel.collect(request)
    assert ran.reply["status"] == "ok"
    assert any("what it was doing is done again" in text for text in ran.texts)
    assert not ran.contents("stream")
    assert kernel.run("%cluster off").reply["status"] == "ok"
    wait_until(lambda: are_gone(found), "no process is left")


def test_a_restarted_kernel_has_no_cluster_and_leaves_no_process(start: Start) -> None:
    kernel, found = with_cluster(start)
    kernel.manager.restart_kernel()
    kernel.client.wait_for_ready(timeout=60)
    wait_until(lambda: are_gone(found), "no process is left")
    assert "the cluster is off" in f"{kernel.run('%cluster').messages}"
