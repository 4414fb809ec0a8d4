"""Printing of binders, with the pattern sugar of RH Def. 3.4 restored.

``let p ⇐ P in let x1 ⇐ ⌊p.1⌋ in … let xn ⇐ ⌊p.n⌋ in Q`` is printed ``let ⟨x1, …, xn⟩ ⇐ P in Q`` if p has no other use,
and likewise for every binding form. A step that has an annotation is never hidden in a pattern.
"""

from typing import TypeAlias

from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Bind, Bound, Command, Let, Proj, Return, Scope, Term
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.steps import Marks

_DEEPEST = 64


@frozen
class Leaf:
    """``x``, bound by the scope of its ``let``"""

    scope: Scope


@frozen
class Split:
    """``⟨p1, …, pn⟩``"""

    items: tuple["Leaf | Split", ...]


Shape: TypeAlias = Leaf | Split


@frozen
class Opened:
    """A scope after entering its binders: their text, the body with its marks, and the number of names pushed."""

    binders: tuple[str, ...]
    body: Term | Command
    marks: Marks
    pushed: int


def open_scope(
    names: Names, scope: Scope, marks: Marks, given: tuple[str, ...] = (), notation: Notation = Notation.PAPER
) -> Opened:
    """Enter the binders of ``scope``, whose body has these marks; ``given`` are the names of the first binders."""
    taken = set(given)
    body, pushed = scope.body, scope.arity
    splits: list[Split | None] = [None] * len(given)
    for position in range(len(given), scope.arity):
        found = _split(body, pushed - 1 - position, marks, 0)
        splits.append(None if found is None else found.shape)
        if found is not None:
            body, marks, pushed = found.body, found.marks, pushed + found.pushed
    binders: list[str | None] = [*given]
    for position in range(len(given), scope.arity):
        is_whole = splits[position] is None
        index = scope.arity - 1 - position
        binders.append(_name(names, scope.hints[position], scope, index, taken) if is_whole else None)
    for binder in binders:
        names.push(binder)
    texts = [
        (binder or "_") if split is None else _write(names, split, taken, notation)
        for binder, split in zip(binders, splits, strict=True)
    ]
    return Opened(tuple(texts), body, marks, pushed)


@frozen
class _Match:
    shape: Split
    body: Term | Command
    marks: Marks
    pushed: int


def _split(body: Term | Command, index: int, marks: Marks, depth: int) -> _Match | None:
    """The pattern that the lets at the start of ``body`` match the variable ``index`` against."""
    first = _projection(body, index, marks)
    if first is None or depth > _DEEPEST:
        return None
    arity = first[1]
    items: list[Shape] = []
    pushed = 0
    for i in range(1, arity + 1):
        found = _projection(body, index + pushed, marks)
        if found is None or found[:2] != (i, arity):
            return None
        scope, pushed = found[2], pushed + 1
        body, marks = scope.body, marks.child(1)
        inner = _split(body, 0, marks, depth + 1)
        items.append(Leaf(scope) if inner is None else inner.shape)
        if inner is not None:
            body, marks, pushed = inner.body, inner.marks, pushed + inner.pushed
    if body.loose >> (index + pushed) & 1:
        return None
    return _Match(Split(tuple(items)), body, marks, pushed)


def _projection(body: Term | Command, index: int, marks: Marks) -> tuple[int, int, Scope] | None:
    if marks.here is not None or 0 in marks.below:
        return None
    match body:
        case Let(Proj(i, n, Bound(k)), scope) | Bind(Return(Proj(i, n, Bound(k))), scope) if k == index:
            return i, n, scope
        case _:
            return None


def _write(names: Names, split: Split, taken: set[str], notation: Notation) -> str:
    items: list[str] = []
    for item in split.items:
        match item:
            case Leaf(scope):
                name = _name(names, scope.hints[0], scope, 0, taken)
                names.push(name)
                items.append(name or "_")
            case Split():
                names.push(None)
                items.append(_write(names, item, taken, notation))
    left, right = notation.value.brackets
    return f"{left}{', '.join(items)}{right}"


def _name(names: Names, hint: str, scope: Scope, index: int, taken: set[str]) -> str | None:
    if hint == "_" and not scope.body.loose >> index & 1:
        return None
    return names.fresh(hint, scope.loose, taken)
