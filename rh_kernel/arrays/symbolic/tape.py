"""Regions and their tapes, recorded in the forward pass and traversed in the backward pass (RH Fig. 6, Fig. 7).

A region is the body of one ``W.rd(x. N)(V)`` or one ``rev handle``. Its tape lists, latest first, what was computed in it from
its variables. Tapes are persistent lists, because a continuation may be resumed twice, each time with its own tape.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.arrays.symbolic.rolled import Rolled
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, unpack
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Defined, Primitive, Scope
from rh_kernel.syntax.signature import Location, LocationFamily


@frozen
class Applied:
    """``y = f(x₁, …, xₙ)``, computed by a ``command``"""

    function: Primitive
    arguments: tuple[Symbolic, ...]
    result: Slot
    command: Span | None = None


@frozen
class Aliased:
    """``y = x``, at the start of an inner region, or for a value returned to an outer one"""

    source: Slot
    result: Slot


@frozen
class Called:
    """``y = f(x)``, called at ``span``, for a definition with a user-defined derivative

    ``guard`` is 1 where the branch that calls it is taken, else 0; ``None`` outside branches.
    """

    function: Defined
    argument: Symbolic
    result: Symbolic
    span: Span | None
    guard: Slot | None = None


@frozen
class Performed:
    """``y ⇐ Op(x)``: the forward clause returned y and the auxiliary z; ``backward`` is the backward clause"""

    argument: Symbolic
    result: Symbolic
    auxiliary: Symbolic
    backward: "Closure"


@frozen
class Gated:
    """``y = x``, at the start of a branch that is taken where the number ``condition`` is 1, not where it is 0

    Back through it goes the cotangent if the branch is taken, else 0, even if the cotangent is infinite or nan.
    """

    source: Slot
    result: Slot
    condition: Slot


@frozen
class Branched:
    """The pieces of the tape that the branches of a conditional command have recorded; the first is taken if the number is 1"""

    condition: Slot
    then: "Tape"
    otherwise: "Tape"


@frozen
class Looped:
    """The entries that a round of a loop has recorded"""

    loop: Rolled
    piece: "Tape"


Entry: TypeAlias = Applied | Aliased | Called | Performed | Gated | Branched | Looped
Tape: TypeAlias = "tuple[Entry, Tape] | None"


@dataclass(slots=True)
class Region:
    """An active region: its bit, the enclosing region, and the bits of both and of all further out; its tape grows."""

    bit: int
    tape: Tape
    outer: "Region | None"
    bits: int


def enter(bit: int, tape: Tape, outer: Region | None) -> Region:
    """Return a region with that bit inside ``outer``."""
    return Region(bit, tape, outer, bit | (outer.bits if outer else 0))


def copied(region: Region | None) -> Region | None:
    """Return the region and those further out with the same tapes, which grow on their own from here on."""
    return None if region is None else Region(region.bit, region.tape, copied(region.outer), region.bits)


def record(region: Region | None, entry: Entry, active: int) -> None:
    """Record ``entry`` on the tape of each region, from this one outwards, whose bit is in ``active``."""
    while region is not None and active & region.bits:
        if active & region.bit:
            region.tape = (entry, region.tape)
        region = region.outer


@frozen
class Continuation:
    """``k`` of an ordinary clause: the segments of the stack from the operation to its handler, innermost first."""

    stretches: tuple[object, ...]


Names: TypeAlias = Mapping[str, Location | LocationFamily]
"""The locations and families bound to the location parameters of the enclosing clauses."""

Environment: TypeAlias = "tuple[Symbolic | Continuation | None, Environment | None, Names]"
"""The value of variable 0, the environment of the others, and the locations bound here."""

NO_NAMES: Names = MappingProxyType({})
EMPTY: Environment = (None, None, NO_NAMES)


Evaluator: TypeAlias = Callable[[Environment], Symbolic]
"""A compiled term: a function of its environment."""


@frozen
class Closure:
    """A scope in an environment that binds all but its last ``arity`` variables, and the location parameters ``names``."""

    scope: Scope
    arity: int
    environment: Environment
    names: Names


def variable(index: int, environment: Environment) -> Symbolic:
    """Return the value of the variable. Raises ``KernelBug`` if it is not bound to a value."""
    V = entry_at(index, environment)
    if isinstance(V, Continuation):
        raise KernelBug("a continuation is no term")
    return V


def entry_at(index: int, environment: Environment) -> "Symbolic | Continuation":
    """Return what the variable is bound to. Raises ``KernelBug`` if it is not bound."""
    cell: Environment | None = environment
    while index and cell is not None:
        cell = cell[1]
        index -= 1
    if cell is None or cell[0] is None:
        raise KernelBug("a variable is not bound")
    return cell[0]


def bind(scope: Scope, V: Symbolic, environment: Environment) -> Environment:
    """Return the environment with the scope's variables bound to the components of V."""
    names = environment[2]
    for W in unpack(V, len(scope.hints)):
        environment = (W, environment, names)
    return environment
