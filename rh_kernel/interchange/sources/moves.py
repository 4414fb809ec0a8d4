"""Arrays of the program that are moved, broadcast and summed up, whatever the axes, by the symbols of the language."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from rh_kernel.interchange.model import Call, Infix, Map, Number, Perform, Shape, Term
from rh_kernel.interchange.sources.builder import Builder, Typed, Unsupported
from rh_kernel.interchange.sources.shapes import merged

MOST_AXES = 4
"""The most axes that ``permute`` exchanges."""


def permuted(b: Builder, x: Typed, order: Sequence[int]) -> Typed:
    """Return x with its axes in another order; axis k of the result is axis ``order[k]`` of x."""
    result = tuple([x.shape[axis] for axis in order])
    sizes, small = merged(x.shape, order)
    if small == tuple(range(len(small))):
        return b.reshape(x, result)
    if len(sizes) > MOST_AXES:
        raise Unsupported(f"it exchanges {len(sizes)} axes", f"exchange at most {MOST_AXES} at a time")
    x = b.reshape(x, sizes)
    there = tuple([sizes[axis] for axis in small])
    before = b.definition(x.term)
    if small == (1, 0) and isinstance(before, Call) and before.function == "transpose":
        return b.reshape(Typed(before.arguments[0], there), result)
    moved = b.call("transpose", [x], there) if small == (1, 0) else b.call("permute", [x], there, small)
    return b.reshape(moved, result)


def spread(b: Builder, x: Typed, shape: Shape) -> Typed:
    """Return x broadcast to a shape, by the rule of NumPy."""
    if x.shape == shape:
        return x
    if prod(x.shape) == 1:
        return b.call("fill", [b.reshape(x, (1,))], shape, shape)
    aligned = (1,) * (len(shape) - len(x.shape)) + x.shape
    kept = [axis for axis, n in enumerate(aligned) if n == shape[axis]]
    new = [axis for axis in range(len(shape)) if axis not in kept]
    if not new:
        return b.reshape(x, shape)
    rows, entries = prod([shape[axis] for axis in new]), prod(x.shape)
    matrix = b.call("broadcast_rows", [b.reshape(x, (entries,))], (rows, entries), (rows,))
    order = [*new, *kept]
    return permuted(b, b.reshape(matrix, tuple([shape[a] for a in order])), [order.index(a) for a in range(len(shape))])


def binary(b: Builder, sign: str, x: Typed, y: Typed, shape: Shape) -> Typed:
    """Return ``x sign y`` in the common shape; numbers are scaled, and others broadcast."""
    single_x, single_y = prod(x.shape) == 1, prod(y.shape) == 1
    for number, array in ((x, y), (y, x)):
        if isinstance(number.term, Number) and array.shape == shape and (inner := b.reshaped(array)) is not None:
            done = binary(b, sign, *((number, inner) if number is x else (inner, number)), inner.shape)
            return b.reshape(done, shape)
    if sign == "*" and (single_x or single_y) and shape != (1,):
        scalar, array = (x, y) if single_x else (y, x)
        if array.shape == shape:
            return b.let(Infix("*", b.reshape(scalar, (1,)).term, array.term), shape)
    if sign == "/" and single_y and shape != (1,) and x.shape == shape:
        return b.let(Infix("/", x.term, b.reshape(y, (1,)).term), shape)
    if sign == "/" and isinstance(x.term, Number) and y.shape == shape:
        inverse = b.call("recip", [y], shape)
        return inverse if x.term.value == 1 else b.let(Infix("*", x.term, inverse.term), shape)
    left, right = spread(b, x, shape), spread(b, y, shape)
    if sign in "+-*/":
        return b.let(Infix(sign, left.term, right.term), shape)
    return b.call(sign, [left, right], shape)


def fronted(b: Builder, x: Typed, axes: Sequence[int]) -> tuple[Typed, Shape]:
    """Return x as a matrix, with one row for each place along ``axes``, and the shape of the other axes."""
    others = [axis for axis in range(len(x.shape)) if axis not in axes]
    rest = tuple([x.shape[axis] for axis in others])
    moved = permuted(b, x, [*axes, *others])
    return b.reshape(moved, (prod([x.shape[axis] for axis in axes]), prod(rest))), rest


def averaged(b: Builder, how: str, x: Typed, axes: Sequence[int]) -> Typed:
    """Return the ``sum`` or ``mean`` along some axes, which the result lacks; a number if no other is left."""
    rest = tuple([n for axis, n in enumerate(x.shape) if axis not in axes])
    if not axes:
        return x
    if prod(rest) == 1:
        return b.reshape(b.call(how, [x], (1,)), rest or (1,))
    if sorted(axes) == list(range(len(rest), len(x.shape))):
        rows = x if len(rest) == 1 else b.reshape(x, (prod(rest), *x.shape[len(rest) :]))
        row = b.variable(rows.shape[1:])
        return b.reshape(b.let(Map((row,), (rows.term,), Call(how, (row,))), (prod(rest), 1)), rest)
    matrix, _ = fronted(b, x, axes)
    total = b.call("sum_rows", [matrix], (matrix.shape[1],))
    if how == "mean":
        total = b.let(Infix("/", total.term, Number(float(matrix.shape[0]))), total.shape)
    return b.reshape(total, rest)


def largest(b: Builder, x: Typed, axes: Sequence[int]) -> Typed:
    """Return the largest entries along some axes, which the result lacks."""
    others = [axis for axis in range(len(x.shape)) if axis not in axes]
    rest, count = tuple([x.shape[axis] for axis in others]), prod([x.shape[axis] for axis in axes])
    rows = b.reshape(permuted(b, x, [*others, *axes]), (prod(rest), count))
    return b.reshape(b.call("maxpool1d", [rows], (prod(rest), 1), (count,)), rest or (1,))


def vectors(b: Builder, function: str, x: Typed, axes: Sequence[int]) -> Typed:
    """Return a function from vectors to numbers along some axes, which the result lacks."""
    others = [axis for axis in range(len(x.shape)) if axis not in axes]
    rest, count = tuple([x.shape[axis] for axis in others]), prod([x.shape[axis] for axis in axes])
    if prod(rest) == 1:
        return b.reshape(b.call(function, [b.reshape(x, (count,))], (1,)), rest or (1,))
    rows = b.reshape(permuted(b, x, [*others, *axes]), (prod(rest), count))
    row = b.variable((count,))
    return b.reshape(b.let(Map((row,), (rows.term,), Call(function, (row,))), (prod(rest), 1)), rest)


def row_by_row(b: Builder, function: str, x: Typed, axis: int) -> Typed:
    """Return a function of vectors applied along one axis."""
    if len(x.shape) == 1:
        return b.call(function, [x], x.shape)
    order = [*[a for a in range(len(x.shape)) if a != axis], axis]
    moved = permuted(b, x, order)
    if prod(moved.shape[:-1]) == 1:
        done = b.call(function, [b.reshape(moved, moved.shape[-1:])], moved.shape[-1:])
    else:
        matrix = b.reshape(moved, (prod(moved.shape[:-1]), moved.shape[-1]))
        row = b.variable(matrix.shape[1:])
        done = b.let(Map((row,), (matrix.term,), Call(function, (row,))), matrix.shape)
    back = [order.index(a) for a in range(len(order))]
    return permuted(b, b.reshape(done, moved.shape), back)


def split_at(shape: Shape, axis: int) -> Shape:
    """Return the numbers of entries in front of an axis, along it, and behind it."""
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def along_rows(b: Builder, x: Typed, axis: int) -> Typed:
    """Return x with one axis in front, and the others as a few axes behind it."""
    front, n, behind = split_at(x.shape, axis)
    if axis == 0 and len(x.shape) <= MOST_AXES:
        return x
    if front == 1:
        return b.reshape(x, (n, behind) if behind > 1 else (n,))
    if behind == 1:
        return permuted(b, b.reshape(x, (front, n)), (1, 0))
    return permuted(b, b.reshape(x, (front, n, behind)), (1, 0, 2))


def back_from_rows(b: Builder, rows: Typed, shape: Shape, axis: int) -> Typed:
    """Undo ``along_rows``, where the axis has another length by now."""
    front, _, behind = split_at(shape, axis)
    result = (*shape[:axis], rows.shape[0], *shape[axis + 1 :])
    if front == 1:
        return b.reshape(rows, result)
    moved = permuted(b, b.reshape(rows, (rows.shape[0], front, behind)), (1, 0, 2))
    return b.reshape(moved, result)


def part(b: Builder, x: Typed, axis: int, low: int, high: int) -> Typed:
    """Return the entries from low up to high along an axis."""
    if (low, high) == (0, x.shape[axis]):
        return x
    rows = along_rows(b, x, axis)
    cut = b.call("slice", [rows], (high - low, *rows.shape[1:]), (low, high))
    return back_from_rows(b, cut, x.shape, axis)


def joined(b: Builder, x: Typed, y: Typed, axis: int) -> Typed:
    """Return x and y one behind the other along an axis."""
    left, right = along_rows(b, x, axis), along_rows(b, y, axis)
    rows = b.call("concat", [left, right], (left.shape[0] + right.shape[0], *left.shape[1:]))
    return back_from_rows(b, rows, x.shape, axis)


def taken(b: Builder, x: Typed, axis: int, places: Typed) -> Typed:
    """Return the entries at some places along an axis."""
    rows = along_rows(b, x, axis)
    return back_from_rows(b, b.call("take", [rows, places], (places.shape[0], *rows.shape[1:])), x.shape, axis)


def product(b: Builder, x: Typed, y: Typed) -> Typed:
    """Return the product of matrices, or of stacks of matrices that are as long."""
    if len(x.shape) <= 2:
        return b.let(Infix("@", x.term, y.term), (*x.shape[:-1], *y.shape[1:]))
    front, (m, k), n = x.shape[:-2], x.shape[-2:], y.shape[-1]
    count = prod(front)
    if count == 1:
        return b.reshape(b.let(Infix("@", b.reshape(x, (m, k)).term, b.reshape(y, (k, n)).term), (m, n)), (*front, m, n))
    left, right = b.variable((m, k)), b.variable((k, n))
    sequences: tuple[Term, Term] = (b.reshape(x, (count, m, k)).term, b.reshape(y, (count, k, n)).term)
    body = Infix("@", left, right)
    return b.reshape(b.let(Map((left, right), sequences, body), (count, m, n)), (*front, m, n))


MOVES = ("reshape", "transpose", "permute")


def behind_moves(b: Builder, M: Term) -> tuple[Perform | None, tuple[Call, ...]]:
    """Return the operation whose result a term is, up to the order and the axes of entries, and what moves them, in order."""
    chain: list[Call] = []
    while b.performed(M) is None:
        term = b.definition(M)
        if not isinstance(term, Call) or term.function not in MOVES:
            return None, ()
        chain.insert(0, term)
        M = term.arguments[0]
    return b.performed(M), tuple(chain)


def replayed(array: np.ndarray[Any, Any], chain: Sequence[Call]) -> np.ndarray[Any, Any]:
    """Return an array whose entries are moved in the same way."""
    for move in chain:
        array = array.reshape(move.sizes) if move.function == "reshape" else array.transpose(move.sizes or (1, 0))
    return array


def shape_after(shape: Shape, move: Call) -> Shape:
    """Return the shape of an array of this shape after a move."""
    if move.function == "reshape":
        return move.sizes
    return tuple([shape[axis] for axis in move.sizes or (1, 0)])
