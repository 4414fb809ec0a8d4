"""``F``, the forward transformation (§2.3, ``D`` with an arrow to the right), on all types: numbers with their tangents."""

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.homomorphism import Homomorphism, with_numbers
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.symbols import partial

_DUAL_NUMBER = c.Times(c.R, c.R)


def forward_type(A: c.Type) -> c.Type:
    """``F(A)``"""
    return with_numbers(A, _DUAL_NUMBER)


def transform(t: c.Term, supply: NameSupply | None = None) -> c.Term:
    """``F(t)``: ``Γ ⊢ t : A`` gives ``F(Γ) ⊢ F(t) : F(A)``."""
    return _Forward(supply or NameSupply(names(t)), _DUAL_NUMBER).of(t)


class _Forward(Homomorphism):
    def numeral(self, t: c.Num) -> c.Term:
        return c.Pair(t, c.ZERO)

    def sum(self, left: c.Term, right: c.Term) -> c.Term:
        """``⟨x + y, a + b⟩[⟨x, a⟩ := F(t)][⟨y, b⟩ := F(u)]``"""
        first, x, a = self.opened(left)
        second, y, b = self.opened(right)
        return c.block((second, first), c.Pair(c.Plus(x, y), c.Plus(a, b)))

    def function(self, f: c.Symbol, arguments: tuple[c.Term, ...]) -> c.Term:
        """``⟨f(x), Σᵢ ∂f/∂i(x) · aᵢ⟩[⟨x1, a1⟩ := F(t1)]…``"""
        opened = [self.opened(u) for u in arguments]
        point: tuple[c.Term, ...] = tuple(x for _, x, _ in opened)
        tangents = tuple(c.mul(partial(f, i, point), a) for i, (_, _, a) in enumerate(opened, start=1))
        return c.block(tuple(b for b, _, _ in reversed(opened)), c.Pair(c.Fun(f, point), c.total(tangents)))

    def pair(self, wanted: str) -> tuple[str, str]:
        return self.supply.fresh(wanted), self.supply.fresh("a")
