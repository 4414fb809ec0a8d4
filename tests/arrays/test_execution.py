"""Running programs on NumPy: nothing that is given is written on, and what comes back is the caller's own."""

import numpy as np
import pytest

from rh_kernel.arrays.execution import prepare
from rh_kernel.arrays.rewrites.listing import listing
from rh_kernel.syntax.types import Product, real
from tests.arrays.written import Written, close, drawn


def test_results_share_no_memory_with_inputs_or_heap() -> None:
    world = Written("loc w : Real(2, 2) = zeros\nloc v : Real(2, 2) = zeros\n")
    program = world.program("let a <= Get[w]() in let _ <= Put[v](a^T) in return (x, a)", x=real(2))
    x, w = drawn(1, 2), drawn(2, 2, 2)
    result, heap = world.run(program, x, w=w, v=w)
    for array in (result[0], result[1], heap["v"]):
        assert not np.shares_memory(array, x)
        assert not np.shares_memory(array, w)
        np.asarray(array)[...] = 0
    close(x, drawn(1, 2))
    close(w, drawn(2, 2, 2))


def test_a_program_can_run_in_single_precision() -> None:
    world = Written("loc w : Real(2, 2) = zeros\n")
    program = world.program("let w <= Get[w]() in let _ <= Put[w](0.1 * w) in return 0.5 * (w @ x)", x=real(2))
    heap = {world.location("w"): drawn(2, 2, 2).astype(np.float32)}
    result, changes = prepare(program, "float32")((drawn(1, 2).astype(np.float32),), heap)
    assert np.asarray(result).dtype == np.float32
    changed = changes[world.location("w")]
    np.testing.assert_array_equal(changed, changed.astype(np.float32))


def test_undefined_points_are_values_and_no_warnings() -> None:
    program = Written("").program("return (log(x), x / x)", x=real(2))
    (log, quotient), _ = prepare(program)((np.array([0.0, -1.0]),), {})
    assert np.isneginf(np.asarray(log)[0])
    assert np.isnan(np.asarray(log)[1])
    assert np.isnan(np.asarray(quotient)[0])


def test_structured_inputs_are_nested_tuples() -> None:
    A = Product((real(2), Product((real(2), real(2)))))
    program = Written("").program("let (a, (b, c)) <- x in return ((c, a), b)", x=A)
    a, b, c = drawn(1, 2), drawn(2, 2), drawn(3, 2)
    result, _ = prepare(program)(((a, (b, c)),), {})
    close(result[0][0], c)
    close(result[0][1], a)
    close(result[1], b)


def test_a_location_that_the_heap_lacks_is_named() -> None:
    world = Written("loc w : Real(2) = zeros\n")
    with pytest.raises(KeyError, match="w"):
        prepare(world.program("Get[w]()", x=real(1)))((np.zeros(1),), {})


def test_an_array_may_have_as_many_axes_as_numpy_gives() -> None:
    """NumPy goes through the entries of an array by ``flat`` up to 32 axes; it has 64."""
    program = Written("").program(f"return fill[{', '.join(['1'] * 40)}](3) + x", x=real(*[1] * 40))
    result, _ = prepare(program)((np.full((1,) * 40, 0.5),), {})
    assert np.asarray(result).shape == (1,) * 40
    assert np.asarray(result).item(0) == 3.5
    assert "c1 = [3]" in listing(program)
