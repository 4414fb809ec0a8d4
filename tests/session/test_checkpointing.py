"""``%checkpointing``: the setting, and that it changes the memory of a cell but not what it computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rh_kernel.arrays.options import Checkpointing
from rh_kernel.arrays.program import Loop, Program
from rh_kernel.session.results import Notice, ProgramMade, Result, ValueFound
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from tests.session.cells import codes, run

NET = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w : Real(1, 1) = normal(0.5, seed=1)
loc u : Real(1, 2) = normal(0.5, seed=2)
handler sgd(a : Real, t : Real(k)) : rev handler(Real(k)) = {
  return y -> return a * (y - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, x)
    | y, x -> let w <= Get[l]() in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
"""
PASS = """rev handle (x) <xs>. let (_, h) <= scan (x in xs) from h = fill[1](0) do
  let a <= FC[u](x) in let b <= FC[w](h) in return ((), tanh(a + b)) in return h with sgd(0.1, t)"""
TRAIN = f'train {PASS} for (x, t) in data("adding") epochs 1 batch 500'


def text_of(results: list[Result]) -> str:
    (notice,) = [r for r in results if isinstance(r, Notice)]
    return notice.text


@pytest.mark.parametrize(
    ("words", "setting", "said"),
    [
        ("", "off", "is off"),
        ("auto", "auto", "about √n states"),
        ("10", 10, "one state of a loop in 10 is kept"),
        ("3", 3, "one state of a loop in 3 is kept"),
        ("1", 1, "is off"),
        ("off", "off", "is off"),
    ],
)
def test_the_setting(words: str, setting: Checkpointing, said: str) -> None:
    results, session = run(Session.start(Path()), f"%checkpointing {words}")
    assert session.settings.checkpointing == setting
    assert said in text_of(results)


@pytest.mark.parametrize("words", ["0", "-1", "on", "10 20", "1.5", "9" * 30])
def test_anything_else_is_an_error(words: str) -> None:
    results, session = run(Session.start(Path()), f"%checkpointing {words}")
    assert codes(results) == ["RH042"]
    assert session.settings.checkpointing == "off"


def test_training_gives_the_same_weights() -> None:
    heaps: list[dict[Location, Array]] = []
    for k in ("off", "7", "auto"):
        results, session = run(Session.start(Path()), f"{NET}%checkpointing {k}\n{TRAIN}")
        assert codes(results) == []
        heaps.append(dict(session.state.heap))
    start = run(Session.start(Path()), NET)[1].state.heap
    assert all((content != heaps[0][location]).any() for location, content in start.items())
    for heap in heaps[1:]:
        assert heap.keys() == heaps[0].keys()
        for location, content in heap.items():
            np.testing.assert_allclose(content, heaps[0][location], rtol=0, atol=1e-12)


def rounds(program: Program) -> list[int]:
    return [e.operator.rounds for e in program.equations if isinstance(e.operator, Loop)]


def test_the_program_goes_through_segments() -> None:
    session = run(Session.start(Path()), NET)[1]
    for k, expected in (("off", [100, 100]), ("10", [10, 10]), ("auto", [10, 10]), ("30", [3, 10, 10, 3])):
        results, _ = run(session, f"%checkpointing {k}\n%compile {TRAIN}")
        (made,) = [r for r in results if isinstance(r, ProgramMade)]
        assert rounds(made.program) == expected


def test_a_check_keeps_the_numbers_of_rows_that_it_is_given() -> None:
    """They are shared by all rounds, and nothing else in the loop needs them."""
    cell = "repeat i < 12 from s = [0.5, 0.25] do let _ <= return take([1, 2, 3], [2, 0]) in return s * s"
    off, on = (run(Session.start(Path()), f"%checkpointing {k}\n{cell}")[0] for k in ("off", "2"))
    assert not codes([*off, *on])
    assert isinstance(on[-1], ValueFound)
    assert on[-1] == off[-1]
