"""Symbols that spread, collect or rearrange entries: ``fill sum mean reshape broadcast_rows sum_rows``.

Each is linear, so its derivative is its adjoint, which is built from them again.
"""

import math
from types import ModuleType

from rh_kernel.primitives.formulas import (
    BROADCAST_ROWS,
    FILL,
    RESHAPE,
    SUM_ROWS,
    TO_SCALAR,
    Typed,
    broadcast_rows,
    fill,
    number,
    reshape,
    sum_rows,
    total,
)
from rh_kernel.primitives.row import Kernel, Row
from rh_kernel.primitives.schemes import extent, rank
from rh_kernel.syntax.core import Array, Primitive


def _entries(f: Primitive) -> int:
    return math.prod(extent(f.domain))


def _fill_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    shape = extent(f.codomain)
    further = (1,) * (len(shape) - 1)

    def kernel(a: Array) -> Array:
        return xp.broadcast_to(a.reshape(a.shape + further), a.shape[:-1] + shape)

    return kernel


def _sum_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    axes = tuple(range(-rank(f.domain), 0))

    def kernel(x: Array) -> Array:
        return xp.sum(x, axis=axes)[..., None]

    return kernel


def _mean_derivative(f: Primitive, w: Typed, x: Typed) -> Typed:
    # The number of entries is itself a formula, so that it may depend on dimension variables; if it is 0, nothing is divided.
    return fill(x.shape, w) / fill(x.shape, total(fill(x.shape, number(1))))


def _mean_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    axes = tuple(range(-rank(f.domain), 0))
    entries = _entries(f)

    def kernel(x: Array) -> Array:
        return xp.sum(x, axis=axes)[..., None] / max(entries, 1)

    return kernel


def _reshape_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    old, shape = rank(f.domain), extent(f.codomain)

    def kernel(x: Array) -> Array:
        return x.reshape(x.shape[: x.ndim - old] + shape)

    return kernel


def _broadcast_rows_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    shape = extent(f.codomain)

    def kernel(x: Array) -> Array:
        return xp.broadcast_to(x[..., None, :], x.shape[:-1] + shape)

    return kernel


def _sum_rows_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        return xp.sum(x, axis=-2)

    return kernel


STRUCTURAL_ROWS: tuple[Row, ...] = (
    Row(
        "fill",
        "fill[s…](a): the array of shape s all of whose entries are the scalar a",
        "yᵢ = a",
        (FILL,),
        lambda f, w, a: total(w),
        _fill_kernel,
        lambda f: 0,
    ),
    Row(
        "sum",
        "the sum of all entries",
        "Σᵢ xᵢ",
        (TO_SCALAR,),
        lambda f, w, x: fill(x.shape, w),
        _sum_kernel,
        _entries,
    ),
    Row(
        "mean",
        "the mean of all N entries, 0 if there are none",
        "Σᵢ xᵢ / N",
        (TO_SCALAR,),
        _mean_derivative,
        _mean_kernel,
        lambda f: _entries(f) + 1,
    ),
    Row(
        "reshape",
        "reshape[s…](x): the entries of x in row-major order, in the shape s",
        "x",
        (RESHAPE,),
        lambda f, w, x: reshape(x.shape, w),
        _reshape_kernel,
        lambda f: 0,
    ),
    Row(
        "broadcast_rows",
        "broadcast_rows[m](x): the matrix whose m rows are all the vector x",
        "yᵢⱼ = xⱼ",
        (BROADCAST_ROWS,),
        lambda f, w, x: sum_rows(w),
        _broadcast_rows_kernel,
        lambda f: 0,
    ),
    Row(
        "sum_rows",
        "the sum of the rows of a matrix",
        "yⱼ = Σᵢ xᵢⱼ",
        (SUM_ROWS,),
        lambda f, w, x: broadcast_rows(x.dims[0], w),
        _sum_rows_kernel,
        _entries,
    ),
)
