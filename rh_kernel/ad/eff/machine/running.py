"""``M ⇓ V``: run programs of EFF on the abstract machine (``loop``), at once or in slices."""

import sys
from collections.abc import Generator, Mapping

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.builtins import BUILT_INS, BuiltInFunction
from rh_kernel.ad.eff.machine.compiler.program import MEMORY, Program
from rh_kernel.ad.eff.machine.counting import Counts, OpCounter
from rh_kernel.ad.eff.machine.loop import Machine
from rh_kernel.ad.eff.machine.readback import readback
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.records import frozen
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.runtime_errors import TooLarge, placed, readable

SLICE = 20_000
"""The most steps of a slice: some hundredths of a second."""

FIRST = 8
"""The steps that the first slice starts from, before it is known how long steps take."""

WORK = 10_000_000
"""The entries of tensors that a slice reads and writes at most, if it has more than one step."""

LIMIT = 1 << 60

BLOCK = 80
"""The average size in bytes of an object that the machine allocates: tuples of two to four components, and numbers."""


@frozen
class Outcome:
    """The result of a run: its value, the lines that it printed, its number of steps, and its counters if it counts.

    The value is ``None`` if the computation is a function or a pair of computations.
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
        return exhaust(run_in_slices(M, Program(definitions, built_ins, OpCounter() if counting else None), limit=limit))


def run_in_slices(
    M: core.Computation, program: Program, *, limit: int = LIMIT, every: int = SLICE, memory: int = MEMORY
) -> Generator[None, None, Outcome]:
    """Run a closed computation in slices of at most ``every`` steps, with about ``memory`` bytes. Raises ``Stuck``.

    The program keeps the code that is compiled.
    """
    machine = Machine(M, program)
    program.tensors.begin(memory)
    tensors, before, size, is_over = program.tensors, sys.getallocatedblocks(), FIRST, False
    while not is_over:
        if machine.steps >= limit:
            hint = "raise the limit with `%limit steps`, or look for a function that calls itself forever"
            raise Stuck(OutOfFuel(span=M.span, steps=machine.steps, hint=hint))
        # The time of a step grows with the tensors in it, so the first slices are small.
        size = min(every, 2 * size) if tensors.work < WORK else max(1, size * WORK // tensors.work)
        tensors.work = 0
        try:
            with gc_paused():
                is_over = machine.proceed(min(size, limit - machine.steps))
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
    counted = program.tally.counts(machine.steps) if program.tally is not None else None
    return Outcome(value, tuple(program.printed), machine.steps, counted)


def _too_large(M: core.Computation, memory: int) -> Stuck:
    hint = "look for a non-tail call that recurses forever, or a list that grows"
    what, needed, expected = "the stack and the live values", f"more than {readable(memory)}", f"at most {readable(memory)}"
    return Stuck(TooLarge(span=M.span, what=what, needed=needed, expected=expected, hint=hint))
