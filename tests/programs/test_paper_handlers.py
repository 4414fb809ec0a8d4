"""Clauses that are left out, that stand for one location, and that use the heap (RH §4, Ex. 5.13), in each reading."""

from typing import cast

import numpy as np
import pytest

from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run as denote
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import steps
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import Perform, Scope
from rh_kernel.syntax.signature import Location
from tests.programs.by_hand import INPUT, Arrays, assert_descent, perceptron, squared_error, swish, swish_slope
from tests.programs.readings import Reading, assert_outcome, each_reading, last_command

V, T, ALPHA = np.array([1.0, -2.0]), np.array([0.5, -1.5]), 0.1
W = np.array([[0.1, -0.2], [0.3, 0.4]])
W0 = np.array([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]])
W1 = np.array([[0.7, -0.8, 0.9], [-1.0, 1.1, 1.2]])


@each_reading
@pytest.mark.parametrize("program", ["default_clause.rh", "default_clause_written_out.rh"])
def test_an_operation_without_clause_goes_out_and_sends_back_zero(reading: Reading, program: str) -> None:
    """The inner handler makes 5 (w v + 3 v) of v: w v + 3 v comes back through Scale, times 5, and through FC as 0.

    So the outer one, with e = α (5 (w v + 3 v) − t), gives 5 (wᵀ e + 3 e) and w − 5 e vᵀ.
    """
    e = ALPHA * (5 * (W @ V + 3 * V) - T)
    assert_outcome(reading(program), 5 * (W.T @ e + 3 * e), {"w": W - 5 * np.outer(e, V)})


@each_reading
@pytest.mark.parametrize("program", ["default_clause.rh", "default_clause_written_out.rh"])
def test_training_under_an_inner_handler_is_gradient_descent(reading: Reading, program: str) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(5 * (at["w"] @ at[INPUT] + 3 * at[INPUT]), T)

    assert_descent(reading(program), loss, {"w": W, INPUT: V}, ALPHA)


def test_a_clause_that_is_left_out_reduces_as_the_one_the_paper_writes() -> None:
    rules: list[list[Rule]] = []
    for program in ("default_clause.rh", "default_clause_written_out.rh"):
        command, heap = last_command(program)
        rules.append([step.rule for step in steps(command, Heap(heap))])
    assert rules[0] == rules[1]


USES = {
    "clause_for_one_location.rh": "Get w0, Get w1, Put w1",
    "default_clause.rh": "Get w, Put w",
    "example_4_1_mlp.rh": "Get w0, Get w1, Put w1, Put w0",
    "example_4_3_deep_trained.rh": "Get ℓ0, Get ℓ1, Get ℓ2, Get ℓ3, Put ℓ3, Put ℓ2, Put ℓ1, Put ℓ0",
    "momentum.rh": "Get w0, Get w1, Get v1, Put v1, Put w1, Get v0, Put v0, Put w0",
    "shared_location.rh": "Get w, Get w, Put w, Put w",
    "shared_location_read_again.rh": "Get w, Get w, Get w, Put w, Get w, Put w",
}
"""Forwards the contents are read in the order of the layers; backwards they are written in the opposite order."""

each_use = pytest.mark.parametrize(("program", "uses"), USES.items(), ids=[*USES])


@each_use
def test_the_steps_use_the_heap_in_this_order(program: str, uses: str) -> None:
    command, heap = last_command(program)
    rules = (Rule.GET, Rule.PUT)
    used = [cast(Perform, step.redex).operation for step in steps(command, Heap(heap)) if step.rule in rules]
    assert ", ".join([named(op.family.name, op.indices[0]) for op in used]) == uses


@each_use
def test_the_boxes_use_the_heap_in_this_order(program: str, uses: str) -> None:
    command, heap = last_command(program)
    used = denote(interpret((), Scope((), command)), (), heap).accesses
    assert ", ".join([named(family, location) for family, location in used]) == uses


def named(family: str, location: object) -> str:
    """``Get w0``"""
    assert isinstance(location, Location)
    return f"{family} {location.name}"


@each_reading
def test_the_last_put_at_a_shared_location_decides(reading: Reading) -> None:
    """Both layers keep the w that they read; the first one is the last in the backward pass, and its w − u' vᵀ stays."""
    s = W @ V
    e = ALPHA * (W @ swish(s) - T)
    u = (W.T @ e) * swish_slope(s)
    assert_outcome(reading("shared_location.rh"), W.T @ u, {"w": W - np.outer(u, V)})


@each_reading
def test_the_last_put_at_a_shared_location_is_the_gradient_of_one_use(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(W @ swish(at["w"] @ at[INPUT]), T)

    assert_descent(reading("shared_location.rh"), loss, {"w": W, INPUT: V}, ALPHA)


@each_reading
def test_a_location_that_is_read_again_gets_the_whole_gradient(reading: Reading) -> None:
    def loss(at: Arrays) -> float:
        return squared_error(at["w"] @ swish(at["w"] @ at[INPUT]), T)

    found = reading("shared_location_read_again.rh")
    value, d0, d1 = perceptron(W, W, V, ALPHA * (W @ swish(W @ V) - T))
    assert_outcome(found, value, {"w": W - d0 - d1})
    assert_descent(found, loss, {"w": W, INPUT: V}, ALPHA)


@each_reading
def test_a_clause_for_one_location_holds_there_alone(reading: Reading) -> None:
    """w₀ stays, w₁ descends, and the cotangent of the input is what it would be without the clause."""

    def loss(at: Arrays) -> float:
        return squared_error(at["w1"] @ swish(at["w0"] @ at[INPUT]), T)

    found = reading("clause_for_one_location.rh")
    value, _, d1 = perceptron(W0, W1, V, ALPHA * (W1 @ swish(W0 @ V) - T))
    assert_outcome(found, value, {"w0": W0, "w1": W1 - d1})
    assert_descent(found, loss, {"w0": W0, "w1": W1, INPUT: V}, ALPHA, fixed={"w0"})


@each_reading
def test_momentum_in_a_second_location(reading: Reading) -> None:
    """Three steps of u ← β u + ∂loss/∂w, w ← w − α u; the value is the cotangent of the input in the third."""
    w0, w1, u0, u1, value = W0, W1, np.zeros((3, 2)), np.zeros((2, 3)), np.zeros(2)
    for _ in range(3):
        value, d0, d1 = perceptron(w0, w1, V, error(w0, w1))
        u0, u1 = 0.9 * u0 + d0, 0.9 * u1 + d1
        w0, w1 = w0 - ALPHA * u0, w1 - ALPHA * u1
    assert_outcome(reading("momentum.rh"), value, {"w0": w0, "w1": w1, "v0": u0, "v1": u1})


def error(w0: np.ndarray, w1: np.ndarray) -> np.ndarray:
    """w₁ swish(w₀ v) − t"""
    return w1 @ swish(w0 @ V) - T
