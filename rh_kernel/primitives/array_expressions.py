"""Array expressions: what function symbols are translated to for NumPy, PyTorch, JAX and ONNX.

An expression has the shape of one sample. If it is batched, its array also has a leading axis of samples, which no operator
names: axes are those of a sample, counted from 0. The constructors below compute shapes, and return their argument where there
is nothing to do; ``composed`` expresses an operator by simpler ones, for a language that does not have it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf, prod
from typing import TypeAlias

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import Formula
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


def _made(op: Op, args: Sequence[Expr], shape: Extent) -> Expr:
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
    return _made(Scalar(op), narrow if same else args, shape)


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
    return _made(Where(), (c, x, y), np.broadcast_shapes(c.shape, x.shape, y.shape))


def reshape(x: Expr, shape: Extent) -> Expr:
    """The same entries in another shape."""
    if isinstance(x.op, Constant):
        return constant(x.op.array.reshape(shape))
    if isinstance(x.op, Reshape):
        x = x.args[0]
    return x if x.shape == shape else _made(Reshape(), (x,), shape)


def flat(x: Expr) -> Expr:
    """The entries as a vector."""
    return reshape(x, (prod(x.shape),))


def transpose(x: Expr, order: Sequence[int]) -> Expr:
    """The axes in another order."""
    if isinstance(x.op, Transpose):
        x, order = x.args[0], [x.op.order[i] for i in order]
    return x if [*order] == [*range(x.rank)] else _made(Transpose(tuple(order)), (x,), tuple([x.shape[i] for i in order]))


def swapped(x: Expr) -> Expr:
    """The transpose of a matrix, or of each of a stack of them."""
    return transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def expand(x: Expr, shape: Extent) -> Expr:
    """An array broadcast to a shape, of at least as many axes."""
    if x.batched:
        x = reshape(x, (1,) * (len(shape) - x.rank) + x.shape)
    return x if x.shape == shape else _made(Expand(), (x,), shape)


def matmul(x: Expr, y: Expr) -> Expr:
    """The product of a matrix with a matrix or a vector."""
    if y.rank > 1:
        return _made(MatMul(), (x, y), (*x.shape[:-1], y.shape[-1]))
    if not x.batched:
        # A vector of each sample is a row of a matrix.
        return _made(MatMul(), (y, swapped(x)), x.shape[:-1])
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
    return _made(Slice(axis, start, stop), (x,), (*x.shape[:axis], stop - start, *x.shape[axis + 1 :]))


def pad(x: Expr, widths: Sequence[tuple[int, int]], value: float = 0.0) -> Expr:
    """The array with a margin of one value."""
    if not any(map(sum, widths)):
        return x
    shape = tuple([n + before + behind for n, (before, behind) in zip(x.shape, widths, strict=True)])
    return _made(Pad(tuple(widths), value), (x,), shape)


def pad_along(x: Expr, axis: int, before: int, behind: int) -> Expr:
    """The array with zeros before and behind it along one axis."""
    return pad(x, [(before, behind) if i == axis else (0, 0) for i in range(x.rank)])


def for_each(x: Expr, like: Expr) -> Expr:
    """The array once for each sample of another one, unless it is batched already."""
    return x if x.batched or not like.batched else _made(Batch(), (x, like), x.shape)


def concat(args: Sequence[Expr], axis: int) -> Expr:
    """Arrays one after the other along an axis."""
    first = next((x for x in args if x.batched), None)
    args = [x if first is None else for_each(x, first) for x in args]
    shape = list(args[0].shape)
    shape[axis] = sum([x.shape[axis] for x in args])
    return args[0] if len(args) == 1 else _made(Concat(axis), args, tuple(shape))


def stack(args: Sequence[Expr], axis: int = 0) -> Expr:
    """Arrays of one shape along a new axis."""
    shape = args[0].shape
    return concat([reshape(x, (*shape[:axis], 1, *shape[axis:])) for x in args], axis)


def reduce(fold: Fold, x: Expr, axes: Sequence[int]) -> Expr:
    """Some axes combined, and of length 1."""
    return _made(Reduce(fold, tuple(axes)), (x,), tuple([1 if i in axes else n for i, n in enumerate(x.shape)]))


def without(x: Expr, axes: Sequence[int]) -> Expr:
    """The array without axes of length 1."""
    return reshape(x, tuple([n for i, n in enumerate(x.shape) if i not in axes]))


def total(fold: Fold, x: Expr) -> Expr:
    """All entries combined to one."""
    return reshape(reduce(fold, x, range(x.rank)), (1,))


def rows(x: Expr, axis: int, table: "np.ndarray[tuple[int, ...], np.dtype[np.intp]]") -> Expr:
    """The entries at places along an axis."""
    return _made(Rows(axis, table), (x,), (*x.shape[:axis], *table.shape, *x.shape[axis + 1 :]))


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
        return _made(Take(), (w, i), (*i.shape, *further))
    found = matmul(one_hot(flat(i), n), reshape(w, (n, prod(further))))
    return reshape(found, (*i.shape, *further))


def add_rows(y: Expr, i: Expr, shape: Extent) -> Expr:
    """``y : (k, d…), i : (k) ↦ (n, d…)``, of that shape: 0 but for the rows of y, which are added at the numbers i."""
    n, *further = shape
    return reshape(matmul(swapped(one_hot(i, n)), reshape(y, (*i.shape, prod(further)))), shape)


def normalise(function: Normalising, x: Expr) -> Expr:
    """``softmax`` and the like along the last axis."""
    return _made(Normalise(function), (x,), (*x.shape[:-1], 1) if function is Normalising.LOGSUMEXP else x.shape)


def convolve(x: Expr, w: Expr) -> Expr:
    """The cross-correlation of ``x : (c, n…)`` with ``w : (d, c, k…)``."""
    d, c, *taps = w.shape
    places = tuple([n - k + 1 for n, k in zip(x.shape[1:], taps, strict=True)])
    if not w.batched:
        return _made(Convolve(), (x, w), (d, *places))
    seen = reshape(windows(x, taps), (c * prod(taps), prod(places)))
    return reshape(matmul(reshape(w, (d, c * prod(taps))), seen), (d, *places))


def windows(x: Expr, sizes: Sequence[int]) -> Expr:
    """``(c, n…) ↦ (c, k…, m…)``: what a filter of the sizes k sees."""
    places = [n - k + 1 for n, k in zip(x.shape[1:], sizes, strict=True)]
    return _made(Windows(tuple(sizes)), (x,), (x.shape[0], *sizes, *places))


def overlap_add(x: Expr) -> Expr:
    """The adjoint of ``windows``."""
    c, *sizes = x.shape
    s = len(sizes) // 2
    return _made(OverlapAdd(), (x,), (c, *[k + m - 1 for k, m in zip(sizes[:s], sizes[s:], strict=True)]))


def pool(fold: Fold, x: Expr, p: int) -> Expr:
    """The largest entry, or the mean, of each block of p along each axis but the first."""
    sizes = _block(x.shape, p)
    return _made(Pool(fold, sizes), (x,), (x.shape[0], *[-(-n // q) for n, q in zip(x.shape[1:], sizes, strict=True)]))


def _block(shape: Extent, p: int) -> tuple[int, ...]:
    return tuple([min(p, max(n, 1)) for n in shape[1:]])


def blocks(x: Expr, p: int, missing: float) -> Expr:
    """``(c, n…) ↦ (c, q, p, …)``: each axis but the first as blocks of p, the last one filled up with a value."""
    sizes = _block(x.shape, p)
    counts = [-(-n // q) for n, q in zip(x.shape[1:], sizes, strict=True)]
    widths = [(0, q * m - n) for n, q, m in zip(x.shape[1:], sizes, counts, strict=True)]
    filled = pad(x, [(0, 0), *widths], missing)
    return reshape(filled, (x.shape[0], *[n for pair in zip(counts, sizes, strict=True) for n in pair]))


def block_sums(x: Expr, p: int) -> Expr:
    """The sum of each block."""
    axes = range(2, 2 * x.rank - 1, 2)
    return without(reduce(Fold.SUM, blocks(x, p, 0.0), axes), axes)


def spread(x: Expr, p: int, shape: Extent) -> Expr:
    """Each entry as a block of p along each axis but the first, cut to a shape: the adjoint of ``block_sums``."""
    sizes = _block(shape, p)
    c, *counts = x.shape
    apart = reshape(x, (c, *[n for q in counts for n in (q, 1)]))
    whole = expand(apart, (c, *[n for pair in zip(counts, sizes, strict=True) for n in pair]))
    found = reshape(whole, (c, *[q * m for q, m in zip(sizes, counts, strict=True)]))
    for axis, n in enumerate(shape[1:], 1):
        found = part(found, axis, 0, n)
    return found


def first_of_block(x: Expr, p: int) -> Expr:
    """1 at the first largest entry of each block, in row-major order, else 0."""
    apart = blocks(x, p, -inf)
    s = x.rank - 1
    counts, within = range(1, 2 * s, 2), range(2, 2 * s + 1, 2)
    sizes = tuple([apart.shape[i] for i in within])
    entries = transpose(apart, [0, *counts, *within])
    front = entries.shape[: s + 1]
    places = reduce(Fold.ARGMAX, reshape(entries, (*front, prod(sizes))), (s + 1,))
    marks = reshape(scalar(scalars.EQUAL, places, constant(np.arange(prod(sizes), dtype=np.float64))), (*front, *sizes))
    order = [0, *[axis for i in range(s) for axis in (1 + i, 1 + s + i)]]
    whole = reshape(transpose(marks, order), (x.shape[0], *[apart.shape[i] * apart.shape[i + 1] for i in counts]))
    for axis, n in enumerate(x.shape[1:], 1):
        whole = part(whole, axis, 0, n)
    return whole


def mean_over_batch(x: Expr) -> Expr:
    """The mean over the samples."""
    return Expr(MeanOverBatch(), (x,), x.shape, batched=False) if x.batched else x


def mean_product(y: Expr, x: Expr) -> Expr:
    """The mean over the samples of the products of two matrices, or of two vectors as a column and a row."""
    shape = (*y.shape, *x.shape) if y.rank == 1 else (y.shape[0], x.shape[1])
    if not (y.batched and x.batched):
        return mean_over_batch(outer(y, x) if y.rank == 1 else matmul(y, x))
    return Expr(MeanProduct(), (y, x), shape, batched=False)


def composed(e: Expr) -> Expr | None:
    """The expression by simpler operators, ``None`` if it has one of the simplest."""
    match e.op:
        case Pool(fold, sizes):
            (x,) = e.args
            p = max(sizes)
            if fold is not Fold.MAX:
                counts = block_sums(constant(np.ones(x.shape)), p)
                return scalar(scalars.DIV, block_sums(x, p), counts)
            axes = range(2, 2 * x.rank - 1, 2)
            return without(reduce(fold, blocks(x, p, -inf), axes), axes)
        case Windows(sizes):
            (x,) = e.args
            s = len(sizes)
            for i, k in enumerate(sizes):
                # The axes are now (c, k…, n…): those of the windows found so far come before what is left.
                axis = 1 + 2 * i
                m = x.shape[axis] - k + 1
                x = rows(x, axis, np.add.outer(np.arange(k), np.arange(m)))
            return transpose(x, [0, *range(1, 2 * s, 2), *range(2, 2 * s + 1, 2)])
        case OverlapAdd():
            (x,) = e.args
            s = (x.rank - 1) // 2
            for _ in range(s):
                # The parts at each place in a window, each moved to where it was taken; the axis of the places is number s.
                k = x.shape[1]
                parts = [without(part(x, 1, j, j + 1), (1,)) for j in range(k)]
                moved = [pad_along(y, s, j, k - 1 - j) for j, y in enumerate(parts)]
                x = sum_of(moved)
            return x
        case MeanProduct():
            y, x = e.args
            return mean_over_batch(outer(y, x) if y.rank == 1 else matmul(y, x))
        case _:
            return None
