"""``D_d``, the reverse transformation (Tab. 3): ``Γ ⊢ t : A`` gives ``D(Γ) ⊢ D(t) : D(A)`` for a t without linear negation.

d is the dimension of the cotangents that backpropagators return; it occurs only in types and in the zeros of numerals.
"""

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.homomorphism import Homomorphism, with_numbers
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.symbols import partial


def reversed_type(A: c.Type, d: int = 1) -> c.Type:
    """``D(A)``: each number is paired with its backpropagator."""
    return with_numbers(A, c.Times(c.R, c.Negation(d)))


def transform(t: c.Term, supply: NameSupply | None = None, d: int = 1) -> c.Term:
    """``D_d(t)``"""
    return _Reverse(supply or NameSupply(names(t)), d).of(t)


def eta_expanded(backpropagator: str, supply: NameSupply) -> c.LinearLambda:
    """``λ°a. x′a``, the η-expansion (15) of a backpropagator x′."""
    a = supply.fresh("a")
    return c.LinearLambda(a, c.App(c.Var(backpropagator), c.Var(a)))


class _Reverse(Homomorphism):
    def __init__(self, supply: NameSupply, d: int) -> None:
        super().__init__(supply, c.Times(c.R, c.Negation(d)))
        self.d = d

    def numeral(self, t: c.Num) -> c.Term:
        """``⟨r, λ°a. 0⟩``"""
        return c.Pair(t, c.LinearLambda(self.supply.fresh("a"), c.zeros(self.d)))

    def sum(self, left: c.Term, right: c.Term) -> c.Term:
        """``⟨x + y, λ°a. (x′a + y′a)⟩[⟨x, x′⟩ := D(t)][⟨y, y′⟩ := D(u)]``"""
        first, x, x_prime = self.opened(left)
        second, y, y_prime = self.opened(right)
        a = self.supply.fresh("a")
        back = c.LinearLambda(a, c.Plus(c.App(x_prime, c.Var(a)), c.App(y_prime, c.Var(a))))
        return c.block((second, first), c.Pair(c.Plus(x, y), back))

    def function(self, f: c.Symbol, arguments: tuple[c.Term, ...]) -> c.Term:
        """``⟨f(x), λ°a. Σᵢ xᵢ′(∂f/∂i(x) · a)⟩[⟨x1, x1′⟩ := D(t1)]…``"""
        if not isinstance(f, str):
            raise outside(f"the symbol {f}, which has no derivative of its own")
        opened = [self.opened(u) for u in arguments]
        point: tuple[c.Term, ...] = tuple(x for _, x, _ in opened)
        a = c.Var(self.supply.fresh("a"))
        calls = [c.App(x_prime, c.mul(partial(f, i, point), a)) for i, (_, _, x_prime) in enumerate(opened, start=1)]
        back = c.LinearLambda(a.name, c.total(tuple(calls), self.d))
        return c.block(tuple(b for b, _, _ in reversed(opened)), c.Pair(c.Fun(f, point), back))

    def pair(self, wanted: str) -> tuple[str, str]:
        return self.supply.pair(wanted)
