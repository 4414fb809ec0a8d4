"""Closure compilation of terms that are evaluated repeatedly: each becomes a Python function of the environment.

The body of a clause is evaluated once per layer, and so are the derivatives of symbols; traversing their trees each time would
cost more than the equations they add. The function does the same as ``terms.evaluate``, in the same order.
"""

from typing import cast

from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.tape import Continuation, Environment, Evaluator
from rh_kernel.arrays.symbolic.values import Symbolic, SymbolicZero, unpack
from rh_kernel.primitives.smoothness import has_row_numbers
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Bound, Call, Const, Let, Plus, Primitive, Proj, Term, Tuple, Zero
from rh_kernel.syntax.types import Product

DEEPEST = 50
"""Nesting that Python's stack certainly allows; deeper terms are left to ``terms.evaluate``."""


def evaluator(M: Term, b: Builder, levels: int = DEEPEST) -> Evaluator | None:
    """Compile M to ``rho ↦ V``; ``None`` if it is too deep, differentiates, or calls a definition."""
    match M:
        case Bound(index):
            return _variable(index)
        case Const(array):
            return lambda _: b.constant(array)
        case Zero(A):
            zero = SymbolicZero(A)
            return lambda _: zero
        case _ if levels == 0:
            return None
        case Call(Primitive() as f, N):
            return _call(f, N, M.span, b, levels - 1)
        case Tuple(items):
            parts = [evaluator(N, b, levels - 1) for N in items]
            return None if None in parts else _tuple(tuple([part for part in parts if part is not None]))
        case Proj(i, n, N):
            of = evaluator(N, b, levels - 1)
            return None if of is None else lambda rho: unpack(of(rho), n)[i - 1]
        case Plus(L, N):
            left, right = evaluator(L, b, levels - 1), evaluator(N, b, levels - 1)
            return None if left is None or right is None else lambda rho: b.add(left(rho), right(rho))
        case Let(N, scope):
            bound, body = evaluator(N, b, levels - 1), evaluator(cast(Term, scope.body), b, levels - 1)
            return None if bound is None or body is None or scope.arity != 1 else _let(bound, body)
        case _:
            return None


def _variable(index: int) -> Evaluator:
    def value(rho: Environment) -> Symbolic:
        cell: Environment | None = rho
        for _ in range(index):
            cell = None if cell is None else cell[1]
        V = None if cell is None else cell[0]
        if V is None or isinstance(V, Continuation):
            raise KernelBug("a variable is bound to no value")
        return V

    return value


def _tuple(parts: tuple[Evaluator, ...]) -> Evaluator:
    match parts:
        case (first, second):
            return lambda rho: (first(rho), second(rho))
        case _:
            return lambda rho: tuple([part(rho) for part in parts])


def _let(bound: Evaluator, body: Evaluator) -> Evaluator:
    return lambda rho: body((bound(rho), rho, rho[2]))


def _call(f: Primitive, N: Term, span: Span | None, b: Builder, levels: int) -> Evaluator | None:
    argument = evaluator(N, b, levels)
    if argument is None:
        return None
    count = len(f.domain.factors) if isinstance(f.domain, Product) else 1
    f, shape = b.known(f)
    numbered = has_row_numbers(f)

    def applied(rho: Environment) -> Symbolic:
        arguments = unpack(argument(rho), count)
        if b.strict or numbered:
            b.check_smooth(f, arguments, span)
        return b.applied(f, arguments, shape)

    return applied
