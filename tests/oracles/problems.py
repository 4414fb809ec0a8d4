"""Recurrent nets with their data: the programs of ``programs/good/recurrent_nets.rh`` at other sizes."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from rh_kernel import Workspace
from rh_kernel.session.results import TrainingDone
from rh_kernel.syntax.core import Array
from rh_kernel.training.bundled import bundled

Weights: TypeAlias = dict[str, Array]
NetName: TypeAlias = Literal["elman", "gru", "lstm"]
TaskName: TypeAlias = Literal["digits", "adding", "tiny"]
Evaluator: TypeAlias = Literal["compiled", "denoted", "stepped"]

GATES: dict[NetName, int] = {"elman": 1, "gru": 3, "lstm": 4}
STEPS = 3
BATCH = 32
CURVE_RATE = 0.1
SEEN, UNSEEN = slice(25 * BATCH), slice(25 * BATCH, 1200)
"""The digits of an epoch, and those that a net is measured on."""

_NETS = Path(__file__).parents[1] / "programs" / "good" / "recurrent_nets.rh"
_MARK = "# Three steps of two entries"


@dataclass(frozen=True, slots=True)
class Task:
    """Samples x : Real(N, length, entries) with targets t : Real(N, outputs), cut into ``STEPS`` batches."""

    x: Array
    t: Array
    loss: Literal["cross_entropy", "half_square"]
    rate: float

    @property
    def batch(self) -> int:
        """The number of samples of a batch."""
        return len(self.x) // STEPS


@dataclass(frozen=True, slots=True)
class Learnt:
    """The weights after some epochs, and after each epoch the share of unseen samples whose class is found."""

    weights: Weights
    accuracies: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A net with so many hidden units on a task."""

    net: NetName
    task: TaskName
    hidden: int

    def __str__(self) -> str:
        return f"{self.net} {self.task} {self.hidden}"


@cache
def task(name: TaskName) -> Task:
    """Return the first batches of a data set, or a sample of two rows that is small enough to be reduced."""
    match name:
        case "digits":
            data = bundled("digits").arrays
            return Task(data["x"][: BATCH * STEPS].reshape(-1, 8, 8), data["t"][: BATCH * STEPS], "cross_entropy", 0.5)
        case "adding":
            data = bundled("adding").arrays
            return Task(data["x"][: BATCH * STEPS], data["t"][: BATCH * STEPS], "half_square", 0.1)
        case "tiny":
            x = np.random.default_rng(3).normal(size=(1, 2, 2))
            return Task(np.repeat(x, STEPS, axis=0), np.tile([0.0, 1.0], (STEPS, 1)), "cross_entropy", 0.5)


def text(problem: Problem) -> str:
    """Return the declarations of a problem. The reader's last state goes through one more layer."""
    data, h = task(problem.task), problem.hidden
    (n, d), k, gates = data.x.shape[1:], data.t.shape[1], GATES[problem.net]
    return f"""{_NETS.read_text(encoding="utf-8").partition(_MARK)[0]}
loc w[{gates}] : Real({h}, {d}) = glorot(seed=1)
loc b[{gates}] : Real({h}) = normal(0.3, seed=2)
loc u[{gates}] : Real({h}, {h}) = glorot(seed=3)
loc c[{gates}] : Real({h}) = normal(0.3, seed=4)
loc v : Real({k}, {h}) = glorot(seed=5)
loc a : Real({k}) = normal(0.3, seed=6)
net reader(xs : Real({n}, {d})) : Real({k}) =
  let s <= {problem.net}[w, b, u, c](xs) in
  Linear[v, a](s)
net loss(xs : Real({n}, {d}), t : Real({k})) : Real =
  let y <= reader(xs) in
  return {data.loss}(y, t)
"""


def started(problem: Problem) -> Workspace:
    """Return a workspace with the declarations and the data ``first`` of a problem."""
    workspace, data = Workspace(), task(problem.task)
    workspace.data("first", x=data.x, t=data.t)
    workspace.run(text(problem))
    return workspace


def weights(workspace: Workspace) -> Weights:
    """Return copies of the contents of all locations."""
    return {name: np.array(content) for name, content in workspace.heap.items()}


def trained(problem: Problem) -> Weights:
    """Return the weights after ``STEPS`` batches, by ``train``."""
    workspace, data = started(problem), task(problem.task)
    workspace.run(f"""train rev handle (x, t) <x, t>. loss(x, t) with descend({data.rate})
  for (x, t) in data("first") epochs 1 batch {data.batch}
""")
    return weights(workspace)


def evaluated(problem: Problem, evaluator: Evaluator) -> Weights:
    """Return the weights after ``STEPS`` samples, each with an evaluation of its own, by one of the evaluators."""
    workspace, data = started(problem), task(problem.task)
    workspace.const("x0", data.x[0])
    workspace.const("t0", data.t[0])
    step = f"rev handle ((x0, t0)) <x, t>. loss(x, t) with descend({data.rate})"
    workspace.run("\n".join([f"%evaluator {evaluator}", *[step] * STEPS]))
    return weights(workspace)


def learnt(problem: Problem, epochs: int) -> Learnt:
    """Train on the digits ``SEEN``, and measure on the digits ``UNSEEN``."""
    workspace, digits = started(problem), bundled("digits").arrays
    for name, part in (("seen", SEEN), ("unseen", UNSEEN)):
        workspace.data(name, x=digits["x"][part].reshape(-1, 8, 8), t=digits["t"][part])
    (outcome,) = workspace.run(f"""train rev handle (x, t) <x, t>. loss(x, t) with descend({CURVE_RATE})
  for (x, t) in data("seen") epochs {epochs} batch {BATCH}
  measure let y <= handle reader(x) with infer in return same_argmax(y, t) on data("unseen")
""").outcomes
    if not isinstance(outcome.result, TrainingDone):
        raise TypeError(f"{outcome.result} is no training")
    return Learnt(weights(workspace), outcome.result.measures[0][1])
