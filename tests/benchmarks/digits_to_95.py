"""Two nets of the library on the digits, from nothing to 95 %: ``python -m tests.benchmarks --only digits_to_95``.

Seconds from starting a process to having trained LeNet-5 on 28×28 pictures, or the transformer of two blocks on the rows of
8×8 pictures, until 95 % of the unseen digits are right; imports and compilation are counted. PyTorch and JAX begin with the
same weights and take the same steps by gradient descent in batches of 16, in float64, on one core, so they get the same
accuracy. The processes take turns. Peers that are not installed are left out.
"""

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np

from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from tests.benchmarks.goals import Outcome
from tests.benchmarks.process import python
from tests.benchmarks.report import table as markdown

ROUNDS, WANTED, RATE, BATCH, MOST = 5, 0.95, 0.1, 16, 30
TOKENS, WIDTH, HEADS, BLOCKS = 8, 32, 4, 2
KINDS = ("gain1", "shift1", "qkv", "qkv_b", "mix", "mix_b", "gain2", "shift2", "up", "up_b", "down", "down_b")
Scores = Callable[[Mapping[str, Any], Any], Any]
"""``weights, pictures ↦ the scores of the classes``"""


def transformer_in_torch() -> Scores:
    """The net of transformer.rh with PyTorch's functions."""
    f = import_module("torch.nn.functional")

    def scores(w: Mapping[str, Any], x: Any) -> Any:
        x = f.linear(x.reshape(-1, TOKENS, TOKENS), w["row_w"], w["row_b"]) + w["place"]
        for i in range(BLOCKS):
            g1, s1, l, b, mix, c, g2, s2, up, up_b, down, down_b = (w[f"{kind}[{i}]"] for kind in KINDS)
            y = f.linear(f.layer_norm(x, (WIDTH,), g1, s1), l, b)
            heads = (len(x), TOKENS, HEADS, WIDTH // HEADS)
            q, k, v = [part.reshape(heads).transpose(1, 2) for part in y.split(WIDTH, dim=2)]
            y = f.scaled_dot_product_attention(q, k, v)
            x = x + f.linear(y.transpose(1, 2).reshape(x.shape), mix, c)
            x = x + f.linear(f.relu(f.linear(f.layer_norm(x, (WIDTH,), g2, s2), up, up_b)), down, down_b)
        x = f.layer_norm(x, (WIDTH,), w["last_gain"], w["last_shift"])
        return f.linear(x.mean(1), w["class_w"], w["class_b"])

    return scores


def transformer_in_jax() -> Scores:
    """The same in JAX."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def normalised(x: Any, g: Any, s: Any) -> Any:
        c = x - jnp.mean(x, -1, keepdims=True)
        return c / jnp.sqrt(jnp.mean(c * c, -1, keepdims=True) + 1e-5) * g + s

    def scores(w: Mapping[str, Any], x: Any) -> Any:
        x = x.reshape(-1, TOKENS, TOKENS) @ w["row_w"].T + w["row_b"] + w["place"]
        for i in range(BLOCKS):
            g1, s1, l, b, mix, c, g2, s2, up, up_b, down, down_b = (w[f"{kind}[{i}]"] for kind in KINDS)
            y = normalised(x, g1, s1) @ l.T + b
            q, k, v = jnp.moveaxis(y.reshape(-1, TOKENS, 3, HEADS, WIDTH // HEADS), (2, 3), (0, 2))
            looks = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) / np.sqrt(WIDTH // HEADS))
            x = x + jnp.moveaxis(looks @ v, 1, 2).reshape(x.shape) @ mix.T + c
            x = x + jax.nn.relu(normalised(x, g2, s2) @ up.T + up_b) @ down.T + down_b
        x = normalised(x, w["last_gain"], w["last_shift"])
        return jnp.mean(x, 1) @ w["class_w"].T + w["class_b"]

    return scores


def lenet_in_torch() -> Scores:
    """The net of lenet.rh with PyTorch's functions."""
    torch, f = import_module("torch"), import_module("torch.nn.functional")

    def scores(w: Mapping[str, Any], x: Any) -> Any:
        for layer in ("conv1", "conv2"):
            x = f.avg_pool2d(torch.tanh(f.conv2d(x, w[f"{layer}_w"], w[f"{layer}_b"])), 2)
        x = x.flatten(1)
        for layer in ("wide", "narrow"):
            x = torch.tanh(f.linear(x, w[f"{layer}_w"], w[f"{layer}_b"]))
        return f.linear(x, w["classes_w"], w["classes_b"])

    return scores


def lenet_in_jax() -> Scores:
    """The same in JAX."""
    lax, jnp = import_module("jax.lax"), import_module("jax.numpy")

    def scores(w: Mapping[str, Any], x: Any) -> Any:
        for layer in ("conv1", "conv2"):
            y = lax.conv(x, w[f"{layer}_w"], (1, 1), "VALID") + w[f"{layer}_b"][:, None, None]
            x = lax.reduce_window(jnp.tanh(y), 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4
        x = x.reshape(len(x), -1)
        for layer in ("wide", "narrow"):
            x = jnp.tanh(x @ w[f"{layer}_w"].T + w[f"{layer}_b"])
        return x @ w["classes_w"].T + w["classes_b"]

    return scores


@frozen
class Net:
    """A net of the library: its file, its scores, the input in terms of a picture x, and the same elsewhere."""

    file: str
    scores: str
    given: str
    torch: Callable[[], Scores]
    jax: Callable[[], Scores]

    def program(self, epochs: int, measure: str = "") -> str:
        """The program that trains it."""
        return f"""include "{self.file}.rh"
train rev handle ({self.given}) <x>. let y <= {self.scores}(x) in return cross_entropy(y, t) with descend({RATE})
  for (x, t) in data("digits.train") epochs {epochs} batch {BATCH} shuffle 0 {measure}
"""

    @property
    def measure(self) -> str:
        """The accuracy on unseen digits."""
        return (
            f'measure let y <= handle {self.scores}({self.given}) with infer in return same_argmax(y, t) on data("digits.test")'
        )


NETS = {
    "LeNet-5": Net("lenet", "lenet", "enlarge(x)", lenet_in_torch, lenet_in_jax),
    "transformer": Net("transformer", "digit", "x", transformer_in_torch, transformer_in_jax),
}


def prepared(net: Net, folder: Path) -> int:
    """Write the data, the first weights and the program; return the number of epochs that are needed."""
    from rh_kernel import Workspace
    from rh_kernel.source.span import Source, Span
    from rh_kernel.training.data import load
    from rh_kernel.workspace.outcomes import Training

    space = Workspace(folder)
    done = space.run(net.program(MOST, net.measure)).outcomes[-1]
    assert isinstance(done, Training)
    (curve,) = done.measures.values()
    epochs = next(i for i, accuracy in enumerate(curve, start=1) if accuracy >= WANTED)
    space.run("%reset")
    np.savez(folder / "weights.npz", **cast("Any", dict(space.heap)))
    # Which pixel of the picture each number of the input is.
    pixels = np.asarray(space.run(f"let x <- {list(range(64))} in {net.given}").value).astype(int)
    for part in ("train", "test"):
        data = load(f"digits.{part}", folder, {}, Span(Source("bench", ""), 0, 0))
        np.savez(folder / f"{part}.npz", x=np.asarray(data.arrays["x"])[:, pixels], t=np.asarray(data.arrays["t"]))
    (folder / "net.rh").write_text(net.program(epochs), encoding="utf-8")
    return epochs


def batches(size: int, epochs: int) -> Sequence[Array]:
    """The rows of each batch, in the order of ``shuffle 0``."""
    rng = np.random.default_rng(0)
    orders = [rng.permutation(size) for _ in range(epochs)]
    return [order[start : start + BATCH] for order in orders for start in range(0, size, BATCH)]


def with_torch(net: Net, first: Mapping[str, Array], train: Mapping[str, Array], epochs: int) -> Callable[[Array], Array]:
    """Train with PyTorch; the function returned computes scores."""
    torch, f, scores = import_module("torch"), import_module("torch.nn.functional"), net.torch()
    torch.set_num_threads(1)
    w = {name: torch.tensor(array).requires_grad_() for name, array in first.items()}
    x, t = torch.tensor(train["x"]), torch.tensor(train["t"])
    for rows in batches(len(x), epochs):
        f.cross_entropy(scores(w, x[rows]), t[rows]).backward()
        with torch.no_grad():
            for parameter in w.values():
                parameter.sub_(parameter.grad, alpha=RATE)
                parameter.grad = None
    return lambda x: scores(w, torch.tensor(x)).detach().numpy()


def with_jax(net: Net, first: Mapping[str, Array], train: Mapping[str, Array], epochs: int) -> Callable[[Array], Array]:
    """Train with JAX in ``jit``; the function returned computes scores."""
    jax, jnp, scores = import_module("jax"), import_module("jax.numpy"), net.jax()
    jax.config.update("jax_enable_x64", True)

    def loss(w: Any, x: Any, t: Any) -> Any:
        return -jnp.mean(jnp.sum(t * jax.nn.log_softmax(scores(w, x)), -1))

    gradient = jax.grad(loss)

    def update(w: Mapping[str, Any], x: Any, t: Any) -> dict[str, Any]:
        found = gradient(w, x, t)
        return {name: array - RATE * found[name] for name, array in w.items()}

    step, now = jax.jit(update), {name: jnp.asarray(array) for name, array in first.items()}
    for rows in batches(len(train["x"]), epochs):
        now = step(now, train["x"][rows], train["t"][rows])
    return lambda x: np.asarray(scores(now, x))


OTHERS = {"torch": with_torch, "jax": with_jax}


def trained(name: str, who: str, folder: Path, epochs: int) -> float:
    """Train a net with one of the others; return its accuracy."""
    first, train, test = [dict(np.load(folder / f"{part}.npz")) for part in ("weights", "train", "test")]
    y = OTHERS[who](NETS[name], first, train, epochs)(test["x"])
    return float(np.mean(y.argmax(1) == test["t"].argmax(1)))


@frozen
class Raced:
    """Who trained a net: the median of the seconds from the start of a process to its end, and the accuracy if it told one."""

    net: str
    epochs: int
    who: str
    seconds: float
    accuracy: str = ""


def raced(name: str, net: Net, folder: Path) -> list[Raced]:
    """All who are there, on one net, in turns."""
    epochs = prepared(net, folder)
    runs: dict[str, tuple[str, ...]] = {"rh run": ("-m", "rh_kernel", "run", str(folder / "net.rh"))}
    for who in OTHERS:
        if find_spec(who) is not None:
            runs[who] = ("-m", "tests.benchmarks.child", "to_95", name, who, str(folder), str(epochs))
    seconds: dict[str, list[float]] = {who: [] for who in runs}
    said: dict[str, str] = {}
    for _ in range(ROUNDS):
        for who, arguments in runs.items():
            ended = python(*arguments)
            seconds[who].append(ended.seconds)
            said[who] = " ".join(re.findall(r'"accuracy": ([\d.]+)', ended.output))
    return [Raced(name, epochs, who, statistics.median(found), said[who]) for who, found in seconds.items()]


def measure() -> list[dict[str, Any]]:
    """Both nets."""
    found: list[Raced] = []
    for name, net in NETS.items():
        with TemporaryDirectory() as folder:
            found += raced(name, net, Path(folder))
    return [asdict(each) for each in found]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The seconds, and how many times those of ``rh run`` they are."""
    mine = {row["net"]: row["seconds"] for row in rows if row["who"] == "rh run"}
    body = [
        [
            *(row["net"], str(row["epochs"]), row["who"]),
            *(f"{row['seconds']:.2f} s", f"{row['seconds'] / mine[row['net']]:.1f} ×", row["accuracy"]),
        ]
        for row in rows
    ]
    return markdown(["net", "epochs", "who", "seconds", "to rh", "accuracy"], body)


def outcomes(rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """P14: the transformer takes less time than in either library."""
    of = {row["who"]: row["seconds"] for row in rows if row["net"] == "transformer"}
    return [
        Outcome(
            "P14", "transformer to 95 %", f"less time than {who}", f"{seconds / of['rh run']:.2f} ×", of["rh run"] < seconds
        )
        for who, seconds in of.items()
        if who in OTHERS
    ]
