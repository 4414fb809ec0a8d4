"""Symbolic execution of ``if B then M else N`` (LANGUAGE §9): both branches run, and one of the results is selected.

``B`` becomes a number that is 1 or 0: ``L < L'`` is ``step(L' − L)``, ``and`` a product, ``or`` a maximum, ``not`` 1 minus it.
So each sample of a batch takes its own branch. The branch that is not taken has no effect: its result is dropped, no cotangent
leaves it (``Builder.gate``), and its checks do not fail (``Builder.guard``). A condition between constants
is decided at once, and its other branch is not compiled.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from rh_kernel.arrays.symbolic.builder import Builder, activity
from rh_kernel.arrays.symbolic.selection import negated, selected
from rh_kernel.arrays.symbolic.tape import Environment
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero, unpack
from rh_kernel.primitives.formulas import ENTRYWISE, OF_ONE_SHAPE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.syntax.conditions import Compare, Condition, Connective, Joined, Negated, Relation, operand_count
from rh_kernel.syntax.core import Bind, Command, Const, If, IfCommand, Let, Primitive, Return, Term, Tuple, Zero
from rh_kernel.syntax.dimensions import dim


class Tasks(Protocol):
    """The stack of what remains to be evaluated or done, the next on top."""

    def append(self, task: "Run | tuple[Term, Environment]", /) -> None:
        """Push a task."""
        ...


@frozen
class Run:
    """Goes on with the values computed before."""

    action: Callable[[], None]


_Numbers: TypeAlias = tuple[Symbolic, ...]
_ONE = (dim(1),)


def known(M: If | IfCommand) -> bool | None:
    """Whether the condition holds, if all of its operands are constants; otherwise ``None``."""
    if not isinstance(M.operands, Tuple):
        return None
    numbers: list[float] = []
    for L in M.operands.items:
        match L:
            case Const(value):
                numbers.append(float(value[0]))
            case Zero():
                numbers.append(0.0)
            case _:
                return None
    return _known(M.condition, numbers)


def _known(condition: Condition, numbers: list[float]) -> bool:
    match condition:
        case Compare(relation, place):
            x, y = numbers[place : place + 2]
            return x < y if relation is Relation.LESS else x > y
        case Negated(of):
            return not _known(of, numbers)
        case Joined(connective, left, right):
            values = _known(left, numbers), _known(right, numbers)
            return all(values) if connective is Connective.AND else any(values)


def condition_number(M: If | IfCommand, V: Symbolic, b: Builder) -> Slot:
    """Return 1 where the condition holds for the values V of its operands, else 0. It depends on no region."""
    return _number(M.condition, _operands(M, V), b)


def check_decided(M: If | IfCommand, V: Symbolic, b: Builder, *, always: bool = False) -> None:
    """In a strict program, emit the check that the condition is true or false, as the derivative of M needs.

    Without ``always``, only if its operands depend on an active region.
    """
    if b.strict and b.region is not None and (always or activity(V) & b.region.bits):
        b.check_smooth(_member("step", 1), (_distance(M.condition, _operands(M, V), b),), M.span, "`if`")


def branch_guard(c: Slot, b: Builder) -> Slot:
    """The guard of the branch that is taken where c is 1."""
    return c if b.guard is None else _applied("mul", (b.guard, c), b)


def gated(rho: Environment, loose: int, condition: Slot, b: Builder) -> Environment:
    """Return the environment for a branch in which the variables whose bit is set in ``loose`` occur."""
    if b.region is None:
        return rho
    cells: list[Environment] = []
    cell: Environment | None = rho
    for _ in range(loose.bit_length()):
        if cell is None:
            raise KernelBug("a variable is not bound")
        cells.append(cell)
        cell = cell[1]
    for i, (V, _, names) in reversed([*enumerate(cells)]):
        is_value = isinstance(V, Slot | SymbolicZero | tuple)
        cell = (b.gate(V, condition) if is_value and loose >> i & 1 else V, cell, names)
    return rho if cell is None else cell


def conditional(M: If, environment: Environment, b: Builder, todo: Tasks, values: list[Symbolic]) -> None:
    """Push the tasks that push the value of M onto ``values``."""
    holds, guard = known(M), b.guard
    if holds is not None:
        todo.append((M.then if holds else M.otherwise, environment))
        return

    def branch(N: Term, c: Slot) -> None:
        b.guard = guard
        b.guard = branch_guard(c, b)
        todo.append((N, gated(environment, N.loose, c, b)))

    def choose() -> None:
        V = values.pop()
        check_decided(M, V, b)
        c = condition_number(M, V, b)

        def join() -> None:
            W, b.guard = values.pop(), guard
            values.append(selected(b, c, values.pop(), W))

        todo.append(Run(join))
        todo.append(Run(lambda: branch(M.otherwise, negated(b, c))))
        branch(M.then, c)

    todo.append(Run(choose))
    todo.append((M.operands, environment))


def as_term(P: Command) -> Term | None:
    """Return the term whose value P returns, if P performs nothing; otherwise ``None``."""
    match P:
        case Return(M):
            return M
        case Bind(Q, scope) if scope.arity == 1:
            M, body = as_term(Q), scope.body
            N = None if M is None or isinstance(body, Term) else as_term(body)
            return None if M is None or N is None else Let(M, type(scope)(scope.hints, N), span=P.span)
        case IfCommand(condition, operands, Q, R):
            M, N = as_term(Q), as_term(R)
            return None if M is None or N is None else If(condition, operands, M, N, span=P.span)
        case _:
            return None


def _operands(M: If | IfCommand, V: Symbolic) -> _Numbers:
    return tuple([_inactive(x) for x in unpack(V, operand_count(M.condition))])


def _inactive(x: Symbolic) -> Symbolic:
    return Slot(x.register, x.shape) if isinstance(x, Slot) else x


def _number(condition: Condition, xs: _Numbers, b: Builder) -> Slot:
    match condition:
        case Compare():
            return _unary("step", _difference(condition, xs, b), b)
        case Negated(of):
            return negated(b, _number(of, xs, b))
        case Joined(connective, left, right):
            parts = _number(left, xs, b), _number(right, xs, b)
            return _applied("mul" if connective is Connective.AND else "maximum", parts, b)


def _distance(condition: Condition, xs: _Numbers, b: Builder) -> Slot:
    """A number that is positive where the condition is true, negative where it is false, and 0 on the boundary."""
    match condition:
        case Compare():
            return _difference(condition, xs, b)
        case Negated(of):
            return _unary("neg", _distance(of, xs, b), b)
        case Joined(connective, left, right):
            parts = _distance(left, xs, b), _distance(right, xs, b)
            return _applied("minimum" if connective is Connective.AND else "maximum", parts, b)


def _difference(comparison: Compare, xs: _Numbers, b: Builder) -> Slot:
    x, y = xs[comparison.place : comparison.place + 2]
    return _applied("sub", (y, x) if comparison.relation is Relation.LESS else (x, y), b)


def _unary(name: str, x: Slot, b: Builder) -> Slot:
    return _slot(b.apply(_member(name, 1), (x,)))


def _applied(name: str, arguments: tuple[Symbolic, Symbolic], b: Builder) -> Slot:
    return _slot(b.apply(_member(name, 2), arguments))


def _member(name: str, arity: int) -> Primitive:
    return instantiate(name, ENTRYWISE if arity == 1 else OF_ONE_SHAPE, (_ONE,))


def _slot(V: Symbolic) -> Slot:
    if isinstance(V, Slot):
        return V
    raise KernelBug("a number was expected")
