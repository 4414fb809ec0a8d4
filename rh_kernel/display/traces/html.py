"""A trace as static HTML: forward and backward pass as a ``V`` of legs, each a list of steps, each step both its terms.

Programs are written as one types them. Without scripts and external resources, so that it displays in untrusted notebooks too.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from rh_kernel.display.html import COLOURS, escape
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, details, span, table
from rh_kernel.display.palette import NEUTRAL, triple
from rh_kernel.display.rounding import array_line
from rh_kernel.display.tables import rule_name, rules_table
from rh_kernel.display.traces.captions import ARROWS, cut, line, title
from rh_kernel.display.traces.flows import flow
from rh_kernel.display.traces.frames import Frame, frame, heap_changes, state_doc, subject_doc, total_changes
from rh_kernel.display.traces.panes import COLOURS as MARKS
from rh_kernel.display.traces.panes import pane
from rh_kernel.display.traces.phases import Direction, Leg, legs
from rh_kernel.display.traces.rounds import ROUND, Round, Shown, outline, rounds
from rh_kernel.display.traces.states import States
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.session.results import Change, TraceMade
from rh_kernel.syntax.printing.doc import MarkKind, Role
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.printer import PrintCache

MOST, FIRST, LAST = 200, 100, 50
"""A trace of more than ``MOST`` steps is shown by its ``FIRST`` and its ``LAST`` ones."""

EACH = 1_750
"""Bytes per step on average: a step may also use what earlier ones left over, so 100 steps take less than 200 kB."""

GIST = 88
"""Characters of a step's description in its summary line."""

DEEPEST = 8
"""Legs that are nested deeper, or deeper in their round, are not indented further."""

VIEWS = ((2, 6, 30), (1, 2, 12), (0, 0, 5))
"""Lines around a redex, lines around a contractum, and lines of each; the first view that fits the budget is used.

The lines around a redex are also around its contractum.
"""


def trace_html(result: TraceMade) -> str:
    """Return the outcome, the rules that fired, and every step under its leg, with redex and contractum marked."""
    changes = heap_changes(result)
    return box(
        "line-height:1.5",
        _outcome(result),
        _heap(total_changes(result, [*changes.values()])),
        _legend(result.steps),
        *_parts(result, changes),
        rules_table("margin:6px 0", "fired", Counter([step.rule for step in result.steps])) if result.steps else "",
        *[box(f"color:{COLOURS[Role.ERROR]}", escape(f"{d.code}: {d.message}")) for d in result.stuck],
    )


def _outcome(result: TraceMade) -> str:
    count = f"{len(result.steps)} step{'' if len(result.steps) == 1 else 's'}"
    subject = code(
        line(state_doc(None, result.subject, {}, None, result.subject, Notation.SOURCE), 104), style=f"{FAINT};font-size:90%"
    )
    if result.value is None:
        outcome = span(f"color:{COLOURS[Role.ERROR]};font-weight:bold", f"stuck after {count}")
    else:
        value = code(line(subject_doc(result.value, notation=Notation.SOURCE), 110), style="font-weight:bold")
        kind = code(str(result.type), Role.TYPE)
        outcome = f"{value} : {kind} {span(FAINT, f'in {count}')}"
    return box("", subject) + box("", outcome)


def _heap(changes: Sequence[Change]) -> str:
    if not changes:
        return ""
    return table([_change(change) for change in changes], [""] * 4, "lwlw")


def _change(change: Change) -> list[str]:
    before = "" if change.before is None else array_line(change.before)
    return [
        code(change.location.name, Role.LOCATION),
        code(before, style=FAINT),
        "→",
        code(array_line(change.after)),
    ]


def _legend(steps: Sequence[Step]) -> str:
    def filled(kind: MarkKind, text: str) -> str:
        return span(f"background-color:rgba({MARKS[kind]},0.32);padding:0 5px;margin-right:10px", text)

    def lined(kind: MarkKind, text: str) -> str:
        return span(f"border-bottom:2px solid rgba({MARKS[kind]},0.9);margin-right:10px", text)

    if not steps:
        return ""
    words = [filled("redex", "redex"), filled("contractum", "contractum")]
    if any(step.rule in (Rule.RH_OP, Rule.RH_TERM) for step in steps):
        words += [lined("forward", "forward part"), lined("backward", "backward part")]
    return box("margin:6px 0;font-size:90%", *words)


