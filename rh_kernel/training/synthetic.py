"""Small synthetic data sets, always the same: ``xor``, ``moons``, ``spiral`` and ``adding``."""

import numpy as np

from rh_kernel.syntax.core import Array
from rh_kernel.training.samples import one_hot


def xor() -> dict[str, Array]:
    """The corners of the unit square: x : Real(2), and t : Real(1) is 1 where exactly one coordinate is."""
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    return {"x": x, "t": (x.sum(axis=1, keepdims=True) == 1.0).astype(np.float64)}


def moons(size: int = 300, noise: float = 0.1) -> dict[str, Array]:
    """Two interleaved half circles: x : Real(2), and t : Real(1) is 0 on the upper one and 1 on the lower.

    The samples alternate between them. The noise is normal, with standard deviation ``noise``.
    """
    lower = np.arange(size) % 2 == 1
    angle = np.pi * (np.arange(size) // 2) / (size // 2 - 1)
    x = np.column_stack([np.cos(angle), np.sin(angle)])
    x[lower] = [1.0, 0.5] - x[lower]
    x += np.random.default_rng(0).normal(0.0, noise, x.shape)
    return {"x": x, "t": lower[:, None].astype(np.float64)}


def spiral(size: int = 300, noise: float = 0.2) -> dict[str, Array]:
    """Three spiral arms around the origin, one per class: x : Real(2) in the unit disc, and t : Real(3) is one-hot.

    The samples cycle through the arms. An arm turns by 4 radians; its angle has normal noise of standard deviation ``noise``.
    """
    arm = np.arange(size) % 3
    radius = np.linspace(0.0, 1.0, size)
    angle = 4.0 * (radius + arm) + np.random.default_rng(0).normal(0.0, noise, size)
    return {"x": np.column_stack([radius * np.sin(angle), radius * np.cos(angle)]), "t": one_hot(arm, 3)}


def adding(size: int = 1000, length: int = 100) -> dict[str, Array]:
    """Sequences of pairs, and t : Real(1) is the sum of the two numbers that are marked in each.

    A row of x : Real(length, 2) is a uniform number from [0, 1) and its mark, 0 or 1. One row in each half is marked
    (S. Hochreiter and J. Schmidhuber, "Long short-term memory", 1997, and Q. Le et al., 2015).
    """
    random = np.random.default_rng(0)
    numbers, marks = random.random((size, length)), np.zeros((size, length))
    half = length // 2
    first, second = random.integers(0, half, size), random.integers(half, length, size)
    samples = np.arange(size)
    marks[samples, first] = marks[samples, second] = 1.0
    return {"x": np.stack([numbers, marks], axis=2), "t": (numbers * marks).sum(axis=1, keepdims=True)}
