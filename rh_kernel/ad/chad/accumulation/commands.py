"""The commands of backpropagators that add to accumulators (the monad EVM of Efficient CHAD; digest of CHAD, §5).

``C D ::= pure | C >> D | add x t | add Γ t | x' • t | let v = t in C | scope x C >>= λ̲v. D`` and loops. A variable of the
program has an accumulator of its name while the backpropagator of what it is bound in runs. Linear terms are those of the
target, and their zeros take no room.
"""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.chad.target.terms import Effect, Scope, Term
from rh_kernel.source.traversal import Traversal


@dataclass(frozen=True, slots=True)
class Done(Effect):
    """``pure``"""


@dataclass(frozen=True, slots=True)
class Then(Effect):
    """``C >> D``"""

    first: "Command"
    second: "Command"


@dataclass(frozen=True, slots=True)
class Add(Effect):
    """``add x t``"""

    name: str
    operand: Term


@dataclass(frozen=True, slots=True)
class Spread(Effect):
    """``add ⟨x1, …, xk⟩ t``: the components of t, which are the cotangents of what a function has captured"""

    names: tuple[str, ...]
    operand: Term


@dataclass(frozen=True, slots=True)
class Send(Effect):
    """``x' • t``: nothing happens if t is zero"""

    function: Term
    operand: Term


@dataclass(frozen=True, slots=True)
class LetCotangent(Effect):
    """``let v = t in C``"""

    name: str
    operand: Term
    rest: "Command"


@dataclass(frozen=True, slots=True)
class Scoped(Effect):
    """``scope x C >>= λ̲v. D``: v is what the accumulator of x has in the end"""

    name: str
    inner: "Command"
    result: str
    rest: "Command"


@dataclass(frozen=True, slots=True)
class Returning(Effect):
    """``let ⟨e, v⟩ = f • t in C``: e is for what the function had captured, v for its argument"""

    function: Term
    operand: Term
    captured: str
    argument: str
    rest: "Command"


@dataclass(frozen=True, slots=True)
class ForEach(Effect):
    """``let ⟨d, …⟩ = each (b v. scope x … (b • v), s, t) in C`` for an array s of backpropagators"""

    size: int
    array: Term
    operand: Term
    names: tuple[str, ...]
    results: tuple[str, ...]
    rest: "Command"


@dataclass(frozen=True, slots=True)
class FromTheRight(Effect):
    """``let ⟨w, d⟩ = mapAccumR(b v. scope a x (b • v), s, t) in C``; no t is zero

    ``outputs`` are cotangents that are added to w on the way.
    """

    size: int
    array: Term
    start: Term | None
    outputs: Term | None
    names: tuple[str, str]
    results: tuple[str, str]
    rest: "Command"


Command: TypeAlias = Done | Then | Add | Spread | Send | LetCotangent | Scoped | Returning | ForEach | FromTheRight


_TERMS = Traversal[Term | Command](Term | Command, Scope)

all_terms, count = _TERMS.subterms, _TERMS.count
"""A term and all terms and commands in it, and how many these are."""
