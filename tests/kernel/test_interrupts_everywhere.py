"""Interrupts and time limits in calls on large arrays, in long steps, and while drawing."""

from __future__ import annotations

import pytest

from tests.kernel.conftest import STOPPED, Client, Ran, Start

LAYERS = 200
BEFORE = "\n".join(
    [
        "const a : Real(6000, 6000) = fill[6000, 6000](1.5)",
        "handler back : rev handler(Real(1)) = { return x -> return x }",
        "net deep(x0 : Real) : Real =",
        *[f"  let x{i + 1} <= return swish(x{i}) in" for i in range(LAYERS)],
        f"  return x{LAYERS}",
        "fun f0(x : Real) : Real = sin(x)",
        *[f"fun f{i}(x : Real) : Real = let y <- f{i - 1}(x) in y * x" for i in range(1, 501)],
    ]
)
LABORATORY = "\n".join(
    ["%%lambda", "fun g(y0 : Real) : Real =", *[f"  let y{i + 1} <- sin(y{i}) * y{i} in" for i in range(400)], "  y400"]
)

CELLS = {
    "drawing at random": "loc r : Real(10000, 10000) = normal(1.0, seed=1)",
    "large arrays": " + ".join(["gelu(softplus(a))"] * 10),
    "large arrays, stepped": "%evaluator stepped\n" + " + ".join(["gelu(softplus(a))"] * 10),
    "one step": "%evaluator stepped\nrd[rd[f500]](1, (1, 0.5))",
    "a trace": "%trace rev handle (0.5) <x>. deep(x) with back",
    "all systems": "%%lambda\n%ad all g(0.5)",
}


@pytest.fixture(scope="module")
def declared(start: Start) -> Client:
    running = start(measured=False)
    assert running.run(BEFORE).reply["status"] == "ok"
    assert running.run(LABORATORY).reply["status"] == "ok"
    return running


def lines(ran: Ran) -> list[str]:
    """The status lines of the cell."""
    return [text for text in ran.texts if text.endswith(" s") and " · " in text]


@pytest.mark.parametrize("what", CELLS)
def test_an_interrupt_does_not_wait_for_the_end_of_what_a_cell_is_at(declared: Client, what: str) -> None:
    ran = declared.run(CELLS[what], interrupt_after=0.3)
    assert ran.idle_after_interrupt > 0, "the cell was over before it was interrupted"
    assert ran.work_after_interrupt < 1.0
    assert ran.idle_after_interrupt < STOPPED
    assert ran.reply["ename"] == "Interrupted"
    assert declared.run("1 + 2").texts == ["3.0 : Real(1)"]


@pytest.mark.parametrize("what", ["one step", "a trace", "all systems"])
def test_the_limit_of_seconds_is_looked_at_there(declared: Client, what: str) -> None:
    declared.run("%limit seconds 1")
    ran = declared.run(CELLS[what])
    assert ran.reply["ename"].startswith("RH208")
    assert declared.run("%limit seconds off").reply["status"] == "ok"


def test_a_cell_tells_what_it_is_at_and_nothing_is_left_of_that(declared: Client) -> None:
    ran = declared.run(CELLS["one step"], interrupt_after=0.0, once=lambda ran: len(lines(ran)) > 1)
    first, second, *_ = lines(ran)
    assert first.startswith("reducing · 1.")
    assert second != first
    assert ran.reply["ename"] == "Interrupted"
    replaced = [c for c in ran.contents("update_display_data") if c["data"] == {"text/plain": "", "text/html": ""}]
    assert len(replaced) == 1
