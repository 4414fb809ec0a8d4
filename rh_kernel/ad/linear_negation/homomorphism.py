"""The common part of ``D`` and ``F``: homomorphisms except at numerals, sums and function symbols (Tab. 3, §2.3)."""

from abc import ABC, abstractmethod

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import mapped
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.source.diagnostic import Rejected


def with_numbers(A: c.Type, number: c.Type) -> c.Type:
    """A with the type ``number`` in the place of ``R``. Raises ``Rejected`` for a linear negation."""
    match A:
        case c.Ground():
            return number
        case c.Unit():
            return A
        case c.Times(B, C):
            return c.Times(with_numbers(B, number), with_numbers(C, number))
        case c.Arrow(B, C):
            return c.Arrow(with_numbers(B, number), with_numbers(C, number))
        case c.Negation():
            raise _on_own_results("linear negation")


def _on_own_results(construct: str) -> Rejected:
    return outside(f"{construct}: the transformation is not defined on its own results")


class Homomorphism(ABC):
    """A transformation of terms that maps ``R`` to a product, the type ``number``, of a value and a derivative."""

    def __init__(self, supply: NameSupply, number: c.Times) -> None:
        self.supply, self.number = supply, number

    @abstractmethod
    def numeral(self, t: c.Num) -> c.Term:
        """The image of ``r``."""

    @abstractmethod
    def sum(self, left: c.Term, right: c.Term) -> c.Term:
        """The image of ``t + u``."""

    @abstractmethod
    def function(self, f: c.Symbol, arguments: tuple[c.Term, ...]) -> c.Term:
        """The image of ``f(t1, …, tk)``."""

    @abstractmethod
    def pair(self, wanted: str) -> tuple[str, str]:
        """Fresh names for the value and the derivative of a number."""

    def of(self, t: c.Term) -> c.Term:
        """The image of t."""
        match t:
            case c.Var() | c.Nil():
                return t
            case c.App() | c.Pair():
                return mapped(t, self.of)
            case c.Lam(x, A, body):
                return c.Lam(x, with_numbers(A, self.number), self.of(body))
            case c.Fix(x, A, body):
                return c.Fix(x, with_numbers(A, self.number), self.of(body))
            case c.Block(stack, body):
                return c.block(tuple(map(self.binding, stack)), self.of(body))
            case c.If(smaller, larger, then, otherwise):
                first, x, _ = self.opened(smaller)
                second, y, _ = self.opened(larger)
                return c.block((second, first), c.If(x, y, self.of(then), self.of(otherwise)))
            case c.Num():
                return self.numeral(t)
            case c.Plus(left, right):
                return self.sum(left, right)
            case c.Fun(f, arguments):
                return self.function(f, arguments)
            case c.LinearLambda():
                raise _on_own_results("linear abstractions")

    def binding(self, b: c.Binding) -> c.Binding:
        """The image of ``[x := u]`` or ``[⟨x, y⟩ := u]``."""
        match b:
            case c.Bang(x, A, u):
                return c.Bang(x, with_numbers(A, self.number), self.of(u))
            case c.Open(x, A, y, B, u):
                return c.Open(x, with_numbers(A, self.number), y, with_numbers(B, self.number), self.of(u))
            case c.Dual():
                raise _on_own_results("linear substitutions")

    def opened(self, t: c.Term) -> tuple[c.Open, c.Var, c.Var]:
        """A substitution for the value and the derivative of a number t, and its two variables."""
        x, derivative = self.pair(t.name if isinstance(t, c.Var) else "z")
        return c.Open(x, c.R, derivative, self.number.right, self.of(t)), c.Var(x), c.Var(derivative)
