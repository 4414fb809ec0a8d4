"""Forward mode by dual numbers: every number of a program is a pair of its value and its tangent.

``f(a + a'ε) = f(a) + ∂f(a)·a'ε``, for each function symbol f; the rest of the program is evaluated as it is. Programs without
arrays, functions as values and sums.
"""

from typing import TypeAlias, cast

from rh_kernel.ad.language.binding import count
from rh_kernel.ad.language.core import Apply, Constant, If, Let, Program, Projection, Term, Tuple, Variable
from rh_kernel.ad.language.evaluation import OpCounter, evaluate, run
from rh_kernel.ad.language.scalars import apply, partial, quietly
from rh_kernel.ad.language.types import Product, Real, Type
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import JvpResult, Point, System, refuse

NAME = "dual-numbers"

Pair: TypeAlias = "tuple[float, float] | list[Pair]"
"""A number with its tangent, or the components of a tuple."""


def forward(program: Program, point: Point, tangent: Point) -> JvpResult:
    """``f(V)`` and its derivative along the tangent. Raises ``Rejected`` for what is outside of the fragment."""
    primal, derivative = OpCounter(), OpCounter()
    value = run(program, point, primal)
    parameters = zip(program.parameters, point, tangent, strict=True)
    with quietly():
        environment = {name: _paired(A, V, dV) for (name, A), V, dV in parameters}
        result = _dual(program.body, environment, derivative)
    return JvpResult(value, _tangent(result), primal.operations, derivative.operations, count(program.body))


def _paired(A: Type, V: Value, dV: Value) -> Pair:
    match A:
        case Real(1):
            return cast(float, V), cast(float, dV)
        case Product(factors):
            parts = zip(factors, cast(tuple[Value, ...], V), cast(tuple[Value, ...], dV), strict=True)
            return [_paired(B, W, dW) for B, W, dW in parts]
        case _:
            return refuse(NAME, f"arguments of the type {A}")


def _tangent(pair: Pair) -> Value:
    return pair[1] if isinstance(pair, tuple) else tuple(map(_tangent, pair))


def _dual(M: Term, environment: dict[str, Pair], tally: OpCounter) -> Pair:
    match M:
        case Constant(c):
            return c, 0.0
        case Variable(x):
            return environment[x]
        case Let(x, N, body):
            return _dual(body, {**environment, x: _dual(N, environment, tally)}, tally)
        case Tuple(parts):
            return [_dual(N, environment, tally) for N in parts]
        case Projection(index, N):
            return cast(list[Pair], _dual(N, environment, tally))[index - 1]
        case If(smaller, larger, then, otherwise):
            a, b = (cast(tuple[float, float], _dual(N, environment, tally)) for N in (smaller, larger))
            return _dual(then if a[0] <= b[0] else otherwise, environment, tally)
        case Apply(symbol, arguments):
            pairs = [cast(tuple[float, float], _dual(N, environment, tally)) for N in arguments]
            point = tuple([Constant(a) for a, _ in pairs])
            slopes = [cast(float, evaluate(partial(symbol, i, point), {}, tally)) for i in range(1, len(pairs) + 1)]
            tally.operations += 2 * len(pairs)
            tangent = sum((slope * da for slope, (_, da) in zip(slopes, pairs, strict=True)), 0.0)
            return apply(symbol, *[a for a, _ in pairs]), tangent
        case _:
            return refuse(NAME, f"`{type(M).__name__.lower()}`")


DUAL_NUMBERS = System(NAME, "Dual numbers", "W. K. Clifford, 1873", forward=forward)
