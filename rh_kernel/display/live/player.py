"""The view of ``%gradient P``: diagram, content of every wire, and order of execution (RH §7.4, Def. 7.13)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from rh_kernel.denotational.drawing.elements import PlacedBox
from rh_kernel.denotational.drawing.layout import Layout, layout
from rh_kernel.denotational.drawing.sketch import Sketch, part_gloss, with_inner
from rh_kernel.denotational.drawing.text_metrics import type_line
from rh_kernel.denotational.provenance import Leg, leg_of
from rh_kernel.display.contents import EntryBudget, content, rows_of
from rh_kernel.display.data import Json, Record
from rh_kernel.display.diagrams.choice import pass_foldings
from rh_kernel.display.diagrams.svg import box_gloss
from rh_kernel.display.gradients.passes import AnnotatedPass, Row, annotated
from rh_kernel.display.gradients.schedule import Scheduled
from rh_kernel.display.gradients.sizes import sizes
from rh_kernel.display.gradients.sizes_image import sizes_record
from rh_kernel.display.live.changes import Changes, changes_of, offered_record
from rh_kernel.display.live.view import Unanswerable, bool_field, int_field, text_field
from rh_kernel.display.values import value_text
from rh_kernel.session.results import GradientMade
from rh_kernel.syntax.core import Array

ALL = 65_536
"""Larger arrays (in entries) are never sent."""

MOST_INLINED = 1_500
"""The most contents of wires inside loops that are sent at once."""

MOST_WRITTEN = 4_000
"""The most of them in an answer."""

ROWS = 1_000
"""Rows of the table at most; also the number of heap accesses sent for a diagram that is not drawn."""

TOO_LARGE = "This diagram is too large to be drawn. The table has its boxes."


class Player:
    """The view of a recorded pass, or of two of them side by side."""

    kind = "player"

    def __init__(self, made: GradientMade, changes: Changes | None = None) -> None:
        self._changes = changes
        self.readings = [annotated(p) for p in made.passes]
        self.drawn: list[dict[bool, Record]] = [{} for _ in made.passes]
        """The drawings of each pass that a reader has seen, by whether clauses are folded."""

    def opening(self) -> Record:
        """Return everything but large arrays, which the questions ``wire`` and ``access`` fetch.

        Of the two drawings, the one that is shown at first; the other is among ``others`` once a reader has asked for it.
        """
        budget = EntryBudget()
        forms = [pass_foldings(r.sketch) for r in self.readings]
        for p, form in enumerate(forms):
            if form:
                self._draw(p, folded=form[0])
        records = [_PassRecord(r, budget, f, d) for r, f, d in zip(self.readings, forms, self.drawn, strict=True)]
        return {"passes": [record.record() for record in records], "changes": self._changes is not None}

    def draw_like(self, before: "Player", *, in_place: bool = True) -> None:
        """Make the drawings that a reader has seen of another player of the same program.

        ``in_place`` leaves boxes and wires where they are if only the texts of boxes differ; else all are laid out again.
        """
        for p, (new, old) in enumerate(zip(self.readings, before.readings, strict=False)):
            is_kept = in_place and _is_like(new.sketch, old.sketch)
            for folded, drawn in before.drawn[p].items():
                if is_kept:
                    self.drawn[p][folded] = {**drawn, "boxes": [_relabelled(new.sketch, b) for b in _records(drawn["boxes"])]}
                elif folded in pass_foldings(new.sketch):
                    self._draw(p, folded=folded)

    def _draw(self, p: int, *, folded: bool) -> Record:
        if folded not in self.drawn[p]:
            self.drawn[p][folded] = geometry(self.readings[p], folded=folded)
        return self.drawn[p][folded]

    def answer(self, question: Record) -> Record:
        """Answer a question.

        It is ``offered`` (the input and the contents that can be changed), ``change`` (the opening with others), ``wire`` (its
        content, at ``frame`` in a loop), ``written`` (what is written inside loops ``from`` a frame ``to`` another), ``access``
        (a location before and after an access), or ``layout`` (the other folding).

        Raises ``Unanswerable``.
        """
        p = int_field(question, "pass", 0, len(self.readings) - 1, 0)
        asked = self.readings[p]
        match text_field(question, "ask"):
            case "offered" if self._changes is not None:
                return offered_record(self._changes.offered())
            case "change" if self._changes is not None:
                changed = Player(self._changes.run(*changes_of(question, self._changes.offered())), self._changes)
                changed.draw_like(self)
                opening, self.readings, self.drawn = changed.opening(), changed.readings, changed.drawn
                return opening
            case "wire":
                w = int_field(question, "wire", 0, len(asked.sketch.types) - 1)
                if w not in asked.wires:
                    raise Unanswerable("there is no such wire in the drawing")
                array = _content_at(asked, w, int_field(question, "frame", 0, len(asked.schedule.steps), 0))
                return {"content": content(array, ALL), "rows": rows_of(array, ALL)}
            case "access":
                uses = asked.made.recording.uses
                if not uses:
                    raise Unanswerable("the heap was not used")
                use = uses[int_field(question, "access", 0, len(uses) - 1)]
                before = None if use.before is None else content(use.before, ALL)
                return {"before": before, "after": content(use.after, ALL)}
            case "written":
                low = int_field(question, "from", 0, len(asked.schedule.steps))
                high = int_field(question, "to", low, len(asked.schedule.steps))
                return {"written": [*islice(_written(asked, low, high, EntryBudget()), MOST_WRITTEN)]}
            case "layout":
                folded = bool_field(question, "folded")
                if folded not in pass_foldings(asked.sketch):
                    raise Unanswerable(TOO_LARGE)
                return self._draw(p, folded=folded)
            case _:
                raise Unanswerable(
                    "one can ask for `wire`, `access`, `written` and `layout`, and perhaps for `offered` and `change`"
                )


@dataclass(frozen=True, slots=True)
class _PassRecord:
    """Builds the record of one pass."""

    asked: AnnotatedPass
    budget: EntryBudget
    forms: tuple[bool, ...]
    drawn: Mapping[bool, Record]

    def record(self) -> Record:
        """Return the record."""
        made, forms = self.asked.made, self.forms
        drawn: Record = self.drawn[forms[0]] if forms else {"too_large": TOO_LARGE}
        others: list[Json] = [self.drawn[folded] for folded in forms[1:] if folded in self.drawn]
        every = self._rows()
        rows = every[:ROWS]
        wanted = None if forms else {w for row in rows for w in (row.wire, *row.cotangents)}
        return {
            "title": " ".join(made.subject.split()),
            "type": str(made.type),
            "value": value_text(made.value),
            **drawn,
            "others": others,
            "foldings": [*forms],
            "wires": [*self._wires(wanted)],
            "accesses": [*islice(self._accesses(), None if forms else ROWS)],
            "rows": [_row(row) for row in rows],
            "rows_left_out": len(every) - len(rows),
            "frames": len(self.asked.schedule.steps),
            "steps": [*self._steps()] if forms else [],
            "again": [*self._again()] if forms else [],
            "loops": [*self._loops()],
            "turn": self.asked.turn,
            "written": [*self._inlined()] if forms else [],
            "sizes": [*self._sizes()],
        }

    def _inlined(self) -> Iterator[Json]:
        """Yield what is written inside loops, if that is not much; the rest is asked for."""
        many = sum([len(wire.writes) for wire in self.asked.wires.values() if len(wire.writes) > 1])
        if many <= MOST_INLINED:
            yield from _written(self.asked, 0, len(self.asked.schedule.steps), self.budget)

    def _sizes(self) -> Iterator[Json]:
        for found in sizes(self.asked):
            yield sizes_record(found)

    def _loops(self) -> Iterator[Json]:
        """Yield the loops, with the frames at which their rounds begin; inside another loop without them."""
        for number, loop in self.asked.schedule.loops.items():
            outer = self.asked.schedule.around[number]
            yield {
                "id": number,
                "title": loop.node.figure.text,
                "count": loop.count,
                "back": loop.is_backward,
                "outer": [*outer],
                "begins": [*loop.begins[0]] if loop.begins and not outer else [],
                "end": loop.ends[0] if loop.ends and not outer else None,
            }

    def _again(self) -> Iterator[Json]:
        """Yield ``[frame, frame of the first run, rounds]`` for all but the first run of a step."""
        first: dict[object, int] = {}
        for step in self.asked.schedule.steps:
            key = _kind(step)
            if key in first:
                yield [step.frame, first[key], [*step.run.rounds]]
            else:
                first[key] = step.frame

    def _wires(self, wanted: set[int] | None) -> Iterator[Json]:
        contents = self.asked.contents
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
                    "content": self.budget.content(contents[wire.number]),
                    **({"writes": [*wire.writes]} if len(wire.writes) > 1 else {}),
                }

    def _accesses(self) -> Iterator[Json]:
        for frame, location, use in self.asked.uses():
            before = None if use.before is None else self.budget.content(use.before)
            after = self.budget.content(use.after)
            yield {"frame": frame, "kind": use.kind, "location": location, "before": before, "after": after}

    def _steps(self) -> Iterator[Json]:
        seen: set[object] = set()
        for step in self.asked.schedule.steps:
            node, key = step.node, _kind(step)
            if key in seen:
                continue
            seen.add(key)
            yield {
                "frame": step.frame,
                "box": str(node.number),
                "title": "; ".join([node.figure.title, *map(part_gloss, node.place)]),
                "label": node.figure.text,
                "leg": _word(step.leg),
                "reads": [*step.reads],
                "makes": [*step.makes],
                **self._of_nest(step),
            }

    def _of_nest(self, step: Scheduled) -> Record:
        """The rounds of a step, the loop whose round it begins, and the boxes of the branch that a choice does not take."""
        rounds: Record = {"rounds": [*step.run.rounds]} if step.run.rounds else {}
        begins: Record = {} if step.begins is None else {"begins": step.begins}
        nest = step.node.nest
        if nest is None or step.run.branch is None:
            return {**rounds, **begins}
        left_out = nest.branches[1 - step.run.branch]
        skipped: list[Json] = [str(inner.number) for node in left_out.nodes for inner in with_inner(node)]
        return {**rounds, **begins, "takes": nest.branches[step.run.branch].title, "skips": skipped}

    def _rows(self) -> list[Row]:
        """Return one row for each wire: in a loop, the page shows its content in the current round."""
        return [*{row.wire: row for row in self.asked.rows}.values()]


def _kind(step: Scheduled) -> object:
    """What steps that differ in nothing but their rounds have in common."""
    return step.node.number, step.begins, step.is_again, step.run.branch, step.reads


def _row(row: Row) -> Json:
    return {
        "label": row.label,
        "part": row.part,
        "handler": row.handler,
        "name": row.name if row.is_named else "",
        "forward": row.wire,
        "cotangent": row.cotangents[0] if row.cotangents else None,
        "cotangents": [*row.cotangents],
    }


def _written(asked: AnnotatedPass, low: int, high: int, budget: EntryBudget) -> Iterator[Json]:
    """Yield ``[wire, frame, content]`` for the wires that are written more than once."""
    for step in asked.schedule.steps[low:high]:
        for w, array in step.run.writes:
            if w in asked.wires and len(asked.wires[w].writes) > 1:
                yield [w, step.frame, budget.content(array)]


def _content_at(asked: AnnotatedPass, w: int, frame: int) -> Array:
    """Return what a wire holds at a frame: what was written last, or what it holds at the end if ``frame`` is 0."""
    writes = asked.wires[w].writes
    last = max([at for at in writes if at <= frame], default=0) if len(writes) > 1 else 0
    return dict(asked.schedule.steps[last - 1].run.writes)[w] if last else asked.contents[w]


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
    numbers = [inner.number for n in box.members for inner in with_inner(drawn.sketch.every[n])]
    ran = [asked.frames[n] for n in numbers if n in asked.frames]
    return {
        "id": str(box.members[0]),
        "members": [str(n) for n in numbers],
        "x": box.x,
        "y": box.y,
        "w": box.width,
        "h": box.height,
        "look": box.figure.shape.value,
        "label": box.figure.label,
        "title": box_gloss(drawn, box),
        "leg": _word(leg_of(drawn.sketch.every[box.members[0]].place)),
        "frame": min(ran, default=0),
        "last_frame": max(ran, default=0),
    }


def _is_like(new: Sketch, old: Sketch) -> bool:
    """Whether two sketches have the same boxes, apart from their texts, with the same wires."""

    def form(s: Sketch) -> object:
        return [(node.number, node.figure.shape, node.inputs, node.outputs, node.place) for node in s.every.values()]

    return new.types == old.types and form(new) == form(old)


def _records(found: Json) -> list[Record]:
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _relabelled(s: Sketch, box: Record) -> Json:
    """Return a box with its text in this sketch; one that stands for several keeps its text."""
    members = box["members"]
    if not isinstance(members, list) or len(members) != 1:
        return box
    figure = s.every[int(str(members[0]))].figure
    return {**box, "label": figure.label, "title": figure.title if figure.title == figure.text else box["title"]}


def _word(found: Leg | None) -> str:
    return "" if found is None else found.value
