"""Closed values and their parts as functions of the environment: ``V ↦ (ρ ↦ V[ρ])``, and where ρ has what.

A scope says how a variable is read: it is at a place of ρ, it is constant, or it is to be computed when it is needed, which is
done with what has no effect and is used once.
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
    """The same in every ρ."""

    value: Value


@dataclass(frozen=True, slots=True)
class Computed:
    """``function(ρ)``; ``test``, if there is one, gives it as a truth value of Python.

    If it puts something behind ρ, it has to know where ρ ends: then ``width`` is how many places the ρ has that it is for.
    ``depth`` is how many functions call one another in it at most, or more.
    """

    function: Compute
    test: Compute | None = None
    width: int | None = None
    depth: int = 1


Expression: TypeAlias = Slot | Constant | Computed


@dataclass(frozen=True, slots=True)
class Scope:
    """How the variables are read, how many places ρ has, and of which handler it is known that it is innermost, if of any."""

    names: Mapping[str, Expression]
    width: int
    around: Handling | None = None

    def read(self, x: str) -> Expression:
        """How x is read from this ρ."""
        return seen(self.names[x], self.width)

    @property
    def depth(self) -> int:
        """The depth of what is computed when it is read."""
        return max([V.depth for V in self.names.values() if isinstance(V, Computed)], default=0)

    def with_(self, x: str, expression: Expression) -> "Scope":
        """X is read so."""
        return Scope({**self.names, x: expression}, self.width, self.around)

    def extended(self, x: str) -> "Scope":
        """X is at one more place, the last."""
        return Scope({**self.names, x: Slot(self.width)}, self.width + 1, self.around)

    def wider(self, count: int) -> "Scope":
        """There are more places."""
        return Scope(self.names, self.width + count, self.around)

    def only(self, names: Mapping[str, Expression]) -> "Scope":
        """The same ρ for other variables."""
        return Scope(names, self.width, self.around)

    def within(self, around: Handling | None) -> "Scope":
        """The same ρ inside of another handler."""
        return Scope(self.names, self.width, around)


def seen(expression: Expression, width: int) -> Expression:
    """The expression where ρ has got longer."""
    match expression:
        case Computed(function, test, own, depth) if own is not None and own != width:
            return Computed(lambda e: function(e[:own]), None if test is None else lambda e: test(e[:own]), depth=depth + 1)
        case _:
            return expression


def composed(function: Compute, parts: Sequence[Expression], test: Compute | None = None) -> Computed:
    """What is computed from these."""
    computed = [part for part in parts if isinstance(part, Computed)]
    width = next((part.width for part in computed if part.width is not None), None)
    return Computed(function, test, width, 1 + max([part.depth for part in computed], default=0))


def places(names: Iterable[str], around: Handling | None = None) -> Scope:
    """Each name has its place, in their order."""
    found = {x: Slot(i) for i, x in enumerate(names)}
    return Scope(found, len(found), around)


def reader(expression: Expression) -> Compute:
    """``ρ ↦ V``"""
    match expression:
        case Slot(i):
            return itemgetter(i)
        case Constant(value):
            return lambda _: value
        case Computed(function):
            return function


def gather(expressions: Sequence[Expression]) -> Compute:
    """``ρ ↦ (V, …, V)``"""
    slots = [e.index for e in expressions if isinstance(e, Slot)]
    if len(slots) == len(expressions) > 3:
        return itemgetter(*slots)
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
            f = reader(one)
            return lambda e: (k, f(e))
        case [Constant(k), one, two]:
            f, g = reader(one), reader(two)
            return lambda e: (k, f(e), g(e))
        case [one]:
            f = reader(one)
            return lambda e: (f(e),)
        case [Slot(i), two]:
            g = reader(two)
            return lambda e: (e[i], g(e))
        case [one, two]:
            f, g = reader(one), reader(two)
            return lambda e: (f(e), g(e))
        case [one, two, three]:
            f, g, h = reader(one), reader(two), reader(three)
            return lambda e: (f(e), g(e), h(e))
        case _:
            readers = [reader(e) for e in expressions]
            return lambda e: tuple([read(e) for read in readers])


def project(scope: Scope, live: Iterable[str]) -> tuple[Compute | None, Scope]:
    """What to keep of ρ for these variables, and how they are read then; ``None`` if ρ is kept as it is."""
    constants: dict[str, Expression] = {}
    slots: dict[int, list[str]] = {}
    computed: list[str] = []
    for x in live:
        match scope.read(x):
            case Constant() as one:
                constants[x] = one
            case Slot(i):
                slots.setdefault(i, []).append(x)
            case Computed():
                computed.append(x)
    kept = sorted(slots)
    names = {**constants, **{x: Slot(place) for place, i in enumerate(kept) for x in slots[i]}}
    names |= {x: Slot(len(kept) + n) for n, x in enumerate(computed)}
    after = Scope(names, len(kept) + len(computed), scope.around)
    if not computed and kept == list(range(scope.width)):
        return None, after
    return gather([Slot(i) for i in kept] + [scope.read(x) for x in computed]), after
