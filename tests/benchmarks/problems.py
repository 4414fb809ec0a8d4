"""W1–W5 and W7–W9: the networks that are trained, at which sizes, and the arrays that every peer gets.

A step runs a batch of samples forward and backward and takes ``α ∂/∂w`` of the mean of ``½ Σ (y − t)²`` from every weight.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Dense:
    """``x ↦ swish(W x)``, and ``+ x`` where it is ``residual``, layer by layer; where ``linear``, the last is ``W x``"""

    name: str
    sizes: tuple[int, ...]
    residual: bool = False
    linear: bool = False

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each weight, in the order of the layers."""
        return tuple([(m, n) for n, m in zip(self.sizes, self.sizes[1:], strict=False)])

    @property
    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of x and of t."""
        return (self.sizes[0],), (self.sizes[-1],)

    def is_active(self, layer: int) -> bool:
        """Whether swish follows that layer."""
        return not (self.linear and layer == len(self.sizes) - 2)


@dataclass(frozen=True, slots=True)
class Cnn:
    """A convolution from 1 channel, swish, the larger of each two, and a linear layer (RH Example 4.4)"""

    name: str
    channels: int
    length: int
    width: int
    classes: int

    @property
    def pooled(self) -> int:
        """How many entries are left of each channel."""
        return -(-(self.length - self.width + 1) // 2)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each weight: the filters, then the matrix."""
        return (self.channels, 1, self.width), (self.classes, self.channels * self.pooled)

    @property
    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of x and of t."""
        return (1, self.length), (self.classes,)


@dataclass(frozen=True, slots=True)
class Unet:
    """The U-net of RH Example 4.5: two levels down from 1 channel to c and d, the bottom, two levels up"""

    name: str
    length: int
    c: int
    d: int

    @property
    def lengths(self) -> tuple[int, int, int]:
        """The length of a signal on each level."""
        middle = (self.length - 2) // 2
        return self.length, middle, (middle - 2) // 2

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of ℓ0, ℓ0′, ℓ0″, ℓ1, ℓ1′, ℓ1″ and ℓ2."""
        c, d = self.c, self.d
        return (c, 1, 3), (1, 1 + c, 1), (1, 1, 3), (d, c, 3), (c, c + d, 1), (c, c, 3), (d, d, 3)

    @property
    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of x and of t."""
        return (1, self.length), (1, self.length)


@dataclass(frozen=True, slots=True)
class Lenet:
    """LeNet-5 as in the library: tanh and means of two by two after each of two convolutions, then three layers with tanh"""

    name: str
    side: int
    window: int
    maps: tuple[int, int]
    layers: tuple[int, int, int]

    @property
    def sides(self) -> tuple[int, int, int]:
        """The side of the image, and of the maps after each pooling; it has to be even before."""
        first = (self.side - self.window + 1) // 2
        return self.side, first, (first - self.window + 1) // 2

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each weight, followed by that of its bias, in the order of the layers."""
        (m, n), k = self.maps, self.window
        sizes = (n * self.sides[2] ** 2, *self.layers)
        weights = ((m, 1, k, k), (n, m, k, k), *[(b, a) for a, b in pairwise(sizes)])
        return tuple([shape for w in weights for shape in (w, w[:1])])

    @property
    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of x and of t."""
        return (1, self.side, self.side), (self.layers[-1],)


@dataclass(frozen=True, slots=True)
class Gru:
    """A gated recurrent unit that reads a sequence of vectors and returns its last state; vectors and states have one width"""

    name: str
    steps: int
    width: int

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of W_r, W_z, W_n, which are applied to the vectors, and of U_r, U_z, U_n, applied to the state."""
        return ((self.width, self.width),) * 6

    @property
    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of x and of t."""
        return (self.steps, self.width), (self.width,)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a transformer, normalised first, as in the library: attention of several heads, then two layers"""

    name: str
    tokens: int
    width: int
    heads: int
    inner: int

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of γ₁, β₁, the queries, keys and values, what mixes the heads, γ₂, β₂, and of both layers."""
        w, n = self.width, self.inner
        return (w,), (w,), (3 * w, w), (3 * w,), (w, w), (w,), (w,), (w,), (n, w), (n,), (w, n), (w,)

    @property
    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of x and of t."""
        return (self.tokens, self.width), (self.tokens, self.width)


Counted: TypeAlias = Dense | Cnn | Unet | Lenet
"""The networks whose operations are counted by hand."""
Net: TypeAlias = Counted | Gru | Block

