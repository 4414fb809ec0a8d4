"""The outline of a drawing: clauses, and the nets of reverse handlers."""

from hypothesis import given

from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.drawing.layout import layout
from rh_kernel.denotational.drawing.outline import Cluster, Group, Item, Leaf, Nested, Net, box_count, nodes, outline
from rh_kernel.denotational.drawing.sketch import part_title, sketch
from rh_kernel.denotational.provenance import Leg
from rh_kernel.syntax.core import Scope
from tests.denotational.drawn import arrow
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

SHAPES = {
    "example_4_1_mlp": ["box", "net"],
    "example_2_2_1_inference": ["box", "Q FC[w0]", "Q FC[w1]"],
    "example_4_3_autoencoder": ["box", "net"],
    "example_4_5_unet": ["box", "net"],
}


def shape(item: Item) -> str:
    match item:
        case Leaf():
            return "box"
        case Cluster(part):
            return part_title(part)
        case Group():
            return "group"
        case Nested():
            return "nested"
        case Net():
            return "net"


def test_the_examples_of_the_paper() -> None:
    for name, expected in SHAPES.items():
        assert [shape(item) for item in outline(sketch(arrow(name)))] == expected


def test_a_net_goes_there_and_back() -> None:
    (_, item) = outline(sketch(arrow("example_4_1_mlp")))
    assert isinstance(item, Net)
    legs = [(stage.leg, stage.level, shape(stage.item)) for stage in item.stages]
    assert legs == [
        (Leg.FORWARD, 0, "Qᶠ FC[w0]"),
        (Leg.FORWARD, 1, "box"),
        (Leg.FORWARD, 2, "Qᶠ FC[w1]"),
        (Leg.RETURN, 3, "return"),
        (Leg.BACKWARD, 2, "Qᵇ FC[w1]"),
        (Leg.BACKWARD, 1, "box"),
        (Leg.BACKWARD, 0, "Qᵇ FC[w0]"),
    ]


def test_the_sum_of_cotangents_stands_beside_the_clause() -> None:
    (_, item) = outline(sketch(arrow("example_4_2_residual")))
    assert isinstance(item, Net)
    assert [stage.is_core for stage in item.stages] == [True] * (len(item.stages) - 1) + [False]


def test_a_clause_of_an_ordinary_handler_stands_inside_the_clause_that_it_handles() -> None:
    titles = [frame.title for frame in layout(arrow("example_4_3_autoencoder")).drawing.frames]
    assert titles.index("Qᶠ EnDe[ℓ0, ℓ1]") < titles.index("Q FC[ℓ0]")


@law(60)
@given(programs(fuel=4))
def test_every_box_has_its_place(P: Program) -> None:
    s = sketch(interpret((), Scope((), P.command)))
    items = outline(s)
    assert [node.number for item in items for node in nodes(item)] == list(s.nodes)
    plain = [node for node in s.every.values() if node.nest is None]
    assert box_count(outline(s), folded=True) <= box_count(outline(s)) == len(plain)
