"""Rendering of string diagrams as SVG, TikZ, DOT, text and JSON (RH §6.1, §7.4)."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.arrows import Arrow, Effect, Pure, Row
from rh_kernel.denotational.drawing.fold import FoldKind
from rh_kernel.denotational.drawing.folding import folding
from rh_kernel.denotational.drawing.layout import layout
from rh_kernel.denotational.drawing.sketch import BoxShape, sketch
from rh_kernel.denotational.drawing.text_metrics import MOST as LETTERS
from rh_kernel.denotational.drawing.text_metrics import exponent, type_line, width
from rh_kernel.denotational.provenance import Leg, Part
from rh_kernel.denotational.smooth import Apply, Draft
from rh_kernel.denotational.wiring import Builder
from rh_kernel.display.diagrams.choice import MOST, chosen
from rh_kernel.display.diagrams.dot import diagram_dot
from rh_kernel.display.diagrams.svg import diagram_svg
from rh_kernel.display.diagrams.tikz import diagram_tikz
from rh_kernel.display.registry import bundle, records
from rh_kernel.session.results import DiagramMade, ItemFailed
from rh_kernel.syntax.core import Bound, Call, Operation, Primitive
from rh_kernel.syntax.signature import Family
from rh_kernel.syntax.types import UNIT, real
from tests.display.pages import PASS, Page, shown
from tests.display.typesetting import has_tex, typeset
from tests.tiers import law

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "g", "path", "text", "tspan", "circle", "rect", "title", "style"}
AROUND = {"div", "span", "details", "summary", "img", "pre", "style"}
ATTRIBUTES = {"style", "class", "open", "src", "alt"}

LISTING = """\
⟦rev handle ([1.0, -2.0]) <x>. mlp(x) with sgd(0.1, t)⟧ : Real(0) ~> Real(2), 14 boxes, 4 of them operations
  x ← [1.0, -2.0]
  ↓ 0: Qᶠ FC[w0] of sgd(0.1, t)
    w ← Get[w0]()
    z ← ⟦w @ x⟧(x, w)
  ↓ 1: forward of sgd(0.1, t)
    h ← ⟦swish(z)⟧(z)
  ↓ 2: Qᶠ FC[w1] of sgd(0.1, t)
    w_2 ← Get[w1]()
    x_2 ← ⟦w @ x⟧(h, w_2)
  ↺ 3: return of sgd(0.1, t)
    y ← ⟦0.1 · (x - 0.5)⟧(x_2)
  ↑ 2: Qᵇ FC[w1] of sgd(0.1, t)
    v9 ← ⟦w - outer(y, x)⟧(y, w_2, h)
    Put[w1](v9)
    v11 ← ⟦wᵀ @ y⟧(y, w_2)
  ↑ 1: backward of sgd(0.1, t)
    y_2 ← ⟦R'[swish(z)]⟧(v11, z)
  ↑ 0: Qᵇ FC[w0] of sgd(0.1, t)
    v13 ← ⟦w - outer(y, x)⟧(y_2, w, x)
    Put[w0](v13)
    v15 ← ⟦wᵀ @ y⟧(y_2, w)
  return v15 : Real(2)"""


def made(text: str) -> DiagramMade:
    (result,) = [result for result in shown(f"%diagram {text}") if isinstance(result, DiagramMade)]
    return result


def drawing(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= DRAWN
    for element in root.iter():
        assert not any(name.lower().startswith("on") or name.endswith("href") for name in element.attrib)
    return root


def hostile(words: str) -> DiagramMade:
    """A diagram with these words in place of all user text."""
    R2, op = real(2), Operation(Family(words, (), real(2), real(2), ()), (), (), real(2), real(2))
    neg = Primitive("neg", (R2.shape,), R2, R2)
    draft: Draft = Builder((R2,))
    f = draft.close(draft.add(Apply(neg), draft.inputs, (R2,)))
    b: Row = Builder((R2,), (words,))
    b.place = (Part(words, Leg.FORWARD, 0, op),)
    wires = b.add(Pure(f, Call(neg, Bound(0, words)), (words,)), b.inputs, (R2,))
    b.name(wires, words)
    b.place = (Part(words, Leg.BACKWARD, 0, op),)
    return DiagramMade(words, words, b.close(b.add(Effect(op), wires, (R2,))))


def long_row(count: int, place: tuple[Part, ...] = ()) -> Arrow:
    op = Operation(Family("Tick", (), real(2), real(2), ()), (), (), real(2), real(2))
    b: Row = Builder((real(2),))
    b.place = place
    wires = b.inputs
    for _ in range(count):
        wires = b.add(Effect(op), wires, (real(2),))
    return b.close(wires)


def test_the_forms_of_a_diagram() -> None:
    forms = bundle(made(PASS))
    assert forms.keys() == {"text/plain", "text/html", "image/svg+xml", "text/vnd.graphviz"}
    assert forms["text/plain"] == LISTING
    assert forms["text/vnd.graphviz"].startswith("digraph")


def test_a_drawing_is_well_formed_and_says_what_it_is() -> None:
    root = drawing(bundle(made(PASS))["image/svg+xml"])
    assert root.get("role") == "img"
    assert root.get("aria-label") == PASS
    assert root.findtext(f"{SVG}title") == PASS
    assert "max-width:100%" in str(root.get("style"))
    _, _, wide, high = map(float, str(root.get("viewBox")).split())
    for box in root.iter(f"{SVG}rect"):
        assert 0 <= float(box.attrib["x"]) <= float(box.attrib["x"]) + float(box.attrib["width"]) <= wide + 0.2
        assert 0 <= float(box.attrib["y"]) <= float(box.attrib["y"]) + float(box.attrib["height"]) <= high + 0.2


def test_each_box_and_each_wire_tells_about_itself() -> None:
    result = made(PASS)
    drawn = layout(result.diagram)
    root = drawing(diagram_svg(drawn, "a pass"))
    titles = [str(group.findtext(f"{SVG}title")) for group in root.iter(f"{SVG}g")]
    assert len(titles) == len(drawn.drawing.boxes) + len(drawn.drawing.frames) + len({s.wire for s in drawn.drawing.strands})
    assert "z : Real(3)" in titles
    assert any(title.startswith("Get[w0] : Real(0) → Real(3, 2), an operation; the forward part") for title in titles)


def test_pure_boxes_are_round_and_operations_are_not() -> None:
    root = drawing(bundle(made("mlp"))["image/svg+xml"])
    texts = {
        str(g.findtext(f"{SVG}text")): g.find(f"{SVG}rect") for g in root.iter(f"{SVG}g") if g.find(f"{SVG}text") is not None
    }
    rounds = {text: rect is not None and rect.get("rx") is not None for text, rect in texts.items()}
    assert rounds == {"FC[w0]": False, "swish(z)": True, "FC[w1]": False}


def test_a_text_is_not_wider_than_its_box() -> None:
    for subject in ("mlp", PASS, "1 + exp(2)", "handle mlp([1.0, 2.0]) with infer", f"handle ({PASS}) with infer"):
        for box in layout(made(subject).diagram).drawing.boxes:
            assert len(box.figure.label) <= LETTERS
            assert width(box.figure.label) < box.width or box.figure.shape in (BoxShape.SUM, BoxShape.ZERO)


@law(40)
@given(
    st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "]]>", "\\N<b>x</b>"])
    | st.text(max_size=20)
)
def test_words_of_the_user_are_text(words: str) -> None:
    result, tame = hostile(words), hostile("tame")
    for folded in (False, True):
        root = drawing(diagram_svg(layout(result.diagram, folded=folded), words))
        shape = [element.tag for element in root.iter()]
        assert shape == [e.tag for e in drawing(diagram_svg(layout(tame.diagram, folded=folded), "tame")).iter()]
    page = harmless(bundle(result)["text/html"])
    assert page.tags == harmless(bundle(tame)["text/html"]).tags
    assert "\x1b" not in bundle(result)["text/plain"]


def harmless(html: str) -> Page:
    """The page contains only what a notebook shows, and an image for a notebook that is not trusted and removes the SVG."""
    page = Page.of(html)
    for tag, attributes in page.elements:
        if tag in AROUND:
            assert attributes.keys() <= ATTRIBUTES or tag == "style"
        else:
            assert tag in DRAWN
        assert not any(name.startswith("on") for name in attributes)
    lives = [a for _, a in page.elements if a.get("class") == "rh-live"]
    assert all("display:none" in str(a["style"]) for a in lives)
    assert len(lives) == page.tags.count("svg") == page.tags.count("img")
    return page


def test_the_clauses_open_and_folded() -> None:
    page = harmless(bundle(made(PASS))["text/html"])
    opened = [attributes for tag, attributes in page.elements if tag == "details"]
    assert ["open" in attributes for attributes in opened] == [True, False]
    assert page.tags.count("svg") == 2
    assert "⟦Qᶠ FC[w0]⟧" in page.text
    assert harmless(bundle(made("mlp"))["text/html"]).tags.count("svg") == 1


def test_what_is_large_is_folded_and_what_is_too_large_is_listed() -> None:
    part = (Part("h", Leg.CLAUSE, 0, None),)
    folded = DiagramMade("large", "A", long_row(MOST + 1, part))
    drawn = chosen(sketch(folded.diagram))
    assert drawn is not None
    assert drawn.is_folded
    assert "The clauses are folded" in harmless(bundle(folded)["text/html"]).text
    large = DiagramMade("large", "A", long_row(MOST + 1))
    assert chosen(sketch(large.diagram)) is None
    page = harmless(bundle(large)["text/html"])
    assert "svg" not in page.tags
    assert "too large to be drawn" in page.text
    assert bundle(large).keys() == {"text/plain", "text/html"}
    assert len(bundle(large)["text/plain"].splitlines()) < 250


def test_a_net_is_drawn_for_all_dimensions() -> None:
    text = "net twice[l : Loc(n, n)](x : Real(n)) : Real(n) = let y <= FC[l](x) in FC[l](y)\n%diagram twice"
    (result,) = [result for result in shown(text) if isinstance(result, DiagramMade)]
    drawn = layout(result.diagram)
    assert [box.figure.label for box in drawn.drawing.boxes] == ["FC[l]", "FC[l]"]
    assert ">n</tspan>" in diagram_svg(drawn, "twice")


def test_a_handler_by_itself_is_no_diagram() -> None:
    (result,) = shown("%diagram sgd")
    assert isinstance(result, ItemFailed)
    assert result.diagnostics[0].code == "RH042"
    assert "handles" in result.diagnostics[0].hint


def test_a_diagram_as_data() -> None:
    result = made(PASS)
    (record,) = records(3, result)
    assert record.keys() == {"item", "kind", "subject", "type", "boxes", "wires", "inputs", "outputs"}
    assert record["item"] == 3
    assert record["kind"] == "diagram"
    boxes, wires = record["boxes"], record["wires"]
    assert isinstance(boxes, list)
    assert isinstance(wires, list)
    assert boxes[1] == {
        "id": 2,
        "kind": "operation",
        "label": "Get[w0]",
        "inputs": [],
        "outputs": [2],
        "place": [{"handler": "sgd(0.1, t)", "part": "forward", "level": 0, "operation": "FC[w0]"}],
    }
    assert {"id": 2, "type": "Real(3, 2)", "name": "w"} in wires
    assert str(UNIT) not in [wire["type"] for wire in wires if isinstance(wire, dict)]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("words", ["w", "<b>x</b>", '"', "\\", "\\n", "{a|b}", "&amp;", "]", "é ⟦"])
def test_graphviz_reads_the_dot_text(words: str) -> None:
    for result in (hostile(words), replace(made(PASS), subject=words)):
        text = diagram_dot(sketch(result.diagram))
        done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr.decode()
        assert not done.stderr
        ElementTree.fromstring(done.stdout)


def test_types_on_wires() -> None:
    assert [exponent(A) for A in (real(1), real(3), real(3, 2), real("n"))] == ["", "3", "3×2", "n"]
    assert [type_line(A) for A in (real(1), real(3), real(3, 2), real("n"), real("q"))] == ["ℝ", "ℝ³", "ℝ³ˣ²", "ℝⁿ", "Real(q)"]


KNOWN = """documentclass usepackage begin end definecolor draw fill node tiny scriptsize
mathit mathsf mathbb text backslash cdot times hat sim mathbin eta ldots"""


def tex_commands(tex: str) -> set[str]:
    """The commands of a document, after checking its comments, braces and environments."""
    body = re.sub(r"(?<!\\)%.*", "", tex)
    bare = re.sub(r"\\[^A-Za-z]", "", body)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert re.findall(r"\\(begin|end)\{(\w+)\}", body) == [
        ("begin", "document"),
        ("begin", "tikzpicture"),
        ("end", "tikzpicture"),
        ("end", "document"),
    ]
    return set(re.findall(r"\\([A-Za-z]+)", body))


@pytest.mark.parametrize("words", ["mlp", "$\\input{x}^_~#&%\n\\end{document}", "{{{}", "重é₁₂ᶠᵇ", "<b>\x1b[0m"])
def test_a_document_of_tikz_has_no_command_of_a_user(words: str) -> None:
    for drawn in (layout(hostile(words).diagram), layout(hostile(words).diagram, folded=()), layout(made(PASS).diagram)):
        assert tex_commands(diagram_tikz(drawn, words)) <= {*KNOWN.split()}


def test_tikz_draws_every_box_frame_and_strand() -> None:
    for folded in ((), {0}, {1}, True):
        drawn = layout(made(PASS).diagram, folded=folded)
        tex = diagram_tikz(drawn, "m")
        rectangles = [*drawn.drawing.frames, *[b for b in drawn.drawing.boxes if not is_round(b.figure.shape)]]
        assert tex.count(" rectangle ") == len(rectangles)
        assert len(re.findall(r"\\draw\[rh (?:wire|back)\]", tex)) == len(drawn.drawing.strands)
        assert tex.count("\\node[rh text]") == len(drawn.drawing.boxes)


def is_round(shape: BoxShape) -> bool:
    return shape in (BoxShape.SUM, BoxShape.ZERO)


@pytest.mark.skipif(not has_tex("standalone.cls", "tikz.sty"), reason="there is no TeX with TikZ here")
def test_tex_takes_the_document(tmp_path: Path) -> None:
    for number, drawn in enumerate((layout(made(PASS).diagram, folded=()), layout(hostile("$\\end{x}重é₁₂ᶠᵇ%").diagram))):
        typeset(tmp_path / f"diagram{number}.tex", diagram_tikz(drawn, "重\n"))


def test_dot_with_folds_draws_what_is_open() -> None:
    s = sketch(made(PASS).diagram)
    everything = diagram_dot(s, folding(s, ()))
    assert everything.count("subgraph") == len([f for f in folding(s, ()).folds if f.kind is not FoldKind.NET])
    assert everything.count("shape=") == diagram_dot(s).count("shape=")
    closed = diagram_dot(s, folding(s, {0}))
    assert "Get" not in closed
    assert "sgd" in closed
    assert closed.count("->") == 2
