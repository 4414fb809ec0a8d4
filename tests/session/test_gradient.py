"""``%gradient P`` has the effects of P and keeps every value; a second pass starts from the same heap."""

from pathlib import Path
from typing import Any

import pytest

from rh_kernel.denotational.recording import occurrences
from rh_kernel.display.data import value as as_data
from rh_kernel.session.results import GradientMade, ItemFailed, Notice, ValueFound, Working
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.display.pages import MLP, PASS
from tests.laws.readings import arrays, assert_close
from tests.typing.cells import last, run, wrong

CELLS = (
    PASS,
    "handle mlp([1.0, -2.0]) with infer",
    f"handle ({PASS}) with infer",
    "let w <= Get[w1]() in let _ <= Put[w1](2 * w) in return (w, 3)",
    "1 + 2 * 3",
    "return (1, ())",
)


def contents(session: Session) -> dict[str, Any]:
    return {location.name: content.tolist() for location, content in session.heap.items()}


def gradient(text: str, session: Session | None = None) -> GradientMade:
    result = last(f"{MLP}%gradient {text}" if session is None else f"%gradient {text}", session)
    assert isinstance(result, GradientMade)
    return result


@pytest.mark.parametrize("text", CELLS)
def test_it_gives_and_changes_what_the_command_does(text: str) -> None:
    found, after = run(MLP + text)
    made, recorded = run(f"{MLP}%gradient {text}")
    value, gradient = found[-1], made[-1]
    assert isinstance(value, ValueFound)
    assert isinstance(gradient, GradientMade)
    (only,) = gradient.passes
    assert only.type == value.type == gradient.type
    assert [change.location for change in only.changes] == [change.location for change in value.changes]
    assert_close(arrays(only.value), arrays(value.value), 1e-12)
    assert [*contents(recorded)] == [*contents(after)]
    assert_close([*recorded.heap.values()], [*after.heap.values()], 1e-12)
    assert all(not content.flags.writeable for content in recorded.heap.values())


def test_every_wire_has_its_value() -> None:
    (only,) = gradient(PASS).passes
    assert len(only.recording.values) == len(only.arrow.types)
    assert len(occurrences(only.arrow)) == 4


def test_both_passes_start_from_the_same_heap_and_the_first_one_stays() -> None:
    other = PASS.replace("0.1", "1.0")
    _, session = run(MLP)
    _, alone = run(PASS, session)
    _, apart = run(other, session)
    made = gradient(f"{PASS} against {other}", session)
    _, after = run(f"%gradient {PASS} against {other}", session)
    first, second = made.passes
    assert (first.subject, second.subject) == (PASS, other)
    assert made.subject == PASS
    assert_close([change.after for change in first.changes], [*alone.heap.values()])
    assert_close([change.after for change in second.changes], [*apart.heap.values()])
    for change, old in zip(second.changes, session.heap.values(), strict=True):
        assert change.before is old
    assert contents(after) == {change.location.name: change.after.tolist() for change in first.changes}


def test_against_is_a_word_of_this_directive_only() -> None:
    first, second = gradient("against against against", run("const against = [1, 2]")[1]).passes
    assert as_data(first.value) == as_data(second.value) == [1, 2]
    assert [d.code for d in wrong(f"{MLP}%trace {PASS} against {PASS}")] == ["RH004"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%gradient", "RH005"),
        ("%gradient return 1 against", "RH005"),
        ("%gradient return 1 against return 2 against return 3", "RH004"),
        ("%gradient mlp", "RH104"),
        ("%gradient return 1 against mlp([1.0])", "RH102"),
        ("%gradient mlp([1.0, 2.0])", "RH201"),
        ("%gradient return 1 against mlp([1.0, 2.0])", "RH201"),
        ("%strict on\n%gradient return relu([0, 1])", "RH203"),
    ],
)
def test_what_is_wrong_is_reported_at_its_place_and_nothing_changes(text: str, code: str) -> None:
    _, session = run(MLP)
    cell = f"let _ <= Put[w1]([[5, 6, 7]]) in return 1\n{text}"
    found, after = run(cell, session)
    (diagnostic,) = [d for r in found if isinstance(r, ItemFailed) for d in r.diagnostics]
    assert diagnostic.code == code
    assert diagnostic.span is not None
    assert diagnostic.span.start >= cell.index("%")
    assert after is session


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rh_kernel.session.limits.budget.available", lambda: 1 << 21)
    steps = " ".join("let x <= return 2 * x in" for _ in range(5))
    text = f"let x <= return fill[1000, 500](1) in {steps} return sum(x)"
    assert not wrong(text)
    (refused,) = wrong(f"%gradient {text}")
    assert refused.code == "RH241"
    assert "wires" in refused.message


def test_there_is_a_chance_to_stop_it_between_two_boxes() -> None:
    events = [*execute(Session.start(Path()), Source("cell", f"{MLP}%gradient {PASS}"))]
    (only,) = gradient(PASS).passes
    assert sum(isinstance(event, Working) for event in events) > len(only.arrow.boxes)


def test_an_interrupt_leaves_the_session_as_it_was() -> None:
    _, session = run(MLP)
    before = contents(session)
    events = execute(session, Source("cell", f"%gradient {PASS}"))
    for _ in range(12):
        assert isinstance(next(events), Working)
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())
    assert contents(session) == before


def test_help_knows_it() -> None:
    (result,) = run("%help gradient")[0]
    assert isinstance(result, Notice)
    assert result.text.startswith("%gradient P [against Q]: ")
