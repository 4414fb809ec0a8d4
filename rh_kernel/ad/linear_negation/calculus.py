"""``A ::= R | A × B | A → B | R⊥d`` and ``t ::= v | t u | ⟨t, u⟩ | t[⟨x!, y!⟩ := u] | t[x := u] | t + u | f(t, …)`` (§4.1).

``Block(α, t)`` is ``tα``, a term under a stack of explicit substitutions. The stack is ordered from the outermost to the
innermost, which is the order of evaluation, so that long programs are long and not deep. Names of binders are unique.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from rh_kernel.source.children import Children, child, telescope
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Ground:
    """``R``"""

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True, slots=True)
class Times:
    """``A × B``"""

    left: "Type"
    right: "Type"

    def __str__(self) -> str:
        left = f"({self.left})" if isinstance(self.left, Times | Arrow) else str(self.left)
        right = f"({self.right})" if isinstance(self.right, Arrow) else str(self.right)
        return f"{left} × {right}"


@dataclass(frozen=True, slots=True)
class Arrow:
    """``A → B``"""

    domain: "Type"
    codomain: "Type"

    def __str__(self) -> str:
        domain = f"({self.domain})" if isinstance(self.domain, Arrow) else str(self.domain)
        return f"{domain} → {self.codomain}"


@dataclass(frozen=True, slots=True)
class Negation:
    """``R⊥d``: the linear functions from ``R`` to ``Rᵈ``"""

    dimension: int = 1

    def __str__(self) -> str:
        return "R⊥" if self.dimension == 1 else f"R⊥{self.dimension}"


@dataclass(frozen=True, slots=True)
class Unit:
    """``1``, an extension: the type of the empty tuple and of the empty array"""

    def __str__(self) -> str:
        return "1"


Type: TypeAlias = Ground | Unit | Times | Arrow | Negation

R = Ground()


@dataclass(frozen=True, slots=True)
class Partial:
    """``∂f/∂i``, a symbol of F′ for a symbol f; i counts from 1"""

    of: str
    index: int

    def __str__(self) -> str:
        return f"∂{'' if self.index == 1 else self.index}{self.of}"


Symbol: TypeAlias = str | Partial
"""A function symbol of F′; ``mul`` is the product. The sum is no symbol but a constructor."""


@dataclass(frozen=True, slots=True)
class Var:
    """``x``, exponential or linear, depending on its binder"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@dataclass(frozen=True, slots=True)
class Num:
    """``r``"""

    value: float


@dataclass(frozen=True, slots=True)
class Pair:
    """``⟨t, u⟩``"""

    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Nil:
    """``⟨⟩ : 1``, an extension"""


@dataclass(frozen=True, slots=True)
class Lam:
    """``λx : A. t``"""

    name: str
    type: Type
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="name"),)


@dataclass(frozen=True, slots=True)
class LinearLambda:
    """``λ°a. t : R⊥d``, for an ``a : R`` in which t is linear"""

    name: str
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="name"),)


@dataclass(frozen=True, slots=True)
class App:
    """``t u``"""

    function: "Term"
    argument: "Term"


@dataclass(frozen=True, slots=True)
class Plus:
    """``t + u``"""

    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Fun:
    """``f(t1, …, tk)``; for ``mul``, ``t · u``"""

    symbol: Symbol
    arguments: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Block:
    """``tα``: t under a stack of explicit substitutions"""

    stack: tuple["Binding", ...]
    body: "Term"
    children: ClassVar[Children] = (telescope("stack", then="body"),)


@dataclass(frozen=True, slots=True)
class If:
    """``if s ≤ t then u else w``, an extension: the calculus of the paper has no conditionals"""

    smaller: "Term"
    larger: "Term"
    then: "Term"
    otherwise: "Term"


@dataclass(frozen=True, slots=True)
class Fix:
    """``fix x : A. t``, an extension that is future work in the paper (§7)"""

    name: str
    type: Type
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="name"),)


