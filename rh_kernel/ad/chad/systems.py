"""The systems of CHAD: reverse and forward mode, by combinators, and with accumulators."""

from collections.abc import Callable
from typing import TypeAlias

from rh_kernel.ad.chad import execution
from rh_kernel.ad.chad.combinators import arrows as combinators
from rh_kernel.ad.chad.simplification.simplifier import simplify
from rh_kernel.ad.chad.target.printing import document
from rh_kernel.ad.chad.target.terms import Term
from rh_kernel.ad.chad.target.types import Mode
from rh_kernel.ad.language.binding import binders
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.printing import program as program_document
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import JvpResult, Point, Stage, System, VjpResult

_PAPER = "Vákár and Smeding, CHAD: Combinatory Homomorphic Automatic Differentiation, TOPLAS 44(3), 2022"
_EFFICIENT = "Smeding and Vákár, Efficient CHAD, POPL 2024, with closures that return the cotangents of captured variables"

_Transformation: TypeAlias = Callable[[str, Program, Mode], Term]


def _reverse(name: str, transformation: _Transformation) -> Callable[[Program, Point, Value], VjpResult]:
    def reverse(program: Program, point: Point, cotangent: Value) -> VjpResult:
        return execution.vjp(program, point, cotangent, transformation(name, program, Mode.REVERSE))

    return reverse


def _forward(name: str, transformation: _Transformation) -> Callable[[Program, Point, Point], JvpResult]:
    def forward(program: Program, point: Point, tangents: Point) -> JvpResult:
        return execution.jvp(program, point, tangents, transformation(name, program, Mode.FORWARD))

    return forward


def _stages(program: Program, *stages: Stage, derivative: Term) -> tuple[Stage, ...]:
    parameters = tuple(x for x, _ in program.parameters)
    simple = simplify(derivative, parameters, frozenset(binders(program.body)))
    return (
        Stage("source", program_document(program)),
        *stages,
        Stage("transformed", document(derivative)),
        Stage("simplified", document(simple)),
    )


def _reverse_stages(program: Program) -> tuple[Stage, ...]:
    return _stages(program, derivative=execution.derivative("chad", program, Mode.REVERSE))


def _forward_stages(program: Program) -> tuple[Stage, ...]:
    return _stages(program, derivative=execution.derivative("chad-forward", program, Mode.FORWARD))


def _combinator_stages(program: Program) -> tuple[Stage, ...]:
    derivative = execution.derivative_by_combinators("chad-combinators", program, Mode.REVERSE)
    names, types = zip(*program.parameters, strict=True) if program.parameters else ((), ())
    f = combinators.arrow(names, combinators.Entries(types), program.body)
    return _stages(program, Stage("combinators", combinators.document(f)), derivative=derivative)


def _accumulated_reverse(program: Program, point: Point, cotangent: Value) -> VjpResult:
    t = execution.derivative_with_accumulators("chad-accumulated", program)
    return execution.vjp_with_accumulators(program, point, cotangent, t)


def _accumulated_stages(program: Program) -> tuple[Stage, ...]:
    t = execution.derivative_with_accumulators("chad-accumulated", program)
    return Stage("source", program_document(program)), Stage("transformed", document(t))


SYSTEMS: tuple[System, ...] = (
    System("chad", "CHAD, reverse mode", _PAPER, reverse=_reverse("chad", execution.derivative), stages=_reverse_stages),
    System(
        "chad-forward",
        "CHAD, forward mode",
        _PAPER,
        forward=_forward("chad-forward", execution.derivative),
        stages=_forward_stages,
    ),
    System(
        "chad-combinators",
        "CHAD by the combinators of a Cartesian closed category",
        _PAPER,
        reverse=_reverse("chad-combinators", execution.derivative_by_combinators),
        forward=_forward("chad-combinators", execution.derivative_by_combinators),
        stages=_combinator_stages,
    ),
    System("chad-accumulated", "CHAD with accumulators", _EFFICIENT, reverse=_accumulated_reverse, stages=_accumulated_stages),
)
