"""Very large states: the rendering is cropped around the redex, and its cost per step does not depend on the trace's length."""

from typing import Any

import numpy as np
import pytest

from rh_kernel.display.live.lines import Line, Region, RenderedLines, triples
from rh_kernel.display.live.state_lines import ABOVE, BELOW
from rh_kernel.display.live.stepper import Stepper
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.traces import cropping, viewport
from rh_kernel.display.traces.cropping import LINKS, SHOWN, crop, is_large
from rh_kernel.display.traces.viewport import unnamed
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import steps
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.core import Bound, Command, Const, Let, Plus, RevHandle, Scope, Term, Tuple
from rh_kernel.syntax.traversal import children
from rh_kernel.syntax.types import SCALAR
from rh_kernel.typing.derivation.derive import derive_command, derive_term
from tests.display.live.stepping import ask, trace_of, trace_of_paper, walked
from tests.display.live.test_stepper_types import below

ONE = Const(np.array([1.0]))


def chain(count: int) -> Term:
    """``let x ← 1 + 1 in let x ← x + 1 in …``"""
    M: Term = Bound(0, "x")
    for n in range(count):
        M = Let(Plus(Bound(0, "x") if n < count - 1 else ONE, ONE), Scope(("x",), M))
    return M


def tower(count: int) -> Term:
    """``let x ← (let x ← … in x + 1) in x + 1``"""
    M: Term = Plus(ONE, ONE)
    for _ in range(count):
        M = Let(M, Scope(("x",), Plus(Bound(0, "x"), ONE)))
    return M


def nested(count: int) -> Term:
    """``⟨1 + 1, ⟨1 + 1, …⟩⟩``"""
    M: Term = ONE
    for _ in range(count):
        M = Tuple((Plus(ONE, ONE), M))
    return M


def summed(count: int) -> Term:
    """``(1 + 1) + ((1 + 1) + …)``"""
    M: Term = ONE
    for _ in range(count):
        M = Plus(Plus(ONE, ONE), M)
    return M


def made(M: Term) -> TraceMade:
    taken = tuple(steps(M, Heap({})))
    V = taken[-1].after
    assert isinstance(V, Term)
    return TraceMade(M, SCALAR, taken, V, (), {})


def shown(stepper: Stepper, state: int) -> list[str]:
    return [text for text, _, _ in ask(stepper, "window", **{"from": state, "count": 0})["first"]]


@pytest.mark.parametrize("build", [chain, tower, nested, summed])
def test_of_a_longer_trace_no_more_is_shown(build: Any) -> None:
    found: list[list[int]] = []
    for count in (1000, 1400):
        result = made(build(count))
        stepper = Stepper(result)
        places = (0, 1, 2, 41)
        found.append([len("".join(shown(stepper, state))) for state in places])
        assert found[-1][0] < 50_000
    for one, other in zip(*found, strict=True):
        assert abs(one - other) < 2_000


@pytest.mark.parametrize("build", [nested, summed])
@pytest.mark.parametrize("place", [(), (1,), (1, 1, 1, 0)])
def test_sums_and_tuples_are_cut_behind_so_many_nodes(build: Any, place: tuple[int, ...]) -> None:
    M = build(1000)
    cut = crop(M, place, 0)
    assert is_large(cut, SHOWN - 10)
    assert not is_large(cut, SHOWN + 10)
    for position in place:
        cut, M = children(cut)[position][0], children(M)[position][0]
    assert type(cut) is type(M)


