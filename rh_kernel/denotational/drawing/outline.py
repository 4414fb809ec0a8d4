"""The structure of a drawing: which boxes form a clause, and which clauses form the U of a reverse handler.

The place of a box is a path of parts. Boxes of the same part are a ``Cluster``; the parts of one reverse handler, its levels
forward, its return clause, and its levels backward (RH Def. 7.13), are a ``Net``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from rh_kernel.denotational.drawing.fold import Fold
from rh_kernel.denotational.drawing.sketch import BoxShape, Nest, Node, Sketch, with_inner
from rh_kernel.denotational.provenance import Inlined, Leg, Part


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
    """One item of a net; ``is_core`` is false for the sums and zeros of cotangents beside the partners of the two legs.

    ``calls`` are the declared nets that contain the handled box.
    """

    level: int
    leg: Leg
    item: "Item"
    is_core: bool
    calls: tuple[Inlined, ...] = ()


@dataclass(frozen=True, slots=True)
class Band:
    """Boxes of a net, in its forward or backward pass, that belong to one fold."""

    fold: Fold
    title: str
    gloss: str
    members: frozenset[int]


@dataclass(frozen=True, slots=True)
class Net:
    """The interpretation of a reverse handler on a diagram: its stages in order, and the frames in it."""

    stages: tuple[Stage, ...]
    handler: str = ""
    bands: tuple[Band, ...] = ()
    calls: tuple[Inlined, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Items drawn as one box with this label if ``is_closed``, else in a frame."""

    fold: Fold
    label: str
    gloss: str
    items: "tuple[Item, ...]"
    is_closed: bool


@dataclass(frozen=True, slots=True)
class Nested:
    """A box with diagrams in it: the items of each of its branches. ``fold`` is set if it can be closed."""

    node: Node
    nest: Nest
    branches: "tuple[tuple[Item, ...], ...]"
    fold: Fold | None = None


Item: TypeAlias = Leaf | Cluster | Net | Group | Nested


def outline(s: Sketch) -> tuple[Item, ...]:
    """Return the items of a drawing, in the order of the boxes."""
    return _items(_clauses_inward([*s.nodes.values()]))


def with_closed_rounds(items: tuple[Item, ...], *, every: bool) -> tuple[Item, ...]:
    """Return the items with rounds as one box each: all of them, or only those between others that are drawn."""
    return tuple([_with_closed_rounds(item, every=every) for item in items])


def _with_closed_rounds(item: Item, *, every: bool) -> Item:
    match item:
        case Leaf():
            return item
        case Nested(node, nest, branches):
            if nest.is_loop and (every or nest.is_omission):
                return Leaf(node)
            return replace(item, branches=tuple([with_closed_rounds(branch, every=every) for branch in branches]))
        case Cluster(items=items) | Group(items=items):
            return replace(item, items=with_closed_rounds(items, every=every))
        case Net(stages):
            inner = [replace(stage, item=_with_closed_rounds(stage.item, every=every)) for stage in stages]
            return replace(item, stages=tuple(inner))


def children(item: Item) -> tuple[Item, ...]:
    """Return the items directly inside an item."""
    match item:
        case Leaf():
            return ()
        case Nested(nest=nest, branches=branches):
            ends = [Leaf(node) for node in (nest.begin, nest.end) if node is not None]
            return (*[inner for items in branches for inner in items], *ends)
        case Cluster(items=items) | Group(items=items):
            return items
        case Net(stages):
            return tuple([stage.item for stage in stages])


def nodes(item: Item) -> tuple[Node, ...]:
    """Return the boxes in an item, in order, without those inside them."""
    if isinstance(item, Leaf | Nested):
        return (item.node,)
    return tuple([node for inner in children(item) for node in nodes(inner)])


def box_count(items: Sequence[Item], *, folded: bool = False) -> int:
    """Return the number of boxes drawn; a closed group counts as one, and with ``folded`` every clause does."""
    return sum([_is_one_box(item, folded=folded) or box_count(children(item), folded=folded) for item in items])


def _is_one_box(item: Item, *, folded: bool) -> bool:
    return isinstance(item, Leaf) or (isinstance(item, Group) and item.is_closed) or (isinstance(item, Cluster) and folded)


