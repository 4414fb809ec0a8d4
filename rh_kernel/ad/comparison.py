"""One program at one point through one system or all of them: what each finds, how much work it takes, whether they agree."""

import math
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import Product, is_ground
from rh_kernel.ad.language.values import Value, basis, components, numbers, of_numbers, zero
from rh_kernel.ad.system import JvpResult, Point, System, VjpResult, refuse
from rh_kernel.source.diagnostic import Diagnostic, Failure, Rejected
from rh_kernel.source.span import Span
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.errors import TooDeep
from rh_kernel.syntax.parsing.cursor import DEEPEST

SHALLOWER = "give parts of it names, with let or fun"


@dataclass(frozen=True, slots=True)
class Refused:
    """The program is outside of what the system can do, or its work came to no end."""

    diagnostics: tuple[Diagnostic, ...]


Outcome: TypeAlias = VjpResult | JvpResult | Refused


@dataclass(frozen=True, slots=True)
class Row:
    """What a system found. ``apart`` is how far its gradient is from that of the first system in the table that found one.

    It is the largest difference of two numbers, relative to the larger of them where that is more than 1.
    """

    system: System
    outcome: Outcome
    seconds: float
    apart: float | None


def pulled(system: System, program: Program, point: Point, cotangent: Value, span: Span | None = None) -> VjpResult:
    """The gradient by one system; one that pushes tangents forward does so for each number of the point."""
    if system.reverse is not None:
        return system.reverse(program, point, cotangent)
    if system.forward is None:
        hint = "`%ad all f(…)` runs all systems that can do it"
        raise Rejected(CannotDo(span=span, system=system.name, what="does not differentiate", hint=hint))
    A = Product(tuple(B for _, B in program.parameters))
    if not is_ground(A) or not is_ground(program.result):
        refuse(system.name, "functions and sums as arguments or results")
    gradient: list[float] = []
    found: JvpResult | None = None
    operations = 0
    for tangent in basis(A):
        found = system.forward(program, point, components(tangent))
        operations += found.derivative
        gradient.append(sum((a * b for a, b in zip(numbers(cotangent), numbers(found.tangent), strict=True)), 0.0))
    if found is None:
        found = system.forward(program, point, components(zero(A)))
    slopes = of_numbers(A, iter(gradient))
    counters = (("passes", len(gradient)), *found.counters)
    return VjpResult(found.value, components(slopes), found.primal, operations, found.size, counters)


def compared(systems: tuple[System, ...], program: Program, point: Point, cotangent: Value) -> tuple[Row, ...]:
    """A row for each system; what one refuses does not stop the others."""
    return exhaust(comparing(systems, program, point, cotangent))


def comparing(
    systems: tuple[System, ...], program: Program, point: Point, cotangent: Value
) -> Generator[System, None, tuple[Row, ...]]:
    """Each system before it begins; what the generator returns are the rows of ``compared``."""
    rows: list[Row] = []
    reference: VjpResult | None = None
    for system in systems:
        yield system
        system.ready()
        began = time.perf_counter()
        outcome: VjpResult | Refused
        try:
            outcome = pulled(system, program, point, cotangent)
        except Failure as failure:
            outcome = Refused(failure.diagnostics)
        except RecursionError:
            outcome = Refused((TooDeep(limit=DEEPEST, hint=SHALLOWER),))
        seconds = time.perf_counter() - began
        apart = None
        if isinstance(outcome, VjpResult):
            reference = reference or outcome
            apart = distance(outcome.gradient, reference.gradient)
        rows.append(Row(system, outcome, seconds, apart))
    return tuple(rows)


def distance(V: Value, W: Value) -> float:
    """The largest difference of two numbers, relative to the larger where that is more than 1."""
    return max((_apart(a, b) for a, b in zip(numbers(V), numbers(W), strict=True)), default=0.0)


def _apart(a: float, b: float) -> float:
    """What is no number, or not finite, is infinitely far from all that is not the same."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    difference = abs(a - b) / max(1.0, abs(a), abs(b))
    return difference if math.isfinite(difference) else math.inf
