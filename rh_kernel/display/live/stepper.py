"""The view of a trace: a page goes from state to state, is told what each step did, and asks for types of what it shows."""

import math
from collections import Counter
from typing import cast

from rh_kernel.display.data import Json, Record
from rh_kernel.display.live.lines import ROLES, WIDTH, edit
from rh_kernel.display.live.sources import Origins, excerpt
from rh_kernel.display.live.stepper_heap import Heaps
from rh_kernel.display.live.stepper_sheets import Manner, Sheets, ranges
from rh_kernel.display.live.view import Unanswerable, number, search, truth, words
from rh_kernel.display.rounding import ENTRIES
from rh_kernel.display.traces.equations import condition, equation
from rh_kernel.display.traces.flows import flow
from rh_kernel.display.traces.phases import legs
from rh_kernel.display.traces.rule_docs import gloss
from rh_kernel.display.traces.words import about, became, cut, looked_at, one_line, title
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.session.results import TraceMade
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import RH, Handle, R, Rd

MOST_STEPS = 100
"""So many steps are told at a time."""

ROOM = 20_000
"""No more steps are told once so much work was done to lay them out."""

NARROWEST, WIDEST = 30, 160
"""A page may ask for lines of so many characters, as its panes are wide."""

MOST_LEGS = 2_000

MOST_ENTRIES = 1_000
"""Arrays of more entries are never written out."""

SEARCHED, TO_WRITE = 200_000, 200
"""A search gives up after so many characters; to look at a step costs as much as to read so many."""

LONGEST, LONGEST_FLOW, LONGEST_TEXT = 104, 60, 200

FARTHEST = 1_000_000
"""No line and no column is further away."""


