"""Operations on the tensors of a model by their axes there: the axis of samples is left out of each, and kept track of."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.interchange.model import Shape
from rh_kernel.interchange.sources import moves
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.shapes import broadcast, inferred, sample_axis, show, without


def whole(b: Builder, x: Tensor) -> Tensor:
    """Return a tensor whose term has all axes, that of samples too."""
    return x if x.batch is None else Tensor(b.reshape(x.typed, x.shape or (1,)).term, x.shape, None)


def tensor(b: Builder, x: Operand) -> Tensor:
    """Return an operand as a tensor."""
    return x if isinstance(x, Tensor) else Tensor(b.known(x).term, x.shape, None)


def inner(axis: int, batch: int | None) -> int:
    """Return the number of an axis in the program."""
    return axis - (batch is not None and axis > batch)


def not_over_samples(x: Tensor, axes: Sequence[int], what: str) -> None:
    """Raise ``Unsupported`` if an operation goes along the axis of samples."""
    if x.batch is not None and x.batch in axes:
        raise Unsupported(f"it {what} along the axis of samples", "a program is for one sample")


def entrywise(b: Builder, function: str, x: Operand) -> Tensor:
    """Return a function of the language applied to each entry."""
    t = tensor(b, x)
    return Tensor(b.call(function, [t.typed], t.typed.shape).term, t.shape, t.batch)


def binary(b: Builder, sign: str, x: Operand, y: Operand) -> Tensor:
    """Return ``x sign y``, one of which is a tensor, broadcast by the rule of NumPy."""
    shape = broadcast(x.shape, y.shape)
    if shape is None:
        raise Unsupported(f"the shapes {show(x.shape)} and {show(y.shape)} do not fit")
    axes = {len(shape) - len(t.shape) + t.batch for t in (x, y) if isinstance(t, Tensor) and t.batch is not None}
    batch = axes.pop() if len(axes) == 1 else None
    if batch is not None and shape[batch] != 1:
        batch = None
    left, right = (aligned(b, t.narrow() if isinstance(t, Known) else t, len(shape), batch) for t in (x, y))
    return Tensor(moves.binary(b, sign, left, right, without(shape, batch)).term, shape, batch)


def aligned(b: Builder, x: Operand, rank: int, batch: int | None) -> Typed:
    """Return a term without the axis that is that of samples in a result of this rank."""
    axis = None if batch is None else batch - (rank - len(x.shape))
    axis = axis if axis is not None and axis >= 0 else None
    if isinstance(x, Known):
        return b.known(x, axis)
    if x.batch is None and axis is None:
        return x.typed
    return b.reshape(x.typed, without(x.shape, axis))


def permute(b: Builder, x: Tensor, order: Sequence[int]) -> Tensor:
    """Return x with its axes in another order."""
    shape = tuple([x.shape[axis] for axis in order])
    if x.batch is None:
        return Tensor(moves.permuted(b, x.typed, order).term, shape, None) if shape else x
    rest = [inner(axis, x.batch) for axis in order if axis != x.batch]
    term = moves.permuted(b, x.typed, rest).term if rest else x.term
    return Tensor(term, shape, list(order).index(x.batch))


def reshape(b: Builder, x: Tensor, sizes: Sequence[int]) -> Tensor:
    """Return the entries of x in another shape; one size may be -1."""
    shape = inferred(x.shape, sizes)
    if shape is None:
        raise Unsupported(f"{show(x.shape)} does not have the entries of {show(tuple(sizes))}")
    batch = sample_axis(x.shape, x.batch, shape)
    return Tensor(b.reshape(x.typed, without(shape, batch)).term, shape, batch)


def concat(b: Builder, parts: Sequence[Operand], axis: int) -> Tensor:
    """Return several tensors one behind the other along an axis."""
    tensors = [tensor(b, x) for x in parts]
    batches = {t.batch for t in tensors if t.batch is not None}
    batch = batches.pop() if len(batches) == 1 else None
    if batch == axis:
        if len(tensors) == 1:
            return tensors[0]
        batch = None
    rank = len(tensors[0].shape)
    terms = [aligned(b, t, rank, batch) for t in tensors]
    result = terms[0]
    for term in terms[1:]:
        result = moves.joined(b, result, term, inner(axis, batch))
    length = sum([t.shape[axis] for t in tensors])
    return Tensor(result.term, (*tensors[0].shape[:axis], length, *tensors[0].shape[axis + 1 :]), batch)


def stack(b: Builder, parts: Sequence[Operand], axis: int) -> Tensor:
    """Return several tensors along a new axis."""
    grown = [reshape(b, t, (*t.shape[:axis], 1, *t.shape[axis:])) for t in [tensor(b, x) for x in parts]]
    return concat(b, [whole(b, t) if t.batch == axis else t for t in grown], axis)


def cut(b: Builder, x: Tensor, axis: int, low: int, high: int, step: int = 1) -> Tensor:
    """Return the entries low, low + step, … before high along an axis; the numbers are from 0 on and fit."""
    places = range(low, high, step)
    shape = (*x.shape[:axis], len(places), *x.shape[axis + 1 :])
    if len(places) == x.shape[axis] and step == 1:
        return x
    not_over_samples(x, (axis,), "takes entries")
    if step != 1:
        return take(b, x, axis, np.array(list(places)))
    if not places:
        raise Unsupported("it takes no entries")
    return Tensor(moves.part(b, x.typed, inner(axis, x.batch), low, high).term, shape, x.batch)


def take(b: Builder, x: Tensor, axis: int, places: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Tensor:
    """Return the entries at some places along an axis, which a vector of numbers says."""
    not_over_samples(x, (axis,), "takes entries")
    numbers = b.known(Known(places, "places", is_learned=False))
    shape = (*x.shape[:axis], len(places), *x.shape[axis + 1 :])
    at = inner(axis, x.batch)
    if len(places) == 1:
        first = int(places[0])
        return Tensor(moves.part(b, x.typed, at, first, first + 1).term, shape, x.batch)
    return Tensor(moves.taken(b, x.typed, at, numbers).term, shape, x.batch)


def select(b: Builder, x: Tensor, axis: int, place: int) -> Tensor:
    """Return the entries at one place along an axis, which the result lacks."""
    if x.batch == axis:
        return Tensor(x.term, without(x.shape, axis) if len(x.shape) > 1 else (), None)
    one = cut(b, x, axis, place, place + 1)
    return squeeze(b, one, (axis,))


def squeeze(b: Builder, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return x without some axes of length 1."""
    shape = tuple([n for axis, n in enumerate(x.shape) if axis not in axes])
    if x.batch is not None and x.batch not in axes:
        batch = x.batch - sum([axis < x.batch for axis in axes])
        return Tensor(b.reshape(x.typed, without(shape, batch)).term, shape, batch)
    return Tensor(b.reshape(x.typed, shape or (1,)).term, shape, None)


