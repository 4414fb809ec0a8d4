"""The primitives of tensors (Sigal 2024, listing A.35) in NumPy, on immutable arrays of float64.

Shapes have to agree exactly, without broadcasting. A reduction removes its axis, ``repeat`` adds one.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rh_kernel.ad.eff.machine.tensor_values import sized

Array: TypeAlias = NDArray[np.float64]
Shape: TypeAlias = tuple[int, ...]

MOST_BYTES, MOST_AXES = 1 << 32, 32
"""The largest size and number of axes of one tensor."""


class Misfit(Exception):
    """A primitive got incompatible shapes, axes or indices: the reason, and what it expected."""

    def __init__(self, why: str, expected: str) -> None:
        super().__init__(why)
        self.expected = expected


_quiet = np.errstate(all="ignore")
"""Decorates a function whose nan and infinities raise no warnings of NumPy."""


def of_list(entries: Sequence[float]) -> Array:
    """``tensor [0.5, 1.5]``, of one axis."""
    return np.array(entries, np.float64)


def entries(t: Array) -> list[float]:
    """The entries, the last axis fastest."""
    return t.ravel().tolist()


def shape(t: Array) -> list[int]:
    """The sizes of the axes."""
    return list(t.shape)


def zeros(sizes: Sequence[int]) -> Array:
    """A tensor of zeros."""
    return np.zeros(_sizes(sizes))


def filled(sizes: Sequence[int], r: float) -> Array:
    """A tensor of equal entries, which share the memory of one."""
    return np.broadcast_to(np.float64(r), _sizes(sizes))


def normal(seed: int, sizes: Sequence[int]) -> Array:
    """Normally distributed entries, determined by the seed."""
    if seed < 0:
        raise Misfit(f"a seed is a number from 0, and not {seed}", "a seed from 0")
    return np.random.default_rng(seed).standard_normal(_sizes(sizes))


def reshape(sizes: Sequence[int], t: Array) -> Array:
    """The same entries in the same order."""
    wanted = _sizes(sizes)
    if math.prod(wanted) != t.size:
        raise Misfit(f"{sized(t.shape)} does not have as many entries as {sized(wanted)}", f"a shape of {t.size} entries")
    return t.reshape(wanted)


def part(axis: int, start: int, end: int, t: Array) -> Array:
    """The slice of an axis from ``start`` up to, and without, ``end``."""
    return t[_part(axis, start, end, t.shape)]


def place(axis: int, start: int, t: Array, u: Array) -> Array:
    """The tensor t with u in place of the slice of an axis from ``start`` on."""
    _axis(axis, t.shape)
    if t.ndim != u.ndim or any(m != n for i, (m, n) in enumerate(zip(t.shape, u.shape, strict=True)) if i != axis):
        raise Misfit(
            f"a tensor of {sized(u.shape)} cannot be put into one of {sized(t.shape)} along axis {axis}",
            "a tensor whose other axes are the same",
        )
    where = _part(axis, start, start + u.shape[axis], t.shape)
    made = t.copy()
    made[where] = u
    return made


def transpose(axes: Sequence[int], t: Array) -> Array:
    """Axis i of the result is axis ``axes[i]`` of t."""
    if sorted(axes) != list(range(t.ndim)):
        raise Misfit(f"{list(axes)} does not name each axis of {sized(t.shape)} once", f"{list(range(t.ndim))} in some order")
    return t.transpose(axes)


def repeat(axis: int, n: int, t: Array) -> Array:
    """The tensor t repeated n times along a new axis, in the memory of one."""
    if not 0 <= axis <= t.ndim:
        raise Misfit(f"{sized(t.shape)} cannot get a new axis {axis}", f"an axis from 0 to {t.ndim}")
    wanted = _sizes((*t.shape[:axis], n, *t.shape[axis:]))
    return np.broadcast_to(np.expand_dims(t, axis), wanted)


def over_axis(axis: int, t: Array) -> Array:
    """The sum over an axis."""
    _axis(axis, t.shape)
    return t.sum(axis)


@_quiet
def log_sum_exp(axis: int, t: Array) -> Array:
    """``log Σ exp`` over an axis, computed relative to the largest entry."""
    top = _largest(axis, t)
    return np.log(np.exp(t - np.expand_dims(top, axis)).sum(axis)) + top


@_quiet
def softmax(axis: int, t: Array) -> Array:
    """``exp`` divided by its sum over an axis."""
    made = np.exp(t - np.expand_dims(_largest(axis, t), axis))
    made /= made.sum(axis, keepdims=True)
    return made


@_quiet
def power(p: float, t: Array) -> Array:
    """``tᵖ``, entrywise."""
    return t if p == 1.0 else t**p


@_quiet
def product(t: Array, u: Array) -> Array:
    """``Σⱼ tᵢⱼ·uⱼₖ``, for each index of the axes before the last two."""
    if t.ndim < 2 or t.ndim != u.ndim or t.shape[:-2] != u.shape[:-2] or t.shape[-1] != u.shape[-2]:
        raise Misfit(f"matrices of {sized(t.shape)} and {sized(u.shape)} have no product", "… × m × n and … × n × p")
    _sizes((*t.shape[:-1], u.shape[-1]))
    return np.matmul(t, u)


@_quiet
def exp(t: Array) -> Array:
    """``eᵗ``, entrywise."""
    return np.exp(t)


def negate(t: Array) -> Array:
    """``−t``"""
    return -t


def _entrywise(f: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """A function of two tensors of the same shape, applied to each pair of entries."""

    @_quiet
    def apply(t: Array, u: Array) -> Array:
        if t.shape != u.shape:
            raise Misfit(f"{sized(t.shape)} and {sized(u.shape)} are not the same", "two tensors of the same shape")
        return f(t, u)

    return apply


plus, minus, times, over = map(_entrywise, (np.add, np.subtract, np.multiply, np.divide))
"""``t + u``, ``t − u``, ``t · u`` and ``t / u``, entrywise."""


@_quiet
def scale(s: float, t: Array) -> Array:
    """``s · t``"""
    return np.multiply(s, t)


@_quiet
def lower(t: Array, s: float) -> Array:
    """``t − s``, entrywise."""
    return np.subtract(t, s)


def concatenate(axis: int, ts: Sequence[Array]) -> Array:
    """The tensors in a row along an axis."""
    if not ts:
        raise Misfit("there is nothing to concatenate", "a list of at least one tensor")
    _axis(axis, ts[0].shape)
    rest = {(len(t.shape), *t.shape[:axis], *t.shape[axis + 1 :]) for t in ts}
    if len(rest) > 1:
        raise Misfit(
            f"{', '.join(dict.fromkeys(sized(t.shape) for t in ts))} do not fit along axis {axis}",
            "tensors whose other axes are the same",
        )
    return np.concatenate(ts, axis)


def stack(axis: int, ts: Sequence[Array]) -> Array:
    """The tensors in a row along a new axis."""
    if not ts:
        raise Misfit("there is nothing to stack", "a list of at least one tensor")
    if len({t.shape for t in ts}) > 1:
        raise Misfit(f"{', '.join(dict.fromkeys(sized(t.shape) for t in ts))} are not the same", "tensors of the same shape")
    if not 0 <= axis <= ts[0].ndim:
        raise Misfit(f"{sized(ts[0].shape)} cannot get a new axis {axis}", f"an axis from 0 to {ts[0].ndim}")
    return np.stack(ts, axis)


def split(axis: int, sizes: Sequence[int], t: Array) -> list[Array]:
    """Slices of those sizes along an axis."""
    _axis(axis, t.shape)
    if min(sizes, default=0) < 0 or sum(sizes) != t.shape[axis]:
        raise Misfit(f"{list(sizes)} are no parts of axis {axis} of {sized(t.shape)}", f"sizes whose sum is {t.shape[axis]}")
    found: list[Array] = []
    start = 0
    for size in sizes:
        found.append(part(axis, start, start + size, t))
        start += size
    return found


def total(t: Array) -> float:
    """The sum of all entries."""
    return float(t.sum())


def log_gamma(r: float) -> float:
    """``log |Γ(r)|``, infinite at 0, −1, −2, …"""
    try:
        return math.lgamma(r)
    except (OverflowError, ValueError):
        return math.inf


def _sizes(sizes: Sequence[int]) -> Shape:
    if min(sizes, default=0) < 0:
        raise Misfit(f"{list(sizes)} is no shape", "sizes from 0")
    if len(sizes) > MOST_AXES or math.prod(sizes) * 8 > MOST_BYTES:
        raise Misfit(f"a tensor of {sized(tuple(sizes))} is too large", f"at most {MOST_BYTES // 8:,} entries")
    return tuple(sizes)


def _axis(axis: int, sizes: Shape) -> None:
    if not 0 <= axis < len(sizes):
        raise Misfit(
            f"{sized(sizes)} has no axis {axis}", f"an axis from 0 to {len(sizes) - 1}" if sizes else "a tensor with axes"
        )


def _part(axis: int, start: int, end: int, sizes: Shape) -> tuple[slice, ...]:
    _axis(axis, sizes)
    if not 0 <= start <= end <= sizes[axis]:
        raise Misfit(
            f"axis {axis} of {sized(sizes)} has no part from {start} up to {end}", f"a part from 0 up to {sizes[axis]}"
        )
    return (*[slice(None)] * axis, slice(start, end))


def _largest(axis: int, t: Array) -> Array:
    """The maximum over an axis, or 0 where it is infinite."""
    _axis(axis, t.shape)
    if not t.shape[axis]:
        raise Misfit(f"axis {axis} of {sized(t.shape)} is empty", "an axis of at least one entry")
    top = t.max(axis)
    return np.where(np.isfinite(top), top, 0.0)