class Stepper:
    """Answers about one trace."""

    kind = "stepper"

    def __init__(self, result: TraceMade) -> None:
        self._result = result
        self._steps = result.steps
        self._origins = Origins(result.written)
        self._sheets = Sheets(result, self._origins.of)
        self._heaps = Heaps(result)
        fired = Counter(step.rule for step in result.steps)
        self._rules = sorted(fired, key=lambda rule: (-fired[rule], rule.value))
        self._numbers = {rule: n for n, rule in enumerate(self._rules)}
        self._fired = fired
        self._told_legs: Record | None = None

    def opening(self) -> Record:
        """The whole at a glance: what is traced, its value, the rule of each step, and the heap at the start."""
        result = self._result
        roles: list[Json] = [None if role is None else role.value for role in ROLES]
        letters = {rule: chr(ord("A") + n) for rule, n in self._numbers.items()}
        return {
            "steps": len(self._steps),
            "subject": one_line(result.subject, LONGEST),
            "type": str(result.type),
            "value": None if result.value is None else one_line(result.value, LONGEST),
            "stuck": [f"{d.code}: {d.message}" for d in result.stuck],
            "rules": [self._rule(rule) for rule in self._rules],
            "fired": "".join([letters[step.rule] for step in self._steps]),
            "puts": [*self._heaps.changes],
            "heap": [*self._heaps.opening()],
            "origins": [*self._origins.names],
            "roles": roles,
        }

    def answer(self, question: Record) -> Record:
        """The answer to one of the questions ``window heap type legs words find``. Raises ``Unanswerable``."""
        listed = question.get("steps")
        fields = [*question.values(), *(listed if isinstance(listed, list) else ())]
        if any(isinstance(field, float) and not math.isfinite(field) for field in fields):
            raise Unanswerable("a number is finite")
        match question.get("ask"):
            case "window":
                return self._window(question)
            case "heap":
                return {"contents": [*self._heaps.at(number(question, "state", 0, len(self._steps)))]}
            case "type":
                return self._type(question)
            case "legs":
                self._told_legs = self._told_legs or self._legs()
                return self._told_legs
            case "words":
                return self._words(question)
            case "find":
                return self._find(question)
            case _:
                raise Unanswerable("`ask` is one of `window`, `heap`, `type`, `legs`, `words` and `find`")

    def _rule(self, rule: Rule) -> Record:
        return {
            "name": rule.value,
            "figure": rule.figure.value,
            "gloss": gloss(rule),
            "times": self._fired[rule],
            "equation": equation(rule),
            "condition": condition(rule),
        }

    def _window(self, question: Record) -> Record:
        count = len(self._steps)
        first = number(question, "from", 0, count)
        most = min(number(question, "count", 0, 1_000_000), MOST_STEPS, count - first)
        manner = _manner(question)
        before = self._sheets.sheet(first, manner)
        answer: Record = {"from": first, "first": [line.json for line in before.lines]}
        edits: list[Json] = []
        details: list[Json] = []
        room = ROOM - before.work
        for n in range(first, first + most):
            if edits and room <= 0:
                break
            after = self._sheets.sheet(n + 1, manner)
            room -= after.work
            edits.append(edit(before.lines, after.lines))
            marks_before = cast(Record, ranges(before, "redex", "focus"))
            marks_after = cast(Record, ranges(after, "contractum", "changed", "forward", "backward"))
            details.append(self._detail(n, marks_before, marks_after))
            before = after
        return {**answer, "edits": edits, "details": details}

    def _detail(self, n: int, marks_before: Record, marks_after: Record) -> Record:
        step = self._steps[n]
        return {
            "rule": self._numbers[step.rule],
            "marks_before": marks_before,
            "marks_after": marks_after,
            "about": about(step),
            "became": became(step),
            "span": excerpt(_written(step)),
            "change": self._heaps.change(n),
        }

    def _type(self, question: Record) -> Record:
        state = number(question, "state", 0, len(self._steps))
        place = number(question, "line", 0, FARTHEST), number(question, "column", 0, FARTHEST)
        found = self._sheets.type_at(state, _manner(question), place)
        if found is None:
            raise Unanswerable("no term and no command stands there")
        lines, part, d = found
        return {
            "text": cut(lines.text(part), LONGEST_TEXT),
            "type": str(d.type),
            "rule": d.rule.value,
            "range": [*lines.ranges(part)],
        }

    def _legs(self) -> Record:
        found = legs(self._steps)
        told: list[Json] = []
        for leg in found[:MOST_LEGS]:
            leaves = flow(leg, self._steps, self._result.value)
            left = cut(" · ".join([f"{name} = {one_line(V, 40)}" for name, V in leaves]), LONGEST_FLOW)
            told.append([leg.first, leg.last, leg.direction.value, leg.depth, title(leg, self._steps), left])
        more: Record = {"more": len(found) - MOST_LEGS} if len(found) > MOST_LEGS else {}
        return {"legs": told, **more}

    def _words(self, question: Record) -> Record:
        """What some steps are about, without the states around them: that is quick however large these are."""
        asked = question.get("steps")
        if not isinstance(asked, list) or len(asked) > MOST_STEPS:
            raise Unanswerable(f"`steps` are at most {MOST_STEPS} numbers of steps")
        told: list[Json] = []
        for n in asked:
            step = self._steps[number({"steps": n}, "steps", 0, len(self._steps) - 1)]
            told.append([about(step), became(step)])
        return {"words": told}

    def _find(self, question: Record) -> Record:
        text = words(question, "text").casefold()

        def look(n: int) -> tuple[bool, int]:
            step = self._steps[n]
            line = f"{step.rule.value} {about(step)} {became(step)}"
            return text in line.casefold(), len(line) + TO_WRITE

        return search(question, len(self._steps), look, SEARCHED)


def _manner(question: Record) -> Manner:
    entries, width = number(question, "entries", 0, MOST_ENTRIES, ENTRIES), number(question, "width", NARROWEST, WIDEST, WIDTH)
    return Manner(entries, truth(question, "whole"), width)


def _written(step: Step) -> Span | None:
    """Where what the step is about was written, as far as that is known."""
    M, looked = step.outline, looked_at(step)
    match step.rule, M:
        case ((Rule.LET | Rule.LET_COMMAND), _):
            return M.span or looked.span
        case (Rule.RH_RETURN, RH(_, _, H)) | (Rule.H_RETURN, Handle(_, H)):
            return H.returns.span or H.returns.body.span or looked.span
        case _, Rd(_, scope) | R(_, scope):
            return M.span or scope.body.span
        case _:
            return looked.span or M.span
