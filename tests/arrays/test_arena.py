"""Contents as parts of one array: where they lie, and that a copy is a copy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.arena import ALIGNMENT, LINE, Contents, Layout, address, contents_of
from rh_kernel.session.evaluate import read_only
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

shapes = st.lists(st.lists(st.integers(0, 5), max_size=3).map(tuple), max_size=6)
PRECISIONS = ("float32", "float64")


def heap_of(found: list[tuple[int, ...]]) -> dict[Location, Array]:
    rng = np.random.default_rng(0)
    return {Location(f"w{i}", ()): rng.normal(size=shape) for i, shape in enumerate(found)}


@given(shapes, st.integers(0, 40), st.sampled_from(PRECISIONS))
def test_contents_are_what_was_given_and_none_overlap(found: list[tuple[int, ...]], small: int, precision: str) -> None:
    heap = heap_of(found)
    made = contents_of(heap, precision, small)
    assert list(made) == list(heap)
    taken: set[int] = set()
    for location, content in heap.items():
        np.testing.assert_array_equal(made[location], content.astype(precision))
        assert made[location].shape == content.shape
        here = range(made.start(location), made.start(location) + content.size)
        assert not taken & set(here)
        taken |= set(here)
        if content.size > small:
            assert made.start(location) % LINE == 0
    assert taken <= set(range(made.whole.size))
    assert not made.whole.size or address(made.whole) % ALIGNMENT == 0


@given(shapes, st.integers(0, 40))
def test_the_small_ones_lie_side_by_side(found: list[tuple[int, ...]], small: int) -> None:
    layout = Layout({Location(f"w{i}", ()): shape for i, shape in enumerate(found)}, small)
    at = 0
    for location, part, shape in layout.parts():
        if np.prod(shape) <= small:
            assert layout.starts[location] == part.start == at
            at = part.stop


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_copy_is_new_or_the_one_before_and_in_double_precision(precision: str) -> None:
    heap = heap_of([(2, 3), (40,), ()])
    made = contents_of(heap, precision, 4)
    first = made.fetch()
    for location in heap:
        made[location][...] += 1
        assert first[location].dtype == np.float64
        np.testing.assert_allclose(first[location] + 1, made[location], rtol=1e-6)
    assert made.fetch(first) is first
    for location in heap:
        np.testing.assert_array_equal(first[location], made[location])
        assert not np.shares_memory(first[location], made[location])


def test_what_is_closed_can_not_be_written_and_is_frozen_as_it_is() -> None:
    heap = heap_of([(2, 3), (4,)])
    made = contents_of(heap, "float64")
    parts = list(made.values())
    assert all(read_only(part) is not part for part in parts)
    made.close()
    assert all(read_only(part) is part for part in parts)
    with pytest.raises(ValueError, match="read-only"):
        parts[0][...] = 0
    with pytest.raises(ValueError, match="read-only"):
        made.whole[...] = 0


def test_a_part_of_what_somebody_may_write_on_is_copied() -> None:
    whole = np.zeros(5)
    part = whole[1:3]
    part.setflags(write=False)
    kept = read_only(part)
    whole[...] = 1
    assert kept.tolist() == [0, 0]


def test_nothing_is_a_memory_too() -> None:
    made = Contents(Layout({}), np.dtype("float64"))
    assert len(made) == len(made.fetch()) == 0
