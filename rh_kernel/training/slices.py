"""A two-dimensional slice of a measure: its averages on a plane of heaps through the start of some training runs.

The plane is spanned by the two principal directions of the paths of the runs, seen from the start: those that keep most of the
squared distances of all their points. Of two weights it is the plane of all heaps.
"""

from collections.abc import Generator, Mapping, Sequence
from itertools import product

import numpy as np

from rh_kernel.arrays.backends import backend_for
from rh_kernel.arrays.costs import estimate
from rh_kernel.arrays.execution import contents
from rh_kernel.arrays.program import Program
from rh_kernel.arrays.stacks import places
from rh_kernel.loops.ir import Precision
from rh_kernel.primitives.contents import content
from rh_kernel.primitives.draws import seed_in
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training.batches import Batches
from rh_kernel.training.samples import DataSet

SIDES = (31, 21, 13)
"""Points of the grid along each side: the first number for which the work is small enough."""

MOST_SAMPLES = 500
"""Samples that the measure is averaged over at each point, at most; of more data, evenly spaced ones."""

MOST_WORK = 2_000_000_000
"""Floating-point operations that a slice may take."""

MARGIN = 0.15
"""What is shown beyond the paths, as a part of their extent."""

FAR = 10
"""How many times as far as the middle run a point may be from the start; paths end before one that is further away."""


