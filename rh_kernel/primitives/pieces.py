"""Arrays put together and taken apart along the leading axis: ``concat slice`` (RH Ex. 4.5), at ranks 1 to 4."""

from types import ModuleType

import numpy as np

from rh_kernel.primitives.formulas import CONCAT, SLICE, Typed, concat, pair, rows, zero
from rh_kernel.primitives.row import Kernel, Row
from rh_kernel.primitives.schemes import index, rank
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.types import real


def _concat_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    m, n = (M.dims[0] for M in v.parts)
    return pair(rows(dim(0), m, w), rows(m, m + n, w))


def _concat_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    r = rank(f.codomain)

    def kernel(x: Array, y: Array) -> Array:
        if x.ndim != y.ndim or x.shape[: x.ndim - r] != y.shape[: y.ndim - r]:
            batch = np.broadcast_shapes(x.shape[: x.ndim - r], y.shape[: y.ndim - r])
            x, y = (xp.broadcast_to(z, batch + z.shape[z.ndim - r :]) for z in (x, y))
        return xp.concatenate((x, y), axis=-r)

    return kernel


def _slice_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    n, *rest = x.dims
    lo, hi = (a for a in f.at[:2] if isinstance(a, Dim))
    return concat(zero(real(lo, *rest)), concat(w, zero(real(n - hi, *rest))))


def _slice_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    taken = (..., slice(index(f, 0), index(f, 1)), *(slice(None),) * (rank(f.codomain) - 1))

    def kernel(x: Array) -> Array:
        return x[taken]

    return kernel


PIECE_ROWS: tuple[Row, ...] = (
    Row(
        "concat",
        "concat(x, y): the rows of x and then those of y, which differ in the leading axis at most",
        "x₀, …, xₘ₋₁, y₀, …, yₙ₋₁",
        CONCAT,
        _concat_derivative,
        _concat_kernel,
        lambda f: 0,
    ),
    Row(
        "slice",
        "slice[lo, hi](x): the rows lo, …, hi − 1 of x, counted from 0 along the leading axis",
        "yᵢ = xₗₒ₊ᵢ",
        SLICE,
        _slice_derivative,
        _slice_kernel,
        lambda f: 0,
    ),
)
