"""The nets of the library, each as a function and as a step of training, with samples to try them on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rh_kernel.syntax.core import Array


@dataclass(frozen=True)
class Net:
    """A program that declares ``predict``, and ``step``, whose static parameter is the target, unless there is none.

    ``target`` is the number of classes, and ``tokens`` that of the whole numbers, if the samples are made of these.
    """

    name: str
    text: str
    shape: tuple[int, ...]
    target: int | None = 10
    tokens: int | None = None

    @property
    def forward(self) -> str:
        """What ``predict`` handles, for the input x."""
        found = re.search(r"net predict.*?\bhandle (.*?) with infer", self.text, re.DOTALL)
        assert found is not None
        return found.group(1)

    def samples(self, count: int, seed: int = 0) -> Array:
        rng = np.random.default_rng(seed)
        if self.tokens is not None:
            return rng.integers(0, self.tokens, (count, *self.shape)).astype(np.float64)
        return rng.normal(size=(count, *self.shape))

    def targets(self, count: int, seed: int = 1) -> Array:
        assert self.target is not None
        return np.eye(self.target)[np.random.default_rng(seed).integers(0, self.target, count)]


def classifier(file: str, net: str, size: str, shape: tuple[int, ...]) -> Net:
    text = f"""
include "{file}"
net predict(x : Real({size})) : Real(10) = handle {net}(x) with infer
net step[t : Real(10)](x : Real({size})) : Real({size}) =
  rev handle (x) <x>. let y <= {net}(x) in return cross_entropy(y, t) with descend(0.1)
"""
    return Net(net, text, shape)


MLP = Net(
    "mlp",
    """
include "sgd.rh"
loc w : Real(5, 3) = glorot(seed=1)
loc b : Real(5) = normal(0.1, seed=2)
loc v : Real(10, 5) = glorot(seed=3)
net mlp(x : Real(3)) : Real(10) = let h <= Affine[w, b](x) in FC[v](swish(h))
net predict(x : Real(3)) : Real(10) = handle mlp(x) with infer
net step[t : Real(10)](x : Real(3)) : Real(3) = rev handle (x) <x>. mlp(x) with sgd(0.1, t)
""",
    (3,),
)

RESIDUAL = Net(
    "residual",
    """
include "sgd.rh"
loc ws[12] : Real(4, 4) = glorot(seed=1)
loc bs[12] : Real(4) = normal(0.1, seed=2)
net deep(x : Real(4)) : Real(4) =
  repeat i < 12 from s = x do let h <= Affine[ws[i], bs[i]](s) in return s + 0.3 * tanh(h)
net predict(x : Real(4)) : Real(4) = handle deep(x) with infer
net step[t : Real(4)](x : Real(4)) : Real(4) = rev handle (x) <x>. deep(x) with sgd(0.1, t)
""",
    (4,),
    4,
)

SEQUENCE = Net(
    "sequence",
    """
include "gru.rh"
loc rows_w[3] : Real(5, 2 + 5) = glorot(seed=1)
loc rows_b[3] : Real(5) = normal(0.1, seed=2)
net reader(xs : Real(20, 2)) : Real(20, 5) = let (ys, _) <= gru[rows_w, rows_b](xs) in return ys
net predict(x : Real(20, 2)) : Real(20, 5) = handle reader(x) with infer
net step[t : Real(5)](x : Real(20, 2)) : Real(20, 2) =
  rev handle (x) <x>. let y <= reader(x) in return cross_entropy(reshape[5](slice[19, 20](y)), t) with descend(0.1)
""",
    (20, 2),
    5,
)

CHOICES = Net(
    "choices",
    """
include "sgd.rh"
loc w : Real(3, 3) = glorot(seed=1)
net chosen(x : Real(3)) : Real(3) =
  let h <= FC[w](x) in
  if sum(h) > 0 then FC[w](h) else return 2 * h
net predict(x : Real(3)) : Real(3) = handle chosen(x) with infer
net step[t : Real(3)](x : Real(3)) : Real(3) = rev handle (x) <x>. chosen(x) with sgd(0.1, t)
""",
    (3,),
    3,
)

DROPOUT = Net(
    "dropout",
    """
