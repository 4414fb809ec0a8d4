"""Algebraic simplification: rewrite rules ``x − 0 → x``, ``1 · x → x``, ``(xᵀ)ᵀ → x``, … for array programs.

The rules preserve the signs of zeros: ``x + 0`` is 0.0 where x is −0.0, so it is rewritten only if x cannot be −0.0.
"""

from collections.abc import Callable, Mapping
from math import copysign, isfinite, prod
from types import MappingProxyType
from typing import Protocol, TypeAlias

import numpy as np

from rh_kernel.arrays.program import Equation, Operator, Register, extent_of
from rh_kernel.arrays.rewrites.linearity import vanishes
from rh_kernel.primitives.linear import OUTER, SCALE, TWO_TO_SCALAR
from rh_kernel.primitives.schemes import extent, index, instantiate
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import factors


@frozen
class Apply:
    """``f(r₁, …, rₙ)``, to be simplified further"""

    operator: Operator
    arguments: tuple[Register, ...]


@frozen
class Is:
    """The array of an existing register"""

    register: Register


@frozen
class Holds:
    """A constant"""

    array: Array


Simpler: TypeAlias = Apply | Is | Holds
Arguments: TypeAlias = tuple[Register, ...]
Uniform: TypeAlias = list[float | None]


class Facts(Protocol):
    """Facts about the registers assigned so far."""

    def uniform(self, r: Register) -> float | None:
        """Return the number that all entries of a constant equal, or ``None``."""
        ...

    def definition(self, r: Register) -> Equation | None:
        """Return the equation that defines the register, if any."""
        ...

    def constant(self, array: Array) -> Register:
        """Return the register of a constant."""
        ...


def simpler(f: Primitive, arguments: Arguments, facts: Facts) -> Simpler | None:
    """Rewrite ``f(arguments)`` by one rule; ``None`` if no rule applies."""
    uniform = [facts.uniform(r) for r in arguments]
    if 0 in uniform:
        zero = _zero(f, uniform)
        if zero is not None:
            return Holds(np.broadcast_to(np.array([zero]), extent_of(f)))
    if f.domain == f.codomain and SYMBOLS[f.name].is_identity_at_equal_types:
        return Is(arguments[0])
    rule = _RULES.get(f.name)
    return None if rule is None else rule.find(f, arguments, uniform, facts)


def _zero(f: Primitive, uniform: Uniform) -> float | None:
    """The 0.0 or −0.0 that all entries of the result equal, if the arguments are known numbers and some are zeros."""
    if not all(c is not None and isfinite(c) for c in uniform) or (f.name == "div" and uniform[1] == 0):
        return None
    known = [c for c in uniform if c is not None]
    if SYMBOLS[f.name].is_product and vanishes(f, [c == 0 for c in known]):
        return prod([copysign(1.0, c) for c in known]) * 0.0
    plain = f.name not in {"neg", "sub"} and all(c != 0 or copysign(1.0, c) > 0 for c in known)
    return 0.0 if plain and vanishes(f, [c == 0 for c in known]) else None


def partners(f: Operator) -> frozenset[str] | None:
    """Return the symbols one of which must define an argument of f for a rule to apply, if no argument is a constant.

    ``None`` if a rule may apply whatever defines the arguments.
    """
    if not isinstance(f, Primitive) or f.name == "concat" or _may_be_identity(f):
        return None
    rule = _RULES.get(f.name)
    return frozenset() if rule is None else rule.partners


def _may_be_identity(f: Primitive) -> bool:
    return f.domain == f.codomain and (f.name == "reshape" or SYMBOLS[f.name].is_identity_at_equal_types)


def _made_by(name: str, r: Register, facts: Facts) -> Equation | None:
    found = facts.definition(r)
    return found if found and isinstance(found.operator, Primitive) and found.operator.name == name else None


def _named(name: str, f: Primitive) -> Primitive:
    """The binary entrywise symbol ``name`` at the types of f."""
    return Primitive(name, f.at, f.domain, f.codomain)


def _sum(f: Primitive, arguments: Arguments, uniform: Uniform, facts: Facts) -> Simpler | None:
    x, y = arguments
    if uniform[1] == 0 and (_is_neutral(uniform[1], f.name) or _never_negative_zero(x, facts)):
        return Is(x)
    if uniform[0] == 0 and f.name == "add" and (_is_neutral(uniform[0], "add") or _never_negative_zero(y, facts)):
        return Is(y)
    if uniform[0] == 0 and f.name == "sub" and copysign(1.0, uniform[0]) < 0:
        return Apply(Primitive("neg", f.at, f.codomain, f.codomain), (y,))
    if found := _made_by("neg", y, facts):
        return Apply(_named("sub" if f.name == "add" else "add", f), (x, *found.arguments))
    if f.name == "add" and (found := _made_by("neg", x, facts)):
        return Apply(_named("sub", f), (y, *found.arguments))
    return None


def _is_neutral(zero: float, f: str) -> bool:
    """Whether ``x + zero``, or ``x − zero``, is x, also where x is the other zero."""
    return (copysign(1.0, zero) < 0) == (f == "add")


