"""Contents that are updated together hold what they would hold if they were updated one by one."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rh_kernel.arrays.numpy_backend import joint_updates
from rh_kernel.arrays.numpy_backend.backend import NumPy, NumPyRunner
from rh_kernel.arrays.numpy_backend.joint_updates import rows, updates
from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Content, Contract, Instruction, Kept, Map, Plan, Scratch, Step, Store, View
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from tests.arrays.plans import ByDefinition
from tests.tiers import law

SHAPES = ((3, 2), (1, 3), (2, 2), (1, 1))
SIDE = 3
"""The factors of all products are parts of one array of so many rows and columns."""


def location(i: int) -> Location:
    """w0, w1, …"""
    return Location(f"w{i}", tuple([dim(n) for n in SHAPES[i]]))


def product(i: int, scale: float, *, turned: bool = False) -> Contract:
    """``wᵢ += scale · x y``, or with the content's axes in the other order, for parts x and y of a kept array."""
    m, n = SHAPES[i]
    k = len(SHAPES)
    extents, z, x, y = (m, n, 2), (n, 1, 0), (SIDE, 0, 1), (0, 1, SIDE)
    if turned:
        extents, z, x, y = (n, m, 2), (1, n, 0), (1, 0, SIDE), (0, SIDE, 1)
    return Contract(extents, View(i, 0, extents, z), View(k, 0, extents, x), View(k, 0, extents, y), scale, accumulate=True)


def copied(i: int) -> Map:
    """What wᵢ holds, to a scratch buffer."""
    size = (SHAPES[i][0] * SHAPES[i][1],)
    return Map(size, (View(i, 0, size, (1,)),), (), (Store(View(len(SHAPES) + 1, 0, size, (1,)), 0),))


def doubled(i: int) -> Map:
    """``wᵢ ← wᵢ + wᵢ``"""
    size = (SHAPES[i][0] * SHAPES[i][1],)
    view = View(i, 0, size, (1,))
    return Map(size, (view,), (Instruction(scalars.ADD, (0, 0)),), (Store(view, 1),))


def plan(steps: tuple[Step, ...]) -> Plan:
    """The steps on four contents, a kept array, and six entries of scratch that are the result."""
    contents = tuple([Content(location(i), m * n) for i, (m, n) in enumerate(SHAPES)])
    kept = Kept(np.linspace(-1.0, 2.0, SIDE * SIDE))
    k = len(SHAPES)
    result = View(k + 1, 0, (6,), (1,))
    first = Map((6,), (View(k, 0, (6,), (1,)),), (), (Store(result, 0),))
    return Plan("float64", None, (), (*contents, kept, Scratch(0, 6)), 6, (first, *steps), result, ())


def heap() -> dict[Location, Array]:
    """Some contents."""
    return {location(i): np.arange(m * n, dtype=float).reshape(m, n) - i for i, (m, n) in enumerate(SHAPES)}


which = st.integers(0, len(SHAPES) - 1)
steps = st.one_of(
    st.builds(product, which, st.sampled_from([1.0, -1.0, -0.5, 0.25]), turned=st.booleans()),
    st.builds(copied, which),
    st.builds(doubled, which),
)


@law(300)
@given(st.lists(steps, max_size=8), st.sampled_from([1, 4, 1024]))
def test_together_is_one_by_one(drawn: list[Step], small: int) -> None:
    made = plan(tuple(drawn))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_updates, "SMALL", small)
        memory = NumPy().memory(heap(), "float64")
        runner = NumPy().runner(made, memory)
    expected = {place: array.copy() for place, array in heap().items()}
    reference = ByDefinition(made, expected)
    for _ in range(2):
        runner.step()
        reference.step()
    np.testing.assert_allclose(np.asarray(runner.result()), reference.result(), rtol=1e-12, atol=1e-12)
    for place, array in memory.items():
        np.testing.assert_allclose(array, expected[place], rtol=1e-12, atol=1e-12)


@law(100)
@given(st.lists(steps, max_size=8))
@example([product(0, -0.5), product(1, -0.5)])
def test_pieces_tell_all_that_they_write(drawn: list[Step]) -> None:
    """A piece may be run once more, after what it writes is put back."""
    made = plan(tuple(drawn))
    memory = NumPy().memory(heap(), "float64")
    runner = NumPy().runner(made, memory)
    for calls, written in runner.pieces():
        before = [array.copy() for array in written]
        for call in calls:
            call()
        for array, content in zip(written, before, strict=True):
            array[...] = content
        for call in calls:
            call()
    once = NumPy().memory(heap(), "float64")
    NumPy().runner(made, once).step()
    for place, array in memory.items():
        np.testing.assert_array_equal(array, once[place])


def test_three_updates_are_one_sum() -> None:
    """The products are made apart; what is added comes last, and is one call."""
    made = plan((product(0, -1.0), product(1, -1.0, turned=True), product(2, -1.0)))
    memory = NumPy().memory(heap(), "float64")
    ((row, held),) = rows(made, memory)
    assert [update.buffer for update in row] == [0, 1, 2]
    assert held.size == 6 + 3 + 4
    assert calls_of(NumPy().runner(made, memory)) == [1, 1, 1, 2]


def test_a_scale_is_a_factor_of_all_products_at_once() -> None:
    made = plan((product(0, -0.5), product(1, -0.5)))
    assert calls_of(NumPy().runner(made, NumPy().memory(heap(), "float64"))) == [1, 1, 3]


@pytest.mark.parametrize("after", [copied(0), doubled(0), product(0, 1.0)])
def test_what_is_looked_at_afterwards_is_updated_at_once(after: Step) -> None:
    made = plan((product(0, 1.0), after))
    assert 1 not in [update.step for update in updates(made)]


def test_contents_apart_from_each_other_are_updated_one_by_one() -> None:
    made = plan((product(0, 1.0), product(2, 1.0)))
    assert rows(made, NumPy().memory(heap(), "float64")) == []
    assert rows(made, {place: array.copy() for place, array in heap().items()}) == []


def calls_of(runner: NumPyRunner) -> list[int]:
    """How many calls each step is."""
    return [len(calls) for calls, _ in runner.pieces()]
