"""Linear and bilinear symbols ``scale matmul transpose outer dot``: ``·``, ``∗``, ``(−)ᵀ`` of RH §5.3."""

import math
from types import ModuleType

from rh_kernel.primitives.formulas import (
    MATRIX_MATRIX,
    MATRIX_VECTOR,
    OUTER,
    SCALE,
    TRANSPOSE,
    TWO_TO_SCALAR,
    Typed,
    dot,
    outer,
    pair,
    scale,
    transpose,
)
from rh_kernel.primitives.row import Kernel, Row
from rh_kernel.primitives.schemes import arguments, extent, rank
from rh_kernel.syntax.core import Array, Primitive


def _scale_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    a, x = v.parts
    return pair(dot(w, x), scale(a, w))


def _scale_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    further = (1,) * (rank(f.codomain) - 1)

    def kernel(a: Array, x: Array) -> Array:
        return a.reshape(a.shape + further) * x

    return kernel if further else xp.multiply


def _matmul_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return pair(outer(w, y) if len(y.dims) == 1 else w @ transpose(y), transpose(x) @ w)


def _matmul_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def matrix_vector(x: Array, y: Array) -> Array:
        if x.ndim > 2:
            return xp.matmul(x, y[..., None])[..., 0]
        return xp.matmul(y, x.T)

    def matrix_matrix(x: Array, y: Array) -> Array:
        if x.ndim > 2 and y.ndim == 2:
            # The rows of all the samples are those of one tall matrix.
            rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
            return xp.matmul(rows, y).reshape(*x.shape[:-1], y.shape[-1])
        return xp.matmul(x, y)

    return matrix_vector if rank(f.codomain) == 1 else matrix_matrix


def _matmul_cost(f: Primitive) -> int:
    x, y = (extent(A) for A in arguments(f))
    return 2 * math.prod(x) * math.prod(y[1:])


def _transpose_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        return x.swapaxes(-1, -2)

    return kernel


def _outer_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    y, x = v.parts
    return pair(w @ x, transpose(w) @ y)


def _outer_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(y: Array, x: Array) -> Array:
        # A product of matrices is a sum, which begins with 0.0, also where it has one term.
        return y[..., :, None] * x[..., None, :] + 0.0

    return kernel


def _dot_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return pair(scale(w, y), scale(w, x))


def _dot_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    axes = tuple(range(-rank(arguments(f)[0]), 0))

    def kernel(x: Array, y: Array) -> Array:
        return xp.sum(x * y, axis=axes)[..., None]

    return kernel


LINEAR_ROWS: tuple[Row, ...] = (
    Row(
        "scale",
        "a scalar a times an array x of any shape",
        "a · x",
        (SCALE,),
        _scale_derivative,
        _scale_kernel,
        lambda f: math.prod(extent(f.codomain)),
    ),
    Row(
        "matmul",
        "the product of a matrix x with a vector or a matrix y",
        "x y",
        (MATRIX_VECTOR, MATRIX_MATRIX),
        _matmul_derivative,
        _matmul_kernel,
        _matmul_cost,
    ),
    Row(
        "transpose",
        "the transpose of a matrix",
        "xᵀ",
        (TRANSPOSE,),
        lambda f, w, x: transpose(w),
        _transpose_kernel,
        lambda f: 0,
    ),
    Row(
        "outer",
        "the matrix of all products of the entries of two vectors y and x",
        "y xᵀ",
        (OUTER,),
        _outer_derivative,
        _outer_kernel,
        lambda f: math.prod(extent(f.codomain)),
    ),
    Row(
        "dot",
        "the inner product of two arrays of one shape",
        "Σᵢ xᵢ yᵢ",
        (TWO_TO_SCALAR,),
        _dot_derivative,
        _dot_kernel,
        lambda f: 2 * math.prod(extent(arguments(f)[0])),
    ),
)
