"""``batch b pieces p`` (LANGUAGE §9): a batch as p pieces of ``np.array_split``, whose results are added in their order."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays import costs
from rh_kernel.arrays.backend import Runner
from rh_kernel.arrays.execution import Machine
from rh_kernel.loops.ir import Precision
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training import batches
from rh_kernel.training.loop import train
from tests.tiers import law
from tests.training.programs import Run, close, elaborated, mlp, trained
from tests.training.test_loop import random_data, training


def after(run: Run, seed: int = 0, precision: Precision = "float64") -> Mapping[Location, Array]:
    events = [*train(run.run, run.data, run.sets, run.weights(seed), precision=precision)]
    return trained(events).heap


def same(left: Mapping[Location, Array], right: Mapping[Location, Array]) -> None:
    """Assert that two heaps are equal to the bit."""
    assert left.keys() == right.keys()
    assert {at.name for at in left if left[at].tobytes() != right[at].tobytes()} == set()


def nets(n_in: int, hidden: int, n_out: int, size: int, options: str, seed: int) -> Run:
    rng = np.random.default_rng(seed)
    data = {"mine": {"x": rng.normal(size=(size, n_in)), "t": rng.normal(size=(size, n_out))}}
    return training(data, options, mlp(n_in, hidden, n_out))


@law(25)
@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 3), st.integers(0, 5))
def test_one_piece_is_the_batch(size: int, batch: int, epochs: int, seed: int) -> None:
    options = f"epochs {epochs} batch {batch} shuffle {seed}"
    same(after(training(random_data(size), f"{options} pieces 1"), seed), after(training(random_data(size), options), seed))


@law(40)
@given(
    st.integers(1, 5),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(1, 20),
    st.integers(1, 24),
    st.integers(1, 30),
    st.integers(0, 99),
)
def test_pieces_add_up_to_the_batch(n_in: int, hidden: int, n_out: int, size: int, batch: int, pieces: int, seed: int) -> None:
    options = f"epochs 3 batch {batch} shuffle {seed}"
    whole = nets(n_in, hidden, n_out, size, options, seed)
    cut = nets(n_in, hidden, n_out, size, f"{options} pieces {pieces}", seed)
    close(after(cut, seed), after(whole, seed))


@law(15)
@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 5))
def test_the_results_are_added_in_the_order_of_the_pieces(
    monkeypatch: pytest.MonkeyPatch, batch: int, pieces: int, seed: int
) -> None:
    """The definition, computed from runs on one piece alone, which are planned as pieces are."""
    monkeypatch.setattr(costs, "MAX_INTERPRETED_RUNS", 0)
    run = training(random_data(batch, seed), f"batch {batch} pieces {pieces}")
    heap = run.weights(seed)
    data = run.data.arrays
    total: dict[Location, Array] = {}
    for rows in np.array_split(np.arange(batch), pieces):
        if len(rows):
            alone = training({"mine": {name: array[rows] for name, array in data.items()}}, f"batch {len(rows)}")
            for location, array in after(alone, seed).items():
                total[location] = total[location] + len(rows) * array if location in total else len(rows) * array
    found = after(run, seed)
    same(found, {location: total[location] / batch for location in heap})


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_batch_smaller_than_the_number_of_pieces_has_as_many_as_samples(
    monkeypatch: pytest.MonkeyPatch, precision: Precision
) -> None:
    taken: list[int] = []
    runner = Machine.runner

    def counted(machine: Machine, samples: int | None = None) -> Runner:
        taken.append(samples or 0)
        return runner(machine, samples)

    monkeypatch.setattr(Machine, "runner", counted)
    after(training(random_data(7), "batch 5 pieces 4"), precision=precision)
    assert taken == [2, 1, 1, 1, 1, 1]


def test_a_change_that_no_sample_decides_is_made_once_a_batch() -> None:
    text = """
loc count : Real = zeros
loc sum : Real = zeros
train let n <= Get[count]() in let _ <= Put[count](n + 1) in
  let s <= Get[sum]() in Put[sum](s + dot(tanh(x), sin(x))) for x in data("mine") epochs 50 batch 7 pieces 3
"""
    run = elaborated(text, {"mine": {"x": np.ones((7, 9))}})
    count, total = run.locations
    heap = {count: np.zeros(1), total: np.zeros(1)}
    events = [*train(run.run, run.data, run.sets, heap)]
    assert trained(events).heap[count] == [50.0]


@pytest.mark.parametrize("limit", [1, 40])
def test_a_large_piece_is_computed_in_chunks(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    whole = after(training(random_data(13), "epochs 2 batch 9", mlp(3, 1, 2)))
    monkeypatch.setattr(batches, "LARGEST", limit)
    close(after(training(random_data(13), "epochs 2 batch 9 pieces 2", mlp(3, 1, 2))), whole)


def test_a_piece_needs_less_memory_than_its_batch() -> None:
    """The bound of a cell holds for what is computed at a time."""

    def reals(options: str, bound: int) -> None:
        run = training(random_data(64), options)
        for _ in train(run.run, run.data, run.sets, run.weights(), bound):
            pass

    with pytest.raises(Stuck):
        reals("batch 64", 600)
    reals("batch 64 pieces 16", 600)
