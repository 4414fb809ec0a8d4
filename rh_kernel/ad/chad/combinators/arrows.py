"""Programs as arrows of a Cartesian closed category: ``id | f; g | ⟨f, …⟩ | πi | ev | Λf | op``, and sums (CHAD §3, §6).

A term ``x1 : A1, …, xn : An ⊢ M : B`` is an arrow from its context. A variable is a chain of projections, ``let x = t in s`` is
``⟨id, t⟩; s``, an application ``⟨t, s⟩; ev``, and ``λx. t`` is ``Λt``.
"""

from collections.abc import Generator
from typing import TypeAlias

from rh_kernel.ad.chad.context import codomain_of, component_of, size_of, sum_of
from rh_kernel.ad.chad.operations import LoopTerm, Operation, of_term
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import parts
from rh_kernel.ad.language.types import SCALAR, Function, Product, Real, Sum, Type
from rh_kernel.source.records import frozen
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.printing.doc import LINE, Doc, Text, concat, group, join, nest


@frozen
class Entries:
    """``Γ`` as an object, the product ``(… (1 × A1) × …) × An`` of its types"""

    types: tuple[Type, ...]

    def extended(self, A: Type) -> "Entries":
        """``Γ × A``"""
        return Entries((*self.types, A))


Object: TypeAlias = Entries | Type


@frozen
class Identity:
    """``id``"""


@frozen
class Compose:
    """``f; g``"""

    first: "Arrow"
    second: "Arrow"


@frozen
class Tupling:
    """``⟨f1, …, fn⟩``, or ``!`` for n = 0"""

    parts: tuple["Arrow", ...]


@frozen
class Extension:
    """``⟨id, f⟩ : Γ → Γ × A``"""

    last: "Arrow"


@frozen
class Weakening:
    """``π1 : Γ × A → Γ``"""


@frozen
class Newest:
    """``π2 : Γ × A → A``"""


@frozen
class Component:
    """``πi : A1 × … × An → Ai``"""

    index: int


@frozen
class Primitive:
    """``op``"""

    operation: Operation


@frozen
class Evaluation:
    """``ev : (A → B) × A → B``"""


@frozen
class Curry:
    """``Λf : Γ → (A → B)`` for ``f : Γ × A → B``"""

    domain: Type
    body: "Arrow"


@frozen
class Injection:
    """``inl`` and ``inr``"""

    side: int
    type: Sum


@frozen
class Cotupling:
    """``[f, g] : Γ × (A + B) → C`` for ``f : Γ × A → C`` and ``g : Γ × B → C``"""

    left: "Arrow"
    right: "Arrow"


@frozen
class Comparison:
    """``sign : real × real → 1 + 1``, left if the first number is at most the second"""


@frozen
class Mapping:
    """``map f : Γ × real^n → real^n`` for ``f : Γ × real → real``; over two arrays, or over ``0, …, n − 1`` if there is none"""

    size: int
    arrays: int
    body: "Arrow"


@frozen
class Folding:
    """``foldl f : Γ × A × real^n → A`` for ``f : Γ × A × real → A``, or ``scanl``"""

    size: int
    scans: bool
    body: "Arrow"


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
    | Mapping
    | Folding
)

_Typed: TypeAlias = tuple[Arrow, Type]


def arrow(names: tuple[str, ...], gamma: Entries, M: core.Term) -> Arrow:
    """Return ``Γ ⊢ M : B`` as an arrow from Γ to B."""
    return descend(_arrow(names, gamma, M))[0]


def _arrow(names: tuple[str, ...], gamma: Entries, M: core.Term) -> Descent[_Typed]:
    match M:
        case core.Constant() | core.Apply() | core.Array() | core.Index() | core.Total() | core.Replicate() | core.Dot():
            typed = yield from _all(names, gamma, tuple(N for _, N in parts(M)))
            op = of_term(M, tuple(size_of(A) for _, A in typed))
            point = typed[0][0] if len(typed) == 1 else Tupling(tuple(f for f, _ in typed))
            return Compose(point, Primitive(op)), Real(op.codomain)
        case core.Variable(x):
            i = names.index(x)
            found: Arrow = Newest()
            for _ in names[i + 1 :]:
                found = Compose(Weakening(), found)
            return found, gamma.types[i]
        case core.Let(x, bound, body):
            f, A = yield _arrow(names, gamma, bound)
            g, B = yield _arrow((*names, x), gamma.extended(A), body)
            return Compose(Extension(f), g), B
        case core.Tuple(components):
            typed = yield from _all(names, gamma, components)
            return Tupling(tuple(f for f, _ in typed)), Product(tuple(A for _, A in typed))
        case core.Projection(i, N):
            f, A = yield _arrow(names, gamma, N)
            return Compose(f, Component(i)), component_of(A, i)
        case core.Lambda(x, A, body):
            f, B = yield _arrow((*names, x), gamma.extended(A), body)
            return Curry(A, f), Function(A, B)
        case core.Call(N, L):
            f, A = yield _arrow(names, gamma, N)
            g, _ = yield _arrow(names, gamma, L)
            return Compose(Tupling((f, g)), Evaluation()), codomain_of(A)
        case core.Inject(side, A, N):
            f, _ = yield _arrow(names, gamma, N)
            return Compose(f, Injection(side, A)), A
        case core.Case(N, x, left, y, right):
            f, A = yield _arrow(names, gamma, N)
            sides = sum_of(A)
            g, D = yield _arrow((*names, x), gamma.extended(sides.left), left)
            h, _ = yield _arrow((*names, y), gamma.extended(sides.right), right)
            return Compose(Extension(f), Cotupling(g, h)), D
        case core.If(smaller, larger, then, otherwise):
            typed = yield from _all(names, gamma, (smaller, larger))
            f = Compose(Tupling(tuple(g for g, _ in typed)), Comparison())
            g, D = yield _arrow(names, gamma, then)
            h, _ = yield _arrow(names, gamma, otherwise)
            return Compose(Extension(f), Cotupling(Compose(Weakening(), g), Compose(Weakening(), h))), D
        case core.Map() | core.Map2() | core.Generate() | core.Reduce() | core.Foldl() | core.Scanl():
            return (yield _loop(names, gamma, M))