def grown(b: Builder, x: Tensor, axis: int) -> Tensor:
    """Return x with a new axis of length 1."""
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    batch = None if x.batch is None else x.batch + (axis <= x.batch)
    return Tensor(b.reshape(x.typed, without(shape, batch)).term, shape, batch)


def pieces(b: Builder, x: Tensor, axis: int, sizes: Sequence[int]) -> list[Tensor]:
    """Return pieces of these lengths along an axis."""
    if sum(sizes) != x.shape[axis]:
        raise Unsupported(f"its pieces do not make up {x.shape[axis]}")
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    return [cut(b, x, axis, end - size, end) for end, size in zip(ends, sizes, strict=True)]


def expand(b: Builder, x: Operand, shape: Shape) -> Tensor:
    """Return x broadcast to a shape."""
    t = tensor(b, x)
    batch = None if t.batch is None else t.batch + len(shape) - len(t.shape)
    if batch is not None and shape[batch] != 1:
        raise Unsupported("it copies the samples", "a program is for one sample")
    return Tensor(moves.spread(b, t.typed, without(shape, batch)).term, shape, batch)


def reduce(b: Builder, how: str, x: Tensor, axes: Sequence[int], *, keeps: bool) -> Tensor:
    """Return the ``sum``, ``mean``, ``max`` or ``logsumexp`` along some axes."""
    if not axes:
        return x
    if len(axes) < len(x.shape):
        not_over_samples(x, axes, f"takes the {how}")
    at = [inner(axis, x.batch) for axis in axes if axis != x.batch]
    kept = tuple([1 if axis in axes else n for axis, n in enumerate(x.shape)])
    source = x.typed
    if how == "logsumexp":
        result = moves.vectors(b, how, source, at)
    else:
        result = moves.largest(b, source, at) if how == "max" else moves.averaged(b, how, source, at)
    shape = kept if keeps else tuple([n for axis, n in enumerate(x.shape) if axis not in axes])
    batch = None
    if x.batch is not None and (keeps or x.batch not in axes):
        batch = x.batch if keeps else x.batch - sum([axis < x.batch for axis in axes])
    return Tensor(b.reshape(result, without(shape, batch)).term, shape, batch)


