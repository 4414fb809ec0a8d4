"""``W.rd(x. M)(V)`` by RH Fig. 6, and ``rev handle (V) ⟨x⟩. f(x) with H`` by RH Fig. 7, both by the stepper's rules.

Operations on numbers are counted where the stepper does them: at ``Ev`` and ``Plus``; for ``rd[f]`` those of its term are.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import cast, get_args

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.printing import program as printed
from rh_kernel.ad.language.types import Product
from rh_kernel.ad.language.values import Value, components, numbers, of_numbers
from rh_kernel.ad.reverse_handlers.translate import HANDLER, body_text, first_order, net_text, value_text
from rh_kernel.ad.system import Point, Stage, Step, System, VjpResult, refuse
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step as Reduction
from rh_kernel.operational.trace import Result, State, proceed
from rh_kernel.paper import Rule
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.values import materialise, to_array
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Source
from rh_kernel.syntax import core
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.printing.doc import HARD, Doc, Mark, Text, join
from rh_kernel.syntax.printing.printer import Path, command_doc, term_doc
from rh_kernel.syntax.surface_items import Declaration, Evaluation
from rh_kernel.typing.definitions import BUILT_IN
from rh_kernel.typing.elaboration.declarations import declare
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation

_FUEL = Limits(fuel=200_000)
"""Fig. 6 unfolds a chain of lets into exponentially many copies: it is stopped there."""
_AT_ONCE = 1_000


def _term_text(f: Program, point: Point, cotangent: Value) -> str:
    """``W.rd((x, …). M)(V)``"""
    names = ", ".join(x for x, _ in f.parameters)
    where = value_text(point[0] if len(point) == 1 else point)
    return f"({value_text(cotangent)}).rd(({names}).\n  {_indented(body_text(f))})({where})"


def _net_cell(f: Program, point: Point, cotangent: Value) -> str:
    """The operations, the net, the handler, and the net run with the handler."""
    net, handler = net_text(f)
    names = ", ".join(x for x, _ in f.parameters)
    where = value_text(point[0] if len(point) == 1 else point)
    return f"{net}\n{handler}\nrev handle ({where}) ⟨{names}⟩. {f.name}({names}) with {HANDLER}({value_text(cotangent)})"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _elaborated(text: str) -> ClosedTerm | ClosedCommand:
    """The term or command at the end of a cell of the paper's language."""
    definitions = BUILT_IN
    for item in parse(Source("laboratory", text)):
        if isinstance(item, Unparsed):
            raise KernelBug(f"the laboratory wrote what cannot be read: {item.diagnostics[0].message}")
        if isinstance(item, Evaluation):
            return elaborate_evaluation(definitions, item.expression)
        if isinstance(item, Declaration):
            definitions = definitions.with_(declare(definitions, item), item.name.span)
    raise KernelBug("the laboratory wrote nothing to evaluate")


def _reductions(subject: ClosedTerm | ClosedCommand) -> Iterator[Reduction | Result]:
    """Each step, and what they end in. Raises ``Stuck``."""
    start = subject.term if isinstance(subject, ClosedTerm) else subject.command
    state: State | Result = State(start, None, Heap(), 0)
    while isinstance(state, State):
        kept: list[Reduction] = []
        state = proceed(state, _FUEL, _AT_ONCE, kept)
        yield from kept
    yield state


def _operations(step: Reduction) -> int:
    """How many operations on numbers a step does."""
    if step.rule is Rule.PLUS:
        return _size(step.contractum)
    redex = step.redex if step.rule is Rule.EV else None
    return _cost(redex.function) if isinstance(redex, core.Call) else 0


def _size(V: core.Term | core.Command) -> int:
    """How many numbers a value has."""
    if isinstance(V, core.Tuple):
        return sum(map(_size, V.items))
    return to_array(V).size if isinstance(V, core.Const) else 0


@cache
def _cost(f: core.Function) -> int:
    """Operations of one application: of a symbol one, of ``rd[f]`` those of the term that it is (RH Def. 3.2)."""
    if isinstance(f, core.Primitive):
        return 1
    pending: list[core.Term | core.Command] = [derivative(f.of).body] if isinstance(f, core.RdOf) else [f.body.body]
    total = 0
    while pending:
        match pending.pop():
            case core.Call(g, N):
                total += _cost(g)
                pending.append(N)
            case core.Plus(N, L):
                total += 1
                pending += [N, L]
            case core.Tuple(many):
                pending += many
            case core.Proj(_, _, N):
                pending.append(N)
            case core.Let(N, scope):
                pending += [N, scope.body]
            case _:
                pass
    return total


