"""The bodies of operations on arrays, and their gradients at all entries: what the rules of ``map`` and of folds share.

``∇_Γ e``, ``∇_{x} e`` and ``∇_{y} e`` are three gradients, as published; of Γ only the variables that occur in e have one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.terms.binding import free, renamed
from rh_kernel.ad.unary_form.terms.terms import (
    ONE,
    ZERO,
    Derive,
    Fill,
    Fold,
    Let,
    Map,
    Map2,
    Nabla,
    Op,
    Pack,
    Plus,
    Proj,
    Scale,
    Term,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, Number, Several, Times, Type, times
from rh_kernel.source.diagnostic import KernelBug


@dataclass(slots=True)
class Pullback:
    """The value of an operation, and what a cotangent z of it becomes

    ``lets`` come before the value, ``inner`` within the continuation; ``context`` is added to variables, ``arguments`` are the
    cotangents of the arguments.
    """

    value: Term
    arguments: tuple[Term, ...]
    lets: list[tuple[str, Term]] = field(default_factory=list[tuple[str, Term]])
    inner: list[tuple[str, Term]] = field(default_factory=list[tuple[str, Term]])
    context: list[tuple[str, Term]] = field(default_factory=list[tuple[str, Term]])


def zero(A: Type) -> Term:
    """``0_A``"""
    match A:
        case Number():
            return ZERO
        case Times(factors):
            return Pack(tuple(map(zero, factors)))
        case Several(entry, n):
            return Fill(n, zero(entry))
        case Arrow():
            raise KernelBug(f"{A} has no zero")


@dataclass(frozen=True, slots=True)
class Scope:
    """``Γ``, which the terms in an operation may use, and the transformation that differentiates these"""

    context: Context
    types: Mapping[str, Type]
    derive: Derive
    names: Names

    def used(self, *terms: Term, but: tuple[str, ...] = ()) -> Context:
        """The variables of Γ that occur in the terms: no other has a derivative there."""
        occurring = frozenset[str]().union(*map(free, terms)).difference(but)
        return tuple((x, A) for x, A in self.context if x in occurring)


@dataclass(frozen=True, slots=True)
class Body:
    """``x, y. e``, the body of an operation on arrays"""

    scope: Scope
    binders: Context
    body: Term

    @property
    def used(self) -> Context:
        """The variables of Γ that occur in it."""
        return self.scope.used(self.body, but=tuple(x for x, _ in self.binders))

    def gradient(self, wanted: tuple[str, ...], seed: Term = ONE) -> tuple[tuple[str, ...], Term]:
        """``a, b. (∇_ρ e)[a/x, b/y]``: fresh names and the gradient, for the binders or variables ρ."""
        names = self.scope.names
        called = {x: names.fresh(x) for x, _ in self.binders}
        at = (*self.used, *((called[x], A) for x, A in self.binders))
        ρ = tuple(called.get(x, x) for x in wanted)
        return tuple(called.values()), Nabla(self.scope.derive, at, renamed(self.body, called, names), ρ, seed)

    def gradients(self, *arrays: Term, wanted: tuple[str, ...]) -> Term:
        """The gradients at all entries of one array or two."""
        fresh, gradient = self.gradient(wanted)
        match arrays:
            case (A,):
                return Map(fresh[0], gradient, A)
            case (A, B):
                return Map2(fresh[0], fresh[1], gradient, A, B)
            case _:
                raise KernelBug("a body of one array or two")

    def seeded(self, arrays: tuple[Term, ...], Z: Term, wanted: tuple[str, ...]) -> Term:
        """The gradients at all entries, each for its own cotangent in Z: nothing else is possible where that is no number."""
        w = self.scope.names.fresh("w")
        fresh, gradient = self.gradient(wanted, Var(w))
        match arrays:
            case (A,):
                return Map2(fresh[0], w, gradient, A, Z)
            case (A, B):
                p = self.scope.names.fresh("p")
                return Map2(p, w, Let(fresh, Var(p), gradient), pairs(A, B, self.scope.names), Z)
            case _:
                raise KernelBug("a body of one array or two")

    def seeded_totals(self, arrays: tuple[Term, ...], Z: Term, inner: list[tuple[str, Term]]) -> list[tuple[str, Term]]:
        """``reduce +̂ 0̂`` of these, by the variables of Γ."""
        used = self.used
        return self.summed(self.seeded(arrays, Z, tuple(x for x, _ in used)), inner) if used else []

    def summed(self, many: Term, inner: list[tuple[str, Term]]) -> list[tuple[str, Term]]:
        """``reduce +̂ 0̂`` of an array of gradients by the variables of Γ, each with its variable."""
        used, names = self.used, self.scope.names
        u, v, G = map(names.fresh, ("u", "v", "G"))
        start = zero(times(*(A for _, A in used)))
        inner.append((G, Fold("reduce", u, v, Plus(Var(u), Var(v)), start, many)))
        return [(x, Var(G) if len(used) == 1 else Proj(i, Var(G))) for i, (x, _) in enumerate(used, start=1)]

    def totals(self, arrays: tuple[Term, ...], weights: Term, inner: list[tuple[str, Term]]) -> list[tuple[str, Term]]:
        """``reduce +̂ 0̂ (map2 *̂ (… ∇_Γ e …) Z)``, by the variables of Γ it is for."""
        used, names = self.used, self.scope.names
        if not used:
            return []
        g, w = names.fresh("g"), names.fresh("w")
        many = self.gradients(*arrays, wanted=tuple(x for x, _ in used))
        return self.summed(Map2(g, w, Scale(Var(g), Var(w)), many, weights), inner)


def product2(A: Term, B: Term, names: Names) -> Term:
    """``map2 * A B``"""
    a, b = names.fresh("a"), names.fresh("b")
    return Map2(a, b, Op("mul", (Var(a), Var(b))), A, B)


def pairs(A: Term, B: Term, names: Names) -> Term:
    """``map2 (a, b. ⟨a, b⟩) A B``"""
    a, b = names.fresh("a"), names.fresh("b")
    return Map2(a, b, Pack((Var(a), Var(b))), A, B)


def suffix_products(A: Term, names: Names) -> Term:
    """``scanr * 1 A``"""
    a, b = names.fresh("a"), names.fresh("b")
    return Fold("scanr", a, b, Op("mul", (Var(a), Var(b))), ONE, A)
