"""The view of ``%trace``: states as edits of the state before, what each step did, and types of subterms on demand."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import cast

from rh_kernel.display.data import Json, Record
from rh_kernel.display.live.lines import ROLES, WIDTH, edit
from rh_kernel.display.live.sources import Origins, excerpt
from rh_kernel.display.live.state_lines import RenderOptions, StateRenderer, ranges
from rh_kernel.display.live.stepper_heap import HeapHistory
from rh_kernel.display.live.view import Unanswerable, bool_field, int_field, search, text_field
from rh_kernel.display.rounding import ENTRIES
from rh_kernel.display.traces.captions import about, became, cut, inspected, one_line, title
from rh_kernel.display.traces.flows import flow
from rh_kernel.display.traces.phases import Leg, legs
from rh_kernel.display.traces.rounds import Round, outside, rounds
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.session.results import TraceMade
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import RH, Handle, R, Rd
from rh_kernel.syntax.printing.notation import Notation

MOST_STEPS = 100
"""Steps per answer at most."""

BUDGET = 20_000
"""Layout cost after which an answer ends early."""

NARROWEST, WIDEST = 30, 160
"""Limits of the line width that the front end can ask for."""

MOST_LEGS = 2_000

MOST_ENTRIES = 1_000
"""Larger arrays are never printed in full."""

SEARCHED, STEP_COST = 200_000, 200
"""Characters after which a search pauses; the cost of rendering a step, in characters."""

LONGEST, LONGEST_FLOW, LONGEST_TEXT = 104, 60, 200

NOTATIONS = {"source": Notation.SOURCE, "paper": Notation.PAPER}
"""How the front end calls the notations; a question that names none is answered in that of the paper."""

FARTHEST = 1_000_000
"""Largest line or column that a question may contain."""


class Stepper:
    """The view of one trace."""

    kind = "stepper"

    def __init__(self, result: TraceMade) -> None:
        self._result = result
        self._steps = result.steps
        self._origins = Origins(result.written)
        self._renderer = StateRenderer(result, self._origins.of)
        self._heaps = HeapHistory(result)
        fired = Counter(step.rule for step in result.steps)
        self._rules = sorted(fired, key=lambda rule: (-fired[rule], rule.value))
        self._numbers = {rule: n for n, rule in enumerate(self._rules)}
        self._fired = fired
        self._told_first: dict[Notation, Record] = {}

    def opening(self) -> Record:
        """Return the subject, the value, the rule of each step, and the heap at the start."""
        result = self._result
        roles: list[Json] = [None if role is None else role.value for role in ROLES]
        letters = {rule: chr(ord("A") + n) for rule, n in self._numbers.items()}
        return {
            "steps": len(self._steps),
            "written": {name: self._ends(notation) for name, notation in NOTATIONS.items()},
            "type": str(result.type),
            "stuck": [f"{d.code}: {d.message}" for d in result.stuck],
            "rules": [self._rule(rule) for rule in self._rules],
            "fired": "".join([letters[step.rule] for step in self._steps]),
            "puts": [*self._heaps.changes],
            "heap": [*self._heaps.opening()],
            "origins": [*self._origins.names],
            "roles": roles,
        }

    def answer(self, question: Record) -> Record:
        """Answer one of the questions ``window heap type legs words find``. Raises ``Unanswerable``."""
        listed = question.get("steps")
        fields = [*question.values(), *(listed if isinstance(listed, list) else ())]
        if any(isinstance(field, float) and not math.isfinite(field) for field in fields):
            raise Unanswerable("a number is finite")
        match question.get("ask"):
            case "window":
                return self._window(question)
            case "heap":
                return {"contents": [*self._heaps.at(int_field(question, "state", 0, len(self._steps)))]}
            case "type":
                return self._type(question)
            case "legs":
                return self._legs(question)
            case "words":
                return self._words(question)
            case "find":
                return self._find(question)
            case _:
                raise Unanswerable("`ask` is one of `window`, `heap`, `type`, `legs`, `words` and `find`")

    def _ends(self, notation: Notation) -> Record:
        """Return the first and the last term, the latter ``None`` if the trace is stuck."""
        value = self._result.value
        return {
            "subject": one_line(self._result.subject, LONGEST, notation),
            "value": None if value is None else one_line(value, LONGEST, notation),
        }

    def _rule(self, rule: Rule) -> Record:
        return {
            "name": rule.value,
            "figure": rule.figure.value,
            "gloss": rule.says,
            "times": self._fired[rule],
            "equation": rule.equation,
            "condition": rule.condition,
        }

    def _window(self, question: Record) -> Record:
        count = len(self._steps)
        first = int_field(question, "from", 0, count)
        most = min(int_field(question, "count", 0, 1_000_000), MOST_STEPS, count - first)
        options = _options(question)
        before = self._renderer.lines(first, options)
        answer: Record = {"from": first, "first": [line.json for line in before.lines]}
        edits: list[Json] = []
        details: list[Json] = []
        budget = BUDGET - before.cost
        for n in range(first, first + most):
            if edits and budget <= 0:
                break
            after = self._renderer.lines(n + 1, options)
            budget -= after.cost
            edits.append(edit(before.lines, after.lines))
            marks_before = cast(Record, ranges(before, "redex", "focus", "untaken"))
            marks_after = cast(Record, ranges(after, "contractum", "changed", "forward", "backward"))
            details.append(self._detail(n, marks_before, marks_after, options.notation))
            before = after
        return {**answer, "edits": edits, "details": details}

    def _detail(self, n: int, marks_before: Record, marks_after: Record, notation: Notation) -> Record:
        step = self._steps[n]
        return {
            "rule": self._numbers[step.rule],
            "marks_before": marks_before,
            "marks_after": marks_after,
            "about": about(step, notation),
            "became": became(step, notation),
            "span": excerpt(_written(step)),
            "change": self._heaps.change(n),
        }

    def _type(self, question: Record) -> Record:
        state = int_field(question, "state", 0, len(self._steps))
        place = int_field(question, "line", 0, FARTHEST), int_field(question, "column", 0, FARTHEST)
        found = self._renderer.type_at(state, _options(question), place)
        if found is None:
            raise Unanswerable("no term and no command stands there")
        lines, region, d = found
        return {
            "text": cut(lines.text(region), LONGEST_TEXT),
            "type": str(d.type),
            "rule": d.rule.value,
            "range": [*lines.ranges(region)],
        }

    def _legs(self, question: Record) -> Record:
        """Return the legs from one step to another; without these, those in no round, and the rounds if there are any."""
        last, notation = len(self._steps) - 1, _notation(question)
        if "from" in question:
            first, last = int_field(question, "from", 0, max(last, 0)), int_field(question, "to", 0, max(last, 0))
            at = bisect_right(self._parts, first, key=lambda leg: leg.first) - 1
            end = bisect_right(self._parts, last, key=lambda leg: leg.first)
            return self._told(self._parts[max(at, 0) : end], notation)
        if notation not in self._told_first:
            told = self._told(outside(self._parts, self._rounds), notation)
            self._told_first[notation] = {**told, "rounds": self._round_records()} if self._rounds else told
        return self._told_first[notation]

    def _told(self, found: Sequence[Leg], notation: Notation) -> Record:
        records: list[Json] = []
        for leg in found[:MOST_LEGS]:
            leaves = flow(leg, self._steps, self._result.value)
            left = cut(" · ".join([f"{name} = {one_line(V, 40, notation)}" for name, V in leaves]), LONGEST_FLOW)
            records.append([leg.first, leg.last, leg.direction.value, leg.depth, title(leg, self._steps, notation), left])
        more: Record = {"more": len(found) - MOST_LEGS} if len(found) > MOST_LEGS else {}
        return {"legs": records, **more}

    def _round_records(self) -> Record:
        """The loops, and of each round its first and last step, its level, loop, number, count, and whether it is backward."""
        loops = list(dict.fromkeys([each.loop for each in self._rounds]))
        numbers = {loop: n for n, loop in enumerate(loops)}
        found: list[Json] = [
            [each.first, each.last, each.level, numbers[each.loop], each.number, each.count, int(each.is_backward)]
            for each in self._rounds
        ]
        return {"loops": [*loops], "found": found}

    @cached_property
    def _parts(self) -> Sequence[Leg]:
        return legs(self._steps)

    @cached_property
    def _rounds(self) -> Sequence[Round]:
        return rounds(self._steps, self._parts)

    def _words(self, question: Record) -> Record:
        """Return what some steps are about without rendering the states, which is fast for large states too."""
        asked = question.get("steps")
        if not isinstance(asked, list) or len(asked) > MOST_STEPS:
            raise Unanswerable(f"`steps` are at most {MOST_STEPS} numbers of steps")
        records: list[Json] = []
        notation = _notation(question)
        for n in asked:
            step = self._steps[int_field({"steps": n}, "steps", 0, len(self._steps) - 1)]
            records.append([about(step, notation), became(step, notation)])
        return {"words": records}

    def _find(self, question: Record) -> Record:
        text, notation = text_field(question, "text").casefold(), _notation(question)

        def look(n: int) -> tuple[bool, int]:
            step = self._steps[n]
            line = f"{step.rule.value} {about(step, notation)} {became(step, notation)}"
            return text in line.casefold(), len(line) + STEP_COST

        return search(question, len(self._steps), look, SEARCHED)


def _options(question: Record) -> RenderOptions:
    entries, width = (
        int_field(question, "entries", 0, MOST_ENTRIES, ENTRIES),
        int_field(question, "width", NARROWEST, WIDEST, WIDTH),
    )
    return RenderOptions(entries, bool_field(question, "whole"), width, _notation(question))


def _notation(question: Record) -> Notation:
    """Return the notation that the question names."""
    found = question.get("notation", "paper")
    if not isinstance(found, str) or found not in NOTATIONS:
        raise Unanswerable("`notation` is `source` or `paper`")
    return NOTATIONS[found]


def _written(step: Step) -> Span | None:
    """Return the source span of what the step reduces, if known."""
    M, looked = step.outline, inspected(step)
    match step.rule, M:
        case ((Rule.LET | Rule.LET_COMMAND), _):
            return M.span or looked.span
        case (Rule.RH_RETURN, RH(_, _, H)) | (Rule.H_RETURN, Handle(_, H)):
            return H.returns.span or H.returns.body.span or looked.span
        case _, Rd(_, scope) | R(_, scope):
            return M.span or scope.body.span
        case _:
            return looked.span or M.span
