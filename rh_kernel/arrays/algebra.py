"""Equations that hold in every array program: ``x + 0 = x``, ``1 · x = x``, ``(xᵀ)ᵀ = x``, …, read from left to right."""

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from rh_kernel.arrays.linearity import vanishes
from rh_kernel.arrays.program import Operator, Register, extent_of
from rh_kernel.primitives.formulas import OUTER, SCALE
from rh_kernel.primitives.schemes import extent, instantiate
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import dim


@dataclass(frozen=True, slots=True)
class Apply:
    """``f(r₁, …, rₙ)``, to be simplified further"""

    operator: Operator
    arguments: tuple[Register, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """The array of an existing register"""

    register: Register


@dataclass(frozen=True, slots=True)
class Holds:
    """A constant"""

    array: Array


Simpler = Apply | Is | Holds


class Facts(Protocol):
    """What is known of the registers assigned so far."""

    def uniform(self, r: Register) -> float | None:
        """The one number that all entries of a constant are, or ``None``."""
        ...

    def definition(self, r: Register) -> Apply | None:
        """The right-hand side of the register's equation, if it has one."""
        ...

    def constant(self, array: Array) -> Register:
        """The register of a constant."""
        ...


def simpler(f: Primitive, arguments: tuple[Register, ...], facts: Facts) -> Simpler | None:
    """The simpler side of an equation whose other side is ``f(arguments)``, or ``None`` if none is known here."""
    uniform = [facts.uniform(r) for r in arguments]
    if vanishes(f, [c == 0 for c in uniform]):
        return Holds(np.broadcast_to(np.zeros(1), extent_of(f)))
    match f.name:
        case "add" | "sub":
            return _sum(f, arguments, uniform, facts)
        case "neg":
            return _negative(arguments[0], facts)
        case "mul":
            return _product(arguments, uniform, facts)
        case "div" if uniform[1] == 1:
            return Is(arguments[0])
        case "scale":
            return _scaled(f, arguments, uniform)
        case "transpose":
            return _transposed(arguments[0], facts)
        case "reshape":
            return _reshaped(f, arguments[0], facts)
        case "sum":
            return _total(f, arguments[0], facts)
        case _:
            return None


def _made_by(name: str, r: Register, facts: Facts) -> Apply | None:
    found = facts.definition(r)
    return found if found and isinstance(found.operator, Primitive) and found.operator.name == name else None


def _named(name: str, f: Primitive) -> Primitive:
    """The symbol ``name`` on two arrays of the shape of f's result."""
    return Primitive(name, f.at, f.domain, f.codomain)


def _sum(f: Primitive, arguments: tuple[Register, ...], uniform: list[float | None], facts: Facts) -> Simpler | None:
    x, y = arguments
    if uniform[1] == 0:
        return Is(x)
    if uniform[0] == 0:
        return Is(y) if f.name == "add" else Apply(Primitive("neg", f.at, f.codomain, f.codomain), (y,))
    if found := _made_by("neg", y, facts):
        return Apply(_named("sub" if f.name == "add" else "add", f), (x, *found.arguments))
    if f.name == "add" and (found := _made_by("neg", x, facts)):
        return Apply(_named("sub", f), (y, *found.arguments))
    return None


def _negative(x: Register, facts: Facts) -> Simpler | None:
    if found := _made_by("neg", x, facts):
        return Is(found.arguments[0])
    if found := _made_by("sub", x, facts):
        return Apply(found.operator, (found.arguments[1], found.arguments[0]))
    return None


def _product(arguments: tuple[Register, ...], uniform: list[float | None], facts: Facts) -> Simpler | None:
    for i, r in enumerate(arguments):
        other = arguments[1 - i]
        if uniform[i] == 1:
            return Is(other)
        if (found := _made_by("fill", r, facts)) and isinstance(found.operator, Primitive):
            return Apply(instantiate("scale", SCALE, found.operator.at), (found.arguments[0], other))
    return None


def _scaled(f: Primitive, arguments: tuple[Register, ...], uniform: list[float | None]) -> Simpler | None:
    x = arguments[1]
    if uniform[0] == 1:
        return Is(x)
    if uniform[0] == -1:
        return Apply(Primitive("neg", f.at, f.codomain, f.codomain), (x,))
    return None


def _transposed(x: Register, facts: Facts) -> Simpler | None:
    if found := _made_by("transpose", x, facts):
        return Is(found.arguments[0])
    if found := _made_by("outer", x, facts):
        m, n = extent_of(found.operator)
        return Apply(instantiate("outer", OUTER, (dim(n), dim(m))), (found.arguments[1], found.arguments[0]))
    return None


def _reshaped(f: Primitive, x: Register, facts: Facts) -> Simpler | None:
    if f.domain == f.codomain:
        return Is(x)
    if (found := _made_by("reshape", x, facts)) and isinstance(found.operator, Primitive):
        g = Primitive("reshape", (f.at[0], found.operator.at[1]), found.operator.domain, f.codomain)
        return Apply(g, found.arguments)
    return None


def _total(f: Primitive, x: Register, facts: Facts) -> Simpler | None:
    if found := _made_by("fill", x, facts):
        entries = facts.constant(np.array([float(prod(extent(f.domain)))]))
        return Apply(instantiate("scale", SCALE, ((dim(1),),)), (entries, *found.arguments))
    return None
