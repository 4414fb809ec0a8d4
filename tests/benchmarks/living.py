"""How a kernel lives: how soon it answers its first cell, and how much memory a thousand cells leave behind."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from rh_kernel.kernel.install import install

PATIENCE = 120
STATUS = Path("/proc/self/status")
WARM = 150
"""Cells after which everything has been imported and drawn once."""

DECLARED = """op LFC[l : Loc(m, n)] : Real(n) -> Real(m)
loc lw : Real(3, 2) = normal(0.5, seed={n})
const lt : Real(3) = [{n}, 2, 3]
fun lf(x : Real(n)) : Real(n) = {n} * x + sin(x)
net lnet(x : Real(2)) : Real(3) = let y <= LFC[lw](x) in return lf(y)
handler lsgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return alpha * (x - t)
  LFC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}}
"""
PASS = "rev handle ([{n}, 1]) <x>. lnet(x) with lsgd(0.01, lt)"
CELLS = (
    DECLARED,
    PASS,
    f"%trace {PASS}",
    f"%gradient {PASS}",
    "%diagram lnet",
    "lf([{n}, 1]) + [1, 2, 3]",
    "1 +",
    "nowhere({n})",
    'train rev handle (x) <u>. lnet(u) with lsgd(0.01, [1, 2, 3])\n  for x in data("xor") epochs 3 batch 2',
    "%heap",
    "%derivation lnet",
    f"%compile {PASS}",
    "Get[lw]()",
    "%help lnet",
)
"""What one does in a session, again and again; ``{n}`` is another number each time."""


def cells(count: int) -> Iterator[str]:
    """So many cells, no two of the same kind in a row."""
    for n in range(count):
        yield CELLS[n % len(CELLS)].format(n=n)


def resident(pid: int) -> float:
    """The megabytes of memory that a process has."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def run(client: Any, code: str, number: int) -> None:
    """Run a cell, one of ten that are run again and again, up to its idle."""
    message = client.session.msg(
        "execute_request",
        {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False},
        metadata={"cellId": f"cell-{number % 10}"},
    )
    client.shell_channel.send(message)
    request = message["header"]["msg_id"]
    client.get_shell_msg(timeout=PATIENCE)
    while True:
        heard = client.get_iopub_msg(timeout=PATIENCE)
        if heard["parent_header"].get("msg_id") == request and heard["content"].get("execution_state") == "idle":
            return


def grown(manager: KernelManager, client: Any, count: int) -> float:
    """The megabytes that a kernel grows by in so many cells, once it is warm."""
    assert isinstance(manager.provisioner, LocalProvisioner)
    pid = manager.provisioner.pid
    assert isinstance(pid, int)
    before = 0.0
    for number, code in enumerate(cells(WARM + count)):
        if number == WARM:
            before = resident(pid)
        run(client, code, number)
    return resident(pid) - before


def first_answer() -> float:
    """Seconds from the start of a kernel's process to the answer of its first cell."""
    with TemporaryDirectory() as folder:
        manager, client, seconds = _started(folder)
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        return seconds


def _started(folder: str) -> tuple[KernelManager, Any, float]:
    install(prefix=folder)
    specs = KernelSpecManager(kernel_dirs=[str(Path(folder) / "share" / "jupyter" / "kernels")])
    manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs)
    began = time.perf_counter()
    manager.start_kernel(cwd=folder, stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels(hb=False)
    client.wait_for_ready(timeout=PATIENCE)
    run(client, "1 + 2", 0)
    return manager, client, time.perf_counter() - began


def living() -> None:
    """The two numbers."""
    with TemporaryDirectory() as folder:
        manager, client, seconds = _started(folder)
        try:
            print(f"kernel     first cell answered {seconds:.2f} s after the process was started")
            if STATUS.exists():
                print(f"kernel     1,000 cells of all kinds: {grown(manager, client, 1000):+.1f} MB")
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
