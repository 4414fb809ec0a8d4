"""The steps of a plan as one reads them, and what is counted of them."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.arrays.planning.counting import entries, moved, operations
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.listing import line
from rh_kernel.arrays.planning.notation import Notation
from rh_kernel.arrays.program import Extent
from rh_kernel.loops.ir import Contract, Kept, Map, Plan, Reduce, Step
from tests.arrays.plans import ByDefinition, places, plans
from tests.arrays.readers import Reader

LONGEST = 600
"""Loops over more indices take long here."""


def rounded(plan: Plan) -> Plan:
    """The plan with few digits in its numbers, as many as are shown."""
    kept = [replace(b, array=np.round(b.array, 2)) if isinstance(b, Kept) else b for b in plan.buffers]
    return replace(plan, buffers=tuple(kept), precision="float64")


def shape(step: Step) -> Extent:
    """How often the step does what it does, along each axis."""
    match step:
        case Map(extents) | Contract(extents):
            return extents
        case Reduce(_, _, x):
            return x.shape
        case _:
            raise AssertionError(step)


def as_it_reads(plan: Plan) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The buffers after the steps, as their texts say."""
    notation = Notation(plan.buffers, plan.steps)
    arrays = [np.array(b.array) for b in plan.buffers if isinstance(b, Kept)]
    reader = Reader({notation.name(i): array for i, array in enumerate(arrays)})
    with np.errstate(all="ignore"):
        for step in plan.steps:
            text = line(step, notation).text
            match step:
                case Map():
                    reader.loop(text, shape(step))
                case Contract():
                    reader.product(text, shape(step))
                case _:
                    reader.fold(text, shape(step))
    return arrays


@pytest.mark.parametrize("kind", ["map", "contraction", "product", "reduction"])
@given(st.data())
def test_a_step_does_what_its_text_says(kind: str, data: st.DataObject) -> None:
    plan = rounded(data.draw(plans(kind, most=2)))
    assume(all(prod(shape(step)) <= LONGEST for step in plan.steps))
    expected = ByDefinition(plan, {})
    expected.step()
    for found, there in zip(as_it_reads(plan), expected.result(), strict=True):
        np.testing.assert_allclose(found, there, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["map", "contraction", "product", "reduction", "gather"])
@given(st.data())
def test_no_place_is_counted_twice_and_none_is_left_out(kind: str, data: st.DataObject) -> None:
    for step in data.draw(plans(kind)).steps:
        for view in (*reads(step), *writes(step)):
            if prod(view.shape) <= LONGEST:
                assert np.unique(places(view)).size <= entries(view) <= prod(view.shape)
        assert moved(step) <= sum(entries(view) for view in (*reads(step), *writes(step)))


@given(plans("product", most=1))
def test_a_product_of_matrices_counts_two_for_each_addend(plan: Plan) -> None:
    (step,) = plan.steps
    assert isinstance(step, Contract)
    alone = prod(n for n, stride in zip(step.extents, step.output.strides, strict=True) if stride)
    m = prod(step.extents)
    assert operations(step) == (2 * m if step.accumulate or m > alone else m)


@given(st.sampled_from(["map", "contraction", "reduction", "gather"]).flatmap(plans))
def test_what_is_counted_of_a_line_is_what_is_counted_of_its_step(plan: Plan) -> None:
    notation = Notation(plan.buffers, plan.steps)

    def counted(step: Step) -> tuple[int, int]:
        made = line(step, notation)
        return made.operations, made.moved

    assert [counted(step) for step in plan.steps] == [(operations(step), moved(step)) for step in plan.steps]