GAINS = (0, 6)
"""Which weights of a ``Block`` are gains, which begin near 1."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """Where training begins, and one batch of samples, in float64"""

    weights: tuple[Floats, ...]
    x: Floats
    t: Floats


@dataclass(frozen=True, slots=True)
class Problem:
    """A network trained in steps of ``batch`` samples"""

    workload: str
    net: Net
    batch: int
    alpha: float = 0.05

    @property
    def key(self) -> str:
        """What the tables call it."""
        return f"{self.net.name}/b{self.batch}"

    def arrays(self, seed: int = 0) -> Arrays:
        """The same for everybody."""
        rng = np.random.default_rng(seed)
        first, last = self.net.ends
        is_chain = _is_chain(self.net)
        x = rng.normal(0.0, 0.1 if is_chain else 1.0, (self.batch, *first))
        scale = len(self.net.shapes) ** -0.5 if isinstance(self.net, Dense) and self.net.residual else 1.0
        weights = _chained(self.net, x, rng) if is_chain else tuple([_drawn(s, scale, rng) for s in self.net.shapes])
        if isinstance(self.net, Block):
            weights = tuple([w + 1.0 if i in GAINS else w for i, w in enumerate(weights)])
        return Arrays(weights, x, rng.normal(0.0, 0.5, (self.batch, *last)))

    @property
    def flops(self) -> int:
        """Operations of one sample's step as one would write it by hand; the input wants no cotangent.

        A product counts two for each multiplication that is added up. Swish counts 5 an entry, its slope backward 4. Raises
        ``ValueError`` for a network whose operations nobody has counted.
        """
        if isinstance(self.net, Gru | Block):
            raise ValueError(f"the operations of {self.net.name} are not counted")
        return 2 * _products(self.net) + _entrywise(self.net)


def mlp(*sizes: int) -> Dense:
    """A multilayer perceptron (RH Example 4.1)."""
    return Dense(f"mlp-{'-'.join(map(str, sizes))}", sizes, linear=True)


def residual(blocks: int, width: int) -> Dense:
    """Blocks ``x + swish(W x)`` (RH Example 4.2)."""
    return Dense(f"res-{blocks}x{width}", (width,) * (blocks + 1), residual=True)


def chain(layers: int, width: int = 8) -> Dense:
    """Layers ``swish(W x)`` of one width."""
    return Dense(f"chain-{layers}x{width}", (width,) * (layers + 1))


def _is_chain(net: Net) -> bool:
    return isinstance(net, Dense) and not net.residual and not net.linear


def _drawn(shape: tuple[int, ...], scale: float, rng: np.random.Generator) -> Floats:
    """Of a bias, numbers of about 0.1; of a weight, such that what it is applied to stays of one size."""
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 100
    return rng.normal(0.0, scale * fan_in**-0.5, shape)


def _chained(net: Net, x: Floats, rng: np.random.Generator) -> tuple[Floats, ...]:
    """Rotations, scaled so that in the last layer as in the first numbers are about 0.1: neither huge nor denormal."""
    weights: list[Floats] = []
    for shape in net.shapes:
        rotation, _ = np.linalg.qr(rng.normal(size=shape))
        z = x @ rotation.T
        w = rotation * (0.1 / np.sqrt(np.mean(z * z)))
        z = x @ w.T
        weights.append(w)
        x = z / (1.0 + np.exp(-z))
    return tuple(weights)


def _products(net: Counted) -> int:
    """The multiplications of one sample's step that are added up."""
    match net:
        case Dense():
            every = sum(m * n for m, n in net.shapes)
            return 3 * every - net.shapes[0][0] * net.shapes[0][1]
        case Cnn():
            filters = net.channels * net.width * (net.length - net.width + 1)
            return 2 * filters + 3 * net.classes * net.channels * net.pooled
        case Unet():
            (n0, n1, n2), c, d = net.lengths, net.c, net.d
            first = c * 3 * (n0 - 2)
            others = (
                d * c * 3 * (n1 - 2) + d * d * 3 * n2 + c * (c + d) * n1 + c * c * 3 * (n1 - 2) + (1 + c) * n0 + 3 * (n0 - 2)
            )
            return 2 * first + 3 * others
        case Lenet():
            (m, n), k, (side, first, _) = net.maps, net.window, net.sides
            dense = sum(a * b for a, b in net.shapes[4::2])
            return 2 * m * k * k * (side - k + 1) ** 2 + 3 * n * m * k * k * (first - k + 1) ** 2 + 3 * dense


