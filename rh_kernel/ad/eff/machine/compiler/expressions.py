"""Expressions: how a value is computed from the environment ρ of the machine, and scopes, which say where ρ has each variable.

A variable is a slot of ρ, a constant, or an expression that is evaluated at its use. Only an expression without effects that is
used once is evaluated that late.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from rh_kernel.ad.eff.machine.ir import Compute, Handling
from rh_kernel.ad.eff.machine.values import Value


@dataclass(frozen=True, slots=True)
class Slot:
    """``ρ[index]``"""

    index: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that does not depend on ρ."""

    value: Value


@dataclass(frozen=True, slots=True)
class Computed:
    """``function(ρ)``; ``test``, if given, computes the same truth value as a ``bool`` of Python.

    A function that appends to ρ relies on the length of ρ: then ``width`` is the length that it expects.
    ``depth`` is an upper bound of the depth of nested Python calls.
    """

    function: Compute
    test: Compute | None = None
    width: int | None = None
    depth: int = 1


Expression: TypeAlias = Slot | Constant | Computed


@dataclass(frozen=True, slots=True)
class Scope:
    """The expressions of the variables, the length of ρ, and the innermost handler if it is known statically."""

    names: Mapping[str, Expression]
    width: int
    innermost: Handling | None = None

    def read(self, x: str) -> Expression:
        """The expression of x for the current length of ρ."""
        return at_width(self.names[x], self.width)

    @property
    def depth(self) -> int:
        """The largest depth of a computed variable."""
        return max([V.depth for V in self.names.values() if isinstance(V, Computed)], default=0)

    def bind(self, x: str, expression: Expression) -> "Scope":
        """Bind x to an expression."""
        return Scope({**self.names, x: expression}, self.width, self.innermost)

    def push(self, x: str) -> "Scope":
        """Bind x to a new last slot."""
        return Scope({**self.names, x: Slot(self.width)}, self.width + 1, self.innermost)

    def only(self, names: Mapping[str, Expression]) -> "Scope":
        """The same ρ with other variables."""
        return Scope(names, self.width, self.innermost)

    def inside(self, innermost: Handling | None) -> "Scope":
        """The same ρ and variables inside of another handler."""
        return Scope(self.names, self.width, innermost)


def at_width(expression: Expression, width: int) -> Expression:
    """The expression for a ρ of length ``width``, which may be longer than the one that it was compiled for."""
    match expression:
        case Computed(function, test, own, depth) if own is not None and own != width:
            return Computed(lambda e: function(e[:own]), None if test is None else lambda e: test(e[:own]), depth=depth + 1)
        case _:
            return expression


def composed(function: Compute, parts: Sequence[Expression], test: Compute | None = None) -> Computed:
    """The expression for a function of ρ that evaluates these parts."""
    computed = [part for part in parts if isinstance(part, Computed)]
    width = next((part.width for part in computed if part.width is not None), None)
    return Computed(function, test, width, 1 + max([part.depth for part in computed], default=0))


def slots(names: Iterable[str], innermost: Handling | None = None) -> Scope:
    """The scope of a ρ that holds exactly these variables, in this order."""
    found = {x: Slot(i) for i, x in enumerate(names)}
    return Scope(found, len(found), innermost)


def closure(expression: Expression) -> Compute:
    """``ρ ↦ V``"""
    match expression:
        case Slot(i):
            return itemgetter(i)
        case Constant(value):
            return lambda _: value
        case Computed(function):
            return function


def gather(expressions: Sequence[Expression]) -> Compute:
    """``ρ ↦ (V, …, V)``, specialised to the frequent shapes of short tuples."""
    indices = [e.index for e in expressions if isinstance(e, Slot)]
    if len(indices) == len(expressions) > 3:
        return itemgetter(*indices)
    if all(isinstance(e, Constant) for e in expressions):
        made = tuple([e.value for e in expressions if isinstance(e, Constant)])
        return lambda _: made
    match expressions:
        case [Slot(i)]:
            return lambda e: (e[i],)
        case [Slot(i), Slot(j)]:
            return lambda e: (e[i], e[j])
        case [Slot(i), Slot(j), Slot(k)]:
            return lambda e: (e[i], e[j], e[k])
        case [Constant(k), Slot(i)]:
            return lambda e: (k, e[i])
        case [Constant(k), Slot(i), Slot(j)]:
            return lambda e: (k, e[i], e[j])
        case [Constant(k), Slot(i), Computed(g)]:
            return lambda e: (k, e[i], g(e))
        case [Constant(k), Computed(f), Slot(j)]:
            return lambda e: (k, f(e), e[j])
        case [Constant(k), Constant(m), *rest] if all(isinstance(e, Slot) for e in rest):
            front, behind = (k, m), gather(rest)
            return lambda e: front + behind(e)
        case [Constant(k), one]:
            f = closure(one)
            return lambda e: (k, f(e))
        case [Constant(k), one, two]:
            f, g = closure(one), closure(two)
            return lambda e: (k, f(e), g(e))
        case [one]:
            f = closure(one)
            return lambda e: (f(e),)
        case [Slot(i), two]:
            g = closure(two)
            return lambda e: (e[i], g(e))
        case [one, two]:
            f, g = closure(one), closure(two)
            return lambda e: (f(e), g(e))
        case [one, two, three]:
            f, g, h = closure(one), closure(two), closure(three)
            return lambda e: (f(e), g(e), h(e))
        case _:
            closures = [closure(e) for e in expressions]
            return lambda e: tuple([read(e) for read in closures])


def project(scope: Scope, live: Iterable[str]) -> tuple[Compute | None, Scope]:
    """A function that keeps of ρ what the live variables need, and their scope afterwards; ``None`` if all of ρ is kept."""
    constants: dict[str, Expression] = {}
    used: dict[int, list[str]] = {}
    computed: list[str] = []
    for x in live:
        match scope.read(x):
            case Constant() as one:
                constants[x] = one
            case Slot(i):
                used.setdefault(i, []).append(x)
            case Computed():
                computed.append(x)
    kept = sorted(used)
    names = {**constants, **{x: Slot(place) for place, i in enumerate(kept) for x in used[i]}}
    names |= {x: Slot(len(kept) + n) for n, x in enumerate(computed)}
    after = Scope(names, len(kept) + len(computed), scope.innermost)
    if not computed and kept == list(range(scope.width)):
        return None, after
    return gather([Slot(i) for i in kept] + [scope.read(x) for x in computed]), after
