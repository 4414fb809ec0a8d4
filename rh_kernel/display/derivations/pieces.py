"""A derivation in pieces that fit on a page, as in a paper: ``𝒟₁`` stands for what is above a conclusion and is drawn apart."""

from collections import deque
from dataclasses import dataclass, replace
from itertools import islice

from rh_kernel.display.derivations.parts import Proof, fold, premises
from rh_kernel.syntax.printing.doc import cells, plain

WIDTH = 132
"""A piece is so many columns wide, where it can be cut."""

HIGHEST = 12
"""So many rules stand above each other in a piece."""

NARROW = 40
"""A subject is laid out in so many columns."""

LINES = 9
"""Of a subject so many lines are shown."""

WORTH = 12
"""What is cut out makes its piece at least so many columns narrower."""

_BETWEEN = 9
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Part:
    """A rule in its piece: so many premises stand in each of its ``rows``; its conclusion has ``own`` columns.

    ``cut`` says that what is above its conclusion is a piece of its own.
    """

    proof: Proof
    above: "tuple[Part, ...]"
    rows: tuple[int, ...]
    own: int
    width: int
    height: int
    cut: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Piece:
    """``𝒟₁``, and what it is; the first piece has no name. ``cuts`` are the names of what is cut out, from left to right."""

    name: str
    root: Part
    cuts: tuple[str, ...]


def pieces(root: Proof) -> tuple[Piece, ...]:
    """The pieces of a derivation, in the order in which one meets their names."""
    waiting = deque([("", fold(root, premises, _part))])
    found: list[Piece] = []
    count = 0
    while waiting:
        name, part = waiting.popleft()
        cut = _cuts(part)
        names = [f"𝒟{str(count + i).translate(_SUBSCRIPTS)}" for i in range(1, len(cut) + 1)]
        count += len(cut)
        waiting += zip(names, [replace(c, cut=False) for c in cut], strict=True)
        found.append(Piece(name, part, tuple(names)))
    return tuple(found)


def parts(part: Part) -> tuple[Part, ...]:
    """The premises, as far as they are in the same piece."""
    return () if part.cut else part.above


def subject_lines(proof: Proof) -> tuple[str, ...]:
    """The lines of the subject, as far as they are shown."""
    lines = plain(proof.judgment.subject, NARROW).split("\n")
    return tuple(lines if len(lines) <= LINES else [*lines[: LINES - 1], "⋮"])


def _part(proof: Proof, above: list[Part]) -> Part:
    """The rule over its premises; of those the widest are cut out until the rest fits."""
    kept = [_without(p) if p.height >= HIGHEST else p for p in above]
    while sum([p.width + _BETWEEN for p in kept]) > WIDTH:
        widest = max([p for p in kept if p.above and not p.cut], key=lambda p: p.width - p.own, default=None)
        if widest is None or widest.width - widest.own < WORTH:
            break
        kept = [_without(p) if p is widest else p for p in kept]
    rows = _rows([p.width for p in kept])
    if len(rows) > 1:
        # What is above a premise would stand under another one.
        kept = [_without(p) for p in kept]
    widths = iter([p.width + _BETWEEN for p in kept])
    beside = max([sum(islice(widths, count)) - _BETWEEN for count in rows], default=0)
    height = 1 + max([0 if p.cut else p.height for p in kept], default=0)
    own = _own(proof)
    return Part(proof, tuple(kept), rows, own, max(own, beside), height)


def _rows(widths: list[int]) -> tuple[int, ...]:
    """How many premises of these widths stand beside each other, row by row."""
    rows: list[int] = []
    room = 0
    for width in widths:
        room -= width + _BETWEEN
        if not rows or room < 0:
            rows.append(0)
            room = WIDTH - width
        rows[-1] += 1
    return tuple(rows)


def _without(part: Part) -> Part:
    return replace(part, width=part.own, height=1, cut=bool(part.above))


def _own(proof: Proof) -> int:
    """How wide the conclusion is."""
    j = proof.judgment
    return cells(j.left) + max([cells(line) for line in subject_lines(proof)]) + cells(j.right)


def _cuts(root: Part) -> list[Part]:
    """What is cut out of a piece, from left to right."""
    found: list[Part] = []
    pending = [root]
    while pending:
        part = pending.pop()
        if part.cut:
            found.append(part)
        else:
            pending += reversed(part.above)
    return found
