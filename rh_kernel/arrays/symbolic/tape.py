"""Regions and their tapes: what the compiler notes while it runs forward, to go back through it (RH Fig. 6, Fig. 7).

A region is the body of one ``W.rd(x. N)(V)`` or of one ``rev handle``. Its tape lists, latest first, what happened in it to
values that depend on its variables. Tapes are persistent lists: a continuation may be run twice, each run with its own tape.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.arrays.symbolic.values import Slot, Symbolic
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Defined, Primitive, Scope
from rh_kernel.syntax.signature import Location


@frozen
class Applied:
    """``y = f(x₁, …, xₙ)``"""

    function: Primitive
    arguments: tuple[Symbolic, ...]
    result: Slot


@frozen
class Aliased:
    """``y = x``, where a region inside began, or a value came back to one outside"""

    source: Slot
    result: Slot


@frozen
class Called:
    """``y = f(x)``, at the place ``span``, for a definition that brings its own derivative"""

    function: Defined
    argument: Symbolic
    result: Symbolic
    span: Span | None


@frozen
class Performed:
    """``y ⇐ Op(x)``: the forward clause gave y and the auxiliary z, and ``backward`` is the rest of the clause"""

    argument: Symbolic
    result: Symbolic
    auxiliary: Symbolic
    backward: "Closure"


Entry: TypeAlias = Applied | Aliased | Called | Performed
Tape: TypeAlias = "tuple[Entry, Tape] | None"


@dataclass(slots=True)
class Region:
    """An active region: its own bit, the region around it, and the bits of both and of all further out; its tape grows."""

    bit: int
    tape: Tape
    outer: "Region | None"
    bits: int


def enter(bit: int, tape: Tape, outer: Region | None) -> Region:
    """The region of that bit inside ``outer``."""
    return Region(bit, tape, outer, bit | (outer.bits if outer else 0))


def record(region: Region | None, entry: Entry, active: int) -> None:
    """Puts ``entry`` on the tape of each region, from this one outwards, whose bit is in ``active``."""
    while region is not None and active & region.bits:
        if active & region.bit:
            region.tape = (entry, region.tape)
        region = region.outer


@frozen
class Continuation:
    """``k`` of an ordinary clause: the stretches of the stack from the operation to its handler, innermost first."""

    stretches: tuple[object, ...]


Names: TypeAlias = Mapping[str, Location]
"""What the location parameters of the clauses stand for that one is in."""

Environment: TypeAlias = "tuple[Symbolic | Continuation | None, Environment | None, Names]"
"""The value of variable 0, the environment of the others, and what the location parameters stand for here."""

NO_NAMES: Names = MappingProxyType({})
EMPTY: Environment = (None, None, NO_NAMES)


Evaluator: TypeAlias = Callable[[Environment], Symbolic]
"""A term, as a function of the values of its variables."""


@frozen
class Closure:
    """A scope of which all but the last ``arity`` variables have values, in ``environment``, under these names."""

    scope: Scope
    arity: int
    environment: Environment
    names: Names
