"""``D_d``, the reverse transformation (Tab. 3): ``Γ ⊢ t : A`` gives ``D(Γ) ⊢ D(t) : D(A)``, for a t without linear negation.

It is homomorphic but at numerals, sums and function symbols. d is the length of the zeros that numerals pass back, and
otherwise plays no role.
"""

from collections.abc import Mapping
from enum import Enum

from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.calculus import (
    App,
    Arrow,
    Bang,
    Binding,
    Block,
    Colam,
    Dual,
    Fix,
    Fun,
    Ground,
    If,
    Lam,
    Negation,
    Nil,
    Num,
    Open,
    Pair,
    Plus,
    R,
    Term,
    Times,
    Type,
    Unit,
    Var,
    block,
    mul,
    total,
    zeros,
)
from rh_kernel.ad.linear_negation.names import Supply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.symbols import arity, partial
from rh_kernel.ad.linear_negation.typing import sums


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


def reversed_type(A: Type, d: int = 1) -> Type:
    """``D(A)``: a number is paired with its backpropagator."""
    match A:
        case Ground():
            return Times(R, Negation(d))
        case Unit():
            return A
        case Times(B, C):
            return Times(reversed_type(B, d), reversed_type(C, d))
        case Arrow(B, C):
            return Arrow(reversed_type(B, d), reversed_type(C, d))
        case Negation():
            raise outside("linear negation: D is not defined on its own results")


def admit(t: Term, types: Mapping[str, Type]) -> None:
    """Refuse what is typed and has no ``D(t)``: sums of tuples, which are to be written out, component by component."""
    if not sums(t, types) <= {R}:
        raise outside("sums of tuples", "write the sum of each component")


def transform(t: Term, supply: Supply | None = None, d: int = 1, fired: set[Clause] | None = None) -> Term:
    """``D_d(t)``; ``fired`` collects the clauses that were used."""
    return Transformation(supply or Supply(names(t)), d, set() if fired is None else fired).of(t)


class Transformation:
    """``D_d`` with a supply of names."""

    __slots__ = ("d", "fired", "supply")

    def __init__(self, supply: Supply, d: int, fired: set[Clause]) -> None:
        self.supply, self.d, self.fired = supply, d, fired

    def of(self, t: Term) -> Term:
        """``D_d(t)``"""
        match t:
            case Var():
                self.fired.add(Clause.VAR)
                return t
            case Nil():
                return t
            case Lam(x, A, body):
                self.fired.add(Clause.LAM)
                return Lam(x, reversed_type(A, self.d), self.of(body))
            case App(function, argument):
                self.fired.add(Clause.APP)
                return App(self.of(function), self.of(argument))
            case Pair(left, right):
                self.fired.add(Clause.PAIR)
                return Pair(self.of(left), self.of(right))
            case Block(stack, body):
                return block(tuple(map(self.binding, stack)), self.of(body))
            case Num():
                self.fired.add(Clause.NUM)
                return Pair(t, Colam(self.supply.fresh("a"), zeros(self.d)))
            case Plus(left, right):
                self.fired.add(Clause.SUM)
                return self.sum(left, right)
            case Fun(symbol, arguments):
                self.fired.add(Clause.FN)
                return self.function(symbol, arguments)
            case If(smaller, larger, then, otherwise):
                self.fired.add(Clause.IF)
                first, x, _ = self.opened(smaller)
                second, y, _ = self.opened(larger)
                return block((second, first), If(x, y, self.of(then), self.of(otherwise)))
            case Fix(x, A, body):
                self.fired.add(Clause.FIX)
                return Fix(x, reversed_type(A, self.d), self.of(body))
            case Colam():
                raise outside("linear abstractions: D is not defined on its own results")

    def binding(self, b: Binding) -> Binding:
        """``[x := D(u)]``, ``[⟨x, y⟩ := D(u)]``"""
        match b:
            case Bang(x, A, u):
                self.fired.add(Clause.LET)
                return Bang(x, reversed_type(A, self.d), self.of(u))
            case Open(x, A, y, B, u):
                self.fired.add(Clause.LET_PAIR)
                return Open(x, reversed_type(A, self.d), y, reversed_type(B, self.d), self.of(u))
            case Dual():
                raise outside("linear substitutions: D is not defined on its own results")

    def sum(self, left: Term, right: Term) -> Term:
        """``⟨x + y, λ°a. (x′a + y′a)⟩[⟨x, x′⟩ := D(t)][⟨y, y′⟩ := D(u)]``"""
        first, x, x_prime = self.opened(left)
        second, y, y_prime = self.opened(right)
        a = self.supply.fresh("a")
        back = Colam(a, Plus(App(x_prime, Var(a)), App(y_prime, Var(a))))
        return block((second, first), Pair(Plus(x, y), back))

    def function(self, f: str | object, arguments: tuple[Term, ...]) -> Term:
        """``⟨f(x), λ°a. Σᵢ xᵢ′(∂f/∂i(x) · a)⟩[⟨x1, x1′⟩ := D(t1)]…``"""
        if not isinstance(f, str):
            raise outside(f"the symbol {f}, which has no derivative of its own")
        opened = [self.opened(u) for u in arguments]
        point: tuple[Term, ...] = tuple(x for _, x, _ in opened)
        a = self.supply.fresh("a")
        parts = [
            App(x_prime, mul(partial(f, i, point), Var(a)))
            for i, (_, _, x_prime) in zip(range(1, arity(f) + 1), opened, strict=True)
        ]
        back = Colam(a, total(tuple(parts), self.d))
        return block(tuple(b for b, _, _ in reversed(opened)), Pair(Fun(f, point), back))

    def opened(self, t: Term) -> tuple[Open, Var, Var]:
        """``[⟨x, x′⟩ := D(t)]``, with x and x′"""
        x, x_prime = self.supply.pair(t.name if isinstance(t, Var) else "z")
        return Open(x, R, x_prime, Negation(self.d), self.of(t)), Var(x), Var(x_prime)
