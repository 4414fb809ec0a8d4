"""Regions and their tapes: what the compiler notes while it runs forward, to go back through it (RH Fig. 6, Fig. 7).

A region is the body of one ``W.rd(x. N)(V)`` or of one ``rev handle``. Its tape lists, latest first, what happened in it to
values that depend on its variables. Tapes are persistent lists: a continuation may be run twice, each run with its own tape.
"""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.arrays.values import Slot, Symbolic
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Defined, Primitive, Scope


@dataclass(frozen=True, slots=True)
class Applied:
    """``y = f(x₁, …, xₙ)``"""

    function: Primitive
    arguments: tuple[Symbolic, ...]
    result: Slot


@dataclass(frozen=True, slots=True)
class Aliased:
    """``y = x``, where a region inside began, or a value came back to one outside"""

    source: Slot
    result: Slot


@dataclass(frozen=True, slots=True)
class Called:
    """``y = f(x)``, at the place ``span``, for a definition that brings its own derivative"""

    function: Defined
    argument: Symbolic
    result: Symbolic
    span: Span | None


@dataclass(frozen=True, slots=True)
class Performed:
    """``y ⇐ Op(x)``: the forward clause gave y and the auxiliary z, and ``backward`` is ``y, z. Q^b`` in ``environment``"""

    argument: Symbolic
    result: Symbolic
    auxiliary: Symbolic
    backward: Scope
    environment: "Environment"


Entry: TypeAlias = Applied | Aliased | Called | Performed
Tape: TypeAlias = "tuple[Entry, Tape] | None"


@dataclass(frozen=True, slots=True)
class Region:
    """An active region: its own bit, its tape, the region around it, and the bits of both and of all further out."""

    bit: int
    tape: Tape
    outer: "Region | None"
    bits: int


def enter(bit: int, tape: Tape, outer: Region | None) -> Region:
    """The region of that bit inside ``outer``."""
    return Region(bit, tape, outer, bit | (outer.bits if outer else 0))


def record(region: Region | None, entry: Entry, active: int) -> Region | None:
    """The regions with ``entry`` on the tape of each whose bit is in ``active``."""
    passed: list[Region] = []
    while region is not None and active & region.bits:
        passed.append(region)
        region = region.outer
    for cell in reversed(passed):
        tape = (entry, cell.tape) if active & cell.bit else cell.tape
        region = Region(cell.bit, tape, region, cell.bits)
    return region


@dataclass(frozen=True, slots=True)
class Continuation:
    """``k`` of an ordinary clause: the stretches of the stack from the operation to its handler, innermost first."""

    stretches: tuple[object, ...]


Environment: TypeAlias = "tuple[Symbolic | Continuation, Environment] | None"
