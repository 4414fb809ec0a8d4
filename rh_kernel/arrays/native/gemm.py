"""C for a ``Contract`` as calls of ``gemm``, the matrix product of a BLAS."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from rh_kernel.arrays.native.c_writer import loop, place
from rh_kernel.arrays.native.scalars import literal
from rh_kernel.arrays.planning.matrices import Laid, matrices
from rh_kernel.loops.ir import Contract

CONTESTED = 1 << 18
"""Products of numbers in a matrix product from which on a BLAS may be faster than a generated kernel."""

NARROW = 8
"""An axis shorter than this makes a matrix product with a vector, or nearly so, for which a BLAS has other routines."""


@dataclass(frozen=True, slots=True)
class Gemm:
    """``C += scale · A · B``, or ``C = …``, for stacks of matrices, of which the first ``summed`` axes are added up in C.

    ``matrices`` are C, A and B: the shape and the strides of each stack. In each matrix, one of the two strides is 1.
    """

    output: Laid
    left: Laid
    right: Laid
    summed: int
    scale: float
    accumulate: bool

    @property
    def shape(self) -> tuple[int, int, int]:
        """The extents m, n and k of one product."""
        (*_, m, n), (*_, k) = self.output[0], self.left[0]
        return m, n, k


def gemm(step: Contract, item: int) -> Gemm | None:
    """Return the contraction as products that are large enough for a BLAS, or ``None`` if it has another form.

    ``item`` is the number of bytes of a number. A BLAS does not look at the factors if the scale is 0.
    """
    found = matrices(replace(step, accumulate=False))
    scale = step.scale if item == 8 else float(np.float32(step.scale))
    if not found.direct or scale == 0 or prod(step.extents) == 0:
        return None
    made = Gemm(found.output, found.left, found.right, found.summed, step.scale, step.accumulate)
    if prod(made.shape) < CONTESTED or min(made.shape) < NARROW:
        return None
    return made if all(_leading(matrix) is not None for matrix in (made.output, made.left, made.right)) else None


def _leading(matrix: Laid) -> tuple[bool, int] | None:
    """Whether the matrix is column-major, and the distance of its rows or columns; ``None`` if neither is contiguous."""
    (m, n), (down, along) = matrix[0][-2:], matrix[1][-2:]
    if along == 1 and down >= n:
        return False, down
    return (True, along) if down == 1 and along >= m else None


def gemm_lines(product: Gemm) -> list[str]:
    """Return C that calls the function ``blas`` on the arrays ``o``, ``l`` and ``r``."""
    layouts = [_leading(matrix) for matrix in (product.output, product.left, product.right)]
    (columns, at_output), (left, at_left), (right, at_right) = [layout for layout in layouts if layout is not None]
    m, n, k = product.shape
    stack = product.left[0][:-2]
    lines = [loop(f"t{i}", extent) for i, extent in enumerate(stack)]
    strides = [(0,) * product.summed + product.output[1][:-2], product.left[1][:-2], product.right[1][:-2]]
    o, a, b = [place(name, [(f"t{i}", s) for i, s in enumerate(steps)]) for name, steps in zip("olr", strides, strict=True)]
    # After the first product of a sum, the others are added.
    later = " | ".join([f"t{i}" for i in range(product.summed)])
    beta = "1" if product.accumulate else f"({later}) ? 1 : 0" if later else "0"
    order = "COLUMN_MAJOR" if columns else "ROW_MAJOR"
    how = [order, *["TRANSPOSED" if flag != columns else "AS_IS" for flag in (left, right)]]
    numbers = [str(m), str(n), str(k), literal(product.scale), a, str(at_left), b, str(at_right), beta, o, str(at_output)]
    return [*lines, f"blas({', '.join([*how, *numbers])});", "}" * len(stack)]
