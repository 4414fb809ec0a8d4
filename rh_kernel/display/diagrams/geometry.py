"""Drawings as records for the interactive view: boxes, frames and wires with coordinates, labels and tooltips."""

from collections.abc import Collection, Iterable

from rh_kernel.denotational.drawing.elements import PlacedBox, PlacedFrame
from rh_kernel.denotational.drawing.fold import Fold
from rh_kernel.denotational.drawing.layout import Layout
from rh_kernel.denotational.drawing.text_metrics import exponent
from rh_kernel.display.data import Json, Record
from rh_kernel.display.diagrams.svg import backward_wires, box_gloss, path
from rh_kernel.display.text import visible

TEXT = 2_000
"""The most characters of the text of a box."""


def geometry(drawn: Layout) -> Record:
    """The record of a drawing, with the numbers of its closed folds.

    The ``id`` of a box is the number of the first box in it. ``maker`` is ``None`` for an incoming wire, and ``readers``
    contains ``None`` for an outgoing one.
    """
    found, wires = drawn.folding, {strand.wire for strand in drawn.drawing.strands}
    closed = frozenset[int]() if found is None else found.closed
    return {
        "width": _n(drawn.width),
        "height": _n(drawn.height),
        "boxes": [_box(drawn, box, wires) for box in drawn.drawing.boxes],
        "frames": [_frame(frame, frame.fold) for frame in drawn.drawing.frames if frame.fold is not None],
        "wires": _wires(drawn),
        "labels": [[label.wire, _n(label.x), _n(label.y)] for label in drawn.drawing.labels],
        "folded": [*sorted(closed)],
    }


def fold_records(folds: Iterable[Fold]) -> list[Json]:
    """The records of open and closed folds; ``outer`` is the number of the enclosing fold."""
    return [
        {
            "id": fold.number,
            "kind": fold.kind.value,
            "label": visible(fold.title),
            "outer": None if fold.outer < 0 else fold.outer,
            "count": len(fold.members),
        }
        for fold in folds
    ]


def _box(drawn: Layout, box: PlacedBox, wires: Collection[int]) -> Record:
    nodes = [drawn.sketch.every[number] for number in box.members]
    made = dict.fromkeys([w for node in nodes for w in node.outputs])
    return {
        "id": box.members[0],
        "x": _n(box.x),
        "y": _n(box.y),
        "w": _n(box.width),
        "h": _n(box.height),
        "look": box.figure.shape.value,
        "label": visible(box.figure.label),
        "text": visible(box.figure.text[:TEXT]),
        "title": visible(box_gloss(drawn, box)),
        "fold": None if box.fold is None else box.fold.number,
        "count": len(box.members),
        "ins": [*dict.fromkeys([w for node in nodes for w in node.inputs if w not in made])],
        "outs": [w for w in made if w in wires],
    }


def _frame(frame: PlacedFrame, fold: Fold) -> Record:
    return {
        "fold": fold.number,
        "x": _n(frame.x),
        "y": _n(frame.y),
        "w": _n(frame.width),
        "h": _n(frame.height),
        "leg": None if frame.leg is None else frame.leg.value,
        "label": visible(frame.title),
        "title": visible(frame.gloss),
    }


def _wires(drawn: Layout) -> list[Json]:
    s, back = drawn.sketch, backward_wires(drawn)
    paths: dict[int, list[str]] = {}
    for strand in drawn.drawing.strands:
        paths.setdefault(strand.wire, []).append(path(strand.points))
    dots: dict[int, list[Json]] = {}
    for dot in drawn.drawing.dots:
        dots.setdefault(dot.wire, []).append([_n(dot.x), _n(dot.y), 1 if dot.is_end else 0])
    home = {number: box.members[0] for box in drawn.drawing.boxes for number in box.members}
    maker = {w: home[node.number] for node in s.every.values() for w in node.outputs if w in paths and node.number in home}
    readers: dict[int, dict[int | None, None]] = {w: {} for w in paths}
    for node in s.every.values():
        for w in node.inputs if node.number in home else ():
            if w in readers and maker.get(w) != home[node.number]:
                readers[w][home[node.number]] = None
    for w in s.outputs:
        readers.setdefault(w, {})[None] = None
    return [
        {
            "id": w,
            "name": visible(s.names[w]),
            "type": visible(str(s.types[w])),
            "raised": visible(exponent(s.types[w])),
            "back": 1 if w in back else 0,
            "d": "".join(paths[w]),
            "dots": dots.get(w, []),
            "maker": maker.get(w),
            "readers": [*readers[w]],
        }
        for w in sorted(paths)
    ]


def _n(x: float) -> float:
    return round(x, 1)
