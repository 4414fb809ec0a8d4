"""Numerals and lists as functions (§6): ``[a1; …; an] = λf. λs. f a1 (f a2 (… (f an s)))``, and a recurrent network on a list.

``D`` of a list is the list of the ``D(aᵢ)``, so backpropagation through time needs no rule of its own.
"""

from collections.abc import Sequence

from rh_kernel.ad.linear_negation.calculus import App, Arrow, Fun, Lam, Num, Partial, Plus, R, Term, Type, Var, mul
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.symbols import apply

CELL = Arrow(R, Arrow(R, R))
"""The type of the cell of a network: from an input and a state to a state."""


def church_numeral(n: int, A: Type, supply: NameSupply) -> Lam:
    """``λf : A → A. λs : A. f (… (f s))``"""
    f, s = supply.fresh("f"), supply.fresh("s")
    t: Term = Var(s)
    for _ in range(n):
        t = App(Var(f), t)
    return Lam(f, Arrow(A, A), Lam(s, A, t))


def church_list(items: Sequence[Term], A: Type, X: Type, supply: NameSupply) -> Lam:
    """The list of items of type A, to be folded into an X from the right."""
    f, s = supply.fresh("f"), supply.fresh("s")
    t: Term = Var(s)
    for item in reversed(items):
        t = App(App(Var(f), item), t)
    return Lam(f, Arrow(A, Arrow(X, X)), Lam(s, X, t))


def cell(supply: NameSupply, epsilon: str = "ε", rho: str = "ρ") -> Lam:
    """``L = λx. λh. σ(ε · x + ρ · h)``"""
    x, h = supply.fresh("x"), supply.fresh("h")
    return Lam(x, R, Lam(h, R, Fun("sigmoid", (Plus(mul(Var(epsilon), Var(x)), mul(Var(rho), Var(h))),))))


def network(
    items: Sequence[Term], a_cell: Term, supply: NameSupply, A: Type = R, X: Type = R, start: Term | None = None
) -> Term:
    """``N l = (λl. l L 0) l`` for a cell L of type ``A → X → X``"""
    name = supply.fresh("l")
    list_type = Arrow(Arrow(A, Arrow(X, X)), Arrow(X, X))
    fold = App(App(Var(name), a_cell), Num(0.0) if start is None else start)
    return App(Lam(name, list_type, fold), church_list(items, A, X, supply))


def backpropagation_through_time(items: Sequence[float], e: float, r: float) -> tuple[float, float, float]:
    """The value of the network and its derivatives by ε and ρ, by the recurrences of Prop. 17 with both misprints corrected."""
    u = d_epsilon = d_rho = 0.0
    for a in reversed(items):
        z = e * a + r * u
        slope = apply(Partial("sigmoid", 1), (z,))
        d_epsilon = slope * (a + r * d_epsilon)
        d_rho = slope * (u + r * d_rho)
        u = apply("sigmoid", (z,))
    return u, d_epsilon, d_rho
