"""Layout of diagrams: completeness, no overlaps, and the U of a reverse handler (RH §6.1, §7.4)."""

from collections import Counter
from itertools import combinations, pairwise

from hypothesis import given

from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.drawing.elements import PlacedBox, Point
from rh_kernel.denotational.drawing.layout import Layout, layout
from rh_kernel.denotational.drawing.sketch import BoxShape, Node, with_inner
from rh_kernel.denotational.provenance import Leg
from rh_kernel.syntax.core import Scope
from tests.denotational.drawn import MLP, PROGRAMS, arrow
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

EPS = 0.02


def drawings(P: Program) -> list[Layout]:
    a = interpret((), Scope((), P.command))
    return [layout(a), layout(a, folded=True)]


def at(point: Point, to: Point, t: float) -> Point:
    """A point of the curve with horizontal ends."""
    (x, y), (x1, y1) = point, to
    middle = (x + x1) / 2
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return (a * x + (b + c) * middle + d * x1, (a + b) * y + (c + d) * y1)


def inside(box: PlacedBox, point: Point, by: float = 0.5) -> bool:
    return box.x + by < point[0] < box.x + box.width - by and box.y + by < point[1] < box.y + box.height - by


@law(60)
@given(programs(fuel=4))
def test_every_box_is_drawn_once(P: Program) -> None:
    for drawn in drawings(P):
        members = [drawn.sketch.every[m] for box in drawn.drawing.boxes for m in box.members]
        found = [inner.number for node in members for inner in with_inner(node) if inner.nest is None]
        assert Counter(found) == Counter(plain(drawn).keys())


def plain(drawn: Layout) -> dict[int, Node]:
    """The boxes without others in them."""
    return {n: node for n, node in drawn.sketch.every.items() if node.nest is None}


@law(60)
@given(programs(fuel=4))
def test_boxes_do_not_overlap(P: Program) -> None:
    for drawn in drawings(P):
        for a, b in combinations(drawn.drawing.boxes, 2):
            apart = a.x + a.width <= b.x + EPS or b.x + b.width <= a.x + EPS
            assert apart or a.y + a.height <= b.y + EPS or b.y + b.height <= a.y + EPS
        for box in drawn.drawing.boxes:
            assert box.x >= -EPS
            assert box.x + box.width <= drawn.width + EPS
            assert box.y >= -EPS
            assert box.y + box.height <= drawn.height + EPS


@law(60)
@given(programs(fuel=4))
def test_frames_lie_in_each_other_or_apart(P: Program) -> None:
    for drawn in drawings(P):
        for a, b in combinations([*drawn.drawing.frames, *drawn.drawing.boxes], 2):
            over = min(a.x + a.width, b.x + b.width) - max(a.x, b.x) > EPS
            over = over and min(a.y + a.height, b.y + b.height) - max(a.y, b.y) > EPS
            nested = any(
                o.x - EPS <= i.x
                and o.y - EPS <= i.y
                and i.x + i.width <= o.x + o.width + EPS
                and i.y + i.height <= o.y + o.height + EPS
                for o, i in ((a, b), (b, a))
            )
            assert nested or not over


@law(60)
@given(programs(fuel=4))
def test_no_wire_goes_through_a_box(P: Program) -> None:
    for drawn in drawings(P):
        for strand in drawn.drawing.strands:
            for here, there in pairwise(strand.points):
                assert there[0] >= here[0] - EPS
                for t in range(9):
                    assert not any(inside(box, at(here, there, t / 8)) for box in drawn.drawing.boxes)


@law(60)
@given(programs(fuel=4))
def test_every_wire_connects_what_the_diagram_says(P: Program) -> None:
    for drawn in drawings(P):
        connected(drawn)


def connected(drawn: Layout) -> None:
    """Assert that the strands of a wire are connected, begin at the box that makes it, and reach every box that reads it."""
    s = drawn.sketch
    home = {inner.number: box for box in drawn.drawing.boxes for m in box.members for inner in with_inner(s.every[m])}
    boxes = plain(drawn)
    made = {w: n for n, node in boxes.items() for w in node.outputs}
    by_wire: dict[int, list[tuple[Point, ...]]] = {}
    for strand in drawn.drawing.strands:
        by_wire.setdefault(strand.wire, []).append(strand.points)
    for w, box in [(w, home[n]) for w, n in made.items()]:
        readers = {id(home[n]) for n, node in boxes.items() if w in node.inputs} - {id(box)}
        if readers or w in s.outputs:
            assert any(leaves(box, points) for points in by_wire[w])
    for n, node in boxes.items():
        for w in node.inputs:
            if w not in made or home[made[w]] is not home[n]:
                assert any(arrives(home[n], points) for points in by_wire[w]), (n, w, home[n])
    for w in s.outputs:
        assert any(abs(points[-1][0] - drawn.width) < 1 for points in by_wire[w])
    for w in s.inputs:
        assert any(abs(points[0][0]) < 1 for points in by_wire[w])
    for w, strands in by_wire.items():
        # A folded clause hands a wire on, or makes it and keeps a copy for its partner.
        folded = [box for box in drawn.drawing.boxes if box.fold is not None or box.figure.label.startswith("⟦")]
        through = [box for box in folded if any(arrives(box, p) for p in strands) or (w in made and home[made[w]] is box)]
        starts = [p for p in strands if not any(touches(p[0], q) for q in strands if q is not p)]
        assert len([p for p in starts if not any(leaves(box, p) for box in through)]) <= 1, w


