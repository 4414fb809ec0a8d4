"""Interrupts: whatever a cell is doing, the kernel is idle again soon, and its declarations are intact."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Generator
from hashlib import pbkdf2_hmac
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.kernel.time_slicing import SLICE, drive
from rh_kernel.session.results import Event, Working
from rh_kernel.workspace.interrupts import LONG_SLICE, Interrupts
from tests.kernel.conftest import STOPPED, Client, Start, has_shown, was_busy

NET = """handler back : rev handler(Real(1)) = { return x -> return x }
loc weight : Real(32, 64) = normal(0.5, seed=1)
loc other : Real(10, 32) = normal(0.5, seed=2)
op Layer[l : Loc(m, n)] : Real(n) -> Real(m)
net digits(x : Real(64)) : Real(10) =
  let z <= Layer[weight](x) in
  let h <= return swish(z) in
  Layer[other](h)
handler descent(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  Layer[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
""" + "\n".join(
    [
        "net deep(x : Real) : Real =",
        "  let x0 <= return swish(x) in",
        *[f"  let x{i + 1} <= return swish(x{i}) in" for i in range(200)],
        "  return x200",
        "fun n0(x : Real) : Real = x + 1",
        *[f"fun n{i}(x : Real) : Real = let y <- n{i - 1}(x) in n{i - 1}(y)" for i in range(1, 25)],
    ]
)

LONG = {
    "training": """train rev handle (x) <u>. digits(u) with descent(0.01, t)
  for (x, t) in data("digits") epochs 1000000 batch 16""",
    "trace": "%trace rev handle (0.5) <x>. deep(x) with back",
    "evaluation": "%limit steps off\n%evaluator stepped\nn24(0)",
}


@pytest.fixture(scope="module")
def declared(start: Start) -> Client:
    running = start(measured=False)
    assert running.run(NET).reply["status"] == "ok"
    assert running.run(LONG["training"].replace("1000000", "1")).reply["status"] == "ok"
    return running


@pytest.mark.parametrize("what", LONG)
def test_an_interrupt_returns_soon_and_keeps_the_definitions(
    declared: Client, what: str, record_testsuite_property: Callable[[str, object], None]
) -> None:
    ran = declared.run(LONG[what], interrupt_after=1.0)
    record_testsuite_property(f"milliseconds from interrupt to idle, {what}", round(1e3 * ran.idle_after_interrupt))
    assert ran.idle_after_interrupt > 0, "the cell was over before it was interrupted"
    assert ran.work_after_interrupt < 1.0
    assert ran.idle_after_interrupt < STOPPED
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] == "Interrupted"
    assert "Traceback" not in "".join(ran.reply["traceback"])
    assert declared.run("deep(0.5)").reply["status"] == "ok"


def test_an_interrupt_stops_the_reading_of_a_file(declared: Client, tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_bytes(b"x,t\n" + b"0.25,-1.75\n" * 3_000_000)
    ran = declared.run(f'train return 1 for x in data("{file}")', interrupt_after=0.3)
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] == "Interrupted"
    assert ran.work_after_interrupt < 0.5
    assert declared.run("deep(0.5)").reply["status"] == "ok"


FROM_FILE = """%limit bytes 4M
train rev handle (x) <u>. digits(u) with descent(0.01, t)
  for (x, t) in data({data}) epochs 1000000 batch 16 shuffle 0"""


@pytest.mark.parametrize("form", ["npy", "csv"])
def test_an_interrupt_stops_a_run_from_files_that_exceed_the_limit(declared: Client, tmp_path: Path, form: str) -> None:
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(40_000, 64)), np.eye(10)[rng.integers(0, 10, 40_000)]
    if form == "npy":
        np.save(tmp_path / "x.npy", x)
        np.save(tmp_path / "t.npy", t)
        data = f'"{tmp_path / "x.npy"}", "{tmp_path / "t.npy"}"'
    else:
        names = ",".join([*[f"x{i}" for i in range(64)], *[f"t{i}" for i in range(10)]])
        np.savetxt(tmp_path / "long.csv", np.hstack([x, t]), "%.9g", ",", header=names, comments="")
        data = f'"{tmp_path / "long.csv"}"'
    # The table is interrupted while it is converted.
    ran = declared.run(FROM_FILE.format(data=data), once=has_shown(1) if form == "npy" else was_busy, interrupt_after=0.5)
    assert (ran.reply["status"], ran.reply.get("ename")) == ("error", "Interrupted")
    assert ran.work_after_interrupt < 0.5
    assert ran.idle_after_interrupt < STOPPED
    assert declared.run("%limit bytes off\ndeep(0.5)").reply["status"] == "ok"


def test_the_last_state_of_a_stopped_training_says_so(declared: Client) -> None:
    before = declared.run("Get[other]()").texts
    ran = declared.run(LONG["training"], interrupt_after=0.5, once=has_shown(1))
    assert "interrupted" in ran.texts[-1] or "stopped" in ran.texts[-1]
    kept = declared.run("Get[other]()").texts != before
    assert kept == ("kept" in ran.reply["evalue"])


def test_a_cell_that_waits_behind_an_interrupted_one_is_not_run(declared: Client) -> None:
    request = declared.client.execute(LONG["training"])
    waiting = declared.client.execute("1 + 2")
    time.sleep(0.5)
    declared.manager.interrupt_kernel()
    assert declared.reply(request)["status"] == "error"
    assert declared.reply(waiting)["status"] == "aborted"


def test_an_interrupt_between_cells_does_nothing(declared: Client) -> None:
    for _ in range(3):
        declared.manager.interrupt_kernel()
        time.sleep(0.01)
    assert declared.run("1 + 2").reply["status"] == "ok"


def test_completion_is_answered_after_an_interrupted_cell(declared: Client) -> None:
    declared.run(LONG["evaluation"], interrupt_after=0.3)
    assert "deep" in declared.ask("complete_request", code="dee", cursor_pos=3)["matches"]


def signal_after(seconds: float, asked: list[float] | None = None) -> None:
    """Interrupt after a delay; append the time to ``asked``."""

    def ask() -> None:
        if asked is not None:
            asked.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    threading.Timer(seconds, ask).start()


def run(events: Generator[int, None, str], interrupts: Interrupts) -> tuple[list[int], str]:
    taken: list[int] = []

    async def driven() -> str:
        with interrupts.watched():
            return await drive(events, taken.append, interrupts)

    return taken, asyncio.run(driven())


def polite() -> Generator[int, None, str]:
    try:
        while True:
            yield 0
    except KeyboardInterrupt:
        yield 1
        return "so far"


def deaf() -> Generator[int, None, str]:
    yield 0
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pass
    return "too late"


def waiting() -> Generator[int, None, str]:
    while True:
        time.sleep(SLICE / 10)
        yield 0


class Deaf:
    """Python drops exceptions raised in a finaliser."""

    def __del__(self) -> None:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_has_dropped_comes_again() -> None:
    def going_on() -> Generator[Event, None, str]:
        yield Working()
        Deaf()
        for _ in range(1000):
            time.sleep(SLICE / 10)
            yield Working()
        return "too late"

    async def driven() -> None:
        interrupts = Interrupts()
        with interrupts.watched():
            await drive(going_on(), lambda _: None, interrupts)

    signal_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(driven())


def test_events_are_taken_in_order_and_the_value_is_returned() -> None:
    def three() -> Generator[int, None, str]:
        yield 1
        yield 2
        yield 3
        return "done"

    assert run(three(), Interrupts()) == ([1, 2, 3], "done")


def test_what_can_be_told_on_an_interrupt_is_told() -> None:
    interrupts = Interrupts()
    signal_after(0.2)
    taken, value = run(polite(), interrupts)
    assert (taken[-1], value) == (1, "so far")
    assert interrupts.delivered


@pytest.mark.parametrize("events", [deaf, waiting])
def test_an_interrupt_passes_through_what_does_not_listen(events: Callable[[], Generator[int, None, str]]) -> None:
    began = time.monotonic()
    signal_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        run(events(), Interrupts())
    assert time.monotonic() - began < 10


def test_nothing_begins_after_a_call_that_cannot_be_broken_off() -> None:
    """A large matrix product is one library call without a check for signals; the next one is not started."""
    rounds = 50_000
    while time_of(rounds) < 2 * LONG_SLICE:
        rounds *= 2
    began: list[float] = []
    asked: list[float] = []

    def products() -> Generator[int, None, str]:
        yield 0
        for _ in range(6):
            began.append(time.monotonic())
            if len(began) == 2:
                signal_after(LONG_SLICE / 4, asked)
            pbkdf2_hmac("sha256", b"a", b"b", rounds)
        return "too late"

    with pytest.raises(KeyboardInterrupt):
        run(products(), Interrupts())
    assert began[-1] <= asked[0]


def time_of(rounds: int) -> float:
    """Seconds that one call takes."""
    begin = time.monotonic()
    pbkdf2_hmac("sha256", b"a", b"b", rounds)
    return time.monotonic() - begin


def test_what_takes_long_to_draw_is_broken_off_and_the_cell_hears_of_it() -> None:
    taken: list[int] = []

    def drawing(event: int) -> None:
        end = time.monotonic() + 30
        while event == 0 and time.monotonic() < end:
            pass
        taken.append(event)

    async def driven() -> str:
        interrupts = Interrupts()
        with interrupts.watched():
            value = await drive(polite(), drawing, interrupts)
        assert interrupts.delivered
        return value

    began = time.monotonic()
    signal_after(0.2)
    assert asyncio.run(driven()) == "so far"
    assert taken == [1]
    assert time.monotonic() - began < 10


def test_other_tasks_have_their_turn_between_slices() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        for _ in range(5):
            turns += 1
            await asyncio.sleep(0)

    async def both() -> None:
        task = asyncio.ensure_future(other())
        interrupts = Interrupts()
        signal_after(10 * SLICE)
        with interrupts.watched():
            await drive(polite(), lambda _: None, interrupts)
        assert task.done()

    asyncio.run(both())
    assert turns == 5


def test_the_handler_of_before_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts().watched():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    found: list[object] = []

    def elsewhere() -> None:
        with Interrupts().watched():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [before]
