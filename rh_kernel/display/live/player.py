"""The view of ``%gradient P``: diagram, content of every wire, and order of execution (RH §7.4, Def. 7.13)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from rh_kernel.denotational.drawing.elements import PlacedBox
from rh_kernel.denotational.drawing.layout import Layout, layout
from rh_kernel.denotational.drawing.sketch import part_gloss
from rh_kernel.denotational.drawing.text_metrics import type_line
from rh_kernel.denotational.provenance import Leg, leg_of
from rh_kernel.display.contents import EntryBudget, content, rows_of
from rh_kernel.display.data import Json, Record
from rh_kernel.display.diagrams.choice import foldings
from rh_kernel.display.diagrams.svg import box_gloss
from rh_kernel.display.gradients.passes import AnnotatedPass, annotated
from rh_kernel.display.live.view import Unanswerable, bool_field, int_field, text_field
from rh_kernel.display.values import value_text
from rh_kernel.session.results import GradientMade

ALL = 65_536
"""Larger arrays (in entries) are never sent."""

ROWS = 1_000
"""Rows of the table at most; also the number of heap accesses sent for a diagram that is not drawn."""

TOO_LARGE = "This diagram is too large to be drawn. The table has its boxes."


class Player:
    """The view of a recorded pass, or of two of them side by side."""

    kind = "player"

    def __init__(self, made: GradientMade) -> None:
        self._readings = [annotated(p) for p in made.passes]

    def opening(self) -> Record:
        """Return everything but large arrays, which the questions ``wire`` and ``access`` fetch."""
        budget = EntryBudget()
        return {"passes": [_PassRecord(r, budget).record() for r in self._readings]}

    def answer(self, question: Record) -> Record:
        """Answer ``wire`` (its content), ``access`` (a location before and after an access) or ``layout`` (the other folding).

        Raises ``Unanswerable``.
        """
        asked = self._readings[int_field(question, "pass", 0, len(self._readings) - 1, 0)]
        match text_field(question, "ask"):
            case "wire":
                w = int_field(question, "wire", 0, len(asked.sketch.types) - 1)
                if w not in asked.wires:
                    raise Unanswerable("there is no such wire in the drawing")
                array = asked.made.recording.values[w]
                return {"content": content(array, ALL), "rows": rows_of(array, ALL)}
            case "access":
                uses = asked.made.recording.uses
                if not uses:
                    raise Unanswerable("the heap was not used")
                use = uses[int_field(question, "access", 0, len(uses) - 1)]
                before = None if use.before is None else content(use.before, ALL)
                return {"before": before, "after": content(use.after, ALL)}
            case "layout":
                folded = bool_field(question, "folded")
                if folded not in foldings(asked.sketch):
                    raise Unanswerable(TOO_LARGE)
                return geometry(asked, folded=folded)
            case _:
                raise Unanswerable("one can ask for `wire`, `access` and `layout`")


@dataclass(frozen=True, slots=True)
class _PassRecord:
    """Builds the record of one pass."""

    asked: AnnotatedPass
    budget: EntryBudget

    def record(self) -> Record:
        """Return the record."""
        made = self.asked.made
        forms = foldings(self.asked.sketch)
        drawn: Record = geometry(self.asked, folded=forms[0]) if forms else {"too_large": TOO_LARGE}
        rows = self.asked.rows[:ROWS]
        wanted = None if forms else {w for row in rows for w in (row.wire, *row.cotangents)}
        return {
            "title": " ".join(made.subject.split()),
            "type": str(made.type),
            "value": value_text(made.value),
            **drawn,
            "foldings": [*forms],
            "wires": [*self._wires(wanted)],
            "accesses": [*islice(self._accesses(), None if forms else ROWS)],
            "rows": [self._row(i) for i in range(len(rows))],
            "rows_left_out": len(self.asked.rows) - len(rows),
            "frames": len(self.asked.frames),
            "steps": [*self._steps()] if forms else [],
            "turn": self.asked.turn,
        }

    def _wires(self, wanted: set[int] | None) -> Iterator[Json]:
        for wire in self.asked.wires.values():
            if wanted is None or wire.number in wanted:
                yield {
                    "id": wire.number,
                    "name": wire.name,
                    "type": str(wire.type),
                    "role": wire.role.value,
                    "of": wire.of,
                    "waits": wire.waits,
                    "born": wire.born,
                    "last_read": wire.last_read,
                    "content": self.budget.content(self.asked.made.recording.values[wire.number]),
                }

    def _accesses(self) -> Iterator[Json]:
        for frame, location, use in self.asked.uses():
            before = None if use.before is None else self.budget.content(use.before)
            after = self.budget.content(use.after)
            yield {"frame": frame, "kind": use.kind, "location": location, "before": before, "after": after}

    def _steps(self) -> Iterator[Json]:
        for n, node in self.asked.sketch.nodes.items():
            yield {
                "frame": self.asked.frames[n],
                "box": str(n),
                "title": "; ".join([node.figure.title, *map(part_gloss, node.place)]),
                "label": node.figure.text,
                "leg": _word(leg_of(node.place)),
                "reads": [*node.inputs],
                "makes": [*node.outputs],
            }

    def _row(self, i: int) -> Json:
        row = self.asked.rows[i]
        return {
            "label": row.label,
            "part": row.part,
            "handler": row.handler,
            "name": row.name if row.is_named else "",
            "forward": row.wire,
            "cotangent": row.cotangents[0] if row.cotangents else None,
            "cotangents": [*row.cotangents],
        }


def geometry(asked: AnnotatedPass, *, folded: bool) -> Record:
    """Return the coordinates of everything drawn."""
    drawn = layout(asked.made.arrow, folded=folded)
    types = drawn.sketch.types
    return {
        "folded": folded,
        "width": drawn.width,
        "height": drawn.height,
        "boxes": [_box(asked, drawn, box) for box in drawn.drawing.boxes],
        "frames_of_parts": [
            {"x": f.x, "y": f.y, "w": f.width, "h": f.height, "title": f.title, "leg": _word(f.leg)}
            for f in drawn.drawing.frames
        ],
        "strands": [{"wire": s.wire, "points": [[x, y] for x, y in s.points]} for s in drawn.drawing.strands],
        "dots": [{"wire": d.wire, "x": d.x, "y": d.y, "end": d.is_end} for d in drawn.drawing.dots],
        "labels": [{"wire": t.wire, "x": t.x, "y": t.y, "text": type_line(types[t.wire])} for t in drawn.drawing.labels],
    }


def _box(asked: AnnotatedPass, drawn: Layout, box: PlacedBox) -> Json:
    place = drawn.sketch.nodes[box.members[0]].place
    return {
        "id": str(box.members[0]),
        "members": [str(n) for n in box.members],
        "x": box.x,
        "y": box.y,
        "w": box.width,
        "h": box.height,
        "look": box.figure.shape.value,
        "label": box.figure.label,
        "title": box_gloss(drawn, box),
        "leg": _word(leg_of(place)),
        "frame": asked.frames[box.members[0]],
        "last_frame": asked.frames[box.members[-1]],
    }


def _word(found: Leg | None) -> str:
    return "" if found is None else found.value
