"""RH §2.2 and the perceptrons of §4, §5.3 and E.1 as programs, with expectations derived by hand, in each reading."""

from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest

from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import steps
from rh_kernel.syntax.core import Array, Command, Scope
from rh_kernel.syntax.signature import Location
from tests.programs.by_hand import INPUT, Arrays, assert_descent, chain_of_matrices, perceptron, squared_error, swish
from tests.programs.readings import (
    PROGRAMS,
    READINGS,
    Outcome,
    Reading,
    assert_outcome,
    assert_same,
    each_reading,
    flat,
    heap_after,
    last_command,
    lines,
    traced,
)

V = np.array([1.0, -2.0])
M0 = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]])
M1 = np.array([[0.7, -0.8, 0.9]])
W1 = np.array([[0.7, -0.8, 0.9], [-1.0, 1.1, 1.2]])
ENDLESS = {"example_4_5_odd_length.rh", "example_4_5_flat.rh"}
"""Traces whose texts are hundreds of megabytes."""
ALPHA, TARGET, TARGETS = 0.1, np.array([0.5]), np.array([0.5, -1.5])


@pytest.mark.parametrize("program", PROGRAMS)
def test_all_readings_agree(program: str) -> None:
    """RH Thm. 8.1 and Cor. 8.4 on the examples: the same value, and the same content of every location."""
    first, *others = [reading(program) for reading in READINGS]
    for other in others:
        assert_same(other, first, 1e-9)


@each_reading
def test_section_2_2_1_inference(reading: Reading) -> None:
    """The value is w₁ * (w₀ * x₀), and no location changes."""
    assert_outcome(reading("example_2_2_1_inference.rh"), W1 @ (M0 @ V), {"w0": M0, "w1": W1})


@each_reading
def test_section_2_2_2_backpropagation(reading: Reading) -> None:
    """With x₁ = w₀ x₀ and y = α (w₁ x₁ − t): w₁ − y x₁ᵀ, w₀ − (w₁ᵀ y) x₀ᵀ, and the value w₀ᵀ w₁ᵀ y."""
    y, x1 = ALPHA * (W1 @ M0 @ V - TARGETS), M0 @ V
    heap = {"w0": M0 - np.outer(W1.T @ y, V), "w1": W1 - np.outer(y, x1)}
    found = reading("example_2_2_2_train.rh")
    assert_outcome(found, M0.T @ W1.T @ y, heap)
    value, (w0, w1) = chain_of_matrices((M0, W1), V, TARGETS, ALPHA)
    assert_outcome(found, value, {"w0": w0, "w1": w1})


