"""The commands of backpropagators that add to accumulators (the monad EVM of Efficient CHAD; digest of CHAD, §5).

``C D ::= pure | C >> D | add x t | add Γ t | x' • t | let v = t in C | scope x C >>= λ̲v. D`` and loops. A variable of the
program has an accumulator of its name while the backpropagator of what it is bound in runs. Linear terms are those of the
target, and their zeros take no room.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.ad.chad.target.terms import Backward, Effect, Term
from rh_kernel.ad.chad.target.traversal import subterms


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


def terms_of(command: Command) -> Iterator[Term | Command]:
    """The command, all commands in it, and the terms that stand in them."""
    pending: list[Command] = [command]
    while pending:
        C = pending.pop()
        yield C
        match C:
            case Done():
                pass
            case Then(first, second):
                pending += (second, first)
            case Add(_, t) | Spread(_, t):
                yield t
            case Send(t, s):
                yield t
                yield s
            case LetCotangent(_, t, rest):
                yield t
                pending.append(rest)
            case Scoped(_, inner, _, rest):
                pending += (rest, inner)
            case Returning(t, s, _, _, rest) | ForEach(_, t, s, _, _, rest):
                yield t
                yield s
                pending.append(rest)
            case FromTheRight(_, t, s, r, _, _, rest):
                yield t
                yield from (part for part in (s, r) if part is not None)
                pending.append(rest)


def all_terms(t: Term) -> Iterator[Term | Command]:
    """The term and all terms and commands in it."""
    pending = [t]
    while pending:
        for s in subterms(pending.pop()):
            yield s
            if isinstance(s, Backward):
                for part in terms_of(cast(Command, s.command)):
                    if isinstance(part, Command):
                        yield part
                    else:
                        pending.append(part)


def count(t: Term) -> int:
    """How many nodes a term with its commands has."""
    return sum(1 for _ in all_terms(t))
