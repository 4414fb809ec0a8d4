"""Fuse ``x' = Wᵀ d`` with a later ``W ← W + s e xᵀ``, so that W is traversed once instead of twice.

The backward pass of a network does this in each layer, sample by sample, and is bound by the time to load W. The update moves
up to the product if no step in between touches W.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.arrays.native.axes import Reach, reach
from rh_kernel.arrays.native.c_writer import loop
from rh_kernel.arrays.native.scalars import literal
from rh_kernel.arrays.native.schedule import Machine
from rh_kernel.arrays.native.tiles import columns_of, loaded, stored, vector
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.loops.ir import Buffer, Contract, Scratch, Step, View

LEAST = 1024
"""The fewest entries of a matrix for which it pays."""
FURTHEST = 100
"""The most steps that an update moves up."""
ROWS = 4
"""Rows that are processed together."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of a kernel: the extents of W, the row strides of W, d and e, and the scales of both steps"""

    rows: int
    columns: int
    strides: tuple[int, int, int]
    scales: tuple[str, str]
    accumulate: bool


@dataclass(frozen=True, slots=True)
class FusedUpdate:
    """``x' = t Wᵀ d``, or ``x' += t Wᵀ d``, and ``W ← W + s e xᵀ``; the views are those of x′, W, d, e and x"""

    shape: Shape
    views: tuple[View, View, View, View, View]


@dataclass(frozen=True, slots=True)
class _Factors:
    """A step over a row-major matrix: which of its axes are the rows, and its two other views"""

    axis: int
    by_row: View
    by_column: View


def fuse_updates(steps: Sequence[Step], buffers: Sequence[Buffer]) -> list[Step | FusedUpdate]:
    """Fuse pairs of steps where possible."""
    found: list[Step | FusedUpdate | None] = list(steps)
    for u, update in enumerate(steps):
        if isinstance(update, Contract) and update.accumulate:
            factors = _factors(update, update.output, (update.left, update.right))
            p = None if factors is None else _reader(update, steps, u, buffers)
            product = None if p is None else steps[p]
            if factors is None or p is None or not isinstance(product, Contract) or found[p] is not product:
                continue
            fused = _joined(product, update, factors)
            if fused is not None and _is_apart(fused, buffers):
                found[p], found[u] = fused, None
    return [step for step in found if step is not None]


def _factors(step: Contract, matrix: View, others: tuple[View, View]) -> _Factors | None:
    """Match a step over a matrix with contiguous rows whose other views go along its rows and its columns."""
    if len(step.extents) != 2 or step.extents[0] * step.extents[1] < LEAST or 1 not in matrix.strides:
        return None
    axis = 1 - matrix.strides.index(1)
    for by_row, by_column in (others, others[::-1]):
        along = by_row.strides[1 - axis], by_column.strides[axis], by_column.strides[1 - axis]
        if along == (0, 0, 1) and matrix.strides[axis] >= step.extents[1 - axis]:
            return _Factors(axis, by_row, by_column)
    return None


def _joined(product: Contract, update: Contract, of_update: _Factors) -> FusedUpdate | None:
    """Fuse both steps if the first is a product with the transpose of the matrix that the second updates."""
    matrix = update.output
    left = (product.left.buffer, product.left.offset) == (matrix.buffer, matrix.offset)
    factor, other = (product.left, product.right) if left else (product.right, product.left)
    of_product = _factors(product, factor, (other, product.output))
    if of_product is None or of_product.by_column is not product.output:
        return None
    a, b = of_product.axis, of_update.axis
    same = factor.strides[a] == matrix.strides[b] and (factor.shape[a], factor.shape[1 - a]) == (
        matrix.shape[b],
        matrix.shape[1 - b],
    )
    if not same or (factor.buffer, factor.offset) != (matrix.buffer, matrix.offset):
        return None
    strides = matrix.strides[b], of_product.by_row.strides[a], of_update.by_row.strides[b]
    scales = product.scale.hex(), update.scale.hex()
    shape = Shape(matrix.shape[b], matrix.shape[1 - b], strides, scales, product.accumulate)
    return FusedUpdate(shape, (product.output, matrix, of_product.by_row, of_update.by_row, of_update.by_column))


