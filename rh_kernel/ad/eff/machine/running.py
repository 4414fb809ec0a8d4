"""``M ⇓ V``: running the programs of EFF on its abstract machine (``machine_loop``), in one go or a piece at a time."""

import sys
from collections.abc import Generator, Mapping

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.builtins import BUILT_INS, BuiltInFunction
from rh_kernel.ad.eff.machine.compiler.program import MEMORY, Program
from rh_kernel.ad.eff.machine.counting import Counts, OpCounter, counts
from rh_kernel.ad.eff.machine.loop import Machine
from rh_kernel.ad.eff.machine.readback import readback
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.records import frozen
from rh_kernel.syntax.runtime_errors import TooLarge, placed, readable

SLICE = 20_000
"""So many steps between two looks at what else there is to do: some hundredths of a second."""

FIRST = 8
"""So many steps may be between two looks before it is known how long they take."""

WORK = 10_000_000
"""So many entries of tensors are between two looks, if that is more than one step."""

LIMIT = 1 << 60

BLOCK = 80
"""So many bytes the things that the machine makes have on average: tuples of two to four, and numbers."""


@frozen
class Outcome:
    """What a run came to: its value, what it has printed, how many steps it took, and what else was counted.

    There is no value if the computation is a function or a pair of computations.
    """

    value: core.Value | None
    printed: tuple[str, ...]
    steps: int
    counts: Counts | None = None


def run(
    M: core.Computation,
    definitions: Definitions,
    *,
    limit: int = LIMIT,
    counting: bool = False,
    built_ins: Mapping[str, BuiltInFunction] = BUILT_INS,
) -> Outcome:
    """Run a closed computation. Raises ``Stuck`` if it cannot go on, or has taken ``limit`` steps."""
    with gc_paused():
        return finished(running(M, definitions, limit=limit, counting=counting, built_ins=built_ins))


def running(
    M: core.Computation,
    definitions: Definitions,
    *,
    limit: int = LIMIT,
    counting: bool = False,
    built_ins: Mapping[str, BuiltInFunction] = BUILT_INS,
    every: int = SLICE,
    memory: int = MEMORY,
) -> Generator[None, None, Outcome]:
    """The same, a piece at a time: it comes back after ``every`` so many steps or earlier, and takes about ``memory`` bytes."""
    return proceeding(
        M, Program(definitions, built_ins, OpCounter() if counting else None), limit=limit, every=every, memory=memory
    )


def proceeding(
    M: core.Computation, program: Program, *, limit: int = LIMIT, every: int = SLICE, memory: int = MEMORY
) -> Generator[None, None, Outcome]:
    """The same with declarations of which some may have been compiled already."""
    machine = Machine(M, program)
    program.tensors.begin(memory)
    tensors, before, pace, is_over = program.tensors, sys.getallocatedblocks(), FIRST, False
    while not is_over:
        if machine.steps >= limit:
            hint = "raise the limit with `%limit steps`, or look for a function that calls itself forever"
            raise Stuck(OutOfFuel(span=M.span, steps=machine.steps, hint=hint))
        # A step takes as long as the tensors in it are large, so the first pieces are small ones.
        pace = min(every, 2 * pace) if tensors.work < WORK else max(1, pace * WORK // tensors.work)
        tensors.work = 0
        try:
            with gc_paused():
                is_over = machine.proceed(min(pace, limit - machine.steps))
        except Stuck as failure:
            raise placed(failure, M.span) from None
        if not is_over:
            if (sys.getallocatedblocks() - before) * BLOCK + tensors.bytes > memory:
                raise _too_large(M, memory)
            yield
    try:
        value = None if machine.value is None else readback(machine.value)
    except Stuck as failure:
        raise placed(failure, M.span) from None
    counted = counts(program.tally, machine.steps) if program.tally is not None else None
    return Outcome(value, tuple(program.printed), machine.steps, counted)


def _too_large(M: core.Computation, memory: int) -> Stuck:
    hint = "look for a non-tail call that recurses forever, or a list that grows"
    expected = f"at most {readable(memory)}"
    return Stuck(
        TooLarge(
            span=M.span,
            what="the stack and the live values",
            needed=f"more than {readable(memory)}",
            expected=expected,
            hint=hint,
        )
    )


def finished(taking: Generator[None, None, Outcome]) -> Outcome:
    """What a run comes to that nobody looks at meanwhile."""
    while True:
        try:
            next(taking)
        except StopIteration as done:
            outcome: Outcome = done.value
            return outcome
