"""``⟦handle − with H⟧`` on arrows, for the ordinary handlers of RH §2.2.1.

The handled arrow is cut at each operation that H has a clause for. From the last to the first, the clause is interpreted with
its continuation k standing for the rest, itself handled (handlers are deep), on the operation's result and those wires
that the rest still reads: ``k • M`` is the rest grafted onto ``⟦M⟧``, as often as the clause says.
"""

from collections.abc import Callable, Generator
from typing import TypeAlias

from rh_kernel.denotational.arrows import Arrow, Effect, Row
from rh_kernel.denotational.environment import Continuation
from rh_kernel.denotational.parts import Leg, Part
from rh_kernel.denotational.terms import Interpretation
from rh_kernel.denotational.wiring import Builder, Wires, flat
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.types import Type

Return: TypeAlias = Callable[[Row, tuple[int, ...]], Interpretation]
"""The return clause, at the end of a row, on the wires of the result."""

Clause: TypeAlias = Callable[[Row, tuple[int, ...], Continuation], Interpretation]
"""The clause of an operation, at the end of a row, on the wires of its argument and with what k is."""


def handled(
    a: Arrow, clause: Callable[[Operation], Clause | None], returns: Return, answer: Type, handler: str
) -> Generator[Interpretation, Wires, Arrow]:
    """``⟦handle − with H⟧(a) ∈ 𝒜(X, D)`` for ``a ∈ 𝒜(X, C)``; the answer is D."""
    cuts: list[tuple[int, Clause, Operation]] = []
    for level, box in enumerate(a.boxes):
        if isinstance(box.content, Effect) and (found := clause(box.content.operation)) is not None:
            cuts.append((level, found, box.content.operation))
    made, read = [row for _, row in a.wired()], _read_after(a)
    end = _Piece(a, cuts[-1][0] if cuts else -1, len(a.boxes), made, read)
    end.row.place, end.row.calls = (Part(handler, Leg.RETURN, len(a.boxes)),), ()
    rest = end.row.close(flat((yield returns(end.row, end.wires(a.codomain)))))
    for position in reversed(range(len(cuts))):
        level, found, op = cuts[position]
        piece = _Piece(a, cuts[position - 1][0] if position else -1, level, made, read)
        handled_box = a.boxes[level]
        piece.row.place = (Part(handler, Leg.CLAUSE, level, op, handled_box.calls), *handled_box.place)
        piece.row.calls = ()
        k = Continuation(rest, piece.wires(_aside(level, made, read)), answer)
        rest = piece.row.close(flat((yield found(piece.row, piece.wires(a.boxes[level].inputs), k))))
    return rest


class _Piece:
    """The boxes of a after the one at ``begin`` and before the one at ``end``, as a row of their own."""

    def __init__(self, a: Arrow, begin: int, end: int, made: list[range], read: list[frozenset[int]]) -> None:
        given = range(len(a.domain)) if begin < 0 else (*made[begin], *_aside(begin, made, read))
        types = a.types
        self.row: Row = Builder([types[w] for w in given], [a.names[w] for w in given])
        self._image = dict(zip(given, self.row.inputs, strict=True))
        for level in range(begin + 1, end):
            box = a.boxes[level]
            self.row.place, self.row.calls = box.place, box.calls
            self._image.update(zip(made[level], self.row.add(box.content, self.wires(box.inputs), box.outputs), strict=True))
        self.row.mark_all(a, self._image)

    def wires(self, wires: "range | tuple[int, ...]") -> tuple[int, ...]:
        """Wires of a, in this row."""
        return tuple([self._image[w] for w in wires])


def _read_after(a: Arrow) -> list[frozenset[int]]:
    """For each box, the wires that are read after it."""
    after = frozenset(a.codomain)
    found: list[frozenset[int]] = []
    for box in reversed(a.boxes):
        found.append(after)
        after = after.union(box.inputs)
    return found[::-1]


def _aside(level: int, made: list[range], read: list[frozenset[int]]) -> tuple[int, ...]:
    """The wires that pass beside the box and are read after it."""
    return tuple(sorted(w for w in read[level] if w < made[level].start))
