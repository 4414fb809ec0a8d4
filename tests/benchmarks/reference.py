"""What every peer has to agree with: steps in float64 by plain NumPy, each formula as one would write it on paper."""

import numpy as np
import numpy.typing as npt

from tests.benchmarks.problems import Arrays, Cnn, Dense, Floats, Problem, Unet

TOLERANCE = {"float64": 1e-9, "float32": 5e-3}
"""How far the weights may be from the reference after ``STEPS`` steps, relative to how far they moved."""

STEPS = 3


class Disagreement(Exception):
    """A peer does not compute what the others compute."""


def trained(problem: Problem, arrays: Arrays, steps: int = STEPS) -> tuple[Floats, ...]:
    """The weights after so many steps on the same batch."""
    weights = arrays.weights
    for _ in range(steps):
        match problem.net:
            case Dense() as net:
                gradients = _dense(net, weights, arrays)
            case Cnn():
                gradients = _cnn(weights, arrays)
            case Unet() as net:
                gradients = _unet(net, weights, arrays)
        weights = tuple([w - problem.alpha / problem.batch * g for w, g in zip(weights, gradients, strict=True)])
    return weights


def error(arrays: Arrays, expected: tuple[Floats, ...], found: tuple[Floats, ...]) -> float:
    """The largest ``‖found − expected‖∞ / ‖expected − initial‖∞`` of the weights."""
    if [v.shape for v in found] != [w.shape for w in expected]:
        return float("inf")
    moved = zip(arrays.weights, expected, found, strict=True)
    return float(np.max([np.abs(v - w).max() / np.abs(w - start).max() for start, w, v in moved]))


def check(name: str, precision: str, arrays: Arrays, expected: tuple[Floats, ...], found: tuple[Floats, ...]) -> float:
    """The error of a peer. Raises ``Disagreement`` if it is too large."""
    off = error(arrays, expected, found)
    if not off <= TOLERANCE[precision]:
        raise Disagreement(f"{name} is off by {off:.2g} of the movement of the weights, in {precision}")
    return off


def swish(z: Floats) -> Floats:
    """``z σ(z)``"""
    return z / (1.0 + np.exp(-z))


def slope(z: Floats) -> Floats:
    """The derivative of swish: ``σ(z) + z σ(z) (1 − σ(z))``"""
    s = 1.0 / (1.0 + np.exp(-z))
    return s + z * s * (1.0 - s)


def nearest(n: int, m: int) -> npt.NDArray[np.intp]:
    """Which of n entries stands at each of m places: ``⌊i n / m⌋``"""
    return np.arange(m) * n // m


def _dense(net: Dense, weights: tuple[Floats, ...], arrays: Arrays) -> list[Floats]:
    xs, zs = [arrays.x], list[Floats]()
    for i, w in enumerate(weights):
        z = xs[-1] @ w.T
        y = swish(z) if net.is_active(i) else z
        zs.append(z)
        xs.append(xs[-1] + y if net.residual else y)
    d = xs[-1] - arrays.t
    gradients: list[Floats] = []
    for i in reversed(range(len(weights))):
        dz = d * slope(zs[i]) if net.is_active(i) else d
        gradients.append(dz.T @ xs[i])
        d = dz @ weights[i] + (d if net.residual else 0.0)
    return gradients[::-1]


def _conv(x: Floats, w: Floats) -> Floats:
    n = x.shape[2] - w.shape[2] + 1
    return sum((np.einsum("dc,bcn->bdn", w[:, :, j], x[:, :, j : j + n]) for j in range(w.shape[2])), np.zeros(()))


def _of_conv(d: Floats, x: Floats, w: Floats) -> tuple[Floats, Floats]:
    """The cotangents of x and of w."""
    n = d.shape[2]
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for j in range(w.shape[2]):
        dx[:, :, j : j + n] += np.einsum("dc,bdn->bcn", w[:, :, j], d)
        dw[:, :, j] = np.einsum("bdn,bcn->dc", d, x[:, :, j : j + n])
    return dx, dw


def _pool(x: Floats) -> Floats:
    even, odd = x[:, :, ::2], x[:, :, 1::2]
    y = even.copy()
    y[:, :, : odd.shape[2]] = np.maximum(even[:, :, : odd.shape[2]], odd)
    return y


def _of_pool(d: Floats, x: Floats) -> Floats:
    """The cotangent of x: the first of the largest gets it."""
    dx = np.zeros_like(x)
    pairs = x.shape[2] // 2
    first = x[:, :, : 2 * pairs : 2] >= x[:, :, 1::2]
    dx[:, :, ::2] = d
    dx[:, :, : 2 * pairs : 2] *= first
    dx[:, :, 1::2] = d[:, :, :pairs] * ~first
    return dx


def _cnn(weights: tuple[Floats, ...], arrays: Arrays) -> list[Floats]:
    filters, matrix = weights
    z = _conv(arrays.x, filters)
    s = swish(z)
    flat = _pool(s).reshape(len(s), -1)
    d = flat @ matrix.T - arrays.t
    pooled = (d @ matrix).reshape(len(s), s.shape[1], -1)
    return [_of_conv(_of_pool(pooled, s) * slope(z), arrays.x, filters)[1], d.T @ flat]


def _padded(x: Floats) -> Floats:
    return np.pad(x, ((0, 0), (0, 0), (1, 1)))


def _of_upscale(d: Floats, n: int) -> Floats:
    y = np.zeros((*d.shape[:2], n))
    for i, j in enumerate(nearest(n, d.shape[2])):
        y[:, :, j] += d[:, :, i]
    return y


def _unet(net: Unet, weights: tuple[Floats, ...], arrays: Arrays) -> list[Floats]:
    a, a1, a2, b, b1, b2, bottom = weights
    n0, n1, n2 = net.lengths
    x = arrays.x
    p = _conv(x, a)
    q = _pool(p)
    r = _conv(q, b)
    s = _padded(_pool(r))
    m = _conv(s, bottom)
    u = np.concatenate([q, m[:, :, nearest(n2, n1)]], axis=1)
    v = _conv(u, b1)
    w = _conv(v, b2)
    y = _padded(swish(w))
    f = np.concatenate([x, y[:, :, nearest(n1, n0)]], axis=1)
    g = _conv(f, a1)
    h = _conv(g, a2)
    d = _padded(swish(h)) - arrays.t
    dg, da2 = _of_conv(d[:, :, 1:-1] * slope(h), g, a2)
    df, da1 = _of_conv(dg, f, a1)
    dy = _of_upscale(df[:, 1:], n1)
    dv, db2 = _of_conv(dy[:, :, 1:-1] * slope(w), v, b2)
    du, db1 = _of_conv(dv, u, b1)
    ds, dbottom = _of_conv(_of_upscale(du[:, net.c :], n2), s, bottom)
    dq, db = _of_conv(_of_pool(ds[:, :, 1:-1], r), q, b)
    _, da = _of_conv(_of_pool(dq + du[:, : net.c], p), x, a)
    return [da, da1, da2, db, db1, db2, dbottom]
