"""The rules of both derivatives by name, and what a derivation carries along."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from rh_kernel.ad.chad.source import Context, NameSupply
from rh_kernel.ad.chad.target import terms as target
from rh_kernel.ad.chad.target.types import AnyType, Product
from rh_kernel.ad.language import core
from rh_kernel.ad.language.types import Function, Real, Sum, Type
from rh_kernel.ad.language.types import Product as SourceProduct
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.trampoline import Descent


class Rule(Enum):
    """The rules in the paper's order (§7.3–7.5, §10), then those for sums, conditionals and the other array forms."""

    OPERATION = "op"
    VARIABLE = "x"
    LET = "let"
    UNIT = "⟨⟩"
    TUPLE = "⟨t, s⟩"
    PROJECTION = "t.i"
    LAMBDA = "λx. t"
    CALL = "t s"
    MAP = "map(x. t, s)"
    MAP_FUNCTION = "map(t, s)"
    INJECT = "inl t"
    CASE = "case"
    IF = "if"
    MAP2 = "zipWith"
    GENERATE = "generate"
    FOLDL = "foldl"
    SCANL = "scanl"


@dataclass(frozen=True, slots=True)
class Derived:
    """``D_Γ(M)``, and the type of M."""

    term: target.Term
    type: Type


@dataclass(slots=True)
class Derivation:
    """Names that are not in use, and the rules that were used."""

    supply: NameSupply
    used: set[Rule] = field(default_factory=set[Rule])

    def linear(self, A: AnyType, wanted: str = "v") -> "Stoup":
        """A new linear variable of type A."""
        return Stoup(self.supply.fresh(wanted), A)


Derive: TypeAlias = "Callable[[Context, core.Term, Derivation], Descent[Derived]]"
"""The derivative of a term by all the rules."""


@dataclass(frozen=True, slots=True)
class Stoup:
    """The one linear variable of a linear term, and its type."""

    name: str
    type: AnyType

    @property
    def variable(self) -> target.Term:
        """``v``"""
        return target.LinearVariable(self.name)

    def lambda_(self, body: target.Term) -> target.Term:
        """``λ̲v. t``"""
        return target.LinearLambda(self.type, target.Scope((self.name,), body))


def dual(value: target.Term, derivative: target.Term) -> target.Term:
    """``⟨t, λ̲v. s⟩``"""
    return target.Tuple((value, derivative))


def let(names: tuple[str, ...], bound: target.Term, body: target.Term) -> target.Term:
    """``let x = t in s``, ``let ⟨x, y⟩ = t in s``"""
    return target.Let(bound, target.Scope(names, body))


def let_linear(name: str, bound: target.Term, body: target.Term) -> target.Term:
    """``let v = t in s``"""
    return target.LetLinear(bound, target.Scope((name,), body))


def call(name: str, operand: target.Term) -> target.Term:
    """``x' • t``"""
    return target.LinearCall(target.Variable(name), operand)


def lets(names: Sequence[tuple[str, str]], items: Sequence[Derived], body: target.Term) -> target.Term:
    """``let ⟨x1, x1'⟩ = D(M1) in … t``"""
    for pair, item in zip(reversed(names), reversed(items), strict=True):
        body = let(pair, item.term, body)
    return body


def product_of(A: AnyType) -> Product:
    """A, which is a product."""
    if not isinstance(A, Product):
        raise KernelBug(f"{A} is no product")
    return A


def domain_of(A: Type) -> tuple[Type, Type]:
    """The A and the B of ``A → B``."""
    match A:
        case Function(B, C):
            return B, C
        case Real() | SourceProduct() | Sum():
            raise KernelBug(f"{A} is no function")


def sides_of(A: Type) -> tuple[Type, Type]:
    """The A and the B of ``A + B``."""
    match A:
        case Sum(B, C):
            return B, C
        case Real() | SourceProduct() | Function():
            raise KernelBug(f"{A} is no sum")


def component_of(A: Type, i: int) -> Type:
    """The ``Ai`` of ``A1 × … × An``."""
    match A:
        case SourceProduct(factors):
            return factors[i - 1]
        case Real() | Sum() | Function():
            raise KernelBug(f"{A} has no components")


def each(size: int, name: str, array: target.Term, body: target.Term) -> target.Term:
    """``map(v. t, s)`` for a linear array s"""
    return target.LinearZipWith(size, (), array, target.Scope((name,), body))


def first(t: target.Term) -> target.Term:
    """``t.1``"""
    return target.Projection(1, t)


def second(t: target.Term) -> target.Term:
    """``t.2``"""
    return target.Projection(2, t)
