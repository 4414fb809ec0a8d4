"""The operators of array expressions, which NumPy, PyTorch, JAX and ONNX have in common, and expressions themselves.

An expression has the shape of one sample. If it is batched, its array also has a leading axis of samples, which no operator
names: axes are those of a sample, counted from 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from rh_kernel.loops.ir import Extent
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array, Primitive


class Fold(Enum):
    """How ``Reduce`` and ``Pool`` combine entries."""

    SUM = "sum"
    MAX = "max"
    MEAN = "mean"
    ARGMAX = "argmax"  # the index of the first largest entry; along one axis


class Normalising(Enum):
    """A function of the scores along the last axis."""

    SOFTMAX = "softmax"
    LOG_SOFTMAX = "log_softmax"
    LOGSUMEXP = "logsumexp"  # of length 1 along that axis


@frozen
class Variable:
    """An input, a weight, or the result of an earlier line"""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """An array that is known"""

    array: Array


@frozen
class Scalar:
    """A scalar operation at each entry of arrays that broadcast"""

    op: ScalarOp


@frozen
class Where:
    """``c, x, y ↦`` x where c > 0, else y; they broadcast"""


@frozen
class MatMul:
    """The product of a matrix or a row with a matrix; stacks of matrices broadcast, as for ``numpy.matmul``"""


@frozen
class Reshape:
    """The same entries, in row-major order"""


@frozen
class Transpose:
    """Axis i of the result is axis ``order[i]`` of the argument"""

    order: tuple[int, ...]


@frozen
class Expand:
    """An array broadcast to a shape"""


@frozen
class Batch:
    """``x, y ↦`` x once for each sample of y, which is batched"""


@frozen
class Slice:
    """The entries from ``start`` to ``stop``, without it, along an axis"""

    axis: int
    start: int
    stop: int


@frozen
class Pad:
    """So many entries of one value before and behind the array, along each axis"""

    widths: tuple[tuple[int, int], ...]
    value: float = 0.0


@frozen
class Concat:
    """Arrays one after the other along an axis"""

    axis: int


@frozen
class Reduce:
    """Some axes combined, which have length 1 in the result"""

    fold: Fold
    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The entries at the places of a table of whole numbers along an axis, which becomes the axes of the table"""

    axis: int
    table: "np.ndarray[tuple[int, ...], np.dtype[np.intp]]"


@frozen
class AsSamples:
    """``(n, d…) ↦ (d…)``, batched: each row as a sample; of a batch of b samples, the n b rows are one batch"""


@frozen
class AsRows:
    """``(d…) ↦ (n, d…)``, the inverse; ``batched`` says whether there were samples before"""

    batched: bool


@frozen
class Take:
    """``w, i ↦`` the rows of w, which is not batched, with the numbers i"""


@frozen
class Normalise:
    """A function of the scores along the last axis"""

    function: Normalising


@frozen
class Convolve:
    """``x : (c, n…), w : (d, c, k…) ↦ (d, m…)``, the cross-correlation; w is not batched"""


@frozen
class Windows:
    """``(c, n…) ↦ (c, k…, m…)``: what a filter of these sizes k sees at each place"""

    sizes: tuple[int, ...]


@frozen
class OverlapAdd:
    """``(c, k…, m…) ↦ (c, n…)``: the adjoint of ``Windows``"""


@frozen
class Pool:
    """Each block of these sizes along the axes but the first; the last blocks may be smaller. ``fold`` is MAX or MEAN."""

    fold: Fold
    sizes: tuple[int, ...]


@frozen
class MeanOverBatch:
    """The mean over the samples"""


@frozen
class MeanProduct:
    """``y, x ↦`` the mean over the samples of the matrix products of y and x, both batched"""


Moving: TypeAlias = Reshape | Transpose | Expand | Batch | Slice | Pad | Concat | Rows | AsSamples | AsRows
"""Operators that move entries"""

Computing: TypeAlias = Scalar | Where | MatMul | Reduce | Take | Normalise | Convolve | Windows | OverlapAdd | Pool
"""Operators that compute entries, of each sample by itself"""

Joining: TypeAlias = MeanOverBatch | MeanProduct
"""Operators where the samples of a batch meet"""

Op: TypeAlias = Variable | Constant | Moving | Computing | Joining


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An operator applied to expressions, with the shape of a sample; equal only to itself."""

    op: Op
    args: "tuple[Expr, ...]"
    shape: Extent
    batched: bool

    @property
    def rank(self) -> int:
        """The number of axes of a sample."""
        return len(self.shape)

    @property
    def number(self) -> float | None:
        """The number that all entries of a constant equal, or ``None``."""
        if isinstance(self.op, Constant) and self.op.array.size and (self.op.array == self.op.array.flat[0]).all():
            return float(self.op.array.flat[0])
        return None


Translation: TypeAlias = (
    Callable[[Primitive, Expr], Expr] | Callable[[Primitive, Expr, Expr], Expr] | Callable[[Primitive, Expr, Expr, Expr], Expr]
)
"""``f, x₁, …, xₙ ↦ f(x₁, …, xₙ)`` for a concrete instance of a symbol and an expression for each argument"""
