"""``make bench-gpu``: training on a graphics card. It needs Python, NumPy, CuPy and the language, and takes a few minutes.

``python3 -m tests.benchmarks.gpu`` does the same with any Python that has these. First the card has to find what the processor
finds; then steps are timed, in runs whose data is on the card, beside those of PyTorch and JAX where they are installed. The
table comes last.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.cuda.backend import CupyBackend, CupyRunner
from rh_kernel.arrays.cuda.contractions import Product
from rh_kernel.arrays.cuda.module import LaunchMode, module
from rh_kernel.arrays.devices import MissingGPU, gpu
from rh_kernel.arrays.execution import Machine, machine
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.program import Program
from rh_kernel.loops.ir import Precision
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from tests.benchmarks.peers import pytorch
from tests.benchmarks.peers.jax_jit import Jit
from tests.benchmarks.problems import ATTENTION, IMAGES, Cnn, Floats, Gru, Problem, Unet, chain, mlp, residual
from tests.benchmarks.programs import Written

LONGEST = 420.0
"""Seconds after which nothing new is begun."""

ROUNDS = 5
"""Each time is the least of so many."""

BOTH: tuple[Precision, ...] = ("float64", "float32")
SMALL = Problem("W1", mlp(16, 32, 8), 32)
MIDDLE = Problem("W1", mlp(784, 512, 10), 256)
LONG = Problem("W4", chain(100), 1)
GRU = Problem("W9", Gru("gru-100x64", 100, 64), 32, 0.01)
AGREEING = (
    SMALL,
    LONG,
    Problem("W1", mlp(784, 128, 10), 32),
    MIDDLE,
    Problem("W2", residual(16, 64), 32),
    Problem("W3", Cnn("cnn-128", 8, 128, 3, 10), 32),
    Problem("W5", Unet("unet-134", 134, 4, 8), 32),
    *IMAGES,
    *ATTENTION,
    GRU,
)
OTHERS = (MIDDLE, LONG, *IMAGES, *ATTENTION, GRU)
"""What is timed besides the smallest and the largest net."""
LARGE = Problem("W1", mlp(8192, 8192, 8192), 8192)


@dataclass(frozen=True)
class Line:
    """A line of the table: what, what was measured, what is wanted."""

    what: str
    measured: str
    wanted: str = ""


@dataclass
class Task:
    """A training step in the language, where it begins, and one batch of data."""

    problem: Problem
    precision: Precision
    program: Program = field(init=False)
    heap: dict[Location, Array] = field(init=False)
    data: list[Floats] = field(init=False)

    def __post_init__(self) -> None:
        written, arrays = Written.of(self.problem), self.problem.arrays()
        self.program = batched(written.compiled(), (True, True))
        self.heap = dict(zip(written.locations, arrays.weights, strict=True))
        self.data = [np.ascontiguousarray(x, self.precision) for x in (arrays.x, arrays.t)]

    def machine(self, backend: Backend | None) -> Machine:
        """The step on a back end, or on NumPy."""
        return machine(self.program, self.heap, self.precision, backend)

    def rows(self, steps: int) -> "np.ndarray[Any, np.dtype[np.intp]]":
        """So many steps on the whole batch."""
        return np.tile(np.arange(self.problem.batch, dtype=np.intp), (steps, 1))


def differences(problems: Sequence[Problem] = AGREEING) -> Iterator[Line]:
    """How far the weights are from those on NumPy after five steps, relative to their size."""
    for problem in problems:
        for precision in BOTH:
            task = Task(problem, precision)
            expected = _after(task, None)
            for way in LaunchMode:
                found = _after(task, CupyBackend(way))
                away = max(
                    float(np.max(np.abs(x - y)) / (1e-30 + np.max(np.abs(y)))) for x, y in zip(found, expected, strict=True)
                )
                most = 1e-10 if precision == "float64" else 1e-3
                if not away <= most:
                    yield Line(f"DISAGREES {problem.key} {precision}, {way.name.lower()}", f"{away:.1e}", f"≤ {most:.0e}")
    yield Line("agreement with NumPy", f"{len(problems)} nets, both precisions, {len(LaunchMode)} ways")


def _after(task: Task, backend: Backend | None) -> list[Array]:
    trained = task.machine(backend)
    trained.runner(task.problem.batch).steps(task.data, task.rows(5))
    return list(trained.written().values())


def timed(run: Callable[[int], None], wait: Callable[[], None], about: float = 0.2) -> float:
    """Seconds of a step, the least of some rounds of about so many seconds."""
    steps, seconds = 1, 0.0
    run(2)
    wait()
    while seconds < about / 4 and steps < 1 << 16:
        steps *= 4
        seconds = _once(run, wait, steps)
    return min([_once(run, wait, steps) for _ in range(ROUNDS)]) / steps


def _once(run: Callable[[int], None], wait: Callable[[], None], steps: int) -> float:
    began = time.perf_counter()
    run(steps)
    wait()
    return time.perf_counter() - began


def ours(problem: Problem, precision: Precision, way: LaunchMode | None = None) -> tuple[float, int]:
    """Seconds of a step within a run, and how many arrays came from the card meanwhile."""
    task, backend = Task(problem, precision), CupyBackend(way)
    runner = task.machine(backend).runner(problem.batch)
    before = backend.traffic.down
    seconds = timed(lambda n: runner.steps(task.data, task.rows(n)), backend.stream.synchronize)
    return seconds, backend.traffic.down - before


def one_by_one(problem: Problem, precision: Precision) -> float:
    """Seconds of a step that is started from Python with arrays of NumPy."""
    task, backend = Task(problem, precision), CupyBackend()
    runner = task.machine(backend).runner(problem.batch)

    def run(steps: int) -> None:
        for _ in range(steps):
            runner.step(*task.data)

    return timed(run, backend.stream.synchronize)


def torch_eager(problem: Problem, precision: Precision) -> float | None:
    """The same step in PyTorch, with gradients of the weights alone and each weight written on in place."""
    if find_spec("torch") is None:
        return None
    torch: Any = import_module("torch")
    if not torch.cuda.is_available():
        return None
    peer = pytorch.Layer if isinstance(problem.net, Gru) else pytorch.Tuned
    return timed(peer(problem, problem.arrays(), precision, "cuda").run, torch.cuda.synchronize)


def jax_jit(problem: Problem, precision: Precision) -> float | None:
    """The same step as one jitted function that gives its weights away."""
    if find_spec("jax") is None:
        return None
    os.environ |= {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "JAX_PLATFORMS": "cuda,cpu"}
    jax: Any = import_module("jax")
    jax.config.update("jax_default_matmul_precision", "highest")
    if jax.default_backend() != "gpu":
        return None
    # A run ends when its last step has.
    return timed(Jit(problem, problem.arrays(), precision).run, lambda: None)


def small() -> Iterator[Line]:
    """(16, 32, 8) in batches of 32, in every way."""
    for precision in BOTH:
        chosen, down = ours(SMALL, precision)
        yield Line(f"{SMALL.key} {precision}", _us(chosen), "≤ 20 µs")
        yield Line("  arrays that came from the card meanwhile", str(down), "0")
        for way in (LaunchMode.CAPTURED, LaunchMode.LAUNCHED):
            yield Line(f"  {way.name.lower()}", _us(ours(SMALL, precision, way)[0]))
        yield Line("  each step from Python, with its data", _us(one_by_one(SMALL, precision)))
        yield from _beside(SMALL, precision, chosen, (5.0, 2.0))


def others() -> Iterator[Line]:
    """A larger net, a long one, LeNet-5, the block of a transformer and a GRU."""
    for problem in OTHERS:
        for precision in BOTH:
            chosen, down = ours(problem, precision)
            yield Line(f"{problem.key} {precision}", _us(chosen))
            yield Line("  arrays that came from the card meanwhile", str(down), "0")
            for way in LaunchMode:
                if way is not LaunchMode.WHOLE or problem is LONG:
                    yield Line(f"  {way.name.lower()}", _us(ours(problem, precision, way)[0]))
            yield from _beside(problem, precision, chosen, (None, None))


def _beside(problem: Problem, precision: Precision, chosen: float, wanted: Sequence[float | None]) -> Iterator[Line]:
    for name, peer, times in zip(("PyTorch eager", "JAX jit"), (torch_eager, jax_jit), wanted, strict=True):
        seconds = peer(problem, precision)
        if seconds is None:
            yield Line(f"  {name}", "not there")
        else:
            yield Line(f"  {name}", f"{_us(seconds)}, {seconds / chosen:.1f} ×", "" if times is None else f"≥ {times:.0f} ×")


def large() -> Iterator[Line]:
    """8192 samples through layers of 8192, beside what cuBLAS alone takes for the products that the step is made of."""
    for precision in reversed(BOTH):
        task, backend = Task(LARGE, precision), CupyBackend()
        runner = task.machine(backend).runner(LARGE.batch)
        if not isinstance(runner, CupyRunner):
            raise TypeError(runner)
        seconds = timed(lambda n, r=runner, t=task: r.steps(t.data, t.rows(n)), backend.stream.synchronize, 1.0)
        products = [p for p in module(planned(task.program, LARGE.batch, precision)).actions if isinstance(p, Product)]
        alone = timed(_alone(backend, products, precision), backend.stream.synchronize, 1.0)
        flops = sum(2.0 * p.m * p.n * p.k * p.samples for p in products)
        yield Line(f"{LARGE.key} {precision}", f"{1e3 * seconds:.1f} ms, {flops / seconds / 1e12:.1f} Tflop/s")
        yield Line(f"  cuBLAS alone for its {len(products)} products", f"{1e3 * alone:.1f} ms")
        yield Line("  share of the step that is cuBLAS", f"{100 * alone / seconds:.1f} %", "≥ 90 %")


def _alone(backend: CupyBackend, products: Sequence[Product], precision: Precision) -> Callable[[int], None]:
    """Products of these sizes by CuPy's own call, into arrays that are there already."""
    xp = backend.xp
    n = max([max(p.m, p.n, p.k) for p in products])
    with backend.stream:
        left, right = [xp.random.standard_normal((n, n), dtype=precision) for _ in range(2)]
        out = xp.empty((n, n), dtype=precision)

    def run(steps: int) -> None:
        with backend.stream:
            for _ in range(steps):
                for _ in products:
                    xp.matmul(left, right, out=out)

    return run


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:.1f} µs"


def main() -> int:
    """Everything, until the time is up; 1 if the card disagrees with the processor."""
    began = time.perf_counter()
    found = gpu()
    if isinstance(found, MissingGPU):
        print(f"| no GPU answers: {found.why} | nothing was measured |")
        return 0
    lines = [Line("card", found.text)]
    for part in (differences, small, others, large):
        if time.perf_counter() - began > LONGEST:
            lines.append(Line(part.__name__, "not measured: the time is up"))
            continue
        for line in part():
            print(f"{time.perf_counter() - began:6.1f} s  {line.what}: {line.measured}", flush=True)
            lines.append(line)
    print("\n| what | measured | wanted |\n| --- | ---: | ---: |")
    print("\n".join([f"| {line.what} | {line.measured} | {line.wanted} |" for line in lines]))
    return int(any(line.what.startswith("DISAGREES") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
