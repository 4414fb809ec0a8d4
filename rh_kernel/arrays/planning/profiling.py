"""Profile a plan: the predicted and the measured time of each step on the back end that runs it.

The prediction is a roofline model with three constants: a step takes ``calls · c + max(bytes / b, operations / r)`` seconds.
The cost of a call, the bandwidth and the rate of operations are measured with three plans: a loop over a few entries, a copy,
a matrix product. If a step takes longer than predicted, none of these explains it; an exponential, for instance, counts as one
operation but takes as long as many.
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from operator import call
from statistics import median
from typing import Any

import numpy as np

from rh_kernel.arrays.backend import Backend, Memory, Runner, Unsupported
from rh_kernel.arrays.execution import Machine
from rh_kernel.arrays.numpy_backend.backend import NumPyRunner
from rh_kernel.arrays.planning.counting import moved, operations
from rh_kernel.arrays.planning.listing import StepLine, line
from rh_kernel.arrays.planning.notation import Notation
from rh_kernel.arrays.program import Extent
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Contract, Instruction, Kept, Map, Plan, Precision, Step, Store, View
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array

LEAST, MOST = 1e-3, 0.05
"""Each step is repeated for at least ``LEAST`` seconds, and not started again after ``MOST``."""

ALTOGETHER = 2.0
"""In a long plan, steps are repeated less, so that all together take about this many seconds."""

SAMPLES = 5
"""The median is over at least this many timings, if there is time."""


@dataclass(frozen=True, slots=True)
class Model:
    """``calls · call + max(bytes / bandwidth, operations / rate)`` seconds"""

    call: float
    bandwidth: float
    rate: float

    def seconds(self, calls: int, moved: int, done: int) -> float:
        """Predict the time of a step with these numbers of calls, bytes moved and operations."""
        return calls * self.call + max(moved / self.bandwidth, done / self.rate)


@dataclass(frozen=True, slots=True)
class Measured:
    """A step with its calls, the bytes it moves, and its seconds; ``None`` if it cannot be run alone."""

    line: StepLine
    calls: int
    bytes: int
    predicted: float
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """The measured steps of a plan, the model, the seconds of a whole run, and what the back end chose by measuring."""

    model: Model
    steps: tuple[Measured, ...]
    whole: float
    choices: tuple[str, ...] = ()

    @property
    def predicted(self) -> float:
        """The predicted seconds of all steps."""
        return sum(step.predicted for step in self.steps)

    @property
    def seconds(self) -> float:
        """The measured seconds of all steps that could be measured."""
        return sum(step.seconds for step in self.steps if step.seconds is not None)


def profile(machine: Machine, samples: int | None = None, inputs: Sequence[Array] = ()) -> Generator[None, None, Profile]:
    """Profile the steps of a program on these inputs, one after the other. Overwrites the machine's memory.

    For a batched program, ``samples`` is the length of the first axis of its inputs. Raises ``Stuck`` if a run gets stuck.
    """
    plan, backend, memory = machine.plan(samples), machine.backend, machine.memory
    model = calibrated(backend, machine.precision)
    yield
    runner = machine.runner(samples)
    before = memory.fetch()
    runner.step(*inputs)
    memory.store(before)
    notation = Notation(plan.buffers, plan.steps)
    item = np.dtype(plan.precision).itemsize
    found: list[Measured] = []
    least = min(LEAST, ALTOGETHER / max(len(plan.steps), 1))
    timed = _pieces(runner, least) if isinstance(runner, NumPyRunner) else _alone(plan, backend, memory, inputs, least)
    for step, (calls, seconds) in zip(plan.steps, timed, strict=True):
        made = line(step, notation)
        size = made.moved * item
        found.append(Measured(made, calls, size, model.seconds(calls, size, made.operations), seconds))
        yield
    return Profile(model, tuple(found), _whole(runner, memory, inputs))


def calibrated(backend: Backend, precision: Precision) -> Model:
    """Measure the model's constants on that back end; takes a few milliseconds."""
    item = np.dtype(precision).itemsize
    few, many, wide = 4, 1 << 17, 64

    def dense(buffer: int, shape: Extent, strides: tuple[int, ...]) -> View:
        return View(buffer, 0, shape, strides)

    add = Map(
        (few,),
        (dense(0, (few,), (1,)), dense(1, (few,), (1,))),
        (Instruction(scalars.ADD, (0, 1)),),
        (Store(dense(2, (few,), (1,)), 2),),
    )
    copy = Map((many,), (dense(0, (many,), (1,)),), (), (Store(dense(1, (many,), (1,)), 0),))
    cube = (wide, wide, wide)
    product = Contract(cube, dense(0, cube, (wide, 1, 0)), dense(1, cube, (wide, 0, 1)), dense(2, cube, (0, 1, wide)))

    def seconds(step: Step, sizes: Iterable[int]) -> float:
        buffers = tuple([Kept(np.ones(n)) for n in sizes])
        plan = Plan(precision, None, (), buffers, 0, (step,), (), ())
        runner, nothing = backend.runner(plan, {}), backend.memory({}, precision)
        timed = _pieces(runner, LEAST) if isinstance(runner, NumPyRunner) else _alone(plan, backend, nothing, (), LEAST)
        return next(iter(timed))[1] or 0.0

    each = seconds(add, (few,) * 3)
    moving = max(seconds(copy, (many,) * 2) - each, 1e-9)
    working = max(seconds(product, (wide**2,) * 3) - each, 1e-9)
    return Model(each, moved(copy) * item / moving, operations(product) / working)


