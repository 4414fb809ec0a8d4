"""String diagrams as they are shown: which drawing, open or with folded clauses, and in which forms (RH §6.1, §7.4).

The drawing stands in the page itself, where hovering works. A notebook that is not trusted drops that and shows an image.
"""

import base64
from collections.abc import Iterator

from rh_kernel.denotational.drawing.layout import Layout, box_count, has_clauses, passing_count, placed
from rh_kernel.denotational.drawing.sketch import Sketch, sketch
from rh_kernel.display.diagrams.dot import diagram_dot
from rh_kernel.display.diagrams.svg import NEUTRAL, diagram_svg
from rh_kernel.display.diagrams.text import listing, summary
from rh_kernel.display.html import COLOURS, escape
from rh_kernel.display.markup import FAINT, MONOSPACE, box, details, element, span
from rh_kernel.session.results import DiagramMade
from rh_kernel.syntax.printing.doc import Role

OPEN = 40
"""A diagram of more boxes is shown with its clauses folded at first."""

MOST = 1500
"""A drawing has at most so many boxes."""

MOST_PASSING = 500_000
"""In a drawing the wires pass at most so many boxes, all together."""

BOTH = 500
"""Where clauses can be folded, a diagram of more boxes is only drawn like that."""

LEAST = 0.75
"""A drawing is shown at this share of its size at least; what is wider scrolls."""

IMAGES = 400_000
"""Drawings of more characters all together have no images beside them."""


def diagram_bundle(made: DiagramMade) -> dict[str, str]:
    """Text, HTML, SVG and DOT, as far as the diagram is not too large for them."""
    s = sketch(made.diagram)
    drawings = [*_drawings(s)]
    forms = {"text/plain": listing(made, s), "text/html": _page(made, s, drawings)}
    if drawings:
        forms["image/svg+xml"] = diagram_svg(drawings[0], made.subject)
        forms["text/vnd.graphviz"] = diagram_dot(s)
    return forms


def chosen(s: Sketch) -> Layout | None:
    """The drawing that is shown at first; none if even the folded one is too large."""
    return next(_drawings(s), None)


def diagram_html(made: DiagramMade) -> str:
    """The drawings, the one to look at first above the other, under what they are of."""
    s = sketch(made.diagram)
    return _page(made, s, [*_drawings(s)])


def _page(made: DiagramMade, s: Sketch, drawings: list[Layout]) -> str:
    head = box("", span(f"{MONOSPACE};color:{COLOURS[Role.TYPE]}", summary(made, s)))
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
        return _STYLE + head + shown[0] + (_only_folded(s) if drawings[0].is_folded else "")
    names = [*map(_name, drawings)]
    parts = [details("margin:4px 0", names[n], picture, is_open=n == 0) for n, picture in enumerate(shown)]
    return _STYLE + head + "".join(parts)


def _drawings(s: Sketch) -> Iterator[Layout]:
    """The drawings that there are, the one to be shown at first before the other."""
    count = box_count(s, folded=False)
    if passing_count(s) > MOST_PASSING:
        forms: list[bool] = []
    elif not has_clauses(s):
        forms = [False] if count <= MOST else []
    elif count > BOTH:
        forms = [True] if box_count(s, folded=True) <= MOST else []
    else:
        forms = [False, True] if count <= OPEN else [True, False]
    for folded in forms:
        yield placed(s, folded=folded)


def _only_folded(s: Sketch) -> str:
    note = f"The clauses are folded: the diagram has {len(s.nodes)} boxes, and up to {BOTH} are drawn one by one."
    return box(FAINT, escape(note))


def _name(drawn: Layout) -> str:
    words = "each clause one box, as in Example 7.17" if drawn.is_folded else "the clauses open"
    return span(FAINT, words)


_LIVE = ".rh-live:has(svg)"
_STYLE = f"<style>{_LIVE}{{display:block!important}}{_LIVE}+.rh-still{{display:none!important}}</style>"


def _live(svg: str) -> str:
    """The drawing itself. A notebook that is not trusted drops it, and then what is left of it is not shown."""
    return f'<div class="rh-live" style="display:none;overflow-x:auto">{svg}</div>'


def _still(drawn: Layout, svg: str) -> str:
    data = base64.b64encode(svg.encode()).decode("ascii")
    style = f"max-width:100%;min-width:{drawn.width * LEAST:.0f}px"
    image = f'<img style="{style}" src="data:image/svg+xml;base64,{data}" alt="string diagram">'
    return f'<div class="rh-still" style="overflow-x:auto">{image}</div>'
