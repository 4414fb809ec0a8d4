"""W6: digits, 64-32-10, 32 samples a batch, to 95 % of the training samples: whole processes, from start to end.

``python -m tests.benchmarks.digits PEER FOLDER`` is the process of a peer. Each takes the samples in order, and stops after the
epoch at whose end it is right often enough. Ours is ``rh run`` on a file with that many epochs, each with its measure.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.problems import Floats, mlp

BATCH, ALPHA, ENOUGH = 32, 0.2, 0.95
SIZE = 1797 // BATCH * BATCH
NET = mlp(64, 32, 10)
MOST = 50

Epoch = Callable[[], tuple[Floats, Floats]]


def prepare(folder: Path) -> None:
    """The samples, and where training begins, in files."""
    from rh_kernel.training.bundled import bundled

    data = bundled("digits")
    np.savez(folder / "digits.npz", x=data.arrays["x"][:SIZE], t=data.arrays["t"][:SIZE])
    rng = np.random.default_rng(0)
    for i, shape in enumerate(NET.shapes):
        np.save(folder / f"w{i}.npy", rng.uniform(-1, 1, shape) * (6 / sum(shape)) ** 0.5)


def program(epochs: int) -> str:
    """Ours, but for the declarations of the net: the training with its measure."""
    return f"""handler infer = {{
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k • (w @ x)
}}
train rev handle (x) <u>. model(u) with sgd({ALPHA}, t)
  for (x, t) in data("digits.npz") epochs {epochs} batch {BATCH}
  measure let y <= handle model(x) with infer in return same_argmax(y, t)
"""


def by_hand(w: list[Floats], x: Floats, t: Floats) -> Epoch:
    """NumPy."""
    v, u = w
    z, s, h, dh = [np.empty((BATCH, 32)) for _ in range(4)]
    d, gv, gu = np.empty((BATCH, 10)), np.empty_like(v), np.empty_like(u)
    rate = ALPHA / BATCH

    def epoch() -> tuple[Floats, Floats]:
        for i in range(0, SIZE, BATCH):
            b = x[i : i + BATCH]
            np.dot(b, v.T, z)
            np.negative(z, s)
            np.exp(s, s)
            np.add(s, 1, s)
            np.divide(1, s, s)
            np.multiply(z, s, h)
            np.dot(h, u.T, d)
            np.subtract(d, t[i : i + BATCH], d)
            np.multiply(d, rate, d)
            np.dot(d.T, h, gu)
            np.dot(d, u, dh)
            np.multiply(h, s, z)
            np.subtract(h, z, z)
            np.add(z, s, z)
            np.multiply(dh, z, dh)
            np.dot(dh.T, b, gv)
            np.subtract(u, gu, u)
            np.subtract(v, gv, v)
        return v, u

    return epoch


def torch_eager(w: list[Floats], x: Floats, t: Floats) -> Epoch:
    """PyTorch with its optimiser."""
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    v, u = [torch.tensor(a, requires_grad=True) for a in w]
    xs, ts = torch.tensor(x).split(BATCH), torch.tensor(t).split(BATCH)
    optimiser = torch.optim.SGD([v, u], lr=ALPHA)

    def epoch() -> tuple[Floats, Floats]:
        for b, c in zip(xs, ts, strict=True):
            optimiser.zero_grad()
            loss = 0.5 * ((torch.nn.functional.silu(b @ v.t()) @ u.t() - c) ** 2).sum() / BATCH
            loss.backward()
            optimiser.step()
        return v.detach().numpy(), u.detach().numpy()

    return epoch


def torch_tuned(w: list[Floats], x: Floats, t: Floats) -> Epoch:
    """PyTorch without an optimiser."""
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    weights = [torch.tensor(a, requires_grad=True) for a in w]
    v, u = weights
    xs, ts = torch.tensor(x).split(BATCH), torch.tensor(t).split(BATCH)

    def epoch() -> tuple[Floats, Floats]:
        for b, c in zip(xs, ts, strict=True):
            y = torch.nn.functional.silu(b @ v.t()) @ u.t()
            gradients = torch.autograd.grad(y, weights, (y.detach() - c).mul_(ALPHA / BATCH))
            with torch.no_grad():
                for a, g in zip(weights, gradients, strict=True):
                    a.sub_(g)
        return v.detach().numpy(), u.detach().numpy()

    return epoch


def jax_scan(w: list[Floats], x: Floats, t: Floats) -> Epoch:
    """JAX, an epoch in one jit."""
    jax: Any = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jnp: Any = import_module("jax.numpy")
    batches = jnp.array(x.reshape(-1, BATCH, 64)), jnp.array(t.reshape(-1, BATCH, 10))
    weights: Any = tuple([jnp.array(a) for a in w])

    def loss(p: Any, b: Any, c: Any) -> Any:
        return 0.5 * jnp.sum((jax.nn.silu(b @ p[0].T) @ p[1].T - c) ** 2) / BATCH

    def step(p: Any, bc: Any) -> Any:
        return tuple([a - ALPHA * g for a, g in zip(p, jax.grad(loss)(p, *bc), strict=True)]), None

    def steps(p: Any, data: Any) -> Any:
        return jax.lax.scan(step, p, data)[0]

    run = jax.jit(steps, donate_argnums=0)

    def epoch() -> tuple[Floats, Floats]:
        nonlocal weights
        weights = run(weights, batches)
        return np.asarray(weights[0]), np.asarray(weights[1])

    return epoch


def autograd(w: list[Floats], x: Floats, t: Floats) -> Epoch:
    """HIPS autograd."""
    watched: Any = import_module("autograd.numpy")

    def loss(p: Any, b: Any, c: Any) -> Any:
        z = watched.dot(b, p[0].T)
        y = watched.dot(z / (1 + watched.exp(-z)), p[1].T) - c
        return 0.5 * watched.sum(y * y) / BATCH

    gradient: Any = import_module("autograd").grad(loss)

    def epoch() -> tuple[Floats, Floats]:
        for i in range(0, SIZE, BATCH):
            for a, g in zip(w, gradient(w, x[i : i + BATCH], t[i : i + BATCH]), strict=True):
                a -= ALPHA * g
        return w[0], w[1]

    return epoch


PEERS: dict[str, tuple[str, Callable[[list[Floats], Floats, Floats], Epoch]]] = {
    "NumPy by hand": ("numpy", by_hand),
    "torch eager": ("torch", torch_eager),
    "torch tuned": ("torch", torch_tuned),
    "jax scan": ("jax", jax_scan),
    "autograd": ("autograd", autograd),
}
"""The library that a peer needs, and how it trains."""


def installed() -> tuple[str, ...]:
    """The peers whose library is there."""
    return tuple([name for name, (library, _) in PEERS.items() if find_spec(library) is not None])


def train(peer: str, folder: Path) -> tuple[int, float]:
    """Epochs until it is right often enough, and how often it is right then."""
    with np.load(folder / "digits.npz") as data:
        x, t = data["x"], data["t"]
    epoch = PEERS[peer][1]([np.load(folder / f"w{i}.npy") for i in range(2)], x, t)
    labels = t.argmax(1)
    for number in range(1, MOST + 1):
        v, u = epoch()
        z = x @ v.T
        right = float(np.mean(((z / (1 + np.exp(-z))) @ u.T).argmax(1) == labels))
        if right >= ENOUGH:
            return number, right
    raise SystemExit(f"{peer} is not right often enough after {MOST} epochs")


if __name__ == "__main__":
    print(*train(sys.argv[1], Path(sys.argv[2])))