def _pieces(runner: NumPyRunner, least: float) -> Generator[tuple[int, float | None], None, None]:
    """The calls of each step and the seconds they take, with the same inputs as in a run."""
    for made, written in runner.pieces():
        before = [array.copy() for array in written]
        with np.errstate(all="ignore"):
            found = _seconds(lambda n, made=made: _repeat(made, n), least=least)
            for array, content in zip(written, before, strict=True):
                array[...] = content
            _repeat(made, 1)
        yield len(made), found


def _alone(
    plan: Plan, backend: Backend, memory: Memory, inputs: Sequence[Array], least: float
) -> Generator[tuple[int, float | None], None, None]:
    """Time each step as a plan of its own; it has the contents of locations, but no values of other steps."""
    before = memory.fetch()
    for step in plan.steps:
        try:
            runner = backend.runner(replace(plan, steps=(step,), result=()), memory)
            found = _seconds(lambda n, run=runner.step: _repeat((lambda: run(*inputs),), n), least=least)
        except (Stuck, Unsupported):
            found = None
        memory.store(before)
        yield 1, found


def _whole(runner: Runner, memory: Memory, inputs: Sequence[Array]) -> float:
    """The seconds of a run. Repeated runs from the same heap can make a strict one get stuck; then one run is timed."""
    before = memory.fetch()
    try:
        return _seconds(lambda n: _repeat((lambda: runner.step(*inputs),), n))
    except Stuck:
        memory.store(before)
        return _seconds(lambda n: _repeat((lambda: runner.step(*inputs),), 1), most=0.0)


def _seconds(run: Callable[[int], object], *, least: float = LEAST, most: float = MOST) -> float:
    """The median time of one of n runs, in seconds."""
    clock, n = time.perf_counter, 1
    began = clock()
    while True:
        start = clock()
        run(n)
        took = clock() - start
        if took >= least / SAMPLES or start + took - began >= most:
            break
        n *= 2
    times = [took / n]
    while (len(times) < SAMPLES or clock() - began < least) and clock() - began < most:
        start = clock()
        run(n)
        times.append((clock() - start) / n)
    return median(times)


def _repeat(calls: Iterable[Callable[[], Any]], n: int) -> None:
    deque(map(call, chain.from_iterable(repeat(tuple(calls), n))), 0)
