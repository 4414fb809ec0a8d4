"""``M ⇓ V``: running the programs of EFF on its abstract machine (``machine_loop``), in one go or a piece at a time."""

from collections.abc import Generator, Mapping

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.builtins import BUILT_INS, BuiltInFunction
from rh_kernel.ad.eff.compilation_program import Program
from rh_kernel.ad.eff.counting import Counts, Tally, counts
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine_loop import Machine
from rh_kernel.ad.eff.readback import readback
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.collection import put_off
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.records import frozen
from rh_kernel.syntax.stuck import placed

SLICE = 20_000
"""So many steps between two looks at what else there is to do: some hundredths of a second."""

LIMIT = 1 << 60


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
    with put_off():
        return finished(running(M, definitions, limit=limit, counting=counting, built_ins=built_ins))


def running(
    M: core.Computation,
    definitions: Definitions,
    *,
    limit: int = LIMIT,
    counting: bool = False,
    built_ins: Mapping[str, BuiltInFunction] = BUILT_INS,
    every: int = SLICE,
) -> Generator[None, None, Outcome]:
    """The same, a piece at a time: it comes back after ``every`` so many steps."""
    return proceeding(M, Program(definitions, built_ins, Tally() if counting else None), limit=limit, every=every)


def proceeding(
    M: core.Computation, program: Program, *, limit: int = LIMIT, every: int = SLICE
) -> Generator[None, None, Outcome]:
    """The same with declarations of which some may have been compiled already."""
    machine = Machine(M, program)
    is_over = False
    while not is_over:
        if machine.steps >= limit:
            hint = "`%limit steps` allows more; or look for a function that calls itself for ever"
            raise Stuck(OutOfFuel(span=M.span, steps=machine.steps, hint=hint))
        try:
            with put_off():
                is_over = machine.proceed(min(every, limit - machine.steps))
        except Stuck as failure:
            raise placed(failure, M.span) from None
        if not is_over:
            yield
    value = None if machine.value is None else readback(machine.value)
    counted = counts(program.tally, machine.steps) if program.tally is not None else None
    return Outcome(value, tuple(program.printed), machine.steps, counted)


def finished(taking: Generator[None, None, Outcome]) -> Outcome:
    """What a run comes to that nobody looks at meanwhile."""
    while True:
        try:
            next(taking)
        except StopIteration as done:
            outcome: Outcome = done.value
            return outcome
