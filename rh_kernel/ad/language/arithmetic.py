"""``M + N`` at any type of arrays and products, ``M * N`` at arrays: as operations on numbers, entry by entry."""

from rh_kernel.ad.language.core import Apply, Constant, Let, Map, Map2, Projection, Replicate, Term, Tuple, Variable
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


def combined(symbol: str, A: Type, operands: tuple[Term, ...], names: Names) -> Term:
    """``f(M, …) : A`` for one or two ``M : A``, with f for each number in them."""
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
            each = (
                combined(symbol, B, tuple(Projection(i, Variable(p)) for p, _ in bound), names)
                for i, B in enumerate(factors, start=1)
            )
            result: Term = Tuple(tuple(each))
            for p, M in reversed(bound):
                result = Let(p, M, result)
            return result
        case Sum() | Function():
            raise KernelBug(f"{A} is not made of numbers")