def _reader(update: Contract, steps: Sequence[Step], u: int, buffers: Sequence[Buffer]) -> int | None:
    """The last step before the update that reads its matrix, if the update can move directly after that step."""
    matrix = _range(update.output, buffers)
    needed = [matrix, _range(update.left, buffers), _range(update.right, buffers)]
    for p in range(u - 1, max(-1, u - 1 - FURTHEST), -1):
        if any(_range(view, buffers).meets(matrix) for view in reads(steps[p])):
            return p
        if any(_range(view, buffers).meets(place) for view in writes(steps[p]) for place in needed):
            return None
    return None


def _is_apart(fused: FusedUpdate, buffers: Sequence[Buffer]) -> bool:
    """Whether x′ and W overlap none of the other arrays."""
    output, matrix, *others = [_range(view, buffers) for view in fused.views]
    return not output.meets(matrix) and not any(place.meets(output) or place.meets(matrix) for place in others)


def _range(view: View, buffers: Sequence[Buffer]) -> Reach:
    """The range of a view in memory; all scratch buffers are one."""
    place, buffer = reach(view), buffers[view.buffer]
    return Reach(-1, place.low + buffer.start, place.high + buffer.start) if isinstance(buffer, Scratch) else place


def update_kernel(shape: Shape, machine: Machine) -> list[str]:
    """Return the body of a kernel on x′, W, d, e and x."""
    lines = ["real *restrict o = array[0], *restrict m = array[1];", "const real *d = array[2], *e = array[3], *x = array[4];"]
    if not shape.accumulate:
        lines += ["LIKELY_VECTORISED", f"for (long j = 0; j < {shape.columns}; j++) o[j] = 0;"]
    whole, left = divmod(shape.rows, ROWS)
    for head, count in (
        *([(loop("i", whole), ROWS)] if whole else []),
        *([(f"{{ const long i = {whole};", left)] if left else []),
    ):
        lines += [head, *_block(shape, count, machine), "}"]
    return lines


def _block(shape: Shape, count: int, machine: Machine) -> list[str]:
    """Process a few rows: what they add to x′, and what is added to them."""
    step, by_d, by_e = shape.strides
    lines = [f"real *w = m + i * {ROWS * step}L;"]
    for r in range(count):
        for name, source, stride, scale in (("d", "d", by_d, shape.scales[0]), ("e", "e", by_e, shape.scales[1])):
            factor = "" if float.fromhex(scale) == 1 else f"{literal(float.fromhex(scale))} * "
            lines.append(f"const real {name}{r} = {factor}{source}[(i * {ROWS} + {r}) * {stride}L];")
    blocks, rest = divmod(shape.columns, machine.lanes)
    if blocks:
        lines += [loop("j", blocks), *_lanes(f"j * {machine.lanes}", machine.lanes, count, step), "}"]
    for c in columns_of(rest, machine, machine.lanes) if rest else []:
        lines += _lanes(str(blocks * machine.lanes + c.start), c.width, count, step)
    return lines


def _lanes(at: str, width: int, count: int, step: int) -> list[str]:
    kind = vector(width)
    lines = [f"{{ AS_WRITTEN {kind} t = {loaded(f'o + {at}', width)}, y = {loaded(f'x + {at}', width)};"]
    for r in range(count):
        place = f"w + {r * step}L + {at}"
        lines += [f"{kind} w{r} = {loaded(place, width)};", f"t += d{r} * w{r};"]
        lines += stored(place, f"w{r} + e{r} * y", width, 1, 1.0, accumulate=False)
    return [*lines, *stored(f"o + {at}", "t", width, 1, 1.0, accumulate=False), "}"]
