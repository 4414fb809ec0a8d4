"""Where two pieces of surface syntax differ, by their trees: the smallest nodes that are not the same, and unmatched lets.

Names count as they are written, spaces and comments do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from difflib import SequenceMatcher
from typing import TypeAlias, TypeGuard, cast

from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import Expr, LetExpr, Written

Differences: TypeAlias = tuple[tuple[Span, ...], tuple[Span, ...]]
"""Spans in the first piece, and in the second."""


def differences(a: Written, b: Written) -> Differences:
    """Return the spans of what differs; both are empty if the pieces are equal."""
    left: list[Span] = []
    right: list[Span] = []
    for one, other in _different(a, b):
        left += one
        right += other
    return tuple(left), tuple(right)


def _different(a: Written, b: Written) -> Iterator[Differences]:
    if a == b:
        return
    if isinstance(a, LetExpr) and isinstance(b, LetExpr):
        yield from _of_chains(a, b)
    elif type(a) is not type(b):
        yield (a.span,), (b.span,)
    else:
        pairs = [(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.compare]
        if any(x != y and not (_is_node(x) and _is_node(y)) and not (_are_nodes(x) and _are_nodes(y)) for x, y in pairs):
            yield (a.span,), (b.span,)
            return
        for x, y in pairs:
            if _is_node(x) and _is_node(y):
                yield from _different(x, y)
            elif _are_nodes(x) and _are_nodes(y):
                yield from _of_lists(x, y)


def _of_chains(a: LetExpr, b: LetExpr) -> Iterator[Differences]:
    """The differences of two chains of lets: those of their lets, without what follows them, and those of their ends."""
    (first, end), (second, other_end) = _chain(a), _chain(b)
    keys = [[(let.pattern, let.arrow, let.bound) for let in chain] for chain in (first, second)]
    for tag, i, j, k, m in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k:
            for one, other in zip(first[i:j], second[k:m], strict=True):
                if one.arrow is not other.arrow:
                    yield (_head(one),), (_head(other),)
                else:
                    yield from _different(one.pattern, other.pattern)
                    yield from _different(one.bound, other.bound)
        elif tag != "equal":
            yield tuple([_head(let) for let in first[i:j]]), tuple([_head(let) for let in second[k:m]])
    yield from _different(end, other_end)


def _of_lists(a: Sequence[Written], b: Sequence[Written]) -> Iterator[Differences]:
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k:
            for one, other in zip(a[i:j], b[k:m], strict=True):
                yield from _different(one, other)
        elif tag != "equal":
            yield tuple([node.span for node in a[i:j]]), tuple([node.span for node in b[k:m]])


def _chain(e: LetExpr) -> tuple[list[LetExpr], Expr]:
    """The lets of a chain, and what follows the last one."""
    found: list[LetExpr] = []
    rest: Expr = e
    while isinstance(rest, LetExpr):
        found.append(rest)
        rest = rest.body
    return found, rest


def _head(let: LetExpr) -> Span:
    """``let p <= P``"""
    return Span(let.span.source, let.span.start, let.bound.span.end)


def _is_node(value: object) -> TypeGuard[Written]:
    return isinstance(value, Written)


def _are_nodes(value: object) -> TypeGuard[tuple[Written, ...]]:
    return isinstance(value, tuple) and all(map(_is_node, cast(tuple[object, ...], value)))
