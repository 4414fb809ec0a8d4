"""Rendering of recorded passes as text, HTML, SVG and JSON (RH §7.4, Def. 7.13)."""

import base64
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.arrows import Effect, Pure, Row
from rh_kernel.denotational.provenance import Handling, Leg, Mark, Part, Side
from rh_kernel.denotational.recording import Recording, Run, Use
from rh_kernel.denotational.smooth import Apply, Draft
from rh_kernel.denotational.wiring import Builder
from rh_kernel.display.diagrams.choice import MOST
from rh_kernel.display.gradients.passes import Role, annotated
from rh_kernel.display.gradients.text import MOST_ROWS
from rh_kernel.display.registry import bundle, records
from rh_kernel.session.results import Change, GradientMade, Pass
from rh_kernel.syntax.builtin import PUT
from rh_kernel.syntax.core import Bound, Call, Operation, Primitive
from rh_kernel.syntax.signature import Family, Location
from rh_kernel.syntax.types import UNIT, real
from rh_kernel.syntax.values import constant
from tests.display.pages import ATTRIBUTES, PASS, TAGS, Page, shown
from tests.tiers import law

DRAWN = {"svg", "g", "path", "text", "tspan", "circle", "rect", "title", "style"}

LISTING = """\
box           forward value               cotangent
x             [1.0, -2.0]                 [-0.0007273, 0.008205]
z ← FC[w0]    [0.5, -0.5, -1.7]           [-0.01903, 0.007644, 0.002234]
h ← swish(z)  [0.3112, -0.1888, -0.2626]  [-0.02572, 0.0294, -0.03307]
x_2 ← FC[w1]  0.1325                      -0.03675"""

LAYER = """op Layer : Real(n) -> Real(n)
handler true = { return x -> return x ; Layer(x) -> return (x * x, x) | y, z -> return 2 * (z * y) }
handler through = { return x -> return x ; Layer(x) -> return (x * x, 0) | y, z -> return y }
"""


def gradient(text: str, declarations: str = "") -> GradientMade:
    """The result of a ``%gradient`` after the declarations of the net."""
    (made,) = [result for result in shown(f"{declarations}%gradient {text}") if isinstance(result, GradientMade)]
    return made


def looked_at(made: GradientMade) -> tuple[Page, list[ElementTree.Element]]:
    """The page, which an untrusted notebook shows completely, and its drawings."""
    page = Page.of(bundle(made)["text/html"])
    drawings: list[ElementTree.Element] = []
    for tag, attributes in page.elements:
        assert tag in TAGS
        assert attributes.keys() <= ATTRIBUTES, tag
        if tag == "img":
            kind, data = str(attributes["src"]).split(",", 1)
            assert kind == "data:image/svg+xml;base64"
            drawings.append(ElementTree.fromstring(base64.b64decode(data, validate=True)))
            assert {element.tag.split("}")[1] for element in drawings[-1].iter()} <= DRAWN
            assert str(attributes["alt"]).strip()
    return page, drawings


def record(made: GradientMade) -> dict[str, Any]:
    (found,) = records(7, made)
    return cast(dict[str, Any], found)


# -- one pass ------------------------------------------------------------------------------------------------------------------


def test_the_table_has_each_box_with_its_value_and_its_cotangent() -> None:
    lines = bundle(gradient(PASS))["text/plain"].split("\n")
    assert lines[:5] == LISTING.split("\n")
    assert lines[5].startswith("return [-0.00072726640779")
    assert lines[6] == "w0 : Real(3, 2) changed by at most 0.03807"


def test_the_page_has_the_drawing_the_table_and_what_has_changed() -> None:
    page, drawings = looked_at(gradient(PASS))
    assert "wᵀ @ y" in "".join(drawings[0].itertext())
    assert "[-0.0007273, 0.008205]" in "".join(drawings[0].itertext())
    for words in ("swish(z)", "-0.02572", "w0", "changed by at most 0.03807"):
        assert words in page.text


def test_the_drawing_alone() -> None:
    forms = bundle(gradient(PASS))
    assert forms.keys() == {"text/plain", "text/html", "image/svg+xml"}
    assert ElementTree.fromstring(forms["image/svg+xml"]).tag.endswith("svg")


