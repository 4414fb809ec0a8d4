"""The AD systems ``effects:*``: the modes of the thesis, each run by its handlers under ``evaluate``."""

from collections import deque
from dataclasses import dataclass
from functools import partial

from rh_kernel.ad.handlers.modes import FORWARDS, MODES, Mode
from rh_kernel.ad.handlers.op_table import reject_unsupported
from rh_kernel.ad.handlers.running import PRIMAL, DeclaredProgram, Run, declared, library, size
from rh_kernel.ad.handlers.stages import stages, steps
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import Product
from rh_kernel.ad.language.values import Value, components, numbers, of_numbers
from rh_kernel.ad.system import JvpResult, Point, System, VjpResult


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What the passes at a point share: the run of the program itself, and its declaration for the mode."""

    primal: Run
    declared: DeclaredProgram
    size: int


_latest: deque[tuple[Mode, Program, Point, _Prepared]] = deque(maxlen=1)


def _prepare(mode: Mode, program: Program, point: Point) -> _Prepared:
    """Prepare the passes at a point, once for the same objects: forward mode has a pass for each number."""
    for known, same_program, same_point, prepared in _latest:
        if known is mode and same_program is program and same_point is point:
            return prepared
    reject_unsupported(mode.name, program)
    found = declared(program, mode.encoding)
    prepared = _Prepared(declared(program).run(PRIMAL, numbers(point)), found, size(mode, found.function))
    _latest.append((mode, program, point, prepared))
    return prepared


def _reverse(mode: Mode, program: Program, point: Point, cotangent: Value) -> VjpResult:
    """The value and the gradient; the driver of ``effects:continuation`` runs f once for each number of the result."""
    prepared = _prepare(mode, program, point)
    back = prepared.declared.run(mode.driver, numbers(point), numbers(cotangent))
    value = of_numbers(program.result, iter(prepared.primal.numbers))
    gradient = of_numbers(Product(tuple(A for _, A in program.parameters)), iter(back.numbers))
    return VjpResult(value, components(gradient), prepared.primal.operations, back.operations, prepared.size, back.counters)


def _forward(mode: Mode, program: Program, point: Point, tangent: Point) -> JvpResult:
    prepared = _prepare(mode, program, point)
    along = prepared.declared.run(mode.driver, numbers(point), numbers(tangent))
    value, slope = (of_numbers(program.result, iter(run.numbers)) for run in (prepared.primal, along))
    return JvpResult(value, slope, prepared.primal.operations, along.operations, prepared.size, along.counters)


SYSTEMS = tuple(
    System(
        mode.name,
        mode.title,
        mode.source,
        reverse=None if mode in FORWARDS else partial(_reverse, mode),
        forward=partial(_forward, mode) if mode in FORWARDS else None,
        stages=partial(stages, mode),
        steps=partial(steps, mode),
        ready=library,
        unrolls=True,
    )
    for mode in MODES
)
