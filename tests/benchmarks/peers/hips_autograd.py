"""HIPS autograd: ``grad`` of the loss, and the update in place."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from tests.benchmarks.peers.peer import Precision, Unavailable, aligned
from tests.benchmarks.problems import Arrays, Block, Cnn, Dense, Floats, Gru, Lenet, Net, Problem, Unet
from tests.benchmarks.reference import nearest


class Autograd:
    """Its own NumPy, watched."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision) -> None:
        if find_spec("autograd") is None:
            raise Unavailable("not installed")
        autograd: Any = import_module("autograd")
        watched: Any = import_module("autograd.numpy")
        self.w = [aligned(w, precision) for w in arrays.weights]
        self.x, self.t = aligned(arrays.x, precision), aligned(arrays.t, precision)
        self.rate = np.array(problem.alpha / problem.batch, precision)
        forward = _forward(problem.net, watched, np.dtype(precision))

        def loss(w: Any, x: Any, t: Any) -> Any:
            y = forward(w, x) - t
            return watched.sum(y * y)

        self.gradient = autograd.grad(loss)

    def run(self, steps: int) -> None:
        """The gradient of ``Σ (y − t)²`` is twice that of the loss."""
        half = self.rate * 0.5
        for _ in range(steps):
            for w, g in zip(self.w, self.gradient(self.w, self.x, self.t), strict=True):
                w -= half * g

    def weights(self) -> tuple[Floats, ...]:
        """The weights themselves."""
        return tuple(self.w)


def _forward(net: Net, np_: Any, dtype: Any) -> Any:
    one = np.array(1, dtype)

    def swish(z: Any) -> Any:
        return z / (one + np_.exp(-z))

    match net:
        case Dense():
            last = len(net.shapes) - 1

            def forward(w: Any, x: Any) -> Any:
                for i in range(last + 1):
                    y = np_.dot(x, w[i].T)
                    y = y if net.linear and i == last else swish(y)
                    x = x + y if net.residual else y
                return x
        case Cnn():

            def forward(w: Any, x: Any) -> Any:
                y = _pool(np_, swish(_conv(np_, x, w[0])))
                return np_.dot(np_.reshape(y, (len(x), -1)), w[1].T)
        case Unet():
            n0, n1, n2 = net.lengths
            from1, from0 = [np.eye(n, dtype=dtype)[:, nearest(n, m)] for n, m in ((n2, n1), (n1, n0))]

            def pad(x: Any) -> Any:
                side = np.zeros((*x.shape[:2], 1), dtype)
                return np_.concatenate([side, x, side], 2)

            def forward(w: Any, x: Any) -> Any:
                a, a1, a2, b, b1, b2, bottom = w
                q = _pool(np_, _conv(np_, x, a))
                m = _conv(np_, pad(_pool(np_, _conv(np_, q, b))), bottom)
                v = _conv(np_, _conv(np_, np_.concatenate([q, np_.dot(m, from1)], 1), b1), b2)
                y = pad(swish(v))
                h = _conv(np_, _conv(np_, np_.concatenate([x, np_.dot(y, from0)], 1), a1), a2)
                return pad(swish(h))
        case Lenet() | Gru() | Block():
            raise Unavailable("not written")

    return forward


def _conv(np_: Any, x: Any, w: Any) -> Any:
    """One product with all windows."""
    d, c, k = w.shape
    n = x.shape[2] - k + 1
    columns = np_.concatenate([x[:, :, j : j + n] for j in range(k)], 1)
    return np_.matmul(np_.reshape(np_.transpose(w, (0, 2, 1)), (d, k * c)), columns)


def _pool(np_: Any, x: Any) -> Any:
    even, odd = x[:, :, ::2], x[:, :, 1::2]
    pairs = odd.shape[2]
    y = np_.maximum(even[:, :, :pairs], odd)
    return y if even.shape[2] == pairs else np_.concatenate([y, even[:, :, pairs:]], 2)
