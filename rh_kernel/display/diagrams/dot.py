"""String diagrams as DOT for Graphviz: clauses are clusters, and wires are edges labelled with their types."""

import html
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Protocol, cast

from graphviz import Digraph, escape

from rh_kernel.denotational.drawing.folding import Folding
from rh_kernel.denotational.drawing.outline import Cluster, Group, Item, Leaf, Nested, Net, children, nodes
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
    clusters = _Clusters()
    if found is None:
        clusters.nodes(graph, [*s.nodes.values()], 0)
    else:
        clusters.items(graph, found.items)
    home = clusters.home
    sources = _sources(s, home)
    ends = [(w, home[node.number]) for node in s.every.values() if node.number in home for w in node.inputs]
    ends += [(w, f"out{i}") for i, w in enumerate(s.outputs)]
    edges = [(w, maker, reader) for w, reader in ends for maker in sources(w) if maker != reader]
    for w, maker, reader in edges if found is None else dict.fromkeys(edges):
        name = f"{s.names[w]} : {s.types[w]}" if s.names[w] else str(s.types[w])
        graph.edge(maker, reader, label=_superscript(s, w), tooltip=_text(name))
    return graph.source


def _sources(s: Sketch, home: Mapping[int, str]) -> Callable[[int], Sequence[str]]:
    """Return the nodes from which a wire comes: two for a wire that comes round."""
    made = {w: f"in{i}" for i, w in enumerate(s.inputs)}
    made |= {w: home[node.number] for node in s.every.values() if node.number in home for w in node.outputs}
    nests = [node.nest for node in s.every.values() if node.nest is not None and node.number not in home]
    coming = {c.state: (c.start, c.after) for nest in nests for c in nest.round}
    coming |= {c.end: (c.after,) for nest in nests for c in nest.round}

    def sources(w: int) -> Sequence[str]:
        found: dict[str, None] = {}
        seen, todo = {w}, [w]
        while todo:
            wire = todo.pop(0)
            if wire in made:
                found[made[wire]] = None
            for before in coming.get(wire, ()):
                if before not in seen:
                    seen.add(before)
                    todo.append(before)
        return [*found]

    return sources


class _Clusters:
    """Adds boxes to a graph; those that belong together are a cluster. ``home`` maps the number of a box to its node."""

    def __init__(self) -> None:
        self.home: dict[int, str] = {}
        self._count = 0

    def nodes(self, graph: Graph, boxes: Sequence[Node], depth: int) -> None:
        """Add boxes; those of one part, and those inside a box, are a cluster."""
        for part, run in groupby(boxes, lambda node: node.place[depth] if len(node.place) > depth else None):
            together = [*run]
            if part is None:
                for node in together:
                    self._open(graph, node)
            else:
                inner = self._cluster(_frame(part))
                self.nodes(inner, together, depth + 1)
                graph.subgraph(inner)

    def items(self, graph: Graph, items: Sequence[Item]) -> None:
        """Add items: open groups are clusters, a closed group is one node."""
        for item in items:
            match item:
                case Leaf(node):
                    self._node(graph, node)
                case Net(stages):
                    self.items(graph, [stage.item for stage in stages])
                case Nested(nest=nest):
                    inner = self._cluster(_framed(None, nest.title, nest.gloss))
                    self.items(inner, children(item))
                    graph.subgraph(inner)
                case Group(items=inside, is_closed=False) | Cluster(items=inside):
                    is_group = isinstance(item, Group)
                    frame = _framed(item.fold.leg, item.fold.title, item.gloss) if is_group else _frame(item.part)
                    inner = self._cluster(frame)
                    self.items(inner, inside)
                    graph.subgraph(inner)
                case Group(label=label, gloss=gloss):
                    inside = nodes(item)
                    name = f"b{inside[0].number}"
                    self.home |= {node.number: name for node in inside}
                    has_effects = any(node.figure.shape is BoxShape.OPERATION for node in inside)
                    attributes = _SHAPES[BoxShape.OPERATION if has_effects else BoxShape.PURE]
                    graph.node(name, _text(label), tooltip=_text(gloss), **attributes)

    def _open(self, graph: Graph, node: Node) -> None:
        if node.nest is None:
            self._node(graph, node)
            return
        inner = self._cluster(_framed(None, node.nest.title, node.nest.gloss))
        self.nodes(inner, [*node.nest.nodes()], 0)
        graph.subgraph(inner)

    def _cluster(self, frame: Mapping[str, str]) -> Graph:
        self._count += 1
        return cast(Graph, Digraph(f"cluster{self._count}", graph_attr=frame))

    def _node(self, graph: Graph, node: Node) -> None:
        self.home[node.number] = f"b{node.number}"
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
