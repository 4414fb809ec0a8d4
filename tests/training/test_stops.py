"""A run stops after the batches that are asked for, with the heap of that moment, and goes on as if it had not stopped."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.events import Reached, Trained
from rh_kernel.training.loop import train
from rh_kernel.training.stops import BatchCount
from tests.training.programs import Run, close, elaborated, mlp

GIVEN = {"points": {"x": np.random.default_rng(0).normal(size=(7, 2)), "t": np.random.default_rng(1).normal(size=(7, 1))}}


@dataclass
class At:
    """Stops at these numbers of batches, in order."""

    left: list[int]
    reached: list[tuple[int, int, list[int], dict[Location, Array]]] = field(default_factory=list)

    @property
    def due(self) -> int:
        return self.left[0] if self.left else -1

    def handle(self, event: Reached) -> None:
        self.left.pop(0)
        heap = {location: np.array(content) for location, content in event.heap.items()}
        self.reached.append((event.batch, event.epoch, event.samples.tolist(), heap))


def program(options: str) -> Run:
    text = f'{mlp(2, 3, 1)}\ntrain rev handle (x) <u>. mlp(u) with sgd(0.1, t)\n  for (x, t) in data("points") {options}'
    return elaborated(text, GIVEN)


def run_to_end(run: Run, stops: At | None) -> Trained:
    for event in train(run.run, run.data, {}, run.weights(), stops=stops):
        if isinstance(event, Reached):
            assert stops is not None
            stops.handle(event)
        if isinstance(event, Trained):
            return event
    raise AssertionError


@pytest.mark.parametrize(
    ("options", "batches"),
    [
        ("epochs 4 batch 2", 16),
        ("epochs 4 batch 2 shuffle 3", 16),
        ("epochs 30 batch 7", 30),
        ("epochs 2 batch 9", 2),
        ("epochs 3", 21),
    ],
)
def test_it_stops_where_it_is_asked_to_with_the_heap_of_that_moment(options: str, batches: int) -> None:
    run, stops = program(options), At([*range(batches + 1)])
    end = run_to_end(run, stops)
    assert [batch for batch, *_ in stops.reached] == [*range(batches + 1)]
    plain = run_to_end(run, None)
    for location, content in plain.heap.items():
        assert np.array_equal(end.heap[location], content)
        assert np.array_equal(stops.reached[-1][-1][location], content)
    for location, content in run.weights().items():
        assert np.array_equal(stops.reached[0][-1][location], content)
    each = batches // run.run.epochs
    for batch, epoch, samples, _ in stops.reached[:-1]:
        assert epoch == batch // each
        assert 0 < len(samples) <= run.run.batch
    for first in range(0, batches, each):
        whole = [i for _, _, samples, _ in stops.reached[first : first + each] for i in samples]
        assert sorted(whole) == [*range(7)]
    one_epoch = program(options.replace(f"epochs {run.run.epochs}", "epochs 1"))
    close(run_to_end(one_epoch, None).heap, stops.reached[each][-1])


@given(st.sets(st.integers(0, 40), min_size=1))
def test_any_set_of_stops_is_reached(wanted: set[int]) -> None:
    stops = At(sorted(wanted))
    run_to_end(program("epochs 10 batch 2"), stops)
    assert [batch for batch, *_ in stops.reached] == sorted(wanted)


@given(st.lists(st.integers(0, 1000), max_size=5), st.integers(0, 1000), st.integers(1, 50))
def test_no_call_goes_beyond_a_stop(due: Sequence[int], done: int, batches: int) -> None:
    count = BatchCount(At(sorted(due)))
    count.done = done
    assert 1 <= count.at_most(batches) <= batches
    first = min(due, default=-1)
    if done < first:
        assert done + count.at_most(batches) <= first
        epochs = count.at_most_epochs(9, batches)
        assert epochs == 1 or done + epochs * batches <= first
    assert BatchCount(None).at_most(batches) == batches
