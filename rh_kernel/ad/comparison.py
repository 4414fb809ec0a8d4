"""Comparison of systems on one program at one point: gradients, operation counts, times, and differences of the gradients."""

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
from rh_kernel.syntax.errors import TooDeep
from rh_kernel.syntax.parsing.cursor import DEEPEST

NESTING_HINT = "give parts of it names, with let or fun"


@dataclass(frozen=True, slots=True)
class Refused:
    """The system does not support the program, or its execution reached a limit."""

    diagnostics: tuple[Diagnostic, ...]


Outcome: TypeAlias = VjpResult | JvpResult | Refused


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of one system.

    ``difference`` is the ``distance`` of its result from that of the first system in the table that has one.
    """

    system: System
    outcome: Outcome
    seconds: float
    difference: float | None


def vjp(system: System, program: Program, point: Point, cotangent: Value, span: Span | None = None) -> VjpResult:
    """Compute the gradient with one system; one that has forward mode alone runs once for each number of the point.

    Raises ``Rejected``.
    """
    if system.reverse is not None:
        return system.reverse(program, point, cotangent)
    if system.forward is None:
        hint = "`%ad all f(…)` runs all systems that can do it"
        raise Rejected(CannotDo(span=span, system=system.name, what="does not differentiate", hint=hint))
    A = Product(tuple(B for _, B in program.parameters))
    if not is_ground(A) or not is_ground(program.result):
        refuse(system.name, "functions and sums as arguments or results")
    slopes: list[float] = []
    result: JvpResult | None = None
    operations = 0
    for tangent in basis(A):
        result = system.forward(program, point, components(tangent))
        operations += result.derivative
        slopes.append(sum((a * b for a, b in zip(numbers(cotangent), numbers(result.tangent), strict=True)), 0.0))
    if result is None:
        result = system.forward(program, point, components(zero(A)))
    gradient = components(of_numbers(A, iter(slopes)))
    counters = (("passes", len(slopes)), *result.counters)
    return VjpResult(result.value, gradient, result.primal, operations, result.size, counters)


def compare(
    systems: tuple[System, ...], program: Program, point: Point, cotangent: Value
) -> Generator[System, None, tuple[Row, ...]]:
    """Yield each system before it runs, and return a row for each; a system that refuses does not stop the others."""
    rows: list[Row] = []
    reference: VjpResult | None = None
    for system in systems:
        yield system
        system.ready()
        start = time.perf_counter()
        outcome: VjpResult | Refused
        try:
            outcome = vjp(system, program, point, cotangent)
        except Failure as failure:
            outcome = Refused(failure.diagnostics)
        except RecursionError:
            outcome = Refused((TooDeep(limit=DEEPEST, hint=NESTING_HINT),))
        seconds = time.perf_counter() - start
        difference = None
        if isinstance(outcome, VjpResult):
            reference = reference or outcome
            difference = distance(outcome.gradient, reference.gradient)
        rows.append(Row(system, outcome, seconds, difference))
    return tuple(rows)


def distance(V: Value, W: Value) -> float:
    """Return the largest difference of two numbers, relative to the larger of them if that is more than 1.

    A number that is infinite or NaN has an infinite distance from every other one.
    """
    return max((_distance(a, b) for a, b in zip(numbers(V), numbers(W), strict=True)), default=0.0)


def _distance(a: float, b: float) -> float:
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    difference = abs(a - b) / max(1.0, abs(a), abs(b))
    return difference if math.isfinite(difference) else math.inf
