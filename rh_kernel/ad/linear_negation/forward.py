"""``F``, the forward transformation (§2.3, ``D`` with an arrow to the right), also on functions: numbers with tangents."""

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import mapped, names
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.symbols import arity, partial


def forward_type(A: c.Type) -> c.Type:
    """``F(A)``"""
    match A:
        case c.Ground():
            return c.Times(c.R, c.R)
        case c.Unit():
            return A
        case c.Times(B, C):
            return c.Times(forward_type(B), forward_type(C))
        case c.Arrow(B, C):
            return c.Arrow(forward_type(B), forward_type(C))
        case c.Negation():
            raise outside("linear negation in a program")


def transform(t: c.Term, supply: NameSupply | None = None) -> c.Term:
    """``F(t)``: of the primal value and of the tangent of t, for those of its variables."""
    return _Forward(supply or NameSupply(names(t))).of(t)


class _Forward:
    __slots__ = ("supply",)

    def __init__(self, supply: NameSupply) -> None:
        self.supply = supply

    def of(self, t: c.Term) -> c.Term:
        match t:
            case c.Var() | c.Nil():
                return t
            case c.Num():
                return c.Pair(t, c.ZERO)
            case c.Lam(x, A, body):
                return c.Lam(x, forward_type(A), self.of(body))
            case c.Fix(x, A, body):
                return c.Fix(x, forward_type(A), self.of(body))
            case c.App() | c.Pair():
                return mapped(t, self.of)
            case c.Block(stack, body):
                return c.block(tuple(map(self.binding, stack)), self.of(body))
            case c.Plus(left, right):
                first, x, a = self.opened(left)
                second, y, b = self.opened(right)
                return c.block((second, first), c.Pair(c.Plus(x, y), c.Plus(a, b)))
            case c.Fun(symbol, arguments):
                opened = [self.opened(u) for u in arguments]
                point: tuple[c.Term, ...] = tuple(x for _, x, _ in opened)
                tangents = [
                    c.mul(partial(symbol, i, point), a)
                    for i, (_, _, a) in zip(range(1, arity(symbol) + 1), opened, strict=True)
                ]
                return c.block(tuple(b for b, _, _ in reversed(opened)), c.Pair(c.Fun(symbol, point), c.total(tuple(tangents))))
            case c.If(smaller, larger, then, otherwise):
                first, x, _ = self.opened(smaller)
                second, y, _ = self.opened(larger)
                return c.block((second, first), c.If(x, y, self.of(then), self.of(otherwise)))
            case c.LinearLambda():
                raise outside("linear abstractions")

    def binding(self, b: c.Binding) -> c.Binding:
        match b:
            case c.Bang(x, A, u):
                return c.Bang(x, forward_type(A), self.of(u))
            case c.Open(x, A, y, B, u):
                return c.Open(x, forward_type(A), y, forward_type(B), self.of(u))
            case c.Dual():
                raise outside("linear substitutions")

    def opened(self, t: c.Term) -> tuple[c.Open, c.Var, c.Var]:
        """``[⟨x, a⟩ := F(t)]``, with x and a"""
        x = self.supply.fresh(t.name if isinstance(t, c.Var) else "z")
        a = self.supply.fresh("a")
        return c.Open(x, c.R, a, c.R, self.of(t)), c.Var(x), c.Var(a)
