"""Programs as arrows of a Cartesian closed category: ``id | f; g | ⟨f, …⟩ | πi | ev | Λf | op``, and sums (CHAD §3, §6).

A term ``x1 : A1, …, xn : An ⊢ M : B`` is an arrow from its context. A variable is a chain of projections, ``let x = t in s`` is
``⟨id, t⟩; s``, an application ``⟨t, s⟩; ev``, and ``λx. t`` is ``Λt``.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.chad.operations import Operation
from rh_kernel.ad.chad.rules import component_of, domain_of, sides_of
from rh_kernel.ad.chad.source import operation, size_of
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import parts
from rh_kernel.ad.language.types import Function, Product, Real, Sum, Type
from rh_kernel.ad.system import refuse
from rh_kernel.source.descent import Descent, descend


@dataclass(frozen=True, slots=True)
class Entries:
    """``Γ`` as an object: the product of a context and one more type, from the left"""

    types: tuple[Type, ...]

    def extended(self, A: Type) -> "Entries":
        """``Γ × A``"""
        return Entries((*self.types, A))


Object: TypeAlias = Entries | Type


@dataclass(frozen=True, slots=True)
class Identity:
    """``id``"""


@dataclass(frozen=True, slots=True)
class Compose:
    """``f; g``"""

    first: "Arrow"
    second: "Arrow"


@dataclass(frozen=True, slots=True)
class Tupling:
    """``⟨f1, …, fn⟩``; for none it is ``!``"""

    parts: tuple["Arrow", ...]


@dataclass(frozen=True, slots=True)
class Extension:
    """``⟨id, f⟩ : Γ → Γ × A``"""

    last: "Arrow"


@dataclass(frozen=True, slots=True)
class Weakening:
    """``π1 : Γ × A → Γ``"""


@dataclass(frozen=True, slots=True)
class Newest:
    """``π2 : Γ × A → A``"""


@dataclass(frozen=True, slots=True)
class Component:
    """``πi : A1 × … × An → Ai``"""

    index: int


@dataclass(frozen=True, slots=True)
class Primitive:
    """``op``"""

    operation: Operation


@dataclass(frozen=True, slots=True)
class Evaluation:
    """``ev : (A → B) × A → B``"""


@dataclass(frozen=True, slots=True)
class Curry:
    """``Λf : Γ → (A → B)`` for ``f : Γ × A → B``"""

    domain: Type
    body: "Arrow"


@dataclass(frozen=True, slots=True)
class Injection:
    """``inl`` and ``inr``"""

    side: int
    type: Sum


@dataclass(frozen=True, slots=True)
class Cotupling:
    """``[f, g] : Γ × (A + B) → C`` for ``f : Γ × A → C`` and ``g : Γ × B → C``"""

    left: "Arrow"
    right: "Arrow"


@dataclass(frozen=True, slots=True)
class Comparison:
    """``sign : real × real → 1 + 1``: left if the first is at most the second"""


Arrow: TypeAlias = (
    Identity
    | Compose
    | Tupling
    | Extension
    | Weakening
    | Newest
    | Component
    | Primitive
    | Evaluation
    | Curry
    | Injection
    | Cotupling
    | Comparison
)

_Typed: TypeAlias = tuple[Arrow, Type]


def arrow(system: str, names: tuple[str, ...], gamma: Entries, M: core.Term) -> Arrow:
    """``Γ ⊢ M : B`` as an arrow from Γ to B; refuses arrays that are formed under binders."""
    return descend(_arrow(system, names, gamma, M))[0]


def _arrow(system: str, names: tuple[str, ...], gamma: Entries, M: core.Term) -> Descent[_Typed]:
    match M:
        case core.Constant() | core.Apply() | core.Array() | core.Index() | core.Total() | core.Replicate() | core.Dot():
            typed = yield from _all(system, names, gamma, tuple(N for _, N in parts(M)))
            op = operation(M, tuple(size_of(A) for _, A in typed))
            point = typed[0][0] if len(typed) == 1 else Tupling(tuple(f for f, _ in typed))
            return Compose(point, Primitive(op)), Real(op.codomain)
        case core.Variable(x):
            i = names.index(x)
            found: Arrow = Newest()
            for _ in names[i + 1 :]:
                found = Compose(Weakening(), found)
            return found, gamma.types[i]
        case core.Let(x, bound, body):
            f, A = yield _arrow(system, names, gamma, bound)
            g, B = yield _arrow(system, (*names, x), gamma.extended(A), body)
            return Compose(Extension(f), g), B
        case core.Tuple(components):
            typed = yield from _all(system, names, gamma, components)
            return Tupling(tuple(f for f, _ in typed)), Product(tuple(A for _, A in typed))
        case core.Projection(i, N):
            f, A = yield _arrow(system, names, gamma, N)
            return Compose(f, Component(i)), component_of(A, i)
        case core.Lambda(x, A, body):
            f, B = yield _arrow(system, (*names, x), gamma.extended(A), body)
            return Curry(A, f), Function(A, B)
        case core.Call(N, L):
            f, A = yield _arrow(system, names, gamma, N)
            g, _ = yield _arrow(system, names, gamma, L)
            return Compose(Tupling((f, g)), Evaluation()), domain_of(A)[1]
        case core.Inject(side, A, N):
            f, _ = yield _arrow(system, names, gamma, N)
            return Compose(f, Injection(side, A)), A
        case core.Case(N, x, left, y, right):
            f, A = yield _arrow(system, names, gamma, N)
            B, C = sides_of(A)
            g, D = yield _arrow(system, (*names, x), gamma.extended(B), left)
            h, _ = yield _arrow(system, (*names, y), gamma.extended(C), right)
            return Compose(Extension(f), Cotupling(g, h)), D
        case core.If(smaller, larger, then, otherwise):
            typed = yield from _all(system, names, gamma, (smaller, larger))
            f = Compose(Tupling(tuple(g for g, _ in typed)), Comparison())
            g, D = yield _arrow(system, names, gamma, then)
            h, _ = yield _arrow(system, names, gamma, otherwise)
            return Compose(Extension(f), Cotupling(Compose(Weakening(), g), Compose(Weakening(), h))), D
        case core.Map() | core.Map2() | core.Generate() | core.Reduce() | core.Foldl() | core.Scanl():
            refuse(system, f"{type(M).__name__.lower()}, which binds in a term")


def _all(
    system: str, names: tuple[str, ...], gamma: Entries, terms: tuple[core.Term, ...]
) -> Generator[Descent[_Typed], _Typed, list[_Typed]]:
    found: list[_Typed] = []
    for M in terms:
        typed = yield _arrow(system, names, gamma, M)
        found.append(typed)
    return found
