"""``⟦handle − with H⟧`` on arrows, for the ordinary handlers of RH §2.2.1.

The handled arrow is split at each operation that has a clause in H. From the last to the first, the clause is interpreted with
its continuation k standing for the rest, itself handled (handlers are deep), as a function of the operation's result and the
wires that the rest still reads: ``k • M`` grafts the rest onto ``⟦M⟧``, each time the clause uses it. A choice in which an
operation has a clause is handled branch by branch, each with the rest behind it, as its continuation leads out of the branch.
"""

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Row
from rh_kernel.denotational.environment import Continuation
from rh_kernel.denotational.errors import DiagramTooLarge
from rh_kernel.denotational.provenance import Leg, Part
from rh_kernel.denotational.terms import Interpretation
from rh_kernel.denotational.wiring import MOST, Builder, Wires, flat
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.core import Operation
from rh_kernel.syntax.types import Type, leaves

Return: TypeAlias = Callable[[Row, tuple[int, ...]], Interpretation]
"""Interprets the return clause at the end of a row, on the wires of the result."""

Clause: TypeAlias = Callable[[Row, tuple[int, ...], Continuation], Interpretation]
"""Interprets the clause of an operation at the end of a row, given the wires of its argument and the continuation."""


def handled(
    a: Arrow, clause: Callable[[Operation], Clause | None], returns: Return, answer: Type, handler: str
) -> Generator[Interpretation, Wires, Arrow]:
    """``⟦handle − with H⟧(a) ∈ 𝒜(X, D)`` for ``a ∈ 𝒜(X, C)``; the answer type is D."""
    splits: list[tuple[int, Clause, Operation]] = []
    choice = _first_choice(a, clause)
    for level, box in enumerate(a.boxes[:choice]):
        if isinstance(box.content, Effect) and (found := clause(box.content.operation)) is not None:
            splits.append((level, found, box.content.operation))
    made, read = [row for _, row in a.wired()], _read_after(a)
    end = _Piece(a, splits[-1][0] if splits else -1, len(a.boxes) if choice is None else choice, made, read)
    if choice is not None:
        rest = yield from _choose(a, choice, end, _passing(choice, made, read), clause, returns, answer, handler)
    else:
        end.row.place, end.row.calls = (Part(handler, Leg.RETURN, len(a.boxes)),), ()
        rest = end.row.close(flat((yield returns(end.row, end.wires(a.codomain)))))
    for position in reversed(range(len(splits))):
        level, found, op = splits[position]
        piece = _Piece(a, splits[position - 1][0] if position else -1, level, made, read)
        handled_box = a.boxes[level]
        piece.row.place = (Part(handler, Leg.CLAUSE, level, op, handled_box.calls), *handled_box.place)
        piece.row.calls = ()
        k = Continuation(rest, piece.wires(_passing(level, made, read)), answer)
        rest = piece.row.close(flat((yield found(piece.row, piece.wires(a.boxes[level].inputs), k))))
    return rest


def _first_choice(a: Arrow, clause: Callable[[Operation], Clause | None]) -> int | None:
    """Return the level of the first choice in which an operation has a clause; ``None`` if there is none.

    Raises ``Stuck`` if there are so many that the rest behind each, once for each branch, would be too large.
    """
    found = [n for n, box in enumerate(a.boxes) if isinstance(box.content, Choose) and _performs(box.content, clause)]
    if len(a.boxes) << len(found) > MOST:
        raise Stuck(DiagramTooLarge(limit=MOST))
    return found[0] if found else None


def _performs(choice: Choose, clause: Callable[[Operation], Clause | None]) -> bool:
    todo = [choice]
    while todo:
        within = todo.pop()
        for box in (*within.then.boxes, *within.otherwise.boxes):
            if isinstance(box.content, Choose):
                todo.append(box.content)
            elif isinstance(box.content, Effect) and clause(box.content.operation) is not None:
                return True
    return False


def _choose(
    a: Arrow,
    level: int,
    end: "_Piece",
    passing: tuple[int, ...],
    clause: Callable[[Operation], Clause | None],
    returns: Return,
    answer: Type,
    handler: str,
) -> Generator[Interpretation, Wires, Arrow]:
    """``⟦handle − with H⟧([B ? a₁ : a₂] ;^μ b) = [B ? ⟦handle − with H⟧(a₁ ;^μ b) : ⟦handle − with H⟧(a₂ ;^μ b)]``"""
    box = a.boxes[level]
    if not isinstance(box.content, Choose):
        raise KernelBug("there is no choice here")
    n = operand_count(box.content.condition)
    branches: list[Arrow] = []
    for branch in (box.content.then, box.content.otherwise):
        extended = _with_rest(a, level, branch, n, passing)
        branches.append((yield from handled(extended, clause, returns, answer, handler)))
    made = replace(box.content, then=branches[0], otherwise=branches[1])
    end.row.place, end.row.calls = box.place, box.calls
    return end.row.close(end.row.add(made, (*end.wires(box.inputs), *end.wires(passing)), leaves(answer)))


def _with_rest(a: Arrow, level: int, branch: Arrow, n: int, passing: tuple[int, ...]) -> Arrow:
    """Return a branch of the choice at this level, followed by the boxes behind it."""
    given, types = (*a.boxes[level].inputs[n:], *passing), a.types
    row: Row = Builder([types[w] for w in given], [a.names[w] for w in given])
    captured = len(given) - len(passing)
    image = dict(zip(passing, row.inputs[captured:], strict=True))
    for number, (box, made) in enumerate(a.wired()):
        if number == level:
            image.update(zip(made, row.graft(branch, row.inputs[:captured]), strict=True))
        elif number > level:
            row.place, row.calls = box.place, box.calls
            image.update(zip(made, row.add(box.content, [image[w] for w in box.inputs], box.outputs), strict=True))
    row.place, row.calls = (), ()
    return row.close([image[w] for w in a.codomain])


class _Piece:
    """The boxes of a strictly between those at ``begin`` and ``end``, as a row of their own."""

    def __init__(self, a: Arrow, begin: int, end: int, made: list[range], read: list[frozenset[int]]) -> None:
        given = range(len(a.domain)) if begin < 0 else (*made[begin], *_passing(begin, made, read))
        types = a.types
        self.row: Row = Builder([types[w] for w in given], [a.names[w] for w in given])
        self._image = dict(zip(given, self.row.inputs, strict=True))
        for level in range(begin + 1, end):
            box = a.boxes[level]
            self.row.place, self.row.calls = box.place, box.calls
            self._image.update(zip(made[level], self.row.add(box.content, self.wires(box.inputs), box.outputs), strict=True))
        self.row.mark_all(a, self._image)

    def wires(self, wires: "range | tuple[int, ...]") -> tuple[int, ...]:
        """Map wires of a to wires of this row."""
        return tuple([self._image[w] for w in wires])


def _read_after(a: Arrow) -> list[frozenset[int]]:
    """Return for each box the wires that are read after it."""
    after = frozenset(a.codomain)
    found: list[frozenset[int]] = []
    for box in reversed(a.boxes):
        found.append(after)
        after = after.union(box.inputs)
    return found[::-1]


def _passing(level: int, made: list[range], read: list[frozenset[int]]) -> tuple[int, ...]:
    """Return the wires that pass the box and are read after it."""
    return tuple(sorted(w for w in read[level] if w < made[level].start))
