"""``effects:*``: the modes of the thesis as systems of the laboratory, each by its handler at run time, under ``evaluate``."""

from functools import partial

from rh_kernel.ad.handlers.modes import FORWARDS, MODES, Mode
from rh_kernel.ad.handlers.running import ALONE, Ran, declared, size
from rh_kernel.ad.handlers.showing import stages, steps
from rh_kernel.ad.handlers.vocabulary import outside
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import Product
from rh_kernel.ad.language.values import Value, components, numbers, of_numbers
from rh_kernel.ad.system import Point, Pulled, Pushed, System


def _alone(program: Program, point: Point) -> Ran:
    """The program under ``evaluate``, without a mode."""
    return declared(program).run(ALONE, numbers(point))


def _reverse(mode: Mode, program: Program, point: Point, cotangent: Value) -> Pulled:
    """All cotangents at once; but with continuations the driver runs f once for each number."""
    outside(mode.name, program)
    alone, found = _alone(program, point), declared(program, mode.written)
    back = found.run(mode.driver, numbers(point), numbers(cotangent))
    value = of_numbers(program.result, iter(alone.numbers))
    gradient = of_numbers(Product(tuple(A for _, A in program.parameters)), iter(back.numbers))
    return Pulled(value, components(gradient), alone.operations, back.operations, size(mode, found.function), back.counters)


def _forward(mode: Mode, program: Program, point: Point, tangent: Point) -> Pushed:
    outside(mode.name, program)
    alone, found = _alone(program, point), declared(program, mode.written)
    along = found.run(mode.driver, numbers(point), numbers(tangent))
    value, slope = (of_numbers(program.result, iter(each.numbers)) for each in (alone, along))
    return Pushed(value, slope, alone.operations, along.operations, size(mode, found.function), along.counters)


SYSTEMS = tuple(
    System(
        mode.name,
        mode.title,
        mode.source,
        reverse=None if mode in FORWARDS else partial(_reverse, mode),
        forward=partial(_forward, mode) if mode in FORWARDS else None,
        stages=partial(stages, mode),
        steps=partial(steps, mode),
    )
    for mode in MODES
)
