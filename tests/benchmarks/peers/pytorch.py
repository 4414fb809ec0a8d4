"""PyTorch, eager and compiled. Nets are its own operations called in a row; the input wants no gradient."""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tests.benchmarks.peers.peer import Precision, Unavailable
from tests.benchmarks.problems import Arrays, Cnn, Dense, Floats, Net, Problem, Unet
from tests.benchmarks.reference import nearest


def _torch() -> Any:
    if find_spec("torch") is None:
        raise Unavailable("not installed")
    torch: Any = import_module("torch")
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    return torch


class Eager:
    """The loss, ``backward``, and the optimiser ``SGD``."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision) -> None:
        self.torch = torch = _torch()
        dtype = getattr(torch, precision)
        self.w = [torch.tensor(w, dtype=dtype, requires_grad=True) for w in arrays.weights]
        self.x, self.t = torch.tensor(arrays.x, dtype=dtype), torch.tensor(arrays.t, dtype=dtype)
        self.alpha = problem.alpha
        self.forward = _forward(problem.net, torch)
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

    def weights(self) -> tuple[Floats, ...]:
        """Copies."""
        return tuple([w.detach().numpy().copy() for w in self.w])


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
