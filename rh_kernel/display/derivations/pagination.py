"""Splitting of a derivation into pieces that fit on a page: ``𝒟₁`` replaces a subderivation that is drawn separately."""

from collections import deque
from dataclasses import dataclass, replace
from itertools import islice

from rh_kernel.display.derivations.judgments import SUBSCRIPTS
from rh_kernel.display.derivations.proof_tree import Proof, fold, premises
from rh_kernel.syntax.printing.doc import cells, plain

WIDTH = 132
"""The largest width of a piece in columns, if it can be split."""

HIGHEST = 12
"""The most levels of a piece."""

NARROW = 40
"""The width in columns in which subjects are laid out."""

LINES = 9
"""The most lines of a subject."""

WORTH = 12
"""The least number of columns by which splitting must narrow a piece."""

_BETWEEN = 9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Part:
    """A rule in a piece, with the number of premises in each of its ``rows`` and the width ``own`` of its conclusion.

    ``cut`` says that the part above its conclusion is a separate piece.
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
    """A named part of a derivation; the first piece has no name. ``cuts`` names the pieces it refers to, from left to right."""

    name: str
    root: Part
    cuts: tuple[str, ...]


def pieces(root: Proof) -> tuple[Piece, ...]:
    """Split a derivation into pieces, in the order in which their names occur."""
    waiting = deque([("", fold(root, premises, _part))])
    found: list[Piece] = []
    count = 0
    while waiting:
        name, part = waiting.popleft()
        cut = _cuts(part)
        names = [f"𝒟{str(count + i).translate(SUBSCRIPTS)}" for i in range(1, len(cut) + 1)]
        count += len(cut)
        waiting += zip(names, [replace(c, cut=False) for c in cut], strict=True)
        found.append(Piece(name, part, tuple(names)))
    return tuple(found)


def parts(part: Part) -> tuple[Part, ...]:
    """The premises that are in the same piece."""
    return () if part.cut else part.above


def subject_lines(proof: Proof) -> tuple[str, ...]:
    """The lines of the subject that are shown."""
    lines = plain(proof.judgment.subject, NARROW).split("\n")
    return tuple(lines if len(lines) <= LINES else [*lines[: LINES - 1], "⋮"])


def _part(proof: Proof, above: list[Part]) -> Part:
    """Place a rule under its premises, cutting the widest of them until the rest fits."""
    kept = [_without(p) if p.height >= HIGHEST else p for p in above]
    while sum([p.width + _BETWEEN for p in kept]) > WIDTH:
        widest = max([p for p in kept if p.above and not p.cut], key=lambda p: p.width - p.own, default=None)
        if widest is None or widest.width - widest.own < WORTH:
            break
        kept = [_without(p) if p is widest else p for p in kept]
    rows = _rows([p.width for p in kept])
    if len(rows) > 1:
        # Rules above a premise would be below the premises of the previous row.
        kept = [_without(p) for p in kept]
    widths = iter([p.width + _BETWEEN for p in kept])
    beside = max([sum(islice(widths, count)) - _BETWEEN for count in rows], default=0)
    height = 1 + max([0 if p.cut else p.height for p in kept], default=0)
    own = _own(proof)
    return Part(proof, tuple(kept), rows, own, max(own, beside), height)


def _rows(widths: list[int]) -> tuple[int, ...]:
    """Break premises of these widths into rows, and return the number of premises in each."""
    rows: list[int] = []
    left = 0
    for width in widths:
        left -= width + _BETWEEN
        if not rows or left < 0:
            rows.append(0)
            left = WIDTH - width
        rows[-1] += 1
    return tuple(rows)


def _without(part: Part) -> Part:
    return replace(part, width=part.own, height=1, cut=bool(part.above))


def _own(proof: Proof) -> int:
    """Return the width of the conclusion."""
    j = proof.judgment
    return cells(j.left) + max([cells(line) for line in subject_lines(proof)]) + cells(j.right)


def _cuts(root: Part) -> list[Part]:
    """Return the parts cut from a piece, from left to right."""
    found: list[Part] = []
    pending = [root]
    while pending:
        part = pending.pop()
        if part.cut:
            found.append(part)
        else:
            pending += reversed(part.above)
    return found
