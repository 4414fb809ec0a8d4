"""Names and bindings for the translation of programs to EFF.

A variable of a product type is destructured where it is bound, so its value is a tuple of variables.
"""

from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import Product, Type

Lets: TypeAlias = list[tuple[core.Pattern, core.Computation]]
"""The bindings before a computation, in order: patterns, and the computations whose values they match."""


class Scope:
    """A supply of names, and the EFF value and the type of each variable of the program."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.variables: dict[str, tuple[core.Value, Type]] = {}
        self._count = 0

    def fresh(self, x: str) -> str:
        """A fresh variable name similar to x, with a lower-case initial."""
        letters = x.lstrip(f"_{core.SILENT}.0123456789") or "v"
        return self.names.fresh(letters[0].lower() + letters[1:])

    def silent(self) -> str:
        """A fresh name for an intermediate result."""
        self._count += 1
        return f"{core.SILENT}{self._count}"

    def pattern(self, x: str, A: Type) -> tuple[core.Pattern, core.Value]:
        """A pattern for values of type A, and the value that it matches as a value of its variables."""
        if isinstance(A, Product):
            each = [self.pattern(f"{x}{i}", B) for i, B in enumerate(A.factors, 1)]
            return core.TuplePattern(tuple(p for p, _ in each)), core.Tuple(tuple(V for _, V in each))
        y = self.fresh(x)
        return core.NamePattern(y), core.Variable(y)

    def result(self, A: Type) -> tuple[core.Pattern, core.Value]:
        """The same for an intermediate result, which has a silent name unless it is a tuple."""
        if isinstance(A, Product):
            return self.pattern("v", A)
        x = self.silent()
        return core.NamePattern(x), core.Variable(x)

    def bound(self, x: str, A: Type) -> core.Pattern:
        """Bind x, of type A, by the pattern that is returned."""
        p, V = self.pattern(x, A)
        self.variables[x] = V, A
        return p


def abstracted(patterns: Sequence[core.Pattern], M: core.Computation, scope: Scope) -> core.Computation:
    """``λp1. … λpn. M``: all arguments are bound before the first is destructured"""
    names = [p.name if isinstance(p, core.NamePattern) else scope.silent() for p in patterns]
    for x, p in reversed(list(zip(names, patterns, strict=True))):
        if not isinstance(p, core.NamePattern):
            M = core.Match(core.Variable(x), (core.Branch(p, M),))
    for x in reversed(names):
        M = core.Lambda(x, M)
    return M


def nested(lets: Sequence[tuple[core.Pattern, core.Computation]], M: core.Computation) -> core.Computation:
    """``let p = N in … M``, with ``let x = N in x`` simplified to ``N``"""
    if lets and isinstance(M, core.Return) and M.value == core.Variable(_name(lets[-1][0])):
        lets, M = lets[:-1], lets[-1][1]
    for i, (p, N) in reversed(list(enumerate(lets))):
        if isinstance(p, core.NamePattern):
            M = core.Let(p.name, N, M)
        else:
            x = f"{core.SILENT}let{i}"
            M = core.Let(x, N, core.Match(core.Variable(x), (core.Branch(p, M),)))
    return M


def _name(p: core.Pattern) -> str:
    return p.name if isinstance(p, core.NamePattern) else ""
