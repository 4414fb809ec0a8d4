"""The messages for the events of a cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rh_kernel.display.live.widget import MIME
from rh_kernel.session.results import (
    DeclarationMade,
    Event,
    ItemFailed,
    Notice,
    Progress,
    Result,
    Shown,
    SweepDone,
    SweepProgress,
    SweepRun,
    TrainingDone,
    ValueFound,
    Working,
)
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.syntax.types import SCALAR
from rh_kernel.syntax.values import constant
from rh_kernel.workspace.outputs import BETWEEN_UPDATES, Outputs, joined
from rh_kernel.workspace.status_line import SILENCE, TICK_INTERVAL
from rh_kernel.workspace.widgets import Widgets

VALUE = ValueFound(SCALAR, constant(0.25), (), is_command=False)
DONE = TrainingDone(3, 4, (), 0.5, ())


class Wrong(Diagnostic):
    code, title, label = "RH999", "Wrong", "this is wrong"


def declaration(name: str) -> DeclarationMade:
    return DeclarationMade(name, "a constant", "Real(1)")


def progress(epoch: int) -> Progress:
    return Progress(epoch, 10, epoch / 10, (), 100.0)


class Front:
    """The receiver of messages, with a clock that is set by hand."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.now = 0.0
        self.outputs = Outputs(lambda name, content: self.sent.append((name, content)), 7, lambda: self.now)

    def take(self, *events: Event, apart: float = 0.0) -> list[str]:
        for event in events:
            self.outputs.take(event)
            self.now += apart
        return self.kinds

    def show(self, *results: Any) -> list[str]:
        return self.take(*(Shown(i, result) for i, result in enumerate(results, start=1)))

    @property
    def kinds(self) -> list[str]:
        return [name for name, _ in self.sent]


def test_a_value_waits_to_be_the_last() -> None:
    front = Front()
    assert front.show(VALUE) == []
    front.outputs.finish()
    assert front.kinds == ["execute_result"]
    assert front.sent[0][1]["execution_count"] == 7
    assert front.outputs.value == front.sent[0][1]["data"]["text/plain"]


@pytest.mark.parametrize("after", [Notice("text"), VALUE, declaration("t")])
def test_a_value_with_something_after_it_is_a_display(after: Result) -> None:
    front = Front()
    assert front.show(VALUE, after)[0] == "display_data"


def test_a_value_does_not_wait_long() -> None:
    front = Front()
    front.show(VALUE)
    assert front.take(Working(), Working(), apart=BETWEEN_UPDATES) == []
    assert front.take(Working()) == ["display_data"]


def test_declarations_in_a_row_are_one_display() -> None:
    front = Front()
    front.show(declaration("first"), declaration("second"), VALUE, declaration("third"))
    front.outputs.finish()
    assert front.kinds == ["display_data"] * 3
    text = front.sent[0][1]["data"]["text/plain"]
    assert "first" in text
    assert "second" in text
    assert "third" in front.sent[2][1]["data"]["text/plain"]
    assert front.outputs.value is None


def test_an_empty_cell_says_nothing() -> None:
    front = Front()
    front.outputs.finish()
    assert front.sent == []


def test_progress_is_updated_ten_times_a_second() -> None:
    front = Front()
    front.take(*(progress(i) for i in range(10)), apart=BETWEEN_UPDATES / 2.5)
    assert front.kinds == ["display_data", *["update_display_data"] * 3]
    assert len({content["transient"]["display_id"] for _, content in front.sent}) == 1


def test_the_end_of_training_takes_the_place_of_its_progress() -> None:
    front = Front()
    front.take(progress(1), progress(2), Shown(1, DONE))
    front.outputs.finish()
    assert front.kinds == ["display_data", "update_display_data"]
    front.take(progress(1))
    assert front.sent[-1][1]["transient"] != front.sent[0][1]["transient"]


def test_training_without_progress_is_a_display() -> None:
    assert Front().show(DONE) == ["display_data"]


def test_an_abandoned_training_looks_abandoned() -> None:
    front = Front()
    front.take(progress(1), progress(2))
    front.outputs.abandon("interrupted")
    last = front.sent[-1]
    assert last[0] == "update_display_data"
    assert "interrupted" in last[1]["data"]["text/plain"]
    front.outputs.abandon("interrupted")
    assert len(front.sent) == 2


def test_what_waited_when_a_cell_is_abandoned_is_shown() -> None:
    front = Front()
    front.show(VALUE)
    front.outputs.abandon("failed")
    assert front.kinds == ["display_data"]


def test_errors_are_kept_for_the_end() -> None:
    front = Front()
    assert front.show(ItemFailed((Wrong(),)), ItemFailed((Wrong(), Wrong()))) == []
    assert len(front.outputs.diagnostics) == 3


def test_outputs_are_joined_in_the_formats_that_all_have() -> None:
    one, two = {"text/plain": "a", "text/html": "<b>a</b>"}, {"text/plain": "b"}
    assert joined((one,)) == one
    assert joined((one, one)) == {"text/plain": "a\na", "text/html": "<b>a</b><b>a</b>"}
    assert joined((one, two)) == {"text/plain": "a\nb"}