def _loop(names: tuple[str, ...], gamma: Entries, M: LoopTerm) -> Descent[_Typed]:
    """An array term that binds variables: its arguments are added to the context one by one."""
    match M:
        case core.Generate(n, i, body):
            f, _ = yield _arrow((*names, i), gamma.extended(SCALAR), body)
            return Mapping(n, 0, f), Real(n)
        case core.Map(x, body, N):
            g, A = yield _arrow(names, gamma, N)
            f, _ = yield _arrow((*names, x), gamma.extended(SCALAR), body)
            return Compose(Extension(g), Mapping(size_of(A), 1, f)), A
        case core.Map2(x, y, body, left, right):
            g, A = yield _arrow(names, gamma, left)
            h, _ = yield _arrow(names, gamma, right)
            f, _ = yield _arrow((*names, x, y), gamma.extended(SCALAR).extended(SCALAR), body)
            return Compose(Extension(g), Compose(Extension(Compose(Weakening(), h)), Mapping(size_of(A), 2, f))), A
        case core.Reduce(a, x, body, start, N) | core.Foldl(a, x, body, start, N) | core.Scanl(a, x, body, start, N):
            g, A = yield _arrow(names, gamma, start)
            h, B = yield _arrow(names, gamma, N)
            f, _ = yield _arrow((*names, a, x), gamma.extended(A).extended(SCALAR), body)
            n, scans = size_of(B), isinstance(M, core.Scanl)
            folding = Compose(Extension(g), Compose(Extension(Compose(Weakening(), h)), Folding(n, scans, f)))
            return folding, Real(n + 1) if scans else A


def _all(
    names: tuple[str, ...], gamma: Entries, terms: tuple[core.Term, ...]
) -> Generator[Descent[_Typed], _Typed, list[_Typed]]:
    found: list[_Typed] = []
    for M in terms:
        typed = yield _arrow(names, gamma, M)
        found.append(typed)
    return found


def document(f: Arrow) -> Doc:
    """Return the arrow in the notation of the paper: ``⟨id, t⟩; s``, ``Λf``."""
    return descend(_document(f))


def _document(f: Arrow) -> Descent[Doc]:
    match f:
        case Identity():
            return Text("id")
        case Compose(g, h):
            left = yield _document(g)
            right = yield _document(h)
            return group(left, ";", LINE, right)
        case Tupling(many):
            docs: list[Doc] = []
            for g in many:
                doc = yield _document(g)
                docs.append(doc)
            return group("⟨", nest(join(concat(",", LINE), docs), indent=1), "⟩") if docs else Text("!")
        case Extension(g):
            doc = yield _document(g)
            return group("⟨id, ", nest(doc), "⟩")
        case Weakening():
            return Text("fst")
        case Newest():
            return Text("snd")
        case Component(i):
            return Text(f"π{str(i).translate(str.maketrans('0123456789', '₀₁₂₃₄₅₆₇₈₉'))}")
        case Primitive(op):
            return Text(op.name)
        case Evaluation():
            return Text("ev")
        case Curry(_, g):
            doc = yield _document(g)
            return group("Λ(", nest(doc, indent=1), ")")
        case Injection(side):
            return Text("inl" if side == 1 else "inr")
        case Cotupling(g, h):
            left = yield _document(g)
            right = yield _document(h)
            return group("[", nest(left, ",", LINE, right, indent=1), "]")
        case Comparison():
            return Text("sign")
        case Mapping(_, _, g):
            doc = yield _document(g)
            return group("map(", nest(doc, indent=1), ")")
        case Folding(_, scans, g):
            doc = yield _document(g)
            return group("scanl(" if scans else "foldl(", nest(doc, indent=1), ")")
