"""Array expressions, to which function symbols are translated for NumPy, PyTorch, JAX and ONNX.

The functions compute shapes, and return their argument where there is nothing to do.
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import Formula
from rh_kernel.loops.ir import Extent
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives.array_operators import (
    AsRows,
    AsSamples,
    Batch,
    Concat,
    Constant,
    Convolve,
    Expand,
    Expr,
    Fold,
    MatMul,
    MeanOverBatch,
    MeanProduct,
    Normalise,
    Normalising,
    Op,
    OverlapAdd,
    Pad,
    Reduce,
    Reshape,
    Rows,
    Scalar,
    Slice,
    Take,
    Translation,
    Transpose,
    Variable,
    Where,
    Windows,
)
from rh_kernel.syntax.core import Array, Primitive


def made(op: Op, args: Sequence[Expr], shape: Extent) -> Expr:
    """An operator applied to expressions, whose result is batched if one of them is."""
    return Expr(op, tuple(args), shape, any(x.batched for x in args))


def variable(name: str, shape: Extent, *, batched: bool = False) -> Expr:
    """A variable."""
    return Expr(Variable(name), (), shape, batched)


def constant(array: Array) -> Expr:
    """A known array."""
    return Expr(Constant(array), (), array.shape, batched=False)


def scalar(op: ScalarOp, *args: Expr) -> Expr:
    """A scalar operation at each entry."""
    shape = np.broadcast_shapes(*[x.shape for x in args])
    narrow = [x.args[0] if isinstance(x.op, Expand) else x for x in args]
    # An array that would be broadcast anyway need not be expanded before.
    same = np.broadcast_shapes(*[x.shape for x in narrow]) == shape
    return made(Scalar(op), narrow if same else args, shape)


def formula(value: Formula, *args: Expr) -> Expr:
    """A formula of scalar operations at each entry of the arguments."""
    match value:
        case int():
            return args[value]
        case float():
            return constant(np.full((1,) * args[0].rank, value))
        case (op, parts):
            return scalar(op, *[formula(part, *args) for part in parts])


def translated(value: Formula) -> Translation:
    """The translation of a symbol that is a formula of scalar operations."""

    def translation(f: Primitive, *args: Expr) -> Expr:
        return formula(value, *args)

    return translation


def where(c: Expr, x: Expr, y: Expr) -> Expr:
    """X where c > 0, else y."""
    return made(Where(), (c, x, y), np.broadcast_shapes(c.shape, x.shape, y.shape))


def reshape(x: Expr, shape: Extent) -> Expr:
    """The same entries in another shape."""
    if isinstance(x.op, Constant):
        return constant(x.op.array.reshape(shape))
    if isinstance(x.op, Reshape):
        x = x.args[0]
    return x if x.shape == shape else made(Reshape(), (x,), shape)


def flat(x: Expr) -> Expr:
    """The entries as a vector."""
    return reshape(x, (prod(x.shape),))


def transpose(x: Expr, order: Sequence[int]) -> Expr:
    """The axes in another order."""
    if isinstance(x.op, Transpose):
        x, order = x.args[0], [x.op.order[i] for i in order]
    return x if [*order] == [*range(x.rank)] else made(Transpose(tuple(order)), (x,), tuple([x.shape[i] for i in order]))


def swapped(x: Expr) -> Expr:
    """The transpose of a matrix, or of each of a stack of them."""
    return transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def expand(x: Expr, shape: Extent) -> Expr:
    """An array broadcast to a shape, of at least as many axes."""
    if x.batched:
        x = reshape(x, (1,) * (len(shape) - x.rank) + x.shape)
    return x if x.shape == shape else made(Expand(), (x,), shape)


def matmul(x: Expr, y: Expr) -> Expr:
    """The product of a matrix with a matrix or a vector."""
    if y.rank > 1:
        return made(MatMul(), (x, y), (*x.shape[:-1], y.shape[-1]))
    if not x.batched:
        # A vector of each sample is a row of a matrix.
        return made(MatMul(), (y, swapped(x)), x.shape[:-1])
    return reshape(matmul(x, reshape(y, (*y.shape, 1))), x.shape[:-1])


def sum_of(args: Sequence[Expr]) -> Expr:
    """The sum of arrays."""
    found = args[0]
    for x in args[1:]:
        found = scalar(scalars.ADD, found, x)
    return found


def outer(y: Expr, x: Expr) -> Expr:
    """The matrix of all products of the entries of two vectors."""
    return scalar(scalars.MUL, reshape(y, (*y.shape, 1)), reshape(x, (1, *x.shape)))


def part(x: Expr, axis: int, start: int, stop: int) -> Expr:
    """The entries from ``start`` to ``stop`` along an axis."""
    if (start, stop) == (0, x.shape[axis]):
        return x
    return made(Slice(axis, start, stop), (x,), (*x.shape[:axis], stop - start, *x.shape[axis + 1 :]))


def pad(x: Expr, widths: Sequence[tuple[int, int]], value: float = 0.0) -> Expr:
    """The array with a margin of one value."""
    if not any(map(sum, widths)):
        return x
    shape = tuple([n + before + behind for n, (before, behind) in zip(x.shape, widths, strict=True)])
    return made(Pad(tuple(widths), value), (x,), shape)


def pad_along(x: Expr, axis: int, before: int, behind: int) -> Expr:
    """The array with zeros before and behind it along one axis."""
    return pad(x, [(before, behind) if i == axis else (0, 0) for i in range(x.rank)])


def for_each(x: Expr, like: Expr) -> Expr:
    """The array once for each sample of another one, unless it is batched already."""
    return x if x.batched or not like.batched else made(Batch(), (x, like), x.shape)


def concat(args: Sequence[Expr], axis: int) -> Expr:
    """Arrays one after the other along an axis."""
    first = next((x for x in args if x.batched), None)
    args = [x if first is None else for_each(x, first) for x in args]
    shape = list(args[0].shape)
    shape[axis] = sum([x.shape[axis] for x in args])
    return args[0] if len(args) == 1 else made(Concat(axis), args, tuple(shape))


def stack(args: Sequence[Expr], axis: int = 0) -> Expr:
    """Arrays of one shape along a new axis."""
    shape = args[0].shape
    return concat([reshape(x, (*shape[:axis], 1, *shape[axis:])) for x in args], axis)


def reduce(fold: Fold, x: Expr, axes: Sequence[int]) -> Expr:
    """Some axes combined, and of length 1."""
    return made(Reduce(fold, tuple(axes)), (x,), tuple([1 if i in axes else n for i, n in enumerate(x.shape)]))


def without(x: Expr, axes: Sequence[int]) -> Expr:
    """The array without axes of length 1."""
    return reshape(x, tuple([n for i, n in enumerate(x.shape) if i not in axes]))


def total(fold: Fold, x: Expr) -> Expr:
    """All entries combined to one."""
    return reshape(reduce(fold, x, range(x.rank)), (1,))


def rows(x: Expr, axis: int, table: "np.ndarray[tuple[int, ...], np.dtype[np.intp]]") -> Expr:
    """The entries at places along an axis."""
    return made(Rows(axis, table), (x,), (*x.shape[:axis], *table.shape, *x.shape[axis + 1 :]))


def as_samples(x: Expr) -> Expr:
    """Each row as a sample."""
    return Expr(AsSamples(), (x,), x.shape[1:], batched=True)


def as_rows(x: Expr, n: int, *, batched: bool) -> Expr:
    """Samples that were rows as rows again, n for each sample if there were samples."""
    return Expr(AsRows(batched), (x,), (n, *x.shape), batched)


def one_hot(i: Expr, n: int) -> Expr:
    """``(k…) ↦ (k…, n)``, 1 at the place with that number."""
    return scalar(scalars.EQUAL, reshape(i, (*i.shape, 1)), constant(np.arange(n, dtype=np.float64)))


def take(w: Expr, i: Expr) -> Expr:
    """``w : (n, d…), i : (k…) ↦ (k…, d…)``: the rows with the numbers i."""
    n, *further = w.shape
    if not w.batched:
        return made(Take(), (w, i), (*i.shape, *further))
    found = matmul(one_hot(flat(i), n), reshape(w, (n, prod(further))))
    return reshape(found, (*i.shape, *further))


def add_rows(y: Expr, i: Expr, shape: Extent) -> Expr:
    """``y : (k, d…), i : (k) ↦ (n, d…)``, of that shape: 0 but for the rows of y, which are added at the numbers i."""
    n, *further = shape
    return reshape(matmul(swapped(one_hot(i, n)), reshape(y, (*i.shape, prod(further)))), shape)


def normalise(function: Normalising, x: Expr) -> Expr:
    """``softmax`` and the like along the last axis."""
    return made(Normalise(function), (x,), (*x.shape[:-1], 1) if function is Normalising.LOGSUMEXP else x.shape)


def convolve(x: Expr, w: Expr) -> Expr:
    """The cross-correlation of ``x : (c, n…)`` with ``w : (d, c, k…)``."""
    d, c, *taps = w.shape
    places = tuple([n - k + 1 for n, k in zip(x.shape[1:], taps, strict=True)])
    if not w.batched:
        return made(Convolve(), (x, w), (d, *places))
    seen = reshape(windows(x, taps), (c * prod(taps), prod(places)))
    return reshape(matmul(reshape(w, (d, c * prod(taps))), seen), (d, *places))


def windows(x: Expr, sizes: Sequence[int]) -> Expr:
    """``(c, n…) ↦ (c, k…, m…)``: what a filter of the sizes k sees."""
    places = [n - k + 1 for n, k in zip(x.shape[1:], sizes, strict=True)]
    return made(Windows(tuple(sizes)), (x,), (x.shape[0], *sizes, *places))


def overlap_add(x: Expr) -> Expr:
    """The adjoint of ``windows``."""
    c, *sizes = x.shape
    s = len(sizes) // 2
    return made(OverlapAdd(), (x,), (c, *[k + m - 1 for k, m in zip(sizes[:s], sizes[s:], strict=True)]))


def mean_over_batch(x: Expr) -> Expr:
    """The mean over the samples."""
    return Expr(MeanOverBatch(), (x,), x.shape, batched=False) if x.batched else x


def mean_product(y: Expr, x: Expr) -> Expr:
    """The mean over the samples of the products of two matrices, or of two vectors as a column and a row."""
    shape = (*y.shape, *x.shape) if y.rank == 1 else (y.shape[0], x.shape[1])
    if not (y.batched and x.batched):
        return mean_over_batch(outer(y, x) if y.rank == 1 else matmul(y, x))
    return Expr(MeanProduct(), (y, x), shape, batched=False)
