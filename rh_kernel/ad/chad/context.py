"""Typing contexts ``Γ = x1 : A1, …, xn : An`` of source terms, derivatives with their types, and the parts of source types."""

from collections.abc import Iterable

from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import UNIT, Mode, Product, tangent
from rh_kernel.ad.language import types as source
from rh_kernel.ad.language.types import Type
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen


@frozen
class Context:
    """``x1 : A1, …, xn : An``, with ``D(Γ)_2`` for one of the modes in ``tangents``"""

    mode: Mode
    names: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    tangents: Product = UNIT

    @staticmethod
    def of(mode: Mode, entries: Iterable[tuple[str, Type]]) -> "Context":
        """Return the context with these entries."""
        return Context(mode).extended(*entries)

    def extended(self, *entries: tuple[str, Type]) -> "Context":
        """``Γ, x : A, …``"""
        names, types = tuple(x for x, _ in entries), tuple(A for _, A in entries)
        added = tuple(tangent(A, self.mode) for A in types)
        return Context(self.mode, self.names + names, self.types + types, Product(self.tangents.factors + added))

    def index(self, name: str) -> int:
        """``idx(x; Γ)``, counted from 1"""
        return self.names.index(name) + 1


@frozen
class Derived:
    """``D_Γ(M)``, and the type of M"""

    term: to.Term
    type: Type


def size_of(A: Type) -> int:
    """The n of ``Real(n)``"""
    if not isinstance(A, source.Real):
        raise KernelBug(f"{A} is not an array type")
    return A.size


def codomain_of(A: Type) -> Type:
    """The C of ``B → C``"""
    if not isinstance(A, source.Function):
        raise KernelBug(f"{A} is not a function type")
    return A.codomain


def sum_of(A: Type) -> source.Sum:
    """A, which is a sum type"""
    if not isinstance(A, source.Sum):
        raise KernelBug(f"{A} is not a sum type")
    return A


def component_of(A: Type, i: int) -> Type:
    """The ``Ai`` of ``A1 × … × An``"""
    if not isinstance(A, source.Product):
        raise KernelBug(f"{A} is not a product type")
    return A.factors[i - 1]
