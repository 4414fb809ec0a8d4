"""Products of matrices, which are layers where one of them is a parameter."""

import numpy as np

from rh_kernel.interchange.sources import layers, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor


def product(b: Builder, x: Operand, y: Operand) -> Tensor:
    """Return a product; with a matrix of parameters on the right it is a layer."""
    is_matrix = isinstance(y, Known) and y.is_weight and y.array.ndim == 2
    if is_matrix and isinstance(y, Known) and isinstance(x, Tensor) and x.shape and x.batch != len(x.shape) - 1:
        return layers.linear(b, x, y.moved(lambda array: np.ascontiguousarray(array.T)), None)
    return tensors.matmul(b, x, y)
