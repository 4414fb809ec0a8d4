"""The same nets by PyTorch's own layers, its losses and its optimiser."""

from importlib import import_module
from typing import Any

import numpy as np

from tests.oracles.problems import GATES, STEPS, Problem, Weights, started, task, weights


def trained(problem: Problem) -> Weights:
    """Return the weights after ``STEPS`` batches of plain gradient descent in float64."""
    torch: Any = import_module("torch")
    data, first = task(problem.task), weights(started(problem))
    layer = {"elman": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[problem.net]
    net = layer(data.x.shape[2], problem.hidden, batch_first=True, dtype=torch.float64)
    readout = torch.nn.Linear(problem.hidden, data.t.shape[1], dtype=torch.float64)
    parameters = {
        "w": net.weight_ih_l0, "b": net.bias_ih_l0, "u": net.weight_hh_l0, "c": net.bias_hh_l0,
        "v": readout.weight, "a": readout.bias,
    }  # fmt: skip
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(torch.tensor(_whole(first, name)))
    optimiser = torch.optim.SGD([*net.parameters(), *readout.parameters()], lr=data.rate)
    for x, t in zip(np.split(data.x, STEPS), np.split(data.t, STEPS), strict=True):
        optimiser.zero_grad()
        y = readout(net(torch.tensor(x))[0][:, -1])
        _loss(torch, data.loss)(y, torch.tensor(t)).backward()
        optimiser.step()
    found: Weights = {}
    for name, parameter in parameters.items():
        found |= _parts(problem, name, parameter.detach().numpy())
    return found


def _loss(torch: Any, name: str) -> Any:
    """A function of y and t: the mean over the samples."""
    if name == "cross_entropy":
        return torch.nn.CrossEntropyLoss()

    def half_square(y: Any, t: Any) -> Any:
        return 0.5 * torch.nn.functional.mse_loss(y, t, reduction="sum") / len(y)

    return half_square


def _whole(parts: Weights, name: str) -> Any:
    """The gates of a family one below the other, as PyTorch keeps them."""
    return parts[name] if name in parts else np.concatenate([parts[key] for key in parts if key.startswith(f"{name}[")])


def _parts(problem: Problem, name: str, whole: Any) -> Weights:
    if name in {"v", "a"}:
        return {name: whole}
    return {f"{name}[{i}]": part for i, part in enumerate(np.split(whole, GATES[problem.net]))}
