"""``W.rd(x. M)(V)`` by RH Fig. 6, and ``rev handle (V) ⟨x⟩. f(x) with H`` by RH Fig. 7, both by small-step reduction.

Operations on numbers are counted at the steps ``Ev`` and ``Plus``; ``rd[f]`` counts the operations of its term.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import cast, get_args

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.printing import program as printed
from rh_kernel.ad.language.types import Product
from rh_kernel.ad.language.unrolling import rounds
from rh_kernel.ad.language.values import Value, components, numbers, of_numbers
from rh_kernel.ad.reverse_handlers.nets import net_text, with_loops
from rh_kernel.ad.reverse_handlers.translate import HANDLER, body_text, value_text, without_loops
from rh_kernel.ad.system import Point, Stage, Step, System, VjpResult, refuse
from rh_kernel.operational import trace
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step as Reduction
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
from rh_kernel.syntax.traversal import nodes
from rh_kernel.typing.definitions import BUILT_IN
from rh_kernel.typing.elaboration.declarations import declare
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation

_FUEL = Limits(fuel=200_000)
"""Fig. 6 unfolds a chain of lets into exponentially many copies, so its reduction needs a limit."""
_CHUNK = 1_000
"""The number of steps that are kept at a time."""


def _check_finite(system: str, point: Point, cotangent: Value) -> None:
    """Raise ``Rejected`` if the point or the cotangent cannot be written as text."""
    if not all(map(math.isfinite, (*numbers(point), *numbers(cotangent)))):
        refuse(system, "at points that are not finite", "infinite numbers and NaN cannot be written")


def _derivative_cell(program: Program, point: Point, cotangent: Value) -> str:
    """``W.rd((x, …). M)(V)``"""
    f = without_loops("reverse-derivative", program)
    _check_finite("reverse-derivative", point, cotangent)
    return f"({value_text(cotangent, f.result)}).{_rd(f)}({_point_text(f, point)})"


def _handler_cell(program: Program, point: Point, cotangent: Value) -> str:
    """The declarations of the operations, the net and the handler, and the net run with the handler"""
    f = without_loops("reverse-handler", program)
    _check_finite("reverse-handler", point, cotangent)
    net, handler = net_text(f)
    run_text = f"⟨{_names(f)}⟩. {f.name}({_names(f)}) with {HANDLER}({value_text(cotangent, f.result)})"
    return f"{net}\n{handler}\nrev handle ({_point_text(f, point)}) {run_text}"


def _rd(f: Program) -> str:
    """``rd((x, …). M)``"""
    body = body_text(f).replace("\n", "\n  ")
    return f"rd(({_names(f)}).\n  {body})"


def _names(f: Program) -> str:
    return ", ".join(x for x, _ in f.parameters)


def _point_text(f: Program, point: Point) -> str:
    return value_text(point[0] if len(point) == 1 else point, f.domain)


def _elaborated(text: str) -> ClosedTerm | ClosedCommand:
    """Elaborate the term or command at the end of a cell."""
    definitions = BUILT_IN
    for item in parse(Source("generated", text)):
        if isinstance(item, Unparsed):
            raise KernelBug(f"the generated text cannot be parsed: {item.diagnostics[0].message}")
        if isinstance(item, Evaluation):
            return elaborate_evaluation(definitions, item.expression)
        if isinstance(item, Declaration):
            definitions = definitions.with_(declare(definitions, item), item.name.span)
    raise KernelBug("the generated text has nothing to evaluate")


def _subject(closed: ClosedTerm | ClosedCommand) -> core.Term | core.Command:
    return closed.term if isinstance(closed, ClosedTerm) else closed.command


def _operations(step: Reduction) -> int:
    """The number of operations on numbers in a step"""
    if step.rule is Rule.PLUS:
        return _size(step.contractum)
    redex = step.redex if step.rule is Rule.EV else None
    return _cost(redex.function) if isinstance(redex, core.Call) else 0


def _size(V: core.Term | core.Command) -> int:
    """The number of numbers in a value"""
    if isinstance(V, core.Tuple):
        return sum(map(_size, V.items))
    return to_array(V).size if isinstance(V, core.Const) else 0


@cache
def _cost(f: core.Function) -> int:
    """The number of operations in a call of f: one for a symbol, for ``rd[f]`` those of its term (RH Def. 3.2)"""
    if isinstance(f, core.Primitive):
        return 1
    body = (derivative(f.of) if isinstance(f, core.RdOf) else f.body).body
    return sum(_cost(M.function) if isinstance(M, core.Call) else isinstance(M, core.Plus) for M in nodes(body))


def _vjp(program: Program, cell: str, point: Point) -> VjpResult:
    """Reduce the term or command at the end of the cell, whose value is the gradient."""
    counter = OpCounter()
    value = run(program, point, counter)
    closed = _elaborated(cell)
    steps = operations = 0
    state: trace.State | trace.Result = trace.State(_subject(closed), None, Heap(), 0)
    while isinstance(state, trace.State):
        kept: list[Reduction] = []
        state = trace.proceed(state, _FUEL, _CHUNK, kept)
        steps += len(kept)
        operations += sum(map(_operations, kept))
    A = Product(tuple(B for _, B in program.parameters))
    gradient = components(of_numbers(A, _numbers(materialise(state.value))))
    total = operations + (counter.operations if isinstance(closed, ClosedTerm) else 0)
    size = sum(1 for _ in nodes(_subject(closed)))
    return VjpResult(value, gradient, counter.operations, total, size, (("steps", steps),))


def _numbers(V: core.Term) -> Iterator[float]:
    """All numbers in a value, in order"""
    match V:
        case core.Tuple(items):
            for W in items:
                yield from _numbers(W)
        case _:
            yield from map(float, to_array(V).ravel())


def _steps(cell: str) -> Iterator[Step]:
    """Yield the steps of the term or command at the end of the cell, with the contractum marked."""
    subject = _subject(_elaborated(cell))
    for i, step in enumerate(trace.steps(subject, Heap(), _FUEL)):
        if i == 0:
            yield Step("", _document(step.before))
        yield Step(step.rule.value, _document(step.after, {step.path: Mark("contractum")}))


def _document(subject: core.Term | core.Command, marks: Mapping[Path, Mark] | None = None) -> Doc:
    if isinstance(subject, get_args(core.Command)):
        return command_doc(cast(core.Command, subject), marks=marks or {})
    return term_doc(cast(core.Term, subject), marks=marks or {})


def _text(text: str) -> Doc:
    return join(HARD, [Text(line) for line in text.split("\n")])


def _derivative_stages(program: Program) -> tuple[Stage, ...]:
    f = without_loops("reverse-derivative", program)
    return (
        Stage("the program", printed(program)),
        Stage("on tuples", printed(f)),
        Stage("its reverse derivative for a cotangent w, reduced by RH Fig. 6", _text(f"w.{_rd(f)}(({_names(f)}))")),
    )


def _handler_stages(program: Program) -> tuple[Stage, ...]:
    net, handler = net_text(with_loops("reverse-handler", program))
    shown = [
        Stage("the program", printed(program)),
        Stage("as a net: each primitive is an operation, each loop a scan", _text(net)),
        Stage("the reverse handler: forward and backward part of each operation", _text(handler)),
    ]
    if rounds(program):
        unrolled, _ = net_text(without_loops("reverse-handler", program))
        shown.append(Stage("the net unrolled, as it is reduced: a scan takes many more steps", _text(unrolled)))
    return tuple(shown)


def _system(
    name: str,
    title: str,
    figure: str,
    cell: Callable[[Program, Point, Value], str],
    stages: Callable[[Program], tuple[Stage, ...]],
) -> System:
    return System(
        name,
        title,
        f"Programming Backpropagation with Reverse Handlers for Arrows, {figure}",
        reverse=lambda program, point, cotangent: _vjp(program, cell(program, point, cotangent), point),
        stages=stages,
        steps=lambda program, point, cotangent: _steps(cell(program, point, cotangent)),
        unrolls=True,
    )


SYSTEMS = (
    _system(
        "reverse-derivative",
        "Reverse derivative",
        "Fig. 6",
        _derivative_cell,
        _derivative_stages,
    ),
    _system("reverse-handler", "Reverse handler", "Fig. 7", _handler_cell, _handler_stages),
)
