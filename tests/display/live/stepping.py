"""Helpers for tests of the stepper: traces, a page that follows edits, and path replacement independent of contexts."""

import json
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from rh_kernel.display.live.stepper import Stepper
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import steps
from rh_kernel.primitives.values import materialise
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.core import Handler, Node, Operation, Return, Scope
from rh_kernel.syntax.types import SCALAR
from tests.display.pages import PASS, traced
from tests.laws.readings import steps_of
from tests.programs.readings import last_command
from tests.strategies_of_commands import Program

PROGRAMS = {
    "pass": PASS,
    "inference": "handle mlp([1.0, -2.0]) with infer",
    "term": "let (a, (b, _)) <- (1, ([1,2], 3)) in swish(b) + rd[swish](b, b)",
    "derivative": "[1.0, 1.0].rd(x. let y <- swish(x) in y * y + x)([1.0, 2.0])",
    "two passes": "let a <= rev handle ([1.0, 2.0]) <x>. mlp(x) with sgd(0.1, t) in rev handle (a) <b>. mlp(b) with sgd(1, t)",
    "skip": "rev handle ([1.0, -2.0], [0.5]) <x, b>. let y <= mlp(x) in return y + b with sgd(0.1, t)",
    "value": "[1.0, 2.0]",
}


@cache
def trace_of(name: str) -> TraceMade:
    """The trace of one of ``PROGRAMS``."""
    return traced(PROGRAMS[name])


@cache
def trace_of_paper(program: str) -> TraceMade:
    """The trace of the last command of a program of the paper."""
    P, heap = last_command(program)
    taken = tuple(steps(P, Heap(heap)))
    last = taken[-1].after
    assert isinstance(last, Return)
    return TraceMade(P, SCALAR, taken, materialise(last.term), (), heap)


def trace_of_random(p: Program, most: int) -> TraceMade:
    """The first steps of a random program, without its value."""
    return TraceMade(p.command, p.type, tuple(steps_of(p.command, p.heap, most)), None, (), p.heap)


def ask(stepper: Stepper, kind: str, **fields_: Any) -> dict[str, Any]:
    """The answer to a question after a round trip through JSON."""
    return json.loads(json.dumps(stepper.answer({"ask": kind, **fields_}), allow_nan=False))


@dataclass
class Follower:
    """A page: holds the lines of a state, and applies edits."""

    lines: list[Any]

    def edit(self, change: list[Any]) -> None:
        at, removed, lines = change
        assert 0 <= at <= at + removed <= len(self.lines)
        self.lines[at : at + removed] = lines


def details(stepper: Stepper, count: int) -> list[Any]:
    """The details of each of ``count`` steps."""
    found: list[Any] = []
    while len(found) < count:
        found += ask(stepper, "window", **{"from": len(found), "count": 100})["details"]
    return found


def walked(stepper: Stepper, count: int, size: int, **manner: Any) -> list[list[Any]]:
    """The lines of states 0 to ``count``, fetched by windows of ``size`` steps."""
    states: list[list[Any]] = []
    while len(states) <= count:
        window = ask(stepper, "window", **{"from": len(states), "count": size}, **manner)
        page = Follower(window["first"])
        states.append([*page.lines])
        assert len(window["edits"]) == len(window["details"]) <= size
        assert window["edits"] or len(states) == count + 1
        for change in window["edits"][:-1]:
            page.edit(change)
            states.append([*page.lines])
        for change in window["edits"][-1:]:
            page.edit(change)
            after = ask(stepper, "window", **{"from": len(states), "count": 0}, **manner)
            assert after["first"] == page.lines
            assert after["edits"] == []
    return states


def graft(M: Any, path: tuple[int, ...], N: Subject) -> Any:
    """Replace the subterm at the end of a path in M by N; handlers and operations do not count as children."""
    if not path:
        return N
    position = 0
    for field in fields(M):
        child = getattr(M, field.name)
        if field.name in ("span", "loose") or isinstance(child, Handler | Operation):
            continue
        if isinstance(child, tuple) and all(isinstance(item, Node) for item in child):
            if path[0] < len(child):
                items = [graft(item, path[1:], N) if i == path[0] else item for i, item in enumerate(child)]
                return replace(M, **{field.name: tuple(items)})
        elif isinstance(child, Node):
            if position == path[0]:
                inner = replace(child, body=graft(child.body, path[1:], N)) if isinstance(child, Scope) else None
                return replace(M, **{field.name: inner or graft(child, path[1:], N)})
            position += 1
    raise AssertionError(f"{M} has no child {path[0]}")
