"""Axes and schedules: fewer axes address the same entries, and tiles fit into the registers."""

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.native.axes import Axis, axes, entangled, reach
from rh_kernel.arrays.native.contractions import contract_kernel
from rh_kernel.arrays.native.schedule import OUT, Form, Machine, canonical, schedule, split, widths
from rh_kernel.arrays.native.tiles import columns_of
from rh_kernel.loops.ir import Contract, View

extents = st.lists(st.integers(1, 4), max_size=4).map(tuple)
machines = st.builds(Machine, st.sampled_from((2, 4, 8, 16)), st.sampled_from((16, 32)), st.booleans())


@st.composite
def views(draw: st.DrawFn, count: int) -> list[View]:
    """Views of one shape, with small strides."""
    shape = draw(extents)
    strides = st.tuples(*[st.integers(-6, 6) for _ in shape])
    return [View(i, draw(st.integers(0, 5)), shape, draw(strides)) for i in range(count)]


def entries(found: tuple[Axis, ...]) -> "Counter[tuple[int, ...]]":
    """How often each combination of entries of the views is met, counted from their first ones."""
    met: Counter[tuple[int, ...]] = Counter()
    for index in product(*[range(axis.extent) for axis in found]):
        count = len(found[0].strides) if found else 0
        met[tuple([sum(i * axis.strides[v] for i, axis in zip(index, found, strict=True)) for v in range(count)])] += 1
    return met


@given(views(3))
def test_fewer_axes_meet_the_same_entries(drawn: list[View]) -> None:
    shape = drawn[0].shape
    plain = tuple([Axis(n, tuple([view.strides[i] for view in drawn])) for i, n in enumerate(shape)])
    found = axes(shape, drawn)
    assert len(found) <= len(shape)
    assert all(axis.extent > 1 for axis in found)
    if found:
        assert entries(found) == entries(plain)


@given(views(1))
def test_along_axes_that_are_not_entangled_no_entry_is_met_twice(drawn: list[View]) -> None:
    found = axes(drawn[0].shape, drawn)
    clash = entangled(found, 0)
    rest = [axis for axis in found if axis.strides[0]]
    for axis in clash:
        rest.remove(axis)
    assert set(entries(tuple(rest)).values()) <= {1}


@given(views(1))
def test_a_view_lies_within_its_reach(drawn: list[View]) -> None:
    (view,) = drawn
    plain = tuple([Axis(n, (view.strides[i],)) for i, n in enumerate(view.shape)])
    found = [view.offset + sum(entry) for entry in entries(plain)]
    assert (min(found), max(found)) == (reach(view).low, reach(view).high)


@given(st.integers(1, 200), machines)
def test_vectors_cover_an_axis(extent: int, machine: Machine) -> None:
    columns = columns_of(extent, machine, machine.lanes)
    assert [c.start for c in columns] == [sum(widths(extent, machine, machine.lanes)[:i]) for i in range(len(columns))]
    assert columns[-1].start + columns[-1].width == extent
    assert all(1 <= c.width <= machine.lanes for c in columns)


@given(views(3), machines)
def test_the_tiles_of_a_schedule_fit_and_its_loops_are_those_of_the_sum(drawn: list[View], machine: Machine) -> None:
    step = Contract(drawn[0].shape, drawn[0], drawn[1], drawn[2])
    found = canonical(step)
    s = schedule(found, machine)
    assert s.rows * s.columns < machine.registers
    loops = [*s.outer, *s.sums, s.vector, s.first, s.second]
    assert Counter(axis for axis in loops if axis.extent > 1) == Counter(found)
    assert all(axis.strides[OUT] == 0 for axis in s.sums)
    assert s.form is Form.LANES or s.vector.strides[OUT] == 0
    lines, workspace = contract_kernel(step, machine)
    assert (workspace > 0) == (s.packed is not None or s.packed_rows is not None)
    assert "\n".join(lines).count("{") == "\n".join(lines).count("}")


@given(st.integers(1, 64), st.integers(1, 1000))
def test_sums_are_split_only_where_there_are_terms(sums: int, terms: int) -> None:
    assert 1 <= split(sums, terms) <= max(1, terms // 2)
