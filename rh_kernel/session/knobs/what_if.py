"""``%gradient`` with another input or other contents of locations: what would have been, without effect."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from rh_kernel.primitives.values import to_array
from rh_kernel.session.knobs.replay import Replay
from rh_kernel.session.results import GradientMade, ItemFailed, Result, ValueFound
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Source
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import Array, Term
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Real

MOST_ENTRIES = 16
"""Larger arrays cannot be changed number by number."""

MOST_NUMBERS = 48
"""The most numbers that can be changed in one pass; further locations are left out."""


@frozen
class Offered:
    """What can be changed: the input of the outermost reverse handler, ``None`` if it is no small array, and contents."""

    point: Array | None
    contents: Mapping[Location, Array]


def offered(replay: Replay, made: GradientMade, values: Mapping[str, Term | None]) -> Offered:
    """Return what can be changed in a pass, with what it was; ``values`` are the current ones of knobs.

    Of two passes beside each other it is only the heap from which both run.
    """
    found: dict[Location, Array] = {}
    point = _point(replay, values)
    left = MOST_NUMBERS - (0 if point is None else point.size)
    for use in made.passes[0].recording.uses:
        content = replay.session.heap.get(use.location)
        if use.kind not in (GET.name, PUT.name) or content is None or use.location in found:
            continue
        if 0 < content.size <= min(MOST_ENTRIES, left) and np.isfinite(content).all():
            found[use.location] = content
            left -= content.size
    return Offered(point, MappingProxyType(found))


def changed(replay: Replay, point: Array | None, contents: Mapping[Location, Array]) -> Replay:
    """Return the replay from a heap with these contents, and with this input if it is given."""
    heap = MappingProxyType({**replay.session.heap, **contents})
    item, session = replay.item, replace(replay.session, heap=heap)
    if point is not None and isinstance(item, items.Directive) and isinstance(item.argument, s.RevHandleExpr):
        item = replace(item, argument=replace(item.argument, argument=_literal(point)))
    return Replay(item, session)


def _point(replay: Replay, values: Mapping[str, Term | None]) -> Array | None:
    item = replay.item
    if not isinstance(item, items.Directive) or not isinstance(item.argument, s.RevHandleExpr) or item.against is not None:
        return None
    argument = item.argument.argument
    found: Result = Replay(items.Evaluation(argument, span=argument.span), replay.session).run(ValueFound, values)
    if isinstance(found, ItemFailed) or not isinstance(found, ValueFound) or not isinstance(found.type, Real):
        return None
    array = to_array(found.value)
    return array if 0 < array.size <= MOST_ENTRIES and np.isfinite(array).all() else None


def _literal(array: Array) -> s.Expr:
    """Return the expression for an array of finite numbers."""
    (item,) = parse(Source("the input", f"const x = {array.tolist()}"))
    if not isinstance(item, items.ConstDeclaration):
        raise ValueError("the input is no array of finite numbers")
    return item.value
