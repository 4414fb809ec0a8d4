"""JAX: a step as one jitted function that may keep its weights; also with the layers in a loop, and with the steps in one."""

import os
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from tests.benchmarks.peers.peer import Precision, Unavailable
from tests.benchmarks.problems import Arrays, Block, Cnn, Dense, Floats, Gru, Lenet, Net, Problem, Unet
from tests.benchmarks.reference import nearest

SCANNED = 3
"""Layers from which on it makes sense to put them into a loop."""


UNROLLED = 300
"""Layers up to which a loop of steps is compiled with one layer written under the other."""


def _jax() -> Any:
    if find_spec("jax") is None:
        raise Unavailable("not installed")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax: Any = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


class Jit:
    """One call a step."""

    def __init__(
        self,
        problem: Problem,
        arrays: Arrays,
        precision: Precision,
        *,
        scan: bool = False,
        windows: bool = False,
        loop: bool = False,
    ) -> None:
        if windows and isinstance(problem.net, Dense | Gru | Block):
            raise Unavailable("no convolution")
        if loop and not scan and len(problem.net.shapes) > UNROLLED:
            raise Unavailable("takes too long to compile")
        if scan and not (isinstance(problem.net, Dense) and not problem.net.linear and len(problem.net.shapes) >= SCANNED):
            raise Unavailable("no layers of one size")
        self.jax = jax = _jax()
        jnp: Any = import_module("jax.numpy")
        self.loop = loop
        weights = [np.stack(arrays.weights)] if scan else list(arrays.weights)
        self.w: Any = tuple([jnp.array(w, precision) for w in weights])
        self.x, self.t = jnp.array(arrays.x, precision), jnp.array(arrays.t, precision)
        forward = _forward(problem.net, jax, jnp, scan=scan, windows=windows)
        rate = problem.alpha / problem.batch

        def loss(w: Any, x: Any, t: Any) -> Any:
            return 0.5 * jnp.sum((forward(w, x) - t) ** 2)

        def step(w: Any, x: Any, t: Any) -> Any:
            return tuple([v - rate * g for v, g in zip(w, jax.grad(loss)(w, x, t), strict=True)])

        def many(w: Any, x: Any, t: Any, steps: Any) -> Any:
            def again(_: Any, w: Any) -> Any:
                return step(w, x, t)

            return jax.lax.fori_loop(0, steps, again, w)

        self.step = jax.jit(many if loop else step, donate_argnums=0)

    def run(self, steps: int) -> None:
        """The steps, and a wait for the last one."""
        step, w, x, t = self.step, self.w, self.x, self.t
        if self.loop:
            w = step(w, x, t, steps)
        else:
            for _ in range(steps):
                w = step(w, x, t)
        self.w = self.jax.block_until_ready(w)

    def weights(self) -> tuple[Floats, ...]:
        """Copies; a stack is taken apart."""
        found = [np.array(w) for w in self.w]
        return tuple(found[0]) if len(found) == 1 and found[0].ndim == 3 and len(self.x.shape) == 2 else tuple(found)


scan = partial(Jit, scan=True)
windows = partial(Jit, windows=True)
loop = partial(Jit, loop=True)
loop_of_scan = partial(Jit, loop=True, scan=True)
loop_of_windows = partial(Jit, loop=True, windows=True)


