"""What each step of a plan takes, predicted and measured, on the back end that runs it.

The prediction is a model with three constants: a step takes ``calls · c + max(bytes / b, operations / r)`` seconds. What a call
costs, how many bytes are moved a second, and how many operations are done a second, is measured by three plans: a loop over a
few entries, a copy, a product of matrices. Where a step takes longer than predicted, it is none of these: an exponential, say,
is one operation, and takes as long as many.
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
from rh_kernel.arrays.numpy_backend.backend import NumPyRunner
from rh_kernel.arrays.planning.counting import moved, operations
from rh_kernel.arrays.planning.listing import StepLine, line
from rh_kernel.arrays.planning.notation import Notation
from rh_kernel.arrays.program import Extent
from rh_kernel.arrays.running import Machine
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Contract, Instruction, Kept, Map, Plan, Precision, Step, Store, View
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array

LEAST, MOST = 1e-3, 0.05
"""A step is repeated for so many seconds at least, and not begun again after so many."""

ALTOGETHER = 2.0
"""The steps of a long plan are repeated for less, so that all take about so many seconds."""

SAMPLES = 5
"""The median is of so many times at least, if there is time for them."""


@dataclass(frozen=True, slots=True)
class Model:
    """``calls · call + max(bytes / bandwidth, operations / rate)`` seconds"""

    call: float
    bandwidth: float
    rate: float

    def seconds(self, calls: int, moved: int, done: int) -> float:
        """What a step takes that makes so many calls, moves so many bytes and does so many operations."""
        return calls * self.call + max(moved / self.bandwidth, done / self.rate)


@dataclass(frozen=True, slots=True)
class Measured:
    """A step with the calls that it makes, the bytes that it moves, and its seconds; ``None`` if it cannot be run alone."""

    line: StepLine
    calls: int
    bytes: int
    predicted: float
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """The steps of a plan, what the model makes of them, and the seconds of a whole run."""

    model: Model
    steps: tuple[Measured, ...]
    whole: float

    @property
    def predicted(self) -> float:
        """The seconds that all steps take by the model."""
        return sum(step.predicted for step in self.steps)

    @property
    def seconds(self) -> float:
        """The seconds of all steps that were measured."""
        return sum(step.seconds for step in self.steps if step.seconds is not None)


def profile(machine: Machine, samples: int | None = None, inputs: Sequence[Array] = ()) -> Generator[None, None, Profile]:
    """What the steps of a program take, on these inputs, one after the other. It writes on the machine's memory.

    A batched program has so many ``samples``, and they are the first axis of its inputs. Raises ``Stuck`` if it gets stuck.
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
    """The constants of the model, on that back end: a few milliseconds."""
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
    """The calls of each step and the seconds that they take. Each step finds what it finds in a run."""
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
    """The seconds of each step as a plan of its own, which finds the contents of locations, but no other arrays."""
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
    """The seconds of a run. The runs are of one heap, over and over, so a strict one may get stuck: then one is enough."""
    before = memory.fetch()
    try:
        return _seconds(lambda n: _repeat((lambda: runner.step(*inputs),), n))
    except Stuck:
        memory.store(before)
        return _seconds(lambda n: _repeat((lambda: runner.step(*inputs),), 1), most=0.0)


def _seconds(run: Callable[[int], object], *, least: float = LEAST, most: float = MOST) -> float:
    """The median of the seconds that one of n runs takes."""
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
