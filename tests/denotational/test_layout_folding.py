"""Individual folds of a drawing: it shows the same diagram whichever are closed (RH §6.1, Ex. 7.17)."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.drawing.elements import PlacedBox, PlacedFrame
from rh_kernel.denotational.drawing.fold import Fold, FoldKind
from rh_kernel.denotational.drawing.folding import folding, folds_of
from rh_kernel.denotational.drawing.layout import Layout, layout
from rh_kernel.denotational.drawing.sketch import Sketch, sketch, with_inner
from rh_kernel.syntax.core import Scope
from tests.denotational.drawn import PROGRAMS, arrow
from tests.denotational.test_layout import EPS, connected, plain
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

NESTED = """
loc w2 : Real(2, 2) = ones
net a(x : Real(2)) : Real(2) = return swish(x)
net with_a_rather_long_name(x : Real(2)) : Real(2) = let y <= a(x) in let z <= FC[w2](y) in return z + x
net b(x : Real(2)) : Real(2) = let y <= with_a_rather_long_name(x) in let z <= with_a_rather_long_name(y) in a(z)
net c(x : Real(2)) : Real(2) = let y <= b(x) in let z <= return 2.0 * y in let u <= a(z) in b(u)
"""
"""Nested nets, small and large."""

ARROWS = {
    **{name: arrow(name) for name in PROGRAMS},
    "nested": arrow("example_4_1_mlp", f"{NESTED}rev handle ([1.0, 2.0]) <x>. c(x) with sgd(0.1, [1.0, 2.0])"),
    "twice": arrow(
        "example_4_1_mlp",
        f"""{NESTED}
let p <= rev handle ([1.0, 2.0]) <x>. let y <= c(x) in let z <= FC[w2](y) in b(z) with sgd(0.1, [1.0, 2.0]) in
  rev handle (p) <x>. return swish(x) with sgd(0.1, [1.0, 2.0])""",
    ),
    "ordinary": arrow(
        "example_4_1_mlp",
        f"""{NESTED}
