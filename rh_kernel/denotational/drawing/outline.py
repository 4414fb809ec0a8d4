"""The structure that a drawing follows: which boxes are a clause, and which clauses make up the U of a reverse handler.

A box knows its place, a path of parts. Boxes that come from one part are a ``Cluster``; the parts of one reverse handler, level
by level forward, its return clause, and level by level back (RH Def. 7.13), are a ``Net``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from rh_kernel.denotational.drawing.fold import Fold
from rh_kernel.denotational.drawing.sketch import Look, Node, Sketch
from rh_kernel.denotational.parts import Inlined, Leg, Part


@dataclass(frozen=True, slots=True)
class Leaf:
    """One box."""

    node: Node


@dataclass(frozen=True, slots=True)
class Cluster:
    """The boxes of one clause, in a frame."""

    part: Part
    items: "tuple[Item, ...]"
    calls: tuple[Inlined, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """One item of a net; ``is_core`` tells the partners of the two legs from the sums and zeros of cotangents beside them.

    ``calls`` are the declared nets in which the handled box was written.
    """

    level: int
    leg: Leg
    item: "Item"
    is_core: bool
    calls: tuple[Inlined, ...] = ()


@dataclass(frozen=True, slots=True)
class Band:
    """Boxes of a net, on its way forward or back, that are one fold."""

    fold: Fold
    title: str
    gloss: str
    members: frozenset[int]


@dataclass(frozen=True, slots=True)
class Net:
    """The interpretation of a reverse handler on a diagram: its stages in their order, and what is framed together in it."""

    stages: tuple[Stage, ...]
    handler: str = ""
    bands: tuple[Band, ...] = ()
    calls: tuple[Inlined, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Items that can be one box with this label, and are it if ``is_closed``; else they have a frame."""

    fold: Fold
    label: str
    gloss: str
    items: "tuple[Item, ...]"
    is_closed: bool


Item: TypeAlias = Leaf | Cluster | Net | Group


def outline(s: Sketch) -> tuple[Item, ...]:
    """The items of a drawing, in the order of the boxes."""
    return _items(_turned([*s.nodes.values()]))


def nodes(item: Item) -> tuple[Node, ...]:
    """The boxes in an item, in their order."""
    match item:
        case Leaf(node):
            return (node,)
        case Cluster(items=items) | Group(items=items):
            return tuple([node for inner in items for node in nodes(inner)])
        case Net(stages):
            return tuple([node for stage in stages for node in nodes(stage.item)])


def _turned(boxes: Sequence[Node]) -> list[Node]:
    """Where an ordinary handler has replaced single boxes of another handler's interpretation, its clause is the inner part."""
    found: list[Node] = []
    for part, run in groupby(boxes, lambda node: node.place[0] if node.place else None):
        group = [*run]
        if part is not None and part.leg is Leg.CLAUSE:
            shared = len(_shared([node.place[1:] for node in group]))
            group = [_moved_inside(node, shared) for node in group] if shared else group
        found += group
    return found


def _moved_inside(node: Node, count: int) -> Node:
    """The box with its outermost part inside the ``count`` parts after it; the nets around that part now are around those."""
    part, *others = node.place
    inner = replace(part, nets=())
    return replace(node, calls=(*node.calls, *part.nets), place=(*others[:count], inner, *others[count:]))


def _inside(node: Node, count: int = 1) -> Node:
    """The box as one sees it inside its ``count`` outermost parts."""
    return replace(node, place=node.place[count:], calls=node.place[count - 1].calls) if count else node


def _calls(run: Sequence[tuple[Inlined, ...]]) -> tuple[Inlined, ...]:
    """The nets that all of these are written in."""
    first = run[0] if run else ()
    n = min([next((i for i, (a, b) in enumerate(zip(first, c, strict=False)) if a != b), min(len(first), len(c))) for c in run])
    return first[:n]


