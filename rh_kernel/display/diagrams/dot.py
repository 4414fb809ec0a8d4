"""String diagrams as DOT for Graphviz: clauses are clusters, and wires are edges labelled with their types."""

import html
from collections.abc import Sequence
from itertools import groupby
from typing import Protocol, cast

from graphviz import Digraph, escape

from rh_kernel.denotational.drawing.folding import Folding
from rh_kernel.denotational.drawing.outline import Cluster, Group, Item, Leaf, Net, nodes
from rh_kernel.denotational.drawing.sketch import BoxShape, Node, Sketch, part_gloss, part_title
from rh_kernel.denotational.drawing.text_metrics import exponent
from rh_kernel.denotational.provenance import Leg, Part
from rh_kernel.display.palette import COLOURS, FRAMES
from rh_kernel.display.text import visible
from rh_kernel.syntax.printing.doc import Role


class Graph(Protocol):
    """The part of ``graphviz.Digraph`` that is used here; its own types are incomplete."""

    source: str

    def node(self, name: str, label: str, **attributes: str) -> None:
        """Add a node."""
        ...

    def edge(self, tail_name: str, head_name: str, label: str, **attributes: str) -> None:
        """Add an edge."""
        ...

    def subgraph(self, graph: "Graph") -> None:
        """Add a cluster."""
        ...


_SHAPES = {
    BoxShape.PURE: {"shape": "box", "style": "rounded", "color": COLOURS[Role.FUNCTION]},
    BoxShape.OPERATION: {"shape": "box", "color": COLOURS[Role.OPERATION]},
    BoxShape.SUM: {"shape": "circle", "color": COLOURS[Role.FUNCTION], "width": "0.25", "fixedsize": "true"},
    BoxShape.ZERO: {"shape": "circle", "color": COLOURS[Role.FUNCTION], "width": "0.25", "fixedsize": "true"},
    BoxShape.CONSTANT: {"shape": "box", "style": "rounded", "color": COLOURS[Role.CONSTANT]},
}
_GRAPH = {"rankdir": "LR", "bgcolor": "transparent", "fontname": "sans-serif", "fontsize": "10"}
_NODE = {"fontname": "sans-serif", "fontsize": "12", "height": "0.3", "margin": "0.08,0.04"}
_EDGE = {"fontname": "sans-serif", "fontsize": "9", "arrowhead": "none"}
_FRAMES = {
    Leg.FORWARD: FRAMES["forward"],
    Leg.RETURN: FRAMES["plain"],
    Leg.BACKWARD: FRAMES["backward"],
    Leg.CLAUSE: FRAMES["forward"],
}


def diagram_dot(s: Sketch, found: Folding | None = None) -> str:
    """The diagram as DOT, with some of its folds closed."""
    graph = cast(Graph, Digraph("diagram", graph_attr=_GRAPH, node_attr=_NODE, edge_attr=_EDGE))
    for i, w in enumerate(s.inputs):
        graph.node(f"in{i}", _superscript(s, w), shape="plaintext")
    for i, w in enumerate(s.outputs):
        graph.node(f"out{i}", _superscript(s, w), shape="plaintext")
    home = {number: f"b{number}" for number in s.nodes}
    if found is None:
        _nodes(graph, [*s.nodes.values()], 0, [0])
    else:
        _items(graph, found.items, home, [0])
    maker = {w: f"in{i}" for i, w in enumerate(s.inputs)}
    maker |= {w: home[node.number] for node in s.nodes.values() for w in node.outputs}
    ends = [(w, home[node.number]) for node in s.nodes.values() for w in node.inputs if maker[w] != home[node.number]]
    ends += [(w, f"out{i}") for i, w in enumerate(s.outputs)]
    for w, reader in ends if found is None else dict.fromkeys(ends):
        name = f"{s.names[w]} : {s.types[w]}" if s.names[w] else str(s.types[w])
        graph.edge(maker[w], reader, label=_superscript(s, w), tooltip=_text(name))
    return graph.source


def _nodes(graph: Graph, boxes: Sequence[Node], depth: int, count: list[int]) -> None:
    """Add boxes; those of one part are a cluster."""
    for part, run in groupby(boxes, lambda node: node.place[depth] if len(node.place) > depth else None):
        if part is None:
            for node in run:
                _node(graph, node)
        else:
            count[0] += 1
            inner = cast(Graph, Digraph(f"cluster{count[0]}", graph_attr=_frame(part)))
            _nodes(inner, [*run], depth + 1, count)
            graph.subgraph(inner)


def _items(graph: Graph, items: Sequence[Item], home: dict[int, str], count: list[int]) -> None:
    """Add items: open groups are clusters, a closed group is one node, to which ``home`` then maps its boxes."""
    for item in items:
        match item:
            case Leaf(node):
                _node(graph, node)
            case Net(stages):
                _items(graph, [stage.item for stage in stages], home, count)
            case Group(items=inside, is_closed=False) | Cluster(items=inside):
                count[0] += 1
                frame = _framed(item.fold.leg, item.fold.title, item.gloss) if isinstance(item, Group) else _frame(item.part)
                inner = cast(Graph, Digraph(f"cluster{count[0]}", graph_attr=frame))
                _items(inner, inside, home, count)
                graph.subgraph(inner)
            case Group(label=label, gloss=gloss):
                inside = nodes(item)
                home |= {node.number: f"b{inside[0].number}" for node in inside}
                has_effects = any(node.figure.shape is BoxShape.OPERATION for node in inside)
                attributes = _SHAPES[BoxShape.OPERATION if has_effects else BoxShape.PURE]
                graph.node(f"b{inside[0].number}", _text(label), tooltip=_text(gloss), **attributes)


def _node(graph: Graph, node: Node) -> None:
    attributes = _SHAPES[node.figure.shape]
    graph.node(f"b{node.number}", _text(node.figure.label), tooltip=_text(node.figure.title), **attributes)


def _frame(part: Part) -> dict[str, str]:
    return _framed(part.leg, part_title(part), part_gloss(part))


def _framed(leg: Leg | None, title: str, gloss: str) -> dict[str, str]:
    colour = _FRAMES[Leg.RETURN if leg is None else leg]
    return {"label": _text(title), "tooltip": _text(gloss), "style": "rounded", "color": colour}


def _superscript(s: Sketch, w: int) -> str:
    """Return ``ℝ³ˣ²`` as a label."""
    raised = html.escape(visible(exponent(s.types[w])))
    return f"<ℝ<SUP>{raised}</SUP>>" if raised else "ℝ"


def _text(text: str) -> str:
    """Escape a text, so that it is neither markup nor an escape sequence of Graphviz."""
    return escape(visible(text))
