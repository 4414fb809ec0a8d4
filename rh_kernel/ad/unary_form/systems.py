"""``unary`` and ``direct``: the two ways of the paper from Source to a gradient without functions (Fig 1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

from rh_kernel.ad.language import evaluation as common
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import run as run_common
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import Point, Stage, Step, System, VjpResult
from rh_kernel.ad.unary_form.costs import cost
from rh_kernel.ad.unary_form.direct import direct
from rh_kernel.ad.unary_form.direct.expansion import applied
from rh_kernel.ad.unary_form.optimisation.gradients import Problem, gradient, inlined, pulled
from rh_kernel.ad.unary_form.optimisation.residual import flattened
from rh_kernel.ad.unary_form.optimisation.rewriting import trace
from rh_kernel.ad.unary_form.optimisation.rules import PARTIAL_EVALUATION
from rh_kernel.ad.unary_form.terms import printing
from rh_kernel.ad.unary_form.terms.binding import count
from rh_kernel.ad.unary_form.terms.evaluation import OpCounter, run
from rh_kernel.ad.unary_form.terms.terms import ONE, Derivation, Derive, Term, Var
from rh_kernel.ad.unary_form.terms.types import R, times
from rh_kernel.ad.unary_form.translation.from_core import Source, flat, nested, source
from rh_kernel.ad.unary_form.translation.higher_order import first_order
from rh_kernel.ad.unary_form.unary import from_unary
from rh_kernel.ad.unary_form.unary import printing as printing_forms
from rh_kernel.ad.unary_form.unary.reverse import reverse as reverse_unary
from rh_kernel.ad.unary_form.unary.to_unary import unary
from rh_kernel.syntax.printing.doc import Doc, Text

LONGEST = 20_000
"""A transformed program of more parameters than that is not shown before partial evaluation: their number is quadratic."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way from Source to Target."""

    name: str
    derive: Derive


UNARY = Way("unary", from_unary.derive)
DIRECT = Way("direct", direct.derive)


def problem(way: Way, program: Program, *, is_unit: bool = True) -> tuple[Source, Problem]:
    """The program as a term of Source, and its gradient as what is to be found; the cotangent is 1 or a variable."""
    e = source(first_order(program), way.name)
    if is_unit and e.result == R:
        return e, Problem(way.derive, e.context, e.body, ONE, e.names)
    w = e.names.fresh("w")
    return e, Problem(way.derive, e.context, e.body, Var(w), e.names, ((w, e.result),))


def reverse(way: Way, program: Program, point: Point, cotangent: Value) -> VjpResult:
    """Value and gradient, by the optimised program."""
    e, asked = problem(way, program, is_unit=cotangent == 1.0)
    found = pulled(asked)
    values = {x: nested(A, V) for (x, A), V in zip(program.parameters, point, strict=True)}
    values.update((x, nested(program.result, cotangent)) for x, _ in asked.outside)
    tally, meter = common.OpCounter(), OpCounter()
    with quietly():
        run_common(program, point, tally)
        value, *cotangents = cast(tuple[Value, ...], run(found.body, values, meter))
    types = (A for _, A in program.parameters)
    back = tuple(flat(A, V) for A, V in zip(types, cotangents, strict=True))
    counters = ("moves", meter.moves), ("nodes of the source", count(e.body))
    return VjpResult(flat(program.result, value), back, tally.operations, meter.operations, count(found.body), counters)


def stages(way: Way, program: Program) -> tuple[Stage, ...]:
    """Every form on the way. Each is made with names of its own, so that none has more primes than it needs."""
    e, _ = problem(way, program)
    forms = [Stage("Source", printing.document(e.body))]
    if way is UNARY:
        form = unary(e.context, e.body)
        ρ = times(*(A for _, A in e.context))
        forms += [
            Stage("UNF", printing_forms.document(form)),
            Stage("D_ρ(UNF)", printing_forms.reversed_document(reverse_unary(form, ρ))),
        ]
    evaluated = gradient(problem(way, program)[1], PARTIAL_EVALUATION).body
    _, asked = problem(way, program)
    optimised = gradient(asked).body
    types = dict((*e.context, *asked.outside))
    costs = cost(e.body, types), cost(optimised, types)
    return (
        *forms,
        Stage("Target", _raw_document(problem(way, program)[1])),
        Stage("after partial evaluation", printing.document(evaluated)),
        Stage("optimised", printing.document(inlined(optimised))),
        Stage("cost", Text(" → ".join(str(c.parts) for c in costs) + " (moves, +, *, other)")),
    )


def raw(asked: Problem) -> Term:
    """``π2(D_{Γ;Id}(e))(0_Γ, w)``, before anything is evaluated"""
    return _raw(asked, asked.derive(asked.context, asked.body, asked.names))


def _moves_of_raw(way: Way, program: Program, point: Point, cotangent: Value) -> int:
    """How many moves the transformed program makes if it is run as it is, with its closures."""
    _, asked = problem(way, program, is_unit=cotangent == 1.0)
    values = {x: nested(A, V) for (x, A), V in zip(program.parameters, point, strict=True)}
    values.update((x, nested(program.result, cotangent)) for x, _ in asked.outside)
    meter = OpCounter()
    with quietly():
        run(raw(asked), values, meter)
    return meter.moves


def _raw(asked: Problem, derivation: Derivation) -> Term:
    wanted = tuple(x for x, _ in asked.context)
    return applied(derivation, asked.context, wanted, asked.seed, asked.names)


def _raw_document(asked: Problem) -> Doc:
    derivation = asked.derive(asked.context, asked.body, asked.names)
    n = sum(len(D.transposed.lower) for _, D in flattened(derivation) if D.transposed is not None)
    if n > LONGEST:
        return Text(f"‹its continuations have {n} parameters›")
    return printing.document(_raw(asked, derivation))


def steps(way: Way, program: Program, point: Point, cotangent: Value) -> Iterator[Step]:
    """The optimisation of the gradient, rule by rule; the point is not needed for it."""
    del point
    e, asked = problem(way, program, is_unit=cotangent == 1.0)
    M = raw(asked)
    yield Step("", printing.document(M))
    for found in trace((*e.context, *asked.outside), M, e.names):
        yield Step(found.rule.value, printing.document(found.term, found.at))


_PAPER = 'Huot and Shaikhha, "Denotationally Correct, Purely Functional, Efficient Reverse-mode Automatic Differentiation"'


def _system(way: Way, title: str, where: str) -> System:
    return System(
        way.name,
        title,
        f"{_PAPER}, {where}",
        reverse=partial(reverse, way),
        stages=partial(stages, way),
        steps=partial(steps, way),
        measures=(("moves without partial evaluation", partial(_moves_of_raw, way)),),
    )


SYSTEMS = (
    _system(UNARY, "Unary form", "§4"),
    _system(DIRECT, "The direct macro of unary form", "§3"),
)
