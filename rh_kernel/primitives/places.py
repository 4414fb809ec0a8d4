"""Places by number (LANGUAGE §9): ``take`` takes the rows of an array with given numbers, ``put_rows`` adds rows up there.

``one_hot`` is 1 at a place. Row numbers are whole numbers, counted from 0. At others the symbols are undefined, and each
evaluator raises an error that names the number (``primitives.smoothness``). So kernels and loops may compute anything there;
they take the nearest row.
"""

from math import prod
from types import ModuleType

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.ir import GatherAt, ScatterAdd, View
from rh_kernel.loops.layouts import Layout, broadcast_axis, permuted
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.formulas import Typed, apply, pair, zero
from rh_kernel.primitives.schemes import Scheme, arguments, extent, instantiate, rank
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel, RowNumbers, no_cost
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array, Primitive, Zero
from rh_kernel.syntax.dimensions import Dim, DimVar, dim
from rh_kernel.syntax.types import SCALAR, Product, Type, real

_n, _k = DimVar("n"), DimVar("k")
# The axes after the first, for each rank from 2.
_FURTHER: tuple[tuple[DimVar, ...], ...] = tuple(tuple(DimVar(name) for name in "hij"[:r]) for r in range(1, 4))

TAKE = (
    Scheme((_n, _k), (), Product((real("n"), real("k"))), real("k")),
    *[Scheme((_n, *d), (), Product((real("n", *map(dim, d)), SCALAR)), real(*map(dim, d))) for d in _FURTHER],
    *[Scheme((_n, *d, _k), (), Product((real("n", *map(dim, d)), real("k"))), real("k", *map(dim, d))) for d in _FURTHER],
)
PUT_ROWS = (
    Scheme((_n, _k), (_n,), Product((real("k"), real("k"))), real("n")),
    *[Scheme((_n, *d), (_n, *d), Product((real(*map(dim, d)), SCALAR)), real("n", *map(dim, d))) for d in _FURTHER],
    *[Scheme((_n, *d, _k), (_n, *d), Product((real("k", *map(dim, d)), real("k"))), real("n", *map(dim, d))) for d in _FURTHER],
)
ONE_HOT = (
    Scheme((_n,), (_n,), SCALAR, real("n")),
    Scheme((_n, _k), (_n,), real("k"), real("k", "n")),
)


def _is_one_row(rows: int, whole: int) -> bool:
    """Whether arrays of these ranks are one row of an array and the array; otherwise they are several rows and the array."""
    return rows < whole


def _length(f: Primitive, i: int) -> Dim:
    """The first dimension of argument number i."""
    A = arguments(f)[i]
    return Typed(Zero(A), A).dims[0]


def _first_index(f: Primitive) -> Dim:
    match f.at[0]:
        case Dim() as n:
            return n
        case other:
            raise KernelBug(f"{other} is no number of rows")


def _nearest(i: Array, n: int, xp: ModuleType) -> Array:
    """The numbers of the nearest rows, of n; 0 for nan."""
    return xp.where(i > 0, xp.minimum(xp.rint(i), max(n - 1, 0)), xp.zeros_like(i)).astype(np.intp)


def _batch(*pairs: tuple[Array, int]) -> tuple[int, ...]:
    """The batch axes of arrays, each with the number of its own axes."""
    return np.broadcast_shapes(*[x.shape[: x.ndim - r] for x, r in pairs])


def _take_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    (n, *further), k = (extent(A) for A in arguments(f))
    shape = extent(f.codomain)

    def kernel(w: Array, i: Array) -> Array:
        front = _batch((w, 1 + len(further)), (i, 1))
        if not n:
            return xp.zeros((*front, *shape), dtype=w.dtype)
        flat = xp.broadcast_to(w, (*front, n, *further)).reshape(*front, n, prod(further))
        places = _nearest(xp.broadcast_to(i, (*front, *k)), n, xp)
        return xp.take_along_axis(flat, places[..., None], axis=-2).reshape(*front, *shape)

    return kernel


def _views(*layouts: Layout) -> list[View]:
    found = [x.plain() for x in layouts]
    if any(view is None for view in found):
        raise KernelBug("an axis has several parts")
    return [view for view in found if view is not None]


