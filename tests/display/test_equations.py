"""Equations: every rule has one, and the steps of traces are instances of the equations of their rules."""

import re
from collections.abc import Iterator
from itertools import islice

import pytest

from rh_kernel.display.traces.frames import subject_doc
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.step import Step
from rh_kernel.operational.trace import steps
from rh_kernel.paper import Rule
from rh_kernel.syntax.printing.doc import plain
from tests.operational.programs import PROGRAMS
from tests.programs.readings import PROGRAMS as OF_THE_PAPER
from tests.programs.readings import last_command

each_rule = pytest.mark.parametrize("rule", Rule)

FIRST = 250
"""Steps of each program of the paper that are checked."""

_WORDS = r"\b(?:let|in|with|rev handle|handle|repeat|from|do)\b"
LITERAL = re.compile(_WORDS + r"|[←⇐⌊⌋•]|RH\^|_H\(|rd\[|\.rd\(|\.R_|\.i\b| \+ |Get\[|Put\[|\(\)|0$")
"""Constants of equations; everything else is a metavariable."""


def pattern(schema: str) -> re.Pattern[str]:
    """Instances of one side of an equation, as far as its keywords determine them."""
    # A sum or a tuple of n may be one of one.
    schema = re.sub(r" \+ … (?=\+)|, …, [^,⟩]*(?=[,⟩])", "", schema.strip())
    literals = [{"_H(": r"_.*\(", ".i": r"\.[0-9]+"}.get(found[0], re.escape(found[0])) for found in LITERAL.finditer(schema)]
    start = "" if LITERAL.match(schema) else ".*"
    return re.compile(start + ".*".join(literals) + ("" if schema.endswith("0") else ".*"))


def sides(rule: Rule) -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Both sides of each case of a rule's equation; for heap rules, the commands."""
    cases = re.split(r"\n(?! )", rule.equation)
    halves = [re.sub(r"\s+", " ", case).split(" → ") for case in cases]
    return [(pattern(command(left)), pattern(command(right))) for left, right in halves]


def command(side: str) -> str:
    """``P`` of ``(hp, P)``."""
    found = re.fullmatch(r"\(hp.*?, (.*)\)", side)
    return found[1] if found else side


def written(M: Subject) -> str:
    return plain(subject_doc(M), float("inf"))


def traced() -> Iterator[Step]:
    """Steps whose redex is closed, of programs that handle at least one variable."""
    for name, program in PROGRAMS.items():
        if name != "no variable":
            yield from (step for step in steps(program.subject, program.heap) if is_closed(step))
    for name in OF_THE_PAPER:
        P, heap = last_command(name)
        yield from (step for step in islice(steps(P, Heap(heap)), FIRST) if is_closed(step))


def is_closed(step: Step) -> bool:
    return step.context is None or not step.context.opens


@pytest.fixture(scope="module")
def fired() -> dict[Rule, set[tuple[str, str]]]:
    """The observed reductions of each rule."""
    found: dict[Rule, set[tuple[str, str]]] = {rule: set() for rule in Rule}
    for step in traced():
        if len(found[step.rule]) < 60:
            found[step.rule].add((written(step.redex), written(step.contractum)))
    return found


@each_rule
def test_every_rule_has_an_equation(rule: Rule) -> None:
    assert all(0 < len(line) <= 96 for line in rule.equation.splitlines())
    assert rule.equation.count(" → ") + rule.equation.count(" →\n") == len(sides(rule))
    assert not rule.condition.endswith(".")


@each_rule
def test_steps_are_instances_of_the_equation(rule: Rule, fired: dict[Rule, set[tuple[str, str]]]) -> None:
    assert fired[rule]
    for redex, contractum in fired[rule]:
        assert any(left.fullmatch(redex) and right.fullmatch(contractum) for left, right in sides(rule)), (redex, contractum)


def test_equations_tell_the_rules_apart(fired: dict[Rule, set[tuple[str, str]]]) -> None:
    """Ensures that the test above can fail: for most pairs of rules, no step of one is an instance of the other."""
    strangers = apart = 0
    for rule in Rule:
        for other in set(Rule) - {rule}:
            strangers += 1
            apart += not any(l.fullmatch(M) and r.fullmatch(N) for M, N in fired[other] for l, r in sides(rule))
    assert apart / strangers > 0.8


@each_rule
def test_letters_of_a_condition_are_those_of_the_equation(rule: Rule) -> None:
    """Indexed capital letters, and names of handlers and heaps, occur in the equation too."""
    explained = re.sub(r"^.*?(?=Fᵗ)", "", rule.condition)
    for letter in re.findall(r"\b[VUW][₁ᵢₖₘₙ]|Q[ᶠᵇ]|Fᵗ|\bhp\b|ℓ", explained):
        assert letter[0] in rule.equation
