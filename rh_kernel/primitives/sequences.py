"""Terms for the rows of sequences (LANGUAGE §9): taking rows, putting rows in front, stacking and adding up rows.

They are composed of ``slice``, ``concat``, ``reshape`` and ``sum_rows``. On tuples of arrays they act component by component.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul

from rh_kernel.primitives.formulas import Typed, zero
from rh_kernel.primitives.slicing import CONCAT, concat, slice_
from rh_kernel.primitives.structural import reshape, sum_rows
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.types import UNIT, Product, Type, product
from rh_kernel.syntax.values import tuple_of

HIGHEST = len(CONCAT)
"""The highest rank that ``slice`` and ``concat`` have; arrays of a higher rank are reshaped to matrices."""


def tuple_typed(parts: Sequence[Typed]) -> Typed:
    """``⟨M1, …, Mn⟩`` for any n"""
    return Typed(tuple_of(tuple([M.term for M in parts])), product([M.type for M in parts]))


def row_at(m: Typed, i: int) -> Typed:
    """Row i of a sequence, counted from 0."""
    return _on_arrays(m, lambda x: _without_axis(slice_[dim(i), dim(i + 1)](_flat(x)), x.dims[1:]))


def rows_from(m: Typed, i: int) -> Typed:
    """A sequence without its first i rows."""
    return _on_arrays(m, lambda x: _between(x, dim(i), x.dims[0]))


def rows_up_to(m: Typed, i: int) -> Typed:
    """The first i rows of a sequence."""
    return _on_arrays(m, lambda x: _between(x, dim(0), dim(i)))


def in_front(b: Typed, bs: Typed) -> Typed:
    """A row in front of stacked ones."""
    return _combined((b, bs), lambda parts: _joined(_one_row(parts[0]), parts[1]), bs.type)


def behind(bs: Typed, b: Typed) -> Typed:
    """A row behind stacked ones."""
    return _combined((bs, b), lambda parts: _joined(parts[0], _one_row(parts[1])), bs.type)


def appended(bs: Typed, others: Typed) -> Typed:
    """Stacked rows, and others behind them."""
    return _combined((bs, others), lambda parts: _joined(*parts), bs.type)


def stack(rows: Sequence[Typed], C: Type) -> Typed:
    """The rows, stacked to the type C: halves are stacked first, so that each row is copied a few times only."""
    return _combined(rows, _stacked, C) if rows else zero(C)


def total(m: Typed) -> Typed:
    """The sum of stacked rows."""

    def added(x: Typed) -> Typed:
        if x.type == UNIT:
            return x
        n, *axes = x.dims
        return sum_rows(x) if len(axes) == 1 else reshape[tuple(axes)](sum_rows(reshape[n, _entries(axes)](x)))

    return _on_arrays(m, added)


def reshaped(m: Typed, A: Type) -> Typed:
    """The arrays in the shapes of A, which have as many entries."""
    if isinstance(A, Product):
        return tuple_typed([reshaped(x, B) for x, B in zip(m.parts, A.factors, strict=True)])
    return m if m.type == A else reshape[Typed(m.term, A).dims](m)


def _on_arrays(m: Typed, f: Callable[[Typed], Typed]) -> Typed:
    return tuple_typed([_on_arrays(x, f) for x in m.parts]) if isinstance(m.type, Product) else f(m)


def _combined(values: Sequence[Typed], f: Callable[[Sequence[Typed]], Typed], C: Type) -> Typed:
    """Combine values component by component to stacked rows of type C; where that is the unit, there is nothing to stack."""
    if isinstance(C, Product):
        return tuple_typed([_combined([M.parts[i] for M in values], f, B) for i, B in enumerate(C.factors)])
    return zero(UNIT) if C == UNIT else f(values)


def _between(x: Typed, lo: Dim, hi: Dim) -> Typed:
    M = slice_[lo, hi](_flat(x))
    return M if M.dims[1:] == x.dims[1:] else reshape[(hi - lo, *x.dims[1:])](M)


def _stacked(rows: Sequence[Typed]) -> Typed:
    if len(rows) == 1:
        return _one_row(rows[0])
    half = len(rows) // 2
    return _joined(_stacked(rows[:half]), _stacked(rows[half:]))


def _joined(x: Typed, y: Typed) -> Typed:
    n, *axes = y.dims
    if n == dim(0):
        return x
    if x.dims[0] == dim(0):
        return y
    M = concat(_flat(x), _flat(y))
    return M if M.dims[1:] == tuple(axes) else reshape[(M.dims[0], *axes)](M)


def _one_row(b: Typed) -> Typed:
    return reshape[(dim(1), *b.dims)](b)


def _without_axis(x: Typed, axes: tuple[Dim, ...]) -> Typed:
    return reshape[axes](x) if axes else x


def _flat(x: Typed) -> Typed:
    n, *axes = x.dims
    return x if len(axes) < HIGHEST else reshape[n, _entries(axes)](x)


def _entries(axes: Sequence[Dim]) -> Dim:
    return reduce(mul, axes, dim(1))