def _spread(at: LoweringContext, whole: Layout, i: Layout, *, many: bool) -> tuple[Layout, Layout]:
    """The whole array with its rows as the last axis, and the row numbers, both for each entry of the rows."""
    front, sizes = at.front, whole.shape[at.front + 1 :]
    x = permuted(whole, [*range(front), *range(front + 1, len(whole.axes)), front])
    if many:
        x = broadcast_axis(x, front, i.shape[front])
    else:
        i = Layout(i.buffer, i.offset, i.axes[:front])
    for size in sizes:
        i = broadcast_axis(i, len(i.axes), size)
    return x, i


def _take_lowering(at: LoweringContext) -> Layout:
    w, i = [at.loops.single_axes(at.argument(k), 0) for k in range(2)]
    y = at.fresh()
    x, places = _spread(at, w, i, many=not _is_one_row(len(y.axes), len(w.axes)))
    at.loops.steps.append(GatherAt(*_views(y, x, places)))
    return y


def _take_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    x, i = v.parts
    return pair(_put(w, i, x.dims), zero(i.type))


def _put(y: Typed, i: Typed, whole: tuple[Dim, ...]) -> Typed:
    """``put_rows[n, d…](y, i)``: for one row if y has an axis less, as the types alone do not say if there is one number."""
    r = len(whole)
    if r == 1:
        return apply("put_rows", PUT_ROWS[0], (*whole, *i.dims), y, i)
    if _is_one_row(len(y.dims), r):
        return apply("put_rows", PUT_ROWS[r - 1], whole, y, i)
    return apply("put_rows", PUT_ROWS[r + 2], (*whole, *i.dims), y, i)


def _take(x: Typed, i: Typed, rows: int) -> Typed:
    """``take(x, i)`` with a result of so many axes."""
    r = len(x.dims)
    if r == 1:
        return apply("take", TAKE[0], (*x.dims, *i.dims), x, i)
    if _is_one_row(rows, r):
        return apply("take", TAKE[r - 1], x.dims, x, i)
    return apply("take", TAKE[r + 2], (*x.dims, *i.dims), x, i)


_WHERE = "an index is no whole number from 0 to n − 1"

take: FunctionSymbol = FunctionSymbol(
    name="take",
    doc="take(w, i): row i of w, counted from 0; for several numbers i the array of these rows",
    formula="wᵢ, or w at i₀, …, iₖ₋₁",
    example="take([[1, 2], [3, 4], [5, 6]], [2, 0])",
    schemes=TAKE,
    derivative=_take_derivative,
    kernel=_take_kernel,
    lowering=_take_lowering,
    translation=lambda f, w, i: ae.reshape(ae.take(w, i), extent(f.codomain)),
    cost=no_cost,
    costs=("0",),
    linear_in=(0,),
    row_numbers=RowNumbers(
        argument=1, count=lambda f: _length(f, 0), where=_WHERE, example="take([[1, 2], [3, 4], [5, 6]], [2, 3])"
    ),
    python_names=("take", "embedding", "index_select", "gather"),
    python_usage="take(w, i)",
    test_sizes=((3, 1), (3, 4), (1, 2), (3, 2, 1), (3, 2, 4), (2, 1, 2), (2, 3, 1, 2), (2, 2, 1, 2, 3)),
)


def _put_rows_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    own, numbers = (extent(A) for A in arguments(f))
    n, *further = extent(f.codomain)
    k, d = prod(numbers), prod(further)

    def kernel(y: Array, i: Array) -> Array:
        front = _batch((y, len(own)), (i, 1))
        samples = prod(front)
        rows = xp.broadcast_to(y, (*front, *own)).reshape(samples, k, d)
        places = _nearest(xp.broadcast_to(i, (*front, *numbers)).reshape(samples, k), n, xp)
        found = xp.zeros((samples, n, d), dtype=y.dtype)
        if n:
            xp.add.at(found, (xp.arange(samples)[:, None], places), rows)
        return found.reshape(*front, n, *further)

    return kernel


