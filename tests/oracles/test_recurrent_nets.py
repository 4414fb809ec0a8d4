"""Backpropagation through time by a handler and ``scan`` gives the weights of PyTorch's RNN, GRU and LSTM."""

import numpy as np
import pytest

from tests.oracles import pytorch
from tests.oracles.problems import GATES, Evaluator, Problem, evaluated, learnt, started, task, text, trained, weights
from tests.oracles.recorded import LARGE, SMALL, TINY, assert_same, read

EVALUATORS: list[Evaluator] = ["compiled", "denoted", "stepped"]


@pytest.mark.parametrize("problem", [*TINY, *SMALL], ids=str)
def test_three_batches_give_the_weights_on_record(problem: Problem) -> None:
    assert_same(trained(problem), read(problem))


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("problem", TINY, ids=str)
def test_each_evaluator_gives_the_weights_on_record(problem: Problem, evaluator: Evaluator) -> None:
    assert_same(evaluated(problem, evaluator), read(problem))


@pytest.mark.slow
@pytest.mark.parametrize("problem", [*TINY, *SMALL], ids=str)
def test_pytorch_gives_what_is_on_record(problem: Problem) -> None:
    pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    assert_same(read(problem), pytorch.trained(problem))


@pytest.mark.slow
@pytest.mark.parametrize("problem", LARGE, ids=str)
def test_larger_nets_have_the_weights_of_pytorch(problem: Problem) -> None:
    pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    assert_same(trained(problem), pytorch.trained(problem))


def test_a_handler_that_puts_what_it_kept_loses_updates() -> None:
    """So the tests above can fail: what is left of the updates of eight rounds is far from their sum."""
    problem = SMALL[0]
    again = "let v' <= Get[w]() in\n                   let _ <= Put[w](v' - outer(y, x)) in"
    kept = again.replace("let v' <= Get[w]() in\n", "").replace("v'", "v")
    assert again in text(problem)
    workspace, data = started(problem), task(problem.task)
    workspace.run(text(problem).replace(again, kept))
    workspace.run(f"""train rev handle (x, t) <x, t>. loss(x, t) with descend({data.rate})
  for (x, t) in data("first") epochs 1 batch {data.batch}
""")
    assert np.abs(weights(workspace)["u[0]"] - read(problem)["u[0]"]).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("problem", [Problem(net, "digits", 16) for net in GATES], ids=str)
def test_a_hundred_batches_have_the_curve_of_pytorch(problem: Problem) -> None:
    """The share of unseen digits whose class is found after each epoch, and the weights in the end.

    At higher rates an Elman net multiplies the rounding errors of its first steps by ten thousand in each epoch.
    """
    pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    found, expected = learnt(problem, epochs=4), pytorch.learnt(problem, epochs=4)
    assert found.accuracies == pytest.approx(expected.accuracies)
    assert found.accuracies[-1] > found.accuracies[0]
    assert_same(found.weights, expected.weights, atol=1e-9)
