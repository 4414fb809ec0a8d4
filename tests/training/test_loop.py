"""Training runs (LANGUAGE §6): batches, the order of samples, measures, and the convergence of examples."""

import time
import warnings
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.arena import Contents, Layout
from rh_kernel.arrays.backend import Runner
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import Machine, prepare
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.loops.ir import Integers
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training import batches, loop
from rh_kernel.training.events import Diverged, Grown, Progress, Trained
from rh_kernel.training.samples import data_set
from tests.tiers import law
from tests.training.programs import HANDLERS, Run, close, elaborated, mlp, reports, trained

LOSS = "let y <= handle mlp(x) with infer in return dot(y - t, y - t)"


def training(given: Mapping[str, Mapping[str, Array]], options: str, net: str = "") -> Run:
    """Return SGD of a net on the given data."""
    train = f'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("mine") {options}'
    return elaborated(f"{net or mlp(3, 4, 2)}\n{train}", given)


def random_data(size: int, seed: int = 0) -> dict[str, dict[str, Array]]:
    rng = np.random.default_rng(seed)
    return {"mine": {"x": rng.normal(size=(size, 3)), "t": rng.normal(size=(size, 2))}}


def one_by_one(run: Run, heap: Mapping[Location, Array], batch: int, orders: list[list[int]]) -> dict[Location, Array]:
    """The definition of a batch: run each sample from the same heap, and add the mean of the changes."""
    types = [A for _, A in run.run.sample]
    step = prepare(compile_command(run.run.command, tuple(types)))
    arrays = [run.data.arrays[name] for name, _ in run.run.sample]
    now = dict(heap)
    for order in orders:
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            changes = {location: np.zeros_like(array) for location, array in now.items()}
            for i in rows:
                _, after = step([array[i] for array in arrays], now)
                for location, array in after.items():
                    changes[location] += array - now[location]
            now = {location: array + changes[location] / len(rows) for location, array in now.items()}
    return now


@law(25)
@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 3), st.integers(0, 5))
def test_a_batch_adds_the_mean_of_the_changes_of_its_samples(size: int, batch: int, epochs: int, seed: int) -> None:
    run = training(random_data(size, seed), f"epochs {epochs} batch {batch}")
    heap = run.weights(seed)
    close(trained(run.events(heap)).heap, one_by_one(run, heap, batch, [list(range(size))] * epochs))


@law(10)
@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 2**32))
def test_shuffling_goes_through_one_permutation_an_epoch(size: int, batch: int, seed: int) -> None:
    run = training(random_data(size), f"epochs 3 batch {batch} shuffle {seed}")
    rng = np.random.default_rng(seed)
    orders = [list(rng.permutation(size)) for _ in range(3)]
    close(trained(run.events(run.weights())).heap, one_by_one(run, run.weights(), batch, orders))


@pytest.mark.parametrize("piece", [1, 40, 100])
def test_a_batch_may_run_in_pieces(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(batches, "LARGEST", piece)
    monkeypatch.setattr(loop, "MEASURE_REALS", piece)
    taken: list[int] = []
    runner = Machine.runner

    def counted(machine: Machine, samples: int | None = None) -> Runner:
        taken.append(samples or 0)
        return runner(machine, samples)

    monkeypatch.setattr(Machine, "runner", counted)
    run = training(random_data(13), f"epochs 2 batch 9 shuffle 3 measure {LOSS}", mlp(3, 1, 2))
    rng = np.random.default_rng(3)
    orders = [list(rng.permutation(13)) for _ in range(2)]
    after = trained(run.events(run.weights())).heap
    assert set(taken) & set(range(1, 9))
    assert not set(taken) & {9, 13}
    close(after, one_by_one(run, run.weights(), 9, orders))


def test_a_handler_that_is_no_gradient_descent_is_averaged_too() -> None:
    text = """
    loc c : Real(2) = zeros
    op Keep : Real(2) -> Real(2)
    handler keeper : rev handler(Real(2)) = {
      return x -> return x
      Keep(x) -> let w <= Get[c]() in return (x * x, w) | y, w -> let _ <= Put[c](exp(y) * w) in return y
    }
    train rev handle (x) <u>. Keep(u) with keeper for x in data("mine") batch 2
    """
    x = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.0]])
    run = elaborated("\n".join(line[4:] for line in text.split("\n")), {"mine": {"x": x}})
    (c,) = run.locations
    start = {c: np.array([1.0, 2.0])}
    middle = start[c] * np.exp(x[:2] * x[:2]).mean(axis=0)
    close(trained(run.events(start)).heap, {c: middle * np.exp(x[2] * x[2])})


