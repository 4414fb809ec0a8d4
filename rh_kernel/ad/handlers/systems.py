"""``effects:*``: the modes of the thesis as systems of the laboratory, each by its handler at run time, under ``evaluate``."""

from collections import deque
from dataclasses import dataclass
from functools import partial

from rh_kernel.ad.handlers.modes import FORWARDS, MODES, Mode
from rh_kernel.ad.handlers.op_table import outside
from rh_kernel.ad.handlers.running import ALONE, Declared, Ran, declared, library, size
from rh_kernel.ad.handlers.showing import stages, steps
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import Product
from rh_kernel.ad.language.values import Value, components, numbers, of_numbers
from rh_kernel.ad.system import JvpResult, Point, System, VjpResult


@dataclass(frozen=True, slots=True)
class _Beginning:
    """What all passes at a point have in common: the program without a mode, and with it."""

    alone: Ran
    found: Declared
    size: int


_latest: deque[tuple[Mode, Program, Point, _Beginning]] = deque(maxlen=1)


def _begun(mode: Mode, program: Program, point: Point) -> _Beginning:
    """Made once for this very point: forwards there is a pass for each of its numbers."""
    for known, written, where, beginning in _latest:
        if known is mode and written is program and where is point:
            return beginning
    outside(mode.name, program)
    found = declared(program, mode.written)
    beginning = _Beginning(declared(program).run(ALONE, numbers(point)), found, size(mode, found.function))
    _latest.append((mode, program, point, beginning))
    return beginning


def _reverse(mode: Mode, program: Program, point: Point, cotangent: Value) -> VjpResult:
    """All cotangents at once; but with continuations the driver runs f once for each number."""
    begun = _begun(mode, program, point)
    back = begun.found.run(mode.driver, numbers(point), numbers(cotangent))
    value = of_numbers(program.result, iter(begun.alone.numbers))
    gradient = of_numbers(Product(tuple(A for _, A in program.parameters)), iter(back.numbers))
    return VjpResult(value, components(gradient), begun.alone.operations, back.operations, begun.size, back.counters)


def _forward(mode: Mode, program: Program, point: Point, tangent: Point) -> JvpResult:
    begun = _begun(mode, program, point)
    along = begun.found.run(mode.driver, numbers(point), numbers(tangent))
    value, slope = (of_numbers(program.result, iter(each.numbers)) for each in (begun.alone, along))
    return JvpResult(value, slope, begun.alone.operations, along.operations, begun.size, along.counters)


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
    )
    for mode in MODES
)
