"""Ordinary handlers whose clauses go on at once, inside a box for all rounds (``iterations``).

A clause ``Op(x), k ↦ let … in k • M`` that uses k only at its end does the same as ``let … in return M`` in the place of the
operation. So the rounds stay one box, in which the clause replaces the operation. For any other clause the continuation is the
rest of the rounds.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Row, Step
from rh_kernel.denotational.provenance import Leg, Part
from rh_kernel.denotational.wiring import Box, Builder
from rh_kernel.syntax import core
from rh_kernel.syntax.core import Operation

Replacement: TypeAlias = Callable[[Operation], Arrow | None]
"""``Op ↦ ⟦x. let … in return M⟧``; ``None`` for an operation without a clause."""


def goes_on_at_once(scope: core.Scope) -> bool:
    """Whether a clause ``x, k. Q`` uses k exactly once, at its end."""
    k, Q = 0, scope.body
    while isinstance(Q, core.Bind):
        if _uses(Q.bound, k):
            return False
        k, Q = k + len(Q.scope.hints), Q.scope.body
    return isinstance(Q, core.Resume) and Q.index == k and not _uses(Q.argument, k)


def _uses(node: core.Command | core.Term, index: int) -> bool:
    return bool(node.loose >> index & 1)


def with_clauses_in_rounds(a: Arrow, clause: Replacement, handler: str) -> Arrow:
    """Return the arrow with these clauses in the place of their operations in the boxes for all rounds."""
    return _mapped(a, lambda box: _in_rounds(box.content, clause, handler))


def _in_rounds(content: Step, clause: Replacement, handler: str) -> Step:
    match content:
        case Iterate():

            @cache
            def at(k: int) -> Arrow:
                return _replaced(content.arrow(k), clause, handler)

            body = _replaced(content.body, clause, handler)
            return replace(content, body=body, at=None if content.at is None else at)
        case Choose(_, then, otherwise):
            branches = [with_clauses_in_rounds(branch, clause, handler) for branch in (then, otherwise)]
            return replace(content, then=branches[0], otherwise=branches[1])
        case _:
            return content


def _replaced(a: Arrow, clause: Replacement, handler: str) -> Arrow:
    """Return the arrow with clauses in the place of all operations that have one."""
    row: Row = Builder(a.domain, a.names[: len(a.domain)])
    image = list(row.inputs)
    for level, (box, made) in enumerate(a.wired()):
        inputs = tuple([image[w] for w in box.inputs])
        found = clause(box.content.operation) if isinstance(box.content, Effect) else None
        if found is not None and isinstance(box.content, Effect):
            row.place = (Part(handler, Leg.CLAUSE, level, box.content.operation, box.calls), *box.place)
            outputs = row.graft(found, inputs)
            row.place = ()
        else:
            outputs = row.put(replace(box, content=_inside(box.content, clause, handler), inputs=inputs))
        for w, new in zip(made, outputs, strict=True):
            row.name(new, a.names[w])
        image += outputs
    row.mark_all(a, image)
    return row.close([image[w] for w in a.codomain])


def _inside(content: Step, clause: Replacement, handler: str) -> Step:
    if isinstance(content, Choose):
        branches = [_replaced(branch, clause, handler) for branch in (content.then, content.otherwise)]
        return replace(content, then=branches[0], otherwise=branches[1])
    return _in_rounds(content, clause, handler)


def _mapped(a: Arrow, f: Callable[[Box[Step]], Step]) -> Arrow:
    return replace(a, boxes=tuple([replace(box, content=f(box)) for box in a.boxes]))