def _put_rows_lowering(at: LoweringContext) -> Layout:
    y, i = [at.loops.single_axes(at.argument(k), 0) for k in range(2)]
    z = at.fresh()
    x, places = _spread(at, z, i, many=not _is_one_row(len(y.axes), len(z.axes)))
    at.loops.steps.append(ScatterAdd(*_views(x, y, places)))
    return z


def _put_rows_derivative(f: Primitive, w: Typed, v: Typed) -> Typed:
    y, i = v.parts
    return pair(_take(w, i, len(y.dims)), zero(i.type))


def _put_rows_translation(f: Primitive, y: ao.Expr, i: ao.Expr) -> ao.Expr:
    shape = extent(f.codomain)
    return ae.add_rows(ae.reshape(y, (*i.shape, *shape[1:])), i, shape)


put_rows: FunctionSymbol = FunctionSymbol(
    name="put_rows",
    doc="put_rows[n, …](y, i): n rows that are 0 but for the rows of y, which are added at the numbers i; the reverse of take",
    formula="zₘ = Σⱼ [iⱼ = m] yⱼ",
    example="put_rows[3, 2]([[1, 2], [10, 20]], [2, 0])",
    schemes=PUT_ROWS,
    derivative=_put_rows_derivative,
    kernel=_put_rows_kernel,
    lowering=_put_rows_lowering,
    translation=_put_rows_translation,
    cost=lambda f: prod(extent(arguments(f)[0])),
    costs=("k", "h", "h*i", "h*i*j", "h*k", "h*i*k", "h*i*j*k"),
    linear_in=(0,),
    row_numbers=RowNumbers(argument=1, count=_first_index, where=_WHERE, example="put_rows[2]([1, 10], [0, 0.5])"),
    test_sizes=((3, 1), (3, 4), (1, 2), (3, 2, 1), (3, 2, 4), (2, 1, 2), (2, 3, 1, 2), (2, 2, 1, 2, 3)),
)


def _one_hot_kernel(f: Primitive, xp: ModuleType) -> Kernel:
    shape = extent(f.codomain)
    n, many = shape[-1], len(shape) - 1

    def kernel(i: Array) -> Array:
        places = i[..., None] if many else i
        return (places == xp.arange(n, dtype=i.dtype)).astype(i.dtype)

    return kernel


def _one_hot_lowering(at: LoweringContext) -> Layout:
    i, n = at.argument(0), at.shape[-1]
    if rank(at.function.codomain) == 1:
        i = Layout(i.buffer, i.offset, i.axes[: at.front])
    at.loops.repeatable = False
    numbers = at.loops.kept(np.arange(n, dtype=np.float64), (n,))
    for axis, size in enumerate(at.shape[:-1]):
        numbers = broadcast_axis(numbers, axis, size)
    return at.entries(call(scalars.EQUAL, 0, 1), broadcast_axis(i, len(i.axes), n), numbers)


one_hot: FunctionSymbol = FunctionSymbol(
    name="one_hot",
    doc="one_hot[n](i): the vector of n entries that is 1 at place i, counted from 0, else 0; for several i a row for each",
    formula="yⱼ = [j = i]",
    example="one_hot[4](2)",
    schemes=ONE_HOT,
    derivative=lambda f, w, i: zero(i.type),
    kernel=_one_hot_kernel,
    lowering=_one_hot_lowering,
    translation=lambda f, i: ae.reshape(ae.one_hot(i, extent(f.codomain)[-1]), extent(f.codomain)),
    cost=lambda f: prod(extent(f.codomain)),
    costs=("n", "n*k"),
    row_numbers=RowNumbers(argument=0, count=_first_index, where=_WHERE, example="one_hot[4](4)"),
    python_names=("one_hot", "eye"),
    python_usage="one_hot[10](i)",
    test_sizes=((1,), (4,), (4, 1), (3, 2)),
)


def number_check(n: Dim, A: Type) -> Primitive:
    """The ``one_hot`` that is defined at the arrays of type A that consist of numbers of n rows."""
    dims = Typed(Zero(A), A).dims
    at = (n,) if dims == (dim(1),) else (n, *dims)
    return instantiate("one_hot", ONE_HOT[len(at) - 1], at)


PLACES = Family("Places by number", (take, put_rows, one_hot))
