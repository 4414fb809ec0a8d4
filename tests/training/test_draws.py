"""Draws in a training run (LANGUAGE §9): each sample has its own, by its number and that of the epoch."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.native.accelerated import Accelerated
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.loops.ir import Precision
from rh_kernel.primitives.draws import count
from rh_kernel.syntax.builtin import DRAWS, SEED
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training import batches, draws
from rh_kernel.training.events import Trained
from rh_kernel.training.loop import train
from tests.tiers import law
from tests.training.programs import HANDLERS, Run, close, elaborated, trained
from tests.training.test_loop import random_data

NET = """
loc w : Real(2, 3) = zeros
net noisy(x : Real(3)) : Real(2) =
  let u <= Uniform[3]() in let e <= repeat i < ROUNDS from s = u do let a <= Normal[3]() in return 0.1 * a + s in FC[w](x * e)
"""
PASS = "rev handle (x) <u>. noisy(u) with sgd(0.1, t)"


def noisy(size: int, options: str, rounds: int = 1) -> Run:
    declared = HANDLERS + NET.replace("ROUNDS", str(rounds))
    return elaborated(f'{declared}\ntrain {PASS} for (x, t) in data("mine") {options}', random_data(size))


def finished(run: Run, seed: int = 0, precision: Precision = "float64", backend: Backend | None = None) -> Trained:
    heap = {**run.weights(), SEED: count(seed), DRAWS: count(17)}
    return trained([*train(run.run, run.data, run.sets, heap, precision=precision, backend=backend)])


def by_hand(run: Run, seed: int, batch: int, orders: list[list[int]], rounds: int = 1) -> Array:
    """The weights after these samples, with the numbers of the contract."""
    (w,) = run.weights().values()
    x, t = run.data.arrays["x"], run.data.arrays["t"]
    for epoch, order in enumerate(orders):
        for start in range(0, len(order), batch):
            rows, change = order[start : start + batch], np.zeros_like(w)
            for i in rows:
                uniform, *normal = [
                    np.random.Generator(np.random.Philox(key=[seed, 0], counter=[0, d, i, epoch])) for d in range(1 + rounds)
                ]
                z = x[i] * (uniform.random(3) + sum([0.1 * g.standard_normal(3) for g in normal]))
                change -= np.outer(0.1 * (w @ z - t[i]), z)
            w = w + change / len(rows)
    return w


def weights(heap: Mapping[Location, Array]) -> Array:
    (w,) = [array for location, array in heap.items() if location.name == "w"]
    return w


@law(12)
@given(st.integers(1, 7), st.integers(1, 8), st.integers(1, 3), st.integers(0, 3), st.sampled_from([1, 20]))
def test_a_sample_has_the_numbers_of_the_contract(size: int, batch: int, epochs: int, seed: int, rounds: int) -> None:
    """In any order of the samples: shuffled, batches take other samples, but a sample draws the same."""
    run = noisy(size, f"epochs {epochs} batch {batch} shuffle {seed}", rounds)
    rng = np.random.default_rng(seed)
    orders = [[*map(int, rng.permutation(size))] for _ in range(epochs)]
    np.testing.assert_allclose(weights(finished(run, seed).heap), by_hand(run, seed, batch, orders, rounds), 1e-12, 1e-12)


def test_training_does_not_change_the_number_of_draws() -> None:
    heap = finished(noisy(3, "epochs 2"), seed=5).heap
    assert [heap[DRAWS].item(), heap[SEED].item()] == [17, 5]


@law(8)
@given(st.integers(2, 9), st.integers(2, 4))
def test_pieces_and_chunks_draw_the_same(size: int, pieces: int) -> None:
    whole = finished(noisy(size, f"epochs 2 batch {size}"))
    parts = finished(noisy(size, f"epochs 2 batch {size} pieces {pieces}"))
    close(parts.heap, whole.heap)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "LARGEST", 30)
        patch.setattr(draws, "CHUNK", 30)
        close(finished(noisy(size, f"epochs 2 batch {size}")).heap, whole.heap)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_the_back_ends_draw_the_same(precision: Precision) -> None:
    run = noisy(6, "epochs 3 batch 2", rounds=20)
    here, native = (finished(run, 2, precision, backend) for backend in (NumPy(), Accelerated()))
    close(native.heap, here.heap, 1e-12 if precision == "float64" else 1e-5)
    np.testing.assert_allclose(weights(here.heap), weights(finished(run, 2).heap), rtol=1e-4)


def test_a_measure_draws_for_its_own_data() -> None:
    """After epoch e, counted from 0, with the numbers of epoch e."""
    options = 'epochs 3 measure let u <= Uniform() in return dot(x, x) * u on data("mine")'
    run = noisy(4, options)
    ((_, curve),) = finished(run, 3).measures
    x = run.data.arrays["x"]
    for epoch, found in enumerate(curve):
        u = [np.random.Generator(np.random.Philox(key=[3, 0], counter=[0, 0, i, epoch])).random(1)[0] for i in range(4)]
        np.testing.assert_allclose(found, np.mean([(row @ row) * v for row, v in zip(x, u, strict=True)]), rtol=1e-12)