Term: TypeAlias = Var | Num | Nil | Pair | Lam | LinearLambda | App | Plus | Fun | Block | If | Fix


@dataclass(frozen=True, slots=True)
class Bang:
    """``[x! := u]``"""

    name: str
    type: Type
    bound: Term
    binders: ClassVar[tuple[str, ...]] = ("name",)


@dataclass(frozen=True, slots=True)
class Open:
    """``[⟨x!, y!⟩ := u]``"""

    left: str
    left_type: Type
    right: str
    right_type: Type
    bound: Term
    binders: ClassVar[tuple[str, ...]] = "left", "right"


@dataclass(frozen=True, slots=True)
class Dual:
    """``[a° := u]``"""

    name: str
    bound: Term
    binders: ClassVar[tuple[str, ...]] = ("name",)


Binding: TypeAlias = Bang | Open | Dual

ZERO = Num(0.0)


def shaped(A: Type, leaf: Callable[[], Term]) -> Term:
    """A tuple in the shape of A, with ``leaf()`` for each component that is no product and no unit, from left to right."""
    match A:
        case Times(B, C):
            left = shaped(B, leaf)
            return Pair(left, shaped(C, leaf))
        case Unit():
            return Nil()
        case Ground() | Arrow() | Negation():
            return leaf()


def leaves(t: Term) -> Iterator[Term]:
    """Yield the components of nested pairs from left to right, without ``⟨⟩``."""
    pending = [t]
    while pending:
        match pending.pop():
            case Pair(left, right):
                pending += (right, left)
            case Nil():
                pass
            case u:
                yield u


def numbers(t: Term) -> tuple[float, ...]:
    """The numbers in a tuple of numerals. Raises ``KernelBug`` for any other term."""
    found: list[float] = []
    for u in leaves(t):
        if not isinstance(u, Num):
            raise KernelBug("this is no tuple of numbers")
        found.append(u.value)
    return tuple(found)


def is_value(t: Term) -> bool:
    """Whether t is a value ``v ::= x | r | λx. t | λ°a. t | ⟨v, v⟩``; variables are values."""
    return all(isinstance(u, Var | Num | Lam | LinearLambda | Fix) for u in leaves(t))


def is_atom(t: Term) -> bool:
    """Whether t is a variable, a numeral or a tuple of these, which may be copied without loss of sharing."""
    return all(isinstance(u, Var | Num) for u in leaves(t))


def is_zero(t: Term) -> bool:
    """Whether t is the numeral 0 or a tuple of zeros."""
    match t:
        case Num(value):
            return value == 0.0
        case Pair(left, right):
            return is_zero(left) and is_zero(right)
        case _:
            return False


def power(d: int) -> Type:
    """``Rᵈ``, which is ``R × (R × …)``, for d ≥ 1"""
    return R if d == 1 else Times(R, power(d - 1))


def tuple_of(items: tuple[Term, ...]) -> Term:
    """``⟨t1, ⟨t2, …⟩⟩``; for a single term, that term"""
    *init, t = items
    for u in reversed(init):
        t = Pair(u, t)
    return t


def zeros(d: int) -> Term:
    """``0 : Rᵈ``"""
    return tuple_of((ZERO,) * d)


def total(items: tuple[Term, ...], d: int = 1) -> Term:
    """``t1 + t2 + …``; for no terms, the zero of ``Rᵈ``"""
    if not items:
        return zeros(d)
    t, *rest = items
    for u in rest:
        t = Plus(t, u)
    return t


def block(stack: tuple[Binding, ...], t: Term) -> Term:
    """``tα``, where the stack of t, if it is a block, is appended to α"""
    if isinstance(t, Block):
        stack, t = (*stack, *t.stack), t.body
    return Block(stack, t) if stack else t


def mul(t: Term, u: Term) -> Term:
    """``t · u``"""
    return Fun("mul", (t, u))
