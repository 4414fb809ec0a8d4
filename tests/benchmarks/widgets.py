"""How long a widget waits for its answer while a cell runs, and what a page is sent of long traces."""

import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from tempfile import TemporaryDirectory
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from rh_kernel.display.live.stepper import Stepper
from rh_kernel.display.traces.html import trace_html
from rh_kernel.kernel.install import install
from rh_kernel.session.results import Result, TraceMade

PATIENCE = 120
DOUBLING = "\n".join(
    [
        "%limit nodes off",
        "net n0(x : Real) : Real = return x + 1",
        *[f"net n{i}(x : Real) : Real = let y <= n{i - 1}(x) in n{i - 1}(y)" for i in range(1, 16)],
    ]
)
PASS = """\
loc w0 : Real(3, 2) = normal(0.5, seed=1)
loc w1 : Real(1, 3) = normal(0.5, seed=2)
net mlp(x : Real(2)) : Real(1) = let z <= FC[w0](x) in let h <= return swish(z) in FC[w1](h)
%trace rev handle ([1.0, 2.0]) <x>. mlp(x) with sgd(0.1, [0.5])
"""


@dataclass
class Kernel:
    """A kernel in a process of its own, and the channels to it."""

    manager: KernelManager
    client: Any

    def run(self, code: str) -> list[dict[str, Any]]:
        """What a cell sends, up to its idle."""
        request, heard = self.client.execute(code), []
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            heard.append(message)
            mine = message["parent_header"].get("msg_id") == request
            if mine and message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return heard

    def answer(self, comm: str, number: int) -> tuple[float, int]:
        """Milliseconds until a window of 50 steps is there, and how many outputs or ends of cells came before it."""
        question = {"ask": "window", "from": 3, "count": 50}
        data = {"method": "custom", "content": {"id": number, "question": question}}
        began, others = time.perf_counter(), 0
        self.client.shell_channel.send(self.client.session.msg("comm_msg", {"comm_id": comm, "data": data}))
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except Empty:
                continue
            content = message["content"]
            if message["msg_type"] == "comm_msg" and content["data"].get("content", {}).get("id") == number:
                return 1000 * (time.perf_counter() - began), others
            others += message["msg_type"] == "execute_result"


def waiting(head: str) -> None:
    """The answers of a stepper while a reduction of 65,000 steps and more runs, and while a net is trained."""
    with TemporaryDirectory() as prefix:
        install(prefix=prefix)
        specs = KernelSpecManager(kernel_dirs=[str(Path(prefix) / "share" / "jupyter" / "kernels")])
        manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs)
        manager.start_kernel()
        kernel = Kernel(manager, manager.client())
        try:
            kernel.client.start_channels(hb=False)
            kernel.client.wait_for_ready(timeout=PATIENCE)
            _measure(kernel, head)
        finally:
            kernel.client.stop_channels()
            manager.shutdown_kernel(now=True)


def _measure(kernel: Kernel, head: str) -> None:
    opened = [m["content"] for m in kernel.run(head + PASS) if m["msg_type"] == "comm_open"]
    comm = next(content["comm_id"] for content in opened if "opening" in content["data"]["state"])
    kernel.run(DOUBLING)
    kernel.run("%evaluator stepped")
    training = 'train rev handle (x) <u>. mlp(u) with sgd(0.01, t)\n  for (x, t) in data("xor") epochs 1000000000 batch 1'
    for name, code in (("a reduction", "n15(0)"), ("a training run", training)):
        kernel.client.execute(code)
        # The cell is parsed and typechecked in one piece; the reduction is what comes after.
        kernel.answer(comm, -1)
        taken: list[float] = []
        while len(taken) < 200:
            milliseconds, ended = kernel.answer(comm, len(taken))
            if ended:
                break
            taken.append(milliseconds)
            time.sleep(0.01)
        kernel.manager.interrupt_kernel()
        time.sleep(1)
        print(
            f"widgets    {len(taken)} windows of 50 steps while {name} goes on: median {statistics.median(taken):.0f} ms, "
            f"95th percentile {statistics.quantiles(taken, n=20)[-1]:.0f} ms, longest {max(taken):.0f} ms"
        )


def sizes(found: list[Result]) -> None:
    """What a page is sent of a trace."""
    for made in found:
        if isinstance(made, TraceMade):
            count, static = len(made.steps), len(trace_html(made).encode())
            began = time.perf_counter()
            view = Stepper(made)
            opening = len(json.dumps(view.opening()))
            opened = time.perf_counter()
            window = len(json.dumps(view.answer({"ask": "window", "from": count // 2, "count": 50})))
            answered = time.perf_counter()
            print(
                f"stepper    {count} steps: static form {static / 1000:.0f} kB; opening {opening / 1000:.0f} kB in "
                f"{1000 * (opened - began):.0f} ms, 50 steps from the middle {window / 1000:.0f} kB in "
                f"{1000 * (answered - opened):.0f} ms"
            )
