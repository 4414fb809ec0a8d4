"""Contexts ``Γ = x1 : A1, …, xn : An``, how operations occur in the source, and a supply of names for what is added to it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.chad import operations
from rh_kernel.ad.chad.operations import Operation
from rh_kernel.ad.chad.target.types import UNIT, Mode, Product, tangent
from rh_kernel.ad.language.core import Apply, Array, Constant, Dot, Index, Replicate, Total
from rh_kernel.ad.language.types import Real, Type
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Context:
    """``x1 : A1, …, xn : An``, and ``D(Γ)_2`` for one of the modes"""

    mode: Mode
    names: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    tangents: Product = UNIT

    @staticmethod
    def of(mode: Mode, entries: Iterable[tuple[str, Type]]) -> "Context":
        """The context of these entries."""
        return Context(mode).extended(*entries)

    def extended(self, *entries: tuple[str, Type]) -> "Context":
        """``Γ, x : A, …``"""
        names, types = tuple(x for x, _ in entries), tuple(A for _, A in entries)
        added = tuple(tangent(A, self.mode) for A in types)
        return Context(self.mode, self.names + names, self.types + types, Product(self.tangents.factors + added))

    def index(self, name: str) -> int:
        """``idx(x; Γ)``, counted from 1"""
        return self.names.index(name) + 1


class NameSupply:
    """A supply of names, none of which is given out twice."""

    __slots__ = ("_last", "_used")

    def __init__(self, used: Iterable[str]) -> None:
        self._used = set(used)
        self._last: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """The name itself if it is not in use, else with the first number that makes it so."""
        if wanted in self._used:
            stem = wanted.rstrip("0123456789")
            i = self._last.get(stem, 0) + 1
            while f"{stem}{i}" in self._used:
                i += 1
            self._last[stem] = i
            wanted = f"{stem}{i}"
        self._used.add(wanted)
        return wanted

    def pair(self, wanted: str) -> tuple[str, str]:
        """``x`` and ``x'``: of what is computed, and of its derivative."""
        x = self.fresh(wanted)
        while f"{x}'" in self._used:
            x = self.fresh(wanted)
        return x, self.fresh(f"{x}'")


OperationTerm: TypeAlias = Constant | Apply | Array | Total | Replicate | Index | Dot
"""The terms that apply an operation to their subterms."""


def operation(M: OperationTerm, sizes: tuple[int, ...]) -> Operation:
    """The operation that M applies to its subterms, which are arrays of these sizes."""
    match M:
        case Constant(c):
            return operations.constant(c)
        case Apply(symbol):
            return operations.scalar(symbol)
        case Array():
            return operations.literal(len(sizes))
        case Total():
            return operations.total(*sizes)
        case Replicate(n):
            return operations.replicate(n)
        case Index(_, i):
            return operations.index(i, *sizes)
        case Dot():
            return operations.dot(sizes[0])


def size_of(A: Type) -> int:
    """The n of ``Real(n)``."""
    if not isinstance(A, Real):
        raise KernelBug(f"{A} is no array")
    return A.size