def test_a_change_that_no_sample_decides_is_made_once_a_batch() -> None:
    text = """
loc count : Real = zeros
train let n <= Get[count]() in Put[count](n + 1) for (x, t) in data("xor") epochs 5 batch 3
"""
    run = elaborated(text)
    (count,) = run.locations
    assert trained(run.events({count: np.zeros(1)})).heap[count] == [10.0]


@pytest.mark.parametrize("piece", [1, 2, 5])
def test_it_is_made_once_a_batch_in_pieces_too(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Equal values stay equal, although 3/7 + 3/7 + 1/7 is rounded to a little less than 1."""
    text = """
loc count : Real = zeros
loc sum : Real = zeros
train let n <= Get[count]() in let _ <= Put[count](n + 1) in
  let s <= Get[sum]() in Put[sum](s + dot(tanh(x), sin(x))) for x in data("mine") epochs 50 batch 7
"""
    monkeypatch.setattr(batches, "LARGEST", 30 * piece)
    run = elaborated(text, {"mine": {"x": np.ones((7, 9))}})
    count, total = run.locations
    after = trained(run.events({count: np.zeros(1), total: np.zeros(1)})).heap
    assert after[count] == [50.0]


def test_numpy_does_not_warn_of_what_is_reported_anyway() -> None:
    text = """
loc w : Real = zeros
train let _ <= Put[w](recip(x)) in return x for x in data("mine") epochs 2 batch 1 measure return recip(x)
"""
    run = elaborated(text, {"mine": {"x": np.array([0.0, -0.0])}})
    (w,) = run.locations
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(trained(run.events({w: np.zeros(1)})).heap[w])
        far = Contents(Layout({w: (1,)}), np.dtype(np.float32))
        far.store({w: np.array([1e300])})
    assert np.isinf(far[w])


def test_the_same_seed_gives_the_same_run_and_another_one_another() -> None:
    one, again, other = (
        trained(training(random_data(20), f"epochs 2 batch 3 shuffle {s}").events(training(random_data(20), "").weights())).heap
        for s in (1, 1, 2)
    )
    for location, array in one.items():
        assert np.array_equal(array, again[location])
        assert not np.array_equal(array, other[location])


def test_the_heap_that_is_given_stays_as_it_is() -> None:
    run = training(random_data(5), "epochs 2 batch 2")
    heap = run.weights()
    elsewhere = Location("elsewhere", ())
    heap[elsewhere] = np.ones(3)
    before = {location: array.copy() for location, array in heap.items()}
    after = trained(run.events(heap)).heap
    close(heap, before, 0)
    assert after[elsewhere] is heap[elsewhere]
    assert not any(np.array_equal(after[loc], heap[loc]) for loc in run.locations)


def test_who_stops_between_events_has_the_heap_of_whole_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "BETWEEN_EVENTS", -1.0)
    monkeypatch.setattr(loop, "AT_ONCE", 0.0)
    run = training(random_data(7), "epochs 2 batch 3")
    heaps = [report.heap for report in reports(run.events(run.weights()))]
    assert len(heaps) == 1 + 2 * 3 + 1
    for report, rows in ((0, []), (1, [[0, 1, 2]]), (2, [[0, 1, 2], [3, 4, 5]]), (3, [[0, 1, 2], [3, 4, 5], [6]])):
        close(heaps[report], one_by_one(run, run.weights(), 3, rows))


def test_the_caller_gets_a_turn_every_few_milliseconds() -> None:
    run = training(random_data(2000), f"epochs 400 batch 5 measure {LOSS}")
    gaps: list[float] = []
    last = time.thread_time()
    for event in loop.train(run.run, run.data, run.sets, run.weights(), backend=NumPy()):
        gaps.append(time.thread_time() - last)
        last = time.thread_time()
        if isinstance(event, Progress) and event.fraction > 0.2:
            break
    assert len(gaps) > 5
    assert sorted(gaps)[len(gaps) // 2] < 0.1


def test_progress_counts_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "BETWEEN_EVENTS", -1.0)
    run = training(random_data(7), f"epochs 3 batch 2 measure {LOSS}")
    found = reports(run.events(run.weights()))
    fractions = [report.fraction for report in found]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    assert [report.epoch for report in found] == sorted(report.epoch for report in found)
    assert (found[-1].epoch, found[-1].epochs) == (3, 3)
    assert all(len(curve) == report.epoch for report in found for curve in report.measures)
    assert found[-1].samples_per_second > 0


def test_progress_tells_the_time_and_what_it_started_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "BETWEEN_EVENTS", -1.0)
    run = training(random_data(7), f"epochs 3 batch 2 measure {LOSS}")
    heap = run.weights()
    first, *found = reports(run.events({**heap, Location("elsewhere", ()): np.ones(3)}))
    assert not first.start
    assert all(report.texts == (LOSS,) for report in (first, *found))
    assert all(one.seconds <= other.seconds for one, other in pairwise([first, *found]))
    assert found[-1].seconds > first.seconds
    for report in found:
        close(report.start, heap, 0)
        assert not any(np.array_equal(report.heap[location], report.start[location]) for location in report.start)


def test_a_measure_is_the_average_from_the_heap_after_each_epoch() -> None:
    given = random_data(6)
    run = training(given, f"epochs 2 batch 4 measure {LOSS}")
    w0, b0, w1 = run.locations
    expected: list[float] = []
    for epochs in (1, 2):
        heap = one_by_one(run, run.weights(), 4, [list(range(6))] * epochs)
        z = given["mine"]["x"] @ heap[w0].T + heap[b0]
        error = (z / (1 + np.exp(-z))) @ heap[w1].T - given["mine"]["t"]
        expected.append(float((error * error).sum(axis=1).mean()))
    ((text, curve),) = trained(run.events(run.weights())).measures
    assert text == LOSS
    np.testing.assert_allclose(curve, expected, rtol=1e-12)


def test_several_measures_on_several_data_sets() -> None:
    given = {**random_data(4), "other": random_data(9, seed=1)["mine"]}
    options = f'epochs 3 batch 2 measure {LOSS} measure {LOSS} on data("other") measure return [1.0] on data("other")'
    run = training(given, options)
    own, other, ones = (curve for _, curve in trained(run.events(run.weights())).measures)
    assert len(own) == len(other) == 3
    assert own != other
    assert ones == (1.0, 1.0, 1.0)


def test_a_measure_leaves_no_trace_in_the_heap() -> None:
    spoil = "let _ <= Put[w0](0) in return [2.0]"
    plain = training(random_data(6), "epochs 3 batch 2")
    spoilt = training(random_data(6), f"epochs 3 batch 2 measure {spoil}")
    left, right = trained(plain.events(plain.weights())), trained(spoilt.events(spoilt.weights()))
    close({loc: left.heap[loc] for loc in plain.locations}, {loc: right.heap[loc] for loc in plain.locations}, 0)
    assert right.measures[0][1] == (2.0, 2.0, 2.0)


def test_a_measure_of_one_sample_sees_its_own_changes() -> None:
    run = training(random_data(2), "measure let _ <= Put[b0]([1, 1, 1, 1]) in let b <= Get[b0]() in return sum(b)")
    assert trained(run.events(run.weights())).measures[0][1] == (4.0,)


@pytest.mark.filterwarnings("error")
def test_too_large_a_step_is_reported_once() -> None:
    text = f"""
loc w0 : Real(1, 1) = ones
{HANDLERS}
train rev handle (x) <u>. FC[w0](u) with sgd(100, t) for (x, t) in data("mine") epochs 400
  measure let y <= handle FC[w0](x) with infer in return dot(y - t, y - t)
"""
    run = elaborated(text, {"mine": {"x": np.array([1.0, 2.0]), "t": np.array([1.0, 1.0])}})
    events = run.events({run.locations[0]: np.zeros((1, 1))})
    told = [event for event in events if isinstance(event, Diverged)]
    assert [(event.locations, len(event.measures)) for event in told] == [((), 1), (("w0",), 0)]
    assert told[0].epoch < told[1].epoch < 400
    assert told[1].text == f"the content of w0 is no longer finite since epoch {told[1].epoch}; try a smaller step"
    assert "the measure `let y" in told[0].text
    assert reports(events)[-1].fraction == 1.0


def test_weights_that_grow_very_large_are_reported_once_with_the_epoch() -> None:
    text = f"""
loc w0 : Real(1, 2) = ones
{HANDLERS}
train rev handle (x) <u>. FC[w0](u) with sgd(1, t) for (x, t) in data("mine") epochs 12
"""
    run = elaborated(text, {"mine": {"x": np.array([[2.0, 0.0]]), "t": np.array([[0.0]])}})
    # Each step multiplies the first entry by 1 - 2 * 2.
    events = run.events({run.locations[0]: np.ones((1, 2))})
    (told,) = [event for event in events if isinstance(event, Grown)]
    assert (told.epoch, told.locations, told.start, told.now) == (9, ("w0",), 1.0, 3.0**9)
    assert told.text == "the largest entry of w0 was 1 at the start and is 1.97e+04 by epoch 9; try a smaller step"
    several = Grown(2, ("v", "w", "u"), 0.5, 1e6)
    assert several.text == (
        "the largest entry of v was 0.5 at the start and is 1e+06 by epoch 2 (w, u have grown, too); try a smaller step"
    )


@pytest.mark.parametrize("many", [16, loop.MANY])
def test_epochs_in_one_call_are_epochs_one_by_one(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    run = training(random_data(6), "epochs 60 batch 3 shuffle 5")
    calls: list[list[int]] = []
    change = batches.Batches.change

    def counted(self: batches.Batches, rows: Integers) -> None:
        calls[-1].append(len(rows))
        change(self, rows)

    monkeypatch.setattr(batches.Batches, "change", counted)
    monkeypatch.setattr(loop, "AT_ONCE", 1.0)
    found: list[Mapping[Location, Array]] = []
    for most in (0, many):
        monkeypatch.setattr(loop, "MANY", most)
        calls.append([])
        found.append(trained(run.events(run.weights())).heap)
    apart, together = calls
    assert sum(apart) == sum(together) == 120
    assert len(together) < 40 < len(apart)
    close(found[0], found[1], 0)


@pytest.mark.filterwarnings("error")
def test_epochs_in_one_call_tell_which_of_them_went_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"""
loc w0 : Real(1, 1) = ones
{HANDLERS}
train rev handle (x) <u>. FC[w0](u) with sgd(100, t) for (x, t) in data("mine") epochs 400
"""
    run = elaborated(text, {"mine": {"x": np.array([1.0, 2.0]), "t": np.array([1.0, 1.0])}})
    monkeypatch.setattr(loop, "AT_ONCE", 1.0)
    told: list[list[tuple[int, tuple[str, ...]]]] = []
    for most in (0, 16, loop.MANY):
        monkeypatch.setattr(loop, "MANY", most)
        events = run.events({run.locations[0]: np.zeros((1, 1))})
        told.append([(event.epoch, event.locations) for event in events if isinstance(event, Diverged)])
        fractions = [report.fraction for report in reports(events)]
        assert fractions == sorted(fractions)
    assert len(told[0]) == 1
    assert told[0] == told[1] == told[2]


def test_what_was_not_finite_before_is_not_reported() -> None:
    run = training(random_data(3), "epochs 2")
    heap = {location: np.full_like(array, np.nan) for location, array in run.weights().items()}
    assert not [event for event in run.events(heap) if isinstance(event, Diverged)]


def test_samples_of_another_type_are_rejected() -> None:
    run = training(random_data(3), "")
    x = np.zeros((3, 3))
    for arrays, found in (({"x": x}, "there is no such array"), ({"x": x, "t": np.zeros((3, 5))}, "Real(5)")):
        with pytest.raises(Rejected) as rejected:
            list(loop.train(run.run, data_set("mine", arrays), {}, run.weights()))
        (diagnostic,) = rejected.value.diagnostics
        assert diagnostic.code == "RH312"
        assert found in diagnostic.found


def test_xor_is_learnt() -> None:
    text = f"""{mlp(2, 8, 1)}
train rev handle (x) <u>. mlp(u) with sgd(0.5, t) for (x, t) in data("xor") epochs 500 batch 4 shuffle 0 measure {LOSS}
"""
    run = elaborated(text)
    curve = trained(run.events(run.weights(seed=1))).measures[0][1]
    assert curve[0] > 0.1
    assert curve[-1] < 0.01


def test_digits_are_learnt_within_seconds() -> None:
    pytest.importorskip("sklearn")
    text = f"""{mlp(64, 32, 10)}
train rev handle (x) <u>. mlp(u) with sgd(0.2, t)
  for (x, t) in data("digits.train") epochs 20 batch 32 shuffle 0
  measure let y <= handle mlp(x) with infer in return same_argmax(y, t) on data("digits.test")
"""
    run = elaborated(text)
    assert (run.data.size, run.sets["digits.test"].size) == (1437, 360)
    end = trained(run.events(run.weights()))
    assert end.measures[0][1][-1] >= 0.95
    assert end.seconds < 10


def test_the_heap_of_an_event_is_one_copy_and_the_last_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "SMALL", 0)
    monkeypatch.setattr(loop, "BETWEEN_EVENTS", 0.0)
    run = training(random_data(20), "epochs 200 batch 4")
    start = run.weights()
    told: list[dict[Location, Array]] = []
    for event in loop.train(run.run, run.data, run.sets, start):
        match event:
            case Progress() if event.fraction not in (0, 1):
                told.append(dict(event.heap))
            case Trained():
                close(event.heap, trained(run.events(start)).heap)
                for location in run.locations:
                    assert all(heap[location] is told[0][location] for heap in told)
                    assert not np.shares_memory(event.heap[location], told[0][location])
            case _:
                pass
    assert len(told) > 1


def test_of_what_a_run_worked_on_only_most_of_it_is_kept() -> None:
    """Large contents are not copied, and a small content does not keep a large one alive."""
    run = elaborated(
        """loc trunk : Real(50, 50) = zeros
loc head : Real(2) = zeros
train let w <= Get[trunk]() in let _ <= Put[trunk](w + fill[50, 50](1)) in let h <= Get[head]() in Put[head](h + x)
  for x in data("mine") epochs 1 batch 1
""",
        {"mine": {"x": np.ones((2, 2))}},
    )
    trunk, head = run.locations
    after = trained(run.events({trunk: np.zeros((50, 50)), head: np.zeros(2)})).heap
    np.testing.assert_array_equal(after[trunk], np.full((50, 50), 2.0))
    np.testing.assert_array_equal(after[head], [2.0, 2.0])
    assert after[trunk].base is not None
    assert after[head].base is None
    assert not np.shares_memory(after[trunk], after[head])
    assert not after[trunk].flags.writeable
    assert not after[head].flags.writeable


def test_contents_that_are_only_read_are_not_kept_alive_by_those_that_are_written() -> None:
    """Return the weights of a large frozen layer and a small trained one."""
    run = elaborated(
        """loc frozen : Real(50, 50) = zeros
loc count : Real(1) = zeros
train let w <= Get[frozen]() in let c <= Get[count]() in Put[count](c + dot(w @ x, x))
  for x in data("mine") epochs 1 batch 1
""",
        {"mine": {"x": np.ones((2, 50))}},
    )
    frozen, count = run.locations
    heap = {frozen: np.ones((50, 50)), count: np.zeros(1)}
    after = trained(run.events(heap)).heap
    assert after[frozen] is heap[frozen]
    assert after[count] == [5000.0]
    base = after[count].base
    assert base is None or base.nbytes < 50 * 50 * 8