def _entrywise(net: Counted) -> int:
    """The operations of one sample's step that are no products: swish, sums of cotangents, pooling, the end."""
    match net:
        case Dense():
            active = sum(m for i, (m, _) in enumerate(net.shapes) if net.is_active(i))
            return (11 if net.residual else 9) * active + 2 * net.sizes[-1]
        case Cnn():
            length = net.length - net.width + 1
            return net.channels * (9 * length + 3 * net.pooled) + 2 * net.classes
        case Unet():
            (n0, n1, n2), c, d = net.lengths, net.c, net.d
            pools = 3 * (c * n1 + d * n2)
            ends = 9 * (c * (n1 - 2) + n0 - 2) + 2 * n0
            return pools + ends + c * n0 + d * n1 + c * n1
        case Lenet():
            # The bias, tanh, its slope (3), the sum for the bias; a mean of four and its share.
            (m, n), k, (side, first, second) = net.maps, net.window, net.sides
            maps = m * (side - k + 1) ** 2 + n * (first - k + 1) ** 2
            means = 5 * (m * first**2 + n * second**2)
            return 6 * (maps + sum(net.layers[:2])) + means + 4 * net.layers[2]


_MLPS = (
    (mlp(2, 3, 1), {1: 0.5}),
    (mlp(16, 32, 8), {1: 0.02, 32: 0.05, 256: 0.05}),
    (mlp(784, 128, 10), {1: 0.001, 32: 0.02, 256: 0.05}),
    (mlp(784, 512, 10), {1: 0.001, 32: 0.02, 256: 0.05}),
)
"""The networks of W1, and α for each number of samples: small enough for training to settle."""
CNN = Cnn("cnn-128", 8, 128, 3, 10)
UNET = Unet("unet-134", 134, 8, 16)
LENET = Lenet("lenet-28", 28, 5, (6, 16), (120, 84, 10))

PROBLEMS: tuple[Problem, ...] = (
    *[Problem("W1", net, batch, alpha) for net, alphas in _MLPS for batch, alpha in alphas.items()],
    *[Problem("W2", residual(16, 64), batch, alpha) for batch, alpha in ((1, 0.0002), (32, 0.001))],
    *[Problem("W3", CNN, batch, 0.01) for batch in (1, 32)],
    *[Problem("W4", chain(layers), 1, alpha) for layers, alpha in ((10, 0.05), (100, 0.005), (1000, 0.01))],
    *[Problem("W5", UNET, batch, 0.001) for batch in (1, 32)],
)
GROWTH: tuple[Problem, ...] = tuple(
    [Problem("growth", residual(n, 8), b, 0.002) for n in (10, 100, 1000) for b in (1, 32, 256)]
)
"""How the time of a step grows with layers and samples."""
IMAGES: tuple[Problem, ...] = (Problem("W7", LENET, 32, 0.01),)
"""Images; not everybody has them, nor what follows."""
ATTENTION: tuple[Problem, ...] = (Problem("W8", Block("block-32x32", 32, 32, 4, 64), 16, 0.001),)
"""A block of a transformer: 32 tokens of width 32, 4 heads, 64 inner units."""
SEQUENCES: tuple[Problem, ...] = tuple(
    [Problem("W9", Gru(f"gru-{n}x64", n, 64), b, 0.01) for n in (10, 100, 1000, 10_000) for b in (1, 32)]
)
"""Sequences that a GRU of width 64 reads."""
MEASURED = (*PROBLEMS, *IMAGES, *ATTENTION, *SEQUENCES)
"""Everything whose steps are timed."""
TINY_NETS: tuple[Problem, ...] = (
    Problem("W7", Lenet("lenet-7", 7, 2, (2, 3), (4, 3, 2)), 1, 0.01),
    Problem("W7", Lenet("lenet-10", 10, 3, (1, 2), (3, 3, 2)), 3, 0.01),
    Problem("W8", Block("block-3x4", 3, 4, 2, 5), 1, 0.01),
    Problem("W8", Block("block-4x6", 4, 6, 3, 2), 3, 0.01),
    Problem("W9", Gru("gru-5x3", 5, 3), 1, 0.1),
    Problem("W9", Gru("gru-4x2", 4, 2), 3, 0.1),
)
"""W7 to W9, small enough to train in a test."""
TINY: tuple[Problem, ...] = (
    Problem("W1", mlp(3, 4, 2), 1),
    Problem("W1", mlp(3, 4, 2), 5),
    Problem("W2", residual(3, 5), 1, 0.01),
    Problem("W2", residual(3, 5), 4, 0.01),
    Problem("W3", Cnn("cnn-11", 3, 11, 4, 2), 1),
    Problem("W3", Cnn("cnn-10", 3, 10, 4, 2), 3),
    Problem("W4", chain(5, 3), 1),
    Problem("W4", chain(5, 3), 2),
    Problem("W5", Unet("unet-14", 14, 2, 3), 1, 0.01),
    Problem("W5", Unet("unet-14", 14, 2, 3), 3, 0.01),
)
"""W1 to W5, small enough to train in a test."""


def problem(key: str) -> Problem:
    """The problem that the tables call so."""
    return next(p for p in (*MEASURED, *GROWTH, *TINY, *TINY_NETS) if p.key == key)
