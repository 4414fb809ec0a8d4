"""Folding: each clause, each use of a declared net and each handler of a drawing is closed or open independently.

A reverse handler is one box, or three (forward pass, return clause, backward pass), or fully open. Whatever is one box in the
forward pass is one in the backward pass (RH Ex. 7.17). Folds are numbered in order of occurrence, whichever of them are closed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from rh_kernel.denotational.drawing import outline as o
from rh_kernel.denotational.drawing.fold import Fold, FoldKind
from rh_kernel.denotational.drawing.outline import Band, Cluster, Group, Item, Leaf, Nested, Net, Stage, nodes
from rh_kernel.denotational.drawing.sketch import Sketch, part_gloss, part_title, with_inner
from rh_kernel.denotational.provenance import Inlined, Leg


@dataclass(frozen=True, slots=True)
class Folding:
    """The items of a drawing with some of its ``folds`` closed; ``closed`` holds their numbers."""

    items: tuple[Item, ...]
    folds: tuple[Fold, ...]
    closed: frozenset[int]

    @property
    def box_count(self) -> int:
        """The number of boxes drawn."""
        return o.box_count(self.items)


def passing_count(s: Sketch, items: Sequence[Item] = ()) -> int:
    """Return how often wires pass boxes between their ends in a drawing of these items: a measure of the cost of layout.

    Without items, all boxes are drawn.
    """
    home = {number: number for number in s.nodes}
    for item in items:
        _find_homes(item, home)
    shown = {first: place for place, first in enumerate(dict.fromkeys(home.values()))}
    last: dict[int, int] = {}
    for number, node in s.nodes.items():
        last |= {w: max(last.get(w, 0), shown[home[number]]) for w in node.inputs}
    made = [(shown[home[number]], w) for number, node in s.nodes.items() for w in node.outputs]
    return sum([max(last.get(w, place) - place, 0) for place, w in made])


def folding(s: Sketch, closed: Collection[int]) -> Folding:
    """Return the sketch with the folds of these numbers closed; unknown numbers are ignored."""
    folder = _Folder(frozenset(closed))
    items = folder.row(o.outline(s), -1)
    return Folding(items, tuple(folder.folds), frozenset(range(len(folder.folds))) & frozenset(closed))


def folds_of(s: Sketch) -> tuple[Fold, ...]:
    """Return all folds, outer ones before inner ones."""
    return folding(s, ()).folds


def _find_homes(item: Item, home: dict[int, int]) -> None:
    """Map the boxes of each closed group to the first of them."""
    if isinstance(item, Group) and item.is_closed:
        numbers = _numbers(item)
        home |= dict.fromkeys(numbers, numbers[0])
    else:
        for inner in o.children(item):
            _find_homes(inner, home)


class _Folder:
    """Traverses items and numbers the folds."""

    def __init__(self, closed: frozenset[int]) -> None:
        self.folds: list[Fold] = []
        self._closed = closed

    def row(self, items: Sequence[Item], outer: int, depth: int = 0) -> tuple[Item, ...]:
        """Fold adjacent items of the same declared net into a group, ignoring the ``depth`` outermost nets."""
        found: list[Item] = []
        for call, run in groupby(items, lambda item: _nth(_calls(item), depth)):
            together = tuple(run)
            if call is None:
                found += [self._item(item, outer) for item in together]
            else:
                members = tuple([node.number for item in together for node in nodes(item)])
                fold = self._net_fold(call.name, members, outer)
                found.append(self._group(fold, self.row(together, fold.number, depth + 1)))
        return tuple(found)

    def _item(self, item: Item, outer: int) -> Item:
        match item:
            case Leaf() | Group():
                return item
            case Cluster(part, items):
                title, gloss = part_title(part), part_gloss(part)
                fold = self._fold(FoldKind.CLAUSE, f"⟦{title}⟧", title, gloss, _numbers(item), outer, part.leg)
                return self._group(fold, self.row(items, fold.number))
            case Net():
                return self._handler(item, outer)
            case Nested():
                return self._nested(item, outer)

    def _nested(self, item: Nested, outer: int) -> Group | Nested:
        nest, label = item.nest, item.node.figure.label
        kind = FoldKind.ROUNDS if nest.is_loop else FoldKind.CHOICE
        members = tuple([node.number for node in with_inner(item.node)])
        fold = self._fold(kind, label, nest.title, nest.gloss, members, outer)
        branches = tuple([self.row(branch, fold.number) for branch in item.branches])
        if fold.number in self._closed:
            return self._group(fold, (Leaf(item.node),))
        return replace(item, branches=branches, fold=fold)

    def _handler(self, net: Net, outer: int) -> Group:
        handler = f"the reverse handler {net.handler}" if net.handler else "a reverse handler"
        title = f"rev handle with {net.handler}" if net.handler else "rev handle"
        label = f"⟦{net.handler or 'rev handler'}⟧"
        whole = self._fold(FoldKind.HANDLER, label, title, f"{handler} on all of its command", _numbers(net), outer)
        levels = {stage.level: stage.calls for stage in net.stages if stage.leg is not Leg.RETURN}
        ranges = self._ranges(net, levels, whole.number, handler)
        stages: list[Stage] = []
        for stage in net.stages:
            around = [r.fold.number for r in ranges if stage.level in r.levels and stage.leg is not Leg.RETURN]
            stages.append(replace(stage, item=self._item(stage.item, around[-1] if around else whole.number)))
        bands: list[Band] = []
        folded: set[int] = set()
        for r in ranges:
            if r.levels <= folded:
                continue
            if r.fold.number in self._closed:
                stages, folded = r.closed(stages), folded | r.levels
            else:
                bands += r.bands(stages)
        return self._group(whole, (replace(net, stages=tuple(stages), bands=tuple(bands)),))

    def _ranges(self, net: Net, levels: Mapping[int, tuple[Inlined, ...]], outer: int, handler: str) -> "list[_Range]":
        """Return what can be folded on both legs of a net: all of it, and each declared net, outer ones before inner ones."""
        every = frozenset(levels)
        if len(every) < 2:
            return []
        common = {calls[:1] for calls in levels.values()}
        found: list[_Range] = []
        if len(common) > 1 or not min(common):
            gloss = f"through {handler}"
            fold = self._fold(FoldKind.LEGS, "the legs", "forward and back", gloss, _on(net, every), outer)
            found.append(_Range(fold, "", every))
            outer = fold.number
        pending = [(every, 0, outer)]
        while pending:
            here, depth, outer = pending.pop(0)
            for call, run in groupby([(_nth(levels[level], depth), level) for level in sorted(here)], itemgetter(0)):
                within = frozenset([level for _, level in run])
                if call is not None:
                    fold = self._net_fold(call.name, _on(net, within), outer)
                    found.append(_Range(fold, call.name, within))
                    pending.append((within, depth + 1, fold.number))
        return found

    def _net_fold(self, name: str, members: tuple[int, ...], outer: int) -> Fold:
        return self._fold(FoldKind.NET, f"⟦{name}⟧", name, f"the net {name}", members, outer)

    def _fold(
        self, kind: FoldKind, label: str, title: str, gloss: str, members: tuple[int, ...], outer: int, leg: Leg | None = None
    ) -> Fold:
        fold = Fold(len(self.folds), kind, label, title, gloss, members, outer, leg)
        self.folds.append(fold)
        return fold

    def _group(self, fold: Fold, items: tuple[Item, ...]) -> Group:
        return Group(fold, fold.label, fold.gloss, items, fold.number in self._closed)


@dataclass(frozen=True, slots=True)
class _Range:
    """Levels of a net that form one fold: one box in the forward and one in the backward pass."""

    fold: Fold
    name: str
    levels: frozenset[int]

    def _texts(self, leg: Leg) -> tuple[str, str, str]:
        """Return the label of the box, the title of the frame, and the tooltip of both."""
        forward = leg is Leg.FORWARD
        way = "forward" if forward else "back"
        label = f"⟦{self.name}{'ᶠ' if forward else 'ᵇ'}⟧" if self.name else way
        return label, f"{self.name} {way}".lstrip(), f"the way {way} through {self.fold.gloss.removeprefix('through ')}"

    def _has(self, stage: Stage, leg: Leg) -> bool:
        return stage.leg is leg and stage.level in self.levels

    def bands(self, stages: Sequence[Stage]) -> list[Band]:
        """Return the frames around the open boxes, one for each leg."""
        found: list[Band] = []
        for leg in (Leg.FORWARD, Leg.BACKWARD):
            on_leg = [node for stage in stages if self._has(stage, leg) for node in nodes(stage.item)]
            members = frozenset([inner.number for node in on_leg for inner in with_inner(node)])
            _, title, gloss = self._texts(leg)
            found += [Band(self.fold, title, gloss, members)] if members else []
        return found

    def closed(self, stages: Sequence[Stage]) -> list[Stage]:
        """Replace the stages of each leg by one."""
        found: list[Stage] = []
        for leg, run in groupby(stages, lambda stage: stage.leg if self._has(stage, stage.leg) else None):
            together = tuple(run)
            if leg is None or leg not in (Leg.FORWARD, Leg.BACKWARD):
                found += together
                continue
            label, _, gloss = self._texts(leg)
            group = Group(self.fold, label, gloss, tuple([stage.item for stage in together]), is_closed=True)
            found.append(Stage(min(self.levels), leg, group, is_core=True))
        return found


def _nth(calls: tuple[Inlined, ...], n: int) -> Inlined | None:
    return calls[n] if len(calls) > n else None


def _calls(item: Item) -> tuple[Inlined, ...]:
    """Return the declared nets that contain an item."""
    match item:
        case Leaf(node):
            return node.calls
        case Nested(node):
            return node.calls
        case Cluster(calls=calls) | Net(calls=calls):
            return calls
        case Group():
            return ()


def _numbers(item: Item) -> tuple[int, ...]:
    return tuple([node.number for node in nodes(item)])


def _on(net: Net, levels: frozenset[int]) -> tuple[int, ...]:
    """Return the boxes at these levels, except those of the return clause."""
    legs = [stage for stage in net.stages if stage.leg is not Leg.RETURN and stage.level in levels]
    return tuple([number for stage in legs for number in _numbers(stage.item)])
