"""The stages of a mode, from the program to its handlers and driver, and the reduction at a point."""

from collections.abc import Iterator

from rh_kernel.ad.eff.printing import items as printing_items
from rh_kernel.ad.eff.reduction import traces
from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.handlers.modes import FORWARDS, Mode
from rh_kernel.ad.handlers.op_table import reject_unsupported
from rh_kernel.ad.handlers.running import library, translated
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.printing import program as printed
from rh_kernel.ad.language.values import Value, numbers
from rh_kernel.ad.system import Point, Stage, TraceStep
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import Rejected, Stuck

_MAX_STEPS = 20_000
"""The maximal number of steps of a reduction, about half of which a trace shows."""


def stages(mode: Mode, program: Program) -> tuple[Stage, ...]:
    """The program, its translation, and the handlers and the driver of the mode. Raises ``Rejected``."""
    reject_unsupported(mode.name, program)
    found = translated(program, mode.encoding)
    known = library()
    handlers = [(name, printing_items.handler(known.handler(known.handlers[name]).definition)) for name in mode.handlers]
    driver = printing_items.function(known.function(known.functions[mode.driver]).definition)
    return (
        Stage("the program", printed(program)),
        Stage(mode.encoding.value, printing_items.function(found.function)),
        *(Stage(f"the handler {name}", doc) for name, doc in handlers),
        Stage("for several numbers, given as lists; it is run under evaluate", driver),
    )


def steps(mode: Mode, program: Program, point: Point, others: Value) -> Iterator[TraceStep]:
    """The reduction of the mode at a point, given a cotangent of the result or tangents of the point.

    Raises ``Rejected``, and ``Stuck`` beyond the limit.
    """
    reject_unsupported(mode.name, program)
    where, given = tuple(numbers(point)), tuple(numbers(others))
    if mode in FORWARDS and len(given) != len(where):
        hint = f"give a tangent: %ad {mode.name} {program.name}(…) along … --trace"
        raise Rejected(CannotDo(system=mode.name, what="is traced along a tangent", hint=hint))
    M = translated(program, mode.encoding).computation(mode.driver, where, given)
    found = traces.trace(M, library(), _MAX_STEPS)
    yield from found.steps
    if found.stuck or found.is_cut:
        raise Stuck(*(found.stuck or (OutOfFuel(steps=_MAX_STEPS, hint="without `--trace` the steps are only counted"),)))
