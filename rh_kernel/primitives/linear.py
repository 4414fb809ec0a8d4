"""Linear and bilinear symbols ``scale matmul transpose outer dot``: ``·``, ``∗``, ``(−)ᵀ`` of RH §5.3."""

import math
from types import ModuleType

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.layouts import Layout, as_scalar, permuted
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.formulas import MATRIX_MATRIX, MATRIX_VECTOR, Typed, pair
from rh_kernel.primitives.schemes import Scheme, arguments, extent, rank
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, no_cost
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import DimVar
from rh_kernel.syntax.types import SCALAR, Product, Real, ShapeVar, real

_s, _m, _n = ShapeVar("s"), DimVar("m"), DimVar("n")

SCALE = Scheme((_s,), (), Product((SCALAR, Real(_s))), Real(_s))
TWO_TO_SCALAR = Scheme((_s,), (), Product((Real(_s), Real(_s))), SCALAR)
TRANSPOSE = Scheme((_m, _n), (), real("m", "n"), real("n", "m"))
OUTER = Scheme((_m, _n), (), Product((real("m"), real("n"))), real("m", "n"))


def _scale_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    a, x = v.parts
    return pair(dot(w, x), scale(a, w))


def _scale_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    further = (1,) * (rank(f.codomain) - 1)

    def kernel(a: Array, x: Array) -> Array:
        return a.reshape(a.shape + further) * x

    return kernel if further else xp.multiply


def _scale_lowering(at: LoweringContext) -> Layout:
    a = at.numbers[0]
    return at.entries(call(scalars.MUL, 0, 1), at.filled() if a is None else a, at.operand(1))


scale: FunctionSymbol = FunctionSymbol(
    name="scale",
    doc="a scalar a times an array x of any shape",
    formula="a · x",
    example="scale(3, [1, 2])",
    schemes=(SCALE,),
    derivative=_scale_derivative,
    kernel=_scale_kernel,
    lowering=_scale_lowering,
    translation=lambda f, a, x: ae.scalar(scalars.MUL, ae.reshape(a, (1,) * x.rank), x),
    cost=lambda f: math.prod(extent(f.codomain)),
    costs=("|s|",),
    linear_in=(0, 1),
    is_product=True,
)


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
            # Stack the rows of all samples into one tall matrix.
            rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
            return xp.matmul(rows, y).reshape(*x.shape[:-1], y.shape[-1])
        return xp.matmul(x, y)

    return matrix_vector if rank(f.codomain) == 1 else matrix_matrix


def _matmul_lowering(at: LoweringContext) -> Layout:
    if len(at.shape) - at.front == 1:
        return at.loops.contract(at.factor(0, "ik"), at.factor(1, "k"), at.summed("i"))
    return at.loops.contract(at.factor(0, "ik"), at.factor(1, "kj"), at.summed("ij"))


def _matmul_cost(f: Primitive) -> int:
    x, y = (extent(A) for A in arguments(f))
    return 2 * math.prod(x) * math.prod(y[1:])


matmul: FunctionSymbol = FunctionSymbol(
    name="matmul",
    doc="the product of a matrix x with a vector or a matrix y",
    formula="x y",
    example="matmul([[1, 2], [3, 4]], [1, 10])",
    schemes=(MATRIX_VECTOR, MATRIX_MATRIX),
    derivative=_matmul_derivative,
    kernel=_matmul_kernel,
    lowering=_matmul_lowering,
    translation=lambda f, x, y: ae.matmul(x, y),
    cost=_matmul_cost,
    costs=("2*m*n", "2*m*k*n"),
    linear_in=(0, 1),
    sums_from_zero=True,
    python_names=("matmul", "mm", "mv"),
)


def _transpose_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(x: Array) -> Array:
        return x.swapaxes(-1, -2)

    return kernel


def _transpose_lowering(at: LoweringContext) -> Layout:
    return permuted(at.argument(0), [*range(at.front), at.front + 1, at.front])


transpose: FunctionSymbol = FunctionSymbol(
    name="transpose",
    doc="the transpose of a matrix",
    formula="xᵀ",
    example="transpose([[1, 2], [3, 4]])",
    schemes=(TRANSPOSE,),
    derivative=lambda f, w, x: transpose(w),
    kernel=_transpose_kernel,
    lowering=_transpose_lowering,
    translation=lambda f, x: ae.swapped(x),
    cost=no_cost,
    costs=("0",),
    jointly_linear=True,
    python_names=("transpose",),
    python_usage="w^T",
)


def _outer_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    y, x = v.parts
    return pair(w @ x, transpose(w) @ y)


def _outer_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    def kernel(y: Array, x: Array) -> Array:
        # A matrix product is a sum, which starts from 0.0 even if it has one term.
        return y[..., :, None] * x[..., None, :] + 0.0

    return kernel


def _outer_lowering(at: LoweringContext) -> Layout:
    return at.loops.contract(at.factor(0, "i"), at.factor(1, "j"), at.summed("ij"))


outer: FunctionSymbol = FunctionSymbol(
    name="outer",
    doc="the matrix of all products of the entries of two vectors y and x",
    formula="y xᵀ",
    example="outer([1, 2], [3, 4, 5])",
    schemes=(OUTER,),
    derivative=_outer_derivative,
    kernel=_outer_kernel,
    lowering=_outer_lowering,
    translation=lambda f, y, x: ae.outer(y, x),
    cost=lambda f: math.prod(extent(f.codomain)),
    costs=("m*n",),
    linear_in=(0, 1),
    sums_from_zero=True,
    python_names=("outer",),
)


def _dot_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return pair(scale(w, y), scale(w, x))


def _dot_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    axes = tuple(range(-rank(arguments(f)[0]), 0))

    def kernel(x: Array, y: Array) -> Array:
        return xp.sum(x * y, axis=axes)[..., None]

    return kernel


def _dot_lowering(at: LoweringContext) -> Layout:
    axes = "abcdefgh"[: len(at.arguments[0].axes) - at.batched[0]]
    return as_scalar(at.loops.contract(at.factor(0, axes), at.factor(1, axes), at.summed("")))


dot: FunctionSymbol = FunctionSymbol(
    name="dot",
    doc="the inner product of two arrays of one shape",
    formula="Σᵢ xᵢ yᵢ",
    example="dot([1, 2], [3, 4])",
    schemes=(TWO_TO_SCALAR,),
    derivative=_dot_derivative,
    kernel=_dot_kernel,
    lowering=_dot_lowering,
    translation=lambda f, x, y: ae.total(ao.Fold.SUM, ae.scalar(scalars.MUL, x, y)),
    cost=lambda f: 2 * math.prod(extent(arguments(f)[0])),
    costs=("2*|s|",),
    linear_in=(0, 1),
    sums_from_zero=True,
    commutes=True,
    python_names=("dot",),
)

LINEAR = Family("Linear algebra", (scale, matmul, transpose, outer, dot))
