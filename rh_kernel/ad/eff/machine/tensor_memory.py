"""Accounting for the tensors of a run: the bytes of those that are alive, and the number of entries that were processed.

The result of a primitive shares the memory of an argument, as a slice does, or has its own, until its last tensor is freed.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from rh_kernel.ad.eff.machine.builtins import BuiltInFunction
from rh_kernel.ad.eff.machine.tensor_functions import TENSORS
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.machine.values import Value, listed
from rh_kernel.ad.eff.types import TENSOR
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.runtime_errors import TooLarge, readable


class TensorMemory:
    """The memory of the tensors of a run, with a ``limit`` in bytes; ``work`` counts the entries that were read and written."""

    __slots__ = ("_used", "limit", "work")

    def __init__(self, limit: int) -> None:
        self.begin(limit)

    def begin(self, limit: int) -> None:
        """Start at 0; the tensors of an earlier run are not counted."""
        self._used = ByteCount()
        self.limit = limit
        self.work = 0

    @property
    def bytes(self) -> int:
        """The size of the tensors that are alive."""
        return self._used.bytes

    def need(self, size: int) -> None:
        """Raise ``Stuck`` if there is no space for so many bytes more."""
        if self._used.bytes + size > self.limit:
            raise self.too_large(size)

    def too_large(self, size: int) -> Stuck:
        """The diagnostic about so many bytes more."""
        hint = "look for tensors kept alive by a continuation, a list or a reference; raise the limit with `%limit bytes`"
        needed, expected = readable(self.bytes + size), f"at most {readable(self.limit)}"
        return Stuck(TooLarge(what="what the tensors hold", needed=needed, expected=expected, hint=hint))

    def keep(self, made: Tensor) -> None:
        """Count a new tensor with memory of its own, as long as it is alive. Raises ``Stuck`` beyond the limit."""
        array = made.array
        size = array.nbytes if array.base is None else array.base.nbytes
        used = self._used
        if used.bytes + size > self.limit:
            raise self.too_large(size)
        made.memory = Allocation(used, size)
        self.work += array.size


class ByteCount:
    """The bytes in use."""

    __slots__ = ("bytes",)

    def __init__(self) -> None:
        self.bytes = 0


class Allocation:
    """The memory that some tensors share; it counts as long as one of them is alive."""

    __slots__ = ("_size", "_used")

    def __init__(self, used: ByteCount, size: int) -> None:
        self._size, self._used = size, used
        used.bytes += size

    def __del__(self) -> None:
        self._used.bytes -= self._size


def metered(built_ins: Mapping[str, BuiltInFunction], memory: TensorMemory) -> Mapping[str, BuiltInFunction]:
    """The built-in functions, of which those that return tensors account for them in ``memory``."""
    return {name: _metered(name, g, memory) if g.codomain in (TENSOR, TENSORS) else g for name, g in built_ins.items()}


def _metered(name: str, g: BuiltInFunction, memory: TensorMemory) -> BuiltInFunction:
    function, size = g.function, _SIZES.get(name)
    keep = memory.keep

    def call(*arguments: Value) -> Value:
        entries = 0
        for V in arguments:
            if V.__class__ is Tensor:
                entries += V.array.size
        memory.work += entries
        if size is not None and (entries > _LARGE or not entries or size is _of_product):
            memory.need(size(*arguments))
        try:
            return function(*arguments)
        except MemoryError:
            raise memory.too_large(max(_NUMBER * entries, 1)) from None

    def call_for_new(*arguments: Value) -> Value:
        made = call(*arguments)
        keep(made)
        return made

    def call_for_views(*arguments: Value) -> Value:
        made = call(*arguments)
        given = {id(V.array.base): V for V in arguments if V.__class__ is Tensor}
        for t in (made,) if made.__class__ is Tensor else listed(made):
            if (shared := given.get(id(t.array.base))) is None:
                keep(t)
            else:
                t.memory = shared.memory
        return made

    return replace(g, function=call_for_views if name in _VIEWS else call_for_new)


_NUMBER = 8
"""The size of an entry in bytes."""

_LARGE = 1_000_000
"""Arguments of more entries have the size of the result checked before the call."""

_VIEWS = frozenset({"tensor_part", "tensor_power", "tensor_repeat", "tensor_reshape", "tensor_split", "tensor_transpose"})
"""The primitives whose result may be a view of an argument."""


def _of_shape(*arguments: Value) -> int:
    return _NUMBER * math.prod(listed(arguments[-1]))


def _of_product(t: Tensor, u: Tensor) -> int:
    return _NUMBER * math.prod(t.array.shape[:-1]) * u.array.shape[-1] if t.array.ndim and u.array.ndim else 0


def _of_entries(*arguments: Value) -> int:
    return max(V.array.nbytes for V in arguments if V.__class__ is Tensor)


_SAME_SIZE = ("exp", "lower", "minus", "negate", "over", "place", "plus", "scale", "softmax", "times")
_SIZES: Mapping[str, Callable[..., int]] = MappingProxyType(
    {
        "tensor_zeros": _of_shape,
        "tensor_normal": _of_shape,
        "tensor_product": _of_product,
        **{f"tensor_{name}": _of_entries for name in _SAME_SIZE},
    }
)
"""The sizes of results in bytes, where they are computed from the arguments."""
