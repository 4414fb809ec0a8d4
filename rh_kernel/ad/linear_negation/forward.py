"""``F``, the forward transformation (§2.3, ``D`` with an arrow to the right), also on functions: numbers with tangents."""

from rh_kernel.ad.linear_negation.binding import mapped, names
from rh_kernel.ad.linear_negation.calculus import (
    ZERO,
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
)
from rh_kernel.ad.linear_negation.names import Supply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.symbols import arity, partial


def forward_type(A: Type) -> Type:
    """``F(A)``"""
    match A:
        case Ground():
            return Times(R, R)
        case Unit():
            return A
        case Times(B, C):
            return Times(forward_type(B), forward_type(C))
        case Arrow(B, C):
            return Arrow(forward_type(B), forward_type(C))
        case Negation():
            raise outside("linear negation in a program")


def transform(t: Term, supply: Supply | None = None) -> Term:
    """``F(t)``: of the primal value and of the tangent of t, for those of its variables."""
    return _Forward(supply or Supply(names(t))).of(t)


class _Forward:
    __slots__ = ("supply",)

    def __init__(self, supply: Supply) -> None:
        self.supply = supply

    def of(self, t: Term) -> Term:
        match t:
            case Var() | Nil():
                return t
            case Num():
                return Pair(t, ZERO)
            case Lam(x, A, body):
                return Lam(x, forward_type(A), self.of(body))
            case Fix(x, A, body):
                return Fix(x, forward_type(A), self.of(body))
            case App() | Pair():
                return mapped(t, self.of)
            case Block(stack, body):
                return block(tuple(map(self.binding, stack)), self.of(body))
            case Plus(left, right):
                first, x, a = self.opened(left)
                second, y, b = self.opened(right)
                return block((second, first), Pair(Plus(x, y), Plus(a, b)))
            case Fun(symbol, arguments):
                opened = [self.opened(u) for u in arguments]
                point: tuple[Term, ...] = tuple(x for _, x, _ in opened)
                tangents = [
                    mul(partial(symbol, i, point), a) for i, (_, _, a) in zip(range(1, arity(symbol) + 1), opened, strict=True)
                ]
                return block(tuple(b for b, _, _ in reversed(opened)), Pair(Fun(symbol, point), total(tuple(tangents))))
            case If(smaller, larger, then, otherwise):
                first, x, _ = self.opened(smaller)
                second, y, _ = self.opened(larger)
                return block((second, first), If(x, y, self.of(then), self.of(otherwise)))
            case Colam():
                raise outside("linear abstractions")

    def binding(self, b: Binding) -> Binding:
        match b:
            case Bang(x, A, u):
                return Bang(x, forward_type(A), self.of(u))
            case Open(x, A, y, B, u):
                return Open(x, forward_type(A), y, forward_type(B), self.of(u))
            case Dual():
                raise outside("linear substitutions")

    def opened(self, t: Term) -> tuple[Open, Var, Var]:
        """``[⟨x, a⟩ := F(t)]``, with x and a"""
        x = self.supply.fresh(t.name if isinstance(t, Var) else "z")
        a = self.supply.fresh("a")
        return Open(x, R, a, R, self.of(t)), Var(x), Var(a)
