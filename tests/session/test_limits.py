"""`%limit`: exceeding each bound is an error of its own, and each can be raised."""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rh_kernel.display.registry import bundle
from rh_kernel.session.limits import timing
from rh_kernel.session.limits.bounds import DEFAULT, LEAST_OUTPUT, MEANINGS, Bound, value_of
from rh_kernel.session.results import Event, ItemFailed, Notice, Shown, TrainingDone, ValueFound
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.session.cells import codes, run

HERE = Path(__file__).parent
TRAINED = """loc w : Real(1, 2) = zeros
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(t : Real(k)) : rev handler(Real(k)) = {
  return x -> return x - t
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - 0.1 * outer(y, x)) in return w^T @ y
}
"""
TRAIN = 'train rev handle (x) <u>. FC[w](u) with sgd(t) for (x, t) in data("xor") epochs 1000000000\n'


@pytest.fixture
def session() -> Session:
    return Session.start(HERE)


@pytest.mark.parametrize("name", MEANINGS)
def test_a_limit_is_set_taken_away_and_put_back(session: Session, name: Bound) -> None:
    for words, value in (("7k", 7000), ("2M", 2_000_000), ("1_000", 1000), ("off", None), ("default", value_of(DEFAULT, name))):
        _, session = run(session, f"%limit {name} {words}")
        assert value_of(session.settings.bounds, name) == value


@pytest.mark.parametrize(
    "words",
    ["steps 0", "steps -1", "steps 1.5", "steps x", "bytes G", "steps 1 2", "seconds ٣", "steps " + "9" * 99, "output 999"],
)
def test_what_is_no_limit_is_refused(session: Session, words: str) -> None:
    results, same = run(session, f"%limit {words}")
    assert codes(results) == ["RH042"]
    assert same is session


@pytest.mark.parametrize(
    ("limit", "text", "code"),
    [
        ("steps 3", "%trace square(square(square(square(2))))", "RH204"),
        ("steps 3", "%evaluator stepped\nsquare(square(square(square(2))))", "RH204"),
        ("steps 3", "const a = square(square(square(square(2))))", "RH204"),
        ("equations 3", "swish(swish(swish(swish(2))))", "RH231"),
        ("nodes 30", "net f(x : Real) : Real = return x + x + x\nnet g(x : Real) : Real = let y <= f(x) in f(y)", "RH206"),
        ("bytes 100", "const a = fill[5, 5](1)", "RH241"),
        ("bytes 100", "loc w : Real(5, 5) = zeros", "RH241"),
        ("bytes 10k", "%trace " + "square(" * 30 + "1" + ")" * 30, "RH241"),
        ("bytes 100", "outer([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])", "RH241"),
    ],
)  # fmt: skip
def test_each_limit_has_an_error_of_its_own_and_can_be_raised(session: Session, limit: str, text: str, code: str) -> None:
    assert codes(run(session, text)[0]) == []
    _, limited = run(session, f"%limit {limit}")
    results, same = run(limited, text)
    assert codes(results) == [code]
    assert same is limited
    _, raised = run(limited, f"%limit {limit.split()[0]} off")
    assert codes(run(raised, text)[0]) == []


def test_nets_of_nets_of_nets_are_refused_before_they_are_unfolded(session: Session) -> None:
    nets = [f"net f{i}(x : Real) : Real = let y <= f{i - 1}(x) in f{i - 1}(y)" for i in range(1, 60)]
    results, _ = run(session, "\n".join(["%limit nodes 1000", "net f0(x : Real) : Real = return x", *nets]))
    assert codes(results)[0] == "RH206"
    assert set(codes(results)[1:]) == {"RH120"}


def test_handlers_of_handlers_are_counted_too(session: Session) -> None:
    handlers = ["handler h0 : Real => Real = { return x -> return x }"]
    for i in range(1, 40):
        once = f"handle return x with h{i - 1}"
        handlers.append(f"handler h{i} : Real => Real = {{ return x -> let x <= {once} in {once} }}")
    results, _ = run(session, "\n".join(["%limit nodes 1000", *handlers]))
    assert codes(results)[0] == "RH206"


def test_a_cell_that_takes_too_long_is_stopped_and_changes_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    _, session = run(session, TRAINED + "%limit seconds 5")
    ticks = itertools.count()
    monkeypatch.setattr(timing.time, "monotonic", lambda: next(ticks))
    results, same = run(session, "1 + 1\n" + TRAIN)
    assert codes(results) == ["RH208"]
    assert same is session