def _forward(net: Net, jax: Any, jnp: Any, *, scan: bool, windows: bool) -> Any:
    swish = jax.nn.silu
    conv = (
        _windows(jnp)
        if windows
        else partial(jax.lax.conv_general_dilated, window_strides=(1,), dimension_numbers=("NCH", "OIH", "NCH"))
    )
    conv = conv if windows else partial(conv, padding="VALID")
    match net:
        case Dense():
            last = len(net.shapes) - 1

            def layer(x: Any, v: Any) -> tuple[Any, None]:
                y = swish(x @ v.T)
                return (x + y if net.residual else y), None

            def forward(w: Any, x: Any) -> Any:
                if scan:
                    return jax.lax.scan(layer, x, w[0])[0]
                for i, v in enumerate(w):
                    x = x @ v.T if net.linear and i == last else layer(x, v)[0]
                return x
        case Cnn():

            def forward(w: Any, x: Any) -> Any:
                return _pool(jnp, swish(conv(x, w[0]))).reshape(len(x), -1) @ w[1].T
        case Unet():
            n0, n1, n2 = net.lengths

            def forward(w: Any, x: Any) -> Any:
                a, a1, a2, b, b1, b2, bottom = w
                q = _pool(jnp, conv(x, a))
                m = conv(_pad(jnp, _pool(jnp, conv(q, b))), bottom)
                v = conv(conv(jnp.concatenate([q, _upscale(jnp, m, n2, n1)], 1), b1), b2)
                y = _pad(jnp, swish(v))
                h = conv(conv(jnp.concatenate([x, _upscale(jnp, y, n1, n0)], 1), a1), a2)
                return _pad(jnp, swish(h))
        case Lenet():
            images = _windows_of_images(jnp) if windows else partial(jax.lax.conv, window_strides=(1, 1), padding="VALID")

            def forward(w: Any, x: Any) -> Any:
                for i in (0, 2):
                    y = jnp.tanh(images(x, w[i]) + w[i + 1][:, None, None])
                    b, c, m, n = y.shape
                    x = y.reshape(b, c, m // 2, 2, n // 2, 2).mean((3, 5))
                x = jnp.tanh(x.reshape(len(x), -1) @ w[4].T + w[5])
                return jnp.tanh(x @ w[6].T + w[7]) @ w[8].T + w[9]
        case Gru():

            def forward(w: Any, x: Any) -> Any:
                wr, wz, wn, ur, uz, un = w

                def cell(h: Any, a: Any) -> tuple[Any, None]:
                    r, z = jax.nn.sigmoid(a @ wr.T + h @ ur.T), jax.nn.sigmoid(a @ wz.T + h @ uz.T)
                    n = jnp.tanh(a @ wn.T + r * (h @ un.T))
                    return n + z * (h - n), None

                return jax.lax.scan(cell, jnp.zeros_like(x[:, 0]), jnp.swapaxes(x, 0, 1))[0]
        case Block():
            size = net.width // net.heads

            def forward(w: Any, x: Any) -> Any:
                g1, s1, l, b, mix, c, g2, s2, up, up_b, down, down_b = w
                y = _normalised(jnp, x) * g1 + s1
                parts = (y @ l.T + b).reshape(len(x), net.tokens, 3, net.heads, size)
                q, k, v = jnp.moveaxis(parts, (2, 3), (0, 2))
                looks = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / np.sqrt(size).astype(x.dtype))
                x = x + jnp.moveaxis(looks @ v, 1, 2).reshape(x.shape) @ mix.T + c
                y = _normalised(jnp, x) * g2 + s2
                return x + jax.nn.relu(y @ up.T + up_b) @ down.T + down_b

    return forward


def _normalised(jnp: Any, x: Any) -> Any:
    c = x - jnp.mean(x, -1, keepdims=True)
    return c / jnp.sqrt(jnp.mean(c * c, -1, keepdims=True) + 1e-5)


def _windows(jnp: Any) -> Any:
    """A convolution as one product with all windows, which XLA's own convolution is not always faster than."""

    def conv(x: Any, w: Any) -> Any:
        d, c, k = w.shape
        n = x.shape[2] - k + 1
        columns = jnp.concatenate([x[:, :, j : j + n] for j in range(k)], 1)
        return jnp.einsum("dc,bcn->bdn", w.transpose(0, 2, 1).reshape(d, k * c), columns)

    return conv


def _windows_of_images(jnp: Any) -> Any:
    """The same for images."""

    def conv(x: Any, w: Any) -> Any:
        d, _, p, q = w.shape
        m, n = x.shape[2] - p + 1, x.shape[3] - q + 1
        columns = jnp.concatenate([x[:, :, i : i + m, j : j + n] for i in range(p) for j in range(q)], 1)
        return jnp.einsum("dc,bcij->bdij", w.transpose(0, 2, 3, 1).reshape(d, -1), columns)

    return conv


def _pool(jnp: Any, x: Any) -> Any:
    even, odd = x[:, :, ::2], x[:, :, 1::2]
    pairs = odd.shape[2]
    y = jnp.where(even[:, :, :pairs] >= odd, even[:, :, :pairs], odd)
    return y if even.shape[2] == pairs else jnp.concatenate([y, even[:, :, pairs:]], 2)


def _pad(jnp: Any, x: Any) -> Any:
    return jnp.pad(x, ((0, 0), (0, 0), (1, 1)))


def _upscale(jnp: Any, x: Any, n: int, m: int) -> Any:
    """A product with a matrix of zeros and ones: its transpose is fast too, unlike that of a look-up."""
    return x @ jnp.array(np.eye(n)[:, nearest(n, m)], x.dtype)
