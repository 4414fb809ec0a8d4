"""The systems ``unary`` and ``direct``: the two transformations of the paper from Source to Target (Fig 1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

from rh_kernel.ad.language import evaluation as common
from rh_kernel.ad.language.core import Program
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
"""The most parameters of the continuations in a printed program; without partial evaluation their number is quadratic."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the two transformations."""

    name: str
    derive: Derive


UNARY = Variant("unary", from_unary.derive)
DIRECT = Variant("direct", direct.derive)


def problem(variant: Variant, program: Program, *, is_unit: bool = True) -> tuple[Source, Problem]:
    """Translate a program to Source and state the problem of its gradient; the cotangent is 1 or a variable."""
    e = source(first_order(program), variant.name)
    if is_unit and e.result == R:
        return e, Problem(variant.derive, e.context, e.body, ONE, e.names)
    w = e.names.fresh("w")
    return e, Problem(variant.derive, e.context, e.body, Var(w), e.names, ((w, e.result),))


def reverse(variant: Variant, program: Program, point: Point, cotangent: Value) -> VjpResult:
    """Evaluate the optimised program of the value and the gradient."""
    e, asked = problem(variant, program, is_unit=cotangent == 1.0)
    found = pulled(asked)
    primal, derivative = common.OpCounter(), OpCounter()
    with quietly():
        common.run(program, point, primal)
        outcome = run(found.body, _environment(asked, program, point, cotangent), derivative)
    value, *cotangents = cast(tuple[Value, ...], outcome)
    types = (A for _, A in program.parameters)
    back = tuple(flat(A, V) for A, V in zip(types, cotangents, strict=True))
    counters = ("moves", derivative.moves), ("nodes of the source", count(e.body))
    return VjpResult(flat(program.result, value), back, primal.operations, derivative.operations, count(found.body), counters)


def _environment(asked: Problem, program: Program, point: Point, cotangent: Value) -> dict[str, Value]:
    values = {x: nested(A, V) for (x, A), V in zip(program.parameters, point, strict=True)}
    return values | {x: nested(program.result, cotangent) for x, _ in asked.outside}


def stages(variant: Variant, program: Program) -> tuple[Stage, ...]:
    """All forms of a program. Each has its own supply of names, so that their numbers are small."""
    e, _ = problem(variant, program)
    forms = [Stage("Source", printing.document(e.body))]
    if variant is UNARY:
        form = unary(e.context, e.body)
        ρ = times(*(A for _, A in e.context))
        forms += [
            Stage("UNF", printing_forms.document(form)),
            Stage("D_ρ(UNF)", printing_forms.reversed_document(reverse_unary(form, ρ))),
        ]
    evaluated = gradient(problem(variant, program)[1], PARTIAL_EVALUATION).body
    _, asked = problem(variant, program)
    optimised = gradient(asked).body
    types = dict((*e.context, *asked.outside))
    costs = cost(e.body, types), cost(optimised, types)
    return (
        *forms,
        Stage("Target", _raw_document(problem(variant, program)[1])),
        Stage("after partial evaluation", printing.document(evaluated)),
        Stage("optimised", printing.document(inlined(optimised))),
        Stage("cost", Text(" → ".join(str(c.parts) for c in costs) + " (moves, +, *, other)")),
    )


def raw(asked: Problem) -> Term:
    """``π2(D_{Γ;Id}(e))(0_Γ, w)``, without partial evaluation"""
    return _raw(asked, asked.derive(asked.context, asked.body, asked.names))


def _moves_of_raw(variant: Variant, program: Program, point: Point, cotangent: Value) -> int:
    """The number of moves of the transformed program without partial evaluation, with its closures."""
    _, asked = problem(variant, program, is_unit=cotangent == 1.0)
    counter = OpCounter()
    with quietly():
        run(raw(asked), _environment(asked, program, point, cotangent), counter)
    return counter.moves


def _raw(asked: Problem, derivation: Derivation) -> Term:
    wanted = tuple(x for x, _ in asked.context)
    return applied(derivation, asked.context, wanted, asked.seed, asked.names)


def _raw_document(asked: Problem) -> Doc:
    derivation = asked.derive(asked.context, asked.body, asked.names)
    n = sum(len(D.transposed.lower) for _, D in flattened(derivation) if D.transposed is not None)
    if n > LONGEST:
        return Text(f"‹its continuations have {n} parameters›")
    return printing.document(_raw(asked, derivation))


def steps(variant: Variant, program: Program, point: Point, cotangent: Value) -> Iterator[Step]:
    """Optimise the gradient, rule by rule, which does not depend on the point."""
    del point
    e, asked = problem(variant, program, is_unit=cotangent == 1.0)
    M = raw(asked)
    yield Step("", printing.document(M))
    for found in trace((*e.context, *asked.outside), M, e.names):
        yield Step(found.rule.value, printing.document(found.term, found.at))


_PAPER = 'Huot and Shaikhha, "Denotationally Correct, Purely Functional, Efficient Reverse-mode Automatic Differentiation"'


def _system(variant: Variant, title: str, where: str) -> System:
    return System(
        variant.name,
        title,
        f"{_PAPER}, {where}",
        reverse=partial(reverse, variant),
        stages=partial(stages, variant),
        steps=partial(steps, variant),
        measures=(("moves without partial evaluation", partial(_moves_of_raw, variant)),),
    )


SYSTEMS = (
    _system(UNARY, "Unary form", "§4"),
    _system(DIRECT, "The direct macro of unary form", "§3"),
)
