"""``batch b``: the b samples run from the same heap, and the mean of their changes is added to it (LANGUAGE §6)."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.execution import prepare, run
from rh_kernel.arrays.program import MeanOverBatch, OuterMean, ProductMean, Program
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.core import Array, Command
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import SCALAR, real
from tests.arrays.commands import W0, W1, V, commands
from tests.arrays.validation import validate
from tests.arrays.written import Written, close, drawn, layers
from tests.tiers import law


def samples_one_by_one(
    program: Program, batches: list[Array], heap: Mapping[Location, Array]
) -> tuple[list[Array], dict[Location, Array]]:
    """The definition: each sample alone from the same heap, and the mean of the changes added."""
    step = prepare(program)
    runs = [step(sample, heap) for sample in zip(*batches, strict=True)]
    results = [np.stack(parts) for parts in zip(*(leaves(value) for value, _ in runs), strict=True)]
    after = {at: old + np.mean([changes.get(at, old) - old for _, changes in runs], axis=0) for at, old in heap.items()}
    return results, after


@law(60)
@given(commands((V, V), 3, act=False), st.integers(1, 3))
def test_a_batch_changes_the_heap_by_the_mean_of_the_changes(P: Command, b: int) -> None:
    heap = {W0: np.array([0.5, -1.0]), W1: np.array([2.0, 0.25])}
    program = compile_command(P, (V, V))
    together = validate(batched(program, (True, True)))
    inputs = [drawn(1, b, 2), drawn(2, b, 2)]
    results, after = samples_one_by_one(program, inputs, heap)
    found, changes = run(together, inputs, heap)
    for x, y in zip(leaves(found), results, strict=True):
        close(x, y, 1e-9)
    for at in heap:
        close(changes.get(at, heap[at]), after[at], 1e-9)


@law(60)
@given(commands((V, V), 3, act=False))
def test_where_the_samples_share_all_inputs_the_program_is_what_it_was(P: Command) -> None:
    program = compile_command(P, (V, V))
    assert batched(program, (False, False)) == program


STEP = "rev handle (x) <u>. deep(u) with sgd(0.1, t)"


def trained(width: int) -> tuple[Written, Program]:
    world = Written(layers(2, width))
    return world, world.program(STEP, x=real(width), t=real(width))


@pytest.mark.parametrize("b", [1, 2, 7])
def test_minibatch_descent_is_one_product_of_matrices_for_each_layer(b: int) -> None:
    world, program = trained(5)
    together = validate(batched(program, (True, True)))
    inputs, heap = [drawn(1, b, 5), drawn(2, b, 5)], world.heap(w0=drawn(3, 5, 5), w1=drawn(4, 5, 5))
    results, after = samples_one_by_one(program, inputs, heap)
    found, changes = run(together, inputs, heap)
    close(found, results[0])
    for at in heap:
        close(changes[at], after[at])


def test_no_sample_has_a_matrix_of_its_own() -> None:
    _, program = trained(5)
    together = batched(program, (True, True))
    assert sum(isinstance(e.operator, OuterMean) for e in together.equations) == 2
    assert not any(len(together.shapes[e.result]) == 2 and together.batched[e.result] for e in together.equations)
    assert len(together.equations) <= len(program.equations)


def test_an_input_that_is_not_batched_is_shared_by_all_samples() -> None:
    world, program = trained(3)
    together = validate(batched(program, (True, False)))
    x, t, heap = drawn(1, 4, 3), drawn(2, 3), world.heap(w0=drawn(3, 3, 3), w1=drawn(4, 3, 3))
    _, after = samples_one_by_one(program, [x, np.stack([t] * 4)], heap)
    _, changes = run(together, [x, t], heap)
    for at in heap:
        close(changes[at], after[at])


def test_a_result_that_all_samples_share_is_given_to_each() -> None:
    world = Written("loc w : Real(2) = zeros\n")
    together = batched(world.program("Get[w]()", x=SCALAR), (True,))
    close(world.run(together, drawn(1, 3, 1), w=np.array([1.0, 2.0]))[0], [[1.0, 2.0]] * 3)


@pytest.mark.parametrize(
    ("put", "kind"),
    [
        ("w - a * outer(x, x)", OuterMean),
        ("w - dot(x, x) * outer(x, x)", OuterMean),
        ("(w - outer(x, x))^T", OuterMean),
        ("w + outer(x, x) @ outer(x, a * x)", ProductMean),
        ("w - tanh(outer(x, x))", MeanOverBatch),
    ],
)
def test_the_mean_is_taken_as_early_as_it_can_be(put: str, kind: type) -> None:
    world = Written("loc w : Real(2, 2) = zeros\nconst a : Real = [0.5]\n")
    program = world.program(f"let w <= Get[w]() in Put[w]({put})", x=real(2))
    together = validate(batched(program, (True,)))
    assert [type(e.operator) for e in together.equations if not hasattr(e.operator, "name")] == [kind]
    heap = world.heap(w=drawn(1, 2, 2))
    _, after = samples_one_by_one(program, [drawn(2, 3, 2)], heap)
    close(run(together, [drawn(2, 3, 2)], heap)[1][world.location("w")], after[world.location("w")])


def test_the_program_of_a_batch_is_made_for_any_number_of_samples() -> None:
    world, program = trained(3)
    step = prepare(batched(program, (True, True)))
    heap = world.heap(w0=drawn(3, 3, 3), w1=drawn(4, 3, 3))
    for b in (1, 5):
        result, _ = step([drawn(1, b, 3), drawn(2, b, 3)], heap)
        assert np.shape(result) == (b, 3)


def test_each_input_is_marked_or_not() -> None:
    with pytest.raises(ValueError, match="zip"):
        batched(trained(3)[1], (True,))