def test_what_has_not_come_back_is_not_0() -> None:
    text = "rev handle ([3, 5]) <x>. let a <= return exp(x) in let b <= Layer(x) in return b with true"
    made = gradient(text, LAYER)
    assert [line.split()[-1] for line in bundle(made)["text/plain"].splitlines() if "exp" in line] == ["—"]
    assert [box["cotangent"] for box in record(made)["boxes"] if box["label"] == "exp(x)"] == [None]
    assert "—" in looked_at(made)[0].text


def test_without_a_reverse_handler_there_are_values_only() -> None:
    made = gradient("let w <= Get[w1]() in let _ <= Put[w1](2 * w) in return sum(w)")
    boxes = record(made)["boxes"]
    assert [box["label"] for box in boxes] == ["Get[w1]", "2.0 · w", "sum(w)"]
    assert [box["cotangent"] for box in boxes] == [None] * 3
    assert [box["part"] for box in boxes] == [""] * 3
    assert boxes[2]["forward"] == pytest.approx([0.8])


def test_a_pass_as_data() -> None:
    found = record(gradient(PASS))
    assert found.keys() == {"item", "kind", "type", "value", "boxes", "heap"}
    assert (found["item"], found["kind"], found["type"]) == (7, "gradient", "Real(2)")
    assert found["heap"].keys() == {"w0", "w1"}
    assert found["boxes"][0]["cotangent"] == found["value"]
    assert [box["part"] for box in found["boxes"]] == ["", "Qᶠ FC[w0]", "forward", "Qᶠ FC[w1]"]


def test_the_rows_of_a_rest_that_ran_twice_have_two_cotangents() -> None:
    declarations = """op Choose : 1 -> Real(1)
handler plain : rev handler(Real(1)) = { return x -> return x - 1 }
handler both = { return x -> return x ; Choose(_), k -> let a <= k(3) in let b <= k(5) in return a + b }
"""
    made = gradient("handle rev handle (7) <x>. let c <= Choose() in return x + c with plain with both", declarations)
    first = record(made)["boxes"][0]
    assert first["forward"] == [7]
    assert first["cotangent"] == {"tuple": [[9], [11]]}
    assert "9.0; 11.0" in bundle(made)["text/plain"]


def test_what_each_wire_is_for() -> None:
    asked = annotated(gradient(PASS).passes[0])
    roles = [wire.role for wire in asked.wires.values()]
    assert roles.count(Role.PARAMETER) == roles.count(Role.UPDATE) == 2
    assert roles.count(Role.COTANGENT) == 4
    assert {wire.role for wire in asked.wires.values() if wire.waits} == {Role.PARAMETER, Role.VALUE}
    through = annotated(gradient("rev handle ([3, 5]) <x>. Layer(x) with through", LAYER).passes[0])
    assert Role.AUXILIARY in [wire.role for wire in through.wires.values()]
    for row in asked.rows:
        (cotangent,) = row.cotangents
        assert asked.wires[cotangent].of == row.wire


# -- two passes ----------------------------------------------------------------------------------------------------------------

LAYERS = "rev handle ([3, 5]) <x>. let a <= Layer(x) in Layer(a)"