def _shared(places: Sequence[tuple[Part, ...]]) -> tuple[Part, ...]:
    """The longest common beginning."""
    first = places[0]
    n = 0
    while all(len(place) > n and place[n] == first[n] for place in places):
        n += 1
    return first[:n]


def _items(boxes: Sequence[Node]) -> tuple[Item, ...]:
    """The items of boxes whose places begin here."""
    runs = [(part, [*run]) for part, run in groupby(boxes, lambda node: node.place[0] if node.place else None)]
    items: list[Item] = []
    i = 0
    while i < len(runs):
        part, run = runs[i]
        if part is None:
            items += [Leaf(node) for node in run]
            i += 1
        elif part.leg is Leg.CLAUSE:
            items.append(_cluster(part, run))
            i += 1
        else:
            end = _end_of_net(runs, i)
            whole = [(p, inner) for p, inner in runs[i:end] if p is not None]
            alone = len(whole) == 1 and part.leg is Leg.RETURN
            calls = _calls([node.calls for _, inner in whole for node in inner])
            stages = tuple([stage for p, inner in whole for stage in _stages(p, inner)])
            items.append(_cluster(part, run) if alone else Net(stages, part.handler, calls=calls))
            i = end
    return tuple(items)


def _end_of_net(runs: Sequence[tuple[Part | None, list[Node]]], first: int) -> int:
    """Where another handler's interpretation, or another one of the same handler, begins."""
    last = runs[first][0]
    i = first + 1
    while i < len(runs):
        part = runs[i][0]
        if part is None or last is None or part.handler != last.handler or _position(part) <= _position(last):
            break
        last = part
        i += 1
    return i


def _position(part: Part) -> tuple[int, int]:
    """Forward the levels go up, back they go down."""
    match part.leg:
        case Leg.FORWARD:
            return (0, part.level)
        case Leg.RETURN:
            return (1, 0)
        case Leg.BACKWARD:
            return (2, -part.level)
        case Leg.CLAUSE:
            return (-1, 0)


def _stages(part: Part, run: list[Node]) -> list[Stage]:
    """The stages of one part: a clause in its frame, with the zeros before it and the sums after it beside it."""
    rest, calls = [_inside(node) for node in run], _calls([node.place[0].nets for node in run])
    if part.leg is Leg.BACKWARD:
        first = next((i for i, node in enumerate(rest) if not _is_loose(node, Look.ZERO)), len(rest))
        last = next((i for i in reversed(range(len(rest))) if not _is_loose(rest[i], Look.SUM)), -1)
    else:
        first, last = 0, len(rest) - 1
    before, core, after = rest[:first], rest[first : max(last + 1, first)], rest[max(last + 1, first) :]
    stages = [Stage(part.level, part.leg, Leaf(node), is_core=False, calls=calls) for node in before]
    if core and (part.operation is not None or part.leg is Leg.RETURN):
        stages.append(Stage(part.level, part.leg, _cluster_of(part, core), is_core=True, calls=calls))
    else:
        bare = _items(_without_shared(core)) if core else ()
        stages += [Stage(part.level, part.leg, item, is_core=True, calls=calls) for item in bare]
    return [*stages, *[Stage(part.level, part.leg, Leaf(node), is_core=False, calls=calls) for node in after]]


def _is_loose(node: Node, look: Look) -> bool:
    """Whether a box of a backward part only makes or adds cotangents: it is no box of the clause."""
    return not node.place and node.figure.look is look and node.figure.text in ("0", "x + y")


def _cluster(part: Part, run: list[Node]) -> Cluster:
    calls = _calls([(*node.calls, *node.place[0].nets) for node in run])
    return replace(_cluster_of(part, [_inside(node) for node in run]), calls=calls)


def _cluster_of(part: Part, core: list[Node]) -> Cluster:
    return Cluster(part, _items(_without_shared(core)))


def _without_shared(core: list[Node]) -> list[Node]:
    """The boxes without what all of their places have in common: that is the place of the box that they stand for."""
    shared = len(_shared([node.place for node in core]))
    return [_inside(node, shared) for node in core]
