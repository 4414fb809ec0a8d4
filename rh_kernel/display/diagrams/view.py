"""The view of string diagrams, with open and with folded clauses (RH §6.1, §7.4).

The drawing is inline SVG, with tooltips. A notebook that is not trusted removes it and shows an image instead.
"""

from rh_kernel.denotational.drawing.layout import Layout, placed
from rh_kernel.denotational.drawing.sketch import BoxShape, Node, Sketch, operation_text, sketch
from rh_kernel.denotational.provenance import Part
from rh_kernel.display.data import Json, Record
from rh_kernel.display.diagrams.choice import BOTH, foldings
from rh_kernel.display.diagrams.dot import diagram_dot
from rh_kernel.display.diagrams.svg import diagram_svg
from rh_kernel.display.diagrams.text import diagram_text, listing, summary
from rh_kernel.display.html import escape
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import FAINT, box, code, details, element, span, svg_source
from rh_kernel.display.palette import NEUTRAL
from rh_kernel.display.registry import ResultView
from rh_kernel.session.results import DiagramMade
from rh_kernel.session.rounds_shown import RoundsShown
from rh_kernel.syntax.printing.doc import Role

LEAST = 0.75
"""The least scale of a drawing; a drawing that is still too wide scrolls."""

IMAGES = 400_000
"""Larger drawings, in characters of SVG, have no images beside them."""


def _rich(made: DiagramMade) -> dict[str, str]:
    """HTML, and SVG and DOT unless the diagram is too large. It is laid out once for all three."""
    s = sketch(made.shown, opens_maps=True)
    drawings = _drawings(made, s)
    page = {"text/html": _page(made, s, drawings)}
    if not drawings:
        return page
    return {**page, "image/svg+xml": diagram_svg(drawings[0], made.subject), "text/vnd.graphviz": diagram_dot(s)}


def _drawings(made: DiagramMade, s: Sketch) -> list[Layout]:
    """Draw the diagram with open and with folded clauses, or with folded clauses and rounds if that is asked for."""
    found = foldings(s)
    if made.rounds is RoundsShown.FOLDED and found:
        return [placed(s, folded=True, closes_rounds=True)]
    return [placed(s, folded=folded) for folded in found]


def _page(made: DiagramMade, s: Sketch, drawings: list[Layout]) -> str:
    """The subject and the drawings; of two, the second is in a closed ``<details>``."""
    head = box("", code(summary(made, s), Role.TYPE))
    if not drawings:
        note = "This diagram is too large to be drawn. These are its boxes."
        return head + box(FAINT, note) + element("pre", "max-height:30em;overflow:auto", escape(listing(made, s)))
    images = [diagram_svg(drawn, made.subject, NEUTRAL) for drawn in drawings]
    live = [diagram_svg(drawn, made.subject, "inherit", LEAST) for drawn in drawings]
    if sum(map(len, images)) > IMAGES:
        images = images[:1] if len(images[0]) <= IMAGES else []
    stills = [*map(_still, drawings, images), *[""] * (len(live) - len(images))]
    shown = [_live(svg) + still for svg, still in zip(live, stills, strict=True)]
    if len(shown) == 1:
        return _STYLE + head + shown[0] + (_only_folded(s) if drawings[0].is_folded and len(s.every) > BOTH else "")
    names = [*map(_name, drawings)]
    parts = [details("margin:4px 0", names[n], picture, is_open=n == 0) for n, picture in enumerate(shown)]
    return _STYLE + head + "".join(parts)


def _only_folded(s: Sketch) -> str:
    note = f"The clauses are folded: the diagram has {len(s.every)} boxes, and up to {BOTH} are drawn one by one."
    return box(FAINT, escape(note))


def _name(drawn: Layout) -> str:
    words = "each clause one box, as in Example 7.17" if drawn.is_folded else "the clauses open"
    return span(FAINT, words)


_LIVE = ".rh-live:has(svg)"
_STYLE = f"<style>{_LIVE}{{display:block!important}}{_LIVE}+.rh-still{{display:none!important}}</style>"


def _live(svg: str) -> str:
    """The inline SVG. A notebook that is not trusted removes it, and then ``_STYLE`` hides the empty element."""
    return f'<div class="rh-live" style="display:none;overflow-x:auto">{svg}</div>'


def _still(drawn: Layout, svg: str) -> str:
    style = f"max-width:100%;min-width:{drawn.width * LEAST:.0f}px"
    image = f'<img style="{style}" src="{svg_source(svg)}" alt="string diagram">'
    return f'<div class="rh-still" style="overflow-x:auto">{image}</div>'


def _record(made: DiagramMade) -> Record:
    """Boxes and wires by number, without wires of the unit type and boxes that only make such wires (RH §6.1)."""
    s = sketch(made.shown, opens_maps=True)
    inner = [w for node in s.every.values() for w in (*node.inputs, *node.outputs, *_coming(node))]
    wires = sorted({*s.inputs, *s.outputs, *inner})
    return {
        "kind": "diagram",
        "subject": made.subject,
        "type": made.type,
        "boxes": [_box(node) for node in s.nodes.values()],
        "wires": [{"id": w, "type": str(s.types[w]), "name": s.names[w]} for w in wires],
        "inputs": [*s.inputs],
        "outputs": [*s.outputs],
    }


def _box(node: Node) -> Record:
    return {
        "id": node.number,
        "kind": "operation" if node.figure.shape is BoxShape.OPERATION else "pure",
        "label": node.figure.text,
        "inputs": [*node.inputs],
        "outputs": [*node.outputs],
        "place": [_part(part) for part in node.place],
        **_inside(node),
    }


def _inside(node: Node) -> Record:
    """The boxes inside a box: those of one round, with the wires that come round, or those of the branches of a choice."""
    nest = node.nest
    if nest is None:
        return {}
    if not nest.is_loop:
        return {"branches": [{"boxes": [_box(inner) for inner in branch.nodes]} for branch in nest.branches]}
    wires: list[Json] = [{"start": c.start, "state": c.state, "after": c.after, "end": c.end} for c in nest.round]
    return {"round": {"boxes": [_box(inner) for inner in nest.nodes()], "wires": wires}}


def _coming(node: Node) -> tuple[int, ...]:
    return () if node.nest is None else tuple([w for c in node.nest.round for w in (c.state, c.after)])


def _part(part: Part) -> Record:
    operation: Record = {} if part.operation is None else {"operation": operation_text(part.operation)}
    return {"handler": part.handler, "part": part.leg.value, "level": part.level, **operation}


def _view(made: DiagramMade) -> View:
    from rh_kernel.display.live.diagrams import DiagramView

    return DiagramView(made)


DIAGRAM = ResultView(DiagramMade, text=diagram_text, rich=_rich, records=lambda made: (_record(made),), live=_view)
