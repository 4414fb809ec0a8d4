"""Traversals of core trees (RH Def. 3.4), derived from the fields of the nodes: subnodes, and children by position."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast

from rh_kernel.source.children import classes, getter
from rh_kernel.source.traversal import Traversal
from rh_kernel.syntax.core import Command, Handler, Node, Operation, OrdinaryClause, ReverseClause, Scope, Term

Subject: TypeAlias = Term | Command

_S = TypeVar("_S", bound=Subject)

CORE = Traversal[Node](Term | Command, Scope | Operation | Handler | ReverseClause | OrdinaryClause)

inside, nodes = CORE.inside, CORE.nodes


def children(M: Subject) -> tuple[tuple[Subject, int], ...]:
    """The children of M in order of position, each with the number of variables bound in it.

    Positions are those in the paths of the printer's marks: handlers and operations have none, nor have the ``known`` values
    of a nested derivative.
    """
    return _children(type(M))(M)


def rebuilt(M: _S, parts: Sequence[Subject]) -> _S:
    """Replace the children of M, in the order of ``children``; returns M itself if they are the same."""
    new: dict[str, object] = {}
    rest = iter(parts)
    for field in _positions(type(M)):
        value = getattr(M, field)
        if isinstance(value, tuple):
            items = cast(tuple[Subject, ...], value)
            images = tuple([next(rest) for _ in items])
            if any(image is not item for image, item in zip(images, items, strict=True)):
                new[field] = images
            continue
        image = next(rest)
        if isinstance(value, Scope):
            if image is not value.body:
                new[field] = Scope(value.hints, image, span=value.span)
        elif image is not value:
            new[field] = image
    return cast(_S, CORE.form(type(M)).replaced(M, new)) if new else M


@cache
def _positions(kind: type[Any]) -> tuple[str, ...]:
    form = CORE.form(kind)
    return tuple(f for f in form.nodes if form.holds[f] <= classes(Subject | Scope))


@cache
def _children(kind: type[Any]) -> Callable[[Any], tuple[tuple[Subject, int], ...]]:
    positions = _positions(kind)
    if not positions:
        return lambda _: ()
    get = getter(positions)
    if not CORE.form(kind).single.issuperset(positions):
        return lambda M: tuple([(N, 0) for value in get(M) for N in value])
    return lambda M: tuple([(v.body, len(v.hints)) if type(v) is Scope else (v, 0) for v in get(M)])
