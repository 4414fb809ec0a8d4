"""Derivatives of programs, and their execution at a point."""

from rh_kernel.ad.chad.accumulation import commands
from rh_kernel.ad.chad.accumulation.derivatives import accumulated_derivative
from rh_kernel.ad.chad.accumulation.evaluation import State, backpropagate
from rh_kernel.ad.chad.accumulation.sparse import full
from rh_kernel.ad.chad.combinators.arrows import Entries, arrow
from rh_kernel.ad.chad.combinators.derivatives import combinator_derivative
from rh_kernel.ad.chad.context import Context
from rh_kernel.ad.chad.derivatives.forward import forward_derivative
from rh_kernel.ad.chad.derivatives.reverse import reverse_derivative
from rh_kernel.ad.chad.evaluation import evaluate
from rh_kernel.ad.chad.target.terms import Call, Term, Tuple, Variable
from rh_kernel.ad.chad.target.traversal import count
from rh_kernel.ad.chad.target.types import Mode
from rh_kernel.ad.chad.values import Counters, TargetValue
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.types import is_ground
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import JvpResult, Point, VjpResult, refuse


def derivative(system: str, program: Program, mode: Mode) -> Term:
    """Return ``D(M)`` in the context of the parameters. Raises ``Rejected``."""
    gamma = _context(system, program, mode)
    return (forward_derivative if mode is Mode.FORWARD else reverse_derivative)(gamma, program.body).term


def derivative_with_accumulators(system: str, program: Program) -> Term:
    """Return ``D(M)`` with accumulators, in the context of the parameters. Raises ``Rejected``."""
    return accumulated_derivative(_context(system, program, Mode.REVERSE), program.body).term


def derivative_by_combinators(system: str, program: Program, mode: Mode) -> Term:
    """Return ``D(f)`` of the program as an arrow f, applied to the tuple of the parameters. Raises ``Rejected``."""
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


def vjp(program: Program, point: Point, cotangent: Value, t: Term) -> VjpResult:
    """Return ``f(V)`` and ``Dᵗf(V; W)``, where t is ``D(M)`` in reverse mode or equal to it."""
    counters = Counters()
    with quietly():
        value, linear = _evaluate(program, point, t, counters)
        gradient: Point = linear(cotangent)
    return VjpResult(value, gradient, _primal(program, point), counters.operations, count(t), counters.named())


def jvp(program: Program, point: Point, tangents: Point, t: Term) -> JvpResult:
    """Return ``f(V)`` and ``Df(V; W)``, where t is ``D(M)`` in forward mode or equal to it."""
    counters = Counters()
    with quietly():
        value, linear = _evaluate(program, point, t, counters)
        tangent: Value = linear(tangents)
    return JvpResult(value, tangent, _primal(program, point), counters.operations, count(t), counters.named())


def vjp_with_accumulators(program: Program, point: Point, cotangent: Value, t: Term) -> VjpResult:
    """Return ``f(V)`` and ``Dᵗf(V; W)``, where t is the derivative with accumulators."""
    counters, state = Counters(), State()
    with quietly():
        value, backward = _evaluate(program, point, t, counters)
        backpropagate(backward, cotangent, state, counters)
    gradient = tuple(full(A, state.get(x)) for x, A in program.parameters)
    return VjpResult(value, gradient, _primal(program, point), counters.operations, commands.count(t), counters.named())


def _evaluate(program: Program, point: Point, t: Term, counters: Counters) -> tuple[Value, TargetValue]:
    """The value of f, and its linear function or backpropagator"""
    names = (x for x, _ in program.parameters)
    return evaluate(t, dict(zip(names, point, strict=True)), counters)


def _primal(program: Program, point: Point) -> int:
    """The number of operations of f alone"""
    counter = OpCounter()
    run(program, point, counter)
    return counter.operations
