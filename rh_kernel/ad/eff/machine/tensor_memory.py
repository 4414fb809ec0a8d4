"""The tensors that a run has made: how many bytes those take that are alive, and how many entries were worked on.

What a primitive gives shares the memory of what it was given, as a part of it does, or takes its own until no tensor uses that.
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

_NUMBER = 8
"""The bytes of an entry."""


class Alive:
    """The tensors of a run, of which ``most`` bytes may be alive at a time; ``work`` is how many entries were read and made."""

    __slots__ = ("_taken", "most", "work")

    def __init__(self, most: int) -> None:
        self.begin(most)

    def begin(self, most: int) -> None:
        """Count from 0; what an earlier run has made belongs to that."""
        self._taken = Taken()
        self.most = most
        self.work = 0

    @property
    def bytes(self) -> int:
        """What those take that are alive."""
        return self._taken.bytes

    def need(self, size: int) -> None:
        """Raise ``Stuck`` if so many bytes more are too many."""
        if self._taken.bytes + size > self.most:
            raise self.too_large(size)

    def too_large(self, size: int) -> Stuck:
        """The complaint about so many bytes more."""
        hint = "look for tensors kept alive by a continuation, a list or a reference; raise the limit with `%limit bytes`"
        needed, expected = readable(self.bytes + size), f"at most {readable(self.most)}"
        return Stuck(TooLarge(what="what the tensors hold", needed=needed, expected=expected, hint=hint))

    def keep(self, made: Tensor) -> None:
        """From here on until it is gone, a tensor with memory of its own is alive. Raises ``Stuck``."""
        array = made.array
        size = array.nbytes if array.base is None else array.base.nbytes
        taken = self._taken
        if taken.bytes + size > self.most:
            raise self.too_large(size)
        made.memory = Memory(taken, size)
        self.work += array.size


class Taken:
    """So many bytes are taken."""

    __slots__ = ("bytes",)

    def __init__(self) -> None:
        self.bytes = 0


class Memory:
    """Is alive as long as one of the tensors that share it."""

    __slots__ = ("_size", "_taken")

    def __init__(self, taken: Taken, size: int) -> None:
        self._size, self._taken = size, taken
        taken.bytes += size

    def __del__(self) -> None:
        self._taken.bytes -= self._size


def watched(built_ins: Mapping[str, BuiltInFunction], alive: Alive) -> Mapping[str, BuiltInFunction]:
    """The built-in functions, of which those that give tensors tell it to ``alive``."""
    return {name: _watched(name, g, alive) if g.codomain in (TENSOR, TENSORS) else g for name, g in built_ins.items()}


def _watched(name: str, g: BuiltInFunction, alive: Alive) -> BuiltInFunction:
    function, size = g.function, _SIZES.get(name)
    keep = alive.keep

    def call(*arguments: Value) -> Value:
        entries = 0
        for V in arguments:
            if V.__class__ is Tensor:
                entries += V.array.size
        alive.work += entries
        if size is not None and (entries > _LARGE or not entries or size is _of_product):
            alive.need(size(*arguments))
        try:
            return function(*arguments)
        except MemoryError:
            raise alive.too_large(max(_NUMBER * entries, 1)) from None

    def call_for_one(*arguments: Value) -> Value:
        made = call(*arguments)
        keep(made)
        return made

    def call_for_parts(*arguments: Value) -> Value:
        made = call(*arguments)
        given = {id(V.array.base): V for V in arguments if V.__class__ is Tensor}
        for t in (made,) if made.__class__ is Tensor else listed(made):
            if (shared := given.get(id(t.array.base))) is None:
                keep(t)
            else:
                t.memory = shared.memory
        return made

    return replace(g, function=call_for_parts if name in _SHARING else call_for_one)


_NUMBER = 8
"""The bytes of an entry."""

_LARGE = 1_000_000
"""With fewer entries nobody asks beforehand how large a result becomes."""

_SHARING = frozenset({"tensor_part", "tensor_power", "tensor_repeat", "tensor_reshape", "tensor_split", "tensor_transpose"})
"""The primitives of which a result may use the memory of an argument."""


def _of_shape(*arguments: Value) -> int:
    return _NUMBER * math.prod(listed(arguments[-1]))


def _of_product(t: Tensor, u: Tensor) -> int:
    return _NUMBER * math.prod(t.array.shape[:-1]) * u.array.shape[-1] if t.array.ndim and u.array.ndim else 0


def _of_entries(*arguments: Value) -> int:
    return max(V.array.nbytes for V in arguments if V.__class__ is Tensor)


_ENTRY_BY_ENTRY = ("exp", "lower", "minus", "negate", "over", "place", "plus", "scale", "softmax", "times")
_SIZES: Mapping[str, Callable[..., int]] = MappingProxyType(
    {
        "tensor_zeros": _of_shape,
        "tensor_normal": _of_shape,
        "tensor_product": _of_product,
        **{f"tensor_{name}": _of_entries for name in _ENTRY_BY_ENTRY},
    }
)
"""How many bytes results take, where that is known before they are made."""
