"""The primitives of tensors: adjoint pairs, inverses, and shapes that do not agree."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff.machine import tensors
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.machine.tensors import Array, Misfit
from rh_kernel.ad.eff.machine.values import list_value, listed, text
from rh_kernel.source.diagnostic import Stuck

SEEDS = st.integers(0, 10**6)


@st.composite
def shapes(draw: st.DrawFn, least: int = 1) -> tuple[int, ...]:
    """One to three axes; some of them may be empty."""
    return tuple(draw(st.lists(st.integers(0 if least == 1 else 1, 4), min_size=least, max_size=3)))


def drawn(seed: int, sizes: tuple[int, ...]) -> Array:
    return tensors.normal(seed, sizes)


def inner(t: Array, u: Array) -> float:
    """``⟨t, u⟩``, of tensors of the same shape"""
    assert t.shape == u.shape
    return float((t * u).sum())


@given(shapes(), SEEDS, st.integers(0, 3), st.data())
def test_a_sum_over_an_axis_is_adjoint_to_repetition(sizes: tuple[int, ...], seed: int, n: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(sizes)))
    t, u = drawn(seed, sizes), drawn(seed + 1, (*sizes[:axis], n, *sizes[axis:]))
    assert inner(tensors.repeat(axis, n, t), u) == pytest.approx(inner(t, tensors.over_axis(axis, u)))


@given(shapes(), SEEDS, st.data())
def test_taking_a_part_is_adjoint_to_placing_it_in_zeros(sizes: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(sizes) - 1))
    end = data.draw(st.integers(0, sizes[axis]))
    start = data.draw(st.integers(0, end))
    t = drawn(seed, sizes)
    taken = tensors.part(axis, start, end, t)
    u = drawn(seed + 1, taken.shape)
    assert inner(taken, u) == pytest.approx(inner(t, tensors.place(axis, start, tensors.zeros(sizes), u)))
    assert np.array_equal(tensors.place(axis, start, t, taken), t)


@given(shapes(), SEEDS, st.data())
def test_concatenation_inverts_split(sizes: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(sizes) - 1))
    cuts = sorted(data.draw(st.lists(st.integers(0, sizes[axis]), max_size=3)))
    widths = [b - a for a, b in zip([0, *cuts], [*cuts, sizes[axis]], strict=True)]
    t = drawn(seed, sizes)
    parts = tensors.split(axis, widths, t)
    assert [part.shape[axis] for part in parts] == widths
    assert np.array_equal(tensors.concatenate(axis, parts), t)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), SEEDS)
def test_the_product_is_adjoint_to_products_with_the_transpose(stacked: int, i: int, j: int, k: int, seed: int) -> None:
    t, u, d = drawn(seed, (stacked, i, j)), drawn(seed + 1, (stacked, j, k)), drawn(seed + 2, (stacked, i, k))
    there = inner(tensors.product(t, u), d)
    assert there == pytest.approx(inner(t, tensors.product(d, tensors.transpose([0, 2, 1], u))))
    assert there == pytest.approx(inner(u, tensors.product(tensors.transpose([0, 2, 1], t), d)))


@given(shapes(2), SEEDS, st.data())
def test_softmax_is_what_log_sum_exp_leaves_out(sizes: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(sizes) - 1))
    t = tensors.scale(300.0, drawn(seed, sizes))
    left = np.log(tensors.softmax(axis, t), where=tensors.softmax(axis, t) > 0, out=np.full(sizes, -np.inf))
    expected = t - np.expand_dims(tensors.log_sum_exp(axis, t), axis)
    assert np.allclose(left[left > -700], expected[left > -700])


def call(name: str, *arguments: object) -> Any:
    """``g V…`` by the table of built-in functions"""
    return BUILT_INS[name].function(*arguments)


@given(shapes(), SEEDS)
def test_tensors_are_immutable(sizes: tuple[int, ...], seed: int) -> None:
    t = call("tensor_normal", seed, list_value(sizes))
    made: list[Tensor] = [
        t,
        call("tensor_repeat", 0, 2, t),
        call("tensor_part", 0, 0, sizes[0], t),
        call("tensor_transpose", list_value(range(len(sizes))), t),
        call("tensor_reshape", list_value([math.prod(sizes)]), t),
        call("tensor_power", 1.0, t),
        call("tensor_filled", list_value(sizes), 2.0),
        call("tensor_place", 0, 0, t, t),
        *listed(call("tensor_split", 0, list_value([sizes[0]]), t)),
    ]
    assert not any(u.array.flags.writeable for u in made)


def test_the_array_of_a_tensor_stays_writeable_for_its_owner() -> None:
    mine = np.ones(2)
    Tensor(mine)
    mine[0] = 2


def test_tensors_with_the_same_entries_are_equal() -> None:
    t = Tensor([[1.0, math.nan]])
    assert t == Tensor([[1.0, math.nan]])
    assert hash(t) == hash(Tensor([[1.0, math.nan]]))
    assert t != Tensor([1.0, math.nan])
    assert t != Tensor([[1.0, 2.0]])
    assert t != 1.0


def test_lists_are_arguments_and_results() -> None:
    t = call("tensor", list_value([1.0, 2.0, 3.0]))
    assert listed(call("tensor_entries", t)) == [1.0, 2.0, 3.0]
    assert listed(call("tensor_shape", call("tensor_stack", 0, list_value([t, t])))) == [2, 3]
    assert call("tensor_total", t) == 6.0


def test_a_misfit_is_a_diagnostic_that_names_the_function() -> None:
    with pytest.raises(Stuck) as stuck:
        call("tensor_plus", Tensor([1.0]), Tensor([1.0, 2.0]))
    (diagnostic,) = stuck.value.diagnostics
    assert diagnostic.code == "RH540"
    assert diagnostic.message == "tensor_plus: 1 and 2 are not the same"


A, B = tensors.zeros([2, 3]), tensors.zeros([3])


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (lambda: tensors.plus(A, B), "2 × 3 and 3 are not the same"),
        (lambda: tensors.plus(B, tensors.zeros([1])), "3 and 1 are not the same"),
        (lambda: tensors.reshape([4], A), "2 × 3 does not have as many entries as 4"),
        (lambda: tensors.zeros([2, -1]), "[2, -1] is no shape"),
        (lambda: tensors.zeros([10**6, 10**6]), "a tensor of 1000000 × 1000000 is too large"),
        (lambda: tensors.over_axis(2, A), "2 × 3 has no axis 2"),
        (lambda: tensors.over_axis(-1, A), "2 × 3 has no axis -1"),
        (lambda: tensors.log_sum_exp(0, tensors.zeros([0, 3])), "axis 0 of 0 × 3 is empty"),
        (lambda: tensors.part(1, 2, 4, A), "axis 1 of 2 × 3 has no part from 2 up to 4"),
        (lambda: tensors.place(0, 0, A, B), "a tensor of 3 cannot be put into one of 2 × 3 along axis 0"),
        (lambda: tensors.place(0, 1, A, A), "axis 0 of 2 × 3 has no part from 1 up to 3"),
        (lambda: tensors.transpose([0, 0], A), "[0, 0] does not name each axis of 2 × 3 once"),
        (lambda: tensors.repeat(3, 2, A), "2 × 3 cannot get a new axis 3"),
        (lambda: tensors.product(A, A), "matrices of 2 × 3 and 2 × 3 have no product"),
        (lambda: tensors.concatenate(0, []), "there is nothing to concatenate"),
        (lambda: tensors.concatenate(1, [A, tensors.zeros([3, 3])]), "2 × 3, 3 × 3 do not fit along axis 1"),
        (lambda: tensors.stack(0, []), "there is nothing to stack"),
        (lambda: tensors.stack(0, [A, B]), "2 × 3, 3 are not the same"),
        (lambda: tensors.stack(3, [A, A]), "2 × 3 cannot get a new axis 3"),
        (lambda: tensors.split(1, [1, 1], A), "[1, 1] are no parts of axis 1 of 2 × 3"),
        (lambda: tensors.normal(-1, [2]), "a seed is a number from 0, and not -1"),
    ],
)
def test_misfits_give_the_reason(attempt: Callable[[], object], said: str) -> None:
    with pytest.raises(Misfit) as misfit:
        attempt()
    assert str(misfit.value) == said


def test_a_tensor_prints_its_shape_and_its_first_entries() -> None:
    assert text(Tensor([0.5, 1 / 3])) == "⟨2: 0.5, 0.333333⟩"
    assert text(Tensor(np.ones((1000, 1000)))) == "⟨1000 × 1000: 1, 1, 1, 1, 1, 1, …⟩"
    assert text(Tensor(3.0)) == "⟨no axes: 3⟩"


def test_log_gamma() -> None:
    """``Γ(5) = 24``, ``Γ(½) = √π``, and poles."""
    assert tensors.log_gamma(5.0) == pytest.approx(math.log(24))
    assert tensors.log_gamma(0.5) == pytest.approx(0.5 * math.log(math.pi))
    assert [tensors.log_gamma(r) for r in (0.0, -3.0, 1e308, math.inf)] == [math.inf] * 4


def test_undefined_results_are_nan_or_infinite() -> None:
    none, one = tensors.zeros([1]), tensors.filled([1], 1.0)
    assert tensors.entries(tensors.over(one, none)) == [math.inf]
    assert math.isnan(tensors.entries(tensors.power(0.5, tensors.filled([1], -1.0)))[0])
    assert tensors.entries(tensors.log_sum_exp(0, tensors.filled([2, 1], -math.inf))) == [-math.inf]