@each_reading
def test_section_2_2_2_is_gradient_descent(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(at["w1"] @ (at["w0"] @ at[INPUT]), TARGETS)

    assert_descent(reading("example_2_2_2_train.rh"), loss, {"w0": M0, "w1": W1, INPUT: V}, ALPHA)


@each_reading
def test_example_5_13(reading: Reading) -> None:
    """The last line of RH Fig. 8: m₀ᵀ u', m₀ − u' vᵀ and m₁ − α (m₁ v₁ − t) v₁ᵀ."""
    e = ALPHA * (M1 @ swish(M0 @ V) - TARGET)
    value, d0, d1 = perceptron(M0, M1, V, e)
    assert_outcome(reading("example_4_1_mlp.rh"), value, {"w0": M0 - d0, "w1": M1 - d1})


def test_example_5_13_in_the_notation_of_the_paper() -> None:
    """The arrows, brackets and signs that the paper prints make the very same command."""
    assert last_command("example_5_13_notation.rh")[0] == last_command("example_4_1_mlp.rh")[0]


@each_reading
def test_example_e_1_is_gradient_descent(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(at["w1"] @ swish(at["w0"] @ at[INPUT]), TARGET)

    assert_descent(reading("example_4_1_mlp.rh"), loss, {"w0": M0, "w1": M1, INPUT: V}, ALPHA)


def test_figure_8_order_of_rules() -> None:
    """The forward parts run outermost first, then the return clause, then the backward parts innermost first."""
    rules = [step["rule"] for step in lines("trace", "example_4_1_mlp.rh")[:-1]]
    telling = [r for r in rules if r in ("RevHandle", "Get", "Put", "RH-Op", "RH-Return")]
    assert telling == ["RevHandle", "RH-Op", "Get", "RH-Op", "Get", "RH-Return", "Put", "Put"]


def test_figure_8_as_the_command_line_shows_it() -> None:
    """Two steps change the heap: first ℓ₁, when the last layer has its backward pass, then ℓ₀; then the value is there."""
    *taken, last = lines("trace", "example_4_1_mlp.rh")
    e = ALPHA * (M1 @ swish(M0 @ V) - TARGET)
    value, d0, d1 = perceptron(M0, M1, V, e)
    first, second = [step["heap"] for step in taken if step["heap"]]
    assert (first.keys(), second.keys()) == ({"w1"}, {"w0"})
    np.testing.assert_allclose(first["w1"], M1 - d1, atol=1e-12)
    np.testing.assert_allclose(second["w0"], M0 - d0, atol=1e-12)
    np.testing.assert_allclose(last["value"], value, atol=1e-12)
    assert (last["steps"], last["type"]) == (len(taken), "Real(2)")


LONG = ("default_clause", "default_clause_written_out", "example_4_3_deep_trained", "example_4_5_unet_trained")
TRACED = [
    pytest.param(program, marks=pytest.mark.slow) if program.removesuffix(".rh") in LONG else program
    for program in PROGRAMS
    if program not in ENDLESS
]


@pytest.mark.parametrize("program", TRACED)
def test_the_trace_of_the_command_line_ends_where_the_run_does(program: str) -> None:
    changing, last = traced(program)
    *earlier, done = lines("run", program)
    assert (last["steps"], last["type"]) == (last["count"], done["type"])
    found = Outcome(flat(last["value"]), heap_after([*earlier, *changing]))
    assert_same(found, Outcome(flat(done["value"]), heap_after([*earlier, done])), 1e-9)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_step_keeps_what_the_command_denotes(program: str) -> None:
    """RH Thm. 8.1 along the traces of the examples, at every step of the short ones and at some thirty of the long ones."""
    command, heap = last_command(program)
    taken = list(steps(command, Heap(heap)))
    looked_at = {*range(0, len(taken), max(1, len(taken) // 30)), len(taken) - 1}
    for count, step in enumerate(taken):
        after = heap if step.change is None else {**heap, step.change.location: step.change.content}
        if count in looked_at:
            assert_same(denotation(step.after, after), denotation(step.before, heap), 1e-9)
        heap = after


def denotation(P: Subject, heap: Mapping[Location, Array]) -> Outcome:
    """What ``⟦P⟧`` does to a heap."""
    found = run(interpret((), Scope((), cast(Command, P))), (), heap)
    return Outcome(found.values, {location.name: content for location, content in found.heap.items()})


SIZES_V, SIZES_T = np.array([0.2, -0.4, 1.3, 0.9]), np.array([0.5, -0.25, 1.0])


def sizes() -> tuple[np.ndarray, np.ndarray]:
    """The first contents, normal and glorot, drawn as LANGUAGE §3 says: ± √(6 / (fan in + fan out)) is the glorot bound."""
    bound = np.sqrt(6 / (5 + 3))
    return np.random.default_rng(1).normal(0, 0.5, (5, 4)), np.random.default_rng(2).uniform(-bound, bound, (3, 5))


@each_reading
def test_example_e_1_at_other_sizes(reading: Reading) -> None:
    m0, m1 = sizes()
    e = 0.05 * (m1 @ swish(m0 @ SIZES_V) - SIZES_T)
    value, d0, d1 = perceptron(m0, m1, SIZES_V, e)
    assert_outcome(reading("example_e_1_sizes.rh"), value, {"ℓ0": m0 - d0, "ℓ1": m1 - d1})


@each_reading
def test_example_e_1_at_other_sizes_is_gradient_descent(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(at["ℓ1"] @ swish(at["ℓ0"] @ at[INPUT]), SIZES_T)

    m0, m1 = sizes()
    assert_descent(reading("example_e_1_sizes.rh"), loss, {"ℓ0": m0, "ℓ1": m1, INPUT: SIZES_V}, 0.05)