@pytest.mark.parametrize("build", [chain, tower])
def test_edits_lead_from_one_cut_state_to_the_next(build: Any) -> None:
    result = made(build(1000))
    stepper, count = Stepper(result), len(result.steps)
    for first in (0, 100, count // 2, count - 60):
        window = ask(stepper, "window", **{"from": first, "count": 30})
        lines = window["first"]
        for n, ((at, removed, new), detail) in enumerate(zip(window["edits"], window["details"], strict=True)):
            ((row, start, end),) = triples(detail["marks_before"]["redex"][:3])
            assert lines[row][0][start:end].strip()
            lines = [*lines[:at], *new, *lines[at + removed :]]
            assert lines == ask(Stepper(result), "window", **{"from": first + n + 1, "count": 0})["first"]


def test_what_was_left_out_stays_left_out_when_there_is_room_again() -> None:
    """So the lines far from the redex stay as they are."""
    row: list[Term] = [ONE] * 1024
    while len(row) > 1:
        row = [Plus(M, N) for M, N in zip(row[::2], row[1::2], strict=True)]
    window = ask(Stepper(made(row[0])), "window", **{"from": cropping.STRETCH, "count": 20})
    assert len(window["first"]) > 20
    assert max(len(new) for _, _, new in window["edits"]) <= 2


def test_what_is_left_out_is_told() -> None:
    below_, inside = shown(Stepper(made(chain(1000))), 0), shown(Stepper(made(tower(1000))), 0)
    assert len(below_) == LINKS + 2
    assert below_[-1] == "…"
    assert inside[0] == "⋮ inside of 984 more"
    assert sum(text.strip() == "let x ←" for text in inside) == 13


def test_lines_far_from_the_redex_are_left_out() -> None:
    lines = tuple([Line(f"line {n}") for n in range(5000)])
    rendered = RenderedLines(
        lines, (Region("redex", (2000, 0), (2001, 3)), Region("changed", (10, 0), (4000, 2)), Region("", (1, 0), (1, 2)))
    )
    cut = rendered.shown(2000 - ABOVE, 2000 + BELOW)
    assert [cut.lines[0].text, cut.lines[1].text] == [f"⋮ {2000 - ABOVE:,} lines", f"line {2000 - ABOVE}"]
    assert cut.lines[-1].text == f"⋮ {3000 - BELOW:,} lines"
    assert [cut.lines[row].text for row, _, _ in triples(cut.ranges(cut.regions[0]))] == ["line 2000", "line 2001"]
    assert [row for row, _, _ in triples(cut.ranges(cut.regions[1]))] == [*range(1, 1 + ABOVE + BELOW)]
    assert len(cut.regions) == 2
    assert rendered.shown(0, 5000) == rendered
    assert rendered.shown(1, 4999).lines == lines


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is cropped that is not very small."""
    for module, name, value in (
        (cropping, "NODES", 20),
        (cropping, "LINKS", 4),
        (cropping, "PATTERNS", 1),
        (cropping, "SHOWN", 15),
    ):
        monkeypatch.setattr(module, name, value)
    for name, value in (("FRAMES", 3), ("STRIDE", 2)):
        monkeypatch.setattr(viewport, name, value)


RESULTS = [
    *[lambda name=name: trace_of(name) for name in ("pass", "two passes", "skip")],
    lambda: trace_of_paper("example_4_2_residual.rh"),
]


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("build", RESULTS)
def test_small_programs_that_are_cut(build: Any) -> None:
    result: TraceMade = build()
    stepper, count = Stepper(result), len(result.steps)
    states = walked(stepper, count, 20)
    assert any("…" in text or "⋮" in text for lines in states for text, _, _ in lines)
    for n in range(0, count, 2):
        (detail,) = ask(Stepper(result), "window", **{"from": n, "count": 1})["details"]
        for ranges, lines in ((detail["marks_before"], states[n]), (detail["marks_after"], states[n + 1])):
            for places in ranges.values():
                assert all(lines[row][0][start:end].strip() for row, start, end in triples(places))
        assert detail["marks_before"]["redex"]


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("build", RESULTS)
def test_types_in_what_is_cut(build: Any) -> None:
    result: TraceMade = build()
    stepper, met = Stepper(result), 0
    for state in range(0, len(result.steps), 6):
        step = result.steps[state]
        M = step.before
        d = derive_command((), (), M) if isinstance(M, Command) else derive_term((), M)
        types = {(str(each.type), each.rule.value) for _, each in below(M, d)}
        window = ask(stepper, "window", **{"from": state, "count": 1})
        redex = window["details"][0]["marks_before"]["redex"]
        expected = next(each for path, each in below(M, d) if path == step.path)
        for row, start, end in triples(redex):
            for column in range(start, end, 5):
                told = ask(stepper, "type", state=state, line=row, column=column)
                assert (told["type"], told["rule"]) in types
                if told["range"] == redex:
                    met += 1
                    assert (told["type"], told["rule"]) == (str(expected.type), expected.rule.value)
    assert met > 3


def test_the_types_of_a_very_large_state_are_not_looked_for() -> None:
    M = chain(20_000)
    stepper = Stepper(TraceMade(M, SCALAR, (), None, (), {}))
    with pytest.raises(Unanswerable, match="subterms"):
        stepper.answer({"ask": "type", "state": 0, "line": 0, "column": 0})


def nodes(M: Subject) -> int:
    most = 0
    while is_large(M, most):
        most += 1
    return most


def test_what_is_not_large_stays_as_it_is() -> None:
    assert nodes(ONE) == 1
    assert nodes(chain(3)) == 13
    for step in trace_of("pass").steps:
        M = step.before
        assert crop(M, step.path, 0) is M


def test_handlers_lose_their_names_and_nothing_else() -> None:
    for step in trace_of("two passes").steps:
        known: dict[int, tuple[Subject, Subject]] = {}
        M = unnamed(step.before, known)
        assert step.before == M
        assert unnamed(step.redex, known) is unnamed(step.redex, known)
        if isinstance(M, RevHandle):
            assert M.handler.name == ""
