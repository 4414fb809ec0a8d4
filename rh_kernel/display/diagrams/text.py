"""String diagrams as text: a line for each box, ``z ← FC[w0](x)``, under the clause that it comes from."""

from collections.abc import Iterator, Mapping, Sequence

from rh_kernel.denotational.drawing.outline import common_prefix
from rh_kernel.denotational.drawing.sketch import BoxShape, Nest, Node, Sketch, part_title, sketch
from rh_kernel.denotational.drawing.text_metrics import shortened
from rh_kernel.denotational.provenance import Leg, Part
from rh_kernel.display.tables import shortened_rows
from rh_kernel.display.text import visible
from rh_kernel.session.results import DiagramMade

MOST_LINES = 200
"""Longer listings omit lines in the middle."""

_ARROWS = {Leg.FORWARD: "↓", Leg.RETURN: "↺", Leg.BACKWARD: "↑", Leg.CLAUSE: "·"}


def diagram_text(made: DiagramMade) -> str:
    """The boxes in order, under the parts that they come from; ``↓`` marks the forward pass and ``↑`` the backward pass."""
    return listing(made, sketch(made.shown, opens_maps=True))


def listing(made: DiagramMade, s: Sketch) -> str:
    """``diagram_text``, given the sketch of the diagram."""
    names = wire_names(s)
    lines = [summary(made, s)]
    lines += [f"  {names[w]} : {s.types[w]}" for w in s.inputs]
    lines += shortened_rows([*_lines(s, names)], MOST_LINES, str, lambda count: f"  ⋮ {count} lines are folded")
    ends = ", ".join([f"{names[w]} : {s.types[w]}" for w in s.outputs])
    return visible("\n".join([*lines, f"  return {ends or '()'}"]))


def summary(made: DiagramMade, s: Sketch) -> str:
    """The subject, its type, and the number of boxes."""
    inside = [node for node in s.every.values() if node.nest is None]
    count = len(inside)
    effects = sum(node.figure.shape is BoxShape.OPERATION for node in inside)
    boxes = f"{count} box{'' if count == 1 else 'es'}"
    operations = f", {effects} of them {'an operation' if effects == 1 else 'operations'}" if effects else ""
    return f"⟦{shortened(made.subject, 60)}⟧ : {made.type}, {boxes}{operations}"


def wire_names(s: Sketch) -> dict[int, str]:
    """Return distinct names for all wires, as close as possible to those of the program."""
    taken: set[str] = set()
    found: dict[int, str] = {}
    for w, name in enumerate(s.names):
        shown, n = name or f"v{w}", 1
        while shown in taken:
            n += 1
            shown = f"{name or 'v'}_{n}"
        taken.add(shown)
        found[w] = shown
    return found


def _lines(s: Sketch, names: Mapping[int, str]) -> Iterator[str]:
    yield from _listed([*s.nodes.values()], names, 1)


def _listed(nodes: Sequence[Node], names: Mapping[int, str], depth: int) -> Iterator[str]:
    place: tuple[Part, ...] = ()
    for node in nodes:
        if node.place != place:
            first = common_prefix([place, node.place])
            for deeper, part in enumerate(node.place[first:], start=depth + first):
                of = f" of {part.handler}" if part.handler else ""
                yield f"{'  ' * deeper}{_ARROWS[part.leg]} {part.level}: {part_title(part)}{of}"
            place = node.place
        here = depth + len(node.place)
        if node.nest is None:
            yield f"{'  ' * here}{_line(node, names)}"
        else:
            yield from _inside(node.nest, names, here)


def _inside(nest: Nest, names: Mapping[int, str], depth: int) -> Iterator[str]:
    """Yield the lines of a box with others in it, and between which wires the state of its rounds comes round."""
    yield f"{'  ' * depth}{nest.title}"
    for c in nest.round:
        yield f"{'  ' * (depth + 1)}{names[c.state]} ← {names[c.start]} at first, then {names[c.after]} of the round before"
    yield from _listed([] if nest.begin is None else [nest.begin], names, depth + 1)
    for branch in nest.branches:
        if branch.title:
            yield f"{'  ' * (depth + 1)}{branch.title}"
        yield from _listed(branch.nodes, names, depth + (2 if branch.title else 1))
    yield from _listed([] if nest.end is None else [nest.end], names, depth + 1)
    for c in nest.round:
        yield f"{'  ' * depth}{names[c.end]} ← {names[c.after]} of the last round"


def _line(node: Node, names: Mapping[int, str]) -> str:
    inputs = [names[w] for w in node.inputs]
    made = ", ".join([names[w] for w in node.outputs])
    text = shortened(node.figure.text, 80)
    match node.figure.shape:
        case BoxShape.OPERATION:
            right = f"{text}({', '.join(inputs)})"
        case BoxShape.PURE:
            right = f"⟦{text}⟧({', '.join(inputs)})"
        case BoxShape.SUM:
            right = " + ".join(inputs)
        case BoxShape.ZERO | BoxShape.CONSTANT:
            right = text
    return f"{made} ← {right}" if made else right