def touches(point: Point, other: tuple[Point, ...]) -> bool:
    """Whether a strand begins on another strand."""
    x, y = point
    ends = any(abs(a - x) < 0.5 and abs(b - y) < 0.5 for a, b in other)
    return ends or any(b == d and abs(b - y) < 0.5 and a <= x <= c for (a, b), (c, d) in pairwise(other))


def leaves(box: PlacedBox, points: tuple[Point, ...]) -> bool:
    x, y = points[0]
    return abs(x - box.x - box.width) < 0.5 and box.y <= y <= box.y + box.height


def arrives(box: PlacedBox, points: tuple[Point, ...]) -> bool:
    x, y = points[-1]
    return abs(x - box.x) < 0.5 and box.y <= y <= box.y + box.height


@law(60)
@given(programs(fuel=4))
def test_operations_stand_in_their_order(P: Program) -> None:
    for drawn in drawings(P):
        effects = [b for b in drawn.drawing.boxes if b.figure.shape is BoxShape.OPERATION]
        branches = branches_of(drawn)
        every = [inner.number for top in drawn.sketch.nodes.values() for inner in with_inner(top)]
        ordered = sorted(effects, key=lambda box: every.index(box.members[0]))
        for a, b in combinations(ordered, 2):
            here, there = branches.get(a.members[0], {}), branches.get(b.members[0], {})
            if all(there.get(choice, branch) == branch for choice, branch in here.items()):
                assert a.x + a.width <= b.x + EPS


def branches_of(drawn: Layout) -> dict[int, dict[int, int]]:
    """The choices around each box, and the branch of each that it is in."""
    found: dict[int, dict[int, int]] = {}
    for number, node in drawn.sketch.every.items():
        if node.nest is not None and not node.nest.is_loop:
            for i, branch in enumerate(node.nest.branches):
                for top in branch.nodes:
                    for inner in with_inner(top):
                        found.setdefault(inner.number, {})[number] = i
    return found


@law(10)
@given(programs(fuel=4))
def test_a_drawing_depends_on_nothing_else(P: Program) -> None:
    a = interpret((), Scope((), P.command))
    assert layout(a) == layout(a)


def test_the_two_boxes_of_a_level_have_the_same_height() -> None:
    for name in PROGRAMS:
        drawn = layout(arrow(name), folded=True)
        levels: dict[tuple[int, str], dict[Leg, PlacedBox]] = {}
        for box in drawn.drawing.boxes:
            place = drawn.sketch.nodes[box.members[0]].place
            if place and place[0].operation is not None and box.figure.label.startswith("⟦"):
                levels.setdefault((place[0].level, place[0].handler), {})[place[0].leg] = box
        pairs = [(legs[Leg.FORWARD], legs[Leg.BACKWARD]) for legs in levels.values() if len(legs) == 2]
        assert pairs or name not in MLP
        for forward, backward in pairs:
            assert forward.y == backward.y
            assert forward.x < backward.x


def test_the_u_goes_down_and_comes_up_again() -> None:
    for name in MLP:
        drawn = layout(arrow(name), folded=True)
        boxes = [
            b for b in drawn.drawing.boxes if drawn.sketch.nodes[b.members[0]].place and b.figure.shape is not BoxShape.SUM
        ]
        boxes.sort(key=lambda box: box.x)
        ys = [box.y + box.height for box in boxes]
        turn = ys.index(max(ys))
        assert all(a <= b + EPS for a, b in pairwise(ys[: turn + 1]))
        assert all(a >= b - EPS for a, b in pairwise(ys[turn:]))
        assert drawn.sketch.nodes[boxes[turn].members[0]].place[0].leg is Leg.RETURN


def test_what_is_kept_goes_straight_across_above_the_turn() -> None:
    for name in MLP:
        for drawn in (layout(arrow(name)), layout(arrow(name), folded=True)):
            (turn,) = [b for b in drawn.drawing.boxes if drawn.sketch.nodes[b.members[0]].place[:1] and is_turn(drawn, b)]
            across = [
                (here, there)
                for strand in drawn.drawing.strands
                for here, there in pairwise(strand.points)
                if here[0] <= turn.x and turn.x + turn.width <= there[0]
            ]
            assert len(across) >= 5
            assert all(abs(here[1] - there[1]) < EPS and here[1] < turn.y for here, there in across)


def is_turn(drawn: Layout, box: PlacedBox) -> bool:
    return drawn.sketch.nodes[box.members[0]].place[0].leg is Leg.RETURN
