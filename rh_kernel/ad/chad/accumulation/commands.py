"""The commands of backpropagators that add to accumulators (the monad EVM of Efficient CHAD; digest of CHAD, §5).

``C D ::= pure | C >> D | add x t | add Γ t | x' • t | let v = t in C | scope x C >>= λ̲v. D`` and loops. While the
backpropagator of the body of a binder runs, the bound variable has an accumulator of its name. Linear terms are those of the
target language; their values are sparse.
"""

from typing import TypeAlias

from rh_kernel.ad.chad.target.terms import Effect, Scope, Term
from rh_kernel.source.records import frozen
from rh_kernel.source.traversal import Traversal


@frozen
class Pure(Effect):
    """``pure``"""


@frozen
class Sequence(Effect):
    """``C >> D``"""

    first: "Command"
    second: "Command"


@frozen
class Add(Effect):
    """``add x t``"""

    name: str
    operand: Term


@frozen
class AddCaptured(Effect):
    """``add ⟨x1, …, xk⟩ t``, where the components of t are the cotangents of the captured variables of a function"""

    names: tuple[str, ...]
    operand: Term


@frozen
class Backpropagate(Effect):
    """``x' • t``; it does nothing if t is zero"""

    function: Term
    operand: Term


@frozen
class LetCotangent(Effect):
    """``let v = t in C``"""

    name: str
    operand: Term
    rest: "Command"


@frozen
class WithAccumulator(Effect):
    """``scope x C >>= λ̲v. D``, where v is the final content of the accumulator of x"""

    name: str
    inner: "Command"
    result: str
    rest: "Command"


@frozen
class BackpropagateCall(Effect):
    """``let ⟨e, v⟩ = f • t in C``, where e and v are the cotangents of the captured variables and of the argument"""

    function: Term
    operand: Term
    captured: str
    argument: str
    rest: "Command"


@frozen
class ForEach(Effect):
    """``let ⟨d, …⟩ = each (b v. scope x … (b • v), s, t) in C`` for an array s of backpropagators"""

    size: int
    array: Term
    operand: Term
    names: tuple[str, ...]
    results: tuple[str, ...]
    rest: "Command"


@frozen
class FoldRight(Effect):
    """``let ⟨w, d⟩ = mapAccumR(b v. scope a x (b • v), s, t) in C``; ``start`` is ``None`` for ``t = 0``

    ``outputs`` are the cotangents that are added to the accumulator before each step.
    """

    size: int
    array: Term
    start: Term | None
    outputs: Term | None
    names: tuple[str, str]
    results: tuple[str, str]
    rest: "Command"


Command: TypeAlias = (
    Pure
    | Sequence
    | Add
    | AddCaptured
    | Backpropagate
    | LetCotangent
    | WithAccumulator
    | BackpropagateCall
    | ForEach
    | FoldRight
)


_TERMS = Traversal[Term | Command](Term | Command, Scope)

all_terms, count = _TERMS.subterms, _TERMS.count
"""All terms and commands in a term, and their number."""
