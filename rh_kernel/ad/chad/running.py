"""Programs at a point, with their derivatives: what a system of the laboratory answers."""

from typing import cast

from rh_kernel.ad.chad.accumulation import commands
from rh_kernel.ad.chad.accumulation import running as accumulating
from rh_kernel.ad.chad.accumulation.derivatives import accumulated_derivative
from rh_kernel.ad.chad.accumulation.running import State
from rh_kernel.ad.chad.accumulation.sparse import full
from rh_kernel.ad.chad.combinators.arrows import Entries, arrow
from rh_kernel.ad.chad.combinators.derivatives import combinator_derivative
from rh_kernel.ad.chad.derivatives.forward import forward_derivative
from rh_kernel.ad.chad.derivatives.reverse import reverse_derivative
from rh_kernel.ad.chad.evaluation.evaluation import evaluate
from rh_kernel.ad.chad.evaluation.values import Counters
from rh_kernel.ad.chad.source import Context
from rh_kernel.ad.chad.target.terms import Call, Term, Tuple, Variable
from rh_kernel.ad.chad.target.traversal import count
from rh_kernel.ad.chad.target.types import Mode
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.types import is_ground
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import JvpResult, Point, VjpResult, refuse


def transformed(system: str, program: Program, mode: Mode) -> Term:
    """``D(M)`` in the context of the parameters."""
    gamma = _context(system, program, mode)
    return (forward_derivative if mode is Mode.FORWARD else reverse_derivative)(gamma, program.body).term


def accumulated(system: str, program: Program) -> Term:
    """``D(M)`` with accumulators, in the context of the parameters."""
    return accumulated_derivative(_context(system, program, Mode.REVERSE), program.body).term


def by_combinators(system: str, program: Program, mode: Mode) -> Term:
    """``D(f)`` for the program as an arrow f, called with the tuple of its parameters."""
    gamma = _context(system, program, mode)
    entries = Entries(gamma.types)
    f = arrow(gamma.names, entries, program.body)
    return Call(combinator_derivative(mode, entries, f, gamma.names), Tuple(tuple(Variable(x) for x in gamma.names)))


def _context(system: str, program: Program, mode: Mode) -> Context:
    if not all(is_ground(A) for _, A in program.parameters):
        refuse(system, "a parameter that is a function, or of a sum type")
    if not is_ground(program.result):
        refuse(system, "a result that is a function, or of a sum type")
    return Context.of(mode, program.parameters)


def pull(program: Program, point: Point, cotangent: Value, t: Term) -> VjpResult:
    """``f(V)`` and ``Dᵗf(V; W)``, where t is ``D(M)`` in reverse mode, or equal to it."""
    value, pulled, counters = _run(program, point, cotangent, t)
    return VjpResult(value, cast(Point, pulled), _primal(program, point), counters.operations, count(t), counters.named())


def push(program: Program, point: Point, tangents: Point, t: Term) -> JvpResult:
    """``f(V)`` and ``Df(V; W)``, where t is ``D(M)`` in forward mode, or equal to it."""
    value, pushed, counters = _run(program, point, tangents, t)
    return JvpResult(value, pushed, _primal(program, point), counters.operations, count(t), counters.named())


def _run(program: Program, point: Point, direction: Value, t: Term) -> tuple[Value, Value, Counters]:
    counters = Counters()
    names = (x for x, _ in program.parameters)
    with quietly():
        value, derivative = evaluate(t, dict(zip(names, point, strict=True)), counters)
        return value, derivative(direction), counters


def _primal(program: Program, point: Point) -> int:
    tally = OpCounter()
    run(program, point, tally)
    return tally.operations


def pull_accumulated(program: Program, point: Point, cotangent: Value, t: Term) -> VjpResult:
    """``f(V)`` and ``Dᵗf(V; W)``, where t is the derivative with accumulators."""
    counters, state = Counters(), State()
    names = (x for x, _ in program.parameters)
    with quietly():
        value, backward = evaluate(t, dict(zip(names, point, strict=True)), counters)
        accumulating.run(backward, cotangent, state, counters)
    gradient = tuple(full(A, state.get(x)) for x, A in program.parameters)
    return VjpResult(value, gradient, _primal(program, point), counters.operations, commands.count(t), counters.named())
