"""What a mode shows of a program: the function that performs, its handlers, its driver; and the reduction at a point."""

from collections.abc import Iterator

from rh_kernel.ad.eff.printing import items as printing_items
from rh_kernel.ad.eff.reduction import traces
from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.handlers.modes import FORWARDS, Mode
from rh_kernel.ad.handlers.op_table import outside
from rh_kernel.ad.handlers.running import asked, library
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.printing import program as printed
from rh_kernel.ad.language.values import Value, numbers
from rh_kernel.ad.system import Point, Stage, TraceStep
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import Rejected, Stuck

_MOST = 20_000
"""Steps of a reduction, of which a trace shows about half."""


def stages(mode: Mode, program: Program) -> tuple[Stage, ...]:
    """The program, what it performs, and what the mode does with that."""
    outside(mode.name, program)
    found = asked(program, mode.written)
    known = library()
    handlers = [(name, printing_items.handler(known.handler(known.handlers[name]).definition)) for name in mode.handlers]
    driver = printing_items.function(known.function(known.functions[mode.driver]).definition)
    return (
        Stage("the program", printed(program)),
        Stage(mode.written.value, printing_items.function(found.function)),
        *(Stage(f"the handler {name}", doc) for name, doc in handlers),
        Stage("for several numbers, given as lists; it is run under evaluate", driver),
    )


def steps(mode: Mode, program: Program, point: Point, others: Value) -> Iterator[TraceStep]:
    """The reduction of the mode at a point with a cotangent of the result, or with tangents of the point."""
    outside(mode.name, program)
    where, given = tuple(numbers(point)), tuple(numbers(others))
    if mode in FORWARDS and len(given) != len(where):
        hint = f"give a tangent: %ad {mode.name} {program.name}(…) along … --trace"
        raise Rejected(CannotDo(system=mode.name, what="is traced along a tangent", hint=hint))
    M = asked(program, mode.written).computation(mode.driver, where, given)
    found = traces.trace(M, library(), _MOST)
    yield from found.steps
    if found.stuck or found.is_cut:
        raise Stuck(*(found.stuck or (OutOfFuel(steps=_MOST, hint="without `--trace` the steps are only counted"),)))
