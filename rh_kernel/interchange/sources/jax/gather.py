"""``gather`` of JAX: rows of a table, or entries along one axis."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.interchange.sources import layers, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.jax.equations import Equation, Slot, operand


def gather(b: Builder, e: Equation, xs: Sequence[Slot]) -> Slot:
    """Rows of a table whose numbers the input says, or entries along one axis at constant places."""
    data, places, numbers = operand(xs[0]), operand(xs[1]), e.params["dimension_numbers"]
    shape = places.shape[:-1]
    if isinstance(data, Known) and takes_rows(e, data, places):
        return layers.embedding(b, data, tensors.reshape(b, tensors.tensor(b, places), shape))
    along = _axis(e, data)
    if along is None:
        raise Unsupported("it takes more than rows", "take rows of one axis")
    if isinstance(places, Tensor):
        raise Unsupported("its places depend on the input", "take rows of a matrix of parameters")
    if tuple(numbers.offset_dims) != (*range(along), *range(along + len(shape), len(data.shape) - 1 + len(shape))):
        raise Unsupported("its axes are in another order", "transpose behind it")
    x = tensors.tensor(b, data)
    taken = tensors.take(b, x, along, places.array.reshape(-1).astype(np.int64))
    return tensors.reshape(b, taken, (*x.shape[:along], *shape, *x.shape[along + 1 :]))


def takes_rows(e: Equation, data: Operand, places: Operand) -> bool:
    """Whether a ``gather`` takes rows of a matrix."""
    behind = len(places.shape) - 1
    return _axis(e, data) == 0 and len(data.shape) == 2 and tuple(e.params["dimension_numbers"].offset_dims) == (behind,)


def _axis(e: Equation, data: Operand) -> int | None:
    """Return the axis along which a ``gather`` takes single entries, and all entries along the others."""
    numbers, sizes = e.params["dimension_numbers"], tuple(e.params["slice_sizes"])
    axes = tuple(numbers.start_index_map)
    if len(axes) != 1 or tuple(numbers.collapsed_slice_dims) != axes or numbers.operand_batching_dims:
        return None
    whole = all(n == (1 if axis == axes[0] else data.shape[axis]) for axis, n in enumerate(sizes))
    return axes[0] if whole else None
