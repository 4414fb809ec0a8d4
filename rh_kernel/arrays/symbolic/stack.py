"""The stack of the abstract machine for commands: frames, and the handlers that divide them into segments."""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.arrays.symbolic.clauses import Clauses
from rh_kernel.arrays.symbolic.cotangents import Cotangents
from rh_kernel.arrays.symbolic.sequences import Scanning
from rh_kernel.arrays.symbolic.tape import Closure, Environment, Tape
from rh_kernel.arrays.symbolic.values import Slot, Symbolic
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import OrdinaryHandler, Repeat, ReverseHandler, Scope


@frozen
class Reverse:
    """The delimiter of a region: ``rev handle (…) ⟨variables⟩. [ ] with H``"""

    handler: ReverseHandler
    clauses: Clauses
    environment: Environment
    variables: tuple[Symbolic, ...]


@frozen
class Ordinary:
    """``handle [ ] with H``"""

    handler: OrdinaryHandler
    clauses: Clauses
    environment: Environment


Edge: TypeAlias = Reverse | Ordinary


@frozen
class Then:
    """``let x ⇐ [ ] in Q``"""

    scope: Scope
    environment: Environment


@frozen
class Paired:
    """``let y ⇐ [ ] in ⌊⟨y, 0⟩⌋``: forwards an operation for which a reverse handler has no clause"""


@frozen
class Forwarded:
    """Below a region: the forward clause is running; the region's body, ``stretches``, resumes with its result ``y``."""

    argument: Symbolic
    backward: Closure
    stretches: "tuple[StackSegment, ...]"
    bit: int
    tape: Tape


@frozen
class Resumed:
    """Outside of an ordinary handler: a clause is running that ends with ``k • [ ]``, for the continuation ``stretches``."""

    stretches: "tuple[StackSegment, ...]"


@frozen
class Returned:
    """Below a region: the return clause is running on the body's ``result``."""

    result: Symbolic
    variables: tuple[Symbolic, ...]
    bit: int
    tape: Tape


@frozen
class Backward:
    """Below a region: a backward clause is running; ``tape`` is the rest to go back through. ``cotangents`` is not modified."""

    argument: Symbolic
    variables: tuple[Symbolic, ...]
    bit: int
    tape: Tape
    cotangents: Cotangents


@frozen
class Rounds:
    """``repeat next ≤ i < n from s = [ ] do P``"""

    repeat: Repeat
    next: int
    environment: Environment


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """The end of a branch of a conditional, compared by identity"""


@frozen
class AfterBranch:
    """Below a region: a branch is gone back through, which gives the cotangents of ``captured``; then as ``Backward``."""

    captured: tuple[Slot, ...]
    variables: tuple[Symbolic, ...]
    bit: int
    tape: Tape
    cotangents: Cotangents


Frame: TypeAlias = Then | Paired | Forwarded | Resumed | Returned | Backward | Scanning | Rounds | Marker | AfterBranch
Frames: TypeAlias = "tuple[Frame, Frames] | None"


@frozen
class StackSegment:
    """A segment of the stack: the frames inside a handler, and the handler."""

    frames: Frames
    edge: Edge


@frozen
class Outside:
    """The stack outside the innermost segment: its handler, the frames next to it, and so on."""

    edge: Edge
    frames: Frames
    outside: "Outside | None"
