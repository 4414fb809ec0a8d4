"""Races: each handler does what it does in a training run of its own, and the session stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.live.race import RaceView
from rh_kernel.display.registry import bundle, records
from rh_kernel.display.registry import text as shown_as_text
from rh_kernel.session.actions import Interrupted
from rh_kernel.session.races import action
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.races.runs import RaceProgress
from rh_kernel.session.results import Notice, Shown, TrainingDone
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.training import slices
from tests.session.cells import codes, run
from tests.tiers import law

TEXT = """
include "backprop.rh"
include "momentum.rh"
include "adam.rh"
loc w0 : Real(3, 2) = glorot(seed=1)
loc w1 : Real(1, 3) = glorot(seed=2)
net error(x : Real(2), t : Real) : Real =
  let z <= FC[w0](x) in
  let y <= FC[w1](tanh(z)) in
  return dot(y - t, y - t)
"""
COMMAND = "train handle (rev handle (x, t) <x, t>. error(x, t) with backprop) with"
REST = 'for (x, t) in data("xor") epochs {} batch {} shuffle {} measure handle error(x, t) with infer'


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return run(Session.start(tmp_path_factory.mktemp("races")), TEXT)[1]


def raced(session: Session, text: str) -> tuple[RaceDone, Session]:
    """The result of a cell with a race alone, and the session after it."""
    found, after = run(session, text)
    (done,) = [one for one in found if not isinstance(one, Notice)]
    assert isinstance(done, RaceDone), found
    return done, after


def test_each_handler_does_what_it_does_by_itself_to_the_bit(session: Session) -> None:
    rates = st.sampled_from(["gradient_descent(0.1)", "gradient_descent(0.5)", "momentum(0.1, 0.9)", "adam(0.05)"])

    @law(10)
    @given(st.lists(rates, min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 4), st.integers(0, 9))
    def check(handlers: list[str], epochs: int, batch: int, seed: int) -> None:
        rest = REST.format(epochs, batch, seed)
        done, after = raced(session, f"%race {COMMAND} {', '.join(handlers)} {rest}")
        assert [racer.text for racer in done.racers] == handlers
        for handler, racer in zip(handlers, done.racers, strict=True):
            (trained,), _ = run(session, f"{COMMAND} {handler} {rest}")
            assert isinstance(trained, TrainingDone)
            assert racer.curves == tuple([curve for _, curve in trained.measures])
        assert after.heap is session.heap or all(after.heap[at] is array for at, array in session.heap.items())
        assert len(after.heap) == len(session.heap)

    check()


def test_the_handlers_take_turns(session: Session) -> None:
    text = f"%race {COMMAND} gradient_descent(0.1), adam(0.1) {REST.format(30, 4, 0)}"
    progress = [event for event in execute(session, Source("cell", text)) if isinstance(event, RaceProgress)]
    ahead = [abs(p.racers[0].share - p.racers[1].share) for p in progress]
    assert max(ahead) <= 2 / 30
    assert [len(p.racers) for p in progress] == [2] * len(progress)


def test_an_interrupt_shows_what_happened_so_far_and_changes_nothing(session: Session) -> None:
    text = f"%race {COMMAND} gradient_descent(0.1), adam(0.1) {REST.format(10_000, 4, 0)}"
    events = execute(session, Source("cell", text))
    for event in events:
        if isinstance(event, RaceProgress) and event.racers[0].share > 0:
            break
    shown: list[object] = []
    after = session
    try:
        shown.append(events.throw(KeyboardInterrupt))
        shown += [*events]
    except Interrupted as interrupted:
        after = interrupted.state
    except KeyboardInterrupt:
        pass
    results = [event.result for event in shown if isinstance(event, Shown)]
    assert [isinstance(result, RaceDone) and result.stopped for result in results] == [True]
    assert all(after.heap[at] is array for at, array in session.heap.items())


def test_a_race_that_cannot_start_says_why(session: Session) -> None:
    for wrong in (
        f'%race {COMMAND} adam(0.1) for (x, t) in data("xor")',
        f"%race {COMMAND} {', '.join(['adam(0.1)'] * 9)} {REST.format(1, 1, 0)}",
        '%race train return x for x in data("xor") measure return 1',
    ):
        found, _ = run(session, wrong)
        assert codes(found) == ["RH126"], wrong


def test_what_a_handler_has_to_say_names_it(session: Session) -> None:
    found, _ = run(session, f"%race {COMMAND} adam(0.1), gradient_descent(1000) {REST.format(20, 4, 0)}")
    notices = [one.text for one in found if isinstance(one, Notice)]
    assert notices
    assert all(text.startswith("gradient_descent(1000): ") for text in notices)


def test_the_clauses_are_compared_by_their_trees(session: Session) -> None:
    literal = "{ return y -> return y; Update[l](g), k ->   let w <= Get[l]() in let done <= Put[l](w - 2 * g) in k(done) }"
    done, _ = raced(session, f"%race {COMMAND} gradient_descent(0.1), {literal} {REST.format(1, 4, 0)}")
    assert done.clauses.parameters == ("alpha = 0.1", "")
    assert [row.name for row in done.clauses.rows] == ["return", "Update"]
    marked = [[[cell.text[a:b] for a, b in cell.marks] for cell in row.cells if cell is not None] for row in done.clauses.rows]
    assert marked == [[["x", "x"], ["y", "y"]], [["alpha"], ["2"]]]
    same, _ = raced(session, f"%race {COMMAND} adam(0.1), adam(0.2) {REST.format(1, 4, 0)}")
    assert same.clauses.differing == ()
    text = same.clauses.rows[1].cells[0]
    assert text is not None
    assert text.text.split("\n")[1] == "  let g <= BatchMean(g) in"


def test_a_race_without_a_picture_of_the_paths_says_why(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"%race {COMMAND} gradient_descent(0), gradient_descent(0) {REST.format(2, 4, 0)}"
    assert raced(session, line)[0].no_slice == "no weight that the measure reads has moved"
    moving = line.replace("(0)", "(0.1)", 1)
    assert raced(session, moving.replace("descent(0)", "descent(0.2)"))[0].no_slice == ""
    monkeypatch.setattr(slices, "MOST_WORK", 100)
    done, _ = raced(session, moving.replace("descent(0)", "descent(0.2)"))
    assert (done.slice, done.no_slice[:40]) == (None, "the measure of 4 samples takes too long,")
    monkeypatch.setattr(action, "MOST_RECORDED", 9)
    done, _ = raced(session, moving)
    assert done.no_slice == "the measure reads 9 numbers, and paths of 4 are kept at most"
    assert f"no picture of the paths: {done.no_slice}" in shown_as_text(done)
    assert done.no_slice in bundle(done)["text/html"]
    assert records(1, done)[0]["no_plane"] == done.no_slice
    assert RaceView(done).opening()["note"] == f"no picture of the paths: {done.no_slice}"
