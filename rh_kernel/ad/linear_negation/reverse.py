"""``D_d``, the reverse transformation (Tab. 3): ``Γ ⊢ t : A`` gives ``D(Γ) ⊢ D(t) : D(A)``, for a t without linear negation.

It is homomorphic but at numerals, sums and function symbols. d is the length of the zeros that numerals pass back, and
otherwise plays no role.
"""

from enum import Enum

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.symbols import arity, partial


class Clause(Enum):
    """The clauses of the table, and two of the extensions."""

    VAR = "x"
    LAM = "λx. t"
    APP = "t u"
    PAIR = "⟨t, u⟩"
    LET = "t[x := u]"
    LET_PAIR = "t[⟨x, y⟩ := u]"
    NUM = "r"
    SUM = "t + u"
    FN = "f(t)"
    IF = "if"
    FIX = "fix"


def reversed_type(A: c.Type, d: int = 1) -> c.Type:
    """``D(A)``: a number is paired with its backpropagator."""
    match A:
        case c.Ground():
            return c.Times(c.R, c.Negation(d))
        case c.Unit():
            return A
        case c.Times(B, C):
            return c.Times(reversed_type(B, d), reversed_type(C, d))
        case c.Arrow(B, C):
            return c.Arrow(reversed_type(B, d), reversed_type(C, d))
        case c.Negation():
            raise outside("linear negation: D is not defined on its own results")


def transform(t: c.Term, supply: NameSupply | None = None, d: int = 1, fired: set[Clause] | None = None) -> c.Term:
    """``D_d(t)``; ``fired`` collects the clauses that were used."""
    return Transformation(supply or NameSupply(names(t)), d, set() if fired is None else fired).of(t)


class Transformation:
    """``D_d`` with a supply of names."""

    __slots__ = ("d", "fired", "supply")

    def __init__(self, supply: NameSupply, d: int, fired: set[Clause]) -> None:
        self.supply, self.d, self.fired = supply, d, fired

    def of(self, t: c.Term) -> c.Term:
        """``D_d(t)``"""
        match t:
            case c.Var():
                self.fired.add(Clause.VAR)
                return t
            case c.Nil():
                return t
            case c.Lam(x, A, body):
                self.fired.add(Clause.LAM)
                return c.Lam(x, reversed_type(A, self.d), self.of(body))
            case c.App(function, argument):
                self.fired.add(Clause.APP)
                return c.App(self.of(function), self.of(argument))
            case c.Pair(left, right):
                self.fired.add(Clause.PAIR)
                return c.Pair(self.of(left), self.of(right))
            case c.Block(stack, body):
                return c.block(tuple(map(self.binding, stack)), self.of(body))
            case c.Num():
                self.fired.add(Clause.NUM)
                return c.Pair(t, c.LinearLambda(self.supply.fresh("a"), c.zeros(self.d)))
            case c.Plus(left, right):
                self.fired.add(Clause.SUM)
                return self.sum(left, right)
            case c.Fun(symbol, arguments):
                self.fired.add(Clause.FN)
                return self.function(symbol, arguments)
            case c.If(smaller, larger, then, otherwise):
                self.fired.add(Clause.IF)
                first, x, _ = self.opened(smaller)
                second, y, _ = self.opened(larger)
                return c.block((second, first), c.If(x, y, self.of(then), self.of(otherwise)))
            case c.Fix(x, A, body):
                self.fired.add(Clause.FIX)
                return c.Fix(x, reversed_type(A, self.d), self.of(body))
            case c.LinearLambda():
                raise outside("linear abstractions: D is not defined on its own results")

    def binding(self, b: c.Binding) -> c.Binding:
        """``[x := D(u)]``, ``[⟨x, y⟩ := D(u)]``"""
        match b:
            case c.Bang(x, A, u):
                self.fired.add(Clause.LET)
                return c.Bang(x, reversed_type(A, self.d), self.of(u))
            case c.Open(x, A, y, B, u):
                self.fired.add(Clause.LET_PAIR)
                return c.Open(x, reversed_type(A, self.d), y, reversed_type(B, self.d), self.of(u))
            case c.Dual():
                raise outside("linear substitutions: D is not defined on its own results")

    def sum(self, left: c.Term, right: c.Term) -> c.Term:
        """``⟨x + y, λ°a. (x′a + y′a)⟩[⟨x, x′⟩ := D(t)][⟨y, y′⟩ := D(u)]``"""
        first, x, x_prime = self.opened(left)
        second, y, y_prime = self.opened(right)
        a = self.supply.fresh("a")
        back = c.LinearLambda(a, c.Plus(c.App(x_prime, c.Var(a)), c.App(y_prime, c.Var(a))))
        return c.block((second, first), c.Pair(c.Plus(x, y), back))

    def function(self, f: str | object, arguments: tuple[c.Term, ...]) -> c.Term:
        """``⟨f(x), λ°a. Σᵢ xᵢ′(∂f/∂i(x) · a)⟩[⟨x1, x1′⟩ := D(t1)]…``"""
        if not isinstance(f, str):
            raise outside(f"the symbol {f}, which has no derivative of its own")
        opened = [self.opened(u) for u in arguments]
        point: tuple[c.Term, ...] = tuple(x for _, x, _ in opened)
        a = self.supply.fresh("a")
        parts = [
            c.App(x_prime, c.mul(partial(f, i, point), c.Var(a)))
            for i, (_, _, x_prime) in zip(range(1, arity(f) + 1), opened, strict=True)
        ]
        back = c.LinearLambda(a, c.total(tuple(parts), self.d))
        return c.block(tuple(b for b, _, _ in reversed(opened)), c.Pair(c.Fun(f, point), back))

    def opened(self, t: c.Term) -> tuple[c.Open, c.Var, c.Var]:
        """``[⟨x, x′⟩ := D(t)]``, with x and x′"""
        x, x_prime = self.supply.pair(t.name if isinstance(t, c.Var) else "z")
        return c.Open(x, c.R, x_prime, c.Negation(self.d), self.of(t)), c.Var(x), c.Var(x_prime)
