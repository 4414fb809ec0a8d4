"""PyTorch, eager and compiled. Nets are its own operations called in a row; the input wants no gradient."""

import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from tests.benchmarks.peers.peer import Precision, Unavailable
from tests.benchmarks.problems import Arrays, Block, Cnn, Dense, Floats, Gru, Lenet, Net, Problem, Unet
from tests.benchmarks.reference import nearest


def _torch() -> Any:
    if find_spec("torch") is None:
        raise Unavailable("not installed")
    torch: Any = import_module("torch")
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    return torch


LONGEST = 1000
"""Steps of a sequence up to which a cell is called in a loop."""


class Eager:
    """The loss, ``backward``, and the optimiser ``SGD``."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision, device: str = "cpu") -> None:
        self.torch = torch = _torch()
        dtype = getattr(torch, precision)
        self.net = problem.net
        weights: Sequence[Floats] = arrays.weights
        if isinstance(problem.net, Gru):
            # The rows of all gates below one another, as PyTorch has them.
            weights = [np.concatenate(weights[:3]), np.concatenate(weights[3:])]
        self.w = [torch.tensor(w, dtype=dtype, device=device, requires_grad=True) for w in weights]
        self.x, self.t = [torch.tensor(a, dtype=dtype, device=device) for a in (arrays.x, arrays.t)]
        self.alpha = problem.alpha
        self.forward = self.written(problem)
        self.optimiser = torch.optim.SGD(self.w, lr=problem.alpha)

    def run(self, steps: int) -> None:
        """As the tutorials do it."""
        forward, w, x, t, optimiser = self.forward, self.w, self.x, self.t, self.optimiser
        half, mse_loss = 0.5 / len(x), self.torch.nn.functional.mse_loss
        for _ in range(steps):
            optimiser.zero_grad()
            loss = half * mse_loss(forward(w, x), t, reduction="sum")
            loss.backward()
            optimiser.step()

    def written(self, problem: Problem) -> Any:
        """The net as a function of the weights and the input."""
        if isinstance(problem.net, Gru) and problem.net.steps > LONGEST:
            raise Unavailable("takes too long")
        return _forward(problem.net, self.torch)

    def weights(self) -> tuple[Floats, ...]:
        """Copies."""
        found = [w.detach().cpu().numpy().copy() for w in self.w]
        return tuple([part for w in found for part in np.split(w, 3)]) if isinstance(self.net, Gru) else tuple(found)


class Tuned(Eager):
    """No value of the loss, no optimiser: the cotangent of y goes in, and each weight is written on in place."""

    def run(self, steps: int) -> None:
        """``autograd.grad`` and ``sub_``."""
        torch, forward, w, x, t = self.torch, self.forward, self.w, self.x, self.t
        rate = self.alpha / len(x)
        for _ in range(steps):
            y = forward(w, x)
            gradients = torch.autograd.grad(y, w, (y.detach() - t).mul_(rate))
            with torch.no_grad():
                for v, g in zip(w, gradients, strict=True):
                    v.sub_(g)


class Layer(Eager):
    """``torch.nn.GRU``, which has the loop over the sequence inside, in the place of the cell."""

    def written(self, problem: Problem) -> Any:
        """The layer's own function."""
        if not isinstance(problem.net, Gru):
            raise Unavailable("no layer of its own")
        torch = self.torch

        def forward(w: Any, x: Any) -> Any:
            start = x.new_zeros((1, len(x), x.shape[2]))
            _, last = torch.gru(x, start, w, False, 1, 0.0, True, False, True)
            return last[0]

        return forward


class Compiled(Eager):
    """Forward, backward and update as one function through ``torch.compile``."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision) -> None:
        super().__init__(problem, arrays, precision)
        torch, forward, rate = self.torch, self.forward, problem.alpha / problem.batch
        self.w = [w.detach() for w in self.w]

        def loss(w: Any, x: Any, t: Any) -> Any:
            return 0.5 * ((forward(w, x) - t) ** 2).sum()

        def step(w: Any, x: Any, t: Any) -> None:
            for v, g in zip(w, torch.func.grad(loss)(w, x, t), strict=True):
                v.sub_(g, alpha=rate)

        self.step = torch.compile(step)

    def run(self, steps: int) -> None:
        """Nothing but calls."""
        step, w, x, t = self.step, self.w, self.x, self.t
        with self.torch.no_grad():
            for _ in range(steps):
                step(w, x, t)


def _forward(net: Net, torch: Any) -> Any:
    F = torch.nn.functional
    match net:
        case Dense():
            last = len(net.shapes) - 1

            def forward(w: Any, x: Any) -> Any:
                for i, v in enumerate(w):
                    y = F.linear(x, v)
                    y = y if net.linear and i == last else F.silu(y)
                    x = x + y if net.residual else y
                return x
        case Cnn():

            def forward(w: Any, x: Any) -> Any:
                y = F.max_pool1d(F.silu(F.conv1d(x, w[0])), 2, ceil_mode=True)
                return F.linear(y.flatten(1), w[1])
        case Unet():
            n0, n1, n2 = net.lengths
            from1 = _upscale(torch, n2, n1)
            from0 = _upscale(torch, n1, n0)

            def forward(w: Any, x: Any) -> Any:
                a, a1, a2, b, b1, b2, bottom = w
                q = F.max_pool1d(F.conv1d(x, a), 2)
                m = F.conv1d(F.max_pool1d(F.conv1d(q, b), 2), bottom, padding=1)
                v = F.conv1d(F.conv1d(torch.cat([q, from1(m)], 1), b1), b2)
                y = F.pad(F.silu(v), (1, 1))
                h = F.conv1d(F.conv1d(torch.cat([x, from0(y)], 1), a1), a2)
                return F.pad(F.silu(h), (1, 1))
        case Lenet():

            def forward(w: Any, x: Any) -> Any:
                for i in (0, 2):
                    x = F.avg_pool2d(torch.tanh(F.conv2d(x, w[i], w[i + 1])), 2)
                x = torch.tanh(F.linear(x.flatten(1), w[4], w[5]))
                return F.linear(torch.tanh(F.linear(x, w[6], w[7])), w[8], w[9])
        case Gru():

            def forward(w: Any, x: Any) -> Any:
                h = x.new_zeros((len(x), x.shape[2]))
                for a in x.unbind(1):
                    h = torch.gru_cell(a, h, *w)
                return h
        case Block():
            size = net.width // net.heads

            def forward(w: Any, x: Any) -> Any:
                g1, s1, l, b, mix, c, g2, s2, up, up_b, down, down_b = w
                y = F.linear(F.layer_norm(x, (net.width,), g1, s1), l, b)
                heads = (len(x), net.tokens, net.heads, size)
                q, k, v = [part.reshape(heads).transpose(1, 2) for part in y.split(net.width, dim=2)]
                y = F.scaled_dot_product_attention(q, k, v)
                x = x + F.linear(y.transpose(1, 2).reshape(x.shape), mix, c)
                y = F.linear(F.layer_norm(x, (net.width,), g2, s2), up, up_b)
                return x + F.linear(F.relu(y), down, down_b)

    return forward


def _upscale(torch: Any, n: int, m: int) -> Any:
    """``interpolate``, if it takes the same entries; else a look-up."""
    places = torch.tensor(nearest(n, m))
    interpolate = torch.nn.functional.interpolate
    found = interpolate(torch.arange(float(n)).reshape(1, 1, n), size=m)[0, 0]
    agrees = torch.equal(found, places.to(found.dtype))

    def upscale(x: Any) -> Any:
        return interpolate(x, size=m) if agrees else x.index_select(2, places)

    return upscale