def interface(item: Item, read: Callable[[int], set[int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the wires that an item reads from outside, and those that it makes and that are read outside.

    ``read`` returns the numbers of the boxes that read a wire.
    """
    inside = nodes(item)
    numbers = {inner.number for node in inside for inner in with_inner(node)}
    made = [w for node in inside for w in node.outputs]
    makes = set(made)
    reads = dict.fromkeys([w for node in inside for w in node.inputs if w not in makes])
    return tuple(reads), tuple([w for w in made if read(w) - numbers])


def _clauses_inward(boxes: Sequence[Node]) -> list[Node]:
    """Move clauses of an ordinary handler inward where they replaced single boxes of another handler's interpretation."""
    found: list[Node] = []
    for part, run in groupby(boxes, lambda node: node.place[0] if node.place else None):
        group = [*run]
        if part is not None and part.leg is Leg.CLAUSE:
            shared = common_prefix([node.place[1:] for node in group])
            group = [_moved_inside(node, shared) for node in group] if shared else group
        found += group
    return found


def _moved_inside(node: Node, count: int) -> Node:
    """Move the outermost part of a box inside the ``count`` parts after it; its surrounding nets now surround those."""
    part, *others = node.place
    inner = replace(part, nets=())
    return replace(node, calls=(*node.calls, *part.nets), place=(*others[:count], inner, *others[count:]))


def _inside(node: Node, count: int = 1) -> Node:
    """Return the box as seen from inside its ``count`` outermost parts."""
    return replace(node, place=node.place[count:], calls=node.place[count - 1].calls) if count else node


def _calls(run: Sequence[tuple[Inlined, ...]]) -> tuple[Inlined, ...]:
    """Return the nets that contain all of these."""
    return run[0][: common_prefix(run)]


def common_prefix(rows: Sequence[Sequence[object]]) -> int:
    """Return the length of the longest common prefix."""
    columns = enumerate(zip(*rows, strict=False))
    return next((n for n, (first, *others) in columns if any(x != first for x in others)), min(map(len, rows)))


def _items(boxes: Sequence[Node]) -> tuple[Item, ...]:
    """Return the items of boxes whose places start here."""
    runs = [(part, [*run]) for part, run in groupby(boxes, lambda node: node.place[0] if node.place else None)]
    items: list[Item] = []
    i = 0
    while i < len(runs):
        part, run = runs[i]
        if part is None:
            items += [_leaf(node) for node in run]
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


def _leaf(node: Node) -> Leaf | Nested:
    if node.nest is None:
        return Leaf(node)
    return Nested(node, node.nest, tuple([_branch_items(branch.nodes) for branch in node.nest.branches]))


def _branch_items(boxes: Sequence[Node]) -> tuple[Item, ...]:
    """Return the items of a branch: of a handler around it there is one pass only, whose clauses are frames in a row."""
    items: list[Item] = []
    for item in _items(_clauses_inward(boxes)):
        if isinstance(item, Net) and not any(stage.leg is Leg.RETURN for stage in item.stages):
            items += [stage.item for stage in item.stages]
        else:
            items.append(item)
    return tuple(items)


def _end_of_net(runs: Sequence[tuple[Part | None, list[Node]]], first: int) -> int:
    """Return where the interpretation of another handler, or another one of the same handler, begins."""
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
    """Sort key within a net: levels ascend in the forward pass and descend in the backward pass."""
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
    """Return the stages of one part: a clause in its frame, preceded by zeros and followed by sums."""
    rest, calls = [_inside(node) for node in run], _calls([node.place[0].nets for node in run])
    if part.leg is Leg.BACKWARD:
        first = next((i for i, node in enumerate(rest) if not _is_loose(node, BoxShape.ZERO)), len(rest))
        last = next((i for i in reversed(range(len(rest))) if not _is_loose(rest[i], BoxShape.SUM)), -1)
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


def _is_loose(node: Node, shape: BoxShape) -> bool:
    """Whether a box of a backward part only makes or adds cotangents, and so is not part of the clause."""
    return not node.place and node.figure.shape is shape and node.figure.text in ("0", "x + y")


def _cluster(part: Part, run: list[Node]) -> Cluster:
    calls = _calls([(*node.calls, *node.place[0].nets) for node in run])
    return replace(_cluster_of(part, [_inside(node) for node in run]), calls=calls)


def _cluster_of(part: Part, core: list[Node]) -> Cluster:
    return Cluster(part, _items(_without_shared(core)))


def _without_shared(core: list[Node]) -> list[Node]:
    """Drop the common prefix of the places: it is the place of the box that the boxes stand for."""
    shared = common_prefix([node.place for node in core])
    return [_inside(node, shared) for node in core]
