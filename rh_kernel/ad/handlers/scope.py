"""Names while a program is written in EFF: ``let``s in the order they are computed in, patterns, what a variable stands for.

A variable of a product type is taken apart where it is bound, so its value is a tuple of variables.
"""

from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import Product, Type

Lets: TypeAlias = list[tuple[core.Pattern, core.Computation]]
"""What is computed before, in order, and the pattern that its value is taken apart with."""


class Scope:
    """Gives names, and knows what value stands for each variable of the program, and its type."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.standing: dict[str, tuple[core.Value, Type]] = {}
        self._silent = 0

    def fresh(self, x: str) -> str:
        """A name like x that is a variable's: it begins with a lower-case letter."""
        letters = x.lstrip(f"_{core.SILENT}.0123456789") or "v"
        return self.names.fresh(letters[0].lower() + letters[1:])

    def unnamed(self) -> str:
        """The name of an intermediate result."""
        self._silent += 1
        return f"{core.SILENT}{self._silent}"

    def pattern(self, x: str, A: Type) -> tuple[core.Pattern, core.Value]:
        """A pattern for values of type A, and what it takes apart put together again."""
        if isinstance(A, Product):
            each = [self.pattern(f"{x}{i}", B) for i, B in enumerate(A.factors, 1)]
            return core.TuplePattern(tuple(p for p, _ in each)), core.Tuple(tuple(V for _, V in each))
        y = self.fresh(x)
        return core.NamePattern(y), core.Variable(y)

    def result(self, A: Type) -> tuple[core.Pattern, core.Value]:
        """A pattern for an intermediate result: a name that nobody wrote, or names for its components."""
        if isinstance(A, Product):
            return self.pattern("v", A)
        x = self.unnamed()
        return core.NamePattern(x), core.Variable(x)

    def bound(self, x: str, A: Type) -> core.Pattern:
        """The pattern that binds x."""
        p, V = self.pattern(x, A)
        self.standing[x] = V, A
        return p


def abstracted(patterns: Sequence[core.Pattern], M: core.Computation, scope: Scope) -> core.Computation:
    """``λp1. … λpn. M``: all arguments are taken before the first is taken apart"""
    names = [p.name if isinstance(p, core.NamePattern) else scope.unnamed() for p in patterns]
    for x, p in reversed(list(zip(names, patterns, strict=True))):
        if not isinstance(p, core.NamePattern):
            M = core.Match(core.Variable(x), (core.Branch(p, M),))
    for x in reversed(names):
        M = core.Lambda(x, M)
    return M


def nested(lets: Sequence[tuple[core.Pattern, core.Computation]], M: core.Computation) -> core.Computation:
    """``let p = N in … M``; ``let x = N in x`` is ``N``"""
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
