"""Axes and shapes of arrays whose sample axis, of length 1, is left out in the program."""

from collections.abc import Sequence
from math import prod

from rh_kernel.interchange.model import Shape


def without(shape: Shape, batch: int | None) -> Shape:
    """Return the shape without the axis of samples; a number has the shape ``(1,)``."""
    rest = shape if batch is None else shape[:batch] + shape[batch + 1 :]
    return rest or (1,)


def sample_axis(old: Shape, batch: int | None, new: Shape) -> int | None:
    """Return where the axis of samples is after a reshape: of length 1, with as many entries in front of it as before."""
    if batch is None:
        return None
    front = prod(old[:batch])
    return next((i for i, n in enumerate(new) if n == 1 and prod(new[:i]) == front), None)


def inferred(old: Shape, sizes: Sequence[int]) -> Shape | None:
    """Return the shape that a reshape to sizes asks for, one of which may be -1, or ``None`` if the entries do not fit."""
    total, known = prod(old), prod([n for n in sizes if n != -1])
    if list(sizes).count(-1) == 1 and known and total % known == 0:
        return tuple([total // known if n == -1 else n for n in sizes])
    return tuple(sizes) if known == total and -1 not in sizes else None


def merged(shape: Shape, order: Sequence[int]) -> tuple[Shape, tuple[int, ...]]:
    """Return a smaller shape and order that exchange the same entries: axes of length 1 left out, and neighbours merged."""
    kept = [axis for axis in order if shape[axis] != 1]
    groups: list[list[int]] = []
    for axis in kept:
        between = range(groups[-1][-1] + 1, axis) if groups else range(0)
        if groups and axis > groups[-1][-1] and all(shape[a] == 1 for a in between):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    by_first = sorted(range(len(groups)), key=lambda g: groups[g][0])
    sizes = tuple([prod([shape[axis] for axis in groups[g]]) for g in by_first])
    return sizes, tuple([by_first.index(g) for g in range(len(groups))])


def broadcast(*shapes: Shape) -> Shape | None:
    """Return the common shape of arrays, by the rule of NumPy, or ``None`` if there is none."""
    rank = max([len(shape) for shape in shapes], default=0)
    aligned = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    found: list[int] = []
    for sizes in zip(*aligned, strict=True):
        others = {n for n in sizes if n != 1}
        if len(others) > 1:
            return None
        found.append(others.pop() if others else 1)
    return tuple(found)


def axis_of(axis: int, rank: int) -> int:
    """Return an axis counted from 0. Raises ``IndexError`` if there is no such axis."""
    if not -max(rank, 1) <= axis < max(rank, 1):
        raise IndexError(f"there is no axis {axis} of {rank}")
    return axis % max(rank, 1)


def show(shape: Shape) -> str:
    """``(3, 4)``"""
    return f"({', '.join([str(n) for n in shape])}{',' if len(shape) == 1 else ''})"