include "sgd.rh"
loc w : Real(5, 4) = glorot(seed=1)
loc v : Real(3, 5) = glorot(seed=2)
net layer(x : Real(4)) : Real(5) = let h <= FC[w](x) in return tanh(h)
net predict(x : Real(4)) : Real(3) = handle (let h <= layer(x) in FC[v](h)) with infer
net error(x : Real(4), t : Real(3)) : Real =
  let h <= layer(x) in
  let e <= Normal() in
  let u <= Uniform[5]() in
  let y <= FC[v](exp(0.1 * e) * h * step(u - fill[5](0.5))) in
  return cross_entropy(y, t)
net step[t : Real(3)](x : Real(4)) : Real(4) = rev handle (x) <x>. error(x, t) with descend(0.1)
""",
    (4,),
    3,
)

ADAM = Net(
    "adam",
    """
include "adam.rh"
loc w : Real(1, 3) = glorot(seed=1)
net error(x : Real(3), t : Real(2)) : Real = let y <= FC[w](x) in return dot(y, y) + dot(t, t)
net predict(x : Real(3)) : Real(1) = handle FC[w](x) with infer
net step[t : Real(2)](x : Real(3)) : Real(3) =
  handle (rev handle (x) <x>. error(x, t) with backprop) with adam(0.1)
""",
    (3,),
    2,
)

ATTENTION = Net(
    "attention",
    """
include "attention.rh"
loc table : Real(7, 6) = normal(1, seed=1)
loc g : Real(6) = ones
loc s : Real(6) = zeros
loc w : Real(18, 6) = glorot(seed=2)
loc b : Real(18) = zeros
loc m : Real(6, 6) = glorot(seed=3)
loc c : Real(6) = zeros
loc v : Real(5, 6) = glorot(seed=4)
net scores(x : Real(4)) : Real(5) =
  let y <= Embed[table](x) in
  let z <= LayerNorm[g, s](y) in
  let z <= attention[2, w, b, m, c](z, causal(fill[4](1))) in
  FC[v](reshape[6](slice[3, 4](y + z)))
net predict(x : Real(4)) : Real(5) = handle scores(x) with infer
net step[t : Real(5)](x : Real(4)) : Real(4) =
  rev handle (x) <x>. let y <= scores(x) in return cross_entropy(y, t) with descend(0.1)
""",
    (4,),
    5,
    7,
)

CHARACTERS = Net(
    "characters",
    """
include "characters.rh"
net predict(x : Real(33)) : Real(32, 28) = handle guesses(slice[0, 32](x)) with infer
net step(x : Real(33)) : Real(33) = rev handle (x) <x>. surprise(x) with descend(0.1)
""",
    (33,),
    None,
    28,
)

UNET = Net(
    "unet",
    """
include "unet.rh"
net predict(x : Real(1, side, side)) : Real(1, side, side) = handle unet(x) with infer
net step(x : Real(1, side, side)) : Real(1, side, side) = rev handle (x) <x>. denoising(x) with descend(0.2)
""",
    (1, 8, 8),
    None,
)

VAE = Net(
    "vae",
    """
include "vae.rh"
net predict(x : Real(64)) : Real(2) * Real(2) * Real(64) =
  handle (let (m, v) <= encode(x) in let y <= decode(m) in return (m, v, y)) with infer
net step(x : Real(64)) : Real(64) = rev handle (x) <x>. elbo(x) with descend(0.01)
""",
    (64,),
    None,
)

NETS = (
    MLP,
    RESIDUAL,
    SEQUENCE,
    CHOICES,
    DROPOUT,
    ADAM,
    ATTENTION,
    CHARACTERS,
    UNET,
    VAE,
    classifier("lenet.rh", "lenet", "1, 28, 28", (1, 28, 28)),
    classifier("gru.rh", "gru_digit", "64", (64,)),
    classifier("lstm.rh", "lstm_digit", "64", (64,)),
    classifier("transformer.rh", "digit", "64", (64,)),
)