handler infer = {{
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x)
}}
handle let p <= c([1.0, 2.0]) in let q <= a(p) in b(q) with infer""",
    ),
}
NAMES = tuple(ARROWS)


@st.composite
def foldings(draw: st.DrawFn) -> tuple[Arrow, frozenset[int]]:
    """A random program or one of the paper, and a subset of its folds."""
    if draw(st.booleans()):
        a = ARROWS[draw(st.sampled_from(NAMES))]
    else:
        P: Program = draw(programs(fuel=4))
        a = interpret((), Scope((), P.command))
    folds = [fold.number for fold in folds_of(sketch(a))]
    return a, frozenset(draw(st.sets(st.sampled_from(folds)) if folds else st.just(set[int]())))


def members(drawn: Layout) -> list[frozenset[int]]:
    return [frozenset(box.members) for box in drawn.drawing.boxes]


def lies_in(box: PlacedBox | PlacedFrame, frame: PlacedFrame) -> bool:
    across = frame.x - EPS <= box.x and box.x + box.width <= frame.x + frame.width + EPS
    return across and frame.y - EPS <= box.y and box.y + box.height <= frame.y + frame.height + EPS


def is_apart(a: PlacedBox | PlacedFrame, b: PlacedBox | PlacedFrame) -> bool:
    beside = a.x + a.width <= b.x + EPS or b.x + b.width <= a.x + EPS
    return beside or a.y + a.height <= b.y + EPS or b.y + b.height <= a.y + EPS


def within(fold: Fold, s: Sketch) -> set[int]:
    """The boxes of a fold, and those inside them."""
    return {inner.number for m in fold.members for inner in with_inner(s.every[m])}


def is_inside(fold: Fold, folds: tuple[Fold, ...], closed: frozenset[int]) -> bool:
    """Whether a fold is closed, or is inside a closed one."""
    return fold.number in closed or (fold.outer >= 0 and is_inside(folds[fold.outer], folds, closed))


@law(30)
@given(foldings())
def test_what_is_shown_and_what_is_hidden_are_all_boxes(case: tuple[Arrow, frozenset[int]]) -> None:
    a, closed = case
    drawn = layout(a, folded=closed)
    assert drawn.folding is not None
    members = [drawn.sketch.every[m] for box in drawn.drawing.boxes for m in box.members]
    found = [inner.number for node in members for inner in with_inner(node) if inner.nest is None]
    assert Counter(found) == Counter(plain(drawn).keys())
    assert drawn.folding.box_count == len(drawn.drawing.boxes)


@law(30)
@given(foldings())
def test_every_wire_still_connects_what_the_diagram_says(case: tuple[Arrow, frozenset[int]]) -> None:
    a, closed = case
    connected(layout(a, folded=closed))


@law(30)
@given(foldings())
def test_a_closed_fold_is_its_boxes_and_an_open_one_has_a_frame(case: tuple[Arrow, frozenset[int]]) -> None:
    a, closed = case
    drawn = layout(a, folded=closed)
    folds = folds_of(drawn.sketch)
    framed = {frame.fold.number for frame in drawn.drawing.frames if frame.fold is not None}
    boxed = {box.fold.number for box in drawn.drawing.boxes if box.fold is not None}
    for fold in folds:
        hidden = fold.outer >= 0 and is_inside(folds[fold.outer], folds, closed)
        assert (fold.number in framed) == (not hidden and fold.number not in closed)
        assert (fold.number in boxed) == (not hidden and fold.number in closed)
    for box in drawn.drawing.boxes:
        assert box.fold is None or set(box.members) <= set(box.fold.members)


@law(30)
@given(foldings())
def test_frames_hold_their_boxes_and_no_others(case: tuple[Arrow, frozenset[int]]) -> None:
    a, closed = case
    drawn = layout(a, folded=closed)
    for frame in drawn.drawing.frames:
        if frame.fold is None:
            assert any(node.nest is not None for node in drawn.sketch.every.values())
            continue
        inside = [box for box in drawn.drawing.boxes if lies_in(box, frame)]
        assert all(set(box.members) <= within(frame.fold, drawn.sketch) for box in inside)
        assert all(is_apart(box, frame) for box in drawn.drawing.boxes if box not in inside)
    for fold in folds_of(drawn.sketch):
        frames = [frame for frame in drawn.drawing.frames if frame.fold == fold]
        boxes = [box for box in drawn.drawing.boxes if set(box.members) <= within(fold, drawn.sketch)]
        assert not frames or all(any(lies_in(box, frame) for frame in frames) for box in boxes)
    for one, other in combinations(drawn.drawing.frames, 2):
        assert lies_in(one, other) or lies_in(other, one) or is_apart(one, other)


@law(30)
@given(foldings())
def test_closing_a_fold_hides_nothing_else(case: tuple[Arrow, frozenset[int]]) -> None:
    a, closed = case
    before = Counter(members(layout(a, folded=())))
    folds = folds_of(sketch(a))
    hidden = {m for number in closed for m in within(folds[number], sketch(a))}
    after = Counter(members(layout(a, folded=closed)))
    assert Counter({box: n for box, n in before.items() if not box & hidden}) == Counter(
        {box: n for box, n in after.items() if not box & hidden}
    )


@law(30)
@given(foldings())
def test_the_numbers_of_folds_are_those_of_the_diagram(case: tuple[Arrow, frozenset[int]]) -> None:
    a, closed = case
    s = sketch(a)
    found = folding(s, {*closed, -7, 10_000})
    assert found.folds == folds_of(s)
    assert found.closed == closed
    assert [fold.number for fold in found.folds] == [*range(len(found.folds))]
    assert all(fold.outer < fold.number for fold in found.folds)
    assert all(fold.outer < 0 or set(fold.members) <= within(found.folds[fold.outer], s) for fold in found.folds)


@law(30)
@given(foldings())
def test_all_clauses_closed_is_the_folded_drawing(case: tuple[Arrow, frozenset[int]]) -> None:
    a, _ = case
    clauses = [fold.number for fold in folds_of(sketch(a)) if fold.kind is FoldKind.CLAUSE]
    assert Counter(members(layout(a, folded=clauses))) == Counter(members(layout(a, folded=True)))


def test_a_drawing_without_single_folds_is_as_it_was() -> None:
    for a in ARROWS.values():
        for folded in (False, True):
            drawn = layout(a, folded=folded)
            assert drawn.folding is None
            assert not any(frame.fold for frame in drawn.drawing.frames)


def titles(name: str) -> list[tuple[str, str]]:
    return [(fold.kind.value, fold.title) for fold in folds_of(sketch(ARROWS[name]))]


def test_declared_nets_are_folds() -> None:
    assert ("net", "mlp") in titles("example_4_1_mlp")
    # The residual net uses another one.
    s = sketch(ARROWS["example_4_2_residual"])
    inner = next(fold for fold in folds_of(s) if fold.title == "r_mlp")
    assert folds_of(s)[inner.outer].title == "r_resnet"
    # An ordinary handler around a net that handles something itself.
    assert titles("example_4_5_unet")[:3] == [("net", "unet"), ("handler", "rev handle with h_unet"), ("net", "r_unet")]


def test_a_net_in_a_reverse_handler_folds_on_both_legs() -> None:
    a = ARROWS["example_4_1_mlp"]
    (net,) = [fold for fold in folds_of(sketch(a)) if fold.kind is FoldKind.NET]
    drawn = layout(a, folded={net.number})
    assert [box.figure.label for box in drawn.drawing.boxes][1:] == ["⟦mlpᶠ⟧", "0.1 · (x - 0.5)", "⟦mlpᵇ⟧"]
    (handler,) = [fold for fold in folds_of(sketch(a)) if fold.kind is FoldKind.HANDLER]
    assert [box.figure.label for box in layout(a, folded={handler.number}).drawing.boxes][1:] == ["⟦sgd(0.1, t)⟧"]


def around(fold: Fold, folds: tuple[Fold, ...]) -> list[str]:
    """The titles of the folds around a fold, innermost first."""
    found: list[str] = []
    while fold.outer >= 0:
        fold = folds[fold.outer]
        found.append(fold.title)
    return found


def test_nets_lie_in_nets() -> None:
    for name in ("nested", "twice", "ordinary"):
        folds = folds_of(sketch(ARROWS[name]))
        inner = [around(fold, folds) for fold in folds if fold.title == "with_a_rather_long_name"]
        assert all(titles[0] == "b" for titles in inner)
        assert len([titles for titles in inner if titles[1:2] == ["c"]]) == 4


def test_two_uses_of_a_net_are_two_folds() -> None:
    a = arrow("example_4_1_mlp", "let y <= mlp([1.0, 2.0]) in let z <= mlp([3.0, 4.0]) in return (y, z)")
    assert [fold.title for fold in folds_of(sketch(a))] == ["mlp", "mlp"]
