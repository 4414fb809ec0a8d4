"""The step of a conditional marks the branch that is taken and the one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from rh_kernel.display.registry import bundle
from rh_kernel.display.traces.frames import frame
from rh_kernel.paper import Rule
from rh_kernel.session.results import TraceMade
from rh_kernel.session.session import Session
from tests.display.marked import marked
from tests.session.cells import run

COMMANDS = [
    ("let x <- 2 in if x > 1 then x * x else exp(x)", Rule.IF_TRUE, "2.0 · 2.0", "exp(2.0)"),
    ("let x <- 0 in if x > 1 then x * x else exp(x)", Rule.IF_FALSE, "exp(0)", "0 · 0"),
    ("let x <= return 0 in if x > 1 then return x else return exp(x)", Rule.IF_FALSE, "⌊exp(0)⌋", "⌊0⌋"),
    ("1.rd(x. if x < 1 then x * x else exp(x))(2)", Rule.R_IF, "exp(x)", "x · x"),
    ("1.rd(x. if x < 3 then x * x else exp(x))(2)", Rule.R_IF, "x · x", "exp(x)"),
]
PASS = "rev handle (2) <x>. let y <= if {} then return x else return exp(x) in return y * y with {{ return y -> return 1 }}"


def traced(command: str) -> TraceMade:
    (made,), _ = run(Session.start(Path()), f"%trace {command}")
    assert isinstance(made, TraceMade)
    return made


@pytest.mark.parametrize(("command", "rule", "taken", "other"), COMMANDS)
def test_the_branch_that_is_taken_is_in_focus_and_the_other_faded(command: str, rule: Rule, taken: str, other: str) -> None:
    made = traced(command)
    ((n, step),) = [(n, step) for n, step in enumerate(made.steps) if step.rule is rule]
    before = frame(n + 1, step).before
    assert (marked(before, "focus"), marked(before, "untaken")) == (taken, other)
    assert "opacity:0.45" in str(bundle(made)["text/html"])


@pytest.mark.parametrize(("condition", "other"), [("x > 1", "⌊exp(x)⌋"), ("x > 3", "⌊x⌋")])
def test_under_a_reverse_handler_too(condition: str, other: str) -> None:
    made = traced(PASS.format(condition))
    (step,) = [step for step in made.steps if step.rule is Rule.RH_IF]
    assert marked(frame(1, step).before, "untaken") == other


def test_nothing_is_faded_where_no_branch_is_taken() -> None:
    made = traced("let x <- 2 in let y <- exp(x) in x * y")
    assert all(not marked(frame(n, step).before, "untaken") for n, step in enumerate(made.steps))
