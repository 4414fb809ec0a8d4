"""The call for a ``Contract``: which axes are the rows and the columns of a product of matrices, and the size of its tiles."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import ceil, prod

from rh_kernel.arrays.native.axes import Axis, entangled
from rh_kernel.arrays.native.schedule import LEFT, ONE, OUT, RIGHT, canonical, without
from rh_kernel.arrays.prebuilt.call import Call, bits, words
from rh_kernel.arrays.prebuilt.levels import Level
from rh_kernel.loops.ir import Contract

PANEL = 256 << 10
"""Bytes of the left factor that are used again and again before the next rows: they fit the second-level cache."""

LONG = 8
"""Fewer terms than these are too few for an inner loop if there is a longer axis."""

PAGE = 4096
"""Bytes"""

MOST_PLACES, MOST_TERMS = 1024, 1024
"""The most places from which the inner sum is repeated, and the most terms if columns are lanes: the factors of so many terms
stay in the cache from tile to tile. Further axes are outer loops."""


@dataclass(frozen=True, slots=True)
class Product:
    """The axes of a contraction as those of a product of matrices, with further outer loops around it.

    Along the ``rows``, only the factor ``left`` moves, and along the ``columns`` only the other one. The output does not move
    along ``sums``. If the product ``adds`` to the output, as the outer loops come to an entry several times, it has to be
    cleared first.
    """

    left: int
    rows: Axis
    columns: Axis
    sums: tuple[Axis, ...]
    outer: tuple[Axis, ...]
    adds: bool

    @property
    def right(self) -> int:
        """The factor that moves along the columns."""
        return LEFT + RIGHT - self.left


@dataclass(frozen=True, slots=True)
class Form:
    """A kernel for a product, which sums over ``inner`` from each of the ``places`` in turn; ``cost`` is a number of cycles.

    ``tile`` has the rows of a tile, and its columns or vectors of columns; ``workspace`` is the size of a copied factor.
    """

    kernel: str
    product: Product
    inner: Axis
    places: tuple[Axis, ...]
    tile: tuple[int, int]
    workspace: int
    cost: float


def contraction(step: Contract, level: Level, item: int) -> tuple[Call, bool]:
    """Return the call, and whether the output has to be cleared first. The product of the extents is not 0."""
    form = best_form(canonical(step), level, item)
    adds = form.product.adds
    factors = (step.left, step.right) if form.product.left == LEFT else (step.right, step.left)
    parameters = _parameters(form, step.scale, item, accumulate=step.accumulate or adds)
    call = Call(form.kernel, parameters, (step.output, *factors), workspace=form.workspace)
    return call, adds and not step.accumulate


@lru_cache(maxsize=1024)
def best_form(found: tuple[Axis, ...], level: Level, item: int) -> Form:
    """Return the cheapest form."""
    return min(_forms(found, level, item), key=lambda form: form.cost)


@lru_cache(maxsize=1024)
def _parameters(form: Form, scale: float, item: int, *, accumulate: bool) -> tuple[int, ...]:
    """The ``struct contraction`` of the library."""
    left, right = form.product.left, form.product.right
    m, n, k = form.product.rows, form.product.columns, form.inner
    terms = k.extent * prod([axis.extent for axis in form.places])
    high, wide = form.tile
    panel = max(1, PANEL // (item * terms) // high) * high
    outer = [Axis(axis.extent, (axis.strides[OUT], axis.strides[left], axis.strides[right])) for axis in form.product.outer]
    starts = [[(i * axis.strides[left], i * axis.strides[right]) for i in range(axis.extent)] for axis in form.places]
    places = [(sum([x for x, _ in some]), sum([y for _, y in some])) for some in product(*starts)]
    return (
        *(bits(scale), int(accumulate), len(outer)),
        *(m.extent, high, panel, m.strides[OUT], m.strides[left]),
        *(n.extent, wide, n.strides[OUT], n.strides[right]),
        *(k.extent, k.strides[left], k.strides[right], len(places)),
        *words(outer),
        *[word for place in places for word in place],
    )


def _forms(found: tuple[Axis, ...], level: Level, item: int) -> Iterator[Form]:
    yield _one_by_one(found)
    for some in _products(found):
        columns, right = some.columns, some.right
        for inner in some.sums:
            if inner.strides[LEFT] == inner.strides[RIGHT] == 1:
                yield _tiled("contract_parts", some, inner, level, item)
        if columns is not ONE:
            inner = _innermost(some.sums, item)
            yield _tiled("contract_lanes" if columns.strides[right] == 1 else "contract_packed", some, inner, level, item)
            if not some.sums and columns.strides[OUT] == columns.strides[right] == 1:
                yield _multiples(some, level.lanes(item))


def _products(found: tuple[Axis, ...]) -> Iterator[Product]:
    apart = entangled(found, OUT)
    free = without([axis for axis in found if axis.strides[OUT]], *apart)
    sums = tuple([axis for axis in found if not axis.strides[OUT]])
    for left, right in ((LEFT, RIGHT), (RIGHT, LEFT)):
        all_rows = [*[axis for axis in free if not axis.strides[right]], ONE]
        all_columns = [*[axis for axis in free if not axis.strides[left] and axis.strides[right]], ONE]
        for rows, columns in product(all_rows, all_columns):
            yield Product(left, rows, columns, sums, (*without(free, rows, columns), *apart), bool(apart))


def _innermost(sums: tuple[Axis, ...], item: int) -> Axis:
    """The axis along which the factors move least, if it is long enough.

    Entries that are a multiple of a page apart share a few places of the cache, so such an axis is taken only if there is no
    other.
    """

    def distance(axis: Axis) -> tuple[bool, int]:
        steps = [abs(axis.strides[factor]) for factor in (LEFT, RIGHT)]
        return any(step and step * item % PAGE == 0 for step in steps), sum(steps)

    long = [axis for axis in sums if axis.extent >= LONG]
    return min(long, key=distance) if long else max(sums, key=lambda axis: axis.extent, default=ONE)


def _one_by_one(found: tuple[Axis, ...]) -> Form:
    """Each term is added to memory, which works for all strides."""
    columns = max(found, key=lambda axis: (axis.strides.count(1), axis.extent), default=ONE)
    along = Axis(1, (0, *columns.strides[1:]))
    everything = Product(LEFT, ONE, columns, (), tuple(without(found, columns)), adds=True)
    return Form("contract_any", everything, along, (), (1, 1), 0, 3.0 * prod([axis.extent for axis in found]))


def _multiples(some: Product, lanes: int) -> Form:
    """Without sums, each row of the output is a multiple of a factor."""
    cost = 10 + some.rows.extent * (10 + some.columns.extent / lanes)
    return Form("contract_rows", some, ONE, (), (1, 1), 0, cost * prod([axis.extent for axis in some.outer]))


def _tiled(kernel: str, some: Product, inner: Axis, level: Level, item: int) -> Form:
    """The form with the best size of tiles."""
    places = sorted(without(some.sums, inner), key=lambda axis: axis.extent)
    if kernel != "contract_parts" and some.rows.extent > LONG:
        inner, blocks = _split(inner)
        places += blocks
    most = MOST_PLACES if kernel == "contract_parts" else max(1, MOST_TERMS // inner.extent)
    while prod([axis.extent for axis in places]) > most:
        some = replace(some, outer=(places.pop(), *some.outer), adds=True)
    repeats = prod([axis.extent for axis in places])
    terms, m, n = inner.extent * repeats, some.rows.extent, some.columns.extent
    lanes = level.lanes(item)
    if kernel == "contract_parts":
        finish = 2.0 + inner.extent % lanes * repeats
        cost, high, wide = min(_costs(m, n, inner.extent // lanes * repeats, finish, level))
        whole = m == high and n == wide
    else:
        finish = 1.5 if some.columns.strides[OUT] == 1 else 2.0 * lanes
        cost, high, wide = min(_costs(m, ceil(n / lanes), terms, finish, level))
        whole = m == high and n == wide * lanes
    size = 0
    if kernel == "contract_packed":
        size = terms * wide * lanes
        cost += 1.3 * n * terms
    elif whole and not some.outer:
        kernel, cost = f"{kernel}_tile", cost - 20
    cost = (cost + 10) * prod([axis.extent for axis in some.outer])
    return Form(kernel, some, inner, tuple(places), (high, wide), size, cost)


def _split(axis: Axis) -> tuple[Axis, list[Axis]]:
    """Split a long axis into equal blocks of at most ``MOST_TERMS``, if there are some that are not short."""
    sizes = range(MOST_TERMS, MOST_TERMS // 8, -1)
    size = next((size for size in sizes if axis.extent > MOST_TERMS and axis.extent % size == 0), axis.extent)
    if size == axis.extent:
        return axis, []
    return replace(axis, extent=size), [Axis(axis.extent // size, tuple([size * stride for stride in axis.strides]))]


def _costs(rows: int, columns: int, terms: int, finish: float, level: Level) -> Iterator[tuple[float, int, int]]:
    """The cycles with each size of tiles: arithmetic, loads, or the latency of additions; and to finish each sum."""
    for wide in range(1, 5):
        for high in range(1, 9):
            if level.has_tile(high, wide) and high <= rows and wide <= columns:
                sums = high * wide
                split = 4 if sums <= 2 else 2 if sums <= 4 else 1
                loads = (high + wide) / 2
                each = max(sums / 2, loads, 4 / split) + loads / 4
                tiles = ceil(rows / high) * ceil(columns / wide)
                yield tiles * (terms * each + sums * finish + 20), high, wide
