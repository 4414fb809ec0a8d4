"""Heights with a given order and minimal distances, as close as possible to the wanted ones."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.denotational.drawing.coordinates import nearest
from tests.tiers import law

CELLS = st.lists(st.tuples(st.floats(-50, 50), st.floats(0.1, 5), st.floats(0, 20)), min_size=1, max_size=8)
Cells = list[tuple[float, float, float]]


def error(found: list[float], cells: Cells) -> float:
    return sum(weight * (y - wanted) ** 2 for y, (wanted, weight, _) in zip(found, cells, strict=True))


def settled(cells: Cells) -> list[float]:
    return nearest([c[0] for c in cells], [c[1] for c in cells], [c[2] for c in cells])


@law(100)
@given(CELLS)
def test_each_is_far_enough_below_the_one_before(cells: Cells) -> None:
    for (above, below), (_, _, gap) in zip(pairwise(settled(cells)), cells[1:], strict=True):
        assert below - above >= gap - 1e-9


@law(100)
@given(CELLS)
def test_what_fits_stays_where_it_is(cells: Cells) -> None:
    y = 0.0
    fitting: Cells = []
    for wanted, weight, gap in cells:
        y += gap + abs(wanted)
        fitting.append((y, weight, gap))
    assert max(abs(found - wanted) for found, (wanted, _, _) in zip(settled(fitting), fitting, strict=True)) < 1e-9


@law(100)
@given(CELLS, st.data())
def test_no_other_heights_are_nearer(cells: Cells, data: st.DataObject) -> None:
    found = settled(cells)
    least = error(found, cells)
    other = [found[0] + data.draw(st.floats(-5, 5))]
    for _, _, gap in cells[1:]:
        other.append(max(other[-1] + gap, found[len(other)] + data.draw(st.floats(-5, 5))))
    assert error(other, cells) >= least - 1e-6