class Silent(Front):
    """Advance the clock in silence, with a tick every quarter of a second."""

    def wait(self, seconds: float) -> list[str]:
        before = len(self.sent)
        for _ in range(round(seconds / TICK_INTERVAL)):
            self.now += TICK_INTERVAL
            self.outputs.tick()
        return [name for name, _ in self.sent[before:]]

    @property
    def line(self) -> str:
        return self.sent[-1][1]["data"]["text/plain"]


def test_a_cell_that_is_silent_for_a_second_tells_what_it_is_at() -> None:
    front = Silent()
    assert front.wait(SILENCE - TICK_INTERVAL) == []
    assert front.wait(2 * TICK_INTERVAL) == ["display_data", "update_display_data"]
    assert front.line == "reading · 1.2 s"
    front.take(Working("reducing", "1,200 steps"))
    assert front.wait(TICK_INTERVAL) == ["update_display_data"]
    assert front.line == "reducing · 1,200 steps · 1.5 s"
    displays = {content["transient"]["display_id"] for _, content in front.sent}
    assert len(displays) == 1


def test_the_line_makes_space_for_the_first_output_and_the_next_silence_has_a_line_of_its_own() -> None:
    front = Silent()
    front.wait(SILENCE)
    front.sent.clear()
    front.show(Notice("done"))
    assert front.kinds == ["clear_output", "display_data"]
    assert front.sent[0][1] == {"wait": True}
    assert front.wait(SILENCE) == ["display_data"]
    line = front.sent[-1][1]["transient"]["display_id"]
    front.sent.clear()
    front.show(VALUE)
    front.outputs.finish()
    assert front.kinds == ["update_display_data", "execute_result"]
    assert front.sent[0][1]["transient"]["display_id"] == line
    assert front.sent[0][1]["data"] == {"text/plain": "", "text/html": ""}


def interrupted(outputs: Outputs) -> None:
    outputs.abandon("interrupted")


@pytest.mark.parametrize("end", [Outputs.finish, interrupted])
def test_nothing_is_left_of_the_line_when_the_cell_has_ended(end: Callable[[Outputs], None]) -> None:
    front = Silent()
    front.wait(SILENCE)
    front.sent.clear()
    end(front.outputs)
    assert front.sent == [("clear_output", {"wait": False})]
    assert front.wait(SILENCE) == []


def test_progress_of_a_training_run_is_a_sign_of_life() -> None:
    front = Silent()
    for epoch in range(20):
        front.take(progress(epoch))
        assert front.wait(TICK_INTERVAL) == []


def sweep_progress(done: int) -> SweepProgress:
    values = tuple([(("a", float(i)),) for i in range(3)])
    runs = [SweepRun(v, (), (("a", float(i)),), (), 0.1) if i < done else None for i, v in enumerate(values)]
    return SweepProgress(values, tuple(runs), {done: 0.4}, "2 processes", float(done))


def sweep_done() -> SweepDone:
    return SweepDone(tuple([run for run in sweep_progress(3).runs if run is not None]), 3, "2 processes", 3.0)


class WithWidgets(Front):
    """A receiver of messages of a cell with widgets."""

    def __init__(self) -> None:
        super().__init__()
        self.widgets = Widgets()
        self.outputs = Outputs(
            lambda name, content: self.sent.append((name, content)),
            7,
            lambda: self.now,
            lambda result, static: self.widgets.outputs("cell", result, static),
        )

    @property
    def openings(self) -> list[dict[str, Any]]:
        return [widget.opening for _, widget in self.widgets._open if widget.is_open]


def test_the_widget_of_a_sweep_fills_and_becomes_that_of_its_result() -> None:
    front = WithWidgets()
    assert front.take(sweep_progress(0), sweep_progress(1), apart=1.0) == [
        "display_data",
        "display_data",
        "update_display_data",
    ]
    (opening,) = front.openings
    assert (opening["share"], [row["state"] for row in opening["rows"]]) == (1 / 3, ["done", "running", "waiting"])
    assert opening["rows"][1]["instead"] == "running, 40 %"
    assert front.take(Shown(1, sweep_done()))[3:] == ["update_display_data"]
    (opening,) = front.openings
    assert (opening["share"], [row["state"] for row in opening["rows"]]) == (None, ["done"] * 3)
    widget, first, *updates = [content for _, content in front.sent]
    assert MIME in widget["data"]
    assert all(update["transient"] == first["transient"] for update in updates)
    assert "rh-static" in updates[-1]["data"]["text/html"]
    front.take(sweep_progress(0))
    assert len(front.openings) == 2


def test_a_sweep_that_ends_without_a_result_says_why() -> None:
    front = WithWidgets()
    front.take(sweep_progress(1), sweep_progress(2))
    front.outputs.abandon("failed")
    (opening,) = front.openings
    assert opening["head"].startswith("2 of 3 runs")
    assert opening["head"].endswith("failed")
    assert front.sent[-1][1]["data"]["text/plain"].endswith("failed")
    assert "failed" in front.sent[-1][1]["data"]["text/html"]


def test_updates_of_progress_take_a_bounded_share_of_the_time() -> None:
    front = Front()
    send = front.outputs._send

    def slow(name: str, content: dict[str, Any]) -> None:
        front.now += 0.5
        send(name, content)

    front.outputs._send = slow
    front.take(*[sweep_progress(i % 3) for i in range(200)], apart=0.05)
    assert front.now < 200 * 0.05 * 1.25
