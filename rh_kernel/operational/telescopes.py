"""The types ``Γ ⊢ M : A`` of well-typed M whose variables stand for known terms.

At an evaluation position everything is closed, except in the body of an ``R`` or an ``RH`` that is not yet unfolded: there the
variables have the types of the values in that form. So the zeros of Fig. 6 and 7 get their types without type annotations in
the forms.
"""

from dataclasses import dataclass
from typing import cast

from rh_kernel.operational.contexts import Context, binding, up_to
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import RH, Bound, Call, Const, If, Let, Map, Plus, Proj, R, Rd, Term, Tuple, Zero
from rh_kernel.syntax.types import Product, Type, factors
from rh_kernel.syntax.values import component, constant_type


@dataclass(frozen=True, slots=True, eq=False)
class Telescope:
    """``Γ, x : A`` where A is the type of ``image`` in ``below``; ``None`` is the empty Γ."""

    image: Term
    below: "Telescope | None"
    outer: "Telescope | None"


def telescope(K: Context | None, gamma: Telescope | None = None) -> Telescope | None:
    """Return the context of variables that are free in the hole of K; Γ declares those that are free in K."""
    for part in reversed([*binding(K)]):
        below = gamma
        for V in _images(part):
            gamma = Telescope(V, below, gamma)
    return gamma


def inside(gamma: Telescope | None, K: Context | None) -> Telescope | None:
    """Return the context of the hole of K, a context of terms whose root is in Γ."""
    for part in reversed([*up_to(K, None)]):
        for V in _images(part):
            gamma = Telescope(V, gamma, gamma)
    return gamma


def _images(part: Context) -> tuple[Term, ...]:
    form = part.form
    if isinstance(form, RH):
        n = form.scope.arity
        return tuple([component(form.values, i, n) for i in range(n)])
    if isinstance(form, Let) and part.position:
        return (part.before,)
    return (form.point,) if isinstance(form, R) else ()


def type_of(M: Term, gamma: Telescope | None) -> Type:
    """Return the type of a well-typed M, visiting only the parts that determine it."""
    pending: list[tuple[int, int]] = []
    while True:
        match M:
            case Bound(index):
                entry = _entry(gamma, index)
                M, gamma = entry.image, entry.below
            case Const():
                return _factor(constant_type(M), pending)
            case Zero(A):
                return _factor(A, pending)
            case Call(f, _):
                return _factor(f.codomain, pending)
            case Tuple(items) if pending:
                i, _ = pending.pop()
                M = items[i - 1]
            case Tuple(items):
                return Product(tuple([type_of(N, gamma) for N in items]))
            case Plus(N, _):
                M = N
            case Proj(i, n, N):
                pending.append((i, n))
                M = N
            case Let(N, scope):
                gamma = Telescope(N, gamma, gamma)
                M = cast(Term, scope.body)
            case Rd(_, _, V) | R(_, _, V):
                M = V
            case Map(_, _, _, target):
                return _factor(target, pending)
            case If(_, _, N, _):
                M = N


def _entry(gamma: Telescope | None, index: int) -> Telescope:
    for _ in range(index):
        gamma = None if gamma is None else gamma.outer
    if gamma is None:
        raise KernelBug("a variable that nothing binds")
    return gamma


def _factor(A: Type, pending: list[tuple[int, int]]) -> Type:
    for i, n in reversed(pending):
        A = factors(A, n)[i - 1]
    return A