def test_two_passes_side_by_side() -> None:
    made = gradient(f"{LAYERS} with true against {LAYERS} with through", LAYER)
    lines = [line.split("  ") for line in bundle(made)["text/plain"].splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert cells[0] == ["box", "forward value", "cotangent", "cotangent against", "differ by at most"]
    assert cells[1] == ["x", "[3.0, 5.0]", "[8748.0, 312500.0]", "[81.0, 625.0]", "3.119e+05"]
    assert cells[2] == ["a ← Layer", "[9.0, 25.0]", "[1458.0, 31250.0]", "[81.0, 625.0]", "3.062e+04"]
    assert cells[3][-1] == "equal"
    assert lines[-2:] == [[f"against {LAYERS} with through"], ["", "return [81.0, 625.0] : Real(2)"]]
    page, drawings = looked_at(made)
    assert len(drawings) == 2
    assert "differ by at most" in page.text


def test_how_far_apart_they_leave_the_heap() -> None:
    made = gradient(f"{PASS} against {PASS.replace('0.1', '0.2')}")
    text = bundle(made)["text/plain"]
    assert "w0 is apart by at most 0.03807 after the two passes" in text
    assert "w0 is apart by at most 0.03807 after the two passes" in looked_at(made)[0].text
    found = record(made)
    assert found["against"].keys() == {"type", "value", "boxes", "heap"}
    assert found["against"]["value"] == pytest.approx([2 * x for x in found["value"]])
    only = gradient(f"{PASS} against return 1")
    assert "w0 is changed by one of the two passes only" in bundle(only)["text/plain"]
    assert "—" in bundle(only)["text/plain"]


# -- large ones, hostile ones --------------------------------------------------------------------------------------------------


def made_of(count: int, words: str = "Tick", *, in_clauses: bool = True) -> GradientMade:
    """Two passes of this many boxes and two more, with these words in place of all user text."""
    R2, op = real(2), Operation(Family(words, (), real(2), real(2), ()), (), (), real(2), real(2))
    neg = Primitive("neg", (R2.shape,), R2, R2)
    draft: Draft = Builder((R2,))
    f = draft.close(draft.add(Apply(neg), draft.inputs, (R2,)))
    handling, location = Handling(words, None), Location(words, (), 0)
    b: Row = Builder((R2,), (words,))
    b.place = (Part(words, Leg.FORWARD, 0, op),) if in_clauses else ()
    wires = b.inputs
    for level in range(count):
        wires = b.add(Pure(f, Call(neg, Bound(0, words)), (words,)), wires, (R2,))
        b.mark(wires[0], Mark(handling, Side.VALUE, level, 0, op))
    b.name(wires, words)
    b.place = (Part(words, Leg.BACKWARD, 0, op),) if in_clauses else ()
    wires = b.add(Effect(op), wires, (R2,))
    b.mark(wires[0], Mark(handling, Side.COTANGENT, 0, 0, op))
    b.add(Effect(Operation(PUT, (), (), R2, UNIT)), wires, (UNIT,))
    arrow = b.close(wires)
    before, after = np.ones(2), np.array([np.nan, 2.0])
    values = (*[after] * (count + 2), np.zeros(0))
    runs = tuple([Run(level, tuple([(w, values[w]) for w in made])) for level, (_, made) in enumerate(arrow.wired())])
    recording = Recording(values, {location: after}, (Use(count + 1, "Put", location, before, after, count + 1),), runs)
    changes = (Change(location, before, after), Change(Location(words, (), 1), None, before))
    one = Pass(words, R2, arrow, recording, constant(1.0), changes)
    return GradientMade(words, R2, (one, one))


@law(40)
@given(
    st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "]]>", "</text><b>x</b>", "\x1b[31m"])
    | st.text(max_size=20)
)
def test_words_of_the_user_are_text(words: str) -> None:
    page, drawings = looked_at(made_of(2, words))
    tame, tame_drawings = looked_at(made_of(2))
    assert page.tags == tame.tags
    assert [e.tag for d in drawings for e in d.iter()] == [e.tag for d in tame_drawings for e in d.iter()]
    assert "\x1b" not in bundle(made_of(2, words))["text/plain"]


def test_a_long_table_leaves_out_boxes_in_the_middle() -> None:
    made = made_of(MOST_ROWS + 30)
    text = bundle(made)["text/plain"]
    assert "⋮ 30 boxes are left out" in text
    assert sum("Tick" in line for line in text.splitlines()) < MOST_ROWS + 10
    assert "boxes are left out" in looked_at(made)[0].text


def test_what_is_too_large_to_be_drawn_has_its_table() -> None:
    made = made_of(MOST + 1, in_clauses=False)
    page, drawings = looked_at(made)
    assert not drawings
    assert "too large to be drawn" in page.text
    assert "image/svg+xml" not in bundle(made)


def test_what_is_no_number_is_told() -> None:
    found = record(made_of(1))
    assert found["boxes"][0]["forward"] == ["nan", 2.0]
    assert "nan" in bundle(made_of(1))["text/plain"]