def choose(b: Builder, condition: Known, x: Operand, y: Operand) -> Operand:
    """Return x where a constant condition holds, else y: ``x c + y (1 - c)``, so both are finite."""
    chosen = condition.array.astype(bool)
    if np.all(chosen) or not np.any(chosen):
        return x if np.all(chosen) else y
    parts: list[Operand] = []
    for branch, mask in ((x, chosen.astype(float)), (y, 1.0 - chosen)):
        if isinstance(branch, Tensor):
            parts.append(binary(b, "*", branch, Known(mask, "mask", is_learned=False)))
        elif np.all(np.isfinite(branch.array)):
            parts.append(Known(branch.array * mask, "masked", is_learned=False))
        else:
            raise Unsupported("a branch of it is not finite", "use a finite number, such as -1e30 in a mask")
    if all(isinstance(p, Known) and not np.any(p.array) for p in parts[1:]):
        return parts[0]
    return binary(b, "+", *[tensor(b, p) if k == 0 else p for k, p in enumerate(parts)])


def matmul(b: Builder, x: Operand, y: Operand) -> Tensor:
    """Return the product of vectors, matrices or stacks of matrices."""
    left, right = tensor(b, x), tensor(b, y)
    if len(left.shape) == 1 or len(right.shape) == 1:
        return _with_vectors(b, left, right)
    front = broadcast(left.shape[:-2], right.shape[:-2])
    if front is None or left.shape[-1] != right.shape[-2]:
        raise Unsupported(f"the shapes {show(left.shape)} and {show(right.shape)} do not fit")
    shape = (*front, left.shape[-2], right.shape[-1])
    rank = len(shape)
    axes = {t.batch + rank - len(t.shape) for t in (left, right) if t.batch is not None}
    batch = axes.pop() if len(axes) == 1 else None
    if batch is not None and batch >= rank - 2:
        batch = None
    there = without(front, batch) if batch is not None else front
    there = () if batch is not None and len(front) == 1 else there
    terms = [aligned(b, t, rank, batch) for t in (left, right)]
    wide = [moves.spread(b, M, (*there, *t.shape[-2:])) for M, t in zip(terms, (left, right), strict=True)]
    return Tensor(moves.product(b, *wide).term, shape, batch)


def _with_vectors(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    """Return the product where an operand is a vector, by way of matrices."""
    left = reshape(b, whole(b, x), (1, *x.shape)) if len(x.shape) == 1 else x
    right = reshape(b, whole(b, y), (*y.shape, 1)) if len(y.shape) == 1 else y
    done = matmul(b, left, right)
    axes = [len(done.shape) - 2] * (len(x.shape) == 1) + [len(done.shape) - 1] * (len(y.shape) == 1)
    return squeeze(b, done, axes)
