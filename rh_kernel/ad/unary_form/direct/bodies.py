"""Bodies of operations on arrays, and their gradients at all entries, for the rules of ``map`` and of folds.

``∇_Γ e``, ``∇_{x} e`` and ``∇_{y} e`` are three gradients, as in the paper; ``∇_Γ`` is only for the variables of Γ in e.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.terms import terms as e
from rh_kernel.ad.unary_form.terms.binding import free, renamed
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, Number, Times, Type, VectorType, times
from rh_kernel.source.diagnostic import KernelBug


@dataclass(slots=True)
class Pullback:
    """The value of an operation and its pullback of a cotangent z

    ``lets`` are bound before the value, ``inner`` in the continuation; ``context`` is added to the cotangents of variables,
    ``arguments`` are the cotangents of the arguments.
    """

    value: e.Term
    arguments: tuple[e.Term, ...]
    lets: list[tuple[str, e.Term]] = field(default_factory=list[tuple[str, e.Term]])
    inner: list[tuple[str, e.Term]] = field(default_factory=list[tuple[str, e.Term]])
    context: list[tuple[str, e.Term]] = field(default_factory=list[tuple[str, e.Term]])


def zero(A: Type) -> e.Term:
    """``0_A``"""
    match A:
        case Number():
            return e.ZERO
        case Times(factors):
            return e.Pack(tuple(map(zero, factors)))
        case VectorType(entry, n):
            return e.Fill(n, zero(entry))
        case Arrow():
            raise KernelBug(f"{A} has no zero")


@dataclass(frozen=True, slots=True)
class Scope:
    """The context Γ of an operation, and the transformation that differentiates the terms in it"""

    context: Context
    types: Mapping[str, Type]
    derive: e.Derive
    names: Names

    def used(self, *terms: e.Term, but: tuple[str, ...] = ()) -> Context:
        """The variables of Γ that occur in the terms, except ``but``."""
        occurring = frozenset[str]().union(*map(free, terms)).difference(but)
        return tuple((x, A) for x, A in self.context if x in occurring)


@dataclass(frozen=True, slots=True)
class Body:
    """``x, y. e``, the body of an operation on arrays"""

    scope: Scope
    binders: Context
    body: e.Term

    @property
    def used(self) -> Context:
        """The variables of Γ that occur in the body."""
        return self.scope.used(self.body, but=tuple(x for x, _ in self.binders))

    def gradient(self, wanted: tuple[str, ...], seed: e.Term = e.ONE) -> tuple[tuple[str, ...], e.Term]:
        """``a, b. (∇_ρ e)[a/x, b/y]`` for fresh names a, b and binders or variables ρ."""
        names = self.scope.names
        called = {x: names.fresh(x) for x, _ in self.binders}
        at = (*self.used, *((called[x], A) for x, A in self.binders))
        ρ = tuple(called.get(x, x) for x in wanted)
        return tuple(called.values()), e.Nabla(self.scope.derive, at, renamed(self.body, called, names), ρ, seed)

    def gradients(self, *arrays: e.Term, wanted: tuple[str, ...]) -> e.Term:
        """The gradients at all entries of one array or two."""
        fresh, gradient = self.gradient(wanted)
        return _mapped(fresh, gradient, arrays)

    def seeded(self, arrays: tuple[e.Term, ...], Z: e.Term, wanted: tuple[str, ...]) -> e.Term:
        """The gradients at all entries with the seeds Z, which is necessary where the body is no number."""
        names = self.scope.names
        w = names.fresh("w")
        fresh, gradient = self.gradient(wanted, e.Var(w))
        if len(arrays) == 1:
            return _mapped((*fresh, w), gradient, (*arrays, Z))
        p = names.fresh("p")
        return e.Map2(p, w, e.Let(fresh, e.Var(p), gradient), pairs(arrays[0], arrays[1], names), Z)

    def seeded_totals(self, arrays: tuple[e.Term, ...], Z: e.Term, inner: list[tuple[str, e.Term]]) -> list[tuple[str, e.Term]]:
        """``reduce +̂ 0̂`` of the ``seeded`` gradients by the variables of Γ, each with its variable."""
        used = self.used
        return self.summed(self.seeded(arrays, Z, tuple(x for x, _ in used)), inner) if used else []

    def summed(self, many: e.Term, inner: list[tuple[str, e.Term]]) -> list[tuple[str, e.Term]]:
        """``reduce +̂ 0̂`` of an array of gradients by the variables of Γ, each with its variable."""
        used, names = self.used, self.scope.names
        u, v, G = map(names.fresh, ("u", "v", "G"))
        start = zero(times(*(A for _, A in used)))
        inner.append((G, e.Fold("reduce", u, v, e.Plus(e.Var(u), e.Var(v)), start, many)))
        return [(x, e.Var(G) if len(used) == 1 else e.Proj(i, e.Var(G))) for i, (x, _) in enumerate(used, start=1)]

    def totals(self, arrays: tuple[e.Term, ...], weights: e.Term, inner: list[tuple[str, e.Term]]) -> list[tuple[str, e.Term]]:
        """``reduce +̂ 0̂ (map2 *̂ (… ∇_Γ e …) Z)``: the gradients by the variables of Γ, each with its variable."""
        used, names = self.used, self.scope.names
        if not used:
            return []
        g, w = names.fresh("g"), names.fresh("w")
        many = self.gradients(*arrays, wanted=tuple(x for x, _ in used))
        return self.summed(e.Map2(g, w, e.Scale(e.Var(g), e.Var(w)), many, weights), inner)


def _mapped(names: tuple[str, ...], body: e.Term, arrays: tuple[e.Term, ...]) -> e.Term:
    match names, arrays:
        case (x,), (A,):
            return e.Map(x, body, A)
        case (x, y), (A, B):
            return e.Map2(x, y, body, A, B)
        case _:
            raise KernelBug("a body of one array or two")


def product2(A: e.Term, B: e.Term, names: Names) -> e.Term:
    """``map2 * A B``"""
    a, b = names.fresh("a"), names.fresh("b")
    return e.Map2(a, b, e.Op("mul", (e.Var(a), e.Var(b))), A, B)


def pairs(A: e.Term, B: e.Term, names: Names) -> e.Term:
    """``map2 (a, b. ⟨a, b⟩) A B``"""
    a, b = names.fresh("a"), names.fresh("b")
    return e.Map2(a, b, e.Pack((e.Var(a), e.Var(b))), A, B)


def suffix_products(A: e.Term, names: Names) -> e.Term:
    """``scanr * 1 A``"""
    a, b = names.fresh("a"), names.fresh("b")
    return e.Fold("scanr", a, b, e.Op("mul", (e.Var(a), e.Var(b))), e.ONE, A)
