"""Single folds: of the items of a drawing each clause, each use of a declared net, each handler is closed or open by itself.

A reverse handler is one box, or three, which are the way forward, the turn and the way back, or all of it is open. What is one
box on the way forward is one on the way back (RH Ex. 7.17). Folds are numbered in the order in which one meets them, whichever
of them are closed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from rh_kernel.denotational.drawing.fold import Fold, FoldKind
from rh_kernel.denotational.drawing.outline import Band, Cluster, Group, Item, Leaf, Net, Stage, nodes, outline
from rh_kernel.denotational.drawing.sketch import Sketch, part_gloss, part_title
from rh_kernel.denotational.parts import Inlined, Leg


@dataclass(frozen=True, slots=True)
class Folding:
    """The items of a drawing with some of its ``folds`` closed; ``closed`` are their numbers."""

    items: tuple[Item, ...]
    folds: tuple[Fold, ...]
    closed: frozenset[int]

    @property
    def box_count(self) -> int:
        """How many boxes are drawn."""
        return sum(map(_count, self.items))


def passing(found: Folding, s: Sketch) -> int:
    """How often a wire passes a box on its way to another one, as these items are drawn: that is what a drawing costs."""
    home: dict[int, int] = {}
    _find_homes(found.items, home)
    shown = {first: place for place, first in enumerate(dict.fromkeys(home[number] for number in s.nodes))}
    last: dict[int, int] = {}
    for number, node in s.nodes.items():
        last |= {w: max(last.get(w, 0), shown[home[number]]) for w in node.inputs}
    made = [(shown[home[number]], w) for number, node in s.nodes.items() for w in node.outputs]
    return sum([max(last.get(w, place) - place, 0) for place, w in made])


def folding(s: Sketch, closed: Collection[int]) -> Folding:
    """The sketch with the folds of these numbers closed; other numbers mean nothing."""
    folder = _Folder(frozenset(closed))
    items = folder.row(outline(s), -1)
    return Folding(items, tuple(folder.folds), frozenset(range(len(folder.folds))) & frozenset(closed))


def folds_of(s: Sketch) -> tuple[Fold, ...]:
    """Everything that can be folded, outer ones before inner ones."""
    return folding(s, ()).folds


def _count(item: Item) -> int:
    match item:
        case Leaf():
            return 1
        case Cluster(items=items):
            return sum(map(_count, items))
        case Net(stages=stages):
            return sum(_count(stage.item) for stage in stages)
        case Group(items=items, is_closed=is_closed):
            return 1 if is_closed else sum(map(_count, items))


def _find_homes(items: Sequence[Item], home: dict[int, int]) -> None:
    """For each box the first one of those that it is drawn with."""
    for item in items:
        match item:
            case Leaf(node):
                home[node.number] = node.number
            case Cluster(items=inside) | Group(items=inside, is_closed=False):
                _find_homes(inside, home)
            case Net(stages):
                _find_homes([stage.item for stage in stages], home)
            case Group():
                numbers = _numbers(item)
                home |= dict.fromkeys(numbers, numbers[0])


class _Folder:
    """Goes through items and gives numbers to what can be folded."""

    def __init__(self, closed: frozenset[int]) -> None:
        self.folds: list[Fold] = []
        self._closed = closed

    def row(self, items: Sequence[Item], outer: int, depth: int = 0) -> tuple[Item, ...]:
        """Items side by side; those that one declared net has in common are a group, the ``depth`` outermost nets left out."""
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
        gone: set[int] = set()
        for r in ranges:
            if r.levels <= gone:
                continue
            if r.fold.number in self._closed:
                stages, gone = r.closed(stages), gone | r.levels
            else:
                bands += r.bands(stages)
        return self._group(whole, (replace(net, stages=tuple(stages), bands=tuple(bands)),))

    def _ranges(self, net: Net, levels: Mapping[int, tuple[Inlined, ...]], outer: int, handler: str) -> "list[_Range]":
        """What can be folded on both legs of a net: all of it, and each declared net, outer ones before inner ones."""
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
    """Levels of a net that are one fold: one box on the way forward, and one on the way back."""

    fold: Fold
    name: str
    levels: frozenset[int]

    def _words(self, leg: Leg) -> tuple[str, str, str]:
        """What stands in the box, on the frame, and what is said of both."""
        forward = leg is Leg.FORWARD
        way = "forward" if forward else "back"
        label = f"⟦{self.name}{'ᶠ' if forward else 'ᵇ'}⟧" if self.name else way
        return label, f"{self.name} {way}".lstrip(), f"the way {way} through {self.fold.gloss.removeprefix('through ')}"

    def _has(self, stage: Stage, leg: Leg) -> bool:
        return stage.leg is leg and stage.level in self.levels

    def bands(self, stages: Sequence[Stage]) -> list[Band]:
        """The frames around the open boxes, one on each leg."""
        found: list[Band] = []
        for leg in (Leg.FORWARD, Leg.BACKWARD):
            members = frozenset([node.number for stage in stages if self._has(stage, leg) for node in nodes(stage.item)])
            _, title, gloss = self._words(leg)
            found += [Band(self.fold, title, gloss, members)] if members else []
        return found

    def closed(self, stages: Sequence[Stage]) -> list[Stage]:
        """The stages with one in place of those of each leg."""
        found: list[Stage] = []
        for leg, run in groupby(stages, lambda stage: stage.leg if self._has(stage, stage.leg) else None):
            together = tuple(run)
            if leg is None or leg not in (Leg.FORWARD, Leg.BACKWARD):
                found += together
                continue
            label, _, gloss = self._words(leg)
            group = Group(self.fold, label, gloss, tuple([stage.item for stage in together]), is_closed=True)
            found.append(Stage(min(self.levels), leg, group, is_core=True))
        return found


def _nth(calls: tuple[Inlined, ...], n: int) -> Inlined | None:
    return calls[n] if len(calls) > n else None


def _calls(item: Item) -> tuple[Inlined, ...]:
    """The declared nets that an item is written in."""
    match item:
        case Leaf(node):
            return node.calls
        case Cluster(calls=calls) | Net(calls=calls):
            return calls
        case Group():
            return ()


def _numbers(item: Item) -> tuple[int, ...]:
    return tuple([node.number for node in nodes(item)])


def _on(net: Net, levels: frozenset[int]) -> tuple[int, ...]:
    """The boxes of these levels, those of the turn left out."""
    legs = [stage for stage in net.stages if stage.leg is not Leg.RETURN and stage.level in levels]
    return tuple([number for stage in legs for number in _numbers(stage.item)])