def _parts(result: TraceMade, changes: Mapping[int, Change]) -> Iterator[str]:
    """Yield the legs that have a visible step, in the rounds that they are in; in place of others a line about them."""
    steps = result.steps
    found = legs(steps)
    items = outline(rounds(steps, found), len(steps), MOST, FIRST, LAST)
    rows = _rows(States(result), [each.item for each in items if isinstance(each.item, int)], changes)

    def leg_of(each: Shown) -> int:
        """The index of the leg of a step, or a number of its own for what stands for several steps."""
        n = each.steps.start
        return bisect_right(found, n, key=lambda leg: leg.first) - 1 if isinstance(each.item, int) else -1 - n

    def leg(number: int, numbers: Sequence[int], outer: int) -> str:
        depth = min(found[number].depth - outer, DEEPEST)
        part = replace(found[number], first=numbers[0], last=numbers[-1], depth=depth)
        put = [changes[n].location.name for n in numbers if n in changes]
        return _leg(part, title(part, steps, Notation.SOURCE), result, [rows[n] for n in numbers], put)

    def parts(items: Sequence[Shown], level: int) -> Iterator[str]:
        outer = min([found[leg_of(each)].depth for each in items if isinstance(each.item, int)], default=0) if level else 0
        for inside, group in groupby(items, lambda each: each.inside[level] if len(each.inside) > level else None):
            if inside is not None:
                body = box("margin-left:14px", *parts([*group], level + 1))
                yield details("margin:2px 0", _round(inside), body, is_open=inside.number == 1 and not inside.is_backward)
                continue
            for number, same in groupby(group, leg_of):
                first, *others = same
                match first.item:
                    case int(n):
                        yield leg(number, [n, *[each.steps.start for each in others]], outer)
                    case Round() as folded:
                        yield box("padding-left:18px", _round(folded))
                    case range() as hidden:
                        yield _left_out(hidden)

    return parts(items, 0)


def _round(found: Round) -> str:
    way = Direction.BACKWARD if found.is_backward else Direction.FORWARD
    name = span(f"color:rgb({_COLOURS[way]});font-weight:bold", f"{ROUND} {found.name}")
    return f"{name} {code(found.loop)}{span(f'{FAINT};margin-left:12px;font-size:90%', found.steps)}"


def _rows(states: States, numbers: Sequence[int], changes: Mapping[int, Change]) -> dict[int, str]:
    """Return the HTML of some steps by index."""
    memory = PrintCache()
    rows: dict[int, str] = {}
    budget = 0
    for n in numbers:
        budget += EACH
        rows[n] = _step(frame(n + 1, states.steps[n], changes.get(n), memory, states, Notation.SOURCE), budget, is_open=n == 0)
        budget -= len(rows[n].encode())
    return rows


def _left_out(hidden: Sequence[int]) -> str:
    steps = "1 step is" if len(hidden) == 1 else f"{len(hidden)} steps are"
    note = f"⋮ {steps} folded ({hidden[0] + 1} to {hidden[-1] + 1}); `rh trace FILE` prints all of them"
    return box(f"margin:6px 0;{FAINT}", escape(note))


def _leg(leg: Leg, words: str, result: TraceMade, rows: Sequence[str], put: Sequence[str]) -> str:
    """A leg with its steps, under a summary of what it is about and what it hands on."""
    colour = _COLOURS[leg.direction]
    numbers = f"step {leg.first + 1}" if leg.first == leg.last else f"steps {leg.first + 1}–{leg.last + 1}"
    summary = (
        span(f"color:rgb({colour});font-weight:bold", ARROWS[leg.direction])
        + " "
        + code(words)
        + span(f"{MONOSPACE};font-size:90%;margin-left:14px;color:rgb({colour})", _flow(leg, result))
        + span(f"{FAINT};margin-left:12px;font-size:90%", numbers + (f" · changes {', '.join(put)}" if put else ""))
    )
    style = f"margin-left:{22 * leg.depth}px;padding-left:8px;border-left:3px solid rgba({colour},0.6)"
    body = box(f"{MONOSPACE};font-size:90%;white-space:pre;overflow:auto;margin:2px 0 6px", *rows)
    return details(style, summary, body, is_open=leg.first == 0)


def _flow(leg: Leg, result: TraceMade) -> str:
    return cut(
        " · ".join(
            [
                f"{name} = {line(subject_doc(V, notation=Notation.SOURCE), 40)}"
                for name, V in flow(leg, result.steps, result.value)
            ]
        ),
        60,
    )


_COLOURS = {
    Direction.PLAIN: triple(NEUTRAL),
    Direction.FORWARD: MARKS["forward"],
    Direction.TURN: triple(NEUTRAL),
    Direction.BACKWARD: MARKS["backward"],
}


def _step(f: Frame, budget: int, *, is_open: bool) -> str:
    rule = f.step.rule
    summary = f"{f.number:>4}  {rule_name(rule)}{' ' * (10 - len(rule.value))}{escape(_gist(f))}"
    arrow = box(f"{FAINT};padding-left:8px;white-space:normal", escape(f"—{rule.value}→  {rule.figure.value}: {rule.says}"))
    heap = "" if f.change is None else box("padding:2px 8px", " ".join(_change(f.change)))
    for near, far, most in VIEWS:
        shown = details("", summary, pane(f.before, near, most), arrow, pane(f.after, far, most), heap, is_open=is_open)
        if len(shown.encode()) <= budget:
            return shown
    return details("", summary, arrow, heap, box(FAINT, "the terms are too long to be shown here"), is_open=is_open)


def _gist(f: Frame) -> str:
    match f.step.rule:
        case Rule.LET | Rule.LET_COMMAND:
            return cut(f"{f.about} = {f.became}", GIST)
        case _ if f.became:
            became = cut(f.became, GIST // 2)
            return f"{cut(f.about, GIST - len(became) - 3)} → {became}"
        case _:
            return cut(f.about, GIST)
