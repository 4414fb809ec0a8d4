"""What the workers of ``cluster_scale`` compute: pieces of a step, and sums of their results."""

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


def piece(weights: Weights, seconds: float) -> Weights:
    """Sleep, and return other numbers of the same size."""
    time.sleep(seconds)
    return weights + 1.0


def total(parts: Sequence[Weights]) -> Weights:
    """The sum, in order."""
    found = parts[0].copy()
    for part in parts[1:]:
        found += part
    return found
