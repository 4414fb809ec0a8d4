"""Hand-written NumPy: all buffers made once, every result written with ``out``, ``dot``, constants of no dimension.

A step is a list of calls with their arguments bound, which is as quick as the same calls written one under the other.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.peers.peer import Precision, Unavailable, aligned
from tests.benchmarks.problems import Arrays, Block, Cnn, Dense, Floats, Gru, Lenet, Problem, Unet
from tests.benchmarks.reference import nearest


class ByHand:
    """The calls of a step, in order, and the weights that they write on."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision) -> None:
        self.calls: list[Callable[[], object]] = []
        self.precision = precision
        self.batch = problem.batch
        self.w = [aligned(w, precision) for w in arrays.weights]
        self.rate = np.array(problem.alpha / problem.batch, precision)
        self.one = np.array(1, precision)
        x, t = aligned(arrays.x, precision), aligned(arrays.t, precision)
        self.given = [(x.copy(), x), (t.copy(), t)]
        match problem.net:
            case Dense() as net:
                _dense(self, net, x, t)
            case Cnn() as net:
                _cnn(self, net, x, t)
            case Unet() as net:
                _unet(self, net, x, t)
            case Lenet() | Gru() | Block():
                raise Unavailable("not written")

    def run(self, steps: int) -> None:
        """Each step is given its samples; then forward, backward, update."""
        calls, given = self.calls, self.given
        for _ in range(steps):
            for samples, place in given:
                place[...] = samples
            for call in calls:
                call()

    def weights(self) -> tuple[Floats, ...]:
        """The weights themselves."""
        return tuple(self.w)

    def new(self, *shape: int) -> Floats:
        """A buffer."""
        return np.empty(shape, self.precision)

    def do(self, f: Callable[..., Any], *arguments: Any) -> Any:
        """``f(…, out)`` in each step; ``out``, the last of the arguments."""
        self.calls.append(partial(f, *arguments))
        return arguments[-1]

    def swish(self, z: Floats) -> tuple[Floats, Floats]:
        """``y = z σ(z)``, and ``σ(z)``."""
        s, y = np.empty_like(z), np.empty_like(z)
        self.do(np.negative, z, s)
        self.do(np.exp, s, s)
        self.do(np.add, s, self.one, s)
        self.do(np.divide, self.one, s, s)
        return self.do(np.multiply, z, s, y), s

    def of_swish(self, d: Floats, y: Floats, s: Floats) -> Floats:
        """The cotangent of z: ``d (σ(z) + y − y σ(z))``."""
        dz = np.empty_like(y)
        self.do(np.multiply, y, s, dz)
        self.do(np.subtract, y, dz, dz)
        self.do(np.add, dz, s, dz)
        return self.do(np.multiply, dz, d, dz)

    def end(self, y: Floats, t: Floats) -> Floats:
        """``α / b (y − t)``"""
        d = self.do(np.subtract, y, t, np.empty_like(t))
        return self.do(np.multiply, d, self.rate, d)

    def update(self, w: Floats, g: Floats) -> None:
        """``w − g``"""
        self.do(np.subtract, w, g, w)


def _dense(b: ByHand, net: Dense, x: Floats, t: Floats) -> None:
    if b.batch == 1:
        x, t = x[0], t[0]
    xs, inner = [x], list[tuple[Floats, Floats] | None]()
    for i, w in enumerate(b.w):
        lead = () if b.batch == 1 else (b.batch,)
        z = b.new(*lead, len(w))
        b.do(np.dot, w, x, z) if b.batch == 1 else b.do(np.dot, x, w.T, z)
        pair = b.swish(z) if net.is_active(i) else None
        y = pair[0] if pair else z
        inner.append(pair)
        x = b.do(np.add, x, y, np.empty_like(y)) if net.residual else y
        xs.append(x)
    d = b.end(x, t)
    for i in reversed(range(len(b.w))):
        w, x, pair = b.w[i], xs[i], inner[i]
        dz = b.of_swish(d, *pair) if pair else d
        if i:
            dx = b.do(np.dot, dz, w, np.empty_like(x))
            d = b.do(np.add, dx, d, dx) if net.residual else dx
        g = np.empty_like(w)
        b.do(np.dot, dz[:, None], x[None, :], g) if b.batch == 1 else b.do(np.dot, dz.T, x, g)
        b.update(w, g)


class _Convolution:
    """A convolution of signals ``(channel, sample, place)`` as one product of the filters with all windows side by side."""

    def __init__(self, b: ByHand, x: Floats, w: Floats) -> None:
        self.b, self.x, self.w = b, x, w
        d, c, k = w.shape
        n = x.shape[2] - k + 1
        self.taps = [x[:, :, j : j + n] for j in range(k)]
        self.windows = b.new(c, k, x.shape[1], n)
        self.columns = self.windows.reshape(c * k, -1)
        for j, tap in enumerate(self.taps):
            b.do(np.copyto, self.windows[:, j], tap)
        self.y = b.new(d, x.shape[1], n)
        b.do(np.dot, w.reshape(d, -1), self.columns, self.y.reshape(d, -1))

    def update(self, d: Floats) -> None:
        """Takes the cotangent of the filters from them."""
        g = np.empty_like(self.w)
        self.b.do(np.dot, d.reshape(len(d), -1), self.columns.T, g.reshape(len(g), -1))
        self.b.update(self.w, g)

    def backward(self, d: Floats) -> Floats:
        """The cotangent of x."""
        b, (m, c, k) = self.b, self.w.shape
        windows = np.empty_like(self.windows)
        b.do(np.dot, self.w.reshape(m, c * k).T, d.reshape(m, -1), windows.reshape(c * k, -1))
        if k == 1:
            return windows[:, 0]
        dx = np.empty_like(self.x)
        n = d.shape[2]
        b.do(dx.fill, 0)
        for j in range(k):
            place = dx[:, :, j : j + n]
            b.do(np.add, place, windows[:, j], place)
        return dx


