"""Surfaces: the result of a command over the plane of two input numbers, with samples of the data, while a net learns."""

import time
from collections.abc import Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rh_kernel.syntax.core import Array
from rh_kernel.training.batches import UNLIMITED, Batches
from rh_kernel.training.samples import DataSet
from rh_kernel.training.sources import InMemory, Source

GRID = 48
"""The points of a surface in each direction."""

MOST_POINTS = 600
"""The most samples that are drawn."""

MARGIN = 0.08
"""How far the plane extends beyond the samples, as a share of their extent."""

FRAMES = 20
"""About how many states of a surface are kept of a training run."""

BETWEEN = 0.1
"""Seconds between two surfaces of a running training, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The rectangle in which the samples of a data set lie, and samples on a grid in it, row by row from the upper left.

    ``axes`` are the names of the two numbers, horizontal first; ``low`` and ``high`` (2,) the corners. ``points`` (M, 2) are
    samples of the data, with their targets (M, k) if there is one.
    """

    axes: tuple[str, str]
    low: Array
    high: Array
    grid: DataSet
    points: Array
    targets: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The results (GRID², k) of a command, written as ``text``, on the grid of a plane.

    ``frames`` are those after some epochs of a training run, from the start on.
    """

    text: str
    plane: Plane
    values: Array
    frames: tuple[tuple[int, Array], ...] = ()


def plane(data: DataSet, names: Sequence[str], used: Set[str], target: str | None) -> Plane:
    """Return the plane of the ``used`` components, which have two numbers together, for samples with these names.

    On the grid the components that are not used are 0.
    """
    inputs = [name for name in names if name in used]
    count = min(data.size, MOST_POINTS)
    rows = np.linspace(0, data.size - 1, count).astype(np.intp)
    points = np.concatenate([data.sources[name].take(rows).reshape(count, -1) for name in inputs], axis=1)
    low, high = points.min(axis=0), points.max(axis=0)
    extent = np.where(high > low, high - low, 1.0)
    low, high = low - MARGIN * extent, high + MARGIN * extent
    across, down = np.meshgrid(np.linspace(low[0], high[0], GRID), np.linspace(high[1], low[1], GRID))
    flat = np.stack([across.ravel(), down.ravel()], axis=1)
    sources: dict[str, Source] = {}
    at = 0
    for name in names:
        shape = data.sources[name].shape[1:]
        if name in used:
            size = int(np.prod(shape))
            sources[name] = InMemory(np.ascontiguousarray(flat[:, at : at + size]).reshape(-1, *shape))
            at += size
        else:
            sources[name] = InMemory(np.zeros((GRID * GRID, *shape)))
    (only, *others) = inputs
    axes = (only, others[0]) if others else (f"{only}[0]", f"{only}[1]")
    grid = DataSet(data.name, MappingProxyType(sources))
    return Plane(axes, low, high, grid, points, None if target is None else data.sources[target].take(rows))


class Surfaces:
    """The surfaces of a running training: computed now and then, and kept after some of its epochs."""

    def __init__(self, texts: Sequence[str], planes: Sequence[Plane], batches: Sequence[Batches], epochs: int) -> None:
        self._texts = texts
        self._planes = planes
        self._batches = batches
        self._kept = {0, *np.rint(np.geomspace(1, epochs, FRAMES - 1)).astype(int).tolist()}
        self._frames: list[list[tuple[int, Array]]] = [[] for _ in planes]
        self._values: list[Array] = []
        self._last = 0.0

    def __bool__(self) -> bool:
        return bool(self._planes)

    def record(self, epoch: int) -> None:
        """Keep the surfaces after this epoch, if it is one of those."""
        if epoch in self._kept and self._planes:
            self._compute()
            for frames, values in zip(self._frames, self._values, strict=True):
                frames.append((epoch, values))

    def now(self, *, exactly: bool = False) -> tuple[Surface, ...]:
        """Return the surfaces: those of a moment ago, unless they are needed ``exactly``."""
        if self._planes and (exactly or time.monotonic() - self._last > BETWEEN):
            self._compute()
        parts = zip(self._texts, self._planes, self._values, self._frames, strict=True)
        return tuple([Surface(text, on, values, tuple(frames)) for text, on, values, frames in parts])

    def _compute(self) -> None:
        self._values = [_results(batches) for batches in self._batches]
        self._last = time.monotonic()

    def close(self) -> None:
        """Stop reading."""
        for batches in self._batches:
            batches.feed.close()


def _results(batches: Batches) -> Array:
    together = batches.measured_at_once(UNLIMITED)
    every = np.arange(batches.size)
    batches.expect(every, together)
    return np.array(batches.results(every, together), np.float64)