def _never_negative_zero(r: Register, facts: Facts) -> bool:
    """Whether no entry can be −0.0, since it is a sum that starts from 0.0."""
    found = facts.definition(r)
    return found is not None and isinstance(found.operator, Primitive) and SYMBOLS[found.operator.name].sums_from_zero


def _negative(_: Primitive, arguments: Arguments, __: Uniform, facts: Facts) -> Simpler | None:
    (x,) = arguments
    # −(x − y) is not y − x where they are equal, since the zeros have different signs.
    found = _made_by("neg", x, facts)
    return Is(found.arguments[0]) if found else None


def _product(_: Primitive, arguments: Arguments, uniform: Uniform, facts: Facts) -> Simpler | None:
    for i, r in enumerate(arguments):
        other = arguments[1 - i]
        if uniform[i] == 1:
            return Is(other)
        if (found := _made_by("fill", r, facts)) and isinstance(found.operator, Primitive):
            return Apply(instantiate("scale", SCALE, found.operator.at), (found.arguments[0], other))
    return None


def _quotient(_: Primitive, arguments: Arguments, uniform: Uniform, __: Facts) -> Simpler | None:
    return Is(arguments[0]) if uniform[1] == 1 else None


def _scaled(f: Primitive, arguments: Arguments, uniform: Uniform, _: Facts) -> Simpler | None:
    x = arguments[1]
    if uniform[0] == 1:
        return Is(x)
    if uniform[0] == -1:
        return Apply(Primitive("neg", f.at, f.codomain, f.codomain), (x,))
    return None


def _transposed(_: Primitive, arguments: Arguments, __: Uniform, facts: Facts) -> Simpler | None:
    (x,) = arguments
    if found := _made_by("transpose", x, facts):
        return Is(found.arguments[0])
    if found := _made_by("outer", x, facts):
        m, n = extent_of(found.operator)
        return Apply(instantiate("outer", OUTER, (dim(n), dim(m))), (found.arguments[1], found.arguments[0]))
    return None


def _reshaped(f: Primitive, arguments: Arguments, _: Uniform, facts: Facts) -> Simpler | None:
    (x,) = arguments
    if f.domain == f.codomain:
        return Is(x)
    if (found := _made_by("reshape", x, facts)) and isinstance(found.operator, Primitive):
        g = Primitive("reshape", (f.at[0], found.operator.at[1]), found.operator.domain, f.codomain)
        return Apply(g, found.arguments)
    return None


def _joined(f: Primitive, arguments: Arguments, _: Uniform, __: Facts) -> Simpler | None:
    x, y = (extent(A) for A in factors(f.domain, 2))
    if x[0] == 0:
        return Is(arguments[1])
    return Is(arguments[0]) if y[0] == 0 else None


def _sliced(f: Primitive, arguments: Arguments, _: Uniform, facts: Facts) -> Simpler | None:
    """A slice of a concatenation that is one of its two arrays."""
    (x,) = arguments
    found = _made_by("concat", x, facts)
    if found is None or not isinstance(found.operator, Primitive):
        return None
    m = extent(factors(found.operator.domain, 2)[0])[0]
    lo, hi = index(f, 0), index(f, 1)
    if (lo, hi) == (0, m):
        return Is(found.arguments[0])
    return Is(found.arguments[1]) if (lo, hi) == (m, extent_of(found.operator)[0]) else None


def _total(f: Primitive, arguments: Arguments, _: Uniform, facts: Facts) -> Simpler | None:
    (x,) = arguments
    if (found := _made_by("fill", x, facts)) and 0 not in extent(f.domain):
        entries = facts.constant(np.array([float(prod(extent(f.domain)))]))
        # This is also a sum that starts from 0.0.
        return Apply(instantiate("dot", TWO_TO_SCALAR, ((dim(1),),)), (entries, *found.arguments))
    return None


def _selected(f: Primitive, arguments: Arguments, uniform: Uniform, facts: Facts) -> Simpler | None:
    """``select(c, x, y)`` for a known c"""
    c = uniform[0]
    return None if c is None else Is(arguments[1] if c > 0 else arguments[2])


@frozen
class _Rule:
    """A rule, and the symbols one of which must define an argument for it to apply, if no argument is a constant."""

    find: Callable[[Primitive, Arguments, Uniform, Facts], Simpler | None]
    partners: frozenset[str] = frozenset()


_RULES: Mapping[str, _Rule] = MappingProxyType(
    {
        "add": _Rule(_sum, frozenset({"neg"})),
        "sub": _Rule(_sum, frozenset({"neg"})),
        "neg": _Rule(_negative, frozenset({"neg"})),
        "mul": _Rule(_product, frozenset({"fill"})),
        "div": _Rule(_quotient),
        "scale": _Rule(_scaled),
        "select": _Rule(_selected),
        "transpose": _Rule(_transposed, frozenset({"transpose", "outer"})),
        "reshape": _Rule(_reshaped, frozenset({"reshape"})),
        "sum": _Rule(_total, frozenset({"fill"})),
        "concat": _Rule(_joined),
        "slice": _Rule(_sliced, frozenset({"concat"})),
    }
)
