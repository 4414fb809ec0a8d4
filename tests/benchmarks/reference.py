"""What every peer has to agree with: steps in float64 by plain NumPy, each formula as one would write it on paper."""

import numpy as np
import numpy.typing as npt

from tests.benchmarks.problems import Arrays, Block, Cnn, Dense, Floats, Gru, Lenet, Problem, Unet

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
            case Lenet() as net:
                gradients = _lenet(net, weights, arrays)
            case Gru():
                gradients = _gru(weights, arrays)
            case Block() as net:
                gradients = _block(net, weights, arrays)
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


def _conv2d(x: Floats, w: Floats) -> Floats:
    seen = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("dcpq,bcijpq->bdij", w, seen, optimize=True)


def _of_conv2d(d: Floats, x: Floats, w: Floats) -> tuple[Floats, Floats]:
    """The cotangents of x and of w."""
    seen = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    (m, n), dx = d.shape[2:], np.zeros_like(x)
    for p, q in np.ndindex(w.shape[2:]):
        dx[:, :, p : p + m, q : q + n] += np.einsum("dc,bdij->bcij", w[:, :, p, q], d)
    return dx, np.einsum("bdij,bcijpq->dcpq", d, seen, optimize=True)


def _means(x: Floats) -> Floats:
    b, c, h, w = x.shape
    return x.reshape(b, c, h // 2, 2, w // 2, 2).mean((3, 5))


def _of_means(d: Floats) -> Floats:
    return d.repeat(2, 2).repeat(2, 3) / 4


def _lenet(net: Lenet, weights: tuple[Floats, ...], arrays: Arrays) -> list[Floats]:
    pairs = list(zip(weights[::2], weights[1::2], strict=True))
    x, seen, ys = arrays.x, list[Floats](), list[Floats]()
    for i, (w, b) in enumerate(pairs):
        seen.append(x)
        y = _conv2d(x, w) + b[:, None, None] if i < 2 else x @ w.T + b
        ys.append(np.tanh(y) if i < 4 else y)
        x = _means(ys[-1]) if i < 2 else ys[-1]
        x = x.reshape(len(x), -1) if i == 1 else x
    d, gradients = x - arrays.t, list[Floats]()
    for i in reversed(range(len(pairs))):
        w, _ = pairs[i]
        if i == 1:
            d = d.reshape(len(d), net.maps[1], net.sides[2], net.sides[2])
        d = _of_means(d) if i < 2 else d
        d = d * (1.0 - ys[i] ** 2) if i < 4 else d
        if i < 2:
            dx, dw = _of_conv2d(d, seen[i], w)
            gradients += [d.sum((0, 2, 3)), dw]
        else:
            dx = d @ w
            gradients += [d.sum(0), d.T @ seen[i]]
        d = dx
    return gradients[::-1]


def sigmoid(z: Floats) -> Floats:
    """``1 / (1 + e⁻ᶻ)``"""
    return 1.0 / (1.0 + np.exp(-z))


def _gru(weights: tuple[Floats, ...], arrays: Arrays) -> list[Floats]:
    wr, wz, wn, ur, uz, un = weights
    h, kept = np.zeros_like(arrays.t), list[tuple[Floats, ...]]()
    for a in arrays.x.swapaxes(0, 1):
        r, z, b = sigmoid(a @ wr.T + h @ ur.T), sigmoid(a @ wz.T + h @ uz.T), h @ un.T
        n = np.tanh(a @ wn.T + r * b)
        kept.append((a, h, r, z, b, n))
        h = n + z * (h - n)
    d, gradients = h - arrays.t, [np.zeros_like(w) for w in weights]
    for a, h, r, z, b, n in reversed(kept):
        dn = d * (1.0 - z) * (1.0 - n**2)
        dr, dz, db = dn * b * r * (1.0 - r), d * (h - n) * z * (1.0 - z), dn * r
        for g, y, x in zip(gradients, (dr, dz, dn, dr, dz, db), (a, a, a, h, h, h), strict=True):
            g += y.T @ x
        d = d * z + dr @ ur + dz @ uz + db @ un
    return gradients


def _normalised(x: Floats) -> tuple[Floats, Floats]:
    """Each row with mean 0 and variance 1, and what it was multiplied by."""
    c = x - x.mean(-1, keepdims=True)
    scale = 1.0 / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5)
    return c * scale, scale


def _of_normalised(d: Floats, n: Floats, scale: Floats) -> Floats:
    return scale * (d - d.mean(-1, keepdims=True) - n * (d * n).mean(-1, keepdims=True))


def _block(net: Block, weights: tuple[Floats, ...], arrays: Arrays) -> list[Floats]:
    g1, s1, l, b, mix, c, g2, s2, up, up_b, down, down_b = weights
    x, size = arrays.x, net.width // net.heads
    lead = (len(x), net.tokens)
    n1, _ = _normalised(x)
    y1 = n1 * g1 + s1
    q, k, v = np.moveaxis((y1 @ l.T + b).reshape(*lead, 3, net.heads, size), (2, 3), (0, 2))
    scores = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(size))
    p = scores / scores.sum(-1, keepdims=True)
    o = (p @ v).swapaxes(1, 2).reshape(x.shape)
    middle = x + o @ mix.T + c
    n2, scale2 = _normalised(middle)
    y2 = n2 * g2 + s2
    inner = np.maximum(y2 @ up.T + up_b, 0.0)
    d = middle + inner @ down.T + down_b - arrays.t
    d_inner = d @ down * (inner > 0)
    of_y2 = d_inner @ up
    of_middle = d + _of_normalised(of_y2 * g2, n2, scale2)
    of_o = (of_middle @ mix).reshape(*lead, net.heads, size).swapaxes(1, 2)
    of_p = of_o @ v.swapaxes(-1, -2)
    of_scores = p * (of_p - (of_p * p).sum(-1, keepdims=True)) / np.sqrt(size)
    parts = (of_scores @ k, of_scores.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ of_o)
    of_qkv = np.moveaxis(np.stack(parts), (0, 2), (2, 3)).reshape(*lead, -1)
    of_y1 = of_qkv @ l

    def product(y: Floats, x: Floats) -> Floats:
        return np.einsum("bti,btj->ij", y, x)

    def total(y: Floats) -> Floats:
        return y.sum((0, 1))

    first = [total(of_y1 * n1), total(of_y1), product(of_qkv, y1), total(of_qkv), product(of_middle, o), total(of_middle)]
    last = [product(d_inner, y2), total(d_inner), product(d, inner), total(d)]
    return [*first, total(of_y2 * n2), total(of_y2), *last]