@frozen
class Slice:
    """The averages of a measure at the points ``(x, y)`` of a grid, a row for each y, and the paths of the runs.

    ``share`` is the part of the squared distances of the paths from the start that lies in the plane, from 0 to 1; ``entries``
    names the two weights if there are no others. ``samples`` is how many samples the measure is averaged over.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    paths: tuple[tuple[tuple[float, float], ...], ...]
    share: float
    entries: tuple[str, str] | None
    samples: int


def read_by(program: Program, heap: Mapping[Location, Array]) -> tuple[Location, ...]:
    """The locations that a program reads and the heap has, each once."""
    found = [at for _, location in program.reads for at in places(location) if at in heap]
    return tuple(dict.fromkeys(found))


def flat(heap: Mapping[Location, Array], locations: Sequence[Location]) -> Array:
    """The contents of these locations, one after the other, as a new vector."""
    found = [content(heap, at) for at in locations]
    return np.concatenate([np.zeros(0), *[np.ravel(array) for array in found if array is not None]])


def kept(paths: Sequence[Array]) -> list[Array]:
    """The paths (points × weights, from the start), each up to the first point that is not finite or very far away."""
    with np.errstate(all="ignore"):
        norms = [np.linalg.norm(path, axis=1) for path in paths]
    reach = [float(np.max(norm[np.isfinite(norm)], initial=0.0)) for norm in norms]
    most = FAR * float(np.median(reach))
    ends = [np.flatnonzero(~(norm <= most)) for norm in norms]
    return [path[: end[0]] if len(end) else path for path, end in zip(paths, ends, strict=True)]


def axes(paths: Sequence[Array]) -> tuple[Array, float] | None:
    """Two orthonormal directions (2 × weights), and the share of the squared distances in their plane; ``None`` if all is 0.

    Each points to where the paths end, on average.
    """
    rows = np.concatenate([*paths])
    size = rows.shape[1]
    total = float(np.sum(rows * rows))
    if size < 2 or not 0 < total < np.inf:
        return None
    if size == 2:
        return np.eye(2), 1.0
    # The eigenvectors of the small matrix of inner products of the points give those of the large one of the weights.
    spread, vectors = np.linalg.eigh(rows @ rows.T)
    found = vectors[:, [-1, -2]].T @ rows
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    if lengths[1, 0] <= 1e-9 * lengths[0, 0]:
        return None
    found /= lengths
    signs = np.sign(found @ np.sum([path[-1] for path in paths], axis=0))
    return found * np.where(signs == 0, 1.0, signs)[:, None], float(min(1.0, np.sum(spread[-2:]) / total))


def sliced(
    program: Program,
    names: Sequence[str],
    data: DataSet,
    heap: Mapping[Location, Array],
    locations: Sequence[Location],
    paths: Sequence[Array],
    precision: Precision,
) -> Generator[None, None, Slice | str]:
    """Average the ``program`` of a measure on the plane of the paths; yield between points. Without a plane, return why.

    ``paths`` are of the contents of the ``locations``, in that order, from the start in the ``heap`` (points × weights).
    """
    moved = [at for at, part in _parts(heap, locations) if any(np.any(path[:, part]) for path in paths)]
    columns = [np.arange(part.start, part.stop) for at, part in _parts(heap, locations) if at in moved]
    found = kept([path[:, np.concatenate(columns)] for path in paths]) if moved else []
    if not found:
        return "no weight that the measure reads has moved"
    if (plane := axes(found)) is None:
        return "the paths span no plane"
    directions, share = plane
    count = min(data.size, MOST_SAMPLES)
    work = program.cost_of(count)
    side = next((side for side in SIDES if side * side * work <= MOST_WORK), None)
    if side is None:
        each = f"{work:,} operations at each of {SIDES[-1] ** 2} points"
        return f"the measure of {count:,} samples takes too long, {each}"
    drawn = [path @ directions.T for path in found]
    xs, ys = [_range(np.concatenate([path[:, i] for path in drawn]), side) for i in (0, 1)]
    backend = backend_for("cpu", side * side * estimate(program, 1, count))
    memory = backend.memory(contents((program,), heap), precision)
    batches = Batches(program, names, data, memory, precision, backend, side * side, seed=seed_in(heap))
    samples = np.linspace(0, data.size - 1, count).round().astype(np.int64)
    together = min(count, batches.measured_at_once(1 << 40))
    start, values = flat(heap, moved), np.zeros((side, side))
    try:
        for (j, y), (i, x) in product(enumerate(ys), enumerate(xs)):
            at = _with(heap, moved, start + np.array([x, y]) @ directions)
            memory.store(contents((program,), at))
            values[j, i] = batches.total_of(samples, together) / count
            yield
    finally:
        batches.feed.close()
    entries = _entries(heap, moved) if len(start) == 2 else None
    origin = (float(start[0]), float(start[1])) if entries else (0.0, 0.0)
    return Slice(
        tuple([float(x) + origin[0] for x in xs]),
        tuple([float(y) + origin[1] for y in ys]),
        tuple([tuple([float(value) for value in row]) for row in values]),
        tuple([tuple([(float(x) + origin[0], float(y) + origin[1]) for x, y in path]) for path in drawn]),
        share,
        entries,
        count,
    )


def _range(places: Array, side: int) -> Array:
    low, high = float(places.min()), float(places.max())
    margin = MARGIN * ((high - low) or 1.0)
    return np.linspace(low - margin, high + margin, side)


def _parts(heap: Mapping[Location, Array], locations: Sequence[Location]) -> list[tuple[Location, slice]]:
    """Where the content of each location is in a flat vector."""
    ends = np.cumsum([0, *[len(flat(heap, [at])) for at in locations]])
    return [(at, slice(int(a), int(b))) for at, a, b in zip(locations, ends[:-1], ends[1:], strict=True)]


def _with(heap: Mapping[Location, Array], locations: Sequence[Location], vector: Array) -> Mapping[Location, Array]:
    """The heap with other contents at these locations."""
    return {**heap, **{at: vector[part].reshape(heap[at].shape) for at, part in _parts(heap, locations)}}


def _entries(heap: Mapping[Location, Array], locations: Sequence[Location]) -> tuple[str, str]:
    """The names of the two weights: ``w[0]`` and ``w[1]``, or ``a`` and ``b``."""
    found = [
        at.name if heap[at].size == 1 else f"{at.name}[{', '.join(map(str, index))}]"
        for at in locations
        for index in np.ndindex(heap[at].shape)
    ]
    return found[0], found[1]