def test_the_error_of_a_cell_that_takes_too_long_is_at_the_item(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    _, session = run(session, TRAINED + "%limit seconds 5")
    ticks = itertools.count()
    monkeypatch.setattr(timing.time, "monotonic", lambda: next(ticks))
    results, _ = run(session, "1 + 1\n" + TRAIN)
    (failed,) = [result for result in results if isinstance(result, ItemFailed)]
    (diagnostic,) = failed.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span.text == TRAIN.strip()


def test_in_a_file_each_item_has_its_seconds(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(timing.time, "monotonic", lambda: next(ticks))
    source = Source("file", TRAINED + "%limit seconds 5\n" + TRAIN + "1 + 1\n")
    found = [e.result for e in execute(session, source, keep_going=True) if isinstance(e, Shown)]
    assert codes(found) == ["RH208"]
    assert isinstance(found[-1], ValueFound)


def test_an_interrupt_reaches_a_cell_that_is_timed(session: Session) -> None:
    _, session = run(session, TRAINED + "%limit seconds 500")
    events = execute(session, Source("cell", TRAIN))
    event = next(events)
    while isinstance(event, Shown):
        event = next(events)
    for _ in range(3):
        event = next(events)
    found: list[Event] = [events.throw(KeyboardInterrupt())]
    found += rest(events)
    assert [e.result.stopped for e in found if isinstance(e, Shown) and isinstance(e.result, TrainingDone)] == [True]


def test_an_interrupt_while_the_end_of_a_run_is_shown_does_not_tell_it_twice(session: Session) -> None:
    _, session = run(session, TRAINED)
    events = execute(session, Source("cell", TRAIN.replace("1000000000", "2")))
    for event in events:
        if isinstance(event, Shown) and isinstance(event.result, TrainingDone):
            assert not event.result.stopped
            break
    with pytest.raises(StopIteration) as end:
        events.throw(KeyboardInterrupt())
    after = end.value.value
    assert isinstance(after, Session)
    assert [array.tolist() for array in after.heap.values()] != [array.tolist() for array in session.heap.values()]


def rest(events: Iterator[Event]) -> list[Event]:
    return [*events]


@pytest.mark.parametrize("name", MEANINGS)
def test_the_least_output_is_enough_to_raise_the_limit(session: Session, name: Bound) -> None:
    _, session = run(session, f"%limit output {LEAST_OUTPUT}")
    for words in (name, f"{name} default", f"{name} {'9' * 15}", f"{name} off"):
        (told,), _ = run(session, f"%limit {words}")
        assert sum(map(len, bundle(told).values())) < LEAST_OUTPUT // 2


def test_the_limits_are_listed(session: Session) -> None:
    ((listed,), same) = run(session, "%limit")
    assert isinstance(listed, Notice)
    assert [line.split()[0] for line in listed.text.split("\n")] == [*MEANINGS]
    assert same.settings == session.settings


SINE = "fun f0(x : Real) : Real = sin(x)\n" + "\n".join(
    f"fun f{i}(x : Real) : Real = let y <- f{i - 1}(x) in y * x" for i in range(1, 501)
)
TWICE = "fun n0(x : Real) : Real = x + 1\n" + "\n".join(
    f"fun n{i}(x : Real) : Real = let y <- n{i - 1}(x) in n{i - 1}(y)" for i in range(1, 31)
)
LAMBDA = (
    "%%lambda\nfun g(y0 : Real) : Real =\n"
    + "\n".join(f"  let y{i + 1} <- sin(y{i}) * y{i} in" for i in range(400))
    + "\n  y400"
)


@pytest.mark.parametrize(
    ("before", "cell"),
    [
        (SINE, "%evaluator stepped\nrd[rd[f500]](1, (1, 0.5))"),
        (TWICE, "n30(0)"),
        (TWICE, "%limit steps off\nconst c = n30(0)"),
        (TWICE, "%limit steps off\ncheck n30(0) == 1"),
        (LAMBDA, "%%lambda\n%ad all g(0.5)"),
    ],
    ids=["one Ev of a deep rd", "compiling", "planning", "check", "ad all"],
)
def test_the_limit_of_seconds_is_looked_at_where_a_cell_says_nothing_for_long(session: Session, before: str, cell: str) -> None:
    _, session = run(session, before)
    _, limited = run(session, "%limit seconds 1")
    began = time.monotonic()
    results, same = run(limited, cell)
    assert codes(results)[-1:] == ["RH208"]
    assert same is limited
    assert time.monotonic() - began < 5
    assert [r.value for r in run(same, "1 + 1")[0] if isinstance(r, ValueFound)]
