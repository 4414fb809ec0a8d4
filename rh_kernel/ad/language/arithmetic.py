"""``M + N`` at types of arrays and products, ``M * N`` at arrays, expanded to operations on numbers."""

from rh_kernel.ad.language.core import Apply, Constant, Map, Map2, Projection, Replicate, Term, Tuple, Variable, lets
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import Function, Product, Real, Sum, Type
from rh_kernel.source.diagnostic import KernelBug


def zero(A: Type) -> Term:
    """The zero of a type of arrays and products."""
    match A:
        case Real(1):
            return Constant(0.0)
        case Real(n):
            return Replicate(n, Constant(0.0))
        case Product(factors):
            return Tuple(tuple(map(zero, factors)))
        case Sum() | Function():
            raise KernelBug(f"{A} has no zero")


def pointwise(symbol: str, A: Type, operands: tuple[Term, ...], names: Names) -> Term:
    """Apply a function symbol to one or two operands of type A, entry by entry and component by component."""
    match A:
        case Real(1):
            return Apply(symbol, operands)
        case Real() if len(operands) == 1:
            x = names.fresh("x")
            return Map(x, Apply(symbol, (Variable(x),)), operands[0])
        case Real():
            x, y = names.fresh("x"), names.fresh("y")
            return Map2(x, y, Apply(symbol, (Variable(x), Variable(y))), *operands)
        case Product(factors):
            bound = [(names.fresh("p"), M) for M in operands]
            each = [
                pointwise(symbol, B, tuple(Projection(i, Variable(p)) for p, _ in bound), names)
                for i, B in enumerate(factors, start=1)
            ]
            return lets(bound, Tuple(tuple(each)))
        case Sum() | Function():
            raise KernelBug(f"{A} is not made of numbers")
