"""Gaussian mixtures as in ADBench (Sigal 2024, §6.3, listing A.37): the data, and the objective and gradient in NumPy.

There are N points in D dimensions and K components; component k has weight ``αₖ``, mean ``μₖ`` and the inverse root of a
covariance ``Qₖ = diag(exp qₖ) + Lₖ``, whose ``(qₖ, lₖ)`` is a row of ``icf``; lₖ fills Lₖ below the diagonal, column by column.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mixture:
    """What the objective is a function of, ``α``, ``μ`` and ``icf``, and what it is given, ``x``, ``γ`` and m"""

    alphas: Array
    means: Array
    icf: Array
    x: Array
    gamma: float = 1.0
    m: int = 0

    @property
    def variables(self) -> tuple[Array, Array, Array]:
        """``α``, ``μ`` and ``icf``"""
        return self.alphas, self.means, self.icf

    @property
    def count(self) -> int:
        """How many independent variables there are."""
        return sum(a.size for a in self.variables)


def drawn(d: int, k: int, n: int = 1000, seed: int = 0) -> Mixture:
    """A mixture of that size, by chance."""
    chance = np.random.default_rng(seed)
    alphas, means, x = chance.normal(size=k), chance.uniform(size=(k, d)), chance.normal(size=(n, d))
    return Mixture(alphas, means, chance.normal(size=(k, d + d * (d - 1) // 2)) * d**-0.5, x)


def below(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places below the diagonal, rows and columns, column by column."""
    columns, rows = np.triu_indices(d, 1)
    return rows, columns


def constant(n: int, d: int, k: int, gamma: float, m: int) -> float:
    """What of the objective depends on sizes, ``γ`` and m alone."""
    wide = d + m + 1
    gammas = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * wide - 0.5 * j) for j in range(d))
    prior = wide * d * math.log(gamma / math.sqrt(2)) - gammas
    return -0.5 * n * d * math.log(2 * math.pi) - k * prior


def objective(of: Mixture) -> float:
    """The objective of listing A.37 (eq. 6.1 leaves constants out); arrays may be complex."""
    n, d = of.x.shape
    k = len(of.alphas)
    q, l = of.icf[:, :d], of.icf[:, d:]
    lower = np.zeros((k, d, d), of.icf.dtype)
    lower[:, *below(d)] = l
    centred = of.x - of.means[:, None]
    whitened = np.exp(q)[:, None] * centred + centred @ lower.swapaxes(1, 2)
    inner = (of.alphas + q.sum(1))[:, None] - 0.5 * (whitened**2).sum(2)
    prior = 0.5 * of.gamma**2 * ((np.exp(q) ** 2).sum() + (l**2).sum()) - of.m * q.sum()
    return _lse(inner).sum() - n * _lse(of.alphas) + prior + constant(n, d, k, of.gamma, of.m)


def _lse(a: Array) -> Array:
    """``log Σₖ exp aₖ``"""
    top = a.real.max(0)
    return top + np.log(np.exp(a - top).sum(0))


def gradient(of: Mixture) -> tuple[Array, Array, Array]:
    """The gradient, by hand: what each library has to find."""
    d = of.x.shape[1]
    q, l = of.icf[:, :d], of.icf[:, d:]
    rows, columns = below(d)
    lower = np.zeros((len(q), d, d))
    lower[:, rows, columns] = l
    roots = np.exp(q)
    centred = of.x - of.means[:, None]
    whitened = roots[:, None] * centred + centred @ lower.swapaxes(1, 2)
    inner = (of.alphas + q.sum(1))[:, None] - 0.5 * (whitened * whitened).sum(2)
    shares = np.exp(inner - inner.max(0))
    shares /= shares.sum(0)
    weights = np.exp(of.alphas - of.alphas.max())
    mass = shares.sum(1)
    whitened *= -shares[:, :, None]
    by_roots = (whitened * centred).sum(1)
    by_lower = whitened.swapaxes(1, 2) @ centred
    by_centre = whitened.sum(1)
    by_means = -(roots * by_centre + (by_centre[:, None] @ lower)[:, 0])
    by_q = by_roots * roots + mass[:, None] + of.gamma**2 * roots**2 - of.m
    by_l = by_lower[:, rows, columns] + of.gamma**2 * l
    return mass - len(of.x) * weights / weights.sum(), by_means, np.concatenate([by_q, by_l], 1)
