"""How long a kernel takes from an interrupt to its idle, by what the cell was at: ``python -m tests.benchmarks.interrupts``.

Kernels of its own run each cell of ``KINDS`` again and again through ``jupyter_client``; the moments of the interrupts are
spread over what the cell does. The table has the median, the 95th percentile and the largest latency, in milliseconds of the
clock, so it means something on a machine that does nothing else.

``--count 300`` interrupts in all; ``--only trace,large`` for the kinds whose names begin so; ``--list`` names the kinds. All of
them take about ten minutes and 3 GB of memory. The numbers go to build/bench/interrupts.json.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from tempfile import TemporaryDirectory

import numpy as np
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from rh_kernel.kernel.install import install
from tests.benchmarks.machine import facts
from tests.benchmarks.process import PLACE
from tests.benchmarks.report import table

PATIENCE = 120
GOAL = 0.150
"""Seconds within which 95 of 100 interrupts are to have ended their cell."""


def net(layers: int) -> str:
    """A net of so many layers of one neuron."""
    lines = [f"  let x{i + 1} <= return swish(x{i}) in" for i in range(layers)]
    return "\n".join([f"net deep{layers}(x0 : Real) : Real =", *lines, f"  return x{layers}"])


def doubling(count: int) -> str:
    """Functions each of which applies the one before twice."""
    rest = [f"fun n{i}(x : Real) : Real = let y <- n{i - 1}(x) in n{i - 1}(y)" for i in range(1, count + 1)]
    return "\n".join(["fun n0(x : Real) : Real = x + 1", *rest])


def chain(count: int) -> str:
    """Functions each of which uses the value of the one before and its own argument, so derivatives share nothing."""
    rest = [f"fun f{i}(x : Real) : Real = let y <- f{i - 1}(x) in y * x" for i in range(1, count + 1)]
    return "\n".join(["fun f0(x : Real) : Real = sin(x)", *rest])


def lambda_program(lets: int) -> str:
    """A ``%%lambda`` program with that many lets."""
    lines = [f"  let y{i + 1} <- sin(y{i}) * y{i} in" for i in range(lets)]
    return "\n".join(["%%lambda", "fun g(y0 : Real) : Real =", *lines, f"  y{lets}"])


DECLARED = """handler back : rev handler(Real(1)) = { return x -> return x }
op Layer[l : Loc(m, n)] : Real(n) -> Real(m)
handler descent(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  Layer[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
loc weight : Real(32, 64) = normal(0.5, seed=1)
loc other : Real(10, 32) = normal(0.5, seed=2)
net digits(x : Real(64)) : Real(10) =
  let z <= Layer[weight](x) in let h <= return swish(z) in Layer[other](h)
"""
TRAIN = 'train rev handle (x) <u>. digits(u) with descent(0.01, t)\n  for (x, t) in data("digits") epochs 1000000 batch 16'
HANDLED = "rev handle (0.5) <x>. deep{n}(x) with back"
LARGE = "const a : Real(8000, 8000) = fill[8000, 8000](1.5)"
ROWS = 300_000
"""Of the file of samples."""
READ = 'train rev handle (x) <u>. digits(u) with descent(0.01, t)\n  for (x, t) in data("many.csv") epochs 1 batch 16'
TYPED = "\n".join(
    f"net t{i}(x : Real(8)) : Real(8) = let y <= return tanh(x + sin(x) * x) in return y * x + swish(y)" for i in range(2_000)
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A cell that is interrupted between two moments, in seconds after it began; ``before`` are cells that are run once.

    ``variables`` are those of the environment of its kernel.
    """

    name: str
    cell: str
    before: tuple[str, ...] = ()
    first: float = 0.05
    last: float = 1.5
    variables: tuple[tuple[str, str], ...] = ()


KINDS: tuple[Kind, ...] = (
    Kind("training, NumPy", TRAIN, (DECLARED,), variables=(("RH_NATIVE", "0"),)),
    Kind("training, native", TRAIN, (DECLARED,)),
    Kind("compiled value", "n24(0)", (doubling(24),), last=4),
    Kind("stepped evaluator", "%limit steps off\n%evaluator stepped\nn24(0)", (doubling(24),)),
    Kind("denoted value", "%evaluator denoted\nn16(0)", (doubling(16),), last=1.2),
    Kind("one Ev of a deep rd", "%limit steps off\n%evaluator stepped\nrd[f500](1, 0.5)", (chain(500),)),
    Kind("nested rd", "%limit steps off\n%evaluator stepped\nrd[rd[rd[f20]]]((1, 1), (1, (1, 0.5)))", (chain(20),)),
    Kind("trace, built", "%trace n18(0)", (doubling(18),), last=4),
    Kind("trace, printed", f"%trace {HANDLED.format(n=100)}", (DECLARED, net(100)), first=1.5, last=5),
    Kind("gradient", f"%gradient {HANDLED.format(n=3000)}", (DECLARED, net(3000)), last=3),
    Kind("diagram", f"%diagram {HANDLED.format(n=3000)}", (DECLARED, net(3000)), last=8),
    Kind("compile --passes", f"%compile --passes {HANDLED.format(n=3000)}", (DECLARED, net(3000)), last=1.2),
    Kind("ad all", "%%lambda\n%ad all g(0.5)", (lambda_program(300),)),
    Kind("eff program", "%%eff\nloop 0", ("%%eff\nfun loop x = loop (x + 1)",)),
    Kind("eff trace", "%%eff\n%trace loop 0", ("%%eff\nfun loop x = loop (x + 1)",)),
    Kind("check", "check n16(0) == n16(0)", (doubling(16),), last=3),
    Kind("large arrays, compiled", "tanh(sigmoid(exp(a)))", (LARGE,)),
    Kind("large arrays, stepped", "%evaluator stepped\ntanh(sigmoid(exp(a)))", (LARGE,)),
    Kind("large arrays, drawn at random", "loc r : Real(12000, 12000) = normal(1.0, seed=1)"),
    Kind("large arrays, shown", "%limit output off\na", (LARGE,), last=0.3),
    Kind("reading a CSV file", READ, (DECLARED,)),
    Kind("training from a file", f"%limit bytes 4M\n{READ.replace('epochs 1 ', 'epochs 1000000 ')}", (DECLARED,)),
    Kind("types of a huge program", TYPED, last=1.5),
)


class Kernel:
    """A kernel, and the front end that talks to it."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self._manager = manager
        self._client = client

    def run(self, cell: str, after: float | None = None) -> float | None:
        """Run a cell, and interrupt it so many seconds after it began; the seconds to its idle, if it was not over before."""
        request = self._client.execute(cell)
        busy = asked = None
        end = time.monotonic() + PATIENCE
        while (now := time.monotonic()) < end:
            if after is not None and busy is not None and asked is None and now - busy >= after:
                asked = time.monotonic()
                self._manager.interrupt_kernel()
            try:
                message = self._client.get_iopub_msg(timeout=0.002)
            except Empty:
                continue
            state = message["content"].get("execution_state")
            if message["parent_header"].get("msg_id") != request or state is None:
                continue
            if state == "busy":
                busy = time.monotonic()
            elif state == "idle":
                return None if asked is None else time.monotonic() - asked
        raise TimeoutError(cell[:80])


@contextmanager
def kernel(folder: str, variables: Sequence[tuple[str, str]]) -> Generator[Kernel]:
    """A kernel that works in a folder."""
    specs = KernelSpecManager(kernel_dirs=[str(Path(folder) / "share" / "jupyter" / "kernels")])
    manager = KernelManager(kernel_name="rh", kernel_spec_manager=specs)
    environment = {**os.environ, "PYTHONPATH": str(PLACE), "RH_HISTORY": "off", **dict(variables)}
    manager.start_kernel(cwd=folder, env=environment, stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels(hb=False)
    try:
        client.wait_for_ready(timeout=PATIENCE)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def latencies(kind: Kind, count: int, folder: str) -> list[float]:
    """Seconds from interrupt to idle, so many times. A cell that was over before is not counted, and the next comes sooner."""
    found: list[float] = []
    rng, last = np.random.default_rng(0), kind.last
    with kernel(folder, kind.variables) as running:
        for cell in kind.before:
            running.run(cell)
        for _ in range(count):
            latency = running.run(kind.cell, float(rng.uniform(kind.first, last)))
            if latency is None:
                last = kind.first + (last - kind.first) / 2
            else:
                found.append(latency)
    return found


def write_samples(path: Path) -> None:
    """A file in the columns of ``data("digits")``, of which the reading takes seconds."""
    names = [*[f"x{i}" for i in range(64)], *[f"t{i}" for i in range(10)]]
    row = ",".join(["0.5"] * 64 + ["1"] + ["0"] * 9)
    path.write_text("\n".join([",".join(names), *[row] * ROWS, ""]), encoding="utf-8")


def row(name: str, found: Sequence[float]) -> list[str]:
    """A row of the table."""
    numbers = [statistics.median(found), float(np.quantile(found, 0.95)), max(found)] if found else []
    return [name, f"{len(found)}", *[f"{1000 * seconds:.0f}" for seconds in numbers or [float("nan")] * 3]]


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.interrupts", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many interrupts in all")
    parser.add_argument("--only", default="", help="what the names of the kinds begin with, with commas")
    parser.add_argument("--list", action="store_true", help="name the kinds")
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if kind.name.startswith(tuple(options.only.split(",")))]
    if options.list:
        print("\n".join([kind.name for kind in KINDS]))
        return
    found: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder:
        install(prefix=folder)
        write_samples(Path(folder) / "many.csv")
        for kind in kinds:
            print(f"{kind.name} …", file=sys.stderr, flush=True)
            found[kind.name] = latencies(kind, max(1, round(options.count / len(kinds))), folder)
    every = [latency for some in found.values() for latency in some]
    rows = [*[row(name, some) for name, some in found.items()], row("all", every)]
    print(table(["interrupt to idle, ms", "interrupts", "median", "p95", "max"], rows))
    slow = sum(latency > GOAL for latency in every)
    print(f"\n{slow} of {len(every)} took more than {1000 * GOAL:.0f} ms")
    path = PLACE / "build" / "bench" / "interrupts.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": facts(), "seconds": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