def _pulled(program: Program, text: str, point: Point) -> VjpResult:
    tally = OpCounter()
    value = run(program, point, tally)
    subject = _elaborated(text)
    steps = operations = 0
    found: core.Term | None = None
    for step in _reductions(subject):
        if isinstance(step, Result):
            found = step.value
        else:
            steps += 1
            operations += _operations(step)
    if found is None:
        raise KernelBug("a reduction came to no end")
    A = Product(tuple(B for _, B in program.parameters))
    gradient = components(of_numbers(A, _numbers(materialise(found))))
    counted = operations + (tally.operations if isinstance(subject, ClosedTerm) else 0)
    return VjpResult(value, gradient, tally.operations, counted, _nodes(subject), (("steps", steps),))


def _numbers(V: core.Term) -> Iterator[float]:
    """All numbers in a value, in order."""
    match V:
        case core.Tuple(items):
            for W in items:
                yield from _numbers(W)
        case _:
            yield from map(float, to_array(V).ravel())


def _nodes(subject: ClosedTerm | ClosedCommand) -> int:
    """How many nodes a term or a command has, the handlers in it included."""
    pending: list[object] = [subject.term if isinstance(subject, ClosedTerm) else subject.command]
    total = 0
    while pending:
        found = pending.pop()
        if isinstance(found, tuple):
            pending += cast(tuple[object, ...], found)
        elif isinstance(found, core.Node):
            total += 1
            pending += [getattr(found, field.name) for field in fields(found)]
    return total


def _at(system: str, program: Program, point: Point, cotangent: Value) -> Program:
    """The program on tuples, if it and the point can be written. Raises ``Rejected``."""
    f = first_order(system, program)
    if not all(map(math.isfinite, (*numbers(point), *numbers(cotangent)))):
        refuse(system, "at points that are not finite", "what is infinite, or no number, cannot be written")
    return f


def _by_derivative(program: Program, point: Point, cotangent: Value) -> VjpResult:
    f = _at("reverse-derivative", program, point, cotangent)
    return _pulled(program, _term_text(f, point, cotangent), point)


def _by_handler(program: Program, point: Point, cotangent: Value) -> VjpResult:
    f = _at("reverse-handler", program, point, cotangent)
    return _pulled(program, _net_cell(f, point, cotangent), point)


def _steps(text: str) -> Iterator[Step]:
    """The steps as they are shown: what each rule gives, with the contractum marked."""
    subject = _elaborated(text)
    first = True
    for step in _reductions(subject):
        if isinstance(step, Result):
            return
        if first:
            yield Step("", _written(step.before))
            first = False
        mark = {step.path: Mark("contractum")}
        yield Step(step.rule.value, _written(step.after, mark))


def _written(subject: core.Term | core.Command, marks: Mapping[Path, Mark] | None = None) -> Doc:
    if isinstance(subject, get_args(core.Command)):
        return command_doc(cast(core.Command, subject), marks=marks or {})
    return term_doc(cast(core.Term, subject), marks=marks or {})


def _steps_of_derivative(program: Program, point: Point, cotangent: Value) -> Iterator[Step]:
    f = _at("reverse-derivative", program, point, cotangent)
    return _steps(_term_text(f, point, cotangent))


def _steps_of_handler(program: Program, point: Point, cotangent: Value) -> Iterator[Step]:
    f = _at("reverse-handler", program, point, cotangent)
    return _steps(_net_cell(f, point, cotangent))


def _text(text: str) -> Doc:
    return join(HARD, [Text(line) for line in text.split("\n")])


def _forms_of_derivative(program: Program) -> tuple[Stage, ...]:
    f = first_order("reverse-derivative", program)
    names = ", ".join(x for x, _ in f.parameters)
    derivative_text = f"w.rd(({names}).\n  {_indented(body_text(f))})(({names}))"
    return (
        Stage("the program", printed(program)),
        Stage("on tuples", printed(f)),
        Stage("its reverse derivative for a cotangent w, reduced by RH Fig. 6", _text(derivative_text)),
    )


def _forms_of_handler(program: Program) -> tuple[Stage, ...]:
    f = first_order("reverse-handler", program)
    net, handler = net_text(f)
    return (
        Stage("the program", printed(program)),
        Stage("as a net: each primitive is an operation", _text(net)),
        Stage("the reverse handler: forward and backward part of each operation", _text(handler)),
    )


SYSTEMS = (
    System(
        "reverse-derivative",
        "Reverse derivative",
        "Programming Backpropagation with Reverse Handlers for Arrows, Fig. 6",
        reverse=_by_derivative,
        stages=_forms_of_derivative,
        steps=_steps_of_derivative,
    ),
    System(
        "reverse-handler",
        "Reverse handler",
        "Programming Backpropagation with Reverse Handlers for Arrows, Fig. 7",
        reverse=_by_handler,
        stages=_forms_of_handler,
        steps=_steps_of_handler,
    ),
)
