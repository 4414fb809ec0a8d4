"""Array expressions of pooling, and what stands for an operator in a language that does not have it."""

from math import inf, prod

import numpy as np

from rh_kernel.loops import scalars
from rh_kernel.loops.ir import Extent
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives.array_operators import Expr, Fold, MeanProduct, OverlapAdd, Pool, Windows


def pool(fold: Fold, x: Expr, p: int) -> Expr:
    """The largest entry, or the mean, of each block of p along each axis but the first."""
    sizes = _block(x.shape, p)
    return ae.made(Pool(fold, sizes), (x,), (x.shape[0], *[-(-n // q) for n, q in zip(x.shape[1:], sizes, strict=True)]))


def _block(shape: Extent, p: int) -> tuple[int, ...]:
    return tuple([min(p, max(n, 1)) for n in shape[1:]])


def blocks(x: Expr, p: int, missing: float) -> Expr:
    """``(c, n…) ↦ (c, q, p, …)``: each axis but the first as blocks of p, the last one filled up with a value."""
    sizes = _block(x.shape, p)
    counts = [-(-n // q) for n, q in zip(x.shape[1:], sizes, strict=True)]
    widths = [(0, q * m - n) for n, q, m in zip(x.shape[1:], sizes, counts, strict=True)]
    filled = ae.pad(x, [(0, 0), *widths], missing)
    return ae.reshape(filled, (x.shape[0], *[n for pair in zip(counts, sizes, strict=True) for n in pair]))


def block_sums(x: Expr, p: int) -> Expr:
    """The sum of each block."""
    axes = range(2, 2 * x.rank - 1, 2)
    return ae.without(ae.reduce(Fold.SUM, blocks(x, p, 0.0), axes), axes)


def spread(x: Expr, p: int, shape: Extent) -> Expr:
    """Each entry as a block of p along each axis but the first, cut to a shape: the adjoint of ``block_sums``."""
    sizes = _block(shape, p)
    c, *counts = x.shape
    apart = ae.reshape(x, (c, *[n for q in counts for n in (q, 1)]))
    whole = ae.expand(apart, (c, *[n for pair in zip(counts, sizes, strict=True) for n in pair]))
    found = ae.reshape(whole, (c, *[q * m for q, m in zip(sizes, counts, strict=True)]))
    for axis, n in enumerate(shape[1:], 1):
        found = ae.part(found, axis, 0, n)
    return found


def first_of_block(x: Expr, p: int) -> Expr:
    """1 at the first largest entry of each block, in row-major order, else 0."""
    apart = blocks(x, p, -inf)
    s = x.rank - 1
    counts, within = range(1, 2 * s, 2), range(2, 2 * s + 1, 2)
    sizes = tuple([apart.shape[i] for i in within])
    entries = ae.transpose(apart, [0, *counts, *within])
    front = entries.shape[: s + 1]
    places = ae.reduce(Fold.ARGMAX, ae.reshape(entries, (*front, prod(sizes))), (s + 1,))
    marks = ae.reshape(
        ae.scalar(scalars.EQUAL, places, ae.constant(np.arange(prod(sizes), dtype=np.float64))), (*front, *sizes)
    )
    order = [0, *[axis for i in range(s) for axis in (1 + i, 1 + s + i)]]
    whole = ae.reshape(ae.transpose(marks, order), (x.shape[0], *[apart.shape[i] * apart.shape[i + 1] for i in counts]))
    for axis, n in enumerate(x.shape[1:], 1):
        whole = ae.part(whole, axis, 0, n)
    return whole


def composed(e: Expr) -> Expr | None:
    """The expression by simpler operators, ``None`` if it has one of the simplest."""
    match e.op:
        case Pool(fold, sizes):
            (x,) = e.args
            p = max(sizes)
            if fold is not Fold.MAX:
                counts = block_sums(ae.constant(np.ones(x.shape)), p)
                return ae.scalar(scalars.DIV, block_sums(x, p), counts)
            axes = range(2, 2 * x.rank - 1, 2)
            return ae.without(ae.reduce(fold, blocks(x, p, -inf), axes), axes)
        case Windows(sizes):
            (x,) = e.args
            s = len(sizes)
            for i, k in enumerate(sizes):
                # The axes are now (c, k…, n…): those of the windows found so far come before what is left.
                axis = 1 + 2 * i
                m = x.shape[axis] - k + 1
                x = ae.rows(x, axis, np.add.outer(np.arange(k), np.arange(m)))
            return ae.transpose(x, [0, *range(1, 2 * s, 2), *range(2, 2 * s + 1, 2)])
        case OverlapAdd():
            (x,) = e.args
            s = (x.rank - 1) // 2
            for _ in range(s):
                # The parts at each place in a window, each moved to where it was taken; the axis of the places is number s.
                k = x.shape[1]
                parts = [ae.without(ae.part(x, 1, j, j + 1), (1,)) for j in range(k)]
                moved = [ae.pad_along(y, s, j, k - 1 - j) for j, y in enumerate(parts)]
                x = ae.sum_of(moved)
            return x
        case MeanProduct():
            y, x = e.args
            return ae.mean_over_batch(ae.outer(y, x) if y.rank == 1 else ae.matmul(y, x))
        case _:
            return None