def _halves(x: Floats) -> tuple[Floats, Floats]:
    return x[:, :, ::2], x[:, :, 1::2]


def _pool(b: ByHand, x: Floats, out: Floats) -> Floats:
    """The larger of each two; where the number is odd, the last one alone."""
    even, odd = _halves(x)
    pairs = odd.shape[2]
    b.calls.append(partial(np.maximum, even[:, :, :pairs], odd, out=out[:, :, :pairs]))
    if even.shape[2] > pairs:
        b.do(np.copyto, out[:, :, pairs:], even[:, :, pairs:])
    return out


def _of_pool(b: ByHand, d: Floats, x: Floats) -> Floats:
    even, odd = _halves(x)
    pairs = odd.shape[2]
    first = np.empty(odd.shape, np.bool_)
    dx = np.empty_like(x)
    of_even, of_odd = _halves(dx)
    b.do(np.greater_equal, even[:, :, :pairs], odd, first)
    b.do(np.multiply, d[:, :, :pairs], first, of_even[:, :, :pairs])
    b.do(np.subtract, d[:, :, :pairs], of_even[:, :, :pairs], of_odd)
    if even.shape[2] > pairs:
        b.do(np.copyto, of_even[:, :, pairs:], d[:, :, pairs:])
    return dx


def _channels_first(x: Floats) -> Floats:
    return np.ascontiguousarray(x.transpose(1, 0, 2))


def _cnn(b: ByHand, net: Cnn, x: Floats, t: Floats) -> None:
    filters, matrix = b.w
    size, pooled = b.batch, net.pooled
    conv = _Convolution(b, _channels_first(x), filters)
    y, s = b.swish(conv.y)
    flat = b.new(size, net.channels, pooled)
    _pool(b, y, flat.transpose(1, 0, 2))
    flat = flat.reshape(size, -1)
    d = b.end(b.do(np.dot, flat, matrix.T, b.new(size, net.classes)), t)
    of_flat = b.do(np.dot, d, matrix, np.empty_like(flat)).reshape(size, net.channels, pooled)
    b.update(matrix, b.do(np.dot, d.T, flat, np.empty_like(matrix)))
    conv.update(b.of_swish(_of_pool(b, of_flat.transpose(1, 0, 2), y), y, s))


class _Upscaled:
    """The nearest entry at each of m places, written to a part of ``out``; the backward pass sums over those places."""

    def __init__(self, b: ByHand, x: Floats, out: Floats) -> None:
        self.b, self.n = b, x.shape[2]
        places = nearest(self.n, out.shape[2])
        self.starts = np.searchsorted(places, np.arange(self.n))
        b.calls.append(partial(np.take, x, places, 2, out, "clip"))

    def backward(self, d: Floats) -> Floats:
        """The cotangent of x."""
        dx = self.b.new(*d.shape[:2], self.n)
        self.b.calls.append(partial(np.add.reduceat, d, self.starts, 2, None, dx))
        return dx


def _unet(b: ByHand, net: Unet, x: Floats, t: Floats) -> None:
    a, a1, a2, e, e1, e2, bottom = b.w
    (n0, n1, n2), size, c, d = net.lengths, b.batch, net.c, net.d
    x, t = _channels_first(x), _channels_first(t)
    low, mid, top = np.zeros((d, size, n2 + 2), x.dtype), b.new(c + d, size, n1), b.new(1 + c, size, n0)
    padded, end = np.zeros((c, size, n1), x.dtype), np.zeros((1, size, n0), x.dtype)
    b.do(np.copyto, top[:1], x)
    A = _Convolution(b, x, a)
    E = _Convolution(b, _pool(b, A.y, mid[:c]), e)
    _pool(b, E.y, low[:, :, 1:-1])
    B = _Convolution(b, low, bottom)
    up1 = _Upscaled(b, B.y, mid[c:])
    E1 = _Convolution(b, mid, e1)
    E2 = _Convolution(b, E1.y, e2)
    y, s = b.swish(E2.y)
    b.do(np.copyto, padded[:, :, 1:-1], y)
    up0 = _Upscaled(b, padded, top[1:])
    A1 = _Convolution(b, top, a1)
    A2 = _Convolution(b, A1.y, a2)
    z, r = b.swish(A2.y)
    b.do(np.copyto, end[:, :, 1:-1], z)
    last = b.of_swish(b.end(end, t)[:, :, 1:-1], z, r)
    of_a1 = A2.backward(last)
    A2.update(last)
    of_top = A1.backward(of_a1)
    A1.update(of_a1)
    inner = b.of_swish(up0.backward(of_top[1:])[:, :, 1:-1], y, s)
    of_e1 = E2.backward(inner)
    E2.update(inner)
    of_mid = E1.backward(of_e1)
    E1.update(of_e1)
    of_b = up1.backward(of_mid[c:])
    of_low = B.backward(of_b)
    B.update(of_b)
    of_e = _of_pool(b, of_low[:, :, 1:-1], E.y)
    of_q = E.backward(of_e)
    E.update(of_e)
    b.do(np.add, of_q, of_mid[:c], of_q)
    A.update(_of_pool(b, of_q, A.y))
