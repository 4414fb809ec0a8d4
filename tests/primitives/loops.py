"""What the symbols that move and collect entries compute, written as loops over single entries (RH Ex. E.3, Def. E.4)."""

import math
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from rh_kernel.syntax.core import Array

Nested = Any
"""A list of lists … of numbers, indexed as the array is."""


def concat(at: tuple[int, ...], x: Nested, y: Nested) -> Nested:
    return [*x, *y]


def rows(at: tuple[int, ...], x: Nested) -> Nested:
    lo, hi = at[:2]
    return [x[i] for i in range(len(x)) if lo <= i < hi]


def stack(at: tuple[int, ...], x: Nested, y: Nested) -> Nested:
    return [x, y]


def permute(at: tuple[int, ...], x: Nested) -> Nested:
    """Axis j of the result is axis ``order[j]`` of x, entry by entry."""
    order, sizes = at[: len(at) // 2], at[len(at) // 2 :]

    def part(found: dict[int, int], j: int) -> Nested:
        if j < len(order):
            return [part({**found, order[j]: i}, j + 1) for i in range(sizes[order[j]])]
        return reduce(lambda y, axis: y[found[axis]], range(len(sizes)), x)

    return part({}, 0)


def conv1d(at: tuple[int, ...], x: Nested, w: Nested) -> Nested:
    c, n, d, k = at
    return [
        [math.fsum(x[h][i + j] * w[l][h][j] for h in range(c) for j in range(k)) for i in range(n - k + 1)] for l in range(d)
    ]


def windows1d(at: tuple[int, ...], x: Nested) -> Nested:
    k, c, n = at
    return [[[x[i][j + l] for l in range(n - k + 1)] for j in range(k)] for i in range(c)]


def overlap_add1d(at: tuple[int, ...], y: Nested) -> Nested:
    c, k, m = at
    return [
        [math.fsum(y[i][j][l] for j in range(k) for l in range(m) if j + l == t) for t in range(m + k - 1)] for i in range(c)
    ]


def blocks(n: int, p: int) -> list[list[int]]:
    """The places of n entries, block by block."""
    return [[t for t in range(n) if t // p == j] for j in range(math.ceil(n / p))]


def maxpool1d(at: tuple[int, ...], x: Nested) -> Nested:
    p, _, n = at
    return [[max(channel[t] for t in block) for block in blocks(n, p)] for channel in x]


def first_max1d(at: tuple[int, ...], x: Nested) -> Nested:
    p, _, n = at

    def is_first(channel: Nested, t: int) -> bool:
        block = range(t - t % p, min(t - t % p + p, n))
        return all(channel[s] < channel[t] if s < t else channel[s] <= channel[t] for s in block)

    return [[float(is_first(channel, t)) for t in range(n)] for channel in x]


def sumpool1d(at: tuple[int, ...], x: Nested) -> Nested:
    p, _, n = at
    return [[math.fsum(channel[t] for t in block) for block in blocks(n, p)] for channel in x]


def spread1d(at: tuple[int, ...], y: Nested) -> Nested:
    p, n, _ = at
    return [[channel[t // p] for t in range(n)] for channel in y]


def pad1d(at: tuple[int, ...], x: Nested) -> Nested:
    m, _, n = at
    left, right = (m - n) // 2, math.ceil((m - n) / 2)
    return [[*([0.0] * left), *channel, *([0.0] * right)] for channel in x]


def crop1d(at: tuple[int, ...], x: Nested) -> Nested:
    m, _, n = at
    left, right = (n - m) // 2, math.ceil((n - m) / 2)
    return [channel[left : n - right] for channel in x]


def upscale1d(at: tuple[int, ...], x: Nested) -> Nested:
    m, _, n = at
    return [[channel[i * n // m] for i in range(m)] for channel in x]


def downsum1d(at: tuple[int, ...], y: Nested) -> Nested:
    n, _, m = at
    return [[math.fsum(channel[i] for i in range(m) if i * n // m == t) for t in range(n)] for channel in y]


def conv2d(at: tuple[int, ...], x: Nested, f: Nested) -> Nested:
    c, h, w, d, p, q = at

    def met(l: int, i: int, j: int) -> float:
        return math.fsum(x[e][i + s][j + t] * f[l][e][s][t] for e in range(c) for s in range(p) for t in range(q))

    return [[[met(l, i, j) for j in range(w - q + 1)] for i in range(h - p + 1)] for l in range(d)]


def windows2d(at: tuple[int, ...], x: Nested) -> Nested:
    p, q, c, h, w = at
    return [
        [[[[x[e][s + i][t + j] for j in range(w - q + 1)] for i in range(h - p + 1)] for t in range(q)] for s in range(p)]
        for e in range(c)
    ]


def overlap_add2d(at: tuple[int, ...], y: Nested) -> Nested:
    c, p, q, m, n = at

    def collected(e: int, a: int, b: int) -> float:
        places = [(s, t, a - s, b - t) for s in range(p) for t in range(q)]
        return math.fsum(y[e][s][t][i][j] for s, t, i, j in places if 0 <= i < m and 0 <= j < n)

    return [[[collected(e, a, b) for b in range(n + q - 1)] for a in range(m + p - 1)] for e in range(c)]


def tiles(at: tuple[int, ...], x: Nested) -> list[list[list[list[float]]]]:
    """The entries of each block, channel by channel, row of blocks by row of blocks."""
    p, _, h, w = at
    return [[[[image[i][j] for i in a for j in b] for b in blocks(w, p)] for a in blocks(h, p)] for image in x]


def maxpool2d(at: tuple[int, ...], x: Nested) -> Nested:
    return [[[max(tile) for tile in line] for line in image] for image in tiles(at, x)]


def sumpool2d(at: tuple[int, ...], x: Nested) -> Nested:
    return [[[math.fsum(tile) for tile in line] for line in image] for image in tiles(at, x)]


def avgpool2d(at: tuple[int, ...], x: Nested) -> Nested:
    return [[[math.fsum(tile) / len(tile) for tile in line] for line in image] for image in tiles(at, x)]


def first_max2d(at: tuple[int, ...], x: Nested) -> Nested:
    p, _, h, w = at

    def is_first(image: Nested, i: int, j: int) -> bool:
        tile = [(a, b) for a in range(h) for b in range(w) if (a // p, b // p) == (i // p, j // p)]
        return all(
            image[a][b] < image[i][j] if (a, b) < (i, j) else image[a][b] <= image[i][j] for a, b in tile if (a, b) != (i, j)
        )

    return [[[float(is_first(image, i, j)) for j in range(w)] for i in range(h)] for image in x]


def spread2d(at: tuple[int, ...], y: Nested) -> Nested:
    p, h, w, _ = at
    return [[[image[i // p][j // p] for j in range(w)] for i in range(h)] for image in y]


LOOPS: dict[str, Callable[..., Nested]] = {
    "concat": concat,
    "slice": rows,
    "stack": stack,
    "permute": permute,
    "conv1d": conv1d,
    "windows1d": windows1d,
    "overlap_add1d": overlap_add1d,
    "maxpool1d": maxpool1d,
    "first_max1d": first_max1d,
    "sumpool1d": sumpool1d,
    "spread1d": spread1d,
    "pad1d": pad1d,
    "crop1d": crop1d,
    "upscale1d": upscale1d,
    "downsum1d": downsum1d,
    "conv2d": conv2d,
    "windows2d": windows2d,
    "overlap_add2d": overlap_add2d,
    "maxpool2d": maxpool2d,
    "first_max2d": first_max2d,
    "avgpool2d": avgpool2d,
    "sumpool2d": sumpool2d,
    "spread2d": spread2d,
}


def looped(name: str, at: tuple[int, ...], *values: Array) -> list[float]:
    """The entries of the result, in row-major order."""
    return list(_entries(LOOPS[name](at, *(x.tolist() for x in values))))


def _entries(x: Nested) -> Iterator[float]:
    if not isinstance(x, list):
        yield float(x)
        return
    for part in x:
        yield from _entries(part)
