"""The same nets by PyTorch's own layers, its losses and its optimiser."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np

from rh_kernel.syntax.core import Array
from rh_kernel.training.bundled import bundled
from tests.oracles.problems import (
    BATCH,
    CURVE_RATE,
    GATES,
    SEEN,
    STEPS,
    UNSEEN,
    Learnt,
    Problem,
    Weights,
    started,
    task,
    weights,
)


class Reader:
    """A recurrent layer and a linear one, with the initial weights of the problem, and plain gradient descent in float64."""

    def __init__(self, problem: Problem, rate: float) -> None:
        self.torch = torch = import_module("torch")
        torch.set_num_threads(1)
        self.problem, data, first = problem, task(problem.task), weights(started(problem))
        layer = {"elman": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[problem.net]
        self.net: Any = layer(data.x.shape[2], problem.hidden, batch_first=True, dtype=torch.float64)
        self.readout: Any = torch.nn.Linear(problem.hidden, data.t.shape[1], dtype=torch.float64)
        self.parameters: dict[str, Any] = {
            "w": self.net.weight_ih_l0,
            "b": self.net.bias_ih_l0,
            "u": self.net.weight_hh_l0,
            "c": self.net.bias_hh_l0,
            "v": self.readout.weight,
            "a": self.readout.bias,
        }
        with torch.no_grad():
            for name, parameter in self.parameters.items():
                parameter.copy_(torch.tensor(_whole(first, name)))
        self.optimiser: Any = torch.optim.SGD(self.parameters.values(), lr=rate)

    def __call__(self, x: Array) -> Any:
        """The last layer's values for a batch of sequences."""
        return self.readout(self.net(self.torch.tensor(x))[0][:, -1])

    def learn(self, batches: Iterable[tuple[Array, Array]]) -> None:
        """Make a step for each batch."""
        for x, t in batches:
            self.optimiser.zero_grad()
            self._loss(self(x), self.torch.tensor(t)).backward()
            self.optimiser.step()

    def weights(self) -> Weights:
        """The weights under the names of the program."""
        found: Weights = {}
        for name, parameter in self.parameters.items():
            found |= _parts(self.problem, name, parameter.detach().numpy().copy())
        return found

    def _loss(self, y: Any, t: Any) -> Any:
        """The mean over the samples."""
        if task(self.problem.task).loss == "cross_entropy":
            return self.torch.nn.functional.cross_entropy(y, t)
        return 0.5 * self.torch.nn.functional.mse_loss(y, t, reduction="sum") / len(y)


def trained(problem: Problem) -> Weights:
    """Return the weights after ``STEPS`` batches."""
    data = task(problem.task)
    reader = Reader(problem, data.rate)
    reader.learn(zip(np.split(data.x, STEPS), np.split(data.t, STEPS), strict=True))
    return reader.weights()


def learnt(problem: Problem, epochs: int) -> Learnt:
    """Train on the digits ``SEEN``, and measure on the digits ``UNSEEN``."""
    digits, reader = bundled("digits").arrays, Reader(problem, CURVE_RATE)
    x, t = digits["x"].reshape(-1, 8, 8), digits["t"]
    count = len(x[SEEN]) // BATCH
    accuracies: list[float] = []
    for _ in range(epochs):
        reader.learn(zip(np.split(x[SEEN], count), np.split(t[SEEN], count), strict=True))
        found = reader(x[UNSEEN]).detach().numpy().argmax(axis=1)
        accuracies.append(float((found == t[UNSEEN].argmax(axis=1)).mean()))
    return Learnt(reader.weights(), tuple(accuracies))


def _whole(parts: Weights, name: str) -> Any:
    """The gates of a family one below the other, as PyTorch keeps them."""
    return parts[name] if name in parts else np.concatenate([parts[key] for key in parts if key.startswith(f"{name}[")])


def _parts(problem: Problem, name: str, whole: Any) -> Weights:
    if name in {"v", "a"}:
        return {name: whole}
    return {f"{name}[{i}]": part for i, part in enumerate(np.split(whole, GATES[problem.net]))}
